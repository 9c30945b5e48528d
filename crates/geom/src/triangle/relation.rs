//! How two triangles stand to each other, exactly.
//!
//! The transversal case is Guigue & Devillers 2003: both intervals on the common line are compared
//! by orientations of corners, nothing is constructed. Degenerate triangles are reduced to their
//! hulls (segment or point), and whatever lies in one plane is decided by separating lines in a
//! projection along which that plane is not seen edge-on.

use super::pair::{A, B, Corner, TrianglePair};
use crate::Relation;

/// The cases of two triangles, with what later questions need.
#[derive(Debug)]
pub(crate) enum Stance {
    /// The plane of one has the other strictly on one side.
    Apart,
    /// Neither is degenerate, their planes meet in a line, and each triangle meets that line.
    Transversal(Transversal),
    /// A segment whose ends are not both in the plane of a proper face, nor strictly on one side.
    Pierces {
        /// Ends of the degenerate triangle.
        segment: [Corner; 2],
        /// The face.
        face: [Corner; 3],
    },
    /// All in one plane, or on one line.
    Flat(Hull, Hull),
}

/// Corner triples whose first corner is alone on its side of the other plane. Along the common line
/// A runs from edge `a[0]a[2]` to `a[0]a[1]`, B from `b[0]b[1]` to `b[0]b[2]`.
#[derive(Debug)]
pub(crate) struct Transversal {
    pub(crate) a: [Corner; 3],
    pub(crate) b: [Corner; 3],
    /// Whether each has corners strictly on both sides of the other's plane.
    pub(crate) through: bool,
    /// Whether one of them meets the line in a corner only.
    pub(crate) is_point: bool,
}

impl Transversal {
    /// `end_b − end_a` along the line, for the ends on `a[0]a[i]` and `b[0]b[j]`, as a sign.
    pub(crate) fn order(&self, pair: &TrianglePair<'_>, i: usize, j: usize) -> i8 {
        pair.orient3d([self.a[0], self.a[i], self.b[0], self.b[j]])
    }
}

/// Corners whose convex hull is the triangle: 3, or 2 if it is a segment, or 1 if a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hull {
    corners: [Corner; 3],
    len: usize,
}

impl Hull {
    /// Of a triangle with an area.
    pub(crate) fn face(corners: [Corner; 3]) -> Self {
        Self { corners, len: 3 }
    }

    pub(crate) fn corners(&self) -> &[Corner] {
        &self.corners[..self.len]
    }

    /// The first and the last corner: the ends of a segment.
    pub(crate) fn ends(&self) -> (Corner, Corner) {
        (self.corners[0], self.corners[self.len - 1])
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = [Corner; 2]> {
        let count = if self.len == 3 { 3 } else { self.len - 1 };
        (0..count).map(|k| [self.corners[k], self.corners[(k + 1) % 3]])
    }
}

impl TrianglePair<'_> {
    /// How the triangles stand to each other; exact for every input.
    ///
    /// `Crossing` means that the relative interiors meet transversally: the planes are not parallel, each
    /// triangle has corners strictly on both sides of the other's plane, and they share a segment of
    /// positive length. Every other way to share a point is `Touching`, also for coplanar overlap and for
    /// a triangle without area that pierces a face: it has no interior to cross with.
    pub fn relation(&self) -> Relation {
        self.relation_in(&self.stance())
    }

    pub(crate) fn relation_in(&self, stance: &Stance) -> Relation {
        match stance {
            Stance::Apart => Relation::Apart,
            Stance::Transversal(t) => {
                let (one, other) = (t.order(self, 1, 1), -t.order(self, 2, 2));
                match (one.max(other), t.through) {
                    (1, _) => Relation::Apart,
                    (-1, true) => Relation::Crossing,
                    _ => Relation::Touching,
                }
            }
            Stance::Pierces { segment, face } => touching_if(self.pierces(*segment, *face)),
            Stance::Flat(a, b) => touching_if(self.flat_hulls_meet(a, b)),
        }
    }

    /// Whether the triangles share a point; exact for every input.
    pub fn overlaps(&self) -> bool {
        self.relation().overlaps()
    }

    pub(crate) fn stance(&self) -> Stance {
        let a_sides = self.sides(B, A);
        if on_one_side(a_sides) {
            return Stance::Apart;
        }
        let b_sides = self.sides(A, B);
        if on_one_side(b_sides) {
            return Stance::Apart;
        }
        match (a_sides == [0; 3], b_sides == [0; 3]) {
            (false, false) => Stance::Transversal(transversal(a_sides, b_sides)),
            // Only a triangle without area spans no plane to be off.
            (false, true) => self.pierces_or_apart(A, B),
            (true, false) => self.pierces_or_apart(B, A),
            (true, true) => self.flat_or_apart(),
        }
    }

    fn pierces_or_apart(&self, degenerate: [Corner; 3], face: [Corner; 3]) -> Stance {
        match *self.hull(degenerate).corners() {
            [p, q] => Stance::Pierces { segment: [p, q], face },
            _ => Stance::Apart,
        }
    }

    fn flat_or_apart(&self) -> Stance {
        let (a, b) = (self.hull(A), self.hull(B));
        if let ([p, q], [r, s]) = (a.corners(), b.corners())
            && self.orient3d([*p, *q, *r, *s]) != 0
        {
            return Stance::Apart;
        }
        Stance::Flat(a, b)
    }

