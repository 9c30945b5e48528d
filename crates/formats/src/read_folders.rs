//! Folders that files may be read from, for programs that read on behalf of others.
//!
//! Scenes, robots and glTF files name further files. A server that serves some folders must not read any other file,
//! however it is named: `..`, links and absolute paths are resolved before the comparison.

use crate::error::{FileError, Place};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Restricts all reading of this process to files below these folders, once and for good. Standard input is refused
/// too. An error if a folder cannot be resolved, or if the process is restricted already.
pub fn restrict_reading(folders: &[PathBuf]) -> Result<(), FileError> {
    let resolved = |folder: &PathBuf| {
        let wrong = |reason: String| {
            FileError::new(Place::Whole, reason, "name a folder that exists").in_file(folder)
        };
        let path = folder.canonicalize().map_err(|error| wrong(format!("cannot be opened: {error}")))?;
        if path.is_dir() { Ok(path) } else { Err(wrong("it is not a folder".to_owned())) }
    };
    let all = folders.iter().map(resolved).collect::<Result<Vec<_>, _>>()?;
    let again = |_| {
        let reason = "reading is restricted to other folders already";
        FileError::new(Place::Whole, reason, "start another process for other folders")
    };
    FOLDERS.set(all).map_err(again)
}

/// Returns the folders that reading is restricted to, links resolved; `None` without a restriction.
pub fn readable_folders() -> Option<&'static [PathBuf]> {
    FOLDERS.get().map(Vec::as_slice)
}

/// Resolves the path of a file to be read; an error if reading is restricted and it is not below a folder. Missing
/// files and files elsewhere have the same error: the existence of other files is not disclosed.
pub(crate) fn permitted(path: &Path) -> Result<PathBuf, FileError> {
    let Some(folders) = readable_folders() else { return Ok(path.to_owned()) };
    let below = |path: &PathBuf| folders.iter().any(|folder| path.starts_with(folder));
    path.canonicalize().ok().filter(below).ok_or_else(not_below)
}

fn not_below() -> FileError {
    let reason = "there is no such file below the folders that may be read";
    FileError::new(Place::Whole, reason, "name a file below them, or start with its folder")
}
