//! How far bodies reach into each other.

use super::Bracket;
use glam::DVec3;

/// The shortest translation that takes two bodies apart, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// No shorter translation than `at_least` takes them apart, and some translation of the length `at_most` does.
    pub depth: Bracket,
    /// Unit vector, rounded, in world coordinates: B moved along it by `depth.at_most` shares no volume with A. `None`
    /// if none was found, or if none is needed because they share no volume as they stand.
    pub direction: Option<DVec3>,
}

impl Penetration {
    /// They share no volume.
    pub const NONE: Self = Self { depth: Bracket::ZERO, direction: None };
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { depth: Bracket::OPEN, direction: None };

    /// The translation of B that takes the bodies apart, if one was found: the direction times `depth.at_most`, rounded,
    /// which is what was tried.
    pub fn translation(&self) -> Option<DVec3> {
        self.direction.map(|direction| direction * self.depth.at_most)
    }

    /// The same with the bodies exchanged.
    pub fn swapped(self) -> Self {
        Self { direction: self.direction.map(|direction| -direction), ..self }
    }
}
