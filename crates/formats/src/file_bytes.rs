//! The bytes of a file, or of standard input, up to a limit.

use crate::error::{FileError, Place};
use crate::memory_limit::{beyond_limit, binary_size, memory_limit};
use crate::read_folders::{permitted, readable_folders};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Returns the size of the largest file that is read: twice the limit of memory.
pub(crate) fn largest_file() -> u64 {
    memory_limit().saturating_mul(2)
}

/// Reads all of a file, or of standard input if the path is `-`.
///
/// Files of more than twice the [memory limit](memory_limit) are refused. Only regular files are read, links
/// followed: a device would never end, a pipe without a writer would block. The exceptions are streams that the
/// shell opened for this process, as in `noli check <(zcat part.obj.gz)`. After
/// [`restrict_reading`](crate::restrict_reading), files elsewhere and streams are refused.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>, FileError> {
    if readable_folders().is_some() {
        refuse_stream(path)?;
    }
    bytes_at(&permitted(path)?)
}

/// Reads all of a file as [`bytes_of`] does, also one outside the folders of the user: our own conversions.
pub(crate) fn bytes_at(path: &Path) -> Result<Vec<u8>, FileError> {
    let most = largest_file();
    let read = || -> std::io::Result<Result<Vec<u8>, FileError>> {
        if path == Path::new("-") {
            return limited(std::io::stdin().lock(), most, 0);
        }
        let found = std::fs::metadata(path)?;
        if found.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        }
        if !found.is_file() && !is_open_stream(path) {
            return Ok(Err(not_a_file()));
        }
        let file = File::open(path)?;
        // The file itself counts, not what had its name a moment ago.
        let found = file.metadata()?;
        if !found.is_file() && !is_open_stream(path) {
            return Ok(Err(not_a_file()));
        }
        limited(file, most, found.len())
    };
    read().unwrap_or_else(|error| Err(cannot_be_read(&error)))
}

pub(crate) fn cannot_be_read(error: &std::io::Error) -> FileError {
    let remedy = match error.kind() {
        std::io::ErrorKind::IsADirectory => "name a file, not a folder",
        _ => "check the path and its permissions",
    };
    FileError::new(Place::Whole, format!("cannot be read: {error}"), remedy)
}

/// Reads a file as [`bytes_of`] does, as UTF-8 without a byte order mark.
pub fn text_of(path: &Path) -> Result<String, FileError> {
    let bytes = bytes_of(path)?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let place = Place::Byte(error.utf8_error().valid_up_to());
        FileError::new(place, "the text is not UTF-8", "save it as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Returns text without the byte order mark of UTF-8 that some editors begin it with.
pub fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Refuses the name of a stream: files named in other files must be files.
pub fn refuse_stream(path: &Path) -> Result<(), FileError> {
    let is_stream = path == Path::new("-") || is_open_stream(path);
    if is_stream { Err(not_a_file().in_file(path)) } else { Ok(()) }
}

fn is_open_stream(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || ["/dev/fd", "/proc/self/fd"].iter().any(|open| path.starts_with(open))
}

fn not_a_file() -> FileError {
    let reason = "a device, pipe or socket is not read";
    FileError::new(Place::Whole, reason, "name a regular file, or give `-` to read standard input")
}

/// Reads all of a stream of about this length, if it is not larger than the limit.
pub(crate) fn limited(
    from: impl Read,
    most: u64,
    length: u64,
) -> std::io::Result<Result<Vec<u8>, FileError>> {
    let too_large = || Ok(Err(beyond_limit(&format!("the file is larger than {}", binary_size(most)))));
    if length > most {
        return too_large();
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { too_large() } else { Ok(Ok(bytes)) }
}
