//! Closed forms: the range of one surface's distance over a face that has the same axis.
//!
//! A face of revolution is a segment or an arc in the half plane of radius and height; the distance functions of planes,
//! cylinders and cones are linear there, those of spheres and tori are distances from a point. Extrema are therefore
//! known in closed form. Axes that agree only nearly are made to agree by moving the face; the functions are 1-Lipschitz,
//! so the range grows by no more than the move.

use crate::boundary::Edge;
use crate::curve::Curve;
use crate::distance::segments;
use crate::face::{Extent, Face};
use crate::frame::Frame;
use crate::patch::Patch;
use crate::placed::{PlacedFace, Range};
use crate::ranges::free_range;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Sine of the angle between two axes up to which the closed form is used.
const PARALLEL: f64 = 0.01;
/// Length of a chord of a circle of radius 1 over the sine of its angle, at most, up to that angle.
const TURN: f64 = 1.001;

impl Extent {
    pub(crate) fn new(face: &Face, patches: &[Patch], edges: &[Edge]) -> Self {
        let mut v = [f64::INFINITY, f64::NEG_INFINITY];
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for patch in patches {
            let ends = patch.uv.map(|uv| uv.y);
            let (least, most) = (ends[0].min(ends[1]).min(ends[2]), ends[0].max(ends[1]).max(ends[2]));
            let bent = patch.sides.iter().flatten().any(|side| !side.straight);
            let slope = face.surface.slopes(patch.uv[0], patch.uv[0]).v;
            let room = if bent && slope > 0.0 { patch.deviation / slope } else { 0.0 };
            v = [v[0].min(least - room), v[1].max(most + room)];
            let (center, radius) = patch.sphere();
            low = low.min(center - radius);
            high = high.max(center + radius);
        }
        // The vertices of all patches and their deviation hold the face: smaller than the box of the spheres.
        let center = (low + high) * 0.5;
        let reach = |patch: &Patch| {
            patch.points.map(|p| p.distance(center)).into_iter().fold(0.0, f64::max) + patch.deviation
        };
        let radius = patches.iter().map(reach).fold(0.0, f64::max);
        if let Some([low, high]) = edge_heights(face, edges, v) {
            v = [v[0].max(low), v[1].min(high)];
        }
        Self { v, center, radius }
    }
}

/// The heights of a face of a cylinder or a cone along its axis, from its edges: there is no extremum between them but the
/// apex, which `found` then holds.
fn edge_heights(face: &Face, edges: &[Edge], found: Range) -> Option<Range> {
    let frame = match &face.surface {
        Surface::Cylinder { frame, .. } => frame,
        Surface::Cone { frame, .. } => {
            let apex = face.surface.poles().into_iter().flatten().next()?;
            let room = 1e-6 * (found[1] - found[0]);
            if (found[0] - room..=found[1] + room).contains(&apex) {
                return None;
            }
            frame
        }
        _ => return None,
    };
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for &(number, _) in face.loops.iter().flatten() {
        let Edge { curve, from, to, .. } = &edges[number];
        let height = |p: DVec3| frame.local(p).z;
        let [low, high] = match curve {
            Curve::Line { .. } => hull([height(curve.point(*from)), height(curve.point(*to))]),
            Curve::Circle { frame: own, radius } => {
                let room = radius * own.x.dot(frame.z).hypot(own.y.dot(frame.z));
                [height(own.origin) - room, height(own.origin) + room]
            }
            _ => return None,
        };
        range = [range[0].min(low), range[1].max(high)];
    }
    let room = face.gap + face.rounding;
    (range[0] <= range[1]).then_some([range[0] - room, range[1] + room])
}

/// A generating curve in the half plane of radius and height.
enum Profile {
    Segment([DVec2; 2]),
    Arc { center: DVec2, radius: f64, from: f64, to: f64 },
}

/// A distance function in the same half plane.
enum Side {
    /// `normal · (r, z) − offset`.
    Linear { normal: DVec2, offset: f64 },
    /// `|(r, z) − center| − radius`.
    Round { center: DVec2, radius: f64 },
}

