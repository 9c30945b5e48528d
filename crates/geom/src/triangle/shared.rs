//! Intersection of two triangles of one surface beyond their shared vertices and edges.
//!
//! Neighbours in a mesh share a vertex or an edge by construction; only further common points are a defect.
//! All answers are signs of the predicates that decide the relation. On a smooth or flat surface,
//! projections of neighbours along the normal are already separated, which is cheap to test.

use super::pair::{A, B, TrianglePair, Vertex};
use crate::{Aabb, Triangle};
use glam::DVec3;

/// A vertex of A and the vertex of B at the same place.
type Joint = (Vertex, Vertex);

impl TrianglePair<'_> {
    /// Returns `true` if the triangles share a point that lies on no vertex and no edge they share. Vertices
    /// are shared if they have the same position. Exact for every input.
    ///
    /// Triangles without shared features count if they overlap; two copies of one triangle count if it has
    /// area.
    pub fn meets_beyond_shared(&self) -> bool {
        let (joints, count) = self.joints();
        match joints[..count] {
            [] => !self.boxes_are_separated() && self.overlaps(),
            [v] => self.meets_beyond_vertex(v),
            [p, q] => self.meets_beyond_edge(p, q),
            _ => (0..3).any(|axis| self.orient2d(A, axis) != 0),
        }
    }

    /// Returns the number of different vertices the triangles share. Exact.
    pub fn shared_vertices(&self) -> usize {
        self.joints().1
    }

    fn joints(&self) -> ([Joint; 3], usize) {
        let (mut joints, mut count) = ([(0, 0); 3], 0);
        for a in A {
            // The first at the same place, so that two vertices at one place make one joint.
            if let Some(b) = B.into_iter().find(|&b| self.coincide(a, b))
                && joints[..count].iter().all(|joint| joint.1 != b)
            {
                joints[count] = (a, b);
                count += 1;
            }
        }
        (joints, count)
    }

    /// Certain where all points are known exactly; of coplanar faces this settles most.
    fn boxes_are_separated(&self) -> bool {
        let (a, b) = self.points.split_at(3);
        let around = |points: &[DVec3]| Aabb::from_points(points.iter().copied());
        self.error == 0.0 && !around(a).overlaps(&around(b))
    }

    fn coincide(&self, a: Vertex, b: Vertex) -> bool {
        if self.error == 0.0 {
            return self.points[a] == self.points[b];
        }
        self.compare_lexicographic(a, b).is_eq()
    }

    /// Both triangles are unions of segments from the common vertex to the far side, so the last point
    /// of a common segment lies on the far side of one of them.
    fn meets_beyond_vertex(&self, (v, w): Joint) -> bool {
        let ([a0, a1], [b0, b1]) = (others(v), others(w));
        let seen = self.cones_meet(v, [a0, a1], [b0, b1], self.steepest_axis());
        if seen == Some(false) {
            return false;
        }
        let [of_a0, of_a1] = self.two_sides([w, b0, b1], [a0, a1]);
        if of_a0 * of_a1 > 0 {
            return false;
        }
        let [of_b0, of_b1] = self.two_sides([v, a0, a1], [b0, b1]);
        if of_b0 * of_b1 > 0 {
            return false;
        }
        if of_a0 * of_a1 < 0 && of_b0 * of_b1 < 0 {
            // Each leaves the vertex along the line of the two planes. With that line as third axis
            // and a0, b0 towards the first two, a0·(b0 × b1) has the sign of B's end on the line and
            // b0·(a0 × a1) the opposite of A's.
            return of_a0 * of_b0 < 0;
        }
        if let (Some(true), [0, 0, 0, 0]) = (seen, [of_a0, of_a1, of_b0, of_b1]) {
            return true;
        }
        self.far_side_meets(v, [a0, a1], B) || self.far_side_meets(w, [b0, b1], A)
    }

    /// The axis along which A is seen with the largest area, up to rounding.
    fn steepest_axis(&self) -> usize {
        let [a, b, c, ..] = self.points;
        let area = (b - a).cross(c - a).abs();
        if area.x >= area.y && area.x >= area.z { 0 } else { 1 + usize::from(area.z > area.y) }
    }

    /// Returns `true` if, projected along an axis, the sectors from `v` over `a` and over `b` share more than
    /// `v`. Then a side of one lies in the other. `None` if one projects to a line.
    fn cones_meet(&self, v: Vertex, a: [Vertex; 2], b: [Vertex; 2], axis: usize) -> Option<bool> {
        let turn = |p: Vertex, q: Vertex| self.orient2d([v, p, q], axis);
        let (of_a, of_b) = (turn(a[0], a[1]), turn(b[0], b[1]));
        if of_a == 0 || of_b == 0 {
            return None;
        }
        let turns = [[turn(a[0], b[0]), turn(a[0], b[1])], [turn(a[1], b[0]), turn(a[1], b[1])]];
        let b_in_a = |j: usize| turns[0][j] * of_a >= 0 && turns[1][j] * of_a <= 0;
        let a_in_b = |i: usize| turns[i][0] * of_b <= 0 && turns[i][1] * of_b >= 0;
        Some(b_in_a(0) || b_in_a(1) || a_in_b(0) || a_in_b(1))
    }

    /// Returns `true` if the segment `pq`, or its ends other than `v` where it runs through `v`, intersects
    /// `other`.
    fn far_side_meets(&self, v: Vertex, [p, q]: [Vertex; 2], other: [Vertex; 3]) -> bool {
        if !self.is_between(v, [p, q]) {
            return self.hull_meets([p, q, q], other);
        }
        [p, q].into_iter().any(|c| self.compare_lexicographic(c, v).is_ne() && self.hull_meets([c; 3], other))
    }

    /// Returns `true` if the hull of three vertices of one triangle, perhaps repeated, intersects the other.
    fn hull_meets(&self, vertices: [Vertex; 3], other: [Vertex; 3]) -> bool {
        let given = |c: Vertex| if c < 3 { self.a[c] } else { self.b[c - 3] };
        let [part, other] = [vertices, other].map(|t| Triangle { vertices: t.map(given) });
        let (a, b) = if vertices[0] < 3 { (part, other) } else { (other, part) };
        TrianglePair::new(&a, &b, self.frame).overlaps()
    }

    fn is_between(&self, v: Vertex, [p, q]: [Vertex; 2]) -> bool {
        let on_line = (0..3).all(|axis| self.orient2d([v, p, q], axis) == 0);
        let orders = [p, q].map(|c| self.compare_lexicographic(c, v));
        on_line && !(orders[0] == orders[1] && orders[0].is_ne())
    }

    /// Returns `true` if triangles with a common edge intersect beyond it. Different planes share only the line
    /// of that edge, and each triangle intersects the line in the edge. Coplanar triangles do if they lie on
    /// one side of it; collinear ones if they extend beyond the same end.
    fn meets_beyond_edge(&self, (p, r): Joint, (q, s): Joint) -> bool {
        let (a, b) = (3 - p - q, 12 - r - s);
        let axis = self.steepest_axis();
        if self.orient2d([p, q, a], axis) * self.orient2d([p, q, b], axis) < 0 {
            return false;
        }
        if self.orient3d([p, q, a, b]) != 0 {
            return false;
        }
        for axis in 0..3 {
            let turns = (self.orient2d([p, q, a], axis), self.orient2d([p, q, b], axis));
            if turns != (0, 0) {
                return turns.0 * turns.1 > 0;
            }
        }
        let ends = if self.compare_lexicographic(p, q).is_lt() { (p, q) } else { (q, p) };
        let below = |c| self.compare_lexicographic(c, ends.0).is_lt();
        let above = |c| self.compare_lexicographic(c, ends.1).is_gt();
        below(a) && below(b) || above(a) && above(b)
    }
}

/// The other two vertices of the same triangle, in order.
fn others(c: Vertex) -> [Vertex; 2] {
    let first = c / 3 * 3;
    [first + (c + 1) % 3, first + (c + 2) % 3]
}
