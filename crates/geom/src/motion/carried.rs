//! A motion on top of another.

use super::Motion;
use super::rigid::ROUNDINGS;
use crate::number::round;
use crate::pose::near_unit;
use crate::{Pose, Sphere};
use std::sync::Arc;

/// A body that is carried along and moves by itself on what carries it, such as a robot on a cart.
///
/// Both motions are given in the world and begin where the body stands: the carrier's as if the body did
/// nothing itself, its own as if the carrier stood still. What comes of both is `carrier(t) · start⁻¹ ·
/// own(t)`. It joins two motions of one body; a motion cut or held in time is a [`Clip`](crate::Clip).
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
    /// Where the body stands, how it is carried, and what it does itself.
    pub fn new(start: Pose, carrier: Arc<dyn Motion>, own: Arc<dyn Motion>) -> Self {
        Self { start, body_from_world: start.inverse(), carrier, own }
    }

    /// How far the body's own motion takes points of a ball, and a ball around all their places in the frame
    /// that is carried.
    fn own_way(&self, ball: &Sphere, t0: f64, t1: f64) -> (f64, Sphere) {
        let way = self.own.travel(ball, t0, t1);
        let places = [self.start, self.start, self.own.pose(t0), self.own.pose(t1)];
        let radius = ball.radius + way + rounding(ball.center.length() + ball.radius + way, &places);
        let center = (self.body_from_world * self.own.pose(t0)).transform_point(ball.center);
        (way, Sphere { center, radius: round::up(radius, ROUNDINGS) })
    }

    /// How far the carrier takes points of a ball in the frame that is carried, and a bound on the rounding
    /// of the product at any time.
    fn carried_way(&self, places: &Sphere, t0: f64, t1: f64) -> (f64, f64) {
        let way = self.carrier.travel(places, t0, t1);
        let poses = [self.start, self.start, self.carrier.pose(t0), self.carrier.pose(t1)];
        (way, rounding(places.center.length() + places.radius + way, &poses))
    }
}

/// A product of two poses turns points by less than `64u` too much and places them within `64u` of the
/// lengths involved. We state four times that, for both factors and both ends.
pub(super) fn rounding(reach: f64, poses: &[Pose]) -> f64 {
    let far: f64 = poses.iter().map(|pose| pose.translation.length()).sum();
    round::off(2.0 * reach + 2.0 * far, 512) + f64::MIN_POSITIVE
}

impl Motion for Carried {
    /// Where one of the two has not begun, exactly the other.
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

    /// What the carrier adds wherever the body has got to, and its own way.
    fn travel(&self, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        let (own, places) = self.own_way(ball, t0, t1);
        let (carried, rounding) = self.carried_way(&places, t0, t1);
        round::up(carried + own + rounding, ROUNDINGS)
    }

    /// Both deviations, and what the product of two chords strays from its own chord: with `O` the carrier
    /// and `y` the body's way, `s(1 − s)·(O₀ − O₁)(y₁ − y₀)`, at most a quarter of `2·sin(θ/2)·|y₁ − y₀|` for
    /// a turn by `θ` in all.
    fn chord_deviation(&self, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        let (own, places) = self.own_way(ball, t0, t1);
        let (_, rounding) = self.carried_way(&places, t0, t1);
        let turn =
            near_unit(self.carrier.pose(t0).rotation).conjugate() * near_unit(self.carrier.pose(t1).rotation);
        let sine = turn.xyz().length() / turn.length() + round::off(1.0, 32);
        let deviations =
            self.carrier.chord_deviation(&places, t0, t1) + self.own.chord_deviation(ball, t0, t1);
        round::up(deviations + 0.5 * sine * own + rounding, ROUNDINGS)
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.carrier.next_bend(t).min(self.own.next_bend(t))
    }
}
