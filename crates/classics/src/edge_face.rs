//! The static base test of Eckstein's thesis (1998, section 5.1): an edge against a convex face.
//!
//! Two convex faces intersect where an edge of one intersects the other, so all his costs are counted in
//! this test. It is kept as published, in floating point; verdicts of the engine come from
//! [`TrianglePair`](noli_geom::TrianglePair).

use glam::DVec3;
use noli_geom::Triangle;

/// Intersection of an edge and a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EdgeFace {
    /// It passes through the face at this share of its length.
    At(f64),
    /// It lies in the plane of the face and shares points with it.
    InPlane,
}

/// **Approximate**: tests an edge against a planar convex face, given counter-clockwise about its normal.
///
/// `slack` is the fraction of the size of both that counts as zero: 0 compares as printed, 1e-12 tolerates
/// rounding. Corrected: edges parallel to the plane above it do not intersect, parallel sides are skipped,
/// and both ends are tested in the plane.
///
/// ```
/// use glam::{DVec3, dvec3};
/// use noli_classics::{EdgeFace, edge_face};
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let through = [dvec3(0.2, 0.2, 1.0), dvec3(0.2, 0.2, -1.0)];
/// assert_eq!(edge_face(through, &face, 0.0), Some(EdgeFace::At(0.5)));
/// ```
pub fn edge_face([from, to]: [DVec3; 2], face: &[DVec3], slack: f64) -> Option<EdgeFace> {
    let normal = newell(face).try_normalize()?;
    let size = face.iter().chain([&from, &to]).map(|p| p.distance(face[0])).fold(0.0, f64::max);
    let near = slack * size;
    let height = |p: DVec3| normal.dot(p - face[0]);
    let heights = [height(from), height(to)];
    let sides = Sides { face, normal, near };
    if heights.iter().all(|h| h.abs() <= near) {
        return sides.meets_in_plane(from, to).then_some(EdgeFace::InPlane);
    }
    let [above, below] = heights;
    if (above > 0.0 && below > 0.0) || (above < 0.0 && below < 0.0) {
        return None;
    }
    let share = above / (above - below);
    sides.holds(from.lerp(to, share)).then_some(EdgeFace::At(share))
}

/// The sum of the cross products of consecutive vertices: twice the area along the normal.
fn newell(face: &[DVec3]) -> DVec3 {
    let vertex = |k: usize| face[k % face.len()] - face[0];
    (0..face.len()).map(|k| vertex(k).cross(vertex(k + 1))).sum()
}

/// The prism over a face.
struct Sides<'f> {
    face: &'f [DVec3],
    normal: DVec3,
    near: f64,
}

impl Sides<'_> {
    fn side(&self, k: usize) -> (DVec3, DVec3) {
        let (from, to) = (self.face[k], self.face[(k + 1) % self.face.len()]);
        (from, to - from)
    }

    fn holds(&self, point: DVec3) -> bool {
        (0..self.face.len()).all(|k| {
            let (from, edge) = self.side(k);
            edge.cross(self.normal).dot(point - from) <= self.near * edge.length()
        })
    }

    fn meets_in_plane(&self, from: DVec3, to: DVec3) -> bool {
        if self.holds(from) || self.holds(to) {
            return true;
        }
        (0..self.face.len()).any(|k| {
            let (vertex, edge) = self.side(k);
            let outward = edge.cross(self.normal);
            let across = outward.dot(to - from);
            // A collinear overlap leaves an end in the face or crosses another side.
            if across.abs() <= self.near * edge.length() {
                return false;
            }
            let share = outward.dot(vertex - from) / across;
            let along = edge.dot(from.lerp(to, share) - vertex) / edge.length_squared();
            (0.0..=1.0).contains(&share) && (0.0..=1.0).contains(&along)
        })
    }
}

/// **Approximate**: tests two triangles by the edges of each against the other, and counts these tests: all
/// six if the triangles are separated.
pub fn faces_by_edges(f: &Triangle, g: &Triangle, slack: f64) -> (bool, u32) {
    let edges = |t: &Triangle| [0, 1, 2].map(|k| [t.vertices[k], t.vertices[(k + 1) % 3]]);
    let tests = edges(f).map(|edge| (edge, g)).into_iter().chain(edges(g).map(|edge| (edge, f)));
    let mut count = 0;
    for (edge, face) in tests {
        count += 1;
        if edge_face(edge, &face.vertices, slack).is_some() {
            return (true, count);
        }
    }
    (false, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use noli_geom::{PairFrame, Pose, RelativePose, TrianglePair};
    use noli_scenes::SplitMix64;

    #[test]
    fn an_edge_meets_a_face_in_every_way() {
        let square = [DVec3::ZERO, DVec3::X, dvec3(1.0, 1.0, 0.0), DVec3::Y];
        let ask = |from: [f64; 3], to: [f64; 3]| edge_face([from.into(), to.into()], &square, 0.0);
        assert_eq!(ask([0.5, 0.5, -2.0], [0.5, 0.5, 2.0]), Some(EdgeFace::At(0.5)));
        assert_eq!(ask([1.0, 1.0, -1.0], [1.0, 1.0, 3.0]), Some(EdgeFace::At(0.25)), "a vertex");
        assert_eq!(ask([-1.0, 0.5, 0.0], [2.0, 0.5, 0.0]), Some(EdgeFace::InPlane), "across");
        assert_eq!(ask([0.2, 0.2, 0.0], [0.4, 0.7, 0.0]), Some(EdgeFace::InPlane), "within");
        assert_eq!(ask([0.5, 0.0, 0.0], [3.0, 0.0, 0.0]), Some(EdgeFace::InPlane), "along a side");
        assert_eq!(ask([-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]), Some(EdgeFace::InPlane), "over a whole side");
        assert_eq!(ask([1.5, -1.0, 0.0], [1.5, 2.0, 0.0]), None, "beside");
        assert_eq!(ask([0.2, 0.2, 1.0], [0.8, 0.8, 1.0]), None, "parallel above");
        assert_eq!(ask([0.2, 0.2, 1.0], [0.8, 0.8, 0.5]), None, "ends above");
    }

    /// On a grid, where a third of the pairs are coplanar, the six tests agree with the exact one; both orders
    /// agree.
    #[test]
    fn six_edges_say_what_the_exact_test_says() {
        let mut random = SplitMix64::new(51);
        let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY));
        let (mut met, mut flat) = (0, 0);
        for round in 0..20_000 {
            let mut grid = |z: f64| dvec3(random.between(0., 4.).floor(), random.between(0., 4.).floor(), z);
            let mut vertex = |k: usize| grid(if round % 3 == 0 { 0.0 } else { ((round + 7 * k) % 4) as f64 });
            let mut triangle = |first| Triangle::new(vertex(first), vertex(first + 1), vertex(first + 2));
            let (f, g) = (triangle(0), triangle(3));
            let area = |t: &Triangle| newell(&t.vertices).length();
            if area(&f) == 0.0 || area(&g) == 0.0 {
                continue;
            }
            let truth = TrianglePair::new(&f, &g, &frame).overlaps();
            let ((found, count), (swapped, _)) =
                (faces_by_edges(&f, &g, 1e-12), faces_by_edges(&g, &f, 1e-12));
            assert_eq!((found, swapped), (truth, truth), "{f:?} {g:?}");
            assert!(truth || count == 6);
            met += usize::from(truth);
            flat += usize::from(round % 3 == 0);
        }
        assert!(met > 2000 && flat > 2000, "{met} {flat}");
    }
}
