//! Files that appear whole or not at all.

use crate::error::{FileError, Place};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a temporary file in the same folder and renames it, so that a partial file is never visible. A link
/// is followed, and its target is replaced; devices and pipes are written to and preserved.
pub fn write_whole(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let path = path.as_ref();
    let wrong = |reason: String, remedy: &str| FileError::new(Place::Whole, reason, remedy).in_file(path);
    if path.file_name().is_none() {
        return Err(wrong("the name of the file is missing".into(), "name a file, not a folder"));
    }
    let remedy = "check the folder, its permissions and the free space";
    let written = match destination(path) {
        Destination::Stream => write_into(path, bytes),
        Destination::File(target) => replace(&target, bytes),
    };
    written.map_err(|error| wrong(format!("cannot be written: {error}"), remedy))
}

/// Destination of the bytes for a path.
enum Destination {
    /// Into what is there: a device, a pipe or a socket, or an open file by its number.
    Stream,
    /// Into a file that is replaced, or made.
    File(PathBuf),
}

fn destination(path: &Path) -> Destination {
    /// As many links as systems follow.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        // The numbers of open files: what is there already must not be replaced.
        if ["/dev/fd", "/proc/self/fd"].iter().any(|open| target.starts_with(open)) {
            return Destination::Stream;
        }
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    // A folder is left to the rename, which refuses it.
    let is_stream = std::fs::metadata(&target).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if is_stream { Destination::Stream } else { Destination::File(target) }
}

fn write_into(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut stream = std::fs::OpenOptions::new().append(true).open(path)?;
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        // A reader that has seen enough is no error.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    with_unfinished(|files| files.push(part.clone()));
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        std::fs::remove_file(&part).ok();
    }
    with_unfinished(|files| files.retain(|file| *file != part));
    written
}

/// Returns `true` if two paths refer to the same file. Paths without a file yet are the same if spelled alike.
pub fn is_same_file(a: impl AsRef<Path>, b: impl AsRef<Path>) -> bool {
    let (a, b) = (a.as_ref(), b.as_ref());
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (std::fs::metadata(a), std::fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// Removes what is unfinished: for a program that is interrupted while it writes.
pub fn remove_unfinished() {
    with_unfinished(|files| files.drain(..).for_each(|file| drop(std::fs::remove_file(file))));
}

fn with_unfinished(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner));
}