/// A lower bound of the distance between a face on `sigma`, a cylinder or a cone, and another one with the same axis,
/// nearly: that of their profiles.
pub(crate) fn profile_distance(sigma: &Surface, own: &Face, placed: &PlacedFace<'_>) -> Option<f64> {
    let at = |v: f64| match sigma {
        Surface::Cylinder { radius, .. } => Some(DVec2::new(*radius, v)),
        Surface::Cone { radius, half_angle, .. } => Some(DVec2::new(radius + v * half_angle.tan(), v)),
        _ => None,
    };
    let ends = [at(own.extent.v[0])?, at(own.extent.v[1])?];
    let (Profile::Segment(other), moved) = profile(sigma, placed)? else { return None };
    let distance = segments(ends.map(|p| p.extend(0.0)), other.map(|p| p.extend(0.0))).0;
    Some(distance - margin_of(sigma, moved, placed)?)
}

/// The profile of a face about the axis of `sigma`, and how far it is moved there.
fn profile(sigma: &Surface, placed: &PlacedFace<'_>) -> Option<(Profile, f64)> {
    let (frame, own) = (sigma.frame()?, placed.surface.frame()?);
    match placed.surface {
        Surface::Plane(_) => plane_profile(sigma, frame, own, placed),
        Surface::Sphere { radius, .. } => sphere_profile(sigma, frame, own, *radius, placed.face.extent.v),
        _ => turned_profile(sigma, frame, own, placed),
    }
}

/// Bound on the error of a profile.
fn margin_of(sigma: &Surface, moved: f64, placed: &PlacedFace<'_>) -> Option<f64> {
    let origins = [sigma.frame()?, placed.surface.frame()?].map(|frame| frame.origin.abs().max_element());
    let size = origins[0] + origins[1] + placed.face.extent.radius;
    Some(moved + placed.rounding + placed.face.rounding + size * 2f64.powi(-47))
}

/// The range of [`Surface::side`] of `sigma` over a face as if both had one axis, and how far the face is moved for that: for
/// parallel axes, by the distance between them.
pub(crate) fn coaxial_range(sigma: &Surface, placed: &PlacedFace<'_>) -> Option<(Range, f64)> {
    let (profile, moved) = profile(sigma, placed)?;
    Some((range(&side(sigma), &profile), moved))
}

/// The range of [`Surface::side`] of `sigma` over a face; `None` unless both have a common axis, nearly, or a bound that
/// needs none.
pub(crate) fn side_range(sigma: &Surface, placed: &PlacedFace<'_>) -> Option<Range> {
    let coaxial = coaxial_range(sigma, placed);
    let free = free_range(sigma, placed).map(|found| (found, placed.face.gap));
    let mut ranges = coaxial.into_iter().chain(free).filter_map(|([low, high], moved)| {
        let room = margin_of(sigma, moved, placed)?;
        Some([low - room, high + room])
    });
    let first = ranges.next()?;
    Some(ranges.fold(first, |[low, high], [from, to]| [low.max(from), high.min(to)]))
}

/// A sphere has any axis through its centre; the others have one.
fn is_sphere(surface: &Surface) -> bool {
    matches!(surface, Surface::Sphere { .. })
}

fn side(surface: &Surface) -> Side {
    match surface {
        Surface::Cylinder { radius, .. } => Side::Linear { normal: DVec2::X, offset: *radius },
        Surface::Cone { radius, half_angle, .. } => {
            let (sin, cos) = half_angle.sin_cos();
            Side::Linear { normal: DVec2::new(cos, -sin), offset: radius * cos }
        }
        Surface::Sphere { radius, .. } => Side::Round { center: DVec2::ZERO, radius: *radius },
        Surface::Torus { major, minor, .. } => {
            Side::Round { center: DVec2::new(*major, 0.0), radius: *minor }
        }
        _ => Side::Linear { normal: DVec2::Y, offset: 0.0 },
    }
}

