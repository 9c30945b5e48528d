//! Splines and swept surfaces that are lines, circles, planes, cylinders, cones, spheres or tori, with a proven deviation.
//!
//! Many programs write every curve and surface as a rational spline `A / w`. Of a quadratic function `h` the product
//! `h(A / w) w²` is a polynomial, and its Bernstein coefficients on every knot span bound it (Farouki and Rajan 1987). With
//! the least weight they bound the distance from the quadric.

use crate::curve::Curve;
use crate::frame::{Frame, unit};
use crate::spline::{SplineCurve, SplineSurface};
use crate::surface::Surface;
use glam::{DVec2, DVec3, DVec4};

/// Largest deviation, relative to the size of the piece: that of numbers with seven digits.
const DEVIATION: f64 = 1e-6;
/// Largest deviation of directions that count as equal.
const PARALLEL: f64 = 1e-11;
/// Largest half angle of a cone.
const FLATTEST: f64 = std::f64::consts::FRAC_PI_2 - 1e-6;
/// Largest degree that is examined.
const MAX_DEGREE: usize = 6;

/// A simpler surface for a given one.
pub(crate) struct Simpler {
    pub(crate) surface: Surface,
    /// Bound on the distance of the two.
    pub(crate) deviation: f64,
    /// Its normal has the opposite direction.
    pub(crate) flipped: bool,
}

/// A net of Bézier control points, rows of equal length; a curve is one row.
type Net = Vec<Vec<DVec4>>;

fn place(p: DVec4) -> DVec3 {
    p.truncate() / p.w
}

/// The line or circle that a spline is, with a bound on the distance of the two.
pub(crate) fn simpler_curve(curve: &Curve) -> Option<(Curve, f64)> {
    let Curve::Spline(spline) = curve else { return None };
    let nets: Vec<Net> = spline.beziers().into_iter().map(|row| vec![row]).collect();
    if nets.first()?.first()?.len() > MAX_DEGREE + 1 {
        return None;
    }
    line(spline, &nets).or_else(|| circle(spline, &nets))
}

fn line(spline: &SplineCurve, nets: &[Net]) -> Option<(Curve, f64)> {
    let [from, to] = spline.domain().map(|t| spline.evaluate(t).0);
    let length = from.distance(to);
    let direction = unit(to - from)?;
    let across = |p: DVec3| (p - from - direction * (p - from).dot(direction)).length();
    let deviation = nets.iter().flatten().flatten().map(|&p| across(place(p))).fold(0.0, f64::max);
    let ahead = nets.iter().flatten().flatten().map(|&p| (place(p) - from).dot(direction));
    let stays = ahead.clone().fold(0.0, f64::min) >= -DEVIATION * length
        && ahead.fold(0.0, f64::max) <= length * (1.0 + DEVIATION);
    let found = Curve::Line { origin: from, direction: to - from };
    (stays && deviation <= DEVIATION * length).then_some((found, deviation))
}

fn circle(spline: &SplineCurve, nets: &[Net]) -> Option<(Curve, f64)> {
    let [low, high] = spline.domain();
    let [a, b, c] = [0.0, 0.31, 0.67].map(|s| spline.evaluate(low + (high - low) * s).0);
    let (u, v) = (b - a, c - a);
    let normal = u.cross(v);
    let square = normal.length_squared();
    if square <= 1e-12 * u.length_squared() * v.length_squared() {
        return None;
    }
    let to_center =
        (normal.cross(u) * v.length_squared() + v.cross(normal) * u.length_squared()) / (2.0 * square);
    let (center, radius) = (a + to_center, to_center.length());
    let frame = Frame::new(center, normal, Some(a - center))?;
    let deviation = off_circle(nets, &frame, radius);
    (deviation <= DEVIATION * radius).then_some((Curve::Circle { frame, radius }, deviation))
}

