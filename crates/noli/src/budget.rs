//! Limits on the time and memory of a query.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A clock that a query may read. Library code never reads time by itself, so a run under a test
/// clock can be repeated step for step.
pub trait Clock: Sync {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
}

/// The machine's steady clock, counted from its making.
#[derive(Clone, Copy, Debug)]
pub struct SteadyClock(std::time::Instant);

impl SteadyClock {
    /// Start counting.
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Clock for SteadyClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Limits on one query. Unlimited by default. A step budget gives the same answer on every machine;
/// a deadline gives a valid one.
///
/// Every query that can run long honours it. When it runs out, the answer is what is proven so far: `Unknown`, a
/// wider bracket, or a partial list.
#[doc(alias("timeout", "time limit"))]
#[must_use]
#[derive(Clone, Copy, Default)]
pub struct Budget<'a> {
    steps: Option<u64>,
    memory: Option<usize>,
    deadline: Option<(Duration, &'a dyn Clock)>,
    cancelled: Option<&'a AtomicBool>,
}

impl<'a> Budget<'a> {
    /// No limit.
    pub const UNLIMITED: Self = Self { steps: None, memory: None, deadline: None, cancelled: None };

    /// At most so many steps: node blocks and leaf pairs.
    pub fn steps(self, steps: u64) -> Self {
        Self { steps: Some(steps), ..self }
    }

    /// At most so many bytes in lists that grow with the work: open cells, boxes and pairs of faces. Memory in
    /// proportion to the bodies themselves is not counted.
    pub fn memory(self, bytes: usize) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// Stop once `clock` reads `deadline`.
    pub fn until(self, deadline: Duration, clock: &'a dyn Clock) -> Self {
        Self { deadline: Some((deadline, clock)), ..self }
    }

    /// Stop once the flag is set.
    pub fn cancelled_by(self, flag: &'a AtomicBool) -> Self {
        Self { cancelled: Some(flag), ..self }
    }

    /// The limit on steps, if there is one.
    pub(crate) fn step_limit(&self) -> Option<u64> {
        self.steps
    }

    /// Returns the deadline and its clock, if there is one.
    pub(crate) fn deadline(&self) -> Option<(Duration, &'a dyn Clock)> {
        self.deadline
    }

    /// The limit on memory, if there is one.
    pub(crate) fn memory_limit(&self) -> Option<usize> {
        self.memory
    }

    /// Returns `true` if so many items of a type fit into the memory.
    pub(crate) fn has_room_for<T>(&self, count: usize) -> bool {
        self.memory.is_none_or(|most| count.saturating_mul(size_of::<T>()) <= most)
    }

    /// The same limits without the one on steps, for results that are kept and must not depend on it.
    pub(crate) fn of_time(self) -> Self {
        Self { steps: None, ..self }
    }

    /// The same limits after some of the steps were taken.
    pub(crate) fn without(self, taken: u64) -> Self {
        Self { steps: self.steps.map(|steps| steps.saturating_sub(taken)), ..self }
    }

    /// A share of the steps and of the time that is left.
    pub(crate) fn share(self, share: f64) -> Self {
        let sooner = |(deadline, clock): (Duration, &'a dyn Clock)| {
            let now = clock.now();
            (now + deadline.saturating_sub(now).mul_f64(share), clock)
        };
        Self {
            steps: self.steps.map(|steps| (steps as f64 * share) as u64),
            deadline: self.deadline.map(sooner),
            ..self
        }
    }

    /// Returns `true` if the deadline has passed or the flag is set.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|(deadline, clock)| clock.now() >= deadline) || self.is_cancelled()
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Returns `true` if any limit on steps or time is set.
    pub(crate) fn is_limited(&self) -> bool {
        self.steps.is_some() || self.deadline.is_some() || self.cancelled.is_some()
    }

    /// Begin to spend it.
    pub fn meter(&self) -> Meter<'a> {
        let polled = self.deadline.is_some() || self.cancelled.is_some();
        let steps = self.steps.unwrap_or(u64::MAX);
        let chunk = if self.deadline.is_some() { 1 } else { POLL_STEPS };
        Meter { until_poll: 0, left: steps, granted: 0, polled, chunk, polled_at: None, budget: *self }
    }
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("steps", &self.steps)
            .field("memory", &self.memory)
            .field("deadline", &self.deadline.map(|(at, _)| at))
            .field("cancelled", &self.cancelled)
            .finish()
    }
}

/// Largest number of steps between two clock readings: a few microseconds, or twenty with cold CPU caches.
const POLL_STEPS: u64 = 16;
/// If fewer steps take this long, the clock is read more often.
const LONG: Duration = Duration::from_micros(20);
/// If the steps take less than this, the clock is read less often. The bound is much lower, because later steps
/// may be slower.
const SHORT: Duration = Duration::from_micros(5);