fn plane_profile(
    sigma: &Surface,
    frame: &Frame,
    own: &Frame,
    placed: &PlacedFace<'_>,
) -> Option<(Profile, f64)> {
    let extent = placed.face.extent;
    let center = placed.placement.in_common(extent.center);
    if let Surface::Plane(_) = sigma {
        let tilt = TURN * own.z.cross(frame.z).length();
        let height =
            frame.local(own.origin + (center - own.origin - own.z * (center - own.origin).dot(own.z))).z;
        let level = Profile::Segment([DVec2::new(0.0, height); 2]);
        return (tilt < PARALLEL).then_some((level, tilt * extent.radius));
    }
    // The axis of sigma meets the plane at its foot.
    let axis = if is_sphere(sigma) { own.z } else { frame.z };
    let tilt = TURN * own.z.cross(axis).length();
    if tilt >= PARALLEL {
        return None;
    }
    let foot = frame.origin + axis * ((own.origin - frame.origin).dot(own.z) / axis.dot(own.z));
    let radii = radial_range(placed, placed.placement.in_body(foot));
    let height = (foot - frame.origin).dot(axis);
    Some((Profile::Segment(radii.map(|r| DVec2::new(r, height))), tilt * radii[1]))
}

/// Distances of the points of a plane face from a point of its plane.
fn radial_range(placed: &PlacedFace<'_>, foot: DVec3) -> Range {
    let mut range = [f64::INFINITY, 0.0f64];
    let mut include = |low: f64, high: f64| range = [range[0].min(low), range[1].max(high)];
    for &(number, _) in placed.face.loops.iter().flatten() {
        let Edge { curve, from, to, .. } = &placed.edges[number];
        match curve {
            Curve::Circle { frame, radius } => {
                let d = frame.origin.distance(foot);
                include((d - radius).abs(), d + radius);
            }
            Curve::Line { .. } => {
                let [a, b] = [*from, *to].map(|t| curve.point(t));
                let d = b - a;
                let t = ((foot - a).dot(d) / d.length_squared()).clamp(0.0, 1.0);
                include((a + d * t).distance(foot), a.distance(foot).max(b.distance(foot)));
            }
            _ => {
                let step = (to - from) / 16.0;
                for k in 0..16 {
                    let t = from + step * f64::from(k);
                    let room = curve.slopes(t, t + step).first * step;
                    let d = curve.point(t).distance(foot);
                    include((d - room).max(0.0), d + room);
                }
            }
        }
    }
    let rounding = placed.face.gap + placed.face.rounding;
    let holds_foot = range[0] <= rounding || covers(placed, foot, range[0]);
    [if holds_foot { 0.0 } else { range[0] - rounding }, range[1] + rounding]
}

/// Returns `true` unless the face certainly leaves out a point of its plane whose distance from its edges is known: its
/// boundary winds around the point. Angles are summed, so that the rounding of vertices where edges are joined does not
/// matter.
fn covers(placed: &PlacedFace<'_>, foot: DVec3, clearance: f64) -> bool {
    let Surface::Plane(frame) = &placed.face.surface else { return true };
    let center = frame.local(foot).truncate();
    let mut turn = 0.0;
    for &(number, forward) in placed.face.loops.iter().flatten() {
        let Edge { curve, from, to, .. } = &placed.edges[number];
        let mut count = 8u32;
        let place = |k: u32, count: u32| from + (to - from) * f64::from(k) / f64::from(count);
        let sagitta = |count: u32| {
            let chords = (0..count).map(|k| curve.sagitta(place(k, count), place(k + 1, count)));
            chords.fold(0.0, f64::max)
        };
        // Chords must pass the point on the same side as their arcs.
        while count < 512 && sagitta(count) > 0.5 * clearance {
            count *= 2;
        }
        if sagitta(count) > clearance {
            return true;
        }
        let at = |k: u32| frame.local(curve.point(place(k, count))).truncate() - center;
        let angle = |k: u32| at(k).perp_dot(at(k + 1)).atan2(at(k).dot(at(k + 1)));
        let own: f64 = (0..count).map(angle).sum();
        turn += if forward { own } else { -own };
    }
    turn.abs() > PI
}

