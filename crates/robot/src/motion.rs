//! Joint paths as motions with proven bounds.
//!
//! Between two configurations every variable goes evenly from one value to the other. What that does to a
//! link is bounded from the link up to the root, in one pass at the middle of the interval: velocity and
//! acceleration there as vectors, so that joints that work against each other cancel, and bounds on both and
//! on the jerk that hold anywhere in the interval. With `x = R(q)·y`, `q` even, and all derivatives of `y`
//! known so far, `x'' = R·(q'²·a×(a×y) + 2q'·a×y' + y'')`, and likewise for the third. Long intervals are cut
//! into a few, joined by the distances between known poses, or bounded by the sum of each joint's own chord.

use crate::kinematics::Travelled;
use crate::tree::{ConfigurationError, Movement, Robot};
use crate::{SINE_ERROR, sin_cos};
use glam::{DMat3, DVec3};
use noli_geom::{GroupMotion, Pose, Sphere, UNIT_ROUNDOFF};
use std::f64::consts::PI;
use std::sync::Arc;

/// A robot on its way through configurations, every variable going evenly from each to the next.
///
/// One evaluation gives the poses of all links; [`GroupMember`](noli_geom::GroupMember) is one of them as a
/// motion of its own.
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
    /// The largest magnitude of each variable on the way.
    largest: Vec<f64>,
}

