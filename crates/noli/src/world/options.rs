//! How a step is done: choices, with defaults.

use super::body::BodyId;
use crate::budget::Budget;
use crate::query::Tolerance;

/// How a pair is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// At the end of the motion alone. Exact for that pose; what happens on the way is not looked at.
    Static,
    /// Approximate: at the start, the end, and so many poses between. May miss what happens between them.
    Sampled {
        /// Poses between start and end.
        between: u32,
    },
    /// At all times; never misses a contact.
    #[default]
    Dynamic,
    /// Approximate: at all times, but only for bodies that overlap at the end (Eckstein 1998). Misses bodies
    /// that pass through each other.
    Mixed,
}

/// How far groups may go when one of them must stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Groups that may meet each other are stopped together, at the earliest of their times, so that all have
    /// moved as was tested.
    #[default]
    Islands,
    /// In order of time: who is hit stops, and the others are asked again about what stands in their way now.
    /// Goes farther than islands, for more tests.
    InOrder,
    /// Approximate, as published: each group stops at its own earliest time. Where A stops for C, what was
    /// found about A and B no longer holds.
    EachAlone,
}

/// What to do about bodies that share a point before they move, which is usual in construction data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtStart {
    /// Report them. Those that reach into each other stop nobody. Those that only touch may leave, and slide along each
    /// other; they stop where it is not proven that they do not approach. Rounding may let bodies that slide reach into
    /// each other by up to 2e-12 of their size. Only of bodies with faces and of half-spaces that stay can anything be
    /// proven; others that touch do not move.
    #[default]
    Leave,
    /// Report them; they do not stop anyone, and may be pushed into each other.
    Ignore,
    /// Do not move.
    Refuse,
}

/// How a step is done.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions<'a> {
    /// How pairs are tested.
    pub mode: Mode,
    /// How far groups may go.
    pub cut: Cut,
    /// What to do about overlap at the start.
    pub at_start: AtStart,
    /// How near bodies may pass, beyond their margin, and still be reported; see
    /// [`ImpactQuery`](crate::query::ImpactQuery).
    pub tolerance: Tolerance,
    /// Limits on all pair tests of the step together. Finding the pairs is not limited: that would lose some.
    pub budget: Budget<'a>,
    /// How pairs share the budget.
    pub share: Share<'a>,
    /// What is said about pairs that the budget did not suffice for.
    pub fallback: Fallback,
    /// Measure how far apart free pairs are, so that they need not be tested again before they have moved
    /// that far. Changes what a step costs, never its answer.
    pub sleep: bool,
    /// Start a test from what the last of the same pair found: bodies that were proven apart are not tested
    /// where they stand, and the search for the gap of convex bodies begins where it ended. Changes what a
    /// step costs, not its verdicts; times of impact of convex bodies may differ within the tolerance.
    pub hints: bool,
}

impl Default for StepOptions<'_> {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            cut: Cut::default(),
            at_start: AtStart::default(),
            tolerance: Tolerance::Relative(1e-6),
            budget: Budget::UNLIMITED,
            share: Share::default(),
            fallback: Fallback::default(),
            sleep: true,
            hints: true,
        }
    }
}

/// How the pairs of a step share its budget.
#[derive(Clone, Copy, Default)]
pub enum Share<'a> {
    /// All pairs take turns on one list: those that have had least come first, among them the one that is
    /// safe for the shortest time, and each turn is twice as long as the one before. What an easy pair leaves
    /// over goes to the others.
    #[default]
    Together,
    /// The same for every pair, whether it needs it or not.
    Uniform,
    /// One pair after the other; what is left over is divided among the rest.
    CarryOver,
    /// In proportion to weights, such as nearness to a viewer.
    Weighted(&'a (dyn Fn([BodyId; 2]) -> f64 + Sync)),
}

impl std::fmt::Debug for Share<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Together => "Together",
            Self::Uniform => "Uniform",
            Self::CarryOver => "CarryOver",
            Self::Weighted(_) => "Weighted",
        })
    }
}

/// What is said about a pair that the budget did not suffice for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// They may touch from the time on until which a finished part of the test proved them free. More budget
    /// never gives an earlier time.
    #[default]
    AssumeContact,
    /// They may touch from the time on at which volumes that were not looked into yet may. Never earlier than
    /// the former.
    Volumes,
    /// Approximate: they touch when flat stand-ins for the smallest two of these volumes do (Eckstein 1998,
    /// section 8.2), and pass each other where those do. A quarter of the budget is kept for it; where it
    /// does not suffice, and for bodies that are not meshes, contact is assumed.
    Faces,
}
