//! On which side of each other's plane two triangles lie.

use super::TrianglePair;
use super::pair::{A, B, Corner};

impl TrianglePair<'_> {
    /// For each corner of B the side of A's plane it lies on: 1 where A's corners turn counter-clockwise
    /// as seen from it, -1 on the other side, 0 on the plane or where A has no area. Exact.
    pub fn sides_of_b(&self) -> [i8; 3] {
        self.sides(A, B)
    }

    /// Where edge `k` of B (from its corner `k` to the next) passes strictly through the interior of A: the
    /// side of A's plane it comes from, as [`TrianglePair::sides_of_b`]. Exact.
    pub fn edge_of_b_through_a(&self, k: usize) -> Option<i8> {
        self.edge_through([B[k % 3], B[(k + 1) % 3]], A)
    }

    /// Where edge `k` of A passes strictly through the interior of B: the side it comes from. Exact.
    pub fn edge_of_a_through_b(&self, k: usize) -> Option<i8> {
        self.edge_through([A[k % 3], A[(k + 1) % 3]], B)
    }

    fn edge_through(&self, [p, q]: [Corner; 2], [a, b, c]: [Corner; 3]) -> Option<i8> {
        let [from, to, _] = self.sides([a, b, c], [p, q, q]);
        if from * to >= 0 {
            return None;
        }
        let turns = [[a, b], [b, c], [c, a]].map(|[s, t]| self.orient3d([s, t, p, q]));
        (turns[0] != 0 && turns[0] == turns[1] && turns[1] == turns[2]).then_some(from)
    }

    /// For each corner of A the side of B's plane it lies on, as [`TrianglePair::sides_of_b`]. Exact.
    pub fn sides_of_a(&self) -> [i8; 3] {
        self.sides(B, A)
    }

    /// Whether both have an area, lie in one plane and turn the same way there. Exact.
    pub fn are_alike(&self) -> bool {
        let turns = |axis: usize| self.orient2d(A, axis) * self.orient2d(B, axis);
        self.sides(A, B) == [0; 3] && self.projection(&[A]).is_some_and(|axis| turns(axis) > 0)
    }
}
