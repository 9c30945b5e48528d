//! On which side of each other's plane two triangles lie.

use super::TrianglePair;
use super::pair::{A, B, Vertex};

impl TrianglePair<'_> {
    /// For each vertex of B the side of A's plane it lies on: 1 where A's vertices turn counter-clockwise
    /// as seen from it, -1 on the other side, 0 on the plane or where A has no area. Exact.
    pub fn sides_of_b(&self) -> [i8; 3] {
        self.sides(A, B)
    }

    /// Returns the side of A's plane from which edge `k` of B (from its vertex `k` to the next) strictly enters
    /// the interior of A. Sides are as in [`TrianglePair::sides_of_b`]. Exact.
    pub fn edge_of_b_through_a(&self, k: usize) -> Option<i8> {
        self.edge_through([B[k % 3], B[(k + 1) % 3]], A)
    }

    /// Returns the side from which edge `k` of A passes strictly through the interior of B. Exact.
    pub fn edge_of_a_through_b(&self, k: usize) -> Option<i8> {
        self.edge_through([A[k % 3], A[(k + 1) % 3]], B)
    }

    fn edge_through(&self, [p, q]: [Vertex; 2], [a, b, c]: [Vertex; 3]) -> Option<i8> {
        let [from, to, _] = self.sides([a, b, c], [p, q, q]);
        if from * to >= 0 {
            return None;
        }
        let turns = [[a, b], [b, c], [c, a]].map(|[s, t]| self.orient3d([s, t, p, q]));
        (turns[0] != 0 && turns[0] == turns[1] && turns[1] == turns[2]).then_some(from)
    }

    /// For each vertex of A the side of B's plane it lies on, as [`TrianglePair::sides_of_b`]. Exact.
    pub fn sides_of_a(&self) -> [i8; 3] {
        self.sides(B, A)
    }

    /// Returns `true` if both have an area, are coplanar and have the same orientation. Exact.
    pub fn are_alike(&self) -> bool {
        let turns = |axis: usize| self.orient2d(A, axis) * self.orient2d(B, axis);
        self.sides(A, B) == [0; 3] && self.projection(&[A]).is_some_and(|axis| turns(axis) > 0)
    }
}
