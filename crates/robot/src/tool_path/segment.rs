//! One line, arc or blend of a tool path.

use super::turn;
use glam::{DQuat, DVec3};
use noli_geom::{Pose, rotation};

/// The path of the tool's origin over shares from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Line {
        from: DVec3,
        to: DVec3,
    },
    /// From the centre along `x`, towards `y`, by an angle; both have the length of the radius.
    Arc {
        center: DVec3,
        x: DVec3,
        y: DVec3,
        angle: f64,
    },
    /// A parabola by its control points.
    Blend([DVec3; 3]),
}

/// A segment, on which the tool rotates evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    shape: Shape,
    start: DQuat,
    /// In the frame of the root.
    turn: DVec3,
    /// Between two lines that it joins without a stop: what was wanted and what is driven.
    blend: Option<BlendRadius>,
}

/// Radius of the rounding between two lines, in metres: of a parabola the distance from the common point at which it leaves
/// the line, of an arc its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendRadius {
    /// As given.
    pub wanted: f64,
    /// As driven: less where a line is too short. Half of a line is left for a blend at its end.
    pub driven: f64,
}

impl BlendRadius {
    /// Returns `true` if the path has no room for what was wanted.
    pub fn is_cut(&self) -> bool {
        self.driven < self.wanted
    }
}

/// Curve between two lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Blend {
    /// A parabola that leaves the first line at this distance from the common point.
    Parabola(f64),
    /// A circular arc of this radius.
    Arc(f64),
}

impl Blend {
    fn wanted(self) -> f64 {
        match self {
            Self::Parabola(radius) | Self::Arc(radius) => radius,
        }
    }

    /// The distance from the common point at which two lines, by their unit directions, are left and joined.
    fn distance(self, out: DVec3, into: DVec3) -> f64 {
        match self {
            Self::Parabola(distance) => distance,
            Self::Arc(radius) => radius * half_tangent(out, into),
        }
    }
}

/// Tangent of half the angle between two unit vectors; 0 for opposite ones, between which no arc fits.
fn half_tangent(a: DVec3, b: DVec3) -> f64 {
    let (sum, difference) = ((a + b).length(), (b - a).length());
    if sum <= 1e-9 { 0.0 } else { difference / sum }
}

/// The length that one radian of a rotation in place counts for, in metres.
const LEVER: f64 = 0.25;

impl Segment {
    pub(super) fn line(from: Pose, to: Pose) -> Self {
        let shape = Shape::Line { from: from.translation, to: to.translation };
        Self { shape, start: from.rotation.normalize(), turn: turn(&from, &to), blend: None }
    }

    /// `None` if the points lie on a line, up to a billionth of their distance.
    pub(super) fn arc(from: Pose, via: DVec3, to: Pose) -> Option<Self> {
        let (a, b, c) = (from.translation, via, to.translation);
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        if normal.length() <= 1e-9 * u.length() * v.length() || normal.length() == 0.0 {
            return None;
        }
        // Circumcentre of the triangle.
        let sum = normal.cross(u) * v.length_squared() + v.cross(normal) * u.length_squared();
        let center = a + sum / (2.0 * normal.length_squared());
        let axis = normal.normalize();
        let x = a - center;
        let y = axis.cross(x);
        let place = |point: DVec3| {
            let away = point - center;
            away.dot(y).atan2(away.dot(x)).rem_euclid(std::f64::consts::TAU)
        };
        let angle = place(c);
        let shape = Shape::Arc { center, x, y, angle };
        let (start, turn) = (from.rotation.normalize(), turn(&from, &to));
        (place(b) < angle).then_some(Self { shape, start, turn, blend: None })
    }

    pub(super) fn blend(&self) -> Option<BlendRadius> {
        self.blend
    }

