//! A tool path as a joint curve, with a proven path error.
//!
//! Configurations at keys come from inverse kinematics; between them every joint is a cubic of time with the velocity of
//! the path. The bound has three terms on each piece: the deviation of the tool from its chord in time
//! ([`GroupMotion::chord_deviation`]), that of the wanted path from its own, and the errors at both ends. Pieces beyond the
//! tolerance are halved.

use super::ToolPath;
use crate::inverse::{IkError, IkOptions, solve_ik};
use crate::motion::{CurveMotion, JointMotionError, displacement};
use crate::tree::Robot;
use crate::{JointCurve, JointCurveError};
use noli_geom::internals::sort_by;
use noli_geom::{GroupMotion, Pose, Sphere};
use std::sync::Arc;

/// Options of [`ToolPath::follow`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FollowOptions {
    /// The link that carries the tool, and the frame of the tool on it.
    pub link: usize,
    /// The frame of the tool on the link.
    pub link_from_tool: Pose,
    /// Largest path error: no point of the tool is farther from where it belongs at some place of the path, in metres.
    pub tolerance: f64,
    /// Radius around the tool's origin of the points that keep to the path, in metres; 0 for the origin alone.
    pub radius: f64,
    /// Largest speed of the tool along the path, in metres a second.
    pub speed: f64,
    /// Most that a joint may move between two keys, in radians or metres; more is taken for another branch.
    pub most_change: f64,
}

impl FollowOptions {
    /// The origin of a link as the tool, within a tenth of a millimetre, at a quarter of a metre a second.
    pub fn new(link: usize) -> Self {
        Self {
            link,
            link_from_tool: Pose::IDENTITY,
            tolerance: 1e-4,
            radius: 0.0,
            speed: 0.25,
            most_change: 0.5,
        }
    }
}

/// A joint curve that follows a tool path; it rests at both ends and where nothing is blended.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct FollowedPath {
    /// The curve, within the limits of velocity and acceleration of the joints.
    pub curve: JointCurve,
    /// No point of the tool is farther from the path at any moment, proven, in metres.
    pub deviation: f64,
    /// The times of the segments of the path, in seconds.
    pub segments: Vec<[f64; 2]>,
}

/// Place at which a tool path can no longer be followed, and the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("segment {} of the tool path, after {:.1} % of it: {why}", segment + 1, share * 100.0)]
pub struct PathError {
    /// The segment, counted from 0.
    pub segment: usize,
    /// Share of the segment.
    pub share: f64,
    /// Reason.
    pub why: PathFault,
}

/// Reason that a tool path cannot be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    /// The start configuration is not at the start of the path.
    #[error("the tool starts {0:.3e} m from the path; begin where it is")]
    Start(f64),
    /// No configuration for a pose: the border of the arm's reach, a joint limit or a singularity.
    #[error("no configuration near the last one goes on: the reach of the arm or a joint ends here ({0})")]
    Unreachable(IkError),
    /// The next configuration is far from the last: a singularity, or another branch.
    #[error("a joint would jump by {0:.3} rad: a singularity is near, or the branch ends")]
    Jump(f64),
    /// The tolerance is finer than the allowed number of keys gives.
    #[error("the tool strays by {0:.3e} m even on the shortest pieces; allow more")]
    Strays(f64),
    /// A path without segments, or options that are not finite and positive.
    #[error("give a path with at least one segment, and a positive tolerance and speed")]
    Nothing,
    /// The keys make no curve.
    #[error(transparent)]
    Curve(JointCurveError),
    /// The curve makes no motion.
    #[error(transparent)]
    Motion(JointMotionError),
}

/// Keys of one run at most, and how often pieces are halved.
const MOST_KEYS: usize = 8192;
const HALVINGS: usize = 12;
/// Keys of a run to begin with.
const FIRST: usize = 16;

/// A configuration on the path.
#[derive(Clone, Debug)]
struct Key {
    /// Share of the duration of the run.
    time: f64,
    /// The segment that begins or goes on here, and the share of it.
    segment: usize,
    share: f64,
    values: Vec<f64>,
    /// Change of the variables for one metre of the path.
    slope: Vec<f64>,
}

/// Segments that are driven without a stop.
struct Run<'a> {
    path: &'a ToolPath,
    robot: &'a Arc<Robot>,
    options: &'a FollowOptions,
    first: usize,
    /// Length before each segment, and all of it.
    lengths: Vec<f64>,
}

/// The share of a length behind a motion from rest to rest, and its rate: a quintic with continuous acceleration.
fn progress(time: f64) -> [f64; 2] {
    let t = time.clamp(0.0, 1.0);
    [t * t * t * (10.0 - 15.0 * t + 6.0 * t * t), 30.0 * t * t * (1.0 - t) * (1.0 - t)]
}

/// The largest rate of [`progress`].
const PEAK: f64 = 1.875;

