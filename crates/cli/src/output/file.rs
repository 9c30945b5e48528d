//! Files that appear whole or not at all.

use anyhow::{Result, ensure};
use noli_formats::LockedFile;
use std::path::Path;
use std::sync::Once;

/// Writes a file atomically: no reader sees a partial file, and an interrupt leaves nothing behind.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    watch();
    Ok(noli_formats::write_whole(path, bytes)?)
}

/// Replaces a file that is held against other processes, as [`write_file`] writes it.
pub(crate) fn replace_file(held: LockedFile, bytes: &[u8]) -> Result<()> {
    watch();
    Ok(held.replace(bytes)?)
}

/// On Ctrl-C (or a polite kill) the unfinished files go, and the program ends with the usual code 130.
/// Without a handler the program still ends; only a `.part` file may stay behind.
fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        let _ = ctrlc::set_handler(|| {
            noli_formats::remove_unfinished();
            std::process::exit(130);
        });
    });
}

/// Writes a file that must not exist yet, or that has `mark` in its beginning because we wrote it.
pub fn write_new(path: &Path, bytes: &[u8], mark: &[u8]) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        let is_ours = std::fs::read(path).is_ok_and(|there| {
            let head = &there[..there.len().min(4096)];
            head.windows(mark.len()).any(|window| window == mark)
        });
        ensure!(is_ours, "{} exists and is not ours; move it away, or choose another file", path.display());
    }
    write_file(path, bytes)
}
