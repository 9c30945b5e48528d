//! Limits of an answer, and who follows it.

use crate::AskError;
use noli::Budget;
use noli::query::Clock;
use noli::world::{CheckOptions, CheckResult};
use noli_project::Staged;
use noli_project::report::MethodReport;
use std::time::Duration;

/// Limits of an answer, and who follows it. A question prints nothing, reads no clock and writes no file.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// Limits on steps, time and memory, and cancellation.
    pub budget: Budget<'a>,
    /// Follows the progress.
    pub progress: Option<&'a dyn Progress>,
    /// Compares the pairs in place of the engine.
    pub compare: Option<&'a dyn ComparePairs>,
    /// Measures how long the parts of an answer take; without it their durations are not reported.
    pub clock: Option<&'a dyn Clock>,
}

/// Follows the progress of an answer. Called by all threads.
pub trait Progress: Sync {
    /// A stage begins, such as `reading files`.
    fn stage(&self, name: &'static str);
    /// So much of the stage has begun, of so much.
    fn begun(&self, count: usize, total: usize);
}

/// Another way to compare the pairs of a world: a published method, or only the pairs that changed.
pub trait ComparePairs: Sync {
    /// Returns the findings of a world. `method` is the method that the scene names.
    fn compare(
        &self,
        staged: &Staged,
        options: &CheckOptions<'_>,
        method: Option<&str>,
    ) -> Result<(CheckResult, Option<MethodReport>), AskError>;
}

impl<'a> Context<'a> {
    /// Creates a context with these limits.
    pub fn new(budget: Budget<'a>) -> Self {
        Self { budget, ..Self::default() }
    }

    /// Returns `true` if a limit on time or memory is reached, or the answer is no longer wanted.
    pub(crate) fn is_over(&self) -> bool {
        !self.budget.meter().step()
    }

    /// Returns the time, if it is measured.
    pub(crate) fn now(&self) -> Option<Duration> {
        self.clock.map(|clock| clock.now())
    }

    /// Returns the seconds since a moment, if they are measured.
    pub(crate) fn seconds_since(&self, begun: Option<Duration>) -> Option<f64> {
        Some(self.now()?.saturating_sub(begun?).as_secs_f64())
    }

    /// Begins a stage, and returns the callback for its progress.
    pub(crate) fn stage(&self, name: &'static str) -> impl Fn(usize, usize) + Sync + 'a {
        let progress = self.progress;
        if let Some(progress) = progress {
            progress.stage(name);
        }
        move |count, total| {
            if let Some(progress) = progress {
                progress.begun(count, total);
            }
        }
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("budget", &self.budget).finish_non_exhaustive()
    }
}