/// A budget being spent.
#[derive(Debug)]
pub struct Meter<'a> {
    until_poll: u64,
    left: u64,
    /// Steps handed out in chunks so far.
    granted: u64,
    polled: bool,
    /// Steps until the next clock reading, and the time of the last.
    chunk: u64,
    polled_at: Option<Duration>,
    budget: Budget<'a>,
}

impl<'a> Meter<'a> {
    /// Spend one step; false when the budget is used up.
    #[inline(always)]
    pub fn step(&mut self) -> bool {
        if self.until_poll == 0 && !self.poll() {
            return false;
        }
        self.until_poll -= 1;
        true
    }

    /// Returns `true` if there is time for an operation of several microseconds, such as an exact test of two
    /// triangles. Reads the clock each time. Takes no step.
    #[inline]
    pub(crate) fn allows_costly(&mut self) -> bool {
        !self.polled || self.is_on_time()
    }

    /// Returns `true` if time is limited, not only steps.
    pub(crate) fn is_timed(&self) -> bool {
        self.polled
    }

    #[cold]
    fn is_on_time(&mut self) -> bool {
        let on_time = !self.budget.is_over();
        if !on_time {
            self.granted -= self.until_poll;
            (self.until_poll, self.left) = (0, 0);
        }
        on_time
    }

    /// Returns `true` if any budget is left. Takes no step.
    pub(crate) fn allows_more(&mut self) -> bool {
        self.left() > 0 && self.allows_costly()
    }

    /// Steps that are left at most.
    pub(crate) fn left(&self) -> u64 {
        self.left.saturating_add(self.until_poll)
    }

    /// Spend steps that were taken elsewhere.
    pub(crate) fn spend(&mut self, mut steps: u64) {
        while steps > 0 && (self.until_poll > 0 || self.poll()) {
            let part = steps.min(self.until_poll);
            self.until_poll -= part;
            steps -= part;
        }
    }

    /// Returns the budget it spends.
    pub(crate) fn budget(&self) -> Budget<'a> {
        self.budget
    }

    /// Steps spent so far.
    pub(crate) fn taken(&self) -> u64 {
        self.granted - self.until_poll
    }

    #[cold]
    fn poll(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        if self.polled && self.is_over() {
            self.left = 0;
            return false;
        }
        let chunk = if self.polled { self.left.min(self.chunk) } else { self.left };
        self.until_poll = chunk;
        self.left -= chunk;
        self.granted += chunk;
        true
    }

    /// Returns `true` if the deadline has passed or the flag is set; also sets the length of the next chunk.
    fn is_over(&mut self) -> bool {
        let Some((deadline, clock)) = self.budget.deadline else { return self.budget.is_over() };
        let now = clock.now();
        let took = self.polled_at.map_or(Duration::ZERO, |before| now.saturating_sub(before));
        if took > LONG {
            self.chunk = self.chunk.div_ceil(4);
        } else if took < SHORT {
            self.chunk = POLL_STEPS.min(2 * self.chunk);
        }
        self.polled_at = Some(now);
        now >= deadline || self.budget.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_exactly() {
        for steps in [0, 1, 63, 64, 65, 1000] {
            let flag = AtomicBool::new(false);
            for budget in [Budget::default().steps(steps), Budget::default().steps(steps).cancelled_by(&flag)]
            {
                let mut meter = budget.meter();
                let taken = (0..2000).take_while(|_| meter.step()).count() as u64;
                assert_eq!(taken, steps);
                assert!(!meter.step());
                assert_eq!(meter.taken(), steps);
            }
        }
    }

    #[test]
    fn costly_things_take_no_steps_and_see_the_time() {
        let flag = AtomicBool::new(false);
        let mut meter = Budget::default().steps(100).cancelled_by(&flag).meter();
        assert!((0..10).all(|_| meter.step() && meter.allows_costly()));
        assert_eq!(meter.taken(), 10);
        flag.store(true, Ordering::Relaxed);
        assert!(!meter.allows_costly());
        assert!(!meter.step(), "within the chunk granted before");
        assert_eq!(meter.taken(), 10);
        let mut meter = Budget::default().steps(0).meter();
        assert!(meter.allows_costly() && !meter.step());
    }

    #[test]
    fn a_set_flag_stops_at_once() {
        let flag = AtomicBool::new(true);
        let mut meter = Budget::default().cancelled_by(&flag).meter();
        assert!(!meter.step(), "seen before the first step");
    }
}
