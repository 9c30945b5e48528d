//! A path with blends, and its times.

use super::profile::PathLimits;
use super::sampled::within_limits;
use super::{DriveError, DriveLimits};
use noli_robot::{JointCurve, JointCurveError, JointTable};

/// Half of a segment that a blend may take: the rest is left to changes of speed.
const SHARE: f64 = 0.45;

/// Phases that are shorter are left out, in seconds.
const SHORTEST: f64 = 1e-9;

/// An inner waypoint.
#[derive(Clone, Debug)]
pub(super) struct Corner {
    /// Its number among the given configurations.
    pub(super) waypoint: usize,
    at: Vec<f64>,
    /// Directions before and behind it, of unit length.
    from: Vec<f64>,
    to: Vec<f64>,
    pub(super) radius: f64,
}

fn moved(at: &[f64], direction: &[f64], length: f64) -> Vec<f64> {
    at.iter().zip(direction).map(|(at, direction)| at + direction * length).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

impl Corner {
    /// The control points of the blend: a quintic over a parameter of twice the radius that starts and ends with unit
    /// speed along the segments and without curvature.
    fn control(&self) -> [Vec<f64>; 6] {
        let r = self.radius;
        let before = |share: f64| moved(&self.at, &self.from, -r * share);
        let behind = |share: f64| moved(&self.at, &self.to, r * share);
        [before(1.0), before(0.6), before(0.2), behind(0.2), behind(0.6), behind(1.0)]
    }

    /// The blend over a time of twice the radius.
    pub(super) fn curve(&self) -> Result<JointCurve, JointCurveError> {
        let control = self.control();
        let mut curve = JointCurve::starting(0.0, &control[0])?;
        let rest: Vec<&[f64]> = control[1..].iter().map(Vec::as_slice).collect();
        curve.push(2.0 * self.radius, &rest)?;
        Ok(curve)
    }

    /// The largest constant speed on the blend within limits; 0 for a stop.
    fn speed(&self, limits: &DriveLimits) -> Result<f64, DriveError> {
        if self.radius <= 0.0 {
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
    pub(super) fn new(configurations: &[Vec<f64>]) -> Result<Self, DriveError> {
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
        let corner = |three: &[(usize, &Vec<f64>)]| Corner {
            waypoint: three[1].0,
            at: three[1].1.clone(),
            from: direction(three[0].1, three[1].1),
            to: direction(three[1].1, three[2].1),
            radius: 0.0,
        };
        let corners = kept.windows(3).map(corner).collect();
        Ok(Self { start: start.clone(), end: end.clone(), corners })
    }

    /// Sets the radius of all blends, as far as segments are long enough.
    pub(super) fn blend(&mut self, radius: f64) {
        let points: Vec<&[f64]> = self.points().collect();
        let lengths: Vec<f64> = points.windows(2).map(|two| distance(two[0], two[1])).collect();
        for (number, corner) in self.corners.iter_mut().enumerate() {
            corner.radius = radius.min(SHARE * lengths[number]).min(SHARE * lengths[number + 1]);
        }
    }

    fn points(&self) -> impl Iterator<Item = &[f64]> {
        let corners = self.corners.iter().map(|corner| &corner.at[..]);
        std::iter::once(&self.start[..]).chain(corners).chain(std::iter::once(&self.end[..]))
    }

    /// The blend that is nearest to a configuration, if one is left.
    pub(super) fn nearest_blend(&self, values: &[f64]) -> Option<usize> {
        let left = (0..self.corners.len()).filter(|&number| self.corners[number].radius > 0.0);
        left.min_by(|&a, &b| {
            let far = |number: usize| distance(&self.corners[number].at, values);
            far(a).total_cmp(&far(b))
        })
    }

    /// Turns blends into stops that are quicker: tight ones at the limit of the jerk.
    pub(super) fn drop_slow_blends(&mut self, limits: &DriveLimits) -> Result<(), DriveError> {
        let mut best = self.curve(limits)?.duration();
        for number in 0..self.corners.len() {
            let radius = std::mem::take(&mut self.corners[number].radius);
            let stopped = self.curve(limits)?.duration();
            if radius > 0.0 && stopped < best {
                best = stopped;
            } else {
                self.corners[number].radius = radius;
            }
        }
        let mut stops = self.clone();
        stops.corners.iter_mut().for_each(|corner| corner.radius = 0.0);
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
        let lines: Vec<Line> = ends.into_iter().map(|[from, to]| Line::new(from, to, limits)).collect();
        let mut speeds = vec![0.0];
        for corner in &self.corners {
            speeds.push(corner.speed(limits)?);
        }
        speeds.push(0.0);
        for (number, corner) in self.corners.iter().enumerate() {
            let either = lines[number].limits.speed.min(lines[number + 1].limits.speed);
            speeds[number + 1] = if corner.radius > 0.0 { speeds[number + 1].min(either) } else { 0.0 };
        }
        for (number, line) in lines.iter().enumerate() {
            speeds[number + 1] = speeds[number + 1].min(line.limits.reachable(speeds[number], line.length));
        }
        for (number, line) in lines.iter().enumerate().rev() {
            speeds[number] = speeds[number].min(line.limits.reachable(speeds[number + 1], line.length));
        }
        let mut curve = JointCurve::starting(0.0, &self.start)?;
        for (number, line) in lines.iter().enumerate() {
            line.add_to(&mut curve, [speeds[number], speeds[number + 1]])?;
            if let Some(corner) = self.corners.get(number).filter(|corner| corner.radius > 0.0) {
                let control = corner.control();
                let rest: Vec<&[f64]> = control[1..].iter().map(Vec::as_slice).collect();
                let until = curve.span()[1] + 2.0 * corner.radius / speeds[number + 1];
                curve.push(until, &rest)?;
            }
        }
        Ok(curve)
    }

    /// Both ends of the straight rest of every segment.
    fn lines(&self) -> Vec<[Vec<f64>; 2]> {
        let mut lines = Vec::with_capacity(self.corners.len() + 1);
        let mut from = self.start.clone();
        for corner in &self.corners {
            lines.push([from, moved(&corner.at, &corner.from, -corner.radius)]);
            from = moved(&corner.at, &corner.to, corner.radius);
        }
        lines.push([from, self.end.clone()]);
        lines
    }
}

/// A straight segment.
struct Line {
    from: Vec<f64>,
    to: Vec<f64>,
    direction: Vec<f64>,
    length: f64,
    limits: PathLimits,
}

impl Line {
    fn new(from: Vec<f64>, to: Vec<f64>, limits: &DriveLimits) -> Self {
        let length = distance(&from, &to);
        let direction: Vec<f64> = from.iter().zip(&to).map(|(a, b)| (b - a) / length).collect();
        let limits = limits.along(&direction);
        Self { from, to, direction, length, limits }
    }

    /// Adds the phases of constant jerk between two speeds.
    fn add_to(&self, curve: &mut JointCurve, [from, to]: [f64; 2]) -> Result<(), DriveError> {
        let phases = self.limits.profile([from, to], self.length);
        let last = phases.iter().rposition(|phase| phase.duration > SHORTEST);
        let (mut path, mut speed, mut pull) = (0.0, from, 0.0);
        for (number, phase) in phases.iter().enumerate().filter(|(_, phase)| phase.duration > SHORTEST) {
            let (t, j) = (phase.duration, phase.jerk);
            let first = path + speed * t / 3.0;
            let second = path + 2.0 * speed * t / 3.0 + pull * t * t / 6.0;
            path += speed * t + 0.5 * pull * t * t + j * t * t * t / 6.0;
            speed += pull * t + 0.5 * j * t * t;
            pull += j * t;
            let at = |length: f64| moved(&self.from, &self.direction, length);
            // The end is met bit for bit.
            let end = if Some(number) == last { self.to.clone() } else { at(path) };
            curve.push(curve.span()[1] + t, &[&at(first), &at(second), &end])?;
        }
        Ok(())
    }
}
