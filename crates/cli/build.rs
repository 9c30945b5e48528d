//! The commit that a release was built from, for `noli --version`.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|text| !text.is_empty())
    };
    // Tests would be built anew after every commit, for a line that they do not read.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let ours = git(&["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix == "crates/cli/");
    if !(is_release && ours) {
        return;
    }
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    if let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]) {
        println!("cargo::rustc-env=NOLI_COMMIT={commit}");
    }
}
