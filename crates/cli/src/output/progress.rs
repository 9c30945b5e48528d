//! A progress bar that only people see.

use super::style;
use std::io::{IsTerminal, Write as _, stderr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Duration of work before a bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between redraws of a bar.
const REDRAW: Duration = Duration::from_millis(200);
const WIDTH: usize = 24;

/// A bar on standard error for work that lasts longer than a second; silent where no terminal watches, and with `--quiet`.
/// May be shared by threads. It is redrawn while a single step lasts.
pub struct Progress {
    state: Arc<State>,
    drawing: Option<JoinHandle<()>>,
}

struct State {
    total: AtomicUsize,
    done: AtomicUsize,
    what: Mutex<String>,
    drawn: AtomicBool,
    ended: Mutex<bool>,
    wake: Condvar,
}

impl Progress {
    /// A bar of so many steps.
    pub fn new(total: usize) -> Self {
        let state = Arc::new(State {
            total: AtomicUsize::new(total),
            done: AtomicUsize::new(0),
            what: Mutex::new(String::new()),
            drawn: AtomicBool::new(false),
            ended: Mutex::new(false),
            wake: Condvar::new(),
        });
        let watched = stderr().is_terminal() && !style().quiet;
        let drawing = watched.then(|| Arc::clone(&state)).and_then(|state| {
            std::thread::Builder::new().name("progress".to_owned()).spawn(move || state.draw()).ok()
        });
        Self { state, drawing }
    }

    /// The time that work takes whose steps are not known.
    pub fn of_time(what: &str) -> Self {
        let progress = Self::new(0);
        progress.state.say(what);
        progress
    }

    /// Returns a callback for work that reports its own number of steps.
    pub fn of<'a>(&'a self, what: &'a str) -> impl Fn(usize, usize) + Sync + 'a {
        move |_, total| {
            self.state.total.store(total, Relaxed);
            self.step(what);
        }
    }

    /// So much is done of so much.
    pub fn tell(&self, what: &str, done: usize, total: usize) {
        self.state.total.store(total, Relaxed);
        self.state.done.store(done, Relaxed);
        self.state.say(what);
    }

    /// A step begins.
    pub fn step(&self, what: &str) {
        self.state.done.fetch_add(1, Relaxed);
        self.state.say(what);
    }
}

/// The bar of the stage of an answer.
#[derive(Default)]
pub struct Bars(Mutex<Option<(&'static str, Progress)>>);

impl Bars {
    /// Removes the bar.
    pub fn clear(&self) {
        if let Ok(mut bar) = self.0.lock() {
            *bar = None;
        }
    }
}

impl noli_ask::Progress for Bars {
    fn stage(&self, name: &'static str) {
        self.clear();
        if let Ok(mut bar) = self.0.lock() {
            *bar = Some((name, Progress::of_time(name)));
        }
    }

    fn begun(&self, _: usize, total: usize) {
        if let Ok(bar) = self.0.try_lock()
            && let Some((name, progress)) = &*bar
        {
            progress.state.total.store(total, Relaxed);
            progress.step(name);
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
        if let Ok(mut ended) = self.state.ended.lock() {
            *ended = true;
        }
        self.state.wake.notify_all();
        if let Some(drawing) = self.drawing.take() {
            let _ = drawing.join();
        }
        if self.state.drawn.load(Relaxed) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

impl State {
    /// Sets the text, unless another thread is setting it.
    fn say(&self, what: &str) {
        if let Ok(mut text) = self.what.try_lock()
            && *text != what
        {
            what.clone_into(&mut text);
        }
    }

    /// Redraws until the work ends.
    fn draw(&self) {
        let start = Instant::now();
        let mut pause = PATIENCE;
        loop {
            let Ok(ended) = self.ended.lock() else { return };
            let Ok((ended, _)) = self.wake.wait_timeout_while(ended, pause, |ended| !*ended) else { return };
            if *ended {
                return;
            }
            drop(ended);
            pause = REDRAW;
            self.drawn.store(true, Relaxed);
            let what = self.what.lock().map(|what| what.clone()).unwrap_or_default();
            let (done, total) = (self.done.load(Relaxed), self.total.load(Relaxed));
            let _ = write!(stderr(), "\r\x1b[K{}", bar(done, total, &what, start.elapsed()));
        }
    }
}

/// The bar, or the elapsed time of work without steps.
fn bar(done: usize, total: usize, what: &str, elapsed: Duration) -> String {
    let total = total.max(done);
    if total == 0 {
        return format!("{what} {} s", elapsed.as_secs());
    }
    let filled = WIDTH * done / total;
    format!("[{}{}] {done}/{total} {what}", "#".repeat(filled), "-".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_and_never_overflows() {
        let bar = |done, total| bar(done, total, "x", Duration::from_secs(3));
        assert_eq!(bar(0, 2), format!("[{}] 0/2 x", "-".repeat(WIDTH)));
        assert_eq!(bar(1, 2), format!("[{}{}] 1/2 x", "#".repeat(WIDTH / 2), "-".repeat(WIDTH / 2)));
        assert_eq!(bar(3, 2), format!("[{}] 3/3 x", "#".repeat(WIDTH)));
        assert_eq!(bar(0, 0), "x 3 s");
    }

    #[test]
    fn a_bar_ends_at_once() {
        let start = Instant::now();
        let progress = Progress::new(5);
        progress.step("one");
        drop(progress);
        assert!(start.elapsed() < PATIENCE);
    }
}
