//! Intersection of an edge and a face by means of two lines (Goldman, Graphics Gems 1990).
//!
//! The face test of the four steps' robot cell projects an edge on the face and intersects the two lines by
//! Goldman's determinants. As printed it errs by the length of an edge and ignores the ends of edges. It
//! also divides by zero where the edge is perpendicular to the face or lies in it (see
//! [`printed::edge_face`](super::printed::edge_face)).

use glam::{DMat3, DVec3};
use noli_geom::{PairFrame, RelativePose, Triangle, TrianglePair};

/// Approximate, by rounding: `[s, r]` so that `p + s·u` and `q + r·w` are the nearest points of two lines;
/// nothing where they are parallel. `u` and `w` are used at full length throughout.
///
/// ```
/// use noli_classics::nearest_on_lines;
/// use glam::DVec3;
/// let nearest = nearest_on_lines(DVec3::ZERO, DVec3::X * 4.0, DVec3::new(1.0, -3.0, 5.0), DVec3::Y * 6.0);
/// assert_eq!(nearest, Some([0.25, 0.5]));
/// ```
pub fn nearest_on_lines(p: DVec3, u: DVec3, q: DVec3, w: DVec3) -> Option<[f64; 2]> {
    let m = u.cross(w);
    let norm_sq = m.length_squared();
    let det = |a: DVec3| DMat3::from_cols(q - p, a, m).determinant() / norm_sq;
    (norm_sq > 0.0).then(|| [det(w), det(u)])
}

/// Returns the intersection of an edge and a face. The test is exact; the point is rounded. Perpendicular,
/// oblique and in-plane edges are handled, as are faces without area.
///
/// ```
/// use noli_classics::edge_meets_face;
/// use glam::DVec3;
/// let face = noli::model::Triangle::new(DVec3::ZERO, DVec3::X * 2.0, DVec3::Y * 2.0);
/// let square = [DVec3::new(0.5, 0.5, -1.0), DVec3::new(0.5, 0.5, 3.0)];
/// assert_eq!(edge_meets_face(square, &face), Some(DVec3::new(0.5, 0.5, 0.0)));
/// assert_eq!(edge_meets_face(square.map(|p| p + DVec3::X * 2.0), &face), None);
/// ```
pub fn edge_meets_face([p, q]: [DVec3; 2], face: &Triangle) -> Option<DVec3> {
    let frame = PairFrame::new(&RelativePose::identity());
    let passage = TrianglePair::new(&Triangle::new(p, q, q), face, &frame).edge_of_a_meets_b(0)?;
    Some(p + (q - p) * passage.at)
}