impl ToolPath {
    /// Follows the path with the tool of a robot from a configuration at its start. Configurations are all variables of the
    /// robot; those that do not move the tool stay.
    pub fn follow(
        &self,
        robot: &Arc<Robot>,
        start: &[f64],
        options: &FollowOptions,
    ) -> Result<FollowedPath, PathError> {
        let fault = |why| PathError { segment: 0, share: 0.0, why };
        let positive = options.tolerance > 0.0 && options.speed > 0.0 && options.radius >= 0.0;
        if self.segments.is_empty() || !positive || options.link >= robot.links().len() {
            return Err(fault(PathFault::Nothing));
        }
        let mut values = start.to_vec();
        let mut curve = JointCurve::starting(0.0, start).map_err(|error| fault(PathFault::Curve(error)))?;
        let (mut deviation, mut times) = (0.0f64, Vec::new());
        for range in self.runs() {
            let mut lengths = vec![0.0];
            for segment in &self.segments[range.clone()] {
                lengths.push(lengths[lengths.len() - 1] + segment.length());
            }
            let run = Run { path: self, robot, options, first: range.start, lengths };
            let (keys, error) = run.keys(&values)?;
            let begin = curve.span()[1];
            run.append(&keys, &mut curve)?;
            let end = curve.span()[1];
            let time = |key: &Key| begin + (end - begin) * key.time;
            for segment in range {
                let first = keys.iter().find(|key| key.segment == segment).map_or(begin, time);
                let last = keys.iter().find(|key| key.segment > segment).map_or(end, time);
                times.push([first, last]);
            }
            deviation = deviation.max(error);
            values.clone_from(&keys[keys.len() - 1].values);
        }
        let factor = slowing(robot, &curve);
        let curve = curve.stretched(factor, 0.0).map_err(|error| fault(PathFault::Curve(error)))?;
        let segments = times.iter().map(|span| span.map(|time| time * factor)).collect();
        Ok(FollowedPath { curve, deviation, segments })
    }
}

/// The factor of all times by which velocities and accelerations are within the limits.
fn slowing(robot: &Robot, curve: &JointCurve) -> f64 {
    let mut factor = 1.0f64;
    for (number, variable) in robot.variables().iter().enumerate() {
        let most = |order: usize| {
            let [low, high] = curve.derivative_range(number, order);
            low.abs().max(high.abs())
        };
        let over = |found: f64, limit: Option<f64>| {
            limit.filter(|most| *most > 0.0).map_or(0.0, |most| found / most)
        };
        factor = factor.max(over(most(1), variable.limits.velocity));
        factor = factor.max(over(most(2), variable.limits.acceleration).sqrt());
    }
    // Control values have their roundings.
    if factor > 1.0 { factor * (1.0 + 1e-9) } else { 1.0 }
}

