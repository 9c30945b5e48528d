//! Decisions of a step that published methods make in other ways.

use super::answers::AfterStart;
use super::body::BodyId;
use crate::answer::{Clearance, Guarantee, Impact, Touch};
use crate::budget::Budget;
use crate::context::with_context;
use crate::model::Placed;
use crate::query::{ClearanceQuery, Tolerance};
use noli_geom::{Motion, Obb};
use std::fmt::Debug;

/// Decisions of a step: the test of a pair, the sharing of the budget, the answer at a timeout, the stop of groups. [`PairTestMode`] is
/// the policy of the engine; defaults are the decisions of [`PairTestMode::Dynamic`].
pub trait StepPolicy: Debug + Sync {
    /// Part of the motion in which candidate pairs are searched, from 0 to 1.
    fn span(&self) -> (f64, f64) {
        (0.0, 1.0)
    }

    /// Sum of the lengths by which the bodies of a pair may reach beyond their models, at most: pairs whose models are within
    /// it are candidates, and known clearances count for so much less.
    fn reach(&self) -> f64 {
        0.0
    }

    /// Tests a pair.
    fn test(&self, pair: &mut dyn PairInMotion) -> Impact<Touch> {
        pair.over_time()
    }

    /// Computes the clearance of two bodies at rest, for [`World::path_clearance_by`](super::World::path_clearance_by); by
    /// default that of their models. One of more than the maximum of the query may be left open, as
    /// [`clearance`](crate::clearance) does.
    fn clearance(&self, _bodies: [BodyId; 2], [a, b]: [&Placed<'_>; 2], query: &ClearanceQuery) -> Clearance {
        with_context(|context| context.clearance(a, b, query))
    }

    /// Guarantee of [`test`](Self::test). Clearances of free pairs are kept for later steps only where it is conservative.
    fn guarantee(&self) -> Guarantee {
        Guarantee::Conservative
    }

    /// True to test pairs one after the other, each with its share of the remaining budget.
    fn carries_over(&self) -> bool {
        false
    }

    /// Share of the budget, from 0 to 1, that tests leave to [`timed_out`](Self::timed_out).
    fn reserve(&self) -> f64 {
        0.0
    }

    /// Answers for a pair whose test ran out of budget. By default contact is possible from
    /// [`UnfinishedPair::safe_until`] on; more budget never gives an earlier time.
    fn timed_out(&self, pair: &UnfinishedPair<'_>) -> TimedOut {
        TimedOut::assumed_contact(pair.safe_until)
    }

    /// True to stop groups together that may collide with each other, where [`StopPolicy::Islands`](super::StopPolicy::Islands) is
    /// chosen.
    fn stops_together(&self) -> bool {
        true
    }
}

/// Test mode of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairTestMode {
    /// At the end of the motion alone. Exact for that pose; the path to it is not tested.
    Static,
    /// At all times; never misses a contact.
    #[default]
    Dynamic,
}

impl StepPolicy for PairTestMode {
    fn span(&self) -> (f64, f64) {
        match self {
            Self::Static => (1.0, 1.0),
            Self::Dynamic => (0.0, 1.0),
        }
    }

    fn test(&self, pair: &mut dyn PairInMotion) -> Impact<Touch> {
        match self {
            Self::Static => pair.at_end_of(0.0, 1.0),
            Self::Dynamic => pair.over_time(),
        }
    }

    fn guarantee(&self) -> Guarantee {
        match self {
            Self::Static => Guarantee::Exact,
            Self::Dynamic => Guarantee::Conservative,
        }
    }
}

/// A pair of moving bodies to be tested.
pub trait PairInMotion {
    /// Tests at all times; never misses a contact.
    fn over_time(&mut self) -> Impact<Touch>;

    /// Tests at the end of an interval of time. A hit has the interval as its bracket.
    fn at_end_of(&mut self, start: f64, end: f64) -> Impact<Touch>;

    /// Tests at all times with a larger margin, the start included.
    fn over_time_within(&mut self, margin: f64) -> Impact<Touch>;

    /// The bodies A and B.
    fn bodies(&self) -> [BodyId; 2];

    /// Their motions.
    fn motions(&self) -> [&dyn Motion; 2];

    /// The margin of the pair.
    fn margin(&self) -> f64;

    /// Proven free until here, by an earlier turn of the same test.
    fn safe_until(&self) -> f64;

    /// The budget of this turn.
    fn budget(&self) -> Budget<'_>;

    /// Records the behaviour of bodies that share a point before they move.
    fn set_after_start(&mut self, after: AfterStart);
}

/// A pair whose test ran out of budget.
#[derive(Clone, Copy, Debug)]
pub struct UnfinishedPair<'a> {
    /// Proven free until here.
    pub safe_until: f64,
    /// Free until here by volumes that were not visited yet; may be earlier than `safe_until`.
    pub volumes_until: f64,
    /// The smallest pair of boxes that were not visited yet, each in the frame of its body. Present for meshes, where the
    /// policy has a [reserve](StepPolicy::reserve) and some budget is left.
    pub boxes: Option<[Obb; 2]>,
    /// Motions of both bodies.
    pub motions: [&'a dyn Motion; 2],
    /// The margin of the pair.
    pub margin: f64,
    /// The tolerance of the step.
    pub tolerance: Tolerance,
    /// The remaining budget.
    pub budget: Budget<'a>,
}

/// Answer for a pair whose test ran out of budget.
#[derive(Clone, Copy, Debug)]
pub struct TimedOut {
    /// The answer.
    pub impact: Impact<Touch>,
    /// Its guarantee; the weaker of this and that of the test is reported.
    pub guarantee: Guarantee,
    /// Steps that it took.
    pub steps: u64,
}

impl TimedOut {
    /// Contact is possible from a time on.
    pub fn assumed_contact(safe_until: f64) -> Self {
        Self { impact: Impact::Unknown { safe_until }, guarantee: Guarantee::Exact, steps: 0 }
    }
}
