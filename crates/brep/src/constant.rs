//! Edges of spline surfaces along lines of constant parameter.
//!
//! The difference of a spline without weights from such a line is a polynomial between the breaks of both, if the other
//! parameter is an affine function of that of the edge. A polynomial is nowhere greater than its greatest value at as many
//! Chebyshev nodes as it has coefficients, times their Lebesgue constant (Rivlin 1974). Of a straight edge only the
//! difference across it counts, so that the line may have any speed. Rational splines and ellipses are compared at samples.

use crate::boundary::Edge;
use crate::curve::Curve;
use crate::spline::{MAX_DEGREE, SplineSurface};
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// The Lebesgue constant of up to 26 Chebyshev nodes is less: `0.97 + 2 / π ln 26`.
const LEBESGUE: f64 = 3.1;
/// Most samples between two breaks.
const MAX_SAMPLES: f64 = 4096.0;
/// Most breaks of the edge and the line together.
const MAX_BREAKS: usize = 600;

/// A part of an edge with the parameters of its traced vertices, both ends included.
pub(crate) struct Track<'e> {
    pub(crate) edge: &'e Edge,
    /// Parameters of the edge at both ends.
    pub(crate) ends: [f64; 2],
    pub(crate) uv: Vec<DVec2>,
}

/// A bound on the distance of a part of an edge, and of its traced vertices, from a line of constant parameter if it is at
/// most `enough`.
pub(crate) fn deviation(
    surface: &Surface,
    spline: &SplineSurface,
    track: &Track<'_>,
    enough: f64,
) -> Option<f64> {
    let (edge, [start, end]) = (track.edge, track.ends);
    let degree = match &edge.curve {
        Curve::Line { .. } => Some(1),
        Curve::Spline(curve) => curve.polynomial_degree(),
        _ => None,
    };
    let degrees = degree.zip(spline.polynomial_degrees());
    let (from, to) = (*track.uv.first()?, *track.uv.last()?);
    let all = track.uv.iter();
    let (low, high) = all.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), uv| (l.min(*uv), h.max(*uv)));
    let slopes = surface.slopes(low, high);
    let along = |axis: usize| Along { surface, edge, axis, start, end, from, to };
    [(0, slopes.u), (1, slopes.v)].into_iter().find_map(|(constant, slope)| {
        let moved = (high - low)[constant] * slope;
        if moved > enough {
            return None;
        }
        let line = along(1 - constant);
        let found = match degrees {
            Some((degree, degrees)) => line.distance(degree.max(degrees[1 - constant]), spline),
            None => line.sampled(spline, 0.5 * enough),
        };
        found.map(|found| moved + found).filter(|found| *found <= enough)
    })
}

/// An edge and a line of the surface, whose parameter `axis` is affine in that of the edge.
struct Along<'a> {
    surface: &'a Surface,
    edge: &'a Edge,
    axis: usize,
    start: f64,
    end: f64,
    from: DVec2,
    to: DVec2,
}