/// A bound on the distance of nets from a circle.
fn off_circle(nets: &[Net], frame: &Frame, radius: f64) -> f64 {
    let flat = nets.iter().flatten().flatten().map(|&p| frame.local(place(p)).z.abs()).fold(0.0, f64::max);
    let round = |slope: f64| {
        from_quadric(nets, slope, |p, q| {
            let [a, b] = [p, q].map(|h| h.truncate() - frame.origin * h.w);
            a.dot(b) - radius * radius * p.w * q.w
        })
    };
    let coarse = round(radius);
    // The slope is the sum of both radii, known once they are.
    flat + if coarse < 1e-2 * radius { round(1.99 * radius) } else { coarse }
}

/// A bound on the distance of a spline from a circle; halves of its pieces bound it closely.
pub(crate) fn distance_from_circle(spline: &SplineCurve, frame: &Frame, radius: f64) -> Option<f64> {
    let mut rows = spline.beziers();
    if rows.first()?.len() > MAX_DEGREE + 1 {
        return None;
    }
    for _ in 0..2 {
        rows = rows.iter().flat_map(|row| halves(row)).collect();
    }
    let nets: Vec<Net> = rows.into_iter().map(|row| vec![row]).collect();
    Some(off_circle(&nets, frame, radius))
}

/// The control points of both halves of a piece (de Casteljau).
fn halves(row: &[DVec4]) -> [Vec<DVec4>; 2] {
    let mut points = row.to_vec();
    let (mut first, mut last) = (Vec::with_capacity(row.len()), Vec::with_capacity(row.len()));
    while let (Some(&a), Some(&b)) = (points.first(), points.last()) {
        first.push(a);
        last.push(b);
        points = points.windows(2).map(|pair| (pair[0] + pair[1]) * 0.5).collect();
    }
    last.reverse();
    [first, last]
}

/// A bound on the distance of nets from a quadric that is given as a symmetric form of homogeneous points. Near the net
/// its values grow at least `slope` times as fast as the distance.
fn from_quadric(nets: &[Net], slope: f64, form: impl Fn(DVec4, DVec4) -> f64) -> f64 {
    let mut most = 0.0f64;
    for net in nets {
        let (p, q) = (net.len() - 1, net[0].len() - 1);
        let weight = net.iter().flatten().map(|h| h.w).fold(f64::INFINITY, f64::min);
        let mut sums = vec![vec![0.0; 2 * q + 1]; 2 * p + 1];
        for (i, row) in net.iter().enumerate() {
            for (j, &a) in row.iter().enumerate() {
                for (k, other) in net.iter().enumerate() {
                    for (l, &b) in other.iter().enumerate() {
                        let share = choose(p, i) * choose(p, k) * choose(q, j) * choose(q, l);
                        sums[i + k][j + l] += share * form(a, b);
                    }
                }
            }
        }
        for (i, row) in sums.iter().enumerate() {
            for (j, sum) in row.iter().enumerate() {
                let coefficient = sum / (choose(2 * p, i) * choose(2 * q, j));
                most = most.max(coefficient.abs() / (weight * weight));
            }
        }
    }
    most / slope
}

/// The binomial coefficient.
fn choose(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
}

/// The simpler surface that a spline or a swept surface is.
pub(crate) fn simpler_surface(given: &Surface) -> Option<Simpler> {
    let (surface, deviation) = match given {
        Surface::Spline(spline) => match of_spline(spline) {
            Some(found) => found,
            None => {
                let surface = Surface::Spline(spline.turned_to_poles()?);
                return Some(Simpler { surface, deviation: 0.0, flipped: true });
            }
        },
        Surface::Extrusion { curve, direction } => (extruded(curve, *direction)?, 0.0),
        Surface::Revolution { frame, curve } => revolved(frame, curve)?,
        _ => return None,
    };
    let flipped = is_flipped(given, &surface)?;
    Some(Simpler { surface, deviation, flipped })
}

