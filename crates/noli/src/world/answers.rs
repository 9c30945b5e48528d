//! What a step answers: about pairs, about groups, and what it cost.

use super::body::BodyId;
use crate::answer::{Guarantee, Impact, Touch};

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// A test that ran to its end.
    Tested,
    /// No test: the pair was proven far apart before, and has not moved enough since.
    Asleep,
    /// A test that the budget cut short; the answer is what [`Fallback`](super::options::Fallback) makes of it.
    CutShort,
}

/// What bodies do that share a point before they move, as far as it is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AfterStart {
    /// They reach into each other already.
    Within,
    /// They touch and part. Where they meet again later, [`Answer::impact`] says when.
    Leaves,
    /// They touch, and never reach into each other, up to rounding (2e-12 of their size).
    Slides,
    /// They touch, perhaps slide, and are seen to reach into each other soon after [`Impact::safe_until`].
    GoesIn,
    /// They touch, and perhaps slide. From [`Impact::safe_until`] on it is neither proven that they reach into each
    /// other nor that they do not.
    Unproven,
}

/// What was found out about a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The bodies A and B, the smaller id first.
    pub pair: [BodyId; 2],
    /// Whether and when they touch, counting time from 0 to 1 for this step. Bodies that begin closer than
    /// their margin are followed until they really touch; `AtStart` then says that they only were too close.
    pub impact: Impact<Touch>,
    /// What they do after touching at the start; `None` where they do not, where
    /// [`AtStart::Leave`](super::options::AtStart::Leave) was not asked for, or where the budget did not suffice.
    pub after_start: Option<AfterStart>,
    /// How far that can be trusted.
    pub guarantee: Guarantee,
    /// What it rests on.
    pub basis: Basis,
    /// Where a test was cut short: bound from above on the smallest gap until [`Impact::safe_until`]. If they
    /// do not touch after all, they come at least this close.
    pub gap_at_most: Option<f64>,
    /// Steps that the test took.
    pub steps: u64,
    /// Proven gap at the end of the motion.
    pub(super) apart: f64,
}

/// What a group may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// It may move until this time, 1 if nothing is in the way. It is this that clients change.
    pub free_until: f64,
    /// Number of the answer that stops it.
    pub first: Option<usize>,
}

/// What a step cost.
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
    pub hinted: usize,
    /// Pairs whose test was cut short.
    pub cut_short: usize,
    /// Steps of all tests.
    pub steps: u64,
}