impl Run<'_> {
    fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    fn seconds(&self) -> f64 {
        PEAK * self.length() / self.options.speed
    }

    /// The segment and its share at a length of the run.
    fn place(&self, length: f64) -> (usize, f64) {
        let last = self.lengths.len() - 2;
        let number = self.lengths[1..].partition_point(|&end| end <= length).min(last);
        let whole = self.lengths[number + 1] - self.lengths[number];
        let part = ((length - self.lengths[number]) / whole).clamp(0.0, 1.0);
        (self.first + number, self.path.segments[self.first + number].share_of_length(part))
    }

    fn fault(&self, time: f64, why: PathFault) -> PathError {
        let (segment, share) = self.place(progress(time)[0] * self.length());
        PathError { segment, share, why }
    }

    /// The configuration at a length, near another.
    fn solve(&self, length: f64, near: &[f64]) -> Result<Vec<f64>, IkError> {
        let (segment, share) = self.place(length);
        let target = self.path.pose(segment, share) * self.options.link_from_tool.inverse();
        // The rest of the error is part of the bound.
        let options = IkOptions { starts: 1, tolerance: 1e-9, ..IkOptions::default() };
        solve_ik(self.robot, self.options.link, &target, near, &options).map(|found| found.values)
    }

    /// The key at a time, from a configuration near it.
    fn key(&self, time: f64, near: &[f64], values: Option<Vec<f64>>) -> Result<Key, PathError> {
        let length = progress(time)[0] * self.length();
        let (segment, share) = self.place(length);
        let fault = |error| self.fault(time, PathFault::Unreachable(error));
        let values = match values {
            Some(values) => values,
            None => self.solve(length, near).map_err(fault)?,
        };
        let change = values.iter().zip(near).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if change > self.options.most_change {
            return Err(self.fault(time, PathFault::Jump(change)));
        }
        // At rest the slope has no effect.
        let slope = if time <= 0.0 || time >= 1.0 {
            vec![0.0; values.len()]
        } else {
            let step = 1e-5 * self.length();
            let [low, high] = [(length - step).max(0.0), (length + step).min(self.length())];
            let ends = (self.solve(low, &values).map_err(fault)?, self.solve(high, &values).map_err(fault)?);
            ends.0.iter().zip(&ends.1).map(|(a, b)| (b - a) / (high - low)).collect()
        };
        Ok(Key { time, segment, share, values, slope })
    }

    /// Keys with which all pieces are proven, and the largest bound.
    fn keys(&self, start: &[f64]) -> Result<(Vec<Key>, f64), PathError> {
        let sphere = self.sphere();
        let found = self.robot_pose(start);
        let away = displacement(&found, &self.wanted_link(self.first, 0.0), &sphere);
        if away.is_nan() || away > self.options.tolerance {
            return Err(self.fault(0.0, PathFault::Start(away)));
        }
        let mut keys = vec![self.key(0.0, start, Some(start.to_vec()))?];
        let mut times: Vec<f64> = (1..=FIRST).map(|k| k as f64 / FIRST as f64).collect();
        times.extend(self.lengths[1..self.lengths.len() - 1].iter().map(|length| self.time_of(*length)));
        sort_by(&mut times, f64::total_cmp);
        times.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        for time in times {
            self.reach(&mut keys, time)?;
        }
        let mut halvings = 0;
        loop {
            let bounds = self.bounds(&keys)?;
            let most = bounds.iter().copied().fold(0.0, f64::max);
            if most <= self.options.tolerance {
                return Ok((keys, most));
            }
            if halvings == HALVINGS || keys.len() > MOST_KEYS {
                return Err(self.fault(0.0, PathFault::Strays(most)));
            }
            let mut finer = vec![keys[0].clone()];
            for (two, bound) in keys.windows(2).zip(bounds) {
                if bound > self.options.tolerance {
                    let middle = 0.5 * (two[0].time + two[1].time);
                    finer.push(self.key(middle, &two[0].values, None)?);
                }
                finer.push(two[1].clone());
            }
            keys = finer;
            halvings += 1;
        }
    }

    /// Adds the key at a time, with others before it where joints move far.
    fn reach(&self, keys: &mut Vec<Key>, time: f64) -> Result<(), PathError> {
        let mut step = time - keys[keys.len() - 1].time;
        let shortest = step / 4096.0;
        while keys[keys.len() - 1].time < time {
            let last = &keys[keys.len() - 1];
            let next = if last.time + step * 1.001 >= time { time } else { last.time + step };
            match self.key(next, &last.values, None) {
                Ok(key) => keys.push(key),
                Err(error) if step <= shortest => return Err(error),
                Err(_) => step *= 0.5,
            }
        }
        Ok(())
    }

    /// The time at which a length is reached.
    fn time_of(&self, length: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if progress(middle)[0] * self.length() < length { low = middle } else { high = middle }
        }
        high
    }

    /// Adds the curve through keys.
    fn append(&self, keys: &[Key], curve: &mut JointCurve) -> Result<(), PathError> {
        let (begin, seconds) = (curve.span()[1], self.seconds());
        let speed = |key: &Key| progress(key.time)[1] * self.length() / seconds;
        for two in keys.windows(2) {
            let third = (two[1].time - two[0].time) * seconds / 3.0;
            let control = |key: &Key, sign: f64| -> Vec<f64> {
                let rate = sign * third * speed(key);
                key.values.iter().zip(&key.slope).map(|(value, slope)| value + rate * slope).collect()
            };
            let (after, before) = (control(&two[0], 1.0), control(&two[1], -1.0));
            curve
                .push(begin + two[1].time * seconds, &[&after, &before, &two[1].values])
                .map_err(|error| self.fault(two[1].time, PathFault::Curve(error)))?;
        }
        Ok(())
    }

    /// The bound of every piece.
    fn bounds(&self, keys: &[Key]) -> Result<Vec<f64>, PathError> {
        let fault = |why| self.fault(0.0, why);
        let mut curve =
            JointCurve::starting(0.0, &keys[0].values).map_err(|error| fault(PathFault::Curve(error)))?;
        self.append(keys, &mut curve)?;
        let motion = CurveMotion::new(self.robot.clone(), Pose::IDENTITY, &curve)
            .map_err(|error| fault(PathFault::Motion(error)))?;
        let (sphere, link) = (self.sphere(), self.options.link);
        let times = motion.times().to_vec();
        let bound = |(k, two): (usize, &[Key])| {
            let segment = two[0].segment;
            // A key at a junction is the end of the segment before it.
            let last = if two[1].segment == segment { two[1].share } else { 1.0 };
            let ends = [(two[0].share, times[k]), (last, times[k + 1])];
            let off = ends.map(|(share, time)| {
                displacement(&motion.pose(link, time), &self.wanted_link(segment, share), &sphere)
            });
            motion.chord_deviation(link, &sphere, times[k], times[k + 1])
                + self.path.segments[segment].chord_deviation(self.options.radius, two[0].share, last)
                + off[0].max(off[1])
        };
        Ok(keys.windows(2).enumerate().map(bound).collect())
    }

    /// Points of the tool, in the frame of the link.
    fn sphere(&self) -> Sphere {
        Sphere { center: self.options.link_from_tool.translation, radius: self.options.radius }
    }

    fn wanted_link(&self, segment: usize, share: f64) -> Pose {
        self.path.pose(segment, share) * self.options.link_from_tool.inverse()
    }

    fn robot_pose(&self, values: &[f64]) -> Pose {
        let mut poses = vec![Pose::IDENTITY; self.robot.links().len()];
        self.robot.link_poses(values, &mut poses);
        poses[self.options.link]
    }
}