fn sphere_profile(
    sigma: &Surface,
    frame: &Frame,
    own: &Frame,
    radius: f64,
    v: Range,
) -> Option<(Profile, f64)> {
    let d = own.origin - frame.origin;
    let full = |z: f64| Profile::Arc { center: DVec2::new(0.0, z), radius, from: -FRAC_PI_2, to: FRAC_PI_2 };
    match sigma {
        Surface::Sphere { .. } if d.length() > 1e-6 * radius => Some((full(d.length()), 0.0)),
        Surface::Sphere { .. } => Some((full(0.0), d.length())),
        _ => {
            let z = d.dot(frame.z);
            let offset = if matches!(sigma, Surface::Plane(_)) { 0.0 } else { (d - frame.z * z).length() };
            let along = own.z.dot(frame.z);
            let tilt = TURN * own.z.cross(frame.z).length();
            if tilt > 1e-9 {
                return Some((full(z), offset));
            }
            let [from, to] = if along > 0.0 { v } else { [-v[1], -v[0]] };
            Some((Profile::Arc { center: DVec2::new(0.0, z), radius, from, to }, offset + tilt * radius))
        }
    }
}

fn turned_profile(
    sigma: &Surface,
    frame: &Frame,
    own: &Frame,
    placed: &PlacedFace<'_>,
) -> Option<(Profile, f64)> {
    let v = placed.face.extent.v;
    let axis = if is_sphere(sigma) { own.z } else { frame.z };
    let along = own.z.dot(axis).signum();
    let tilt = TURN * own.z.cross(axis).length();
    if tilt >= PARALLEL {
        return None;
    }
    let at = |v: f64| match placed.surface {
        Surface::Cylinder { radius, .. } => DVec2::new(*radius, v),
        Surface::Cone { radius, half_angle, .. } => DVec2::new(radius + v * half_angle.tan(), v),
        _ => DVec2::ZERO,
    };
    let (low, high) = match placed.surface {
        Surface::Torus { minor, .. } => (-*minor, *minor),
        _ => (v[0], v[1]),
    };
    // Turned about the middle of its axis, the face moves least.
    let middle = (low + high) * 0.5;
    let pivot = own.origin + own.z * middle;
    let d = pivot - frame.origin;
    let height = d.dot(axis);
    let offset = if matches!(sigma, Surface::Plane(_)) { 0.0 } else { (d - axis * height).length() };
    let widest = match placed.surface {
        Surface::Torus { major, minor, .. } => major + minor,
        _ => at(low).x.abs().max(at(high).x.abs()),
    };
    let moved = offset + tilt * widest.hypot((high - low) * 0.5);
    // Heights of the own axis seen along the axis of sigma.
    let lift = |p: DVec2| DVec2::new(p.x, height + along * (p.y - middle));
    let profile = match placed.surface {
        Surface::Torus { major, minor, .. } => {
            let [from, to] = if along > 0.0 { v } else { [-v[1], -v[0]] };
            Profile::Arc { center: lift(DVec2::new(*major, 0.0)), radius: *minor, from, to }
        }
        _ => Profile::Segment([lift(at(low)), lift(at(high))]),
    };
    Some((profile, moved))
}

