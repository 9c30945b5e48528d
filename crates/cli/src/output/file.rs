//! Files that appear whole or not at all.

use anyhow::Result;
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
