//! Triangles and segments.

mod closest;
mod distance;
mod exact_distance;
mod intersection;
mod local;
mod nearest;
mod pair;
mod passage;
mod relation;
mod shared;
mod sides;

pub use exact_distance::ExactDistance;
pub use intersection::Intersection;
pub use local::{CommonPoint, CommonVertices, Shares, VertexNeighborhood};
pub use pair::{PairFrame, TrianglePair};
pub use passage::Passage;

use crate::Aabb;
use glam::DVec3;

/// The convex hull of two points, which may coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment {
    /// One end.
    pub start: DVec3,
    /// The other end.
    pub end: DVec3,
}

/// The convex hull of three points; it may be degenerate to a segment or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle {
    /// The vertices; their order gives the orientation.
    pub vertices: [DVec3; 3],
}

impl Triangle {
    /// The triangle with these vertices.
    pub const fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { vertices: [a, b, c] }
    }

    /// Twice the area, along the normal of the counter-clockwise side.
    pub fn doubled_area_vector(&self) -> DVec3 {
        let [a, b, c] = self.vertices;
        (b - a).cross(c - a)
    }

    /// The smallest axis-aligned box around it.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(self.vertices)
    }
}
