//! The published crates, in the order in which they can be published.

use crate::{cargo_output, workspace};

/// Each depends on those before it only; tests may use any, by path and without a version, which cargo leaves out.
pub(crate) const PUBLISHED: [&str; 17] = [
    "noli-geom",
    "noli-brep",
    "noli-formats",
    "noli-implicit",
    "noli",
    "noli-classics",
    "noli-robot",
    "noli-program",
    "noli-scenes",
    "noli-sim",
    "noli-plan",
    "noli-sweep",
    "noli-grid",
    "noli-gpu",
    "noli-project",
    "noli-pages",
    "noli-store",
];

/// Files of every package in addition to its sources.
const BESIDE: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Packages all of them, without building what is in the packages: the workspace is built anyway. What they depend on
/// has been downloaded by then.
pub(crate) fn check() -> Result<String, String> {
    let named = PUBLISHED.iter().flat_map(|name| ["-p", name]);
    let arguments =
        ["package", "--quiet", "--offline", "--no-verify", "--allow-dirty"].into_iter().chain(named);
    cargo_output(arguments)?;
    for name in PUBLISHED {
        let listed = cargo_output(["package", "--list", "--allow-dirty", "-p", name])?;
        let missing = BESIDE.iter().find(|file| !listed.lines().any(|line| line == **file));
        if let Some(file) = missing {
            return Err(format!("{name}: {file} is not in the package"));
        }
        let folder = name.strip_prefix("noli-").unwrap_or(name);
        for licence in &BESIDE[1..] {
            let [own, ours] =
                [workspace().join("crates").join(folder).join(licence), workspace().join(licence)];
            let same =
                std::fs::read(&own).is_ok_and(|own| std::fs::read(&ours).is_ok_and(|ours| own == ours));
            if !same {
                return Err(format!("{} is not the {licence} of the project", own.display()));
            }
        }
    }
    Ok(format!("{} packages", PUBLISHED.len()))
}
