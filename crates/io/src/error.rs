//! Why a file could not be read or written, and where.

use crate::names::printable;
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

/// Why a file could not be read or written: where, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// The file; `None` when bytes were read.
    pub path: Option<PathBuf>,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub reason: String,
    /// What to do about it.
    pub remedy: String,
}

impl FileError {
    pub(crate) fn new(place: Place, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: None, place, reason: reason.into(), remedy: remedy.into() }
    }

    pub(crate) fn in_file(self, path: &Path) -> Self {
        Self { path: Some(path.to_path_buf()), ..self }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_position(f, self.path.as_deref(), self.place)?;
        write!(f, "{}; {}", self.reason, self.remedy)
    }
}

/// Something odd in a file that was read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where in the file.
    pub place: Place,
    /// What is odd and how it was taken.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_position(f, None, self.place)?;
        f.write_str(&self.text)
    }
}

fn write_position(f: &mut fmt::Formatter<'_>, path: Option<&Path>, place: Place) -> fmt::Result {
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
