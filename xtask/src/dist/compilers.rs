//! Programs for any Linux with glibc 2.17 (of 2012) or later, on x86-64 and on ARM: Zig's C compiler links them, whatever
//! libraries this machine has. Not static: the driver of a GPU is loaded while the program runs.

use crate::{cargo, output_of, python, targets};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Systems of a release.
const SYSTEMS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// The oldest glibc that Rust's standard library runs with.
pub(crate) const GLIBC: &str = "2.17";

/// Libraries of ARM Linux as Debian's cross compilers have them.
const ARM_LIBRARIES: &str = "/usr/aarch64-linux-gnu";

const EMULATORS: [&str; 2] = ["qemu-aarch64", "qemu-aarch64-static"];

/// Compilers and linkers of a release.
pub(crate) struct Compilers {
    /// Systems to build for, this machine's first.
    pub(crate) triples: Vec<String>,
    /// Python with Zig.
    zig: Option<PathBuf>,
}

impl Compilers {
    /// Finds compilers for all systems; names those that this machine cannot build for.
    pub(crate) fn find(skipped: &mut Vec<String>) -> Result<Self, String> {
        let mut compilers = Self::of_this_machine()?;
        match python::environment_with("dist-zig", &["cargo-zigbuild", "ziglang"]) {
            Ok(python) => compilers.zig = Some(python),
            Err(why) => {
                skipped.push(format!(
                    "older systems than this one, and other machines: Zig cannot be installed: {why}"
                ));
                return Ok(compilers);
            }
        }
        for system in SYSTEMS {
            if compilers.triples.iter().any(|triple| triple == system) {
                continue;
            }
            if targets::has(system) {
                compilers.triples.push(system.to_owned());
            } else {
                skipped.push(format!("{system}: try: rustup target add {system}"));
            }
        }
        Ok(compilers)
    }

    /// The compiler and linker that Cargo uses here.
    pub(crate) fn of_this_machine() -> Result<Self, String> {
        Ok(Self { triples: vec![host()?], zig: None })
    }

    /// Starts a build for a system.
    pub(crate) fn build(&self, triple: &str) -> Command {
        let Some(python) = self.zig_for(triple) else {
            let mut command = cargo();
            command.args(["build", "--target", triple]);
            return command;
        };
        let mut command = Command::new(python.with_file_name("cargo-zigbuild"));
        command.args(["zigbuild", "--target", &format!("{triple}.{GLIBC}")]);
        command.env("CARGO_ZIGBUILD_PYTHON_PATH", python).env("CARGO_INCREMENTAL", "0");
        command
    }

    /// Returns the Python with Zig if a system is built with it.
    pub(crate) fn zig_for(&self, triple: &str) -> Option<&Path> {
        self.zig.as_deref().filter(|_| SYSTEMS.contains(&triple))
    }

    /// Returns the command that starts a program for a system here, if there is one.
    pub(crate) fn start(&self, triple: &str, program: &Path) -> Option<Command> {
        if self.triples.first().is_some_and(|native| native == triple) {
            return Some(Command::new(program));
        }
        let is_there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
        let emulator = EMULATORS.iter().find(is_there)?;
        let mut command = Command::new(emulator);
        command.args(["-L", ARM_LIBRARIES]).arg(program);
        (triple.starts_with("aarch64") && Path::new(ARM_LIBRARIES).is_dir()).then_some(command)
    }
}

/// Returns the system of this compiler.
pub(crate) fn host() -> Result<String, String> {
    let text = output_of(Command::new("rustc").arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "rustc names no host".to_owned())
}
