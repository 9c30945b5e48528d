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

/// A pose for every time in [0, 1], with bounds on the motion of points.
///
/// The motion itself is one of real numbers; [`pose`](Motion::pose) rounds it. Both bounds are rounded
/// outwards and include the rounding of `pose`, so code that respects them never misses a contact. User
/// implementations are trusted to respect the bounds: the guarantee of an answer depends on it.
///
/// Owners hold a motion as `Arc<dyn Motion>`, so that moves, clips and threads share it.
///
/// ```
/// use noli_geom::{Motion, Pose, RigidMotion, Sphere};
/// let quarter = Pose::from_rotation(glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
/// let motion = RigidMotion::between(&Pose::IDENTITY, &quarter, glam::DVec3::ZERO);
/// let rim = Sphere { center: glam::DVec3::X, radius: 0.0 };
/// assert!((motion.travel(&rim, 0.0, 1.0) - 2.0f64.sqrt()).abs() < 1e-12);
/// assert!((motion.chord_deviation(&rim, 0.0, 1.0) - (1.0 - 0.5f64.sqrt())).abs() < 1e-12);
/// ```
#[doc(alias("trajectory", "motion bound"))]
pub trait Motion: std::fmt::Debug + Send + Sync {
    /// The pose at a time in [0, 1], rounded.
    fn pose(&self, t: f64) -> Pose;

    /// Returns the largest distance of a point of the sphere from its position at `pose(t0)`, at any time in
    /// [t0, t1]. The sphere is given in the body's frame.
    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64;

    /// Returns the largest deviation of a point of the sphere from uniform straight motion, at any time in
    /// [t0, t1]. That motion runs from its position at `pose(t0)` to its position at `pose(t1)`.
    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64;

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

    fn travel(&self, _sphere: &Sphere, _t0: f64, _t1: f64) -> f64 {
        0.0
    }

    fn chord_deviation(&self, _sphere: &Sphere, _t0: f64, _t1: f64) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests;
