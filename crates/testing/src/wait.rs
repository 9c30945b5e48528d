//! Waiting for another thread or process.

use std::thread;
use std::time::{Duration, Instant};

/// The longest wait for what takes moments on a quiet machine. A shared one may be a hundred times slower; only a test
/// that fails waits as long as this.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(30);

/// Repeats an attempt until it succeeds; `None` after [`PATIENCE`].
pub fn poll<T>(mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let found = attempt();
        if found.is_some() || start.elapsed() > PATIENCE {
            return found;
        }
        thread::sleep(PAUSE);
    }
}

/// Repeats an attempt until it succeeds.
///
/// # Panics
///
/// After [`PATIENCE`], with the last error.
pub fn eventually<T>(mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let mut last = String::new();
    poll(|| attempt().map_err(|error| last = error).ok()).unwrap_or_else(|| panic!("{last}"))
}
