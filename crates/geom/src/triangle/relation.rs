//! Exact relation of two triangles.
//!
//! The transversal case is Guigue & Devillers 2003: both intervals on the common line are compared by
//! orientations of vertices, nothing is constructed. Degenerate triangles are reduced to their hulls
//! (segment or point). Coplanar cases are decided by separating lines, in a projection that does not
//! collapse the plane.

use super::pair::{A, B, TrianglePair, Vertex};
use crate::Relation;

/// The cases of two triangles, with what later questions need.
#[derive(Debug)]
pub(crate) enum Stance {
    /// The plane of one has the other strictly on one side.
    Separated,
    /// Neither is degenerate, their planes intersect in a line, and each triangle intersects that line.
    Transversal(Transversal),
    /// A segment whose ends are not both in the plane of a proper face, nor strictly on one side.
    Pierces {
        /// Ends of the degenerate triangle.
        segment: [Vertex; 2],
        /// The face.
        face: [Vertex; 3],
    },
    /// All in one plane, or on one line.
    Flat(Hull, Hull),
}

/// Vertex triples whose first vertex is alone on its side of the other plane. Along the common line
/// A runs from edge `a[0]a[2]` to `a[0]a[1]`, B from `b[0]b[1]` to `b[0]b[2]`.
#[derive(Debug)]
pub(crate) struct Transversal {
    pub(crate) a: [Vertex; 3],
    pub(crate) b: [Vertex; 3],
    /// `true` if each has vertices strictly on both sides of the other's plane.
    pub(crate) through: bool,
    /// `true` if one of them touches the line in a vertex only.
    pub(crate) is_point: bool,
}

impl Transversal {
    /// `end_b − end_a` along the line, for the ends on `a[0]a[i]` and `b[0]b[j]`, as a sign.
    pub(crate) fn order(&self, pair: &TrianglePair<'_>, i: usize, j: usize) -> i8 {
        pair.orient3d([self.a[0], self.a[i], self.b[0], self.b[j]])
    }
}

/// Vertices whose convex hull is the triangle: 3, or 2 if it is a segment, or 1 if a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hull {
    vertices: [Vertex; 3],
    len: usize,
}

impl Hull {
    /// Of a triangle with an area.
    pub(crate) fn face(vertices: [Vertex; 3]) -> Self {
        Self { vertices, len: 3 }
    }

    pub(crate) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    /// The first and the last vertex: the ends of a segment.
    pub(crate) fn ends(&self) -> (Vertex, Vertex) {
        (self.vertices[0], self.vertices[self.len - 1])
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = [Vertex; 2]> {
        let count = if self.len == 3 { 3 } else { self.len - 1 };
        (0..count).map(|k| [self.vertices[k], self.vertices[(k + 1) % 3]])
    }
}

impl TrianglePair<'_> {
    /// Returns the relation of the triangles; exact for every input.
    ///
    /// `Intersecting` means that the relative interiors intersect transversally. The planes are not parallel,
    /// each triangle has vertices strictly on both sides of the other's plane, and they share a segment of
    /// positive length. All other cases with a shared point are `Touching`, also coplanar overlap. So is a
    /// triangle without area that pierces a face: it has no interior to intersect.
    pub fn relation(&self) -> Relation {
        self.relation_in(&self.stance())
    }

    pub(crate) fn relation_in(&self, stance: &Stance) -> Relation {
        match stance {
            Stance::Separated => Relation::Separated,
            Stance::Transversal(t) => {
                let (one, other) = (t.order(self, 1, 1), -t.order(self, 2, 2));
                match (one.max(other), t.through) {
                    (1, _) => Relation::Separated,
                    (-1, true) => Relation::Intersecting,
                    _ => Relation::Touching,
                }
            }
            Stance::Pierces { segment, face } => touching_if(self.pierces(*segment, *face)),
            Stance::Flat(a, b) => touching_if(self.flat_hulls_meet(a, b)),
        }
    }

    /// Returns `true` if the triangles share a point; exact for every input.
    pub fn overlaps(&self) -> bool {
        self.relation().overlaps()
    }

