//! Changes of a file by several processes at once: read, change and replace as one step.

use crate::atomic_file::write_whole;
use crate::error::{FileError, Place};
use crate::file_bytes::{cannot_be_read, largest_file, limited};
use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A file that no other process changes through this type while it is held.
///
/// The lock is on the file itself, so nothing else is left in the folder. It ends with the process, however that ends.
#[derive(Debug)]
pub struct LockedFile {
    path: PathBuf,
    /// Held for its lock, if the file system has locks.
    file: File,
    content: Vec<u8>,
}

impl LockedFile {
    /// Waits for the others and reads the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let wrong = |error: std::io::Error| {
            let reason = format!("cannot be opened: {error}");
            FileError::new(Place::Whole, reason, "check the path and its permissions").in_file(path)
        };
        loop {
            let file = open_regular(path).map_err(wrong)?;
            match file.lock() {
                Err(error) if error.kind() != ErrorKind::Unsupported => return Err(wrong(error)),
                _ => {}
            }
            // The previous holder of the lock has replaced the file meanwhile: the lock is on the old one.
            if is_at(&file, path) {
                let content = read(&file).map_err(|error| error.in_file(path))?;
                return Ok(Self { path: path.to_owned(), file, content });
            }
        }
    }

    /// Its content.
    pub fn bytes(&self) -> &[u8] {
        &self.content
    }

    /// Replaces the content and ends the lock. Refused if another program has changed the file meanwhile.
    pub fn replace(self, bytes: &[u8]) -> Result<(), FileError> {
        // Without locks, or beside an editor, this is what is left to see it by.
        let is_unchanged = is_at(&self.file, &self.path) && read(&self.file)? == self.content;
        if !is_unchanged {
            let reason = "another program has changed the file meanwhile";
            return Err(
                FileError::new(Place::Whole, reason, "nothing was changed; try again").in_file(&self.path)
            );
        }
        write_whole(&self.path, bytes)
    }
}

/// Opens what is a file: opening a pipe would wait for its writer.
fn open_regular(path: &Path) -> std::io::Result<File> {
    if std::fs::metadata(path)?.is_file() { File::open(path) } else { Err(ErrorKind::InvalidInput.into()) }
}

fn read(mut file: &File) -> Result<Vec<u8>, FileError> {
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| limited(file, largest_file(), 0));
    read.unwrap_or_else(|error| Err(cannot_be_read(&error)))
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |found: std::fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(held), Ok(there)) => number(held) == number(there),
        // Gone: reading says so.
        _ => true,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
