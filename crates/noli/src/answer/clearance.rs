//! Distance between bodies.

use super::{Guarantee, Witness};
use noli_geom::{Bracket, Pose};

/// Distance of two bodies: a proven bracket, and the points that are that close.
///
/// `clearance.at_most == 0` exactly when the bodies overlap. A budget that ran out leaves the bracket wide, never wrong.
#[doc(alias("DistanceResult", "closest_points", "signed_distance"))]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clearance {
    /// Bracket on the distance. No two points of the bodies are closer than `distance.at_least`, and some pair is
    /// at most `distance.at_most` from each other. The upper bound is infinite if no pair was found within
    /// [`ClearanceQuery::max_distance`](crate::query::ClearanceQuery) or the budget, or if a body is empty.
    pub distance: Bracket,
    /// Witness points at distance `distance.at_most`, if any were found.
    pub witness: Option<Witness>,
    /// Guarantee on the distinction between positive and zero clearance; the bracket itself always holds.
    pub guarantee: Guarantee,
}

impl Clearance {
    pub(crate) const UNKNOWN: Self =
        Self { distance: Bracket::OPEN, witness: None, guarantee: Guarantee::Exact };
    pub(crate) const INFINITE: Self = Self { distance: Bracket::INFINITE, ..Self::UNKNOWN };
    /// They overlap.
    pub(crate) const NONE: Self = Self { distance: Bracket::ZERO, ..Self::UNKNOWN };

    pub(crate) fn new(at_least: f64, at_most: f64, witness: Option<Witness>) -> Self {
        Self { distance: Bracket { at_least, at_most }, witness, ..Self::UNKNOWN }
    }

    /// The same with the bodies in the other order.
    pub(crate) fn swapped(self) -> Self {
        Self { witness: self.witness.map(Witness::swapped), ..self }
    }

    /// Returns the clearance for a B expanded by `radius` beyond the measured body. `hit` is `true` if that closes
    /// it.
    pub(crate) fn less(self, radius: f64, hit: bool) -> Self {
        if hit || self.distance.at_most == 0.0 {
            return Self { distance: Bracket::ZERO, ..self };
        }
        if radius == 0.0 {
            return self;
        }
        let at_least = (self.distance.at_least - radius).next_down().max(0.0);
        let at_most = (self.distance.at_most - radius).next_up().max(f64::MIN_POSITIVE);
        let witness = self.witness.map(|mut witness| {
            let back = (witness.on_a.point - witness.on_b.point).normalize_or_zero();
            witness.on_b.point += back * radius;
            witness
        });
        Self { distance: Bracket { at_least, at_most }, witness, ..self }
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
