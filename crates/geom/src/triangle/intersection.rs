//! Intersection of two triangles, as geometry.
//!
//! Exact signs alone decide which points bound the intersection, so the number of points is right; only
//! their coordinates are rounded. Each is a vertex or the intersection of an edge with the other plane. It
//! is computed in `f64` where its error bound allows, otherwise from exact integers.

use super::pair::{A, B, TrianglePair, Vertex};
use super::relation::{Hull, Stance, Transversal};
use crate::number::double_double::DoubleDouble;
use crate::number::exact;
use crate::pose::PlacedIntegers;
use crate::{Relation, Segment};
use glam::DVec3;
use std::array;

/// The common part of two triangles, in A's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intersection {
    /// Relation of the triangles; exact.
    pub relation: Relation,
    points: [DVec3; 6],
    len: usize,
}

impl Intersection {
    /// Returns the vertices of the intersection: none if separated, 1 for a point, 2 for a segment. A common
    /// region of coplanar triangles has up to 6, in order around it. The number is exact; each coordinate is
    /// within `2^-36` of the largest coordinate of the triangles in A's frame.
    pub fn points(&self) -> &[DVec3] {
        &self.points[..self.len]
    }

    /// The common segment, where it is one; an intersection always has it.
    pub fn segment(&self) -> Option<Segment> {
        match *self.points() {
            [start, end] => Some(Segment { start, end }),
            _ => None,
        }
    }

    fn new(relation: Relation) -> Self {
        Self { relation, points: [DVec3::ZERO; 6], len: 0 }
    }

    fn push(&mut self, point: DVec3) {
        if let Some(free) = self.points.get_mut(self.len) {
            *free = point;
            self.len += 1;
        }
    }

    /// Orders points of a plane around their middle, seen along an axis.
    fn sort_around(&mut self, axis: usize) {
        let points = &mut self.points[..self.len];
        let middle = points.iter().map(|p| *p / self.len as f64).sum::<DVec3>();
        let angle = |p: &DVec3| {
            let d = *p - middle;
            d[(axis + 2) % 3].atan2(d[(axis + 1) % 3])
        };
        points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    }
}

/// A function that is affine along every edge and zero where the edge intersects another feature.
#[derive(Clone, Copy)]
enum Gauge {
    /// Height over the plane of three vertices.
    Plane([Vertex; 3]),
    /// Height over the line of two vertices, seen along an axis.
    Line([Vertex; 2], usize),
}

