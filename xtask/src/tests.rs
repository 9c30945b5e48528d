//! The tests of the workspace: built by cargo, run from here.
//!
//! `cargo test` runs one test program after the other. Each of them ends with one CPU waiting for the other,
//! and it blocks other builds meanwhile.

use crate::skips::Skips;
use crate::{cargo, doors, output_of, python, workspace};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One program of tests.
pub(crate) struct Tests {
    pub(crate) name: String,
    program: PathBuf,
    /// Of the package; where cargo would run it.
    folder: PathBuf,
    arguments: &'static [&'static str],
}

/// Builds all tests of the workspace, without the examples, which clippy has compiled: linking them would take longer than
/// many tests.
pub(crate) fn build() -> Result<Vec<Tests>, String> {
    println!("== tests: cargo test --workspace --tests --no-run");
    let mut command = cargo();
    command.args(["test", "--quiet", "--workspace", "--tests", "--no-run"]);
    command.args(["--message-format", "json-render-diagnostics"]);
    // Errors and warnings are shown as they come.
    let output = command.current_dir(workspace()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("== the tests do not compile".to_owned());
    }
    let mut found: Vec<Tests> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(Tests::built).collect();
    // The larger a program is, the longer its tests take: nobody should wait for one that began last.
    found.sort_by_key(|tests| Reverse(std::fs::metadata(&tests.program).map_or(0, |found| found.len())));
    if found.is_empty() { Err("cargo names no tests that it built".to_owned()) } else { Ok(found) }
}

impl Tests {
    /// Of a message of cargo's; `None` if it is about something else.
    fn built(message: &str) -> Option<Self> {
        // Targets say too whether they can be tested.
        let is_test = message.split_once("\"profile\":")?.1.contains("\"test\":true");
        let program = PathBuf::from(text_of(message, "executable").filter(|_| is_test)?);
        let folder = Path::new(&text_of(message, "manifest_path")?).parent()?.to_owned();
        let stem = program.file_stem()?.to_str()?;
        let stem = stem.rsplit_once('-').map_or(stem, |(name, _hash)| name);
        let package = folder.strip_prefix(workspace()).unwrap_or(&folder).display();
        Some(Self { name: format!("{package}: {stem}"), program, folder, arguments: &[] })
    }

    /// Those of its tests that need a browser, which it leaves out else.
    pub(crate) fn in_browser(&self) -> Option<Self> {
        let has_them = ["crates/cli", "lab"].map(|folder| workspace().join(folder)).contains(&self.folder)
            && self.name.ends_with(": suite");
        has_them.then(|| Self {
            name: self.name.replace(": suite", ": browser"),
            program: self.program.clone(),
            folder: self.folder.clone(),
            arguments: &["--ignored", "page::", "studio::"],
        })
    }

    /// Returns the number of passed tests, or the full output.
    pub(crate) fn run(&self, skips: &Skips) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        command.arg("--quiet").args(self.arguments).current_dir(&self.folder).envs(skips.env());
        // The same cases for everybody, so that a change is judged by what it changes; campaigns draw others.
        command.env("PROPTEST_RNG_SEED", "1").envs([python::kernels().0.clone()]);
        command.envs(doors::env(&self.folder));
        let said = output_of(&mut command)?;
        Ok(said.lines().find(|line| line.starts_with("test result")).unwrap_or_default().to_owned())
    }
}

/// The text that a message in JSON has under a name.
fn text_of(message: &str, name: &str) -> Option<String> {
    let mut rest = message.split_once(&format!("\"{name}\":\""))?.1.chars();
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            other => text.push(other),
        }
    }
}

#[cfg(test)]
mod tests_of_tests {
    use super::*;

    #[test]
    fn programs_of_tests_are_read_from_what_cargo_says() {
        let folder = workspace().join("crates/geom");
        let message = |is_test: bool| {
            format!(
                r#"{{"manifest_path":{:?},"target":{{"test":true}},"profile":{{"test":{is_test}}},"executable":{:?}}}"#,
                folder.join("Cargo.toml"),
                folder.join("noli_geom-0123abcd"),
            )
        };
        let tests = Tests::built(&message(true)).unwrap();
        assert_eq!((tests.name.as_str(), &tests.folder), ("crates/geom: noli_geom", &folder));
        assert!(Tests::built(&message(false)).is_none());
        assert!(Tests::built(r#"{"reason":"build-finished","success":true}"#).is_none());
        assert_eq!(text_of(r#"{"a":"C:\\b \"c\""}"#, "a").unwrap(), "C:\\b \"c\"");
    }
}
