//! Results of a step: pairs, groups and cost.

use super::body::BodyId;
use crate::answer::{Guarantee, Impact, Touch};

/// Basis of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// A test that ran to its end.
    Tested,
    /// No test: the pair was proven far separated before, and has not moved enough since.
    Asleep,
    /// A test that the budget cut short; the answer is what [`StepPolicy::timed_out`](super::policy::StepPolicy::timed_out) makes of it.
    CutShort,
}

/// Proven behaviour of bodies that share a point before they move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AfterStart {
    /// They reach into each other already.
    Within,
    /// They touch and separate. If they collide again later, [`Answer::impact`] gives the time.
    Leaves,
    /// They touch, and never reach into each other, up to rounding (2e-12 of their size).
    Slides,
    /// They touch, perhaps slide, and are seen to reach into each other soon after [`Impact::safe_until`].
    GoesIn,
    /// They touch, and perhaps slide. From [`Impact::safe_until`] on it is neither proven that they reach into each
    /// other nor that they do not.
    Unproven,
}

/// Result for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The bodies A and B, the smaller id first.
    pub pair: [BodyId; 2],
    /// First contact, with time from 0 to 1 for this step. Bodies that begin closer than their margin are
    /// followed until they touch; `AtStart` then means that they were only too close.
    pub impact: Impact<Touch>,
    /// Behaviour after touching at the start. `None` if they do not touch, if the budget ran out, or if
    /// [`InitialContact::Leave`](super::options::InitialContact::Leave) was not selected.
    pub after_start: Option<AfterStart>,
    /// Guarantee of the result.
    pub guarantee: Guarantee,
    /// Basis of the result.
    pub basis: Basis,
    /// Upper bound on the smallest clearance until [`Impact::safe_until`], where a test was cut short. If the
    /// bodies do not touch after all, they come at least this close.
    pub clearance_at_most: Option<f64>,
    /// Steps that the test took.
    pub steps: u64,
    /// Proven clearance at the end of the motion.
    pub(super) final_clearance: f64,
}

/// Permitted motion of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Time until which it may move, 1 if nothing obstructs it. Clients change this value.
    pub free_until: f64,
    /// Number of the answer that stops it.
    pub first: Option<usize>,
}

/// Cost of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStats {
    /// Bodies that move.
    pub moved: usize,
    /// Boxes computed, for moved bodies and for those put elsewhere since the last step.
    pub boxes: u64,
    /// Pairs of boxes that began to overlap.
    pub begun: usize,
    /// Pairs of boxes that ended to overlap.
    pub ended: usize,
    /// Pairs that may touch.
    pub candidates: usize,
    /// Pairs that were tested.
    pub tested: usize,
    /// Pairs that were asleep.
    pub asleep: usize,
    /// Pairs whose test began with what the last one found.
    pub with_hint: usize,
    /// Pairs whose test was cut short.
    pub cut_short: usize,
    /// Steps of all tests.
    pub steps: u64,
}
