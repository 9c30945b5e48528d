//! Steps of a world as published (Eckstein 1998, chapters 7 and 8): sampled and mixed tests, equal shares of the budget, answers
//! of unfinished tests by volumes or stand-ins, groups that stop alone.

mod stand_in;

use noli::answer::Touch;
use noli::world::{BudgetPolicy, PairInMotion, StepOptions, StepPolicy, TimedOut, UnfinishedPair};
use noli::{Guarantee, Impact};

/// Times at which a pair is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestTimes {
    /// At the end of the motion alone.
    Static,
    /// **Approximate**: at the start, the end, and some poses between. Misses contacts between them.
    Sampled {
        /// Poses between start and end.
        between: u32,
    },
    /// At all times; never misses a contact.
    #[default]
    Dynamic,
    /// **Approximate**: at all times, but only for bodies that overlap at the end. Misses bodies that pass through each
    /// other.
    Mixed,
}

/// Sharing of the budget among pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BudgetSharing {
    /// Pairs take turns, as in the engine.
    #[default]
    Together,
    /// Equal shares; unused budget is lost.
    Uniform,
    /// Equal shares, one pair after the other; unused budget goes to the remaining pairs.
    CarryOver,
}

/// Answer for a pair whose test ran out of budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeoutAnswer {
    /// Contact is possible from the time on until which they are proven free.
    #[default]
    AssumeContact,
    /// Contact is possible from the time on at which volumes that were not visited yet may touch. Never earlier than the
    /// former.
    Volumes,
    /// **Approximate**: contact is that of flat stand-ins for the smallest two of these volumes (section 8.2). A quarter of
    /// the budget is kept for it. Where it does not suffice, and for bodies that are not meshes, contact is assumed.
    Faces,
}

/// A published step; the default is that of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublishedStep {
    /// Times at which a pair is tested.
    pub times: TestTimes,
    /// Sharing of the budget; needs the [options](Self::options) of this step.
    pub sharing: BudgetSharing,
    /// Answer for a pair whose test ran out of budget.
    pub timeout: TimeoutAnswer,
    /// **Approximate**: each group stops at its own earliest time. Where A stops for C, the answer about A and B no longer
    /// holds.
    pub each_alone: bool,
}

impl PublishedStep {
    /// Options of a step by this policy; the others are default.
    ///
    /// ```
    /// use noli_classics::step::{BudgetSharing, PublishedStep};
    /// let policy = PublishedStep { sharing: BudgetSharing::CarryOver, ..Default::default() };
    /// let options = noli::world::StepOptions { sleep: false, ..policy.options() };
    /// ```
    pub fn options(&self) -> StepOptions<'_> {
        let share = match self.sharing {
            BudgetSharing::Uniform => BudgetPolicy::Weighted(&|_| 1.0),
            BudgetSharing::Together | BudgetSharing::CarryOver => BudgetPolicy::Together,
        };
        StepOptions { policy: self, share, ..StepOptions::default() }
    }
}

impl StepPolicy for PublishedStep {
    fn span(&self) -> (f64, f64) {
        match self.times {
            TestTimes::Static | TestTimes::Mixed => (1.0, 1.0),
            TestTimes::Sampled { .. } | TestTimes::Dynamic => (0.0, 1.0),
        }
    }

    fn test(&self, pair: &mut dyn PairInMotion) -> Impact<Touch> {
        match self.times {
            TestTimes::Dynamic => pair.over_time(),
            TestTimes::Static => pair.at_end_of(0.0, 1.0),
            TestTimes::Sampled { between } => sampled(between, pair),
            TestTimes::Mixed => match pair.at_end_of(0.0, 1.0) {
                Impact::At { .. } => pair.over_time(),
                other => other,
            },
        }
    }

    fn guarantee(&self) -> Guarantee {
        match self.times {
            TestTimes::Static => Guarantee::Exact,
            TestTimes::Dynamic => Guarantee::Conservative,
            TestTimes::Sampled { .. } | TestTimes::Mixed => Guarantee::Approximate,
        }
    }

    fn carries_over(&self) -> bool {
        self.sharing == BudgetSharing::CarryOver
    }

    fn reserve(&self) -> f64 {
        if self.timeout == TimeoutAnswer::Faces { 0.25 } else { 0.0 }
    }

    fn timed_out(&self, pair: &UnfinishedPair<'_>) -> TimedOut {
        match self.timeout {
            TimeoutAnswer::AssumeContact => TimedOut::assumed_contact(pair.safe_until),
            TimeoutAnswer::Volumes => TimedOut::assumed_contact(pair.safe_until.max(pair.volumes_until)),
            TimeoutAnswer::Faces => stand_in::time_of_impact(pair),
        }
    }

    fn stops_together(&self) -> bool {
        !self.each_alone
    }
}

/// Tests at the start, the end and some poses between, in order.
fn sampled(between: u32, pair: &mut dyn PairInMotion) -> Impact<Touch> {
    if let Impact::At { touch, .. } = pair.at_end_of(0.0, 0.0) {
        return Impact::AtStart(touch);
    }
    let time = |k: u32| f64::from(k) / (f64::from(between) + 1.0);
    let mut tests = (0..=between).map(|k| pair.at_end_of(time(k), time(k + 1)));
    tests.find(|impact| *impact != Impact::Free).unwrap_or(Impact::Free)
}
