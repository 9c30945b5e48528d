//! Joint curves as motions with proven bounds.
//!
//! On a part of a piece all variables stay near a straight chord in joint space: `q = q₀ + s·d + e` with `|e|` bounded
//! by control values. A point of a link then moves by at most its velocity along `d`, plus `|e|` times its distance
//! from each axis, plus half the second derivative over the box that contains the part: with joints numbered from
//! the root and distances `r` from their axes, `Σ w_k r_k (w_k + 2 Σ_{i<k} w_i)`.

use super::{JointMotionError, displacement_error};
use crate::curve::{JointCurve, Piece};
use crate::kinematics::Travelled;
use crate::tree::{JointAxisKind, Robot};
use glam::DVec3;
use noli_geom::{GroupMotion, Pose, Sphere, UNIT_ROUNDOFF};
use std::sync::Arc;

/// A robot's motion along a joint curve, over times from 0 to 1; members are the links.
///
/// ```
/// use noli_geom::{GroupMotion, Pose, Sphere};
/// use noli_robot::{CurveMotion, JointCurve, PumaSet, puma560};
/// let robot = std::sync::Arc::new(puma560(PumaSet::FuGonzalezLee));
/// let (rest, end) = ([0.0; 6], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// let curve = JointCurve::cubic(&[0.0, 2.0], &[&rest, &end], &[&rest, &rest])?;
/// let swing = CurveMotion::new(robot, Pose::IDENTITY, &curve)?;
/// let wrist = Sphere { center: glam::DVec3::ZERO, radius: 0.05 };
/// // The first tenth of a motion that starts at rest is short.
/// assert!(swing.travel(6, &wrist, 0.0, 0.1) < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CurveMotion {
    robot: Arc<Robot>,
    /// Its quaternion of unit length.
    world_from_root: Pose,
    /// The knots of the curve, from 0 to 1.
    times: Vec<f64>,
    curve: JointCurve,
    largest: Vec<f64>,
}

