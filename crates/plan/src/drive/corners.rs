//! A path with blends, and its times.

use super::sampled::within_limits;
use super::{BlendShape, DriveError, SMALLEST};
use noli_robot::profile::{DriveLimits, PathLimits};
use noli_robot::{JointCurve, JointCurveError, JointTable};

/// Half of a segment that a blend may take: the rest is left to changes of speed.
const SHARE: f64 = 0.45;

/// An inner waypoint.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    /// Its number among the given configurations.
    pub(super) waypoint: usize,
    at: Vec<f64>,
    /// Directions before and behind it, of unit length.
    from: Vec<f64>,
    to: Vec<f64>,
    shape: BlendShape,
    /// Tangent of half the angle between both directions.
    bend: f64,
    /// Distance from the waypoint at which the blend begins and ends; 0 for a stop.
    pub(super) reach: f64,
}

/// Bends that are smaller are as good as straight, and larger ones as good as reversals.
const STRAIGHT: f64 = 1e-6;
const REVERSED: f64 = 1e3;

/// Largest angle of a piece of an arc, in radians: transitions to the segments stay within 0.002 of the radius.
const PIECE: f64 = 0.25;

/// Control points of a curve over a length, behind its first.
type Piece = (f64, [Vec<f64>; 5]);

fn moved(at: &[f64], direction: &[f64], length: f64) -> Vec<f64> {
    at.iter().zip(direction).map(|(at, direction)| at + direction * length).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

impl Corner {
    fn new(waypoint: usize, at: &[f64], [from, to]: [Vec<f64>; 2], shape: BlendShape) -> Self {
        let (mut sum, mut difference) = (0.0, 0.0);
        for (a, b) in from.iter().zip(&to) {
            (sum, difference) = (sum + (a + b).powi(2), difference + (b - a).powi(2));
        }
        Self { waypoint, at: at.to_vec(), from, to, shape, bend: (difference / sum).sqrt(), reach: 0.0 }
    }

    /// The distance at which a blend of a radius begins. Arcs of nearly straight segments are longer than wanted, as
    /// their pieces would be too short to drive.
    fn reach_of(&self, radius: f64) -> f64 {
        match self.shape {
            BlendShape::Circular if self.bend >= REVERSED || radius <= 0.0 => 0.0,
            BlendShape::Circular => (radius * self.bend).max(SMALLEST),
            BlendShape::Smooth => radius,
        }
    }

    /// The radius of a blend that begins at a distance, at most the wanted one.
    pub(super) fn radius_of(&self, reach: f64, wanted: f64) -> f64 {
        match self.shape {
            BlendShape::Circular if reach > 0.0 => (reach / self.bend.max(f64::MIN_POSITIVE)).min(wanted),
            _ => reach,
        }
    }

    /// The point where the blend begins.
    fn start(&self) -> Vec<f64> {
        moved(&self.at, &self.from, -self.reach)
    }

    /// The pieces of the blend, of quintics that are nearly of unit speed.
    fn pieces(&self) -> Vec<Piece> {
        match self.shape {
            BlendShape::Circular if self.bend >= STRAIGHT => self.arc(),
            _ => vec![self.quintic()],
        }
    }

    /// A quintic over a length of twice the reach that starts and ends with unit speed along the segments and without
    /// curvature.
    fn quintic(&self) -> Piece {
        let r = self.reach;
        let before = |share: f64| moved(&self.at, &self.from, -r * share);
        let behind = |share: f64| moved(&self.at, &self.to, r * share);
        (2.0 * r, [before(0.6), before(0.2), behind(0.2), behind(0.6), behind(1.0)])
    }

    /// Quintics by position, direction and curvature of the arc at their ends. Curvature rises from 0 on the first and
    /// falls to 0 on the last, so that accelerations are continuous.
    fn arc(&self) -> Vec<Piece> {
        let (radius, angle) = (self.reach / self.bend, 2.0 * self.bend.atan());
        let count = (angle / PIECE).ceil().max(4.0) as usize;
        let cosine: f64 = self.from.iter().zip(&self.to).map(|(a, b)| a * b).sum();
        let inward = moved(&self.to, &self.from, -cosine);
        let length = inward.iter().map(|x| x * x).sum::<f64>().sqrt();
        let inward: Vec<f64> = inward.iter().map(|x| x / length).collect();
        let start = self.start();
        let step = angle / count as f64;
        // Position, direction and curvature at a knot.
        let knot = |k: usize| -> [Vec<f64>; 3] {
            let (sin, cos) = (step * k as f64).sin_cos();
            let both = |a: f64, b: f64| -> Vec<f64> {
                self.from.iter().zip(&inward).map(|(along, inward)| along * a + inward * b).collect()
            };
            let curvature = if k == 0 || k == count { 0.0 } else { 1.0 / radius };
            let place = moved(&moved(&start, &self.from, radius * sin), &inward, radius * (1.0 - cos));
            [place, both(cos, sin), both(-sin * curvature, cos * curvature)]
        };
        let long = radius * step;
        let inner = |[place, direction, curvature]: &[Vec<f64>; 3], sign: f64| {
            let second = moved(place, direction, sign * 0.4 * long);
            [moved(place, direction, sign * 0.2 * long), moved(&second, curvature, 0.05 * long * long)]
        };
        let mut pieces = Vec::with_capacity(count);
        for k in 0..count {
            let (from, to) = (knot(k), knot(k + 1));
            let ([first, second], [fourth, third]) = (inner(&from, 1.0), inner(&to, -1.0));
            let last = if k + 1 == count { moved(&self.at, &self.to, self.reach) } else { to[0].clone() };
            pieces.push((long, [first, second, third, fourth, last]));
        }
        pieces
    }

    /// Adds the blend to a curve at a speed.
    fn add_to(&self, curve: &mut JointCurve, speed: f64) -> Result<(), JointCurveError> {
        for (length, control) in self.pieces() {
            let rest: Vec<&[f64]> = control.iter().map(Vec::as_slice).collect();
            curve.push(curve.span()[1] + length / speed, &rest)?;
        }
        Ok(())
    }

    /// The blend at unit speed.
    pub(super) fn curve(&self) -> Result<JointCurve, JointCurveError> {
        let mut curve = JointCurve::starting(0.0, &self.start())?;
        self.add_to(&mut curve, 1.0)?;
        Ok(curve)
    }

    /// The largest constant speed on the blend within limits; 0 for a stop.
    fn speed(&self, limits: &DriveLimits) -> Result<f64, DriveError> {
        if self.reach <= 0.0 {
            return Ok(0.0);
        }
        let curve = self.curve()?;
        let largest = |variable: usize, order: usize| {
            let [low, high] = curve.derivative_range(variable, order);
            low.abs().max(high.abs())
        };
        let bounds: Vec<[f64; 3]> =
            (0..self.at.len()).map(|variable| [1, 2, 3].map(|order| largest(variable, order))).collect();
        Ok(limits.speed_on(&bounds))
    }
}

/// A path: straight segments and the waypoints between them.
#[derive(Clone, Debug)]
pub(super) struct Route {
    start: Vec<f64>,
    end: Vec<f64>,
    pub(super) corners: Vec<Corner>,
}

impl Route {
    /// A path that stops at every waypoint; repeated ones are left out.
    pub(super) fn new(configurations: &[Vec<f64>], shape: BlendShape) -> Result<Self, DriveError> {
        let mut kept: Vec<(usize, &Vec<f64>)> = Vec::new();
        for (number, values) in configurations.iter().enumerate() {
            if kept.last().is_none_or(|(_, last)| distance(last, values) > 0.0) {
                kept.push((number, values));
            }
        }
        let [(_, start), .., (_, end)] = kept[..] else { return Err(DriveError::TooFew) };
        let direction = |a: &[f64], b: &[f64]| -> Vec<f64> {
            let length = distance(a, b);
            a.iter().zip(b).map(|(a, b)| (b - a) / length).collect()
        };
        let corner = |three: &[(usize, &Vec<f64>)]| {
            let (before, (waypoint, at), behind) = (three[0].1, three[1], three[2].1);
            Corner::new(waypoint, at, [direction(before, at), direction(at, behind)], shape)
        };
        let corners = kept.windows(3).map(corner).collect();
        Ok(Self { start: start.clone(), end: end.clone(), corners })
    }

    /// Sets the radius of all blends, as far as segments are long enough.
    pub(super) fn blend(&mut self, radius: f64) {
        let points: Vec<&[f64]> = self.points().collect();
        let lengths: Vec<f64> = points.windows(2).map(|two| distance(two[0], two[1])).collect();
        for (number, corner) in self.corners.iter_mut().enumerate() {
            let room = SHARE * lengths[number].min(lengths[number + 1]);
            corner.reach = corner.reach_of(radius).min(room);
        }
    }

    fn points(&self) -> impl Iterator<Item = &[f64]> {
        let corners = self.corners.iter().map(|corner| &corner.at[..]);
        std::iter::once(&self.start[..]).chain(corners).chain(std::iter::once(&self.end[..]))
    }

    /// The blend that is nearest to a configuration, if one is left.
    pub(super) fn nearest_blend(&self, values: &[f64]) -> Option<usize> {
        let left = (0..self.corners.len()).filter(|&number| self.corners[number].reach > 0.0);
        left.min_by(|&a, &b| {
            let far = |number: usize| distance(&self.corners[number].at, values);
            far(a).total_cmp(&far(b))
        })
    }

    /// Turns blends into stops that are quicker: tight ones at the limit of the jerk.
    pub(super) fn drop_slow_blends(&mut self, limits: &DriveLimits) -> Result<(), DriveError> {
        let mut best = self.curve(limits)?.duration();
        for number in 0..self.corners.len() {
            let reach = std::mem::take(&mut self.corners[number].reach);
            let stopped = self.curve(limits)?.duration();
            if reach > 0.0 && stopped < best {
                best = stopped;
            } else {
                self.corners[number].reach = reach;
            }
        }
        let mut stops = self.clone();
        stops.corners.iter_mut().for_each(|corner| corner.reach = 0.0);
        if stops.curve(limits)?.duration() < best {
            *self = stops;
        }
        Ok(())
    }

    /// Times of the path within limits: positions, velocities and accelerations at all knots.
    pub(super) fn timed(&self, limits: &DriveLimits) -> Result<JointTable, DriveError> {
        within_limits(&self.curve(limits)?, limits)
    }

    /// The path over time, before rounding.
    fn curve(&self, limits: &DriveLimits) -> Result<JointCurve, DriveError> {
        let ends = self.lines();
        let lines: Vec<Line> = ends.into_iter().map(|[from, to]| Line::new(&from, to, limits)).collect();
        let mut speeds = vec![0.0];
        for corner in &self.corners {
            speeds.push(corner.speed(limits)?);
        }
        speeds.push(0.0);
        for (number, corner) in self.corners.iter().enumerate() {
            let either = lines[number].limits.speed.min(lines[number + 1].limits.speed);
            speeds[number + 1] = if corner.reach > 0.0 { speeds[number + 1].min(either) } else { 0.0 };
        }
        for (number, line) in lines.iter().enumerate() {
            speeds[number + 1] = speeds[number + 1].min(line.limits.reachable(speeds[number], line.length));
        }
        for (number, line) in lines.iter().enumerate().rev() {
            speeds[number] = speeds[number].min(line.limits.reachable(speeds[number + 1], line.length));
        }
        let mut curve = JointCurve::starting(0.0, &self.start)?;
        for (number, line) in lines.iter().enumerate() {
            line.limits.drive(&mut curve, &line.to, [speeds[number], speeds[number + 1]])?;
            if let Some(corner) = self.corners.get(number).filter(|corner| corner.reach > 0.0) {
                corner.add_to(&mut curve, speeds[number + 1])?;
            }
        }
        Ok(curve)
    }

    /// Both ends of the straight rest of every segment.
    fn lines(&self) -> Vec<[Vec<f64>; 2]> {
        let mut lines = Vec::with_capacity(self.corners.len() + 1);
        let mut from = self.start.clone();
        for corner in &self.corners {
            lines.push([from, corner.start()]);
            from = moved(&corner.at, &corner.to, corner.reach);
        }
        lines.push([from, self.end.clone()]);
        lines
    }
}

/// A straight segment.
struct Line {
    to: Vec<f64>,
    length: f64,
    limits: PathLimits,
}

impl Line {
    fn new(from: &[f64], to: Vec<f64>, limits: &DriveLimits) -> Self {
        let length = distance(from, &to);
        let direction: Vec<f64> = from.iter().zip(&to).map(|(a, b)| (b - a) / length).collect();
        Self { to, length, limits: limits.along(&direction) }
    }
}