/// Why configurations are not a motion.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// The robot stands nowhere.
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
        let q = world_from_root.rotation;
        let most = q.to_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let world_from_root = Pose::new((q / most).normalize(), world_from_root.translation);
        let count = robot.variables().len();
        let mut largest = vec![0.0f64; count];
        for values in configurations {
            largest.iter_mut().zip(*values).for_each(|(most, value)| *most = most.max(value.abs()));
        }
        let values = configurations.concat();
        Ok(Self { robot, world_from_root, times: times.to_vec(), values, largest })
    }

    /// No point of a link's origin is further from the world's on the way.
    pub(crate) fn length_to(&self, link: usize) -> f64 {
        let mut length = self.world_from_root.translation.length();
        let mut at = link;
        while let Some(limb) = self.robot.limb_of(at) {
            for step in self.robot.steps(limb) {
                length += DVec3::from_array(step.shift).length();
                if let Some((Movement::Slide, variable)) = step.variable {
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

    /// When it passes through the configurations it was made of: from 0 to 1.
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

    /// The piece that holds a time; at a corner, the later one.
    fn piece(&self, t: f64) -> usize {
        self.times[1..self.times.len() - 1].partition_point(|&corner| corner <= t)
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

    /// The part of [t0, t1] in each piece it meets, as those count it, a little widened for the rounding.
    fn spans(&self, t0: f64, t1: f64) -> impl Iterator<Item = Span> {
        let first = self.piece(t0);
        let last = self.times[1..self.times.len() - 1].partition_point(|&corner| corner < t1).max(first);
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

    /// How far points of a ball go within a span; in as many parts as its length is worth. Nobody is farther
    /// from the start than the start of its part is, plus its way within the part.
    fn span_travel(&self, member: usize, ball: &Sphere, span: &Span) -> f64 {
        let Some(parts) = self.parts(member, span) else { return self.bounds(member, ball, span).travel };
        let first = parts.pose(0);
        let mut most = 0.0f64;
        let mut error = 0.0;
        for k in 0..parts.count {
            let part = self.bounds(member, ball, &parts.span(k));
            let away = if k == 0 { 0.0 } else { displacement(&first, &parts.pose(k), ball) };
            most = most.max(away + part.travel);
            error = part.error;
        }
        most + 2.0 * error
    }

    /// The same for straying. Nobody strays farther from the chord than the ends of its part do, plus its
    /// straying from the part's own chord.
    fn span_deviation(&self, member: usize, ball: &Sphere, span: &Span) -> f64 {
        let Some(parts) = self.parts(member, span) else { return self.bounds(member, ball, span).deviation };
        let (first, last) = (parts.pose(0), parts.pose(parts.count));
        let (mut most, mut off, mut error) = (0.0f64, 0.0f64, 0.0);
        for k in 0..parts.count {
            let part = self.bounds(member, ball, &parts.span(k));
            let next = if k + 1 == parts.count {
                0.0
            } else {
                let share = (k + 1) as f64 / parts.count as f64;
                straying(&first, &last, &parts.pose(k + 1), share, ball)
            };
            most = most.max(off.max(next) + part.deviation);
            (off, error) = (next, part.error);
        }
        most + 4.0 * error
    }

    /// Even parts of a long span; `None` if it is short.
    fn parts(&self, member: usize, span: &Span) -> Option<Parts<'_>> {
        let count = (2.0 * span.half * self.rates(member, span.piece) / PART).ceil();
        let long = count > 1.0 && count.is_finite();
        let (piece, middle, half) = (span.piece, span.middle, span.half);
        long.then(|| Parts {
            motion: self,
            member,
            piece,
            middle,
            half,
            count: count.min(MOST_PARTS as f64) as usize,
        })
    }

    /// Sum of the speeds of all turns that move a link.
    fn rates(&self, member: usize, piece: usize) -> f64 {
        let place = self.within(piece, 0.0);
        let (mut sum, mut at) = (0.0, member);
        while let Some(limb) = self.robot.limb_of(at) {
            for step in self.robot.steps(limb) {
                if let Some((Movement::Turn, variable)) = step.variable {
                    sum += place.rate(variable).abs();
                }
            }
            at = limb.parent as usize;
        }
        sum
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

    /// The pass from the link to the root.
    ///
    /// Its own rounding: places of points err by `E`, the bound on the poses; velocities are products of
    /// speeds and such places, the acceleration of two speeds and a place, so with `D` the sum of speeds they
    /// err by less than `4·D·E` and `4·D²·E`. Sums of positive terms err by a roundoff for each.
    fn bounds(&self, member: usize, ball: &Sphere, span: &Span) -> Bounds {
        let place = self.within(span.piece, span.middle);
        let (robot, half) = (&*self.robot, span.half);
        let mut pass = Pass::new(ball);
        let mut at = member;
        while let Some(limb) = robot.limb_of(at) {
            for step in robot.steps(limb).iter().rev() {
                pass.steps += 1.0;
                if let Some((movement, variable)) = step.variable {
                    let largest = self.largest[variable as usize];
                    if movement == Movement::Turn {
                        pass.angles += largest;
                    }
                    match (movement, place.rate(variable)) {
                        (Movement::Turn, 0.0) => {}
                        (Movement::Turn, rate) => pass.turn(step.axis, rate, half),
                        (Movement::Slide, rate) => pass.slide(step.axis, rate, largest),
                    }
                }
                pass.longest += DVec3::from_array(step.shift).length();
                pass.carry(Robot::movement(step, |variable| place.value(variable)));
            }
            at = limb.parent as usize;
        }
        let error = self.rounding(pass.steps, pass.longest, pass.angles);
        pass.bounds(half, error)
    }

    /// Bound on the distance of a point as `poses` has it from where real numbers have it: the chain's own
    /// rounding ([`Robot::pose_error`]), that of the root's pose, and that of values on the way, which are
    /// within 16 roundoffs of their largest magnitude.
    fn rounding(&self, steps: f64, longest: f64, angles: f64) -> f64 {
        let far = self.world_from_root.translation.abs().element_sum();
        let chain = 128.0 * (steps + 2.0) * (2.0 * longest + far) + 16.0 * angles * longest;
        chain * UNIT_ROUNDOFF + f64::MIN_POSITIVE
    }
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

    fn travel(&self, member: usize, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        self.spans(t0, t1).map(|span| self.span_travel(member, ball, &span)).sum()
    }

    fn chord_deviation(&self, member: usize, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        let mut spans = self.spans(t0, t1);
        match (spans.next(), spans.next()) {
            (Some(span), None) => self.span_deviation(member, ball, &span),
            // Across a corner the point and its chord both stay that near to the start.
            _ => 2.0 * self.travel(member, ball, t0, t1),
        }
    }

    /// Where variables change their speed.
    fn next_bend(&self, t: f64) -> f64 {
        self.times[self.piece(t) + 1]
    }
}

/// A share of the way from one configuration to the next.
struct Place<'a> {
    from: &'a [f64],
    to: &'a [f64],
    share: f64,
}

impl Place<'_> {
    /// Both ends are met bit for bit.
    fn value(&self, variable: u32) -> f64 {
        let (from, to) = (self.from[variable as usize], self.to[variable as usize]);
        if self.share >= 1.0 { to } else { from + (to - from) * self.share }
    }

    fn rate(&self, variable: u32) -> f64 {
        self.to[variable as usize] - self.from[variable as usize]
    }
}

/// A part of a piece: its middle and half its length, as shares of the piece.
struct Span {
    piece: usize,
    middle: f64,
    half: f64,
}

/// Sum of angles that one part of a long interval may have, and how many parts it may be cut into.
const PART: f64 = 0.75;
const MOST_PARTS: usize = 8;

/// A long span, cut.
struct Parts<'a> {
    motion: &'a JointMotion,
    member: usize,
    piece: usize,
    middle: f64,
    half: f64,
    count: usize,
}

impl Parts<'_> {
    /// Where part `k` begins, as a share of the piece.
    fn share(&self, k: usize) -> f64 {
        self.middle + self.half * (2.0 * k as f64 / self.count as f64 - 1.0)
    }

    fn pose(&self, k: usize) -> Pose {
        self.motion.pose_within(self.member, self.piece, self.share(k).clamp(0.0, 1.0))
    }

    fn span(&self, k: usize) -> Span {
        let half = self.half / self.count as f64 * (1.0 + 16.0 * UNIT_ROUNDOFF) + 4.0 * UNIT_ROUNDOFF;
        Span { piece: self.piece, middle: 0.5 * (self.share(k) + self.share(k + 1)), half }
    }
}

struct Bounds {
    travel: f64,
    deviation: f64,
    /// Bound on the rounding of a pose.
    error: f64,
}

/// What is known of the points of a ball behind the joints passed so far, in the frame reached.
struct Pass {
    radius: f64,
    /// Of the centre, in the middle of the interval.
    point: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    /// Angular velocity and acceleration there.
    spin: DVec3,
    spin_up: DVec3,
    /// For all points of the ball, anywhere in the interval.
    most_acceleration: f64,
    most_jerk: f64,
    most_speed: f64,
    /// Distance from the origin.
    longest: f64,
    chords: f64,
    slides: f64,
    rates: f64,
    steps: f64,
    angles: f64,
}

impl Pass {
    fn new(ball: &Sphere) -> Self {
        let zero = DVec3::ZERO;
        Self {
            radius: ball.radius,
            point: ball.center,
            velocity: zero,
            acceleration: zero,
            spin: zero,
            spin_up: zero,
            most_acceleration: 0.0,
            most_jerk: 0.0,
            most_speed: 0.0,
            longest: ball.center.length() + ball.radius,
            chords: 0.0,
            slides: 0.0,
            rates: 0.0,
            steps: 0.0,
            angles: 0.0,
        }
    }

    /// Speed of any point of the ball in the middle of the interval.
    fn speed(&self) -> f64 {
        self.velocity.length() + self.spin.length() * self.radius
    }

    fn turn(&mut self, axis: DVec3, rate: f64, half: f64) {
        let speed = rate.abs();
        let arm = axis.cross(self.point);
        let behind = (self.speed() + half * self.most_acceleration).min(self.most_speed);
        let reach = (arm.length() + self.radius + half * behind).min(self.longest);

        let (sine, _) = sin_cos((speed * half).min(0.5 * PI));
        self.chords += 2.0 * reach * (sine + SINE_ERROR);
        self.most_jerk +=
            speed * (speed * speed * reach + 3.0 * speed * behind + 3.0 * self.most_acceleration);

        self.acceleration += axis.cross(arm) * (rate * rate) + axis.cross(self.velocity) * (2.0 * rate);
        self.velocity += arm * rate;
        self.spin_up += axis.cross(self.spin) * rate;
        self.spin += axis * rate;

        let by_parts = self.most_acceleration + speed * (speed * reach + 2.0 * behind);
        let around = self.radius * (self.spin_up.length() + self.spin.length_squared());
        let by_jerk = self.acceleration.length() + around + half * self.most_jerk;
        self.most_acceleration = by_parts.min(by_jerk);
        self.most_speed += speed * reach;
        self.rates += speed;
    }

    fn slide(&mut self, axis: DVec3, rate: f64, largest: f64) {
        self.slides += rate.abs();
        self.most_speed += rate.abs();
        self.velocity += axis * rate;
        self.longest += largest;
    }

    fn carry(&mut self, (turn, shift): (DMat3, DVec3)) {
        self.point = turn * self.point + shift;
        // Before the first joint that moves there is nothing to turn.
        if self.most_speed == 0.0 {
            return;
        }
        for vector in [&mut self.velocity, &mut self.acceleration, &mut self.spin, &mut self.spin_up] {
            *vector = turn * *vector;
        }
    }

    fn bounds(&self, half: f64, error: f64) -> Bounds {
        let bend = self.most_acceleration * half * half;
        let way = (self.chords + 2.0 * half * self.slides).min(2.0 * half * self.speed() + bend);
        let up = 1.0 + (64.0 + 16.0 * self.steps) * UNIT_ROUNDOFF;
        let rates = self.rates;
        Bounds {
            travel: way * up + (2.0 + 8.0 * half * rates * (1.0 + rates)) * error,
            deviation: (0.5 * bend).min(2.0 * way) * up
                + (4.0 + 8.0 * half * half * rates * rates * (1.0 + half * rates)) * error,
            error,
        }
    }
}

/// Bound on the distance of any point of a ball between two poses, the rounding of the poses aside.
pub(crate) fn displacement(from: &Pose, to: &Pose, ball: &Sphere) -> f64 {
    let turn = (from.rotation.conjugate() * to.rotation).xyz().length();
    from.transform_point(ball.center).distance(to.transform_point(ball.center))
        + 2.0 * ball.radius * (turn + 64.0 * UNIT_ROUNDOFF)
}

/// Bound on the distance of any point of a ball in a pose from a share of the chord between two others.
fn straying(from: &Pose, to: &Pose, now: &Pose, share: f64, ball: &Sphere) -> f64 {
    let chord = from.transform_point(ball.center).lerp(to.transform_point(ball.center), share);
    let turn = from.rotation_matrix() * (1.0 - share) + to.rotation_matrix() * share - now.rotation_matrix();
    // The Frobenius norm is no smaller than the spectral one.
    let most = turn.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    now.transform_point(ball.center).distance(chord) + ball.radius * (most + 64.0 * UNIT_ROUNDOFF)
}
