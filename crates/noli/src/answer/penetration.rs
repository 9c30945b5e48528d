//! Penetration depth of two bodies.

use super::Bracket;
use glam::DVec3;

/// Bounds on the shortest translation that separates two bodies (minimal translation distance).
#[doc(alias("epa", "minimum_translation", "penetration depth"))]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// No translation shorter than `at_least` separates them, and some translation of length `at_most` does.
    pub depth: Bracket,
    /// Unit vector, rounded, in world coordinates: B moved along it by `depth.at_most` shares no volume with A.
    /// `None` if none was found, or if the bodies share no volume already.
    pub direction: Option<DVec3>,
}

impl Penetration {
    /// They share no volume.
    pub const NONE: Self = Self { depth: Bracket::ZERO, direction: None };
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { depth: Bracket::OPEN, direction: None };

    /// Returns the translation of B that separates the bodies, if one was found. It is the direction times
    /// `depth.at_most`, rounded, exactly as tested.
    pub fn translation(&self) -> Option<DVec3> {
        self.direction.map(|direction| direction * self.depth.at_most)
    }

    /// The same with the bodies exchanged.
    pub fn swapped(self) -> Self {
        Self { direction: self.direction.map(|direction| -direction), ..self }
    }
}
