//! The browser that the page of `noli check --html` is tested in.

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

fn missing() -> Option<&'static str> {
    let starts = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    PROGRAMS.into_iter().find(|program| !starts(program))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
