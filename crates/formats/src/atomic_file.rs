//! Files that appear whole or not at all, and stay after a power cut.

use crate::error::{FileError, Place};
use crate::private_folder::random_word;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a new file in the same folder, flushes it to the disk and renames it, so that a partial file is never
/// visible. When this returns `Ok`, the content survives a power cut. A replaced file keeps its permissions. A
/// link is followed, and its target is replaced; devices and pipes are written to and preserved.
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
    let mut stream = OpenOptions::new().append(true).open(path)?;
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        // A reader that has seen enough is no error.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", random_word()));
    let part = path.with_file_name(name);
    with_unfinished(|files| files.push(part.clone()));
    let written = write_part(&part, path, bytes).and_then(|()| {
        fault::step()?;
        std::fs::rename(&part, path)
    });
    if written.is_err() {
        std::fs::remove_file(&part).ok();
    }
    with_unfinished(|files| files.retain(|file| *file != part));
    written.and_then(|()| flush_folder(path))
}

/// Writes and flushes a new file with the permissions of the one that it replaces.
fn write_part(part: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let replaced = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    let mut options = OpenOptions::new();
    // A file or link of that name that exists already is refused.
    options.write(true).create_new(true);
    #[cfg(unix)]
    if replaced.is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    fault::step()?;
    let mut file = options.open(part)?;
    #[cfg(unix)]
    if let Some(replaced) = replaced {
        use std::os::unix::fs::PermissionsExt;
        let mode = replaced.permissions().mode() & 0o777;
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    drop(replaced);
    fault::step()?;
    file.write_all(bytes)?;
    fault::step()?;
    file.sync_all()
}

/// Makes the new name of a file survive a power cut; some file systems have nothing to flush for a folder.
#[cfg(unix)]
fn flush_folder(path: &Path) -> std::io::Result<()> {
    fault::step()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A folder that may be written but not listed cannot be opened, and is not worth a failure.
    let Ok(opened) = File::open(folder) else { return Ok(()) };
    match opened.sync_all() {
        Err(error) if is_unsupported(&error) => Ok(()),
        flushed => flushed,
    }
}

#[cfg(unix)]
fn is_unsupported(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::InvalidInput | std::io::ErrorKind::Unsupported)
}

#[cfg(not(unix))]
fn flush_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
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

/// Failures at a chosen step, for tests alone.
mod fault {
    #[cfg(not(test))]
    pub(super) fn step() -> std::io::Result<()> {
        Ok(())
    }

    #[cfg(test)]
    thread_local! {
        /// Steps until one fails.
        pub(super) static LEFT: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
    }

    #[cfg(test)]
    pub(super) fn step() -> std::io::Result<()> {
        match LEFT.get() {
            Some(0) => Err(std::io::Error::from(std::io::ErrorKind::StorageFull)),
            Some(left) => {
                LEFT.set(Some(left - 1));
                Ok(())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_failure_at_any_step_leaves_the_old_file_or_the_new_one() {
        let folder = noli_testing::Folder::new("atomic-steps");
        let file = folder.join("results.json");
        let mut failures = 0;
        loop {
            std::fs::write(&file, "old").unwrap();
            fault::LEFT.set(Some(failures));
            let written = write_whole(&file, b"new");
            fault::LEFT.set(None);
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(names(&folder), ["results.json"]);
            if written.is_ok() {
                assert_eq!(text, "new");
                break;
            }
            // Only the flush of the folder comes after the new file has its name.
            assert!(text == "old" || text == "new", "{text}");
            failures += 1;
        }
        assert_eq!(failures, if cfg!(unix) { 5 } else { 4 });
    }

    #[cfg(unix)]
    #[test]
    fn permissions_of_replaced_files_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = noli_testing::Folder::new("atomic-modes");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for wanted in [0o600, 0o640, 0o664] {
            let file = folder.join(format!("{wanted:o}.html"));
            std::fs::write(&file, "old").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(wanted)).unwrap();
            write_whole(&file, b"new").unwrap();
            assert_eq!(mode(&file), wanted);
        }
        let fresh = folder.join("fresh");
        write_whole(&fresh, b"new").unwrap();
        std::fs::write(folder.join("usual"), "new").unwrap();
        assert_eq!(mode(&fresh), mode(&folder.join("usual")));
    }
}
