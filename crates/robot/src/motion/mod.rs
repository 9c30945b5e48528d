//! Joint paths as motions with proven bounds.
//!
//! Between two configurations every variable goes evenly from one value to the other. What that does to a
//! link is bounded from the link up to the root, in one pass at the middle of the interval: velocity and
//! acceleration there as vectors, so that joints that work against each other cancel, and bounds on both and
//! on the jerk that hold anywhere in the interval. With `x = R(q)·y`, `q` even, and all derivatives of `y`
//! known so far, `x'' = R·(q'²·a×(a×y) + 2q'·a×y' + y'')`, and likewise for the third. Long intervals are cut
//! into a few, joined by the distances between known poses, or bounded by the sum of each joint's own chord.

mod bounds;
mod curve;

pub(crate) use bounds::displacement;
pub use curve::CurveMotion;

use crate::ConfigurationError;
use crate::kinematics::Travelled;
use crate::tree::{JointAxisKind, Robot};
use glam::DVec3;
use noli_geom::{GroupMotion, Pose, Sphere, UNIT_ROUNDOFF};
use std::sync::Arc;

/// A robot's motion through configurations, every variable moving uniformly from each to the next.
///
/// One evaluation gives the poses of all links; [`GroupMember`](noli_geom::GroupMember) is the motion of a
/// single link.
///
/// ```
/// use noli_geom::{GroupMotion, Pose, Sphere};
/// use noli_robot::{JointMotion, PumaSet, puma560};
/// let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
/// let swing = JointMotion::between(robot, Pose::IDENTITY, &[0.0; 6], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
/// let wrist = Sphere { center: glam::DVec3::ZERO, radius: 0.05 };
/// let way = swing.travel(6, &wrist, 0.0, 1.0);
/// assert!(way > 0.4 && way < 0.6);
/// # Ok::<(), noli_robot::JointMotionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion {
    robot: Arc<Robot>,
    /// Its quaternion of unit length.
    world_from_root: Pose,
    /// From 0 to 1, increasing.
    times: Vec<f64>,
    /// The configurations one after the other.
    values: Vec<f64>,
    /// The largest magnitude of each variable during the motion.
    largest: Vec<f64>,
}

/// Reason that configurations are not a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointMotionError {
    /// Fewer than two configurations.
    #[error("a motion needs at least two configurations, not {0}")]
    TooFew(usize),
    /// Another number of times than configurations.
    #[error("{0} times for {1} configurations")]
    Count(usize, usize),
    /// Times that do not run from 0 to 1.
    #[error("times must run from 0 to 1, each later than the one before; number {0} does not")]
    Times(usize),
    /// A configuration that is none.
    #[error("configuration {0}: {1}")]
    Configuration(usize, ConfigurationError),
    /// Invalid pose of the robot.
    #[error("the robot's place is not a pose: a coordinate is not finite, or its quaternion is zero")]
    Place,
}

impl JointMotion {
    /// Straight in joint space from one configuration to another.
    pub fn between(
        robot: Arc<Robot>,
        world_from_root: Pose,
        from: &[f64],
        to: &[f64],
    ) -> Result<Self, JointMotionError> {
        Self::through(robot, world_from_root, &[0.0, 1.0], &[from, to])
    }

    /// Through configurations at times that run from 0 to 1.
    pub fn through(
        robot: Arc<Robot>,
        world_from_root: Pose,
        times: &[f64],
        configurations: &[&[f64]],
    ) -> Result<Self, JointMotionError> {
        if configurations.len() < 2 {
            return Err(JointMotionError::TooFew(configurations.len()));
        }
        if times.len() != configurations.len() {
            return Err(JointMotionError::Count(times.len(), configurations.len()));
        }
        for (i, &time) in times.iter().enumerate() {
            let right = match i {
                0 => time == 0.0,
                i if i + 1 == times.len() => time == 1.0 && time > times[i - 1],
                i => time > times[i - 1],
            };
            if !right {
                return Err(JointMotionError::Times(i));
            }
        }
        for (i, values) in configurations.iter().enumerate() {
            robot.check_values(values).map_err(|error| JointMotionError::Configuration(i, error))?;
        }
        if !world_from_root.is_valid() {
            return Err(JointMotionError::Place);
        }
        let world_from_root = normalized(&world_from_root);
        let count = robot.variables().len();
        let mut largest = vec![0.0f64; count];
        for values in configurations {
            largest.iter_mut().zip(*values).for_each(|(most, value)| *most = most.max(value.abs()));
        }
        let values = configurations.concat();
        Ok(Self { robot, world_from_root, times: times.to_vec(), values, largest })
    }

    /// Bounds the distance of a link's origin from the world's during the motion.
    pub(crate) fn length_to(&self, link: usize) -> f64 {
        let mut length = self.world_from_root.translation.length();
        let mut at = link;
        while let Some(limb) = self.robot.limb_of(at) {
            for step in self.robot.steps(limb) {
                length += DVec3::from_array(step.shift).length();
                if let Some((JointAxisKind::Slide, variable)) = step.variable {
                    length += self.largest[variable as usize];
                }
            }
            at = limb.parent as usize;
        }
        length
    }

