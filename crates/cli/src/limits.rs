//! `--time` and `--memory`: limits of commands that can run long.
//!
//! Queries stop at the limit and report what is proven by then. Reading and writing files cannot be stopped halfway:
//! where a limit is passed there by far, the program ends with an error. A command with one answer has no part of it to
//! report: [`TimeLimit`] ends it as undecided.

use crate::output;
use anyhow::{Result, ensure};
use noli::Budget;
use noli::query::{Clock, SteadyClock};
use noli_ask::quantity::duration;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Limits of a command.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// Time limit, such as `30s` or `500ms`: queries not finished by then are undecided.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// The limit of the option that all commands share.
    #[arg(skip)]
    memory: Option<u64>,
}

static MEMORY: OnceLock<u64> = OnceLock::new();

/// Sets the memory limit of the program, once.
pub(crate) fn set_memory(bytes: u64) {
    noli_formats::set_memory_limit(bytes);
    let _ = MEMORY.set(bytes);
}

/// Returns the memory limit of the program, if one was given.
pub(crate) fn memory() -> Option<u64> {
    MEMORY.get().copied()
}

/// Time after a limit in which queries end and reports are written; as long as the limit itself if that is longer.
const GRACE: Duration = Duration::from_secs(10);
/// Interval between two readings of the memory.
const INTERVAL: Duration = Duration::from_millis(20);

/// The time limit of a command with one answer.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct TimeLimit {
    /// Time limit, such as `30s` or `500ms`: without an answer by then, the question is undecided and the exit code 3.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
}

/// A time limit that runs until it is dropped: when the answer is known.
#[derive(Default)]
pub(crate) struct RunningTime(Arc<AtomicBool>);

impl TimeLimit {
    /// Starts the clock. At the limit the program ends with exit code 3, and files that are being written are removed.
    #[must_use]
    pub(crate) fn start(self) -> RunningTime {
        let running = RunningTime::default();
        let Some(time) = self.time else { return running };
        if time.is_zero() {
            end_undecided();
        }
        let (clock, is_done) = (SteadyClock::start(), running.0.clone());
        std::thread::spawn(move || {
            while clock.now() < time {
                std::thread::sleep(INTERVAL.min(time.saturating_sub(clock.now())));
            }
            if !is_done.load(Relaxed) {
                end_undecided();
            }
        });
        running
    }
}

impl Drop for RunningTime {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn end_undecided() -> ! {
    noli_formats::remove_unfinished();
    let text =
        "undecided: --time was reached before there was an answer; allow more time, or give a smaller input";
    output::print_to_stderr(&format!("noli: {text}"));
    crate::error_json(text, UNDECIDED);
    std::process::exit(UNDECIDED.into());
}

/// Exit code of a question without an answer.
pub(crate) const UNDECIDED: u8 = 3;

/// Limits whose time runs.
pub(crate) struct Running {
    limits: Limits,
    clock: SteadyClock,
    /// Set once the program holds too much memory.
    is_full: Arc<AtomicBool>,
    /// Set once any limit is reached.
    is_over: Arc<AtomicBool>,
    /// Set when the command is done.
    is_done: Arc<AtomicBool>,
}

impl Limits {
    /// Starts the clock, and watches over the memory if that is limited.
    pub(crate) fn start(mut self) -> Result<Running> {
        self.memory = MEMORY.get().copied();
        ensure!(
            self.memory.is_none() || held().is_some(),
            "--memory: this system does not report the memory of a program; limit it by other means"
        );
        let clock = SteadyClock::start();
        let is_full = self.is_full();
        let is_over = is_full || self.time.is_some_and(|time| time.is_zero());
        let [is_full, is_over] = [is_full, is_over].map(|flag| Arc::new(AtomicBool::new(flag)));
        let running = Running { limits: self, clock, is_full, is_over, is_done: Arc::default() };
        if self.time.is_some() || self.memory.is_some() {
            let flags = [&running.is_full, &running.is_over, &running.is_done].map(Arc::clone);
            std::thread::spawn(move || watch(&self, clock, flags.each_ref().map(|flag| &**flag)));
        }
        Ok(running)
    }

