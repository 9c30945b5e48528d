//! Checks that did not run. A passing test shows no output, so tests that skip append a line to a file that
//! `NOLI_SKIPPED` names (`noli_testing::skip`). If published data is found next to the checkout, `NOLI_DATA`
//! names it.

use crate::workspace;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub(crate) struct Skips {
    file: PathBuf,
    data: Option<OsString>,
    others: Vec<String>,
}

impl Skips {
    /// Nothing skipped yet.
    pub(crate) fn new(target: &Path) -> Result<Self, String> {
        let file = target.join("skipped-tests.txt");
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(format!("{}: {error}", file.display()));
            }
            _ => {}
        }
        fs::create_dir_all(target).map_err(|error| format!("{}: {error}", target.display()))?;
        Ok(Self { file, data: data(), others: Vec::new() })
    }

    /// Returns environment variables of tests.
    pub(crate) fn env(&self) -> impl Iterator<Item = (&'static str, OsString)> {
        let data = self.data.clone().map(|data| ("NOLI_DATA", data));
        [("NOLI_SKIPPED", self.file.clone().into_os_string())].into_iter().chain(data)
    }

    pub(crate) fn add(&mut self, what: &str) {
        self.others.push(what.to_owned());
    }

    /// Returns the final summary: an error if something was skipped without permission.
    pub(crate) fn verdict(&self, allowed: bool) -> Result<String, String> {
        let told = match fs::read_to_string(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{}: {error}", self.file.display())),
        };
        judge(told.lines().chain(self.others.iter().map(String::as_str)), self.data.is_none(), allowed)
    }
}

fn judge<'a>(told: impl Iterator<Item = &'a str>, no_data: bool, allowed: bool) -> Result<String, String> {
    // A test may look for the same data several times.
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    told.for_each(|line| *counts.entry(line).or_default() += 1);
    if counts.is_empty() {
        return Ok("== nothing was skipped".to_owned());
    }
    let mut text = counts.keys().map(|line| format!("SKIPPED {line}\n")).collect::<String>();
    if no_data {
        text += "set NOLI_DATA to the folder of the published data, or put it in ../shared/data\n";
    }
    let count = counts.len();
    if allowed {
        Ok(text + &format!("== {count} checks skipped, as allowed"))
    } else {
        Err(text + &format!("== FAILED: {count} checks were skipped; --allow-skips accepts that"))
    }
}

/// The folder of published data, if there is one.
fn data() -> Option<OsString> {
    let beside = || {
        let mut folders = workspace().ancestors().map(|above| above.join("shared/data"));
        folders.find(|folder| folder.is_dir()).map(PathBuf::into_os_string)
    };
    std::env::var_os("NOLI_DATA").or_else(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_checks_fail_unless_allowed() {
        let lines = ["w1: no bench", "w1: no bench", "page: no browser"];
        assert!(judge([].into_iter(), true, false).is_ok());
        let told = judge(lines.into_iter(), true, false).unwrap_err();
        assert!(told.contains("2 checks") && told.contains("NOLI_DATA"), "{told}");
        assert!(judge(lines.into_iter(), false, true).unwrap().contains("2 checks"));
    }
}