impl Along<'_> {
    /// A bound on the distance of the edge from the line.
    fn distance(&self, degree: usize, spline: &SplineSurface) -> Option<f64> {
        let (low, high) = (self.start.min(self.end), self.start.max(self.end));
        let speed = (self.to - self.from)[self.axis] / (self.end - self.start);
        let at_knot = |knot: f64| self.start + (knot - self.from[self.axis]) / speed;
        let mut breaks: Vec<f64> = spline.breaks(self.axis).into_iter().map(at_knot).collect();
        if let Curve::Spline(curve) = &self.edge.curve {
            breaks.extend(curve.breaks());
        }
        breaks.retain(|t| low < *t && *t < high);
        breaks.extend([low, high]);
        if breaks.len() > MAX_BREAKS || degree > MAX_DEGREE {
            return None;
        }
        breaks.sort_by(f64::total_cmp);
        let count = degree + 1;
        let mut greatest = 0.0f64;
        for piece in breaks.windows(2) {
            for k in 0..count {
                let share = 0.5 - 0.5 * (PI * (k as f64 + 0.5) / count as f64).cos();
                greatest = greatest.max(self.at(piece[0] + (piece[1] - piece[0]) * share).length());
            }
        }
        greatest.is_finite().then_some(LEBESGUE * greatest)
    }

    /// A bound on the distance of the edge from the line, if it is at most about `enough`: at samples, and as much more as
    /// both leave their chords in between. Samples lie on the breaks of the line.
    fn sampled(&self, spline: &SplineSurface, enough: f64) -> Option<f64> {
        let (low, high) =
            (self.from[self.axis].min(self.to[self.axis]), self.from[self.axis].max(self.to[self.axis]));
        let mut knots = spline.breaks(self.axis);
        let room = 1e-9 * (high - low);
        knots.retain(|knot| low + room < *knot && *knot < high - room);
        knots.extend([low, high]);
        knots.sort_by(f64::total_cmp);
        if self.from[self.axis] > self.to[self.axis] {
            knots.reverse();
        }
        let mut bound = 0.0f64;
        let mut start = self.start;
        for pair in knots.windows(2) {
            let is_last = pair[1] == self.to[self.axis];
            let end = if is_last { self.end } else { self.parameter_at(pair[1]) };
            bound = bound.max(self.between([start, end], [pair[0], pair[1]], enough)?);
            start = end;
        }
        Some(bound)
    }

    fn uv_at(&self, at: f64) -> DVec2 {
        let mut uv = self.from;
        uv[self.axis] = at;
        uv
    }

    /// The parameter of the edge near a point of the line.
    fn parameter_at(&self, at: f64) -> f64 {
        let share = (at - self.from[self.axis]) / (self.to - self.from)[self.axis];
        let near = self.start + (self.end - self.start) * share;
        let found = self.edge.curve.parameter(self.surface.point(self.uv_at(at)), Some(near));
        found + self.edge.curve.period().map_or(0.0, |period| ((near - found) / period).round() * period)
    }

    /// The same between two breaks.
    fn between(&self, [start, end]: [f64; 2], [from, to]: [f64; 2], enough: f64) -> Option<f64> {
        let (curve, width) = (&self.edge.curve, (end - start).abs());
        let own = curve.slopes(start.min(end), start.max(end)).second;
        let slopes = self.surface.slopes(self.uv_at(from.min(to)), self.uv_at(from.max(to)));
        let other = [slopes.uu, slopes.vv][self.axis];
        let span = (to - from).abs();
        let count = ((own * width * width + 4.0 * other * span * span) / (8.0 * enough)).sqrt().ceil();
        if count.is_nan() || count > MAX_SAMPLES {
            return None;
        }
        let count = count.max(8.0) as u32;
        let (mut at, mut step, mut greatest) = (from, 0.0f64, 0.0f64);
        for k in 0..=count {
            let share = f64::from(k) / f64::from(count);
            let place = curve.point(start + (end - start) * share);
            let before = at;
            at = if k == 0 { from } else { at + (to - from) / f64::from(count) };
            for _ in 0..3 {
                let [point, su, sv] = self.surface.evaluate(self.uv_at(at));
                let slope = [su, sv][self.axis];
                at += (place - point).dot(slope) / slope.length_squared();
            }
            at = if k == count { to } else { at.clamp(from.min(to), from.max(to)) };
            step = step.max((at - before).abs());
            greatest = greatest.max(self.surface.point(self.uv_at(at)).distance(place));
        }
        let piece = width / f64::from(count);
        let found = greatest + (own * piece * piece + other * step * step) / 8.0;
        found.is_finite().then_some(found)
    }

    /// The difference of the edge from the line; of a straight edge, across it.
    fn at(&self, t: f64) -> DVec3 {
        let share = (t - self.start) / (self.end - self.start);
        let mut uv = self.from;
        uv[self.axis] += (self.to - self.from)[self.axis] * share;
        let difference = self.surface.point(uv) - self.edge.curve.point(t);
        match &self.edge.curve {
            Curve::Line { direction, .. } => {
                difference - *direction * (difference.dot(*direction) / direction.length_squared())
            }
            _ => difference,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spline::SplineCurve;

    const CLAMPED: (usize, &[f64], &[usize]) = (3, &[0.0, 0.4, 1.0], &[4, 1, 4]);

    /// A wave along x that is drawn out along y, to points that are not evenly spaced.
    fn wave() -> (SplineSurface, Vec<DVec3>) {
        let profile: Vec<DVec3> =
            [0.0, 1.0, 3.0, 4.0, 6.0].iter().map(|&x: &f64| DVec3::new(x, 0.0, (2.0 * x).sin())).collect();
        let row = |p: &DVec3| [0.0, 0.5, 2.0].map(|y| *p + DVec3::Y * y).to_vec();
        let net: Vec<Vec<DVec3>> = profile.iter().map(row).collect();
        (SplineSurface::new(&net, None, CLAMPED, (2, &[0.0, 1.0], &[3, 3])).unwrap(), profile)
    }

    fn found(curve: Curve, [from, to]: [f64; 2]) -> Option<f64> {
        let (spline, _) = wave();
        let surface = Surface::Spline(spline.clone());
        let edge = Edge::new(curve, from, to);
        let ends = [from, to];
        let uv = [from, 0.5 * (from + to), to];
        let uv = uv.iter().map(|&t| surface.parameters(edge.curve.point(t), None)).collect();
        deviation(&surface, &spline, &Track { edge: &edge, ends, uv }, 1e-3)
    }

    #[test]
    fn borders_are_lines_of_constant_parameter() {
        let (_, profile) = wave();
        // The border itself, a part of it, and one that leaves it by a ten-thousandth.
        for off in [0.0, 1e-4] {
            let mut points = profile.clone();
            points[2].y += off;
            let curve = Curve::Spline(SplineCurve::new(3, &points, None, CLAMPED.1, CLAMPED.2).unwrap());
            for range in [[0.0, 1.0], [0.1, 0.9]] {
                let bound = found(curve.clone(), range).unwrap();
                assert!(bound <= 4.0 * off + 1e-12 && bound >= 0.3 * off, "{off}: {bound}");
            }
        }
        // Along y the speed is not even.
        let line = Curve::Line { origin: profile[4], direction: DVec3::Y };
        assert!(found(line, [0.0, 2.0]).unwrap() < 1e-12);
        let aslant = Curve::Line { origin: profile[4], direction: DVec3::new(-0.1, 1.0, 0.0) };
        assert_eq!(found(aslant, [0.0, 1.0]), None);
    }
}