/// Compares the normals of both surfaces at a point; `None` where no point is suitable.
fn is_flipped(given: &Surface, simpler: &Surface) -> Option<bool> {
    let candidates: Vec<DVec2> = match given {
        Surface::Spline(spline) => {
            let [low, high] = spline.domain();
            [0.37, 0.71, 0.13].map(|s| low + (high - low) * DVec2::new(s, 0.9 - s)).to_vec()
        }
        _ => [0.37, 1.1, -0.8].map(|s| DVec2::new(s, 0.9 - 0.5 * s)).to_vec(),
    };
    candidates.into_iter().find_map(|uv| {
        let [point, su, sv] = given.evaluate(uv);
        let normal = unit(su.cross(sv))?;
        let at = simpler.parameters(point, None);
        let near = simpler.point(at).distance(point) <= 1e-3 * su.length().max(sv.length());
        let other = unit(simpler.normal(at))?;
        (near && normal.dot(other).abs() > 0.9).then_some(normal.dot(other) < 0.0)
    })
}

fn of_spline(spline: &SplineSurface) -> Option<(Surface, f64)> {
    let nets = spline.beziers();
    let first = nets.first()?;
    if first.len() > MAX_DEGREE + 1 || first[0].len() > MAX_DEGREE + 1 {
        return None;
    }
    let points = || nets.iter().flatten().flatten().map(|&p| place(p));
    let origin = points().next()?;
    let size = points().map(|p| p.distance(origin)).fold(0.0, f64::max);
    let [low, high] = spline.domain();
    let at = |s: f64, t: f64| spline.evaluate(low + (high - low) * DVec2::new(s, t));
    let samples: Vec<(DVec3, DVec3)> = [(0.21, 0.33), (0.47, 0.29), (0.78, 0.41), (0.35, 0.82), (0.66, 0.74)]
        .iter()
        .filter_map(|&(s, t)| {
            let [point, su, sv] = at(s, t);
            Some((point, unit(su.cross(sv))?))
        })
        .collect();
    if samples.len() < 5 {
        return None;
    }
    let plane = Frame::new(samples[0].0, samples[0].1, None)?;
    let off = points().map(|p| plane.local(p).z.abs()).fold(0.0, f64::max);
    if off <= DEVIATION * size {
        return Some((Surface::Plane(plane), off));
    }
    sphere(&nets, &samples).or_else(|| cylinder(&nets, &samples))
}

/// The sphere whose centre the normals pass through.
fn sphere(nets: &[Net], samples: &[(DVec3, DVec3)]) -> Option<(Surface, f64)> {
    let [(p, n), (q, m)] = [samples[0], *samples.last()?];
    // Equal distances along both normals lead from the points to the centre.
    let between = n - m;
    let radius = (p - q).dot(between) / between.length_squared();
    if !radius.is_finite() || radius == 0.0 {
        return None;
    }
    let (center, radius) = (p - n * radius, radius.abs());
    if samples.iter().any(|(s, _)| (s.distance(center) - radius).abs() > 10.0 * DEVIATION * radius) {
        return None;
    }
    let deviation = from_quadric(nets, radius, |p, q| {
        let [a, b] = [p, q].map(|h| h.truncate() - center * h.w);
        a.dot(b) - radius * radius * p.w * q.w
    });
    let frame = Frame::new(center, DVec3::Z, None)?;
    (deviation <= DEVIATION * radius).then_some((Surface::Sphere { frame, radius }, deviation))
}

/// The cylinder to whose axis all normals are perpendicular.
fn cylinder(nets: &[Net], samples: &[(DVec3, DVec3)]) -> Option<(Surface, f64)> {
    let normals = || samples.iter().map(|&(_, n)| n);
    let pairs = normals().flat_map(|n| normals().map(move |m| n.cross(m)));
    let axis = pairs.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
    let axis = unit(axis).filter(|_| axis.length() > 1e-3)?;
    if normals().any(|n| n.dot(axis).abs() > 1e-5) {
        return None;
    }
    let across = |v: DVec3| v - axis * v.dot(axis);
    let (p, n) = samples[0];
    let far = samples.iter().max_by(|a, b| (a.1 - n).length().total_cmp(&(b.1 - n).length()))?;
    let between = across(n - far.1);
    let radius = across(p - far.0).dot(between) / between.length_squared();
    if !radius.is_finite() || radius == 0.0 {
        return None;
    }
    let (center, radius) = (p - n * radius, radius.abs());
    let frame = Frame::new(center, axis, Some(p - center))?;
    let deviation = from_quadric(nets, radius, |p, q| {
        let [a, b] = [p, q].map(|h| across(h.truncate() - center * h.w));
        a.dot(b) - radius * radius * p.w * q.w
    });
    (deviation <= DEVIATION * radius).then_some((Surface::Cylinder { frame, radius }, deviation))
}