    /// The largest magnitudes of all variables, added.
    pub(crate) fn largest_angles(&self) -> f64 {
        self.largest.iter().sum()
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// Times of the configurations it was made of, from 0 to 1.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The configurations it was made of, in order.
    pub fn configurations(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        let count = self.largest.len();
        (0..self.times.len()).map(move |key| &self.values[key * count..][..count])
    }

    /// The configuration at a time.
    pub fn configuration(&self, t: f64, values: &mut [f64]) {
        let place = self.place(t);
        for (variable, value) in values.iter_mut().enumerate().take(self.largest.len()) {
            *value = place.value(variable as u32);
        }
    }

    /// The pose of one link at a time: bit for bit that of [`GroupMotion::poses`].
    pub fn pose(&self, member: usize, t: f64) -> Pose {
        let piece = self.piece(t);
        self.pose_within(member, piece, self.local(piece, t))
    }

    /// Returns the segment that contains a time; at a boundary, the later one.
    fn piece(&self, t: f64) -> usize {
        self.times[1..self.times.len() - 1].partition_point(|&vertex| vertex <= t)
    }

    fn place(&self, t: f64) -> Place<'_> {
        let piece = self.piece(t);
        self.within(piece, self.local(piece, t))
    }

    fn local(&self, piece: usize, t: f64) -> f64 {
        let (start, end) = (self.times[piece], self.times[piece + 1]);
        ((t - start) / (end - start)).clamp(0.0, 1.0)
    }

    fn within(&self, piece: usize, share: f64) -> Place<'_> {
        let count = self.largest.len();
        let from = &self.values[piece * count..][..count];
        let to = &self.values[(piece + 1) * count..][..count];
        Place { from, to, share }
    }

    /// Returns the part of [t0, t1] in each segment it overlaps, in local times, widened slightly for the
    /// rounding.
    fn spans(&self, t0: f64, t1: f64) -> impl Iterator<Item = Span> {
        let first = self.piece(t0);
        let last = self.times[1..self.times.len() - 1].partition_point(|&vertex| vertex < t1).max(first);
        (first..=last).map(move |piece| {
            let from = (self.local(piece, t0) - 4.0 * UNIT_ROUNDOFF).max(0.0);
            let to = (self.local(piece, t1) + 4.0 * UNIT_ROUNDOFF).min(1.0);
            Span {
                piece,
                middle: 0.5 * (from + to),
                half: (0.5 * (to - from)).max(0.0) * (1.0 + f64::EPSILON),
            }
        })
    }

    fn pose_within(&self, member: usize, piece: usize, share: f64) -> Pose {
        let place = self.within(piece, share);
        let mut chain = Travelled::new(&self.robot, member);
        let mut pose = self.world_from_root;
        while let Some(limb) = chain.next_down() {
            pose = self.robot.behind(&pose, limb, |variable| place.value(variable));
        }
        pose
    }
}

/// A valid pose with a quaternion of unit length.
fn normalized(pose: &Pose) -> Pose {
    let q = pose.rotation;
    let most = q.to_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    Pose::new((q / most).normalize(), pose.translation)
}

/// Bound on the distance of a point as computed by `poses` from its exact position: the rounding of a chain of so many
/// steps and so long ([`Robot::pose_error`]), of the root's pose, `far` from the origin, and of interpolated values,
/// which are within 16 roundoffs of their largest magnitude, summed to `angles`.
fn displacement_error(steps: f64, longest: f64, far: f64, angles: f64) -> f64 {
    let chain = 128.0 * (steps + 2.0) * (2.0 * longest + far) + 16.0 * angles * longest;
    chain * UNIT_ROUNDOFF + f64::MIN_POSITIVE
}

/// The members are the links of the robot, in its order.
impl GroupMotion for JointMotion {
    fn members(&self) -> usize {
        self.robot.links().len()
    }

    /// Allocates nothing.
    fn poses(&self, t: f64, out: &mut [Pose]) {
        let place = self.place(t);
        self.robot.poses_by(&self.world_from_root, |variable| place.value(variable), out);
    }

    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.spans(t0, t1).map(|span| self.span_travel(member, sphere, &span)).sum()
    }

    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let mut spans = self.spans(t0, t1);
        match (spans.next(), spans.next()) {
            (Some(span), None) => self.span_deviation(member, sphere, &span),
            // Across a vertex the point and its chord both stay that near to the start.
            _ => 2.0 * self.travel(member, sphere, t0, t1),
        }
    }

    /// Next change of the variables' speeds.
    fn next_bend(&self, t: f64) -> f64 {
        self.times[self.piece(t) + 1]
    }
}

/// A share of the segment from one configuration to the next.
struct Place<'a> {
    from: &'a [f64],
    to: &'a [f64],
    share: f64,
}

impl Place<'_> {
    /// Both ends are reproduced bit for bit.
    fn value(&self, variable: u32) -> f64 {
        let (from, to) = (self.from[variable as usize], self.to[variable as usize]);
        if self.share >= 1.0 { to } else { from + (to - from) * self.share }
    }

    fn rate(&self, variable: u32) -> f64 {
        self.to[variable as usize] - self.from[variable as usize]
    }
}

/// A part of a segment: its middle and half its length, as shares of the segment.
struct Span {
    piece: usize,
    middle: f64,
    half: f64,
}
