//! Errors of reading or writing a file, with their place.

use crate::display_name::printable;
use std::fmt;
use std::path::{Path, PathBuf};

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    #[default]
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
}

/// Error of reading or writing a file: place, reason, remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// The file; `None` when bytes were read.
    pub path: Option<PathBuf>,
    /// Place in the file.
    pub place: Place,
    /// Reason of the error.
    pub reason: String,
    /// Remedy.
    pub remedy: String,
}

impl FileError {
    /// An error in bytes: the place, the reason and the remedy. Errors of the system are words, without their numbers.
    pub fn new(place: Place, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: None, place, reason: without_numbers(reason.into()), remedy: remedy.into() }
    }

    /// The same error, in this file.
    pub fn in_file(self, path: &Path) -> Self {
        Self { path: Some(path.to_path_buf()), ..self }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_position(f, self.path.as_deref(), self.place)?;
        write!(f, "{}; {}", self.reason, self.remedy)
    }
}

/// Removes the numbers of system errors from a text; their words suffice.
pub fn without_numbers(text: String) -> String {
    const NUMBER: &str = " (os error ";
    if !text.contains(NUMBER) {
        return text;
    }
    let mut parts = text.split(NUMBER);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => plain += rest,
            _ => plain += &format!("{NUMBER}{part}"),
        }
    }
    plain
}

/// Something odd in a file that was read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Place in the file.
    pub place: Place,
    /// The anomaly and its treatment.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_position(f, None, self.place)?;
        f.write_str(&self.text)
    }
}

fn write_position(f: &mut fmt::Formatter<'_>, path: Option<&Path>, place: Place) -> fmt::Result {
    // Parsers that do not know the line give 0.
    let place = if place == Place::Line(0) { Place::Whole } else { place };
    if let Some(path) = path {
        // `path:line` is what terminals and editors make clickable.
        f.write_str(&printable(&path.display().to_string()))?;
        f.write_str(if matches!(place, Place::Line(_)) { ":" } else { ": " })?;
    }
    match place {
        Place::Whole => Ok(()),
        Place::Line(line) if path.is_some() => write!(f, "{line}: "),
        Place::Line(line) => write!(f, "line {line}: "),
        Place::Byte(byte) => write!(f, "byte {byte}: "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_are_words() {
        let gone = FileError::new(Place::Whole, "No such file or directory (os error 2)", "check the path");
        assert_eq!(gone.to_string(), "No such file or directory; check the path");
        assert_eq!(without_numbers("x (os error two)".to_owned()), "x (os error two)");
    }
}
