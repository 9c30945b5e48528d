//! Two features as one: they touch when the origin lies in the convex patch of their differences.
//!
//! For a vertex and a triangle the patch is the triangle seen from the vertex, for two edges it is the
//! parallelogram of all differences. Its vertices run straight, so a direction separates it from the
//! origin over a time span as soon as it does so for each vertex at both ends.

use super::{FeatureKind, FeaturePair, power_of_two_below};
use crate::number::round;
use glam::DVec3;

/// A convex patch of differences, moving. Lengths are scaled by a power of two where powers of them could
/// leave the range of `f64`.
pub(super) struct Patch {
    start: [DVec3; 4],
    end: [DVec3; 4],
    /// The largest magnitude of each component.
    reach: DVec3,
    /// The scaled margin.
    margin: f64,
    /// A power of two: lengths here over lengths as given.
    scale: f64,
}

impl Patch {
    #[inline]
    pub(super) fn new(pair: &FeaturePair, margin: f64) -> Self {
        let vertices = |p: &[DVec3; 4]| match pair.kind {
            FeatureKind::VertexFace => [p[1] - p[0], p[2] - p[0], p[3] - p[0], p[1] - p[0]],
            // In order around the parallelogram.
            FeatureKind::EdgeEdge => [p[2] - p[0], p[2] - p[1], p[3] - p[1], p[3] - p[0]],
        };
        let (start, end) = (vertices(&pair.start), vertices(&pair.end));
        let reach = start.iter().chain(&end).fold(DVec3::ZERO, |m, c| m.max(c.abs()));
        Self { start, end, reach, margin, scale: 1.0 }.in_range()
    }

    fn in_range(self) -> Self {
        let size = self.size();
        if size == 0.0 || (2.0f64.powi(-60)..2.0f64.powi(60)).contains(&size) {
            return self;
        }
        let factor = power_of_two_below(size).recip();
        let scaled = |vertices: [DVec3; 4]| vertices.map(|c| c * factor);
        let reach = self.reach * factor;
        let margin = self.margin * factor;
        Self { start: scaled(self.start), end: scaled(self.end), reach, margin, scale: factor }
    }

    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    pub(super) fn margin(&self) -> f64 {
        self.margin
    }

    /// The largest component of any difference: the length that tolerances refer to.
    pub(super) fn size(&self) -> f64 {
        self.reach.max_element()
    }

    /// A bound on the speed of any point of the patch.
    pub(super) fn speed(&self) -> f64 {
        let paths = self.start.iter().zip(&self.end).map(|(a, b)| (*b - *a).length());
        // Vertices are differences that were rounded.
        paths.fold(0.0, f64::max) + round::off(self.size(), 16)
    }

    #[inline]
    fn vertices(&self, time: f64) -> [DVec3; 4] {
        std::array::from_fn(|k| self.start[k] * (1.0 - time) + self.end[k] * time)
    }

    /// The point nearest to the origin at a time, up to rounding.
    #[inline]
    pub(super) fn nearest(&self, time: f64) -> DVec3 {
        let [a, b, c, d] = self.vertices(time);
        let first = nearest_to_origin(a, b, c);
        // The triangle is given as a patch whose last vertex is the first.
        if a == d {
            return first;
        }
        let second = nearest_to_origin(a, c, d);
        if first.length_squared() <= second.length_squared() { first } else { second }
    }

    /// A lower bound on the distance from the origin at a time, proven along the direction of the nearest
    /// point, or along the best of many where that fails.
    pub(super) fn proven_distance(&self, nearest: DVec3, time: f64) -> f64 {
        let proven = self.distance_along(nearest, time);
        if proven > 0.0 { proven } else { self.distance_along(self.best_direction(time), time) }
    }

    fn distance_along(&self, direction: DVec3, time: f64) -> f64 {
        let length = round::up(direction.length(), 4);
        if length < 2.0f64.powi(-400) {
            return 0.0; // products would underflow
        }
        let along = self.start.iter().zip(&self.end).map(|(start, end)| {
            let (a, b) = (direction.dot(*start), direction.dot(*end));
            (1.0 - time) * a + time * b
        });
        let least = along.fold(f64::INFINITY, f64::min) - self.error_along(direction);
        round::down(least / length, 2).max(0.0)
    }

    /// Until when the patch surely stays farther than the margin from the origin along `direction`, counted
    /// from `time`: `time` itself where it is not even there, infinity where it stays so to the end.
    #[inline]
    pub(super) fn free_until(&self, direction: DVec3, time: f64) -> f64 {
        let length = round::up(direction.length(), 4);
        if length < 2.0f64.powi(-400) {
            return time; // products would underflow
        }
        let taken = self.error_along(direction) + round::up(self.margin * length, 4);
        let mut until = f64::INFINITY;
        for (start, end) in self.start.iter().zip(&self.end) {
            // Lower bounds at both ends bound all times between.
            let (a, b) = (direction.dot(*start) - taken, direction.dot(*end) - taken);
            let now = (1.0 - time) * a + time * b;
            if now > round::off(a.abs() + b.abs(), 4) + f64::MIN_POSITIVE {
                if b < 0.0 {
                    until = until.min(round::down(a / (a - b), 4) - f64::MIN_POSITIVE);
                }
            } else {
                return time;
            }
        }
        until.max(time)
    }

    /// The direction, of many, along which the patch is free longest; for patches so thin that their nearest
    /// point is not known well enough.
    #[cold]
    pub(super) fn best_direction(&self, time: f64) -> DVec3 {
        let vertices = self.vertices(time);
        let [a, b, c, d] = vertices;
        let normals = [(b - a).cross(c - a), (c - b).cross(d - b), (d - c).cross(a - c)];
        let edges = [(a, b), (b, c), (c, d), (d, a), (a, c), (b, d)].map(|(p, q)| nearest_to_origin(p, q, q));
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let both = axes.into_iter().chain(normals).flat_map(|n| [n, -n]);
        let all = both.chain(edges).chain(vertices);
        let best = all.max_by(|p, q| self.free_until(*p, time).total_cmp(&self.free_until(*q, time)));
        best.unwrap_or(DVec3::ZERO)
    }

    /// A bound on the error of `direction · vertex` and of its interpolation in time: differences err by `u`,
    /// the dot product by `3u`, interpolation by `3u`, each of at most `Σ |direction_k|·reach_k`; and products, like what
    /// scaling made too small, may vanish.
    #[inline]
    fn error_along(&self, direction: DVec3) -> f64 {
        let size = direction.abs();
        round::off(size.dot(self.reach), 12) + f64::MIN_POSITIVE * (1.0 + size.element_sum())
    }
}

/// The point of a triangle nearest to the origin, by Voronoi regions (Ericson 2005), up to rounding:
/// a direction, along which a distance is proven. For triangles of less than 1e-7 of their distance it may be any point of the plane.
#[inline]
fn nearest_to_origin(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
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
