//! Intersection of an edge with a triangle, for ray casts.

use super::pair::{A, B, TrianglePair, Vertex};
use crate::Triangle;
use crate::number::double_double::DoubleDouble;
use crate::number::exact;
use dashu_int::IBig;

/// First intersection of an edge with a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// The share of the edge before it, from 0 to 1. Within `2^-40` of itself, unless the edge runs in
    /// the triangle's plane: then its point is within `2^-40` of the largest coordinate.
    pub at: f64,
    /// The side of the triangle's plane the edge comes from, as
    /// [`TrianglePair::sides_of_b`]; 0 where it runs in the plane or the triangle has no area. Exact.
    pub from: i8,
}

/// Values this good, relative to themselves, make a ratio within `2^-40`.
const ACCURATE: f64 = 1.0 / (1u64 << 42) as f64;

impl TrianglePair<'_> {
    /// Returns the first intersection of edge `k` of B (from its vertex `k` to the next) with A. Its existence
    /// is exact.
    pub fn edge_of_b_meets_a(&self, k: usize) -> Option<Passage> {
        let [p, q] = [self.b[k % 3], self.b[(k + 1) % 3]];
        let (a, edge) = (Triangle { vertices: self.a }, Triangle::new(p, q, q));
        TrianglePair::new(&a, &edge, self.frame).passage([B[0], B[1]], A)
    }

    /// Returns the first intersection of edge `k` of A with B.
    pub fn edge_of_a_meets_b(&self, k: usize) -> Option<Passage> {
        let [p, q] = [self.a[k % 3], self.a[(k + 1) % 3]];
        let (edge, b) = (Triangle::new(p, q, q), Triangle { vertices: self.b });
        TrianglePair::new(&edge, &b, self.frame).passage([A[0], A[1]], B)
    }

    fn passage(&self, edge: [Vertex; 2], face: [Vertex; 3]) -> Option<Passage> {
        if !self.overlaps() {
            return None;
        }
        Some(match self.two_sides(face, edge) {
            [0, 0] => Passage { at: self.first_in_plane(edge), from: 0 },
            [0, to] => Passage { at: 0.0, from: -to },
            [from, 0] => Passage { at: 1.0, from },
            [from, _] => Passage { at: self.share_before(edge, face), from },
        })
    }

    /// Heights over the face are affine along the edge, so they part it where they vanish.
    fn share_before(&self, [p, q]: [Vertex; 2], face: [Vertex; 3]) -> f64 {
        let ((x, x_error), (y, y_error)) = (self.height(face, p), self.height(face, q));
        let span = (x - y).abs();
        if x_error <= ACCURATE * x.abs() && y_error <= ACCURATE * span {
            return (x.abs() / span).min(1.0);
        }
        let placed = self.frame.exact().place(&self.a, &self.b);
        let height = |c: Vertex| {
            let [i, j, k] = face;
            exact::volume([i, j, k, c].map(|c| &placed.points[c]))
        };
        let (x, y) = (height(p), height(q));
        let (x, span) = if x < y { (-&x, &y - &x) } else { (x.clone(), &x - &y) };
        if span == IBig::ZERO { 0.0 } else { DoubleDouble::ratio(&x, &span, 0).hi }
    }

    fn first_in_plane(&self, [p, q]: [Vertex; 2]) -> f64 {
        // To unit size, so that no square leaves the range of `f64`.
        let along = self.points[q] - self.points[p];
        let unit = along.abs().max_element();
        if unit == 0.0 {
            return 0.0;
        }
        let along = along / unit;
        let share = |point: &glam::DVec3| ((*point - self.points[p]) / unit).dot(along) / along.dot(along);
        let shares = self.intersection().points().iter().map(share).fold(1.0, f64::min);
        shares.clamp(0.0, 1.0)
    }
}