fn range(side: &Side, profile: &Profile) -> Range {
    match (side, profile) {
        (Side::Linear { normal, offset }, Profile::Segment(ends)) => {
            hull(ends.map(|p| normal.dot(p) - offset))
        }
        (Side::Linear { normal, offset }, Profile::Arc { center, radius, from, to }) => {
            let middle = normal.dot(*center) - offset;
            let steepest = normal.to_angle();
            let [mut low, mut high] = hull([*from, *to].map(|t| middle + radius * (t - steepest).cos()));
            if holds(*from, *to, steepest) {
                high = middle + radius;
            }
            if holds(*from, *to, steepest + PI) {
                low = middle - radius;
            }
            [low, high]
        }
        (Side::Round { center, radius }, Profile::Segment([a, b])) => {
            let d = *b - *a;
            let t = if d == DVec2::ZERO {
                0.0
            } else {
                ((*center - *a).dot(d) / d.length_squared()).clamp(0.0, 1.0)
            };
            let far = a.distance(*center).max(b.distance(*center));
            [(*a + d * t).distance(*center) - radius, far - radius]
        }
        (Side::Round { center, radius }, Profile::Arc { center: own, radius: r, from, to }) => {
            let toward = *center - *own;
            let distance = toward.length();
            let at = |t: f64| (*own + *r * DVec2::from_angle(t)).distance(*center) - radius;
            let [mut low, mut high] = hull([at(*from), at(*to)]);
            let angle = if distance > 0.0 { toward.to_angle() } else { *from };
            if holds(*from, *to, angle) {
                low = (distance - r).abs() - radius;
            }
            if holds(*from, *to, angle + PI) {
                high = distance + r - radius;
            }
            [low, high]
        }
    }
}

fn hull([a, b]: [f64; 2]) -> Range {
    [a.min(b), a.max(b)]
}

/// Returns `true` if a range of angles contains an angle, up to whole turns and a little more.
fn holds(from: f64, to: f64, angle: f64) -> bool {
    let room = 1e-12;
    to - from >= TAU - room || (angle - from + room).rem_euclid(TAU) <= to - from + 2.0 * room
}

/// The range of [`Surface::side`] over points near a triangle. Functions of convex sets are above their tangents and
/// greatest at vertices; that of a torus bends the other way by at most one over the distance from the axis.
pub(crate) fn patch_range(sigma: &Surface, points: &[DVec3; 3], deviation: f64) -> Option<Range> {
    let values = [sigma.side(points[0])?, sigma.side(points[1])?, sigma.side(points[2])?];
    let center = (points[0] + points[1] + points[2]) / 3.0;
    let middle = sigma.side(center)?;
    let reach = points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    let lipschitz = [middle - reach, middle + reach];
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bend = match sigma {
        Surface::Torus { frame, .. } => {
            let nearest = frame.cylindrical(center).x - reach;
            if nearest > 0.0 { 2.0 * reach * reach / nearest } else { f64::INFINITY }
        }
        _ => 0.0,
    };
    let slope = gradient(sigma, center);
    let tangent = points.iter().map(|&p| middle + slope.dot(p - center)).fold(f64::INFINITY, f64::min);
    let tangent = if slope == DVec3::ZERO { f64::NEG_INFINITY } else { tangent };
    let room = deviation + (reach + center.abs().max_element()) * 2f64.powi(-46);
    Some([(tangent - bend).max(lipschitz[0]) - room, (most + bend).min(lipschitz[1]) + room])
}

/// The gradient of [`Surface::side`]; zero where it has none.
fn gradient(sigma: &Surface, point: DVec3) -> DVec3 {
    let Some(frame) = sigma.frame() else { return DVec3::ZERO };
    let p = frame.local(point);
    let out = (frame.x * p.x + frame.y * p.y).normalize_or_zero();
    if out == DVec3::ZERO && !matches!(sigma, Surface::Plane(_) | Surface::Sphere { .. }) {
        return DVec3::ZERO;
    }
    match sigma {
        Surface::Plane(_) => frame.z,
        Surface::Cylinder { .. } => out,
        Surface::Cone { half_angle, .. } => out * half_angle.cos() - frame.z * half_angle.sin(),
        Surface::Sphere { .. } => (point - frame.origin).normalize_or_zero(),
        Surface::Torus { major, .. } => (point - frame.origin - out * *major).normalize_or_zero(),
        _ => DVec3::ZERO,
    }
}
