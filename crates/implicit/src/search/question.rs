//! Queries about objects, and the types of the answers.

use super::field::Field;
use glam::DVec3;
use noli_geom::{Aabb, Pose};
use std::fmt;

/// Parameters of the search.
#[derive(Clone, Copy)]
pub struct FieldQuery<'a> {
    /// Cells of this share of the region searched are not cut further. By default 2^-36.
    pub resolution: f64,
    /// Largest number of cells to visit. By default a million.
    pub cells: u64,
    /// A common point counts only where all within this distance of it (in each coordinate) is inside the
    /// objects too. By default 0.
    pub depth: f64,
    /// Uses mixtures of both functions; off only to measure their benefit.
    pub combine: bool,
    /// Callback, called now and then; `true` cancels the search.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Default for FieldQuery<'_> {
    fn default() -> Self {
        Self { resolution: 2f64.powi(-36), cells: 1_000_000, depth: 0.0, combine: true, stop: None }
    }
}

impl FieldQuery<'_> {
    /// Returns `true` if a search that has visited this many cells must end.
    pub(crate) fn is_over(&self, cells: u64) -> bool {
        cells >= self.cells || self.stop.is_some_and(|stop| stop())
    }
}

impl fmt::Debug for FieldQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldQuery")
            .field("resolution", &self.resolution)
            .field("cells", &self.cells)
            .field("depth", &self.depth)
            .field("combine", &self.combine)
            .finish_non_exhaustive()
    }
}

/// Result of testing if two objects share a point, as proven.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FieldVerdict {
    /// They share no point: proven.
    Free,
    /// They share a point: proven.
    Hit {
        /// Position in the frame of A, where it is exact: both functions are proven to be at most zero there.
        /// Points of a part without thickness need not be `f64`; there the proven point is within a few roundings
        /// of this one.
        point: DVec3,
    },
    /// Neither was proven at this resolution and budget.
    Unknown {
        /// Common points can only lie in this box, in the frame of A.
        within: Aabb,
    },
}

/// The answer of [`field_overlap`](crate::field_overlap) and what it took.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldOverlap {
    /// Proven verdict.
    pub verdict: FieldVerdict,
    /// Number of cells visited.
    pub cells: u64,
}

/// An object and its pose.
#[derive(Clone, Copy, Debug)]
pub struct PlacedField<'a> {
    /// The object in its own frame.
    pub field: &'a Field,
    /// Takes its frame to the world.
    pub world_from_field: Pose,
}

impl Field {
    /// The object at a place.
    pub fn at(&self, world_from_field: Pose) -> PlacedField<'_> {
        PlacedField { field: self, world_from_field }
    }
}

/// A bracket on the distance: `at_least <= distance <= at_most`, all rounding included.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldClearance {
    /// No two points of the objects are closer than this.
    #[cfg_attr(feature = "serde", serde(with = "noli_geom::unbounded"))]
    pub at_least: f64,
    /// Some two points are at most this distance from each other; infinite if none are found.
    #[cfg_attr(feature = "serde", serde(with = "noli_geom::unbounded"))]
    pub at_most: f64,
    /// Two points that are this close, in world coordinates, rounded.
    pub witness: Option<[DVec3; 2]>,
    /// Number of pairs of cells tested, after the cells of the search for a common point.
    pub pairs: u64,
}

impl FieldClearance {
    pub(crate) const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY, witness: None, pairs: 0 };
}

/// Parameters of a distance query: lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DistanceGoal {
    /// Largest distance of interest.
    #[cfg_attr(feature = "serde", serde(with = "noli_geom::unbounded"))]
    pub within: f64,
    /// Stop once the distance is known to be at most this.
    pub enough: f64,
    /// Largest width of the bracket.
    pub tolerance: f64,
    /// Alternative largest width, as a fraction of its lower end beyond `enough`.
    pub share: f64,
}

impl DistanceGoal {
    /// A bracket no wider than a length.
    pub fn narrow(tolerance: f64) -> Self {
        Self { within: f64::INFINITY, enough: 0.0, tolerance: tolerance.max(0.0), share: 0.0 }
    }

    pub(crate) fn is_reached(&self, at_least: f64, at_most: f64) -> bool {
        let width = self.tolerance.max(self.share * (at_least - self.enough));
        at_most <= self.enough || at_least > 0.0 && at_most - at_least <= width
    }
}
