//! Programs of others that tests need: a browser for the pages, Coq for lemmas, Eigen for the names of FCL.

use std::path::Path;
use std::process::{Command, Stdio};

const PROGRAMS: [&str; 2] = ["chromium", "chromedriver"];
const INSTALL: [&str; 4] = ["install", "--yes", "chromium", "chromium-driver"];

/// Finds the browser and its driver; where they are missing and this is Debian's root (a container), installs them.
pub(crate) fn find_or_install() -> Result<(), String> {
    if missing().is_none() {
        return Ok(());
    }
    if is_root() {
        // A fresh machine knows no packages before it is told. Whether it worked shows below.
        for arguments in [&["update"][..], &INSTALL] {
            println!("== browser: apt-get {}", arguments.join(" "));
            let _ = Command::new("apt-get").args(arguments).stdout(Stdio::null()).status();
        }
    }
    match missing() {
        None => Ok(()),
        Some(program) => {
            Err(format!("there is no {program}; on Debian: apt-get install chromium chromium-driver"))
        }
    }
}

/// Installs what further tests need and is missing, where this is Debian's root (a container). Tests without their
/// tool report that themselves.
pub(crate) fn install_tools() {
    let tools = [("coq", starts("coqc")), ("libeigen3-dev", Path::new("/usr/include/eigen3").is_dir())];
    let missing: Vec<&str> = tools.iter().filter(|(_, there)| !there).map(|(package, _)| *package).collect();
    if missing.is_empty() || !is_root() {
        return;
    }
    let install = [&["install", "--yes", "--no-install-recommends"], &missing[..]].concat();
    for arguments in [&["update"][..], &install] {
        println!("== tools: apt-get {}", arguments.join(" "));
        let _ = Command::new("apt-get").args(arguments).stdout(Stdio::null()).status();
    }
}

fn missing() -> Option<&'static str> {
    PROGRAMS.into_iter().find(|program| !starts(program))
}

fn starts(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
