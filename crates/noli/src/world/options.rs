//! Options of a step, with defaults.

use super::body::BodyId;
use super::policy::{PairTestMode, StepPolicy};
use crate::answer::Guarantee;
use crate::budget::Budget;
use crate::query::Tolerance;

/// Stop policy: permitted motion of groups when one of them must stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopPolicy {
    /// Groups that may collide with each other are stopped together, at the earliest of their times, so that all
    /// have moved as tested.
    #[default]
    Islands,
    /// In order of time: a group in collision stops, and the others are tested again with the stopped group as an
    /// obstacle. Goes farther than islands, for more tests.
    InOrder,
}

/// Policy for bodies that share a point before they move, which is usual in construction data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialContact {
    /// Reports them. Penetrating bodies do not stop any motion. Bodies that only touch may separate and slide
    /// along each other; they stop where it is not proven that they do not approach. Rounding may let sliding
    /// bodies penetrate by up to 2e-12 of their size. Proofs exist only for bodies with faces and for fixed
    /// half-spaces; other touching bodies do not move.
    #[default]
    Leave,
    /// Report them; they do not stop anyone, and may be pushed into each other.
    Ignore,
    /// Do not move.
    Refuse,
}

/// Options of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions<'a> {
    /// Policy of the pair tests: a [`PairTestMode`], or that of a published method.
    pub policy: &'a dyn StepPolicy,
    /// Stop policy of groups.
    pub cut: StopPolicy,
    /// Policy for overlap at the start.
    pub at_start: InitialContact,
    /// Distance beyond their margin at which bodies that pass each other may still be reported; see
    /// [`ImpactQuery`](crate::query::ImpactQuery).
    pub tolerance: Tolerance,
    /// Limits on all pair tests of the step together. Finding the pairs is not limited: that would lose some.
    pub budget: Budget<'a>,
    /// Distribution of the budget among pairs.
    pub share: BudgetPolicy<'a>,
    /// Measures the clearance of collision-free pairs, so that they need no test before they have moved that far.
    /// Changes the cost of a step, never its answer.
    pub sleep: bool,
    /// Starts a test from the last result of the same pair. Bodies proven separated are not tested at their
    /// current poses, and the clearance search of convex bodies begins where it ended. Changes the cost of a
    /// step, not its verdicts; times of impact of convex bodies may differ within the tolerance.
    pub hints: bool,
}

impl Default for StepOptions<'_> {
    fn default() -> Self {
        Self {
            policy: &PairTestMode::Dynamic,
            cut: StopPolicy::default(),
            at_start: InitialContact::default(),
            tolerance: Tolerance::Relative(1e-6),
            budget: Budget::UNLIMITED,
            share: BudgetPolicy::default(),
            sleep: true,
            hints: true,
        }
    }
}

impl StepOptions<'_> {
    /// True if a free pair is free at all times of its motion.
    pub(super) fn proves_motion(&self) -> bool {
        self.policy.guarantee() == Guarantee::Conservative
    }
}

/// Budget policy: distribution of a step's budget among its pairs.
#[derive(Clone, Copy, Default)]
pub enum BudgetPolicy<'a> {
    /// All pairs take turns on one list: those that have had least come first, among them the one that is
    /// safe for the shortest time, and each turn is twice as long as the one before. What an easy pair leaves
    /// over goes to the others.
    #[default]
    Together,
    /// In proportion to weights, such as nearness to a viewer.
    Weighted(&'a (dyn Fn([BodyId; 2]) -> f64 + Sync)),
}

impl std::fmt::Debug for BudgetPolicy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Together => "Together",
            Self::Weighted(_) => "Weighted",
        })
    }
}
