//! Files that appear whole or not at all.

use crate::{FileError, Place};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a file beside its place and renames it: nobody ever sees half of it.
pub fn write_whole(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let path = path.as_ref();
    let wrong = |reason: String, remedy: &str| FileError::new(Place::Whole, reason, remedy).in_file(path);
    let Some(name) = path.file_name() else {
        return Err(wrong("the name of the file is missing".into(), "name a file, not a folder"));
    };
    let mut name = name.to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    with_unfinished(|files| files.push(part.clone()));
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        std::fs::remove_file(&part).ok();
    }
    with_unfinished(|files| files.retain(|file| *file != part));
    let remedy = "check the folder, its permissions and the free space";
    written.map_err(|error| wrong(format!("cannot be written: {error}"), remedy))
}

/// Removes what is unfinished: for a program that is interrupted while it writes.
pub fn remove_unfinished() {
    with_unfinished(|files| files.drain(..).for_each(|file| drop(std::fs::remove_file(file))));
}

fn with_unfinished(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
}
