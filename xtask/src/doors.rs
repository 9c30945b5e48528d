//! The suite of doors: the same questions through every interface, built as their own steps build them.

use crate::{cargo, npm, output_of, python, stdout_of, workspace};
use std::ffi::OsString;
use std::path::Path;

/// The folder of the suite.
const FOLDER: &str = "crates/doors";

/// Returns environment variables for the tests of a folder: those of the suite get a Python with the package, and the folder
/// of the npm package. An interface that cannot be built is a step that was skipped already.
pub(crate) fn env(folder: &Path) -> Vec<(&'static str, OsString)> {
    if folder != workspace().join(FOLDER) {
        return Vec::new();
    }
    let named = |built: Result<&Path, String>| built.map_or_else(|_| "none".into(), |path| path.into());
    vec![("NOLI_DOOR_PYTHON", named(python::installed())), ("NOLI_DOOR_NPM", named(npm::quick()))]
}

/// Builds all interfaces and compares them.
pub(crate) fn check() -> Result<String, String> {
    output_of(
        cargo().args(["build", "--quiet", "-p", "noli-cli", "-p", "noli-capi"]).current_dir(workspace()),
    )?;
    let mut tests = cargo();
    tests.args(["test", "--quiet", "-p", "noli-doors"]).current_dir(workspace());
    stdout_of(tests.envs(env(&workspace().join(FOLDER))))
}
