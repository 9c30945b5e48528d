//! Answers that are lists: what was found, and whether that is all.

use super::Guarantee;
use noli_geom::{Relation, Segment};

/// How much of what there is to look at was looked at.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Coverage {
    /// Everything.
    Whole,
    /// As much as the [`Sink`] wanted.
    Enough,
    /// The budget ran out, or a pose was invalid: what was told is true, more may be missing.
    Part,
}

/// All that was found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Listed<T> {
    /// What was found, in a stated order.
    pub items: Vec<T>,
    /// Whether that is all.
    pub coverage: Coverage,
    /// What it promises that each is there, and that none is missing where the coverage is whole.
    pub guarantee: Guarantee,
}

impl<T> Listed<T> {
    /// Whether it is proven that there is nothing.
    pub fn is_free(&self) -> bool {
        self.items.is_empty() && self.coverage == Coverage::Whole
    }
}

impl<T> std::ops::Deref for Listed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> IntoIterator for Listed<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// Two faces that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Crossing {
    /// Triangle of A; [`Mesh::user_face`](noli_geom::Mesh::user_face) gives the face as it was given.
    pub triangle_a: u32,
    /// Triangle of B.
    pub triangle_b: u32,
    /// `Crossing` where they pass through each other, `Touching` where they only share points.
    pub relation: Relation,
    /// Where they meet, in world coordinates, if asked for: the common segment, for coplanar faces the
    /// longest diagonal of the common region, for a point twice that point. Its kind is exact, its
    /// coordinates are rounded.
    pub segment: Option<Segment>,
}

/// Whether a [`Sink`] wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Yes.
    Continue,
    /// No.
    Stop,
}

/// Where crossings go.
pub trait Sink {
    /// Two faces meet.
    fn hit(&mut self, crossing: &Crossing) -> Next;
}

/// Keeps all.
impl Sink for Vec<Crossing> {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        self.push(*crossing);
        Next::Continue
    }
}

/// Keeps the first and stops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct First(pub Option<Crossing>);

impl Sink for First {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        self.0 = Some(*crossing);
        Next::Stop
    }
}

/// Counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub u64);

impl Sink for Count {
    fn hit(&mut self, _: &Crossing) -> Next {
        self.0 += 1;
        Next::Continue
    }
}
