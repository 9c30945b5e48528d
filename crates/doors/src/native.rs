//! The C interface and the npm package, which know bodies at poses: the relation of every pair that a scene expects.

use crate::{Case, Door, Lines, Reply};
use noli_testing::Folder;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that answers a line with two bodies by a line with their relation.
///
/// A body is nine words: shape, three numbers or a file and `solid`, position and quaternion.
pub struct Native(Lines);

impl Native {
    /// Compiles and starts a program on the C interface; an error names what is missing.
    pub fn compile(folder: &Folder) -> Result<Self, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (library, source, program) = (library()?, here.join("src/pairs.c"), folder.join("pairs"));
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = Command::new(&compiler);
        command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(here.join("../capi/include"));
        command.arg(source).arg("-o").arg(&program).arg("-L").arg(&library).args(["-lnoli_c", "-lm"]);
        let output = command.output().map_err(|error| format!("no compiler `{compiler}`: {error}"))?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut command = Command::new(program);
        Ok(Self(Lines::start(command.env("LD_LIBRARY_PATH", library).current_dir(&**folder))))
    }

    /// Starts Node with a built npm package.
    pub fn npm(package: &Path, folder: &Folder) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pairs.mjs");
        let mut command = Command::new("node");
        Self(Lines::start(command.arg(script).env("NOLI_NPM", package).current_dir(&**folder)))
    }
}

/// The folder of the C library, which cargo puts next to the tests of a workspace or one folder above.
fn library() -> Result<PathBuf, String> {
    let name = format!("{}noli_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let found = test.ancestors().find(|folder| folder.join(&name).is_file());
    found.map(Path::to_owned).ok_or_else(|| format!("no {name}; build it with: cargo build -p noli-capi"))
}

impl Door for Native {
    fn answer(&mut self, case: &Case) -> Option<Reply> {
        let bodies = case.bodies().filter(|bodies| case.kind == "check" && bodies.iter().all(is_told))?;
        let words: Vec<String> = bodies.iter().map(words).collect();
        let mut rows = Vec::new();
        for (a, first) in bodies.iter().zip(&words) {
            for (b, second) in bodies.iter().zip(&words) {
                let [a, b] = [a, b].map(|body| body["name"].as_str().unwrap_or_default());
                // Pairs that are not listed are separated by their boxes.
                if case.expected.has_pair(a, b) {
                    rows.push(format!("{a} {b}: {}", self.0.exchange(&format!("{first} {second}"))));
                }
            }
        }
        Some(Reply::of_relations(rows.into_iter()))
    }
}

/// Returns `true` if it is not left to the program whether a body is a solid.
fn is_told(body: &Value) -> bool {
    body["file"].is_null() || body["solid"].is_boolean()
}

fn words(body: &Value) -> String {
    let numbers = |value: &Value, count: usize| {
        let all = value.as_array().into_iter().flatten().map(Value::to_string);
        all.chain(std::iter::repeat("0".to_owned())).take(count).collect::<Vec<_>>().join(" ")
    };
    let [shape, file] = ["shape", "file"].map(|key| body[key].as_str().unwrap_or_default());
    let given = match file {
        "" => numbers(&body["numbers"], 3),
        file => format!("{file} {} 0", i32::from(body["solid"] == true)),
    };
    format!("{shape} {given} {} {}", numbers(&body["xyz"], 3), numbers(&body["quaternion"], 4))
}
