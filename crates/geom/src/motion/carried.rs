//! A motion on top of another.

use super::Motion;
use super::rigid::ROUNDINGS;
use crate::number::round;
use crate::pose::near_unit;
use crate::{Pose, Sphere};
use std::sync::Arc;

/// A body on a moving carrier that also moves by itself, such as a robot on a cart.
///
/// Both motions are given in the world and begin at the start pose of the body. The carrier's motion is
/// given as if the body did not move itself, the body's own as if the carrier were at rest. The result is
/// `carrier(t) · start⁻¹ · own(t)`. It combines two motions of one body; a motion cut or held in time is a
/// [`Clip`](crate::Clip).
///
/// ```
/// use noli_geom::{Carried, Motion, Pose, RigidMotion};
/// use glam::DVec3;
/// use std::sync::Arc;
/// let start = Pose::from_translation(DVec3::X);
/// let cart = RigidMotion::screw(&start, DVec3::ZERO, DVec3::Z, std::f64::consts::FRAC_PI_2, 0.0);
/// let own = RigidMotion::with_velocities(&start, DVec3::X, DVec3::ZERO, DVec3::ZERO);
/// let both = Carried::new(start, Arc::new(cart), Arc::new(own));
/// // Outwards, and a quarter turn round.
/// assert!(both.pose(1.0).translation.abs_diff_eq(2.0 * DVec3::Y, 1e-12));
/// ```
#[derive(Clone, Debug)]
pub struct Carried {
    start: Pose,
    body_from_world: Pose,
    carrier: Arc<dyn Motion>,
    own: Arc<dyn Motion>,
}

impl Carried {
    /// Creates the motion from the body's start pose, the carrier's motion and the body's own motion.
    pub fn new(start: Pose, carrier: Arc<dyn Motion>, own: Arc<dyn Motion>) -> Self {
        Self { start, body_from_world: start.inverse(), carrier, own }
    }

    /// Returns the travel of a sphere's points by the body's own motion, and a sphere around all their
    /// positions in the carrier frame.
    fn own_way(&self, sphere: &Sphere, t0: f64, t1: f64) -> (f64, Sphere) {
        let path = self.own.travel(sphere, t0, t1);
        let places = [self.start, self.start, self.own.pose(t0), self.own.pose(t1)];
        let radius = sphere.radius + path + rounding(sphere.center.length() + sphere.radius + path, &places);
        let center = (self.body_from_world * self.own.pose(t0)).transform_point(sphere.center);
        (path, Sphere { center, radius: round::up(radius, ROUNDINGS) })
    }

    /// Returns the travel by the carrier of a sphere's points in the carrier frame. Also returns a bound on the
    /// rounding of the product at any time.
    fn carried_path(&self, places: &Sphere, t0: f64, t1: f64) -> (f64, f64) {
        let path = self.carrier.travel(places, t0, t1);
        let poses = [self.start, self.start, self.carrier.pose(t0), self.carrier.pose(t1)];
        (path, rounding(places.center.length() + places.radius + path, &poses))
    }
}

/// A product of two poses turns points by less than `64u` too much and places them within `64u` of the
/// lengths involved. We state four times that, for both factors and both ends.
pub(super) fn rounding(reach: f64, poses: &[Pose]) -> f64 {
    let far: f64 = poses.iter().map(|pose| pose.translation.length()).sum();
    round::off(2.0 * reach + 2.0 * far, 512) + f64::MIN_POSITIVE
}

impl Motion for Carried {
    /// Returns exactly the other motion's pose where one of the two has not begun.
    fn pose(&self, t: f64) -> Pose {
        let (carrier, own) = (self.carrier.pose(t), self.own.pose(t));
        if carrier == self.start {
            own
        } else if own == self.start {
            carrier
        } else {
            carrier * (self.body_from_world * own)
        }
    }

    /// Sum of the carrier's travel over all positions the body may reach, and its own travel.
    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (own, places) = self.own_way(sphere, t0, t1);
        let (carried, rounding) = self.carried_path(&places, t0, t1);
        round::up(carried + own + rounding, ROUNDINGS)
    }

    /// Sum of both deviations and of the deviation of the product of two chords from its own chord. With `O`
    /// the carrier and `y` the body's path, the last is `s(1 − s)·(O₀ − O₁)(y₁ − y₀)`. That is at most a
    /// quarter of `2·sin(θ/2)·|y₁ − y₀|` for a total turn by `θ`.
    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (own, places) = self.own_way(sphere, t0, t1);
        let (_, rounding) = self.carried_path(&places, t0, t1);
        let turn =
            near_unit(self.carrier.pose(t0).rotation).conjugate() * near_unit(self.carrier.pose(t1).rotation);
        let sine = turn.xyz().length() / turn.length() + round::off(1.0, 32);
        let deviations =
            self.carrier.chord_deviation(&places, t0, t1) + self.own.chord_deviation(sphere, t0, t1);
        round::up(deviations + 0.5 * sine * own + rounding, ROUNDINGS)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.carrier.next_bend(t).min(self.own.next_bend(t))
    }
}
