//! The Python package: built into an environment under the target folder, and tested there.

use crate::{target, workspace};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need beside the package; the rest of what they may use is skipped where it is missing.
const PACKAGES: [&str; 8] =
    ["maturin>=1.9.4,<2", "numpy", "pytest", "mypy", "trimesh", "scipy", "pyarrow", "pandas"];
const MAY_BE_MISSING: [&str; 5] = ["ray", "duckdb", "manifold3d", "yourdfpy", "matplotlib"];

/// A Python that is new enough and can make environments.
pub(crate) fn find() -> Result<PathBuf, String> {
    let test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let fits = |python: &&str| {
        Command::new(python).args(["-c", test]).output().is_ok_and(|output| output.status.success())
    };
    let found = ["python3", "python"].into_iter().find(fits);
    found.map(PathBuf::from).ok_or_else(|| "there is no Python 3.10 or later with `venv`".to_owned())
}

/// Builds and tests; the tests that were skipped.
pub(crate) fn check(python: &Path) -> Result<Vec<String>, String> {
    let venv = target().join("python-test");
    let own = venv.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let inside = own.join("python");
    if !inside.exists() {
        run(Command::new(python).args(["-m", "venv"]).arg(&venv))?;
    }
    let install = |packages: &[&str]| {
        run(Command::new(&inside).args(["-m", "pip", "install", "--quiet"]).args(packages))
    };
    install(&PACKAGES)?;
    for package in MAY_BE_MISSING {
        // What cannot be had is skipped by the tests, and counted.
        let _ = install(&[package]);
    }
    let bindings = workspace().join("bindings/python");
    // The development profile is optimised, and shares what the other tests have built.
    run(Command::new(&inside)
        .args(["-m", "maturin", "develop", "--quiet", "--profile", "dev"])
        .env("VIRTUAL_ENV", &venv)
        .current_dir(&bindings))?;
    let output = Command::new(&inside)
        .args(["-m", "pytest", "-q", "-rs", "--no-header"])
        .current_dir(&bindings)
        .output()
        .map_err(|error| format!("pytest cannot be started: {error}"))?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(format!("{told}{}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(told.lines().filter_map(|line| line.strip_prefix("SKIPPED ")).map(str::to_owned).collect())
}

fn run(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| format!("{shown}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{shown}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    ))
}
