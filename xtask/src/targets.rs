//! Other systems: the libraries for wasm32 and ARM, the program for Windows. Nothing is linked, so a target's standard
//! library is all that is needed.

use crate::package::PUBLISHED;
use crate::{cargo_output, workspace};
use std::process::Command;

const PROGRAM: [&str; 2] = ["noli-cli", "noli-lab"];

const TARGETS: [(&str, &[&str]); 4] = [
    ("wasm32-unknown-unknown", &PUBLISHED),
    ("aarch64-unknown-linux-gnu", &PROGRAM),
    ("aarch64-apple-darwin", &PROGRAM),
    ("x86_64-pc-windows-gnu", &PROGRAM),
];

pub(crate) fn check() -> Result<String, String> {
    let mut told = Vec::new();
    for (target, packages) in TARGETS {
        if !has(target) {
            return Err(format!("{target} cannot be checked; try: rustup target add {target}"));
        }
        let named = packages.iter().flat_map(|name| ["-p", name]);
        cargo_output(["check", "--quiet", "--target", target].into_iter().chain(named))
            .map_err(|error| format!("{target}: {error}"))?;
        told.push(format!("{target}: {}", packages.join(", ")));
    }
    Ok(told.join("\n"))
}

/// Returns `true` if the compiler has the target's standard library, possibly after installing it with rustup.
pub(crate) fn has(target: &str) -> bool {
    let found = || {
        let mut rustc = Command::new("rustc");
        rustc.args(["--print", "target-libdir", "--target", target]).current_dir(workspace());
        rustc
            .output()
            .is_ok_and(|output| std::path::Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
    };
    let add = || Command::new("rustup").args(["target", "add", target]).status().is_ok_and(|s| s.success());
    found() || (add() && found())
}