fn extruded(curve: &Curve, direction: DVec3) -> Option<Surface> {
    let along = unit(direction)?;
    match curve {
        Curve::Line { origin, direction } => {
            let frame = Frame::new(*origin, direction.cross(along), Some(*direction))?;
            (unit(*direction)?.cross(along).length() > 1e-3).then_some(Surface::Plane(frame))
        }
        Curve::Circle { frame, radius } if frame.z.cross(along).length() <= PARALLEL => {
            Some(Surface::Cylinder { frame: *frame, radius: *radius })
        }
        _ => None,
    }
}

fn revolved(axis: &Frame, curve: &Curve) -> Option<(Surface, f64)> {
    let height = |p: DVec3| (p - axis.origin).dot(axis.z);
    let out = |p: DVec3| p - axis.origin - axis.z * height(p);
    match curve {
        Curve::Line { origin, direction } => {
            let along = unit(*direction)?;
            let rise = along.dot(axis.z);
            let slope = along - axis.z * rise;
            // The point of the line at which it is examined lies off the axis.
            let start = if out(*origin).length() > 1e-3 * direction.length() {
                *origin
            } else {
                *origin + *direction
            };
            let radial = unit(out(start))?;
            let is_coplanar = slope.cross(radial).length() <= PARALLEL;
            let frame = Frame { origin: axis.origin + axis.z * height(start), ..*axis };
            let growth = slope.dot(radial);
            let surface = if rise.abs() <= PARALLEL {
                Surface::Plane(frame)
            } else if growth.abs() <= PARALLEL {
                Surface::Cylinder { frame, radius: out(start).length() }
            } else {
                let half_angle = (growth / rise).atan();
                Surface::Cone { frame, radius: out(start).length(), half_angle }
            };
            let is_flat = matches!(surface, Surface::Cone { half_angle, .. } if half_angle.abs() > FLATTEST);
            (is_coplanar && !is_flat).then_some((surface, 0.0))
        }
        Curve::Circle { frame, radius } => {
            let center = out(frame.origin);
            let tilt = frame.z.dot(axis.z).abs() * radius + center.dot(frame.z).abs();
            let own = Frame { origin: axis.origin + axis.z * height(frame.origin), ..*axis };
            let (surface, deviation) = if center.length() <= DEVIATION * radius {
                (Surface::Sphere { frame: own, radius: *radius }, tilt + center.length())
            } else {
                (Surface::Torus { frame: own, major: center.length(), minor: *radius }, tilt)
            };
            let is_ring = !matches!(surface, Surface::Torus { major, minor, .. } if major <= minor);
            (is_ring && tilt <= DEVIATION * radius).then_some((surface, deviation))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Half a circle of radius 5 as a cubic spline with weights, as written by several programs.
    fn half(center: DVec3, x: DVec3, y: DVec3) -> SplineCurve {
        let points = [x * 5.0, x * 5.0 + y * 10.0, x * -5.0 + y * 10.0, x * -5.0].map(|p| center + p);
        SplineCurve::new(3, &points, Some(&[1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]), &[0.0, 1.0], &[4, 4]).unwrap()
    }

    #[test]
    fn rational_splines_are_circles_and_lines() {
        let (x, y) = (DVec3::new(0.6, 0.8, 0.0), DVec3::new(0.0, 0.0, 1.0));
        let center = DVec3::new(3.0, -2.0, 7.0);
        let spline = Curve::Spline(half(center, x, y));
        let (circle, deviation) = simpler_curve(&spline).unwrap();
        let Curve::Circle { frame, radius } = &circle else { panic!("{circle:?}") };
        assert!((radius - 5.0).abs() < 1e-13 && frame.origin.distance(center) < 1e-13 && deviation < 1e-12);
        // Its parameter grows in the same direction.
        let t = circle.parameter(spline.point(0.3), None);
        assert!((spline.evaluate(0.3).1.normalize() - circle.evaluate(t).1.normalize()).length() < 1e-9);
        let points = [DVec3::ZERO, DVec3::ONE, DVec3::splat(3.0)];
        let straight = SplineCurve::new(2, &points, None, &[0.0, 2.0], &[3, 3]).unwrap();
        assert!(
            matches!(simpler_curve(&Curve::Spline(straight)), Some((Curve::Line { .. }, d)) if d < 1e-14)
        );
        // A circle that is bent by a thousandth is none.
        let mut bent = [DVec3::X, DVec3::new(1.0, 1.001, 0.0), DVec3::Y];
        let of = |points: &[DVec3; 3]| {
            let w = [1.0, 0.5f64.sqrt(), 1.0];
            Curve::Spline(SplineCurve::new(2, points, Some(&w), &[0.0, 1.0], &[3, 3]).unwrap())
        };
        assert!(simpler_curve(&of(&bent)).is_none());
        bent[1].y = 1.0;
        assert!(matches!(simpler_curve(&of(&bent)), Some((Curve::Circle { .. }, _))));
    }

    #[test]
    fn splines_and_swept_surfaces_are_simple() {
        let net: Vec<Vec<DVec3>> = [[5.0, 0.0], [5.0, 10.0], [-5.0, 10.0], [-5.0, 0.0]]
            .iter()
            .map(|p| [1.0, 9.0].map(|z| DVec3::new(p[0], p[1], z)).to_vec())
            .collect();
        let weights: Vec<Vec<f64>> = [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0].iter().map(|&w| vec![w; 2]).collect();
        let knots = (3usize, &[0.0, 1.0][..], &[4usize, 4][..]);
        let straight = (1usize, &[0.0, 1.0][..], &[2usize, 2][..]);
        let spline = SplineSurface::new(&net, Some(&weights), knots, straight).unwrap();
        let found = simpler_surface(&Surface::Spline(spline)).unwrap();
        assert!(matches!(found.surface, Surface::Cylinder { radius, .. } if (radius - 5.0).abs() < 1e-12));
        assert!(found.deviation < 1e-12);
        let line = |from: [f64; 3], to: [f64; 3]| {
            let (origin, to) = (DVec3::from(from), DVec3::from(to));
            Curve::Line { origin, direction: to - origin }
        };
        let turned = |curve: Curve| simpler_surface(&Surface::Revolution { frame: Frame::WORLD, curve });
        for (curve, kind) in [
            (line([2.0, 0.0, 0.0], [2.0, 0.0, 5.0]), "cylinder"),
            (line([2.0, 0.0, 0.0], [3.0, 0.0, 5.0]), "cone"),
            (line([2.0, 0.0, 1.0], [3.0, 0.0, 1.0]), "plane"),
        ] {
            let given = Surface::Revolution { frame: Frame::WORLD, curve: curve.clone() };
            let found = turned(curve).unwrap();
            assert_eq!(found.surface.kind().to_string(), kind);
            for k in 0..20 {
                let uv = DVec2::new(f64::from(k) * TAU / 20.0, f64::from(k) / 20.0);
                let point = given.point(uv);
                let at = found.surface.parameters(point, None);
                assert!(found.surface.point(at).distance(point) < 1e-12);
                let turn = given.normal(uv).dot(found.surface.normal(at));
                assert_eq!(turn < 0.0, found.flipped, "{kind}");
            }
        }
        let upright = Frame::new(DVec3::new(4.0, 0.0, 0.0), DVec3::Y, None).unwrap();
        let ring = turned(Curve::Circle { frame: upright, radius: 1.0 }).unwrap();
        assert!(matches!(ring.surface, Surface::Torus { major, minor, .. } if (major, minor) == (4.0, 1.0)));
        assert!(turned(line([2.0, 0.0, 0.0], [2.0, 1.0, 5.0])).is_none());
    }
}
