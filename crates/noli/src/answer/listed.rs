//! Answers that are lists: what was found, and whether that is all.

use super::Guarantee;
use noli_geom::{Relation, Segment};

/// Completeness of a list.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Completeness {
    /// Everything.
    Complete,
    /// As much as the [`Sink`] wanted.
    Enough,
    /// The budget ran out, or a pose was invalid: all reported items are correct, more may be missing.
    Partial,
}

/// All that was found.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Complete<T> {
    /// Items found, in a stated order.
    pub items: Vec<T>,
    /// Completeness of the list.
    pub completeness: Completeness,
    /// Guarantee that each item exists, and that none is missing if the list is complete.
    pub guarantee: Guarantee,
}

impl<T> Complete<T> {
    /// Returns `true` if the list is proven to be empty.
    pub fn is_free(&self) -> bool {
        self.items.is_empty() && self.completeness == Completeness::Complete
    }
}

impl<T> std::ops::Deref for Complete<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> IntoIterator for Complete<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// Two intersecting faces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intersection {
    /// Triangle of A; [`Mesh::user_face`](noli_geom::Mesh::user_face) gives the face as it was given.
    pub triangle_a: u32,
    /// Triangle of B.
    pub triangle_b: u32,
    /// `Intersecting` where they pass through each other, `Touching` where they only share points.
    pub relation: Relation,
    /// Intersection in world coordinates, if requested. It is the common segment, or for coplanar faces the longest
    /// diagonal of the common region, or twice the same point. Its kind is exact, its coordinates are rounded.
    pub segment: Option<Segment>,
}

/// Numbers of intersecting pairs of faces.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FaceCounts {
    /// Pairs of triangles that pass through each other.
    pub intersecting: u64,
    /// Pairs of triangles that only share points.
    pub touching: u64,
    /// The first pair found.
    pub first: Option<[u32; 2]>,
    /// `Complete` if the numbers are exact; otherwise they are lower bounds.
    pub completeness: Completeness,
}

impl FaceCounts {
    /// No pairs, proven.
    pub const NONE: Self =
        Self { intersecting: 0, touching: 0, first: None, completeness: Completeness::Complete };
}

/// Request of a [`Sink`]: continue or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Yes.
    Continue,
    /// No.
    Stop,
}

/// Receiver of intersections.
pub trait Sink {
    /// Receives one pair of intersecting faces.
    fn hit(&mut self, intersection: &Intersection) -> Next;
}

/// Keeps all.
impl Sink for Vec<Intersection> {
    fn hit(&mut self, intersection: &Intersection) -> Next {
        self.push(*intersection);
        Next::Continue
    }
}

/// Keeps the first and stops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct First(pub Option<Intersection>);

impl Sink for First {
    fn hit(&mut self, intersection: &Intersection) -> Next {
        self.0 = Some(*intersection);
        Next::Stop
    }
}

/// Counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub u64);

impl Sink for Count {
    fn hit(&mut self, _: &Intersection) -> Next {
        self.0 += 1;
        Next::Continue
    }
}