    /// Whether a segment that crosses the plane of a proper face does so within the face.
    fn pierces(&self, [p, q]: [Corner; 2], [a, b, c]: [Corner; 3]) -> bool {
        let turns = [self.orient3d([p, q, a, b]), self.orient3d([p, q, b, c]), self.orient3d([p, q, c, a])];
        !(turns.contains(&1) && turns.contains(&-1))
    }

    pub(crate) fn hull(&self, corners: [Corner; 3]) -> Hull {
        if self.projection(&[corners]).is_some() {
            return Hull::face(corners);
        }
        // Of collinear points the lexicographic extremes are the ends.
        let [mut low, mut high] = [corners[0]; 2];
        for c in corners {
            if self.compare_lexicographic(c, low).is_lt() {
                low = c;
            }
            if self.compare_lexicographic(c, high).is_gt() {
                high = c;
            }
        }
        let len = if self.compare_lexicographic(low, high).is_eq() { 1 } else { 2 };
        Hull { corners: [low, high, high], len }
    }

    /// An axis along which some of these triples is seen with area, preferably much of it.
    pub(crate) fn projection(&self, triples: &[[Corner; 3]]) -> Option<usize> {
        triples.iter().find_map(|t| {
            let [a, b, c] = t.map(|c| self.points[c]);
            let area = (b - a).cross(c - a).abs();
            let mut axes = [0, 1, 2];
            axes.sort_by(|&i, &j| area[j].total_cmp(&area[i]));
            axes.into_iter().find(|&axis| self.orient2d(*t, axis) != 0)
        })
    }

    /// The axis along which to look at two hulls that lie in one plane; none if they lie on a line.
    pub(crate) fn flat_projection(&self, a: &Hull, b: &Hull) -> Option<usize> {
        match (a.corners(), b.corners()) {
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

    /// Whether the line of an edge of `a` has `a` on one closed side and `b` on the other open one.
    fn separated_by_edge(&self, a: &Hull, b: &Hull, axis: usize) -> bool {
        a.edges().any(|[p, q]| {
            let turn = |&c: &Corner| self.orient2d([p, q, c], axis);
            let first = turn(&b.corners()[0]);
            first != 0
                && b.corners()[1..].iter().all(|c| turn(c) == first)
                && a.corners().iter().all(|c| *c == p || *c == q || turn(c) != first)
        })
    }

    fn collinear_hulls_meet(&self, a: &Hull, b: &Hull) -> bool {
        let ((a_low, a_high), (b_low, b_high)) = (a.ends(), b.ends());
        self.compare_lexicographic(a_low, b_high).is_le() && self.compare_lexicographic(b_low, a_high).is_le()
    }
}

fn touching_if(meet: bool) -> Relation {
    if meet { Relation::Touching } else { Relation::Apart }
}

fn on_one_side(sides: [i8; 3]) -> bool {
    sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2]
}

fn transversal(a_sides: [i8; 3], b_sides: [i8; 3]) -> Transversal {
    let both = |s: [i8; 3]| s.contains(&1) && s.contains(&-1);
    let ((i, a_side), (j, b_side)) = (lone_corner(a_sides), lone_corner(b_sides));
    let rotate = |t: [Corner; 3], k: usize, flip: bool| {
        let (p, q, r) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
        if flip { [p, r, q] } else { [p, q, r] }
    };
    // Seen from its own lone corner, each plane is to count as positive.
    Transversal {
        a: rotate(A, i, b_side < 0),
        b: rotate(B, j, a_side < 0),
        through: both(a_sides) && both(b_sides),
        is_point: a_sides[i] == 0 || b_sides[j] == 0,
    }
}

/// The corner whose closed side holds no other corner, except that it may touch the plane or the
/// others may: then both its edges still meet the plane in one point each. With its side.
fn lone_corner(sides: [i8; 3]) -> (usize, i8) {
    for k in 0..3 {
        let (s, p, q) = (sides[k], sides[(k + 1) % 3], sides[(k + 2) % 3]);
        if s != 0 && p != s && q != s {
            return (k, s);
        }
    }
    // One corner in the plane, the others strictly on one side.
    let k = sides.iter().position(|&s| s == 0).unwrap_or(0);
    (k, -sides[(k + 1) % 3])
}

#[cfg(test)]
mod tests {
    use crate::{PairFrame, Relation, RelativePose, Triangle, TrianglePair};
    use glam::DVec3;

    fn relation(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> Relation {
        let [a, b] = [a, b].map(|t| Triangle { corners: t.map(DVec3::from_array) });
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
            Relation::Crossing
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
        assert_eq!(relation(FLOOR, [[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [3.0, 3.0, 0.5]]), Relation::Apart);
        assert_eq!(relation(FLOOR, [[1.0, 1.0, 0.0]; 3]), Relation::Touching);
        assert_eq!(relation(FLOOR, [[1.0, 1.0, 1e-300]; 3]), Relation::Apart);
    }

    #[test]
    fn skew_segments_without_area_are_apart() {
        let a = [[0.0, 0.0, 0.0], [2.0, 2.0, 0.0], [1.0, 1.0, 0.0]];
        let below = [[0.0, 2.0, -1e-300], [2.0, 0.0, -1e-300], [2.0, 0.0, -1e-300]];
        assert_eq!(relation(a, below), Relation::Apart);
        assert_eq!(relation(a, below.map(|[x, y, _]| [x, y, 0.0])), Relation::Touching);
    }
}
