//! The built pages are what their sources give.

use crate::{target, workspace};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Files that `web/` builds into `crates/pages/assets`.
const BUILT: [&str; 7] =
    ["viewer.js", "viewer.css", "report.js", "report.css", "studio.js", "studio.css", "studio.html"];

/// Installs the packages that build the pages, where they are not there yet; an error if there is no npm or no network.
pub(crate) fn prepare() -> Result<(), String> {
    let web = workspace().join("web");
    if !Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Err("there is no npm, so the built pages were not compared with their sources".to_owned());
    }
    if web.join("node_modules").is_dir() {
        return Ok(());
    }
    // The versions of the lock; `npm ci` would refuse one that lacks builds for systems that are not this one.
    npm(&web, &["install", "--no-save", "--no-audit", "--no-fund"]).map_err(|error| {
        format!("npm cannot install what builds the pages: {}", error.lines().last().unwrap_or(""))
    })
}

/// Type-checks the sources, builds them again and compares.
pub(crate) fn check() -> Result<String, String> {
    prepare()?;
    let web = workspace().join("web");
    npm(&web, &["run", "check"])?;
    let fresh = target().join("web");
    fs::create_dir_all(&fresh).map_err(|error| format!("{}: {error}", fresh.display()))?;
    npm(&web, &["run", "build", "--", &fresh.display().to_string()])?;
    for file in BUILT {
        let kept = workspace().join("crates/pages/assets").join(file);
        let [kept, fresh] = [&kept, &fresh.join(file)].map(fs::read);
        if kept.ok() != fresh.ok() {
            return Err(format!(
                "crates/pages/assets/{file} is not what web/ gives: run `npm run build` in web/ and commit the result"
            ));
        }
    }
    Ok(format!("{} files are what their sources give", BUILT.len()))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("npm").args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| format!("cannot start npm: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Err(format!("npm {}:\n{}", arguments.join(" "), text.trim()))
}