    /// The end of this line, a blend, and the rest of the next line; `None` if there is nothing to round.
    pub(super) fn blended(&self, next: &Self, wanted: Blend) -> Option<[Self; 3]> {
        let (Shape::Line { from: a, to: b }, Shape::Line { to: c, .. }) = (self.shape, next.shape) else {
            return None;
        };
        let (before, after) = ((b - a).length(), (c - b).length());
        let directions = [(b - a) / before, (c - b) / after];
        // Half of the next line is left for the blend at its end.
        let whole = wanted.distance(directions[0], directions[1]);
        let distance = whole.min(before * 0.999).min(0.5 * after);
        // A rotation in place has no direction.
        if !(distance > 0.0 && distance.is_finite()) {
            return None;
        }
        let (out, into) = (1.0 - distance / before, distance / after);
        let [first, last] = [self.part(0.0, out), next.part(into, 1.0)];
        let shape = match wanted {
            Blend::Parabola(_) => Shape::Blend([first.position(1.0), b, last.position(0.0)]),
            Blend::Arc(_) => tangent_arc(first.position(1.0), directions, distance),
        };
        let [start, end] = [first.pose(1.0), last.pose(0.0)];
        let (turn, start) = (turn(&start, &end), start.rotation.normalize());
        let share = if distance < whole { distance / whole } else { 1.0 };
        let radius = BlendRadius { wanted: wanted.wanted(), driven: wanted.wanted() * share };
        let blend = Self { shape, start, turn, blend: Some(radius) };
        Some([first, blend, last])
    }

    /// A part of a line.
    fn part(&self, from: f64, to: f64) -> Self {
        let shape = Shape::Line { from: self.position(from), to: self.position(to) };
        let start = rotation::exp(self.turn * from) * self.start;
        Self { shape, start, turn: self.turn * (to - from), blend: None }
    }

    pub(super) fn position(&self, share: f64) -> DVec3 {
        match self.shape {
            Shape::Line { from, to } => from.lerp(to, share),
            Shape::Arc { center, x, y, angle } => {
                let (sin, cos) = (angle * share).sin_cos();
                center + x * cos + y * sin
            }
            Shape::Blend([a, b, c]) => a.lerp(b, share).lerp(b.lerp(c, share), share),
        }
    }

    pub(super) fn pose(&self, share: f64) -> Pose {
        Pose::new((rotation::exp(self.turn * share) * self.start).normalize(), self.position(share))
    }

    pub(super) fn length(&self) -> f64 {
        let moved = match self.shape {
            Shape::Line { from, to } => (to - from).length(),
            Shape::Arc { x, angle, .. } => x.length() * angle,
            Shape::Blend(points) => parabola_length(&points, 1.0),
        };
        moved.max(LEVER * self.turn.length())
    }

    /// The share at which a part of the length is behind the tool: the same, but for blends.
    pub(super) fn share_of_length(&self, part: f64) -> f64 {
        let Shape::Blend(points) = self.shape else { return part };
        let whole = parabola_length(&points, 1.0);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if parabola_length(&points, middle) < part * whole { low = middle } else { high = middle }
        }
        if part >= 1.0 { 1.0 } else { low }
    }

    /// Bounds how far points within a radius of the tool's origin are from their chord between two shares: second
    /// derivatives times an eighth of the square of the interval.
    pub(super) fn chord_deviation(&self, radius: f64, from: f64, to: f64) -> f64 {
        let second = match self.shape {
            Shape::Line { .. } => 0.0,
            Shape::Arc { x, angle, .. } => x.length() * angle * angle,
            Shape::Blend([a, b, c]) => 2.0 * (a - 2.0 * b + c).length(),
        };
        let rotating = radius * self.turn.length_squared();
        0.125 * (second + rotating) * (to - from).powi(2) * (1.0 + 1e-12)
    }
}

/// The arc that leaves a line at a point, at a distance before it meets the next one, and joins that at the same distance.
fn tangent_arc(from: DVec3, [out, into]: [DVec3; 2], distance: f64) -> Shape {
    let tangent = half_tangent(out, into);
    let radius = distance / tangent;
    let inwards = (into - out * out.dot(into)).normalize_or_zero();
    let (center, angle) = (from + inwards * radius, 2.0 * tangent.atan());
    Shape::Arc { center, x: -inwards * radius, y: out * radius, angle }
}

/// Length of a parabola up to a share, by Simpson's rule: a scale of time, of which no proof depends.
fn parabola_length(points: &[DVec3; 3], share: f64) -> f64 {
    const PARTS: usize = 16;
    let speed = |share: f64| 2.0 * (points[1] - points[0]).lerp(points[2] - points[1], share).length();
    let step = share / PARTS as f64;
    let part = |k: usize| {
        let from = step * k as f64;
        (speed(from) + 4.0 * speed(from + 0.5 * step) + speed(from + step)) * step / 6.0
    };
    (0..PARTS).map(part).sum()
}
