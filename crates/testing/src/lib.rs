//! What the tests of several crates share: where published data is, how a test says that it did not run, how long it waits,
//! and long loops on all processors.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A folder of the published data: below the folder that `NOLI_DATA` names, else below `shared/data` beside the
/// checkout. `None`, counted as a skipped check, if there is no such folder.
pub fn data(folder: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = || here.ancestors().map(|above| above.join("shared/data")).find(|found| found.is_dir());
    let found = std::env::var_os("NOLI_DATA").map(PathBuf::from).or_else(beside).map(|all| all.join(folder));
    let found = found.filter(|folder| folder.is_dir());
    if found.is_none() {
        skip(&format!("no {folder} in NOLI_DATA or in shared/data beside the checkout"));
    }
    found
}

/// Says that a test, or a part of it, does not run, and why. `cargo xtask test` names a file in `NOLI_SKIPPED` and
/// counts its lines: what a passing test prints is not shown.
///
/// # Panics
///
/// If that file cannot be written: a skipped check must not be lost.
pub fn skip(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(path) = std::env::var_os("NOLI_SKIPPED") {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
        // One write: tests append at the same time.
        let line = format!("{}: {why}\n", std::thread::current().name().unwrap_or("a test"));
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&path).display()));
    }
}

/// How long a test waits for what comes within moments on a quiet machine. One that others use too may be a hundred times
/// slower; only a test that fails waits as long as this.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Checks every item, on all processors: the last long test of a program would keep one of them busy and no other.
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

/// A Python with a module of somebody else's: the one that `NOLI_PYTHON` names, else `python3`. `None` if it has none,
/// which counts as a skipped check unless `NOLI_KERNELS=none` says that such modules cannot be installed here.
pub fn python_with(module: &str) -> Option<String> {
    let python = std::env::var("NOLI_PYTHON").unwrap_or("python3".to_owned());
    let found = std::process::Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    let why = format!("Python has no module {module}");
    match std::env::var("NOLI_KERNELS") {
        Ok(value) if value == "none" => eprintln!("does not run: {why}, and it cannot be installed"),
        _ => skip(&why),
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
