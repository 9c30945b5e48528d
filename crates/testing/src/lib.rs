//! Shared support of the tests of several crates: published data, skipped checks, folders, waiting, random numbers, STEP
//! files, and long loops on all CPUs.

mod folder;
mod random;
mod step;
mod wait;

pub use folder::Folder;
pub use random::Random;
pub use step::Step;
pub use wait::{PATIENCE, eventually, poll};

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Returns a folder of the published data: below the folder that `NOLI_DATA` names, else below `shared/data`
/// next to the checkout. `None`, counted as a skipped check, if the folder does not exist. An empty `NOLI_DATA` means
/// that there is no data.
pub fn data(folder: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = || here.ancestors().map(|above| above.join("shared/data")).find(|found| found.is_dir());
    let all = match std::env::var_os("NOLI_DATA") {
        Some(named) => Some(PathBuf::from(named)).filter(|named| !named.as_os_str().is_empty()),
        None => beside(),
    };
    let found = all.map(|all| all.join(folder));
    let found = found.filter(|folder| folder.is_dir());
    if found.is_none() {
        skip(&format!("no {folder} in NOLI_DATA or in shared/data beside the checkout"));
    }
    found
}

/// Reports that a test, or a part of it, does not run, with the reason. `cargo xtask test` names a file in
/// `NOLI_SKIPPED` and counts its lines: the output of a passing test is not shown.
///
/// # Panics
///
/// If that file cannot be written: a skipped check must not be lost.
pub fn skip(why: &str) {
    note_skip("", why);
}

/// Reports like [`skip`] that a test lacks a tool: a compiler, a Python package. `cargo xtask test` fails for it only with
/// `--strict`.
///
/// # Panics
///
/// If the file that `NOLI_SKIPPED` names cannot be written.
pub fn skip_tool(why: &str) {
    note_skip("tool: ", why);
}

fn note_skip(kind: &str, why: &str) {
    eprintln!("skipped: {why}");
    if let Some(path) = std::env::var_os("NOLI_SKIPPED") {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
        // One write: tests append at the same time.
        let line = format!("{kind}{}: {why}\n", std::thread::current().name().unwrap_or("a test"));
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&path).display()));
    }
}

/// Checks every item, on all CPUs: the last long test of a program would keep one of them busy and no other.
///
/// # Panics
///
/// If a check does.
pub fn for_all<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            check(item);
        }
    };
    // A skipped check is told with the name of its thread.
    let name = thread::current().name().unwrap_or("a test").to_owned();
    let others = thread::available_parallelism().map_or(0, |count| count.get() - 1);
    thread::scope(|scope| {
        for _ in 0..others {
            thread::Builder::new().name(name.clone()).spawn_scoped(scope, work).expect("a thread starts");
        }
        work();
    });
}

/// Returns a Python with a third-party module: the one that `NOLI_PYTHON` names, else `python3`. `None` if it
/// lacks the module. This counts as a skipped check, unless `NOLI_KERNELS=none` states that such modules cannot
/// be installed here.
pub fn python_with(module: &str) -> Option<String> {
    let python = std::env::var("NOLI_PYTHON").unwrap_or("python3".to_owned());
    let found = std::process::Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    let why = format!("Python has no module {module}");
    match std::env::var("NOLI_KERNELS") {
        Ok(value) if value == "none" => eprintln!("does not run: {why}, and it cannot be installed"),
        _ => skip_tool(&why),
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_checked_once_and_a_failure_is_not_lost() {
        let items: Vec<usize> = (0..1_000).collect();
        let seen: Vec<AtomicUsize> = items.iter().map(|_| AtomicUsize::new(0)).collect();
        for_all(&items, |&item| {
            seen[item].fetch_add(1, Ordering::Relaxed);
        });
        assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        for wrong in [0, 999] {
            let failed = std::panic::catch_unwind(|| for_all(&items, |&item| assert_ne!(item, wrong)));
            assert!(failed.is_err(), "{wrong}");
        }
    }
}
