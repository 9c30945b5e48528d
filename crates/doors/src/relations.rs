//! Interfaces that know bodies at poses: C, npm and the queries of Python. Of a scene they answer the relations of pairs.

use crate::bodies::Body;
use crate::{Case, Door, Lines, Reply};
use noli_testing::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that answers a line with two bodies, eleven words each, by a line with their relation.
pub struct Relations {
    program: Lines,
    /// `true` if it decides by itself whether a mesh is a solid.
    knows_auto: bool,
}

impl Relations {
    /// Compiles and starts a program that uses the C interface; an error names what is missing.
    pub fn c(folder: &Folder) -> Result<Self, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (library, source, program) = (library()?, here.join("src/pairs.c"), folder.join("pairs"));
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(here.join("../capi/include"));
        command.arg(source).arg("-o").arg(&program).arg("-L").arg(&library).args(["-lnoli_c", "-lm"]);
        let output = command.output().map_err(|error| format!("no compiler `{compiler}`: {error}"))?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut command = Command::new(program);
        let program = Lines::start(command.env("LD_LIBRARY_PATH", library).current_dir(&**folder));
        Ok(Self { program, knows_auto: false })
    }

    /// Starts Node with a built npm package.
    pub fn npm(package: &Path, folder: &Folder) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pairs.mjs");
        let mut command = Command::new("node");
        let program = Lines::start(command.arg(script).env("NOLI_NPM", package).current_dir(&**folder));
        Self { program, knows_auto: false }
    }

    /// Starts a Python that has the package.
    pub fn python(python: &Path, folder: &Folder) -> Self {
        Self { program: crate::python::start(python, folder), knows_auto: true }
    }
}

/// The folder of the C library, which cargo puts next to the tests of a workspace or one folder above.
fn library() -> Result<PathBuf, String> {
    let name = format!("{}noli_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let found = test.ancestors().find(|folder| folder.join(&name).is_file());
    found.map(Path::to_owned).ok_or_else(|| format!("no {name}; build it with: cargo build -p noli-capi"))
}

impl Door for Relations {
    fn answer(&mut self, case: &Case) -> Option<Reply> {
        let is_known = |body: &Body| self.knows_auto || !body.is_auto;
        let bodies = case.bodies().filter(|bodies| bodies.iter().all(is_known))?;
        if case.kind != "check" || !case.options().is_empty() {
            return None;
        }
        let mut rows = Vec::new();
        for a in &bodies {
            // Pairs that are not listed are separated by their boxes.
            for b in bodies.iter().filter(|b| case.expected.has_pair(&a.name, &b.name)) {
                let relation = self.program.exchange(&format!("{} {}", a.words, b.words));
                rows.push(format!("{} {}: {relation}", a.name, b.name));
            }
        }
        Some(Reply::of_relations(rows.into_iter()))
    }
}
