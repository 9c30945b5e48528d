//! How far a piece of an edge leaves its chord in the parameters of a surface.
//!
//! Let `c = S(q)` be a piece of an edge on a surface. Then `c' = S_u u' + S_v v'`, and with the distances `h_u` of `S_u` from
//! the direction of `S_v` and `h_v` of `S_v` from that of `S_u`, `|u'| <= |c'| / h_u` and `|v'| <= |c'| / h_v`. The second
//! derivatives satisfy `S_u u'' + S_v v'' = c'' - S_uu u'² - 2 S_uv u' v' - S_vv v'²`, so that bounds of `c''`, of the
//! derivatives of `S` and of the distances give bounds of `q''`; a curve leaves its chord by at most `|q''| Δt² / 8`. The box
//! of parameters for which the bounds are taken holds the piece if the piece cannot leave it at its speed.

use crate::boundary::{Edge, Side};
use crate::lens::Lens;
use crate::surface::Surface;
use glam::DVec2;

/// Bounds for a piece of an edge on a surface.
pub(crate) struct Bulge {
    /// Distance from the chord in the parameters; `None` where none is proven: near poles, and where the derivatives of the
    /// surface are nearly parallel.
    pub(crate) from_chord: Option<DVec2>,
    /// Length of the piece.
    pub(crate) length: f64,
    /// Parameters per length; zero where no distance is proven.
    pub(crate) per_length: DVec2,
}

impl Bulge {
    /// The lens of the piece over a chord, with room for an error of its points.
    pub(crate) fn lens(&self, surface: &Surface, chord: [DVec2; 2], slack: f64) -> Option<Lens> {
        // Bounds of both parameters hold together where the derivatives of the surface are perpendicular.
        let joint = if surface.frame().is_some() { 1.0 } else { std::f64::consts::SQRT_2 };
        let half = (self.from_chord? + DVec2::splat(slack) * self.per_length) * joint;
        half.is_finite().then_some(Lens { chord, half })
    }
}

/// The part of a surface between a piece of an edge and its chord in the parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    /// Its width in the parameters; zero where none is proven.
    pub(crate) width: DVec2,
    /// Its size where no width is proven.
    pub(crate) across: f64,
}

impl Strip {
    pub(crate) fn new(surface: &Surface, edges: &[Edge], side: Side, ends: [DVec2; 2]) -> Self {
        let found = bulge(surface, edges, side, ends);
        let slopes = surface.slopes(ends[0].min(ends[1]), ends[0].max(ends[1]));
        let chord = (ends[1] - ends[0]).abs();
        // The part of a surface between a curve and its chord, both short, is no further from either than they are long.
        let length = found.length + slopes.u * chord.x + slopes.v * chord.y;
        let is_narrow = |w: &DVec2| slopes.u * w.x + slopes.v * w.y <= length;
        match found.from_chord.filter(is_narrow) {
            Some(width) => Self { width, across: 0.0 },
            None => Self { width: DVec2::ZERO, across: length },
        }
    }
}

/// Bounds for a piece of an edge that begins at the parameters `a`.
pub(crate) fn bulge(surface: &Surface, edges: &[Edge], side: Side, [a, b]: [DVec2; 2]) -> Bulge {
    let (low, high) = (side.from.min(side.to), side.from.max(side.to));
    let width = high - low;
    let slopes = edges[side.edge].curve.slopes(low, high);
    let length = slopes.first * width;
    let found = held(surface, [a, b], length);
    let from_chord = found.map(|[low, high, least]| {
        let speed = DVec2::splat(slopes.first) / least;
        let bound = surface.slopes(low, high);
        let bend =
            bound.uu * speed.x * speed.x + 2.0 * bound.uv * speed.x * speed.y + bound.vv * speed.y * speed.y;
        let room = 1.0 + 2f64.powi(-40);
        DVec2::splat((slopes.second + bend) * width * width / 8.0 * room) / least
    });
    let per_length = found.map_or(DVec2::ZERO, |[.., least]| least.recip());
    Bulge { from_chord, length, per_length }
}

/// A box of parameters that a piece of a given length cannot leave, and least distances `h_u`, `h_v` in it.
fn held(surface: &Surface, [a, b]: [DVec2; 2], length: f64) -> Option<[DVec2; 3]> {
    let start = least_distances(surface, a, a)?;
    let mut reach = DVec2::splat(length) / start * 1.25;
    for _ in 0..3 {
        let (low, high) = (a - reach, a + reach);
        if let Some(least) = least_distances(surface, low, high) {
            let needed = DVec2::splat(length) / least;
            if needed.cmple(reach).all() {
                let holds_end = low.cmple(b).all() && b.cmple(high).all();
                return holds_end.then_some([low, high, least]);
            }
        }
        reach *= 1.7;
    }
    None
}

/// Lower bounds of the distances of `S_u` from the direction of `S_v`, and of `S_v` from that of `S_u`, over a box.
fn least_distances(surface: &Surface, low: DVec2, high: DVec2) -> Option<DVec2> {
    let found = match surface {
        Surface::Plane(_) => DVec2::ONE,
        Surface::Cylinder { radius, .. } => DVec2::new(*radius, 1.0),
        Surface::Cone { radius, half_angle, .. } => {
            let tan = half_angle.tan();
            let ends = [radius + low.y * tan, radius + high.y * tan];
            if ends[0] * ends[1] <= 0.0 {
                return None;
            }
            DVec2::new(ends[0].abs().min(ends[1].abs()), 1.0f64.hypot(tan))
        }
        Surface::Sphere { radius, .. } => {
            let highest = low.y.abs().max(high.y.abs());
            if highest >= std::f64::consts::FRAC_PI_2 {
                return None;
            }
            DVec2::new(radius * highest.cos(), *radius)
        }
        Surface::Torus { major, minor, .. } => {
            DVec2::new(major + minor * least_cosine(low.y, high.y), *minor)
        }
        Surface::Revolution { .. } | Surface::Extrusion { .. } | Surface::Spline(_) => {
            return by_derivatives(surface, low, high);
        }
    };
    let found = found * (1.0 - 2f64.powi(-40));
    (found.cmpgt(DVec2::ZERO).all() && found.is_finite()).then_some(found)
}

