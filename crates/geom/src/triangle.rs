//! Triangles and segments.

mod distance;
mod exact_distance;
mod intersection;
mod nearest;
mod pair;
mod passage;
mod relation;
mod shared;
mod sides;

pub use exact_distance::ExactDistance;
pub use intersection::Intersection;
pub use pair::{PairFrame, TrianglePair};
pub use passage::Passage;

use crate::Aabb;
use glam::DVec3;

/// The convex hull of two points, which may coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// One end.
    pub start: DVec3,
    /// The other end.
    pub end: DVec3,
}

/// The convex hull of three points; it may be degenerate to a segment or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The corners; their order gives the orientation.
    pub corners: [DVec3; 3],
}

impl Triangle {
    /// The triangle with these corners.
    pub const fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { corners: [a, b, c] }
    }

    /// Twice the area, along the normal of the counter-clockwise side.
    pub fn doubled_area_vector(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }

    /// The point of the triangle that is nearest to a point, up to rounding.
    pub fn closest_to(&self, point: DVec3) -> DVec3 {
        let normal = self.doubled_area_vector();
        let norm_sq = normal.length_squared();
        let inside = |k: usize| {
            let edge = self.corners[(k + 1) % 3] - self.corners[k];
            edge.cross(point - self.corners[k]).dot(normal) >= 0.0
        };
        if norm_sq > 0.0 && norm_sq.is_finite() && (0..3).all(inside) {
            return point - normal * ((point - self.corners[0]).dot(normal) / norm_sq);
        }
        let on_edge = |k: usize| {
            let (start, edge) = (self.corners[k], self.corners[(k + 1) % 3] - self.corners[k]);
            let length_sq = edge.length_squared();
            let share = if length_sq > 0.0 { (point - start).dot(edge) / length_sq } else { 0.0 };
            start + edge * share.clamp(0.0, 1.0)
        };
        let edges = [on_edge(0), on_edge(1), on_edge(2)];
        let distance = |p: &DVec3| p.distance_squared(point);
        edges.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(self.corners[0])
    }

    /// The smallest axis-aligned box around it.
    pub fn aabb(&self) -> Aabb {
        Aabb::around(self.corners)
    }
}