    /// Starts the clock for a question that has one answer.
    pub(crate) fn start_whole(self) -> RunningTime {
        TimeLimit { time: self.time }.start()
    }

    /// Returns `true` if the time is limited.
    pub(crate) fn is_timed(&self) -> bool {
        self.time.is_some()
    }

    /// Returns `true` if the program holds as much memory as it may.
    fn is_full(&self) -> bool {
        self.memory.is_some_and(|most| held().is_some_and(|held| held >= most))
    }

    fn passed(&self, now: Duration, full_since: Option<Duration>) -> Option<&'static str> {
        let by_far = |since: Duration| now > since.saturating_add(GRACE.max(since));
        if self.time.is_some_and(by_far) {
            Some("--time")
        } else {
            full_since.is_some_and(by_far).then_some("--memory")
        }
    }
}

impl Running {
    /// The budget of queries: these limits, and steps if any are given.
    pub(crate) fn budget(&self, steps: Option<u64>) -> Budget<'_> {
        let mut budget = crate::output::budget(steps);
        if let Some(time) = self.limits.time {
            budget = budget.until(time, &self.clock);
        }
        if let Some(memory) = self.limits.memory {
            budget = budget.memory(usize::try_from(memory).unwrap_or(usize::MAX)).cancelled_by(&self.is_full);
        }
        budget
    }

    /// Returns `true` if the time is limited.
    pub(crate) fn is_timed(&self) -> bool {
        self.limits.is_timed()
    }

    /// The flag that is set once a limit is reached.
    pub(crate) fn is_over(&self) -> &AtomicBool {
        &self.is_over
    }

    /// Names the limit that was reached, for messages.
    pub(crate) fn reached(&self) -> Option<&'static str> {
        if self.limits.time.is_some_and(|time| self.clock.now() >= time) {
            Some("--time")
        } else {
            self.is_full.load(Relaxed).then_some("--memory")
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.is_done.store(true, Relaxed);
    }
}

fn watch(limits: &Limits, clock: SteadyClock, [is_full, is_over, is_done]: [&AtomicBool; 3]) {
    let mut full_since = None;
    while !is_done.load(Relaxed) {
        let now = clock.now();
        if limits.is_full() {
            is_full.store(true, Relaxed);
            full_since = full_since.or(Some(now));
        }
        if full_since.is_some() || limits.time.is_some_and(|time| now >= time) {
            is_over.store(true, Relaxed);
        }
        if let Some(limit) = limits.passed(now, full_since) {
            noli_formats::remove_unfinished();
            let reason = "was reached before anything could be reported; allow more, or give a smaller input";
            output::print_to_stderr(&format!("noli: {limit} {reason}"));
            std::process::exit(2);
        }
        std::thread::sleep(INTERVAL);
    }
}

/// The memory that the program holds, in bytes; `None` if the system does not report it.
fn held() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "a size is a number of bytes, or one with a unit, such as 2GB or 512M".to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1_048_576.0,
        "g" => 1_073_741_824.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let bytes = number * unit;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10^18")]
    let whole = bytes as u64;
    if (1.0..1e18).contains(&bytes) { Ok(whole) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_have_a_unit() {
        assert_eq!(bytes("2GB"), Ok(2_000_000_000));
        assert_eq!(bytes("1.5 MiB"), Ok(1_572_864));
        assert_eq!(bytes("512M"), Ok(536_870_912));
        for wrong in ["GB", "-1GB", "2TB", "", "1e30GB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_are_passed_only_after_some_time() {
        let limits = Limits { time: Some(Duration::from_secs(1)), memory: None };
        assert_eq!(limits.passed(Duration::from_secs(5), None), None);
        let longer = Limits { time: Some(Duration::from_secs(60)), memory: None };
        assert_eq!(longer.passed(Duration::from_secs(100), None), None);
        assert_eq!(limits.passed(Duration::from_secs(12), None), Some("--time"));
        let endless = Limits { time: Some(Duration::MAX), memory: None };
        assert_eq!(endless.passed(Duration::from_secs(1), None), None, "twice of it is no time");
        let limits = Limits { time: None, memory: Some(1) };
        assert_eq!(limits.passed(Duration::from_secs(12), Some(Duration::from_secs(1))), Some("--memory"));
    }
}
