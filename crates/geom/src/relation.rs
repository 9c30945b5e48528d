//! The words of an answer that geometry and engine share.

use glam::DVec3;

/// Relation of two bodies.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Relation {
    /// They share no point.
    Separated,
    /// They share points, but neither passes through the other.
    Touching,
    /// One passes through the other.
    Intersecting,
    /// A part of one lies within the other, and neither passes through the other's surface.
    Inside,
}

impl Relation {
    /// Returns `true` if the two share a point.
    pub fn overlaps(self) -> bool {
        self != Relation::Separated
    }
}

/// A bracket on the distance of two triangles, with the points that realise its upper end.
///
/// `at_least <= distance <= at_most` holds with all rounding included. `at_most == 0` exactly when they
/// overlap.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distance {
    /// No two points are closer than this.
    pub at_least: f64,
    /// Some two points are at most this distance from each other.
    pub at_most: f64,
    /// A point on A, up to rounding.
    pub witness_a: DVec3,
    /// A point on B, up to rounding, in the same frame.
    pub witness_b: DVec3,
}
