//! A progress bar that only people see.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

/// Duration of work before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Minimum time between redraws of a bar.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between redraws while no step begins.
const HEARTBEAT: Duration = Duration::from_millis(250);
const WIDTH: usize = 24;

/// A bar on standard error for work that lasts longer than a second; silent where no terminal watches. May be
/// shared by threads.
pub struct Progress {
    total: AtomicUsize,
    done: AtomicUsize,
    watched: bool,
    drawn: AtomicBool,
    next_drawing: Mutex<Instant>,
}

impl Progress {
    /// A bar of so many steps.
    pub fn new(total: usize) -> Self {
        Self {
            total: AtomicUsize::new(total),
            done: AtomicUsize::new(0),
            watched: stderr().is_terminal(),
            drawn: AtomicBool::new(false),
            next_drawing: Mutex::new(Instant::now() + PATIENCE),
        }
    }

    /// Returns a callback for work that reports its own number of steps.
    pub fn of<'a>(&'a self, what: &'a str) -> impl Fn(usize, usize) + Sync + 'a {
        move |_, total| {
            self.total.store(total, Relaxed);
            self.step(what);
        }
    }

    /// So much is done of so much.
    pub fn tell(&self, what: &str, done: usize, total: usize) {
        self.total.store(total, Relaxed);
        self.draw(what, done);
    }

    /// Runs work whose steps may last long, such as the conversion of a CAD file, and redraws the bar meanwhile.
    pub fn during<R>(&self, what: &str, work: impl FnOnce() -> R) -> R {
        if !self.watched {
            return work();
        }
        let (running, ended) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let start = Instant::now();
                while ended.recv_timeout(HEARTBEAT) == Err(mpsc::RecvTimeoutError::Timeout) {
                    let what = format!("{what}, {} s", start.elapsed().as_secs());
                    self.draw(&what, self.done.load(Relaxed));
                }
            });
            let result = work();
            drop(running);
            result
        })
    }

    /// A step begins.
    pub fn step(&self, what: &str) {
        self.draw(what, self.done.fetch_add(1, Relaxed) + 1);
    }

    fn draw(&self, what: &str, done: usize) {
        if !self.watched {
            return;
        }
        // Whoever finds another thread drawing goes on with its work.
        let Ok(mut next) = self.next_drawing.try_lock() else { return };
        let now = Instant::now();
        if now >= *next {
            *next = now + REDRAW;
            self.drawn.store(true, Relaxed);
            eprint!("\r\x1b[K{}", bar(done, self.total.load(Relaxed), what));
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.load(Relaxed) {
            eprint!("\r\x1b[K");
        }
    }
}

fn bar(done: usize, total: usize, what: &str) -> String {
    let total = total.max(done);
    let filled = WIDTH * done / total.max(1);
    format!("[{}{}] {done}/{total} {what}", "#".repeat(filled), "-".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_and_never_overflows() {
        assert_eq!(bar(0, 2, "x"), format!("[{}] 0/2 x", "-".repeat(WIDTH)));
        assert_eq!(bar(1, 2, "x"), format!("[{}{}] 1/2 x", "#".repeat(WIDTH / 2), "-".repeat(WIDTH / 2)));
        assert_eq!(bar(3, 2, "x"), format!("[{}] 3/3 x", "#".repeat(WIDTH)));
        assert_eq!(bar(0, 0, "x"), format!("[{}] 0/0 x", "-".repeat(WIDTH)));
    }
}