impl CurveMotion {
    /// The motion of a robot along a curve of its variables.
    pub fn new(
        robot: Arc<Robot>,
        world_from_root: Pose,
        curve: &JointCurve,
    ) -> Result<Self, JointMotionError> {
        if curve.knots().len() < 2 {
            return Err(JointMotionError::TooFew(1));
        }
        if !world_from_root.is_valid() {
            return Err(JointMotionError::Place);
        }
        let mut largest = vec![0.0f64; robot.variables().len()];
        for (number, values) in curve.control_points().enumerate() {
            robot.check_values(&values).map_err(|error| JointMotionError::Configuration(number, error))?;
            largest.iter_mut().zip(&values).for_each(|(most, value)| *most = most.max(value.abs()));
        }
        let ([start, end], last) = (curve.span(), curve.knots().len() - 1);
        let share = |(k, knot): (usize, &f64)| if k == last { 1.0 } else { (knot - start) / (end - start) };
        let times: Vec<f64> = curve.knots().iter().enumerate().map(share).collect();
        if let Some(wrong) = (1..times.len()).find(|&k| times[k] <= times[k - 1]) {
            return Err(JointMotionError::Times(wrong));
        }
        let world_from_root = super::normalized(&world_from_root);
        Ok(Self { robot, world_from_root, times, curve: curve.clone(), largest })
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// The curve.
    pub fn curve(&self) -> &JointCurve {
        &self.curve
    }

    /// Knots as times from 0 to 1.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The configuration at a time from 0 to 1.
    pub fn configuration(&self, t: f64, values: &mut [f64]) {
        let (piece, share) = self.place(t);
        for (variable, value) in values.iter_mut().enumerate().take(self.largest.len()) {
            *value = piece.value(variable, share);
        }
    }

    /// The pose of one link at a time: bit for bit that of [`GroupMotion::poses`].
    pub fn pose(&self, member: usize, t: f64) -> Pose {
        let (piece, share) = self.place(t);
        let mut chain = Travelled::new(&self.robot, member);
        let mut pose = self.world_from_root;
        while let Some(limb) = chain.next_down() {
            pose = self.robot.behind(&pose, limb, |variable| piece.value(variable as usize, share));
        }
        pose
    }

    /// Bounds how far points of a sphere get between one time and any other of a span that contains it.
    pub(crate) fn travel_about(&self, member: usize, sphere: &Sphere, middle: f64, span: [f64; 2]) -> f64 {
        let later = self.travel(member, sphere, middle, span[1]);
        let (first, last) = (self.number(span[0]), self.number_before(middle).max(self.number(span[0])));
        let earlier = (first..=last).rev().map(|number| {
            let from = self.local(number, middle);
            let shares = [self.local(number, span[0]), from];
            self.bounds(member, sphere, number, from, shares).travel
        });
        later.max(earlier.sum())
    }

    fn number(&self, t: f64) -> usize {
        self.times[1..self.times.len() - 1].partition_point(|&knot| knot <= t)
    }

    fn number_before(&self, t: f64) -> usize {
        self.times[1..self.times.len() - 1].partition_point(|&knot| knot < t)
    }

    fn local(&self, number: usize, t: f64) -> f64 {
        let (start, end) = (self.times[number], self.times[number + 1]);
        ((t - start) / (end - start)).clamp(0.0, 1.0)
    }

    fn place(&self, t: f64) -> (&Piece, f64) {
        let number = self.number(t);
        (&self.curve.pieces()[number], self.local(number, t))
    }

    /// The pieces that a span overlaps, with the shares of each.
    fn spans(&self, t0: f64, t1: f64) -> impl Iterator<Item = (usize, [f64; 2])> {
        let first = self.number(t0);
        let last = self.number_before(t1).max(first);
        (first..=last).map(move |number| (number, [self.local(number, t0), self.local(number, t1)]))
    }

    /// The pass from the link to the root, from the configuration at a share of a piece to a part of it.
    fn bounds(&self, member: usize, sphere: &Sphere, number: usize, from: f64, shares: [f64; 2]) -> Bounds {
        let piece = &self.curve.pieces()[number];
        let wide = 4.0 * UNIT_ROUNDOFF;
        let shares = [(shares[0] - wide).max(0.0), (shares[1] + wide).min(1.0)];
        let length = shares[1] - shares[0];
        let at = if length > 0.0 { ((from - shares[0]) / length).clamp(0.0, 1.0) } else { 0.0 };
        let mut pass = Pass::new(sphere);
        let mut link = member;
        while let Some(limb) = self.robot.limb_of(link) {
            for step in self.robot.steps(limb).iter().rev() {
                pass.steps += 1.0;
                if let Some((movement, variable)) = step.variable {
                    let variable = variable as usize;
                    let part = piece.part(variable, shares);
                    let value = piece.value(variable, from);
                    let change = part.change();
                    // The farther end of the chord, as seen from the start.
                    let reach = if at < 0.5 { change * (1.0 - at) } else { -change * at };
                    let share = Share {
                        chord: reach,
                        stray: part.stray(value, at, change),
                        width: part.width(value),
                        rates: part.rates(),
                    };
                    match movement {
                        JointAxisKind::Turn => {
                            pass.angles += self.largest[variable];
                            pass.turn(step.axis, &share);
                        }
                        JointAxisKind::Slide => {
                            pass.longest += self.largest[variable];
                            pass.slide(step.axis, &share);
                        }
                    }
                }
                pass.longest += DVec3::from_array(step.shift).length();
                pass.carry(Robot::movement(step, |variable| piece.value(variable as usize, from)));
            }
            link = limb.parent as usize;
        }
        let far = self.world_from_root.translation.abs().element_sum();
        pass.bounds(displacement_error(pass.steps, pass.longest, far, 4.0 * pass.angles))
    }
}

/// The members are the links of the robot, in its order.
impl GroupMotion for CurveMotion {
    fn members(&self) -> usize {
        self.robot.links().len()
    }

