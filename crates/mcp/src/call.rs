//! Limits of one call: time, memory and cancellation.

use noli::Budget;
use noli::query::{Clock, SteadyClock};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A running call. Clones share its flags.
#[derive(Clone)]
pub(crate) struct Call {
    clock: SteadyClock,
    time: Duration,
    memory: Option<u64>,
    /// Set by the client, or once too much memory is held.
    stop: Arc<AtomicBool>,
    is_cancelled: Arc<AtomicBool>,
    is_full: Arc<AtomicBool>,
    stage: Arc<Mutex<&'static str>>,
}

/// Interval between two readings of the memory.
const INTERVAL: Duration = Duration::from_millis(20);

impl Call {
    /// Creates a call that may take so long and so much memory; its time starts with [`Self::start`].
    pub(crate) fn new(time: Duration, memory: Option<u64>) -> Self {
        let flag = Arc::<AtomicBool>::default;
        let clock = SteadyClock::start();
        Self {
            clock,
            time,
            memory,
            stop: flag(),
            is_cancelled: flag(),
            is_full: flag(),
            stage: Arc::default(),
        }
    }

    /// Starts the clock, with a shorter limit if one is asked for.
    pub(crate) fn start(&mut self, time: Option<Duration>) {
        self.clock = SteadyClock::start();
        self.time = time.map_or(self.time, |time| time.min(self.time));
    }

    /// Returns the time that the call may take.
    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// Returns the time since the call started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.now()
    }

    /// Names the stage that begins, for reports of progress.
    pub(crate) fn enter(&self, stage: &'static str) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    /// Returns the stage of the call.
    pub(crate) fn stage(&self) -> &'static str {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels the call.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
        self.stop.store(true, Relaxed);
    }

    /// Returns `true` if the client has cancelled the call.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }

    /// Returns `true` if queries have to end.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Relaxed) || self.clock.now() >= self.time
    }

    /// Returns the budget of its queries.
    pub(crate) fn budget(&self) -> Budget<'_> {
        let budget = Budget::UNLIMITED.until(self.time, &self.clock).cancelled_by(&self.stop);
        match self.memory {
            Some(bytes) => budget.memory(usize::try_from(bytes).unwrap_or(usize::MAX)),
            None => budget,
        }
    }

    /// Names the limit that was reached, for warnings.
    pub(crate) fn reached(&self) -> Option<&'static str> {
        if self.is_full.load(Relaxed) {
            Some("the memory limit was reached: queries not finished by then are undecided")
        } else if self.is_cancelled() {
            Some("the call was cancelled")
        } else {
            (self.clock.now() >= self.time)
                .then_some("the time limit was reached: queries not finished by then are undecided")
        }
    }

    /// Watches over the memory until `is_done`; returns at once without a limit.
    pub(crate) fn watch(&self, is_done: &AtomicBool) {
        let Some(most) = self.memory else { return };
        while !is_done.load(Relaxed) {
            if held().is_some_and(|held| held >= most) {
                self.is_full.store(true, Relaxed);
                self.stop.store(true, Relaxed);
            }
            std::thread::sleep(INTERVAL);
        }
    }
}

impl noli_ask::Progress for Call {
    fn stage(&self, name: &'static str) {
        self.enter(name);
    }

    fn begun(&self, _: usize, _: usize) {}
}

/// Returns the memory that the program holds, in bytes; `None` if the system does not report it.
fn held() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}
