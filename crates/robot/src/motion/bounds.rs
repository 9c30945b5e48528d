//! Bounds on how far the points of a link go and stray on a joint path.

use super::{JointMotion, Span, displacement_error};
use crate::tree::{JointAxisKind, Robot};
use crate::{SINE_ERROR, sin_cos};
use glam::{DMat3, DVec3};
use noli_geom::{Pose, Sphere, UNIT_ROUNDOFF};
use std::f64::consts::PI;

impl JointMotion {
    /// Bounds the travel of points of a sphere within a span, divided into parts according to its length. A point's
    /// distance from the start is at most that of its part's start, plus its travel within the part.
    pub(super) fn span_travel(&self, member: usize, sphere: &Sphere, span: &Span) -> f64 {
        let Some(parts) = self.parts(member, span) else { return self.bounds(member, sphere, span).travel };
        let first = parts.pose(0);
        let mut most = 0.0f64;
        let mut error = 0.0;
        for k in 0..parts.count {
            let part = self.bounds(member, sphere, &parts.span(k));
            let away = if k == 0 { 0.0 } else { displacement(&first, &parts.pose(k), sphere) };
            most = most.max(away + part.travel);
            error = part.error;
        }
        most + 2.0 * error
    }

    /// The same for the deviation. A point's deviation from the chord is at most that of its part's ends, plus
    /// its deviation from the part's own chord.
    pub(super) fn span_deviation(&self, member: usize, sphere: &Sphere, span: &Span) -> f64 {
        let Some(parts) = self.parts(member, span) else {
            return self.bounds(member, sphere, span).deviation;
        };
        let (first, last) = (parts.pose(0), parts.pose(parts.count));
        let (mut most, mut off, mut error) = (0.0f64, 0.0f64, 0.0);
        for k in 0..parts.count {
            let part = self.bounds(member, sphere, &parts.span(k));
            let next = if k + 1 == parts.count {
                0.0
            } else {
                let share = (k + 1) as f64 / parts.count as f64;
                straying(&first, &last, &parts.pose(k + 1), share, sphere)
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
                if let Some((JointAxisKind::Turn, variable)) = step.variable {
                    sum += place.rate(variable).abs();
                }
            }
            at = limb.parent as usize;
        }
        sum
    }

    /// The pass from the link to the root.
    ///
    /// Its own rounding: places of points err by `E`, the bound on the poses; velocities are products of
    /// speeds and such places, the acceleration of two speeds and a place, so with `D` the sum of speeds they
    /// err by less than `4·D·E` and `4·D²·E`. Sums of positive terms err by a roundoff for each.
    fn bounds(&self, member: usize, sphere: &Sphere, span: &Span) -> Bounds {
        let place = self.within(span.piece, span.middle);
        let (robot, half) = (&*self.robot, span.half);
        let mut pass = Pass::new(sphere);
        let mut at = member;
        while let Some(limb) = robot.limb_of(at) {
            for step in robot.steps(limb).iter().rev() {
                pass.steps += 1.0;
                if let Some((movement, variable)) = step.variable {
                    let largest = self.largest[variable as usize];
                    if movement == JointAxisKind::Turn {
                        pass.angles += largest;
                    }
                    match (movement, place.rate(variable)) {
                        (JointAxisKind::Turn, 0.0) => {}
                        (JointAxisKind::Turn, rate) => pass.turn(step.axis, rate, half),
                        (JointAxisKind::Slide, rate) => pass.slide(step.axis, rate, largest),
                    }
                }
                pass.longest += DVec3::from_array(step.shift).length();
                pass.carry(Robot::movement(step, |variable| place.value(variable)));
            }
            at = limb.parent as usize;
        }
        let far = self.world_from_root.translation.abs().element_sum();
        let error = displacement_error(pass.steps, pass.longest, far, pass.angles);
        pass.bounds(half, error)
    }
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
    /// Returns the start of part `k`, as a share of the segment.
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

/// Bounds on the points of a sphere behind the joints passed so far, in the current frame.
struct Pass {
    radius: f64,
    /// Of the centre, in the middle of the interval.
    point: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    /// Angular velocity and acceleration there.
    spin: DVec3,
    spin_up: DVec3,
    /// For all points of the sphere, anywhere in the interval.
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
    fn new(sphere: &Sphere) -> Self {
        let zero = DVec3::ZERO;
        Self {
            radius: sphere.radius,
            point: sphere.center,
            velocity: zero,
            acceleration: zero,
            spin: zero,
            spin_up: zero,
            most_acceleration: 0.0,
            most_jerk: 0.0,
            most_speed: 0.0,
            longest: sphere.center.length() + sphere.radius,
            chords: 0.0,
            slides: 0.0,
            rates: 0.0,
            steps: 0.0,
            angles: 0.0,
        }
    }

    /// Speed of any point of the sphere in the middle of the interval.
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
        let path = (self.chords + 2.0 * half * self.slides).min(2.0 * half * self.speed() + bend);
        let up = 1.0 + (64.0 + 16.0 * self.steps) * UNIT_ROUNDOFF;
        let rates = self.rates;
        Bounds {
            travel: path * up + (2.0 + 8.0 * half * rates * (1.0 + rates)) * error,
            deviation: (0.5 * bend).min(2.0 * path) * up
                + (4.0 + 8.0 * half * half * rates * rates * (1.0 + half * rates)) * error,
            error,
        }
    }
}

/// Bound on the distance of any point of a sphere between two poses, the rounding of the poses aside.
pub(crate) fn displacement(from: &Pose, to: &Pose, sphere: &Sphere) -> f64 {
    let turn = (from.rotation.conjugate() * to.rotation).xyz().length();
    from.transform_point(sphere.center).distance(to.transform_point(sphere.center))
        + 2.0 * sphere.radius * (turn + 64.0 * UNIT_ROUNDOFF)
}

/// Bound on the distance of any point of a sphere in a pose from a share of the chord between two others.
fn straying(from: &Pose, to: &Pose, now: &Pose, share: f64, sphere: &Sphere) -> f64 {
    let chord = from.transform_point(sphere.center).lerp(to.transform_point(sphere.center), share);
    let turn = from.rotation_matrix() * (1.0 - share) + to.rotation_matrix() * share - now.rotation_matrix();
    // The Frobenius norm is no smaller than the spectral one.
    let most = turn.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    now.transform_point(sphere.center).distance(chord) + sphere.radius * (most + 64.0 * UNIT_ROUNDOFF)
}