    /// Allocates nothing.
    fn poses(&self, t: f64, out: &mut [Pose]) {
        let (piece, share) = self.place(t);
        self.robot.poses_by(&self.world_from_root, |variable| piece.value(variable as usize, share), out);
    }

    fn travel(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let piece = |(number, shares): (usize, [f64; 2])| {
            self.bounds(member, sphere, number, shares[0], shares).travel
        };
        self.spans(t0, t1).map(piece).sum()
    }

    fn chord_deviation(&self, member: usize, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let mut spans = self.spans(t0, t1);
        match (spans.next(), spans.next()) {
            (Some((number, shares)), None) => {
                self.bounds(member, sphere, number, shares[0], shares).deviation
            }
            // Across a knot the point and its chord both stay that near to the start.
            _ => 2.0 * self.travel(member, sphere, t0, t1),
        }
    }

    /// Next knot.
    fn next_bend(&self, t: f64) -> f64 {
        self.times[self.number(t) + 1]
    }
}

/// The motion of one variable on a part of a piece.
struct Share {
    /// The end of the chord that is farther from the start, less the start.
    chord: f64,
    stray: f64,
    width: f64,
    rates: [f64; 2],
}

struct Bounds {
    travel: f64,
    deviation: f64,
}

/// Bounds on the points of a sphere behind the joints passed so far, in the current frame.
struct Pass {
    radius: f64,
    point: DVec3,
    /// Of the centre and of the sphere, along the chord.
    velocity: DVec3,
    spin: DVec3,
    /// By deviations from the chord.
    stray: f64,
    /// By all joints one after the other, and the second-order term.
    moved: f64,
    bend: f64,
    /// Bounds on speed and acceleration for one unit of time.
    speed: f64,
    acceleration: f64,
    /// Distance from the origin.
    longest: f64,
    widths: f64,
    steps: f64,
    angles: f64,
}

impl Pass {
    fn new(sphere: &Sphere) -> Self {
        Self {
            radius: sphere.radius,
            point: sphere.center,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            stray: 0.0,
            moved: 0.0,
            bend: 0.0,
            speed: 0.0,
            acceleration: 0.0,
            longest: sphere.center.length() + sphere.radius,
            widths: 0.0,
            steps: 0.0,
            angles: 0.0,
        }
    }

    fn turn(&mut self, axis: DVec3, share: &Share) {
        let arm = axis.cross(self.point);
        let distance = (arm.length() + self.radius).min(self.longest);
        let reach = (distance + self.moved).min(self.longest);
        let ([rate, more], width) = (share.rates, share.width);
        self.velocity += arm * share.chord;
        self.spin += axis * share.chord;
        self.stray += share.stray * distance;
        self.bend += width * (width * reach + 2.0 * self.moved);
        self.acceleration += more * reach + rate * (rate * reach + 2.0 * self.speed);
        self.speed += rate * reach;
        self.moved += width * reach;
        self.widths += width;
    }

    fn slide(&mut self, axis: DVec3, share: &Share) {
        self.velocity += axis * share.chord;
        self.stray += share.stray;
        self.moved += share.width;
        self.speed += share.rates[0];
        self.acceleration += share.rates[1];
    }

    fn carry(&mut self, (turn, shift): (glam::DMat3, DVec3)) {
        self.point = turn * self.point + shift;
        self.velocity = turn * self.velocity;
        self.spin = turn * self.spin;
    }

    fn bounds(&self, error: f64) -> Bounds {
        let along = self.velocity.length() + self.spin.length() * self.radius;
        let travel = self.moved.min(along + self.stray + 0.5 * self.bend);
        let up = 1.0 + (64.0 + 16.0 * self.steps) * UNIT_ROUNDOFF;
        let errors = (4.0 + 16.0 * self.widths * (1.0 + self.widths)) * error;
        let travel = travel * up + errors;
        let bend = 0.125 * self.acceleration * up + 2.0 * errors;
        Bounds { travel, deviation: bend.min(2.0 * travel) }
    }
}
