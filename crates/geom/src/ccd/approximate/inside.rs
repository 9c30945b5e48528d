//! Distance of the carriers at a time, and the test for contact of the features there.

use super::super::FeatureKind;
use super::ApproximateQuery;
use glam::DVec3;

/// Test applied to a candidate time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InsideTest {
    /// On the positions at that time.
    #[default]
    Exact,
    /// On values interpolated linearly between both ends: cheaper, and wrong near borders when bodies turn;
    /// can make a contact up.
    Interpolated,
}

/// By how much time is shifted to look past an instant at which edges are parallel.
const SHIFT: f64 = 1e-4;

/// Relative to the lengths: edges count as parallel below this.
const PARALLEL: f64 = 1e-12;

/// Two moving features and their test settings.
pub(super) struct Scene<'a> {
    pub(super) kind: FeatureKind,
    pub(super) points: &'a dyn Fn(f64) -> [DVec3; 4],
    /// At times 0 and 1.
    pub(super) ends: [[DVec3; 4]; 2],
    pub(super) size: f64,
    pub(super) query: &'a ApproximateQuery,
}

impl Scene<'_> {
    /// The signed distance of vertex and plane or of two lines; `None` if it has no meaning. `smooth` weighs
    /// the distance of lines with the sine of their angle, which has no jump where they become parallel.
    pub(super) fn carrier_distance(&self, t: f64, smooth: bool) -> Option<f64> {
        match self.kind {
            FeatureKind::VertexFace => plane_distance(&(self.points)(t)),
            FeatureKind::EdgeEdge if smooth => {
                let [v1, v2, w1, w2] = (self.points)(t);
                let (a, b) = (v2 - v1, w2 - w1);
                let scale = a.length() * b.length();
                (scale > 0.0).then(|| a.cross(b).dot(v1 - w1) / scale)
            }
            FeatureKind::EdgeEdge => {
                let shifts: &[f64] = if self.query.literal { &[0.0] } else { &[0.0, SHIFT, -SHIFT] };
                shifts.iter().find_map(|s| line_distance(&(self.points)((t + s).clamp(0.0, 1.0))))
            }
        }
    }

    pub(super) fn is_inside(&self, t: f64) -> bool {
        match (self.kind, self.query.inside) {
            (FeatureKind::VertexFace, InsideTest::Exact) => {
                let tolerance = if self.query.literal { 0.0 } else { 1e-12 * self.size };
                prism_sides(&(self.points)(t)).iter().all(|&side| side <= tolerance)
            }
            (FeatureKind::VertexFace, InsideTest::Interpolated) => {
                let [s0, s1] = self.ends.map(|points| prism_sides(&points));
                (0..3).all(|i| (1.0 - t) * s0[i] + t * s1[i] <= 0.0)
            }
            (FeatureKind::EdgeEdge, InsideTest::Exact) => self.edges_meet(t),
            (FeatureKind::EdgeEdge, InsideTest::Interpolated) => {
                match self.ends.map(|points| line_parameters(&points)) {
                    [Some(p), Some(q)] => (0..2).all(|i| in_unit((1.0 - t) * p[i] + t * q[i], 0.0)),
                    _ => self.edges_meet(t),
                }
            }
        }
    }

    fn edges_meet(&self, t: f64) -> bool {
        let points = (self.points)(t);
        let distance = self.query.distance_tolerance * self.size;
        let [v1, v2, w1, w2] = points;
        let (a, b) = (v2 - v1, w2 - w1);
        if let Some(parameters) = line_parameters(&points) {
            let separated = line_distance(&points).is_none_or(|d| d.abs() > distance);
            return !separated && parameters.iter().all(|&p| in_unit(p, 1e-9));
        }
        let along = |p: DVec3, from: DVec3, edge: DVec3| edge.dot(p - from) / edge.length_squared();
        let separated = b.cross(v1 - w1).length() > distance * b.length();
        !separated && [along(v1, w1, b), along(v2, w1, b), along(w1, v1, a)].iter().any(|&p| in_unit(p, 0.0))
    }
}

fn in_unit(x: f64, slack: f64) -> bool {
    (-slack..=1.0 + slack).contains(&x)
}

fn plane_distance([v, p, q, r]: &[DVec3; 4]) -> Option<f64> {
    let normal = (q - p).cross(r - p);
    let length = normal.length();
    (length > 0.0).then(|| normal.dot(v - p) / length)
}

/// Returns the distance of the vertex beyond each side of the prism over the face.
pub(super) fn prism_sides([v, p, q, r]: &[DVec3; 4]) -> [f64; 3] {
    let normal = (q - p).cross(r - p).normalize_or_zero();
    [(p, q), (q, r), (r, p)].map(|(from, to)| {
        let edge = to - from;
        edge.cross(normal).dot(v - from) / edge.length().max(f64::MIN_POSITIVE)
    })
}

fn line_distance([v1, v2, w1, w2]: &[DVec3; 4]) -> Option<f64> {
    let (a, b) = (v2 - v1, w2 - w1);
    let normal = a.cross(b);
    let length = normal.length();
    (length > PARALLEL * a.length() * b.length()).then(|| normal.dot(v1 - w1) / length)
}

/// Returns the parameter on each line of its point nearest to the other; `None` for parallel lines.
fn line_parameters([v1, v2, w1, w2]: &[DVec3; 4]) -> Option<[f64; 2]> {
    let (a, b, c) = (v2 - v1, w2 - w1, w1 - v1);
    let normal = a.cross(b);
    let square = normal.length_squared();
    if normal.length() <= PARALLEL * a.length() * b.length() {
        return None;
    }
    Some([c.cross(b).dot(normal) / square, c.cross(a).dot(normal) / square])
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn two_lines_at_distance_three() {
        let points = [DVec3::ZERO, dvec3(2.0, 0.0, 0.0), dvec3(1.0, -1.0, 3.0), dvec3(1.0, 1.0, 3.0)];
        assert_eq!(line_distance(&points).map(f64::abs), Some(3.0));
        assert_eq!(line_parameters(&points), Some([0.5, 0.5]));
    }

    #[test]
    fn the_prism_does_not_care_for_height() {
        for height in [-5.0, 0.0, 7.0] {
            let at = |x, y| prism_sides(&[dvec3(x, y, height), DVec3::ZERO, DVec3::X, DVec3::Y]);
            assert!(at(0.25, 0.25).iter().all(|&s| s < 0.0));
            assert!(at(0.0, 0.5).iter().all(|&s| s <= 0.0));
            assert!(at(-0.1, 0.5).iter().any(|&s| s > 0.0));
        }
    }
}
