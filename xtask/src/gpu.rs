//! Steps that need a GPU.

use crate::{cargo, started, workspace};

/// The tests that need a GPU, then the benchmark; figures go to standard output and into the records of this machine.
pub(crate) fn check() -> Result<String, String> {
    let steps: [&[&str]; 2] = [
        &["test", "--quiet", "--release", "-p", "noli-gpu", "--tests", "--", "--include-ignored"],
        &["run", "--quiet", "--release", "-p", "noli-lab", "--example", "gpu", "--", "lab/record"],
    ];
    for arguments in steps {
        if !started(cargo().args(arguments).current_dir(workspace())) {
            return Err(format!(
                "cargo {} failed; a GPU with its driver and NVRTC is needed",
                arguments.join(" ")
            ));
        }
    }
    Ok(String::new())
}
