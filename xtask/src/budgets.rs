//! The budgets of the project itself; CONTRIBUTING.md explains their purpose.

use crate::cold::{self, Cold};
use crate::{cargo, cargo_output, started, target, workspace};

const PROGRAM_MB: f64 = 50.0;
const COLD_SECONDS: f64 = 180.0;
/// Dependencies of `cargo add noli`, direct or through our own crates.
const LIBRARY: [&str; 7] = ["bytemuck", "dashu-int", "glam", "rayon", "robust", "serde", "thiserror"];

/// Measures, and reports exceeded budgets.
pub(crate) fn measure(cold: bool) -> Result<String, String> {
    let mut lines = Vec::new();
    let mut over = Vec::new();
    let mut line = |what: &str, found: String, limit: String, good: bool| {
        lines.push(format!("{what:34} {found:>12} {limit:>14}{}", if good { "" } else { "  OVER" }));
        over.extend((!good).then(|| what.to_owned()));
    };
    if cold {
        let Cold { seconds, table } = cold::build()?;
        println!("{table}\n");
        let limit = format!("{COLD_SECONDS:.0} s");
        line("clean build to the first table", format!("{seconds:.0} s"), limit, seconds <= COLD_SECONDS);
    }
    if !started(cargo().args(["build", "--quiet", "--release"]).current_dir(workspace())) {
        return Err("the program cannot be built".to_owned());
    }
    let path = target().join("release").join(format!("noli{}", std::env::consts::EXE_SUFFIX));
    let size = std::fs::metadata(&path).map_err(|error| format!("{}: {error}", path.display()))?.len();
    let megabytes = size as f64 / 1e6;
    let limit = format!("{PROGRAM_MB:.0} MB");
    line("the program, release", format!("{megabytes:.1} MB"), limit, megabytes <= PROGRAM_MB);
    let others = library()?;
    let foreign: Vec<&String> = others.iter().filter(|name| !LIBRARY.contains(&name.as_str())).collect();
    let found = others.len().to_string();
    line("dependencies of the library", found, format!("{} known", LIBRARY.len()), foreign.is_empty());
    if !foreign.is_empty() {
        lines.push(format!("unknown: {foreign:?}"));
    }
    let text = lines.join("\n");
    if over.is_empty() { Ok(text) } else { Err(format!("{text}\nover budget: {}", over.join(", "))) }
}

/// Crates that the library and our crates below it name.
fn library() -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for package in ["noli", "noli-implicit", "noli-geom"] {
        let arguments = ["tree", "-p", package, "--all-features", "--edges", "normal", "--depth", "1"];
        let text = cargo_output(arguments.into_iter().chain(["--prefix", "none", "--format", "{p}"]))?;
        let direct = text.lines().filter_map(|line| line.split(' ').next());
        names.extend(direct.filter(|name| !name.starts_with("noli")).map(str::to_owned));
    }
    names.sort();
    names.dedup();
    Ok(names)
}