    pub(crate) fn stance(&self) -> Stance {
        let a_sides = self.sides(B, A);
        if on_one_side(a_sides) {
            return Stance::Separated;
        }
        let b_sides = self.sides(A, B);
        if on_one_side(b_sides) {
            return Stance::Separated;
        }
        match (a_sides == [0; 3], b_sides == [0; 3]) {
            (false, false) => Stance::Transversal(transversal(a_sides, b_sides)),
            // Only a triangle without area spans no plane to be off.
            (false, true) => self.pierces_or_separated(A, B),
            (true, false) => self.pierces_or_separated(B, A),
            (true, true) => self.flat_or_separated(),
        }
    }

    fn pierces_or_separated(&self, degenerate: [Vertex; 3], face: [Vertex; 3]) -> Stance {
        match *self.hull(degenerate).vertices() {
            [p, q] => Stance::Pierces { segment: [p, q], face },
            _ => Stance::Separated,
        }
    }

    fn flat_or_separated(&self) -> Stance {
        let (a, b) = (self.hull(A), self.hull(B));
        if let ([p, q], [r, s]) = (a.vertices(), b.vertices())
            && self.orient3d([*p, *q, *r, *s]) != 0
        {
            return Stance::Separated;
        }
        Stance::Flat(a, b)
    }

    /// Returns `true` if a segment that crosses the plane of a proper face does so within the face.
    fn pierces(&self, [p, q]: [Vertex; 2], [a, b, c]: [Vertex; 3]) -> bool {
        let turns = [self.orient3d([p, q, a, b]), self.orient3d([p, q, b, c]), self.orient3d([p, q, c, a])];
        !(turns.contains(&1) && turns.contains(&-1))
    }

    pub(crate) fn hull(&self, vertices: [Vertex; 3]) -> Hull {
        if self.projection(&[vertices]).is_some() {
            return Hull::face(vertices);
        }
        // Of collinear points the lexicographic extremes are the ends.
        let [mut low, mut high] = [vertices[0]; 2];
        for c in vertices {
            if self.compare_lexicographic(c, low).is_lt() {
                low = c;
            }
            if self.compare_lexicographic(c, high).is_gt() {
                high = c;
            }
        }
        let len = if self.compare_lexicographic(low, high).is_eq() { 1 } else { 2 };
        Hull { vertices: [low, high, high], len }
    }

    /// An axis along which some of these triples is seen with area, preferably much of it.
    pub(crate) fn projection(&self, triples: &[[Vertex; 3]]) -> Option<usize> {
        triples.iter().find_map(|t| {
            let [a, b, c] = t.map(|c| self.points[c]);
            let area = (b - a).cross(c - a).abs();
            let mut axes = [0, 1, 2];
            axes.sort_by(|&i, &j| area[j].total_cmp(&area[i]));
            axes.into_iter().find(|&axis| self.orient2d(*t, axis) != 0)
        })
    }

    /// Returns the projection axis for two coplanar hulls; `None` if they lie on a line.
    pub(crate) fn flat_projection(&self, a: &Hull, b: &Hull) -> Option<usize> {
        match (a.vertices(), b.vertices()) {
            (_, &[b0, b1, b2]) => self.projection(&[[b0, b1, b2]]),
            (&[a0, a1, a2], _) => self.projection(&[[a0, a1, a2]]),
            (&[a0, a1], &[b0, b1]) => self.projection(&[[a0, a1, b0], [a0, a1, b1]]),
            (&[p], &[q, r]) | (&[q, r], &[p]) => self.projection(&[[p, q, r]]),
            _ => None,
        }
    }

    fn flat_hulls_meet(&self, a: &Hull, b: &Hull) -> bool {
        match self.flat_projection(a, b) {
            Some(axis) => !self.separated_by_edge(a, b, axis) && !self.separated_by_edge(b, a, axis),
            None => self.collinear_hulls_meet(a, b),
        }
    }

    /// Returns `true` if the line of an edge of `a` has `a` on one closed side and `b` on the other open one.
    fn separated_by_edge(&self, a: &Hull, b: &Hull, axis: usize) -> bool {
        a.edges().any(|[p, q]| {
            let turn = |&c: &Vertex| self.orient2d([p, q, c], axis);
            let first = turn(&b.vertices()[0]);
            first != 0
                && b.vertices()[1..].iter().all(|c| turn(c) == first)
                && a.vertices().iter().all(|c| *c == p || *c == q || turn(c) != first)
        })
    }

