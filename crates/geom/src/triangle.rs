//! Triangles and segments.

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

    /// The point of the triangle that is nearest to a point, up to rounding.
    pub fn closest_to(&self, point: DVec3) -> DVec3 {
        let [a, b, c] = self.vertices.map(|vertex| vertex - point);
        point + nearest_to_origin(a, b, c)
    }

    /// The smallest axis-aligned box around it.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(self.vertices)
    }
}

/// The point of a triangle nearest to the origin, by Voronoi regions (Ericson 2005), up to rounding.
#[inline]
pub(crate) fn nearest_to_origin(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 != d3 {
        return a + ab * (d1 / (d1 - d3));
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 != d6 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (to_b, to_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && to_b >= 0.0 && to_c >= 0.0 && to_b + to_c > 0.0 {
        return b + (c - b) * (to_b / (to_b + to_c));
    }
    // Along the normal: the in-plane formula loses the direction when the origin is near the plane.
    let normal = ab.cross(ac);
    let square = normal.length_squared();
    if square > 0.0 { normal * (normal.dot(a) / square) } else { a }
}
