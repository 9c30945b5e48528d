//! Files within files: zip archives and gz, with a limit so that a small file cannot unfold without end.

use crate::error::{FileError, Place};
use crate::memory_limit::{beyond_limit, binary_size, memory_limit};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Maximum unpacked size: parsers take up to about four times the length of a text.
fn limit() -> u64 {
    memory_limit() / 4
}

fn broken(what: &str, error: impl std::fmt::Display) -> FileError {
    FileError::new(Place::Whole, format!("{what}: {error}"), "pack it again, or fetch it again")
}

/// Returns `true` if bytes begin like gz.
pub fn is_gz(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Returns `true` if bytes begin like a zip archive.
pub fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Returns the content of a gz file.
pub fn from_gz(bytes: &[u8]) -> Result<Vec<u8>, FileError> {
    read_all(flate2::read::MultiGzDecoder::new(bytes), limit(), "the gz file is broken")
}

fn read_all(from: impl Read, most: u64, what: &str) -> Result<Vec<u8>, FileError> {
    let mut found = Vec::new();
    let mut limited = from.take(most.saturating_add(1));
    limited.read_to_end(&mut found).map_err(|error| broken(what, error))?;
    if found.len() as u64 > most {
        return Err(beyond_limit(&format!("it unfolds to more than {}", binary_size(most))));
    }
    Ok(found)
}

/// A zip archive that is read.
pub struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    /// The number of each file by its name in lower case.
    files: BTreeMap<String, usize>,
    left: u64,
}

impl<'b> Archive<'b> {
    /// Opens the bytes of an archive.
    pub fn new(bytes: &'b [u8]) -> Result<Self, FileError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| broken("the zip archive is broken", error))?;
        let mut files = BTreeMap::new();
        for (number, name) in zip.file_names().enumerate() {
            let name = name.map_err(|error| broken("the zip archive is broken", error))?;
            if !name.ends_with('/') {
                files.entry(name.to_ascii_lowercase()).or_insert(number);
            }
        }
        Ok(Self { zip, files, left: limit() })
    }

    /// The names of its files in lower case, in order.
    pub fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    /// The bytes of a file, by its name in whatever case; `None` if there is none.
    pub fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let wanted = name.trim_start_matches('/').to_ascii_lowercase();
        let Some(&number) = self.files.get(&wanted) else { return Ok(None) };
        let what = format!("{name} in the archive");
        let file = self.zip.by_index(number).map_err(|error| broken(&what, error))?;
        let bytes = read_all(file, self.left, &what)?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        Ok(Some(bytes))
    }
}

/// A zip archive in the making. Equal contents give equal bytes: no time is written.
pub struct Packing {
    zip: ZipWriter<Cursor<Vec<u8>>>,
}

/// An archive without files.
impl Default for Packing {
    fn default() -> Self {
        Self { zip: ZipWriter::new(Cursor::new(Vec::new())) }
    }
}

impl Packing {
    fn options() -> SimpleFileOptions {
        SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
    }

    /// Adds a folder.
    pub fn folder(&mut self, name: &str) -> Result<(), FileError> {
        self.zip.add_directory(name, Self::options()).map_err(|error| broken("cannot be packed", error))
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), FileError> {
        self.zip.start_file(name, Self::options()).map_err(|error| broken("cannot be packed", error))?;
        self.zip.write_all(bytes).map_err(|error| broken("cannot be packed", error))
    }

    /// The bytes of the archive.
    pub fn finish(self) -> Result<Vec<u8>, FileError> {
        self.zip.finish().map(Cursor::into_inner).map_err(|error| broken("cannot be packed", error))
    }
}
