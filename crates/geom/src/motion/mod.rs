//! Bodies in motion: a pose for every time, and proven bounds on what happens in between.

mod carried;
mod clip;
mod group;
mod key_frames;
mod rigid;
mod swept;

pub use carried::Carried;
pub use clip::Clip;
pub use group::{GroupMember, GroupMotion, RigidGroup};
pub use key_frames::{KeyFrames, KeyFramesError};
pub use rigid::{RigidMotion, Turning};
pub use swept::SweptBox;

use crate::{Pose, Sphere};

/// A pose for every time in [0, 1], with bounds on how points move.
///
/// The motion itself is one of real numbers; [`pose`](Motion::pose) rounds it. Both bounds are rounded
/// outwards and include the rounding of `pose`, so whoever keeps them never misses a contact. An
/// implementation of your own is trusted to keep them: the guarantee of an answer is its guarantee.
///
/// What keeps a motion holds it as `Arc<dyn Motion>`, so that moves, clips and threads share it.
///
/// ```
/// use noli_geom::{Motion, Pose, RigidMotion, Sphere};
/// let quarter = Pose::from_rotation(glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
/// let motion = RigidMotion::between(&Pose::IDENTITY, &quarter, glam::DVec3::ZERO);
/// let rim = Sphere { center: glam::DVec3::X, radius: 0.0 };
/// assert!((motion.travel(&rim, 0.0, 1.0) - 2.0f64.sqrt()).abs() < 1e-12);
/// assert!((motion.chord_deviation(&rim, 0.0, 1.0) - (1.0 - 0.5f64.sqrt())).abs() < 1e-12);
/// ```
pub trait Motion: std::fmt::Debug + Send + Sync {
    /// The pose at a time in [0, 1], rounded.
    fn pose(&self, t: f64) -> Pose;

    /// How far any point of the ball, given in the body's frame, is from where `pose(t0)` puts it, at any
    /// time in [t0, t1].
    fn travel(&self, ball: &Sphere, t0: f64, t1: f64) -> f64;

    /// How far any point of the ball strays, at any time in [t0, t1], from a point that goes at even speed
    /// on a straight line from where `pose(t0)` puts it to where `pose(t1)` does.
    fn chord_deviation(&self, ball: &Sphere, t0: f64, t1: f64) -> f64;

    /// The next time after `t` at which the motion bends abruptly, or 1. Intervals that end there have
    /// smaller deviations than intervals across.
    fn next_bend(&self, _t: f64) -> f64 {
        1.0
    }
}

/// A body at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Still(pub Pose);

impl Motion for Still {
    fn pose(&self, _t: f64) -> Pose {
        self.0
    }

    fn travel(&self, _ball: &Sphere, _t0: f64, _t1: f64) -> f64 {
        0.0
    }

    fn chord_deviation(&self, _ball: &Sphere, _t0: f64, _t1: f64) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests;
