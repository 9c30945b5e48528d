//! The bytes of a file, or of standard input.

use crate::error::{FileError, Place};
use std::path::Path;

/// All of a file, or of standard input where it is called `-`.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    let read = || -> std::io::Result<Vec<u8>> {
        if path != Path::new("-") {
            return std::fs::read(path);
        }
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| {
        let remedy = match error.kind() {
            std::io::ErrorKind::IsADirectory => "name a file, not a folder",
            _ => "check the path and its permissions",
        };
        FileError::new(Place::Whole, format!("cannot be read: {error}"), remedy)
    })
}
