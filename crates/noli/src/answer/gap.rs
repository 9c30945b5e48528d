//! How far apart.

use super::{Guarantee, Witness};
use noli_geom::{Bracket, Pose};

/// How far apart two bodies are: a bracket on their gap, and the points that are that close.
///
/// `gap.at_most == 0` exactly when the bodies overlap. A budget that ran out leaves the bracket wide, never wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// No two points of the bodies are closer than `gap.at_least`, and some two are at most `gap.at_most` apart. That
    /// is infinite if nothing was found within [`ClearanceQuery::max_distance`](crate::query::ClearanceQuery) or the
    /// budget, or if there is nothing to be near to.
    pub gap: Bracket,
    /// The points that are `gap.at_most` apart, if any were found.
    pub witness: Option<Witness>,
    /// What the difference between a gap and none promises; the bracket itself always holds.
    pub guarantee: Guarantee,
}

impl Clearance {
    pub(crate) const UNKNOWN: Self = Self { gap: Bracket::OPEN, witness: None, guarantee: Guarantee::Exact };
    pub(crate) const INFINITE: Self = Self { gap: Bracket::INFINITE, ..Self::UNKNOWN };
    /// They overlap.
    pub(crate) const NONE: Self = Self { gap: Bracket::ZERO, ..Self::UNKNOWN };

    pub(crate) fn new(at_least: f64, at_most: f64, witness: Option<Witness>) -> Self {
        Self { gap: Bracket { at_least, at_most }, witness, ..Self::UNKNOWN }
    }

    /// The same with the bodies in the other order.
    pub(crate) fn swapped(self) -> Self {
        Self { witness: self.witness.map(Witness::swapped), ..self }
    }

    /// The gap where B reaches `radius` beyond what was measured; `hit` says whether that closes it.
    pub(crate) fn less(self, radius: f64, hit: bool) -> Self {
        if hit || self.gap.at_most == 0.0 {
            return Self { gap: Bracket::ZERO, ..self };
        }
        if radius == 0.0 {
            return self;
        }
        let at_least = (self.gap.at_least - radius).next_down().max(0.0);
        let at_most = (self.gap.at_most - radius).next_up().max(f64::MIN_POSITIVE);
        let witness = self.witness.map(|mut witness| {
            let back = (witness.on_a.point - witness.on_b.point).normalize_or_zero();
            witness.on_b.point += back * radius;
            witness
        });
        Self { gap: Bracket { at_least, at_most }, witness, ..self }
    }

    /// From the frame of a body to the world.
    pub(crate) fn placed(self, pose: &Pose) -> Self {
        let place = |mut witness: Witness| {
            witness.on_a.point = pose.transform_point(witness.on_a.point);
            witness.on_b.point = pose.transform_point(witness.on_b.point);
            witness
        };
        Self { witness: self.witness.map(place), ..self }
    }
}
