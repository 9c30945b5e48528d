//! What is asked about objects, and the words of the answers.

use super::field::Field;
use glam::DVec3;
use noli_geom::{Aabb, Pose};
use std::fmt;

/// How to search.
#[derive(Clone, Copy)]
pub struct FieldQuery<'a> {
    /// Cells of this share of the region searched are not cut further. By default 2^-36.
    pub resolution: f64,
    /// The most cells to look at. By default a million.
    pub cells: u64,
    /// A common point counts only where all within this distance of it (in each coordinate) is inside the
    /// objects too. By default 0.
    pub depth: f64,
    /// Whether mixtures of both functions are used; off only to measure what they are worth.
    pub combine: bool,
    /// Asked now and then whether to give up.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Default for FieldQuery<'_> {
    fn default() -> Self {
        Self { resolution: 2f64.powi(-36), cells: 1_000_000, depth: 0.0, combine: true, stop: None }
    }
}

impl FieldQuery<'_> {
    /// Whether a search that has looked at so many cells is to end.
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

/// Whether two objects share a point, and what was proven.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum FieldVerdict {
    /// They share no point: proven.
    Free,
    /// They share a point: proven.
    Hit {
        /// In the frame of A, where it is exact: both functions are proven to be at most zero there. Where a
        /// part without thickness is met, whose points need not be `f64`, the proven point is within a few
        /// roundings of this one.
        point: DVec3,
    },
    /// Neither was proven at this resolution and budget.
    Unknown {
        /// Common points can only lie in this box, in the frame of A.
        within: Aabb,
    },
}

/// The answer of [`field_overlap`](crate::field_overlap) and what it took.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldOverlap {
    /// What was proven.
    pub verdict: FieldVerdict,
    /// How many cells were looked at.
    pub cells: u64,
}

/// An object and where it stands.
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

/// A bracket on the gap: `at_least <= gap <= at_most`, all rounding included.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldClearance {
    /// No two points of the objects are closer than this.
    #[cfg_attr(feature = "serde", serde(with = "noli_geom::unbounded"))]
    pub at_least: f64,
    /// Some two points are at most this far apart; infinite where none are known.
    #[cfg_attr(feature = "serde", serde(with = "noli_geom::unbounded"))]
    pub at_most: f64,
    /// Two points that are this close, in world coordinates, rounded.
    pub witness: Option<[DVec3; 2]>,
    /// How many pairs of cells were looked at, after the cells of the search for a common point.
    pub pairs: u64,
}

impl FieldClearance {
    pub(crate) const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY, witness: None, pairs: 0 };
}

/// What is asked of a gap: lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GapGoal {
    /// Nothing further apart is of interest.
    #[cfg_attr(feature = "serde", serde(with = "noli_geom::unbounded"))]
    pub within: f64,
    /// Stop once the gap is known to be at most this.
    pub enough: f64,
    /// How wide the bracket may be.
    pub tolerance: f64,
    /// How wide it may also be, as a share of its lower end beyond `enough`.
    pub share: f64,
}

impl GapGoal {
    /// A bracket no wider than a length.
    pub fn narrow(tolerance: f64) -> Self {
        Self { within: f64::INFINITY, enough: 0.0, tolerance: tolerance.max(0.0), share: 0.0 }
    }

    pub(crate) fn is_reached(&self, at_least: f64, at_most: f64) -> bool {
        let width = self.tolerance.max(self.share * (at_least - self.enough));
        at_most <= self.enough || at_least > 0.0 && at_most - at_least <= width
    }
}
