//! The point of a triangle nearest to a point.

use super::{Segment, Triangle};
use crate::number::double_double::DoubleDouble;
use crate::number::real::Real;
use crate::number::ring::{cross, dot};
use glam::DVec3;

/// Squares of the sine at the first vertex below which `f64` loses more than a digit of the foot.
const THIN: f64 = 0.01;

impl Triangle {
    /// The point of the triangle that is nearest to a point, up to the rounding of both coordinates.
    ///
    /// Thin triangles, and triangles that are small for their distance, cost no digits: no sign is that of a difference of
    /// products that rounding decides.
    pub fn closest_to(&self, point: DVec3) -> DVec3 {
        let foot = self.foot(point);
        if let Some(foot) = foot
            && !self.is_thin()
        {
            return foot;
        }
        // Of a triangle without width the foot may be any point of it.
        let [a, b, c] = self.vertices;
        let on_sides = [(a, b), (b, c), (c, a)].map(|(start, end)| Segment { start, end }.closest_to(point));
        let nearer =
            |p: DVec3, q: DVec3| if q.distance_squared(point) < p.distance_squared(point) { q } else { p };
        foot.into_iter().chain(on_sides).reduce(nearer).unwrap_or(a)
    }

    /// The foot of the perpendicular from a point, up to the rounding of both coordinates; `None` if it lies outside, where
    /// a side is nearest.
    ///
    /// If the triangle has no width, the foot may be any point of it or `None`.
    ///
    /// ```
    /// use noli_geom::Triangle;
    /// use glam::{DVec3, dvec3};
    /// let triangle = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
    /// assert_eq!(triangle.foot(dvec3(0.25, 0.5, 7.0)), Some(dvec3(0.25, 0.5, 0.0)));
    /// assert_eq!(triangle.foot(dvec3(0.75, 0.5, 7.0)), None);
    /// assert_eq!(triangle.closest_to(dvec3(1.0, 1.0, 7.0)), dvec3(0.5, 0.5, 0.0));
    /// ```
    pub fn foot(&self, point: DVec3) -> Option<DVec3> {
        let [a, b, c] = self.vertices;
        let [v, w] =
            if self.is_thin() { shares::<DoubleDouble>(self, point) } else { shares::<f64>(self, point) };
        (v >= 0.0 && w >= 0.0 && v + w <= 1.0).then(|| a + (b - a) * v + (c - a) * w)
    }

    /// Also if products of its lengths are out of range.
    fn is_thin(&self) -> bool {
        let [a, b, c] = self.vertices;
        let (ab, ac) = (b - a, c - a);
        let (bb, bc, cc) = (ab.length_squared(), ab.dot(ac), ac.length_squared());
        let determinant = bb * cc - bc * bc;
        determinant <= THIN * bb * cc || determinant.is_nan()
    }
}

impl Segment {
    /// The point of the segment that is nearest to a point, up to the rounding of both coordinates.
    pub fn closest_to(&self, point: DVec3) -> DVec3 {
        let along = self.end - self.start;
        let share = along.dot(point - self.start) / along.length_squared();
        // The quotient of a segment of one point is no number.
        if share >= 1.0 { self.end } else { self.start + along * share.max(0.0) }
    }
}

/// The shares that the second and the third vertex have in the foot of a point on the plane.
fn shares<T: Real>(triangle: &Triangle, point: DVec3) -> [f64; 2] {
    let [a, b, c] = triangle.vertices;
    let [ab, ac, ap] = [b, c, point].map(|p| T::offset(p, a));
    let normal = cross(&ab, &ac);
    let square = dot(&normal, &normal);
    [cross(&ap, &ac), cross(&ab, &ap)].map(|part| (dot(&normal, &part) / square).to_f64())
}
