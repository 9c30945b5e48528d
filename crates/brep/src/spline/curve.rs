//! B-spline curves.

use super::knots::{Knots, Slopes, greatest, homogeneous, projected, quotient, unwrapped, wrap};
use glam::{DVec3, DVec4};

/// A B-spline curve.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineCurve {
    knots: Knots,
    /// Homogeneous.
    points: Vec<DVec4>,
    /// Bounds by knot span.
    slopes: Vec<(usize, Slopes)>,
    /// The ends meet, so that the parameter is periodic.
    closed: bool,
}

impl SplineCurve {
    /// The curve with these control points, weights (all 1 if `None`) and knots with multiplicities.
    pub fn new(
        degree: usize,
        points: &[DVec3],
        weights: Option<&[f64]>,
        knots: &[f64],
        multiplicities: &[usize],
    ) -> Option<Self> {
        let weighted =
            weights.is_none_or(|w| w.len() == points.len() && w.iter().all(|&w| w > 0.0 && w.is_finite()));
        if !weighted || !points.iter().all(|p| p.is_finite()) {
            return None;
        }
        let knots = Knots::new(degree, knots, multiplicities, points.len())?;
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let points: Vec<DVec4> = points.iter().enumerate().map(|(i, &p)| homogeneous(p, weight(i))).collect();
        let slopes = knots.spans().map(|span| (span, curve_slopes(&knots, &points, span))).collect();
        let mut made = Self { knots, points, slopes, closed: false };
        let [first, last] = made.domain().map(|t| made.evaluate(t).0);
        made.closed = first.distance(last) <= 1e-9 * made.size();
        Some(made)
    }

    fn size(&self) -> f64 {
        let first = projected(self.points[0]);
        self.points.iter().map(|&p| projected(p).distance(first)).fold(0.0, f64::max)
    }

    /// The period of a closed curve.
    pub(crate) fn period(&self) -> Option<f64> {
        let [low, high] = self.domain();
        self.closed.then_some(high - low)
    }

    /// First and last parameter.
    pub fn domain(&self) -> [f64; 2] {
        self.knots.domain()
    }

    /// The point and the derivative at a parameter of the domain.
    pub fn evaluate(&self, t: f64) -> (DVec3, DVec3) {
        let t = wrap(t, self.domain(), self.closed);
        let span = self.knots.span(t);
        let (values, slopes) = self.knots.basis(span, t);
        let p = self.knots.degree;
        let own = &self.points[span - p..=span];
        let sum = |weights: &[f64]| own.iter().zip(weights).map(|(&point, &w)| point * w).sum::<DVec4>();
        let (a, da) = (sum(&values), sum(&slopes));
        let point = projected(a);
        (point, (da.truncate() - point * da.w) / a.w)
    }

    pub(crate) fn slopes(&self, low: f64, high: f64) -> Slopes {
        let [low, high] = unwrapped([low, high], self.domain(), self.closed);
        let mut bound = Slopes::default();
        for &(span, slopes) in &self.slopes {
            if self.knots.knots[span] <= high && low <= self.knots.knots[span + 1] {
                bound =
                    Slopes { first: bound.first.max(slopes.first), second: bound.second.max(slopes.second) };
            }
        }
        if self.knots.creases(low, high) && high > low {
            // A kink of the tangent counts like a second derivative that makes up for it on this range.
            bound.second += 8.0 * bound.first / (high - low);
        }
        bound
    }

    /// Parameters that part the curve where its pieces are joined.
    pub(crate) fn breaks(&self) -> impl Iterator<Item = f64> + '_ {
        self.knots.spans().map(|span| self.knots.knots[span])
    }

    /// Its degree, if it is a polynomial between breaks: all weights are one.
    pub(crate) fn polynomial_degree(&self) -> Option<usize> {
        self.points.iter().all(|point| point.w == 1.0).then_some(self.knots.degree)
    }

    /// Homogeneous Bézier control points of all pieces.
    pub(crate) fn beziers(&self) -> Vec<Vec<DVec4>> {
        let p = self.knots.degree;
        self.knots.spans().map(|span| self.knots.bezier(span, &self.points[span - p..=span])).collect()
    }

    /// Returns `true` if another curve has the same knots and weights, and its control points are these, all shifted by one
    /// multiple of a direction, or not at all without one; up to rounding.
    pub(crate) fn is_shifted(&self, other: &Self, along: Option<DVec3>) -> bool {
        if self.knots != other.knots || self.points.len() != other.points.len() {
            return false;
        }
        let pairs = || self.points.iter().zip(&other.points);
        let shift = projected(other.points[0]) - projected(self.points[0]);
        let shift = along.map_or(DVec3::ZERO, |d| d * (shift.dot(d) / d.length_squared()));
        let reach = projected(self.points[0]).abs().max_element() + shift.abs().max_element() + self.size();
        let room = reach * 2f64.powi(-44);
        pairs().all(|(p, q)| p.w == q.w && (projected(*p) + shift).distance(projected(*q)) <= room)
    }

    pub(crate) fn moved(&self, pose: &noli_geom::Pose) -> Self {
        let points =
            self.points.iter().map(|p| homogeneous(pose.transform_point(projected(*p)), p.w)).collect();
        Self { points, ..self.clone() }
    }
}

fn curve_slopes(knots: &Knots, points: &[DVec4], span: usize) -> Slopes {
    let p = knots.degree;
    let own = &points[span - p..=span];
    let origin = projected(own[0]);
    let local: Vec<DVec4> = own.iter().map(|h| (h.truncate() - origin * h.w).extend(h.w)).collect();
    let size = own.iter().map(|&h| (projected(h) - origin).length()).fold(0.0, f64::max);
    let weight = own.iter().map(|h| h.w).fold(f64::INFINITY, f64::min);
    let first = knots.derivative(&local, p, span - p);
    let second = if p >= 2 { knots.derivative(&first, p - 1, span - p + 1) } else { Vec::new() };
    quotient(size, weight, greatest(&first), greatest(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of a circle of radius 1, rational of degree 2.
    fn quarter() -> SplineCurve {
        let points = [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        SplineCurve::new(2, &points, Some(&[1.0, 0.5f64.sqrt(), 1.0]), &[0.0, 1.0], &[3, 3]).unwrap()
    }

    #[test]
    fn a_rational_quarter_lies_on_its_circle() {
        let curve = quarter();
        for k in 0..=20 {
            let t = f64::from(k) / 20.0;
            let (point, slope) = curve.evaluate(t);
            assert!((point.length() - 1.0).abs() < 1e-15 && point.dot(slope).abs() < 1e-14);
            let bound = curve.slopes(0.0, 1.0);
            assert!(slope.length() <= bound.first, "{slope} {bound:?}");
            let h = 1e-4;
            let second = (curve.evaluate(t + h).1 - curve.evaluate(t - h).1) / (2.0 * h);
            assert!(second.length() <= bound.second, "{second} {bound:?}");
        }
    }
}
