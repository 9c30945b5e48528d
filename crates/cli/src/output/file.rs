//! Files that appear whole or not at all.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once};

/// Files being written, to be removed when the user interrupts.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static WATCH: Once = Once::new();

/// Writes a file beside its place and renames it: nobody ever sees half of it, and an interrupt leaves nothing behind.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    remove_unfinished_when_interrupted();
    let mut name = path.file_name().context("the name of the file is missing")?.to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    set_unfinished(|files| files.push(part.clone()));
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        std::fs::remove_file(&part).ok();
    }
    set_unfinished(|files| files.retain(|file| *file != part));
    written.with_context(|| {
        format!("{}: cannot be written; check the folder, its permissions and the free space", path.display())
    })
}

fn set_unfinished(change: impl FnOnce(&mut Vec<PathBuf>)) {
    change(&mut UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
}

/// On Ctrl-C (or a polite kill) the unfinished files go, and the program ends with the usual code 130.
fn remove_unfinished_when_interrupted() {
    WATCH.call_once(|| {
        // Without a handler the program still ends; only a `.part` file may stay behind.
        let _ = ctrlc::set_handler(|| {
            set_unfinished(|files| files.iter().for_each(|file| drop(std::fs::remove_file(file))));
            std::process::exit(130);
        });
    });
}