impl TrianglePair<'_> {
    /// The relation and the common part.
    pub fn intersection(&self) -> Intersection {
        let stance = self.stance();
        let relation = self.relation_in(&stance);
        let mut found = Intersection::new(relation);
        if relation == Relation::Separated {
            return found;
        }
        match stance {
            Stance::Separated => {}
            Stance::Transversal(t) => self.common_segment(&t, &mut found),
            Stance::Pierces { segment, face } => found.push(self.meet(segment, Gauge::Plane(face))),
            Stance::Flat(a, b) => self.common_region(&a, &b, &mut found),
        }
        found
    }

    /// From the later start to the earlier end of the two intervals on the common line.
    fn common_segment(&self, t: &Transversal, found: &mut Intersection) {
        let of_a = |i: usize| self.meet([t.a[0], t.a[i]], Gauge::Plane(B));
        let of_b = |j: usize| self.meet([t.b[0], t.b[j]], Gauge::Plane(A));
        found.push(if t.order(self, 2, 1) > 0 { of_b(1) } else { of_a(2) });
        let is_point = t.is_point || t.order(self, 1, 1) == 0 || t.order(self, 2, 2) == 0;
        if !is_point {
            found.push(if t.order(self, 1, 2) < 0 { of_b(2) } else { of_a(1) });
        }
    }

    /// Vertices of each in the other, and intersections of edges; no point twice.
    fn common_region(&self, a: &Hull, b: &Hull, found: &mut Intersection) {
        let Some(axis) = self.flat_projection(a, b) else {
            return self.common_part_of_line(a, b, found);
        };
        for &c in a.vertices() {
            if self.flat_contains(b, c, axis) {
                found.push(self.vertex(c));
            }
        }
        for &c in b.vertices() {
            let is_new = a.vertices().iter().all(|&other| self.compare_lexicographic(c, other).is_ne());
            if is_new && self.flat_contains(a, c, axis) {
                found.push(self.vertex(c));
            }
        }
        for [p, q] in a.edges() {
            for [r, s] in b.edges() {
                if self.edges_cross([p, q], [r, s], axis) {
                    found.push(self.meet([p, q], Gauge::Line([r, s], axis)));
                }
            }
        }
        if found.len > 2 {
            found.sort_around(axis);
        }
    }

    fn common_part_of_line(&self, a: &Hull, b: &Hull, found: &mut Intersection) {
        let ((a_low, a_high), (b_low, b_high)) = (a.ends(), b.ends());
        let low = if self.compare_lexicographic(a_low, b_low).is_ge() { a_low } else { b_low };
        let high = if self.compare_lexicographic(a_high, b_high).is_le() { a_high } else { b_high };
        found.push(self.vertex(low));
        if self.compare_lexicographic(low, high).is_ne() {
            found.push(self.vertex(high));
        }
    }

    /// Returns `true` if a vertex in the plane of a hull lies in it.
    pub(crate) fn flat_contains(&self, hull: &Hull, c: Vertex, axis: usize) -> bool {
        match *hull.vertices() {
            [p, q, r] => {
                let turns = [[p, q, c], [q, r, c], [r, p, c]].map(|t| self.orient2d(t, axis));
                !(turns.contains(&1) && turns.contains(&-1))
            }
            [p, q] => {
                let between =
                    self.compare_lexicographic(p, c).is_le() && self.compare_lexicographic(c, q).is_le();
                between && self.orient2d([p, q, c], axis) == 0
            }
            [p] => self.compare_lexicographic(p, c).is_eq(),
            _ => false,
        }
    }

    /// Returns `true` if two coplanar edges intersect inside both.
    pub(crate) fn edges_cross(&self, [p, q]: [Vertex; 2], [r, s]: [Vertex; 2], axis: usize) -> bool {
        let opposite = |x: [Vertex; 3], y: [Vertex; 3]| self.orient2d(x, axis) * self.orient2d(y, axis) < 0;
        opposite([p, q, r], [p, q, s]) && opposite([r, s, p], [r, s, q])
    }

    fn vertex(&self, c: Vertex) -> DVec3 {
        if c < 3 || self.is_accurate(self.error) {
            return self.points[c];
        }
        let placed = self.integers();
        self.rounded(&placed, &placed.points[c], &1.into())
    }

    /// Returns `true` if a coordinate error is within the bound of [`Intersection::points`].
    fn is_accurate(&self, error: f64) -> bool {
        let largest = self.points.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        error <= 2.0f64.powi(-38) * largest
    }

    /// The point of an edge where a gauge with opposite signs (or one zero) at its ends vanishes.
    ///
    /// With values `x`, `y` at the ends known within `e`, `f` the place along the edge is known within
    /// `(e + f) / (|x − y| − e − f)` of its length.
    fn meet(&self, [p, q]: [Vertex; 2], gauge: Gauge) -> DVec3 {
        let rounded = || self.meet_rounded([p, q], gauge);
        // The rounding of the pose is most of the error: without it nearly all places are known well enough.
        if let Some(point) = rounded().or_else(|| self.sharpened()?.meet_rounded([p, q], gauge)) {
            return point;
        }
        let placed = self.integers();
        let [x, y] = [p, q].map(|c| gauge_exactly(gauge, &placed, c));
        let span = &x - &y;
        if span == 0.into() {
            return self.vertex(p);
        }
        let (ends, sign) = ((&placed.points[p], &placed.points[q]), if span < 0.into() { -1 } else { 1 });
        let point = array::from_fn(|k| (&ends.1[k] * &x - &ends.0[k] * &y) * sign);
        self.rounded(&placed, &point, &(span * sign))
    }

    fn meet_rounded(&self, [p, q]: [Vertex; 2], gauge: Gauge) -> Option<DVec3> {
        let ((x, e), (y, f)) = (self.gauge(gauge, p), self.gauge(gauge, q));
        let (span, edge) = ((x - y).abs(), self.points[q] - self.points[p]);
        let error = (e + f) / (span - e - f) * edge.abs().max_element();
        let known = span > 2.0 * (e + f) && self.is_accurate(2.0 * (error + self.error));
        known.then(|| self.points[p] + edge * (x / (x - y)).clamp(0.0, 1.0))
    }

    fn gauge(&self, gauge: Gauge, c: Vertex) -> (f64, f64) {
        match gauge {
            Gauge::Plane(face) => self.height(face, c),
            Gauge::Line([r, s], axis) => self.doubled_area([r, s, c], axis),
        }
    }

    fn integers(&self) -> PlacedIntegers {
        self.frame.exact().place(&self.a, &self.b)
    }

    /// `point / weight` as a point in A's frame.
    fn rounded(
        &self,
        placed: &PlacedIntegers,
        point: &exact::IntegerPoint,
        weight: &dashu_int::IBig,
    ) -> DVec3 {
        let denominator = weight * self.frame.exact().denominator();
        DVec3::from_array(array::from_fn(|k| {
            DoubleDouble::ratio(&point[k], &denominator, placed.exponent).hi
        }))
    }
}

fn gauge_exactly(gauge: Gauge, placed: &PlacedIntegers, c: Vertex) -> dashu_int::IBig {
    match gauge {
        Gauge::Plane([i, j, k]) => exact::volume([i, j, k, c].map(|c| &placed.points[c])),
        Gauge::Line([r, s], axis) => exact::area([r, s, c].map(|c| &placed.points[c]), axis),
    }
}