/// The least cosine between two angles.
fn least_cosine(low: f64, high: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let opposite = low + (PI - low).rem_euclid(TAU);
    if opposite <= high { -1.0 } else { low.cos().min(high.cos()) }
}

/// The distances in the middle of a box, less what the derivatives change in it.
fn by_derivatives(surface: &Surface, low: DVec2, high: DVec2) -> Option<DVec2> {
    let half = (high - low) * 0.5;
    let [_, su, sv] = surface.evaluate((low + high) * 0.5);
    let bound = surface.slopes(low, high);
    let change = DVec2::new(bound.uu * half.x + bound.uv * half.y, bound.uv * half.x + bound.vv * half.y);
    let lengths = DVec2::new(su.length(), sv.length());
    let least = lengths - change;
    if !(least.cmpgt(DVec2::ZERO).all() && lengths.is_finite()) {
        return None;
    }
    let area = su.cross(sv).length();
    let found = DVec2::new(
        area / lengths.y - change.x - bound.u / least.y * change.y,
        area / lengths.x - change.y - bound.v / least.x * change.x,
    ) * (1.0 - 2f64.powi(-30));
    (found.cmpgt(DVec2::ZERO).all() && found.is_finite()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Curve;
    use crate::frame::Frame;
    use crate::spline::SplineSurface;
    use glam::DVec3;
    use noli_testing::Random;

    /// Compares the bound with many points of a piece.
    fn check(surface: &Surface, curve: Curve, [from, to]: [f64; 2]) -> bool {
        let mut last = surface.parameters(curve.point(from), None);
        let mut track = vec![last];
        for k in 1..=400 {
            let point = curve.point(from + (to - from) * f64::from(k) / 400.0);
            let mut uv = surface.parameters(point, Some(last));
            for (i, period) in surface.periods().into_iter().enumerate() {
                if let Some(period) = period {
                    uv[i] -= ((uv[i] - last[i]) / period).round() * period;
                }
            }
            assert!(surface.point(uv).distance(point) < 1e-9);
            track.push(uv);
            last = uv;
        }
        let (a, b) = (track[0], last);
        let edges = [Edge::new(curve, from, to)];
        let side = Side { edge: 0, from, to, straight: false };
        let Some(bound) = bulge(surface, &edges, side, [a, b]).from_chord else { return false };
        for (k, uv) in track.iter().enumerate() {
            let off = (*uv - a.lerp(b, k as f64 / 400.0)).abs();
            assert!(off.cmple(bound + 1e-9).all(), "{:?}: {off} above {bound}", surface.kind());
        }
        true
    }

    /// Cuts of cylinders and spheres by planes are ellipses and circles that no parameter line follows.
    #[test]
    fn bounds_hold_for_plane_sections() {
        let mut random = Random::new(77);
        let mut proven = 0;
        for _ in 0..300 {
            let tilt = random.between(-1.0, 1.0);
            let x = DVec3::new(tilt.cos(), 0.0, tilt.sin());
            let frame = Frame { origin: DVec3::Z * random.real(), x, y: DVec3::Y, z: x.cross(DVec3::Y) };
            let section = Curve::Ellipse { frame, major: 2.0 / tilt.cos(), minor: 2.0 };
            let from = random.between(0.0, 6.0);
            let width = random.between(1e-3, 0.7);
            let cylinder = Surface::Cylinder { frame: Frame::WORLD, radius: 2.0 };
            proven += usize::from(check(&cylinder, section, [from, from + width]));
            let small = Frame { origin: frame.z * 0.7, ..frame };
            let circle = Curve::Circle { frame: small, radius: (4.0f64 - 0.49).sqrt() };
            let sphere = Surface::Sphere { frame: Frame::WORLD, radius: 2.0 };
            proven += usize::from(check(&sphere, circle, [from, from + width]));
        }
        assert!(proven > 400, "{proven}");
    }

    /// A straight line of the parameters of a plane that is described as a bent net.
    #[test]
    fn bounds_hold_for_splines() {
        let row =
            |x: f64| vec![DVec3::new(x, 0.0, 0.0), DVec3::new(x * 1.2, 0.6, 0.0), DVec3::new(x, 1.0, 0.0)];
        let net = [row(0.0), row(0.5), row(1.0)];
        let knots = (2usize, &[0.0, 1.0][..], &[3usize, 3][..]);
        let spline = Surface::Spline(SplineSurface::new(&net, None, knots, knots).unwrap());
        let mut random = Random::new(78);
        let mut proven = 0;
        for _ in 0..100 {
            let origin = DVec3::new(random.between(0.2, 0.5), random.between(0.2, 0.5), 0.0);
            let direction = DVec3::new(random.between(0.2, 1.0), random.between(-0.3, 0.3), 0.0);
            let line = Curve::Line { origin, direction };
            proven += usize::from(check(&spline, line, [0.0, random.between(0.01, 0.3)]));
        }
        assert!(proven > 50, "{proven}");
    }
}
