//! A pivot on a straight line, the body turning about it.
//!
//! Interpolated poses, screws and constant velocities are all of this form: the pivot of a screw is any
//! point of its axis.

use super::Motion;
use crate::number::round;
use crate::pose::near_unit;
use crate::rotation::{exp, log};
use crate::{Pose, Sphere, UNIT_ROUNDOFF};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Growth of the angle of a rotation over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Turning {
    /// At constant angular velocity (spherical linear interpolation).
    #[default]
    Slerp,
    /// As normalised linear interpolation of quaternions has it: the same orientations, slower near the
    /// ends. For turns of at most half a circle.
    Nlerp,
}

/// A motion whose pivot goes straight at even speed while the body turns about it around one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    start: Pose,
    /// End pose as given, reproduced bit for bit.
    end: Option<Pose>,
    /// Start position of the pivot, in the world.
    from: DVec3,
    /// Translation of the pivot.
    shift: DVec3,
    /// The pivot in the body's frame.
    pivot: DVec3,
    /// Direction that the body turns around, in the world; of unit length.
    axis: DVec3,
    /// At least 0.
    angle: f64,
    turning: Turning,
}

impl RigidMotion {
    /// Creates the motion from one pose to another, with the shorter rotation at constant speed about a point
    /// of the body.
    ///
    /// The path depends on the pivot; the middle of the body keeps it short.
    pub fn between(start: &Pose, end: &Pose, pivot: DVec3) -> Self {
        let turn = log(near_unit(end.rotation) * near_unit(start.rotation).conjugate());
        let from = start.transform_point(pivot);
        let shift = end.transform_point(pivot) - from;
        Self { end: Some(*end), ..Self::turning(start, pivot, shift, turn) }
    }

    /// Creates the motion from one pose to another, with the shorter rotation about a point of the body.
    pub fn interpolated(start: &Pose, end: &Pose, pivot: DVec3, turning: Turning) -> Self {
        Self { turning, ..Self::between(start, end, pivot) }
    }

    /// Creates the same path with the orientations of normalised linear interpolation.
    pub fn nlerp_between(start: &Pose, end: &Pose, pivot: DVec3) -> Self {
        Self::interpolated(start, end, pivot, Turning::Nlerp)
    }

    /// A turn by `angle` about the line through `point` along `axis`, both in the world, with an advance
    /// along it.
    pub fn screw(start: &Pose, point: DVec3, axis: DVec3, angle: f64, advance: f64) -> Self {
        let axis = axis.try_normalize().unwrap_or(DVec3::Z);
        let pivot = start.inverse().transform_point(point);
        Self::turning(start, pivot, axis * advance, axis * angle)
    }

    /// Constant velocities for one unit of time: of the pivot, a point of the body, and about it. The
    /// length of `angular` is the angle turned, which may exceed a full turn.
    #[must_use]
    pub fn with_velocities(start: &Pose, linear: DVec3, angular: DVec3, pivot: DVec3) -> Self {
        Self::turning(start, pivot, linear, angular)
    }

    fn turning(start: &Pose, pivot: DVec3, shift: DVec3, turn: DVec3) -> Self {
        let angle = turn.length();
        let axis = turn.try_normalize().unwrap_or(DVec3::Z);
        let from = start.transform_point(pivot);
        Self { start: *start, end: None, from, shift, pivot, axis, angle, turning: Turning::Slerp }
    }

    /// The angle turned up to a time.
    fn angle_at(&self, t: f64) -> f64 {
        match self.turning {
            Turning::Slerp => self.angle * t,
            Turning::Nlerp => {
                let (sin, cos) = (0.5 * self.angle).sin_cos();
                2.0 * (t * sin).atan2(1.0 - t + t * cos)
            }
        }
    }

    /// Bound on the angle turned during a time `h`.
    fn largest_turn(&self, h: f64) -> f64 {
        match self.turning {
            Turning::Slerp => self.angle * h,
            Turning::Nlerp => (4.0 * (0.25 * self.angle).tan() * h).min(self.angle),
        }
    }

    /// Bound on the distance of the sphere's points from the axis through the pivot.
    fn reach(&self, sphere: &Sphere) -> f64 {
        let arm = self.start.transform_vector(sphere.center - self.pivot);
        round::up(arm.cross(self.axis).length(), 32) + round::off(arm.length(), 64) + sphere.radius
    }

    /// Bound on the distance of a point of the sphere as placed by `pose` from where the motion of real
    /// numbers has it.
    ///
    /// The quaternion `exp(angle·t·axis)·q` errs by the rounding of the angle (`2u·angle`), of sine, cosine
    /// and axis (`8u`), and of the product (`4u`): as a rotation by less than `4u·angle + 32u`, to which
    /// the logarithm of given ends adds no more than the same. The place of the pivot and the
    /// lever arm subtracted from it err by less than `64u` of their lengths. We state twice that.
    fn rounding(&self, sphere: &Sphere) -> f64 {
        let lever = (sphere.center - self.pivot).length() + sphere.radius;
        let lengths = self.pivot.length() + self.from.length() + self.shift.length();
        UNIT_ROUNDOFF * ((128.0 + 16.0 * self.angle) * lever + 128.0 * lengths) + f64::MIN_POSITIVE
    }
}

/// Far more than the roundings of a bound that is a sum of a few products.
pub(super) const ROUNDINGS: u32 = 64;

impl Motion for RigidMotion {
    fn pose(&self, t: f64) -> Pose {
        if t <= 0.0 {
            return self.start;
        }
        if t >= 1.0
            && let Some(end) = self.end
        {
            return end;
        }
        let turned = if self.angle == 0.0 {
            self.start.rotation
        } else {
            exp(self.axis * self.angle_at(t.min(1.0))) * near_unit(self.start.rotation)
        };
        let place = self.from + self.shift * t.min(1.0);
        let lever = Pose::from_rotation(turned).transform_vector(self.pivot);
        Pose::new(turned, place - lever)
    }

    /// The shift along the axis is square to the chord of the turn.
    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let h = (t1 - t0).max(0.0);
        let chord = 2.0 * self.reach(sphere) * (0.5 * self.largest_turn(h).min(PI)).sin();
        let along = self.shift.dot(self.axis) * h;
        let across = (self.shift - self.axis * self.shift.dot(self.axis)).length() * h;
        // Not `hypot`, whose rounding depends on the scale.
        let ideal = ((across + chord).powi(2) + along * along).sqrt();
        round::up(ideal, ROUNDINGS) + round::off(self.shift.length(), 32) + 2.0 * self.rounding(sphere)
    }

    /// An arc of angle `β < 2π` strays from its chord by at most `ρ·(1 − cos(β/2))`, in its middle; for
    /// uneven speed the bound follows from that on acceleration, `16ρT²(1 + T)` with `T = tan(angle/4)`.
    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (h, reach) = ((t1 - t0).max(0.0), self.reach(sphere));
        let ideal = match self.turning {
            Turning::Slerp if self.angle * h < TAU => 2.0 * (0.25 * self.angle * h).sin().powi(2),
            Turning::Slerp => 2.0,
            Turning::Nlerp => {
                let t = (0.25 * self.angle).tan();
                (2.0 * t * t * (1.0 + t) * h * h).min(2.0)
            }
        };
        round::up(ideal * reach, ROUNDINGS) + 2.0 * self.rounding(sphere)
    }
}
