//! A sample of the rows of `lab/COVERAGE.md`: the code that a row names is negated or removed, and the test that it
//! names must fail.
//!
//! Changes files of the working tree and restores them, so nothing else may build meanwhile. Changes of one batch are
//! built together: none of them is in the code that the test of another runs.

mod table;

use crate::{cargo, workspace};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use table::MUTANTS;

/// A change of code that a test must notice.
struct Mutant {
    /// Start of the row's item in `lab/COVERAGE.md`.
    row: &'static str,
    batch: Batch,
    /// File in the crate.
    file: &'static str,
    /// Text that occurs in it once.
    find: &'static str,
    /// Text in its place.
    replace: &'static str,
    test: &'static str,
}

/// Changes that are built together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Batch {
    /// Folder below `crates`.
    folder: &'static str,
    target: Target,
    number: u8,
}

/// Unit tests, or the suite of the crate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Lib,
    Suite,
}

impl Mutant {
    fn path(&self) -> PathBuf {
        workspace().join("crates").join(self.batch.folder).join(self.file)
    }

    /// The text of its file with the change.
    fn changed(&self, text: &str) -> Result<String, String> {
        match text.matches(self.find).count() {
            1 => Ok(text.replace(self.find, self.replace)),
            count => {
                Err(format!("{}: {:?} occurs {count} times, not once", self.path().display(), self.find))
            }
        }
    }
}

/// Files as they were, written back when it goes.
#[derive(Default)]
struct Kept(BTreeMap<PathBuf, String>);

impl Kept {
    fn change(&mut self, mutant: &Mutant) -> Result<(), String> {
        let path = mutant.path();
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let changed = mutant.changed(&text)?;
        self.0.entry(path.clone()).or_insert(text);
        write(&path, &changed)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for (path, text) in &self.0 {
            if let Err(error) = write(path, text) {
                eprintln!("{error}: restore it with git");
            }
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the output of the tests of a batch with all its changes made; an error if they cannot be built.
fn said(batch: Batch, mutants: &[&Mutant]) -> Result<String, String> {
    let mut kept = Kept::default();
    mutants.iter().try_for_each(|mutant| kept.change(mutant))?;
    let mut command = cargo();
    command.current_dir(workspace()).args(["test", "--package", &format!("noli-{}", batch.folder)]);
    match batch.target {
        Target::Lib => command.arg("--lib"),
        Target::Suite => command.args(["--test", "suite"]),
    };
    command.arg("--").args(mutants.iter().map(|mutant| mutant.test));
    let output = command.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if said.contains("test result: ") {
        Ok(said)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into())
    }
}

/// Returns the reason why a change was not noticed, if it was not.
fn fault(said: &str, test: &str) -> Option<&'static str> {
    let is_of = |line: &&str| {
        let name = line.strip_prefix("test ").and_then(|rest| rest.split(" ... ").next());
        name.is_some_and(|name| name.rsplit("::").next() == Some(test))
    };
    match said.lines().find(is_of) {
        None => Some("did not run"),
        Some(line) if line.ends_with("FAILED") => None,
        Some(_) => Some("passes although the code is changed"),
    }
}

/// Runs every row whose item, file or test contains a text.
pub(crate) fn check(wanted: &str) -> Result<String, String> {
    let is_wanted = |one: &&Mutant| [one.row, one.file, one.test].iter().any(|text| text.contains(wanted));
    let mut batches: BTreeMap<Batch, Vec<&Mutant>> = BTreeMap::new();
    MUTANTS.iter().filter(is_wanted).for_each(|one| batches.entry(one.batch).or_default().push(one));
    let (mut noticed, mut faults) = (0, Vec::new());
    for (batch, mutants) in batches {
        let said = said(batch, &mutants)?;
        for one in mutants {
            let fault = fault(&said, one.test);
            println!("{}: {} {}", one.row, one.test, fault.unwrap_or("fails, as it must"));
            noticed += usize::from(fault.is_none());
            faults.extend(fault.map(|fault| format!("{}: {} {fault}", one.row, one.test)));
        }
    }
    match faults.is_empty() {
        true => Ok(format!("{noticed} changes of code, each noticed by the test that its row names")),
        false => Err(format!("{noticed} noticed; not:\n{}", faults.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every change applies to the code as it is, and some row of the table of coverage has the item and names the test.
    #[test]
    fn changes_apply_and_their_rows_are_there() {
        let coverage = fs::read_to_string(workspace().join("lab/COVERAGE.md")).unwrap();
        assert!(MUTANTS.len() >= 20);
        for one in MUTANTS {
            let text = fs::read_to_string(one.path()).unwrap();
            assert_ne!(text, one.changed(&text).unwrap(), "{}", one.row);
            let named = format!("`{}`", one.test);
            let has = |line: &&str| line.contains(&format!("| {}", one.row)) && line.contains(&named);
            assert!(coverage.lines().any(|line| has(&line)), "no row {} names {}", one.row, one.test);
        }
    }

    #[test]
    fn outcomes_are_read_from_what_tests_print() {
        let said =
            "running 2 tests\ntest tree::a_test ... ok\ntest b_test ... FAILED\n\ntest result: FAILED.";
        assert_eq!(fault(said, "a_test"), Some("passes although the code is changed"));
        assert_eq!((fault(said, "b_test"), fault(said, "test")), (None, Some("did not run")));
    }
}