    fn collinear_hulls_meet(&self, a: &Hull, b: &Hull) -> bool {
        let ((a_low, a_high), (b_low, b_high)) = (a.ends(), b.ends());
        self.compare_lexicographic(a_low, b_high).is_le() && self.compare_lexicographic(b_low, a_high).is_le()
    }
}

fn touching_if(meet: bool) -> Relation {
    if meet { Relation::Touching } else { Relation::Separated }
}

fn on_one_side(sides: [i8; 3]) -> bool {
    sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2]
}

fn transversal(a_sides: [i8; 3], b_sides: [i8; 3]) -> Transversal {
    let both = |s: [i8; 3]| s.contains(&1) && s.contains(&-1);
    let ((i, a_side), (j, b_side)) = (lone_vertex(a_sides), lone_vertex(b_sides));
    let rotate = |t: [Vertex; 3], k: usize, flip: bool| {
        let (p, q, r) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
        if flip { [p, r, q] } else { [p, q, r] }
    };
    // Seen from its own lone vertex, each plane is to count as positive.
    Transversal {
        a: rotate(A, i, b_side < 0),
        b: rotate(B, j, a_side < 0),
        through: both(a_sides) && both(b_sides),
        is_point: a_sides[i] == 0 || b_sides[j] == 0,
    }
}

/// Returns the vertex whose closed side contains no other vertex, with its side. It or the others may touch
/// the plane: then both its edges still intersect the plane in one point each.
fn lone_vertex(sides: [i8; 3]) -> (usize, i8) {
    for k in 0..3 {
        let (s, p, q) = (sides[k], sides[(k + 1) % 3], sides[(k + 2) % 3]);
        if s != 0 && p != s && q != s {
            return (k, s);
        }
    }
    // One vertex in the plane, the others strictly on one side.
    let k = sides.iter().position(|&s| s == 0).unwrap_or(0);
    (k, -sides[(k + 1) % 3])
}

#[cfg(test)]
mod tests {
    use crate::{PairFrame, Relation, RelativePose, Triangle, TrianglePair};
    use glam::DVec3;

    fn relation(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> Relation {
        let [a, b] = [a, b].map(|t| Triangle { vertices: t.map(DVec3::from_array) });
        let frame = PairFrame::new(&RelativePose::identity());
        let answer = TrianglePair::new(&a, &b, &frame).relation();
        assert_eq!(answer, TrianglePair::new(&b, &a, &frame).relation());
        answer
    }

    const FLOOR: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    #[test]
    fn a_wall_through_the_floor_crosses() {
        assert_eq!(
            relation(FLOOR, [[1.0, 1.0, -1.0], [2.0, 1.0, -1.0], [1.0, 1.0, 1.0]]),
            Relation::Intersecting
        );
    }

    #[test]
    fn a_wall_on_the_floor_touches() {
        assert_eq!(relation(FLOOR, [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), Relation::Touching);
    }

    #[test]
    fn edges_that_meet_in_a_point_touch() {
        assert_eq!(
            relation(FLOOR, [[1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [1.0, -3.0, 0.0]]),
            Relation::Touching
        );
    }

    #[test]
    fn coplanar_overlap_touches() {
        assert_eq!(relation(FLOOR, [[1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [1.0, 9.0, 0.0]]), Relation::Touching);
        assert_eq!(relation(FLOOR, FLOOR), Relation::Touching);
    }

    #[test]
    fn a_triangle_without_area_touches_what_it_pierces() {
        assert_eq!(relation(FLOOR, [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 0.5]]), Relation::Touching);
        assert_eq!(
            relation(FLOOR, [[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [3.0, 3.0, 0.5]]),
            Relation::Separated
        );
        assert_eq!(relation(FLOOR, [[1.0, 1.0, 0.0]; 3]), Relation::Touching);
        assert_eq!(relation(FLOOR, [[1.0, 1.0, 1e-300]; 3]), Relation::Separated);
    }

    #[test]
    fn skew_segments_without_area_are_apart() {
        let a = [[0.0, 0.0, 0.0], [2.0, 2.0, 0.0], [1.0, 1.0, 0.0]];
        let below = [[0.0, 2.0, -1e-300], [2.0, 0.0, -1e-300], [2.0, 0.0, -1e-300]];
        assert_eq!(relation(a, below), Relation::Separated);
        assert_eq!(relation(a, below.map(|[x, y, _]| [x, y, 0.0])), Relation::Touching);
    }
}
