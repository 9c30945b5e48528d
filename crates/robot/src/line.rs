//! A link on a straight line, through inverse kinematics, with a proven deviation from it.
//!
//! Between two configurations on the line every joint moves uniformly, so the link deviates slightly from the
//! line. The bound has three terms. The first is the link's deviation from its own chord
//! ([`GroupMotion::chord_deviation`]). The others are the deviation of the line with its rotation from that
//! chord, and the error at both ends. Segments are halved until the bound is within the tolerance.

use crate::inverse::IkError;
use crate::motion::{JointMotion, JointMotionError};
use crate::tree::Robot;
use noli_geom::{GroupMotion, Motion, Pose, RigidMotion, Sphere};
use std::sync::Arc;

/// Gives all variables for a pose of the link in the frame of the root, near other values.
pub type Inverse<'a> = dyn FnMut(&Pose, &[f64]) -> Result<Vec<f64>, IkError> + 'a;

/// A straight motion of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StraightLine {
    /// The link.
    pub tip: usize,
    /// Start pose, in the frame of the root.
    pub from: Pose,
    /// End pose; it rotates uniformly by the smaller angle.
    pub to: Pose,
    /// The part of the link that keeps to the line, in the link's frame.
    pub sphere: Sphere,
    /// Maximum deviation of any point of the sphere from its ideal position, in metres.
    pub tolerance: f64,
    /// Most that a joint may move between two configurations on the line; more is taken for another branch.
    pub most_change: f64,
}

impl StraightLine {
    /// The origin of a link from one pose to another, within a tenth of a millimetre.
    pub fn new(tip: usize, from: Pose, to: Pose) -> Self {
        let sphere = Sphere { center: glam::DVec3::ZERO, radius: 0.0 };
        Self { tip, from, to, sphere, tolerance: 1e-4, most_change: 0.5 }
    }

    /// Returns the desired motion of the link over times in [0, 1].
    pub fn motion(&self) -> RigidMotion {
        RigidMotion::between(&self.from, &self.to, self.sphere.center)
    }

    /// The joint path that follows the line from a configuration that is on its start. `inverse` gives the
    /// configuration for a pose near another one; it should stay on that one's branch.
    pub fn follow(
        &self,
        robot: &Arc<Robot>,
        start: &[f64],
        inverse: &mut Inverse<'_>,
    ) -> Result<Followed, LineError> {
        let line = self.motion();
        let mut keys = vec![(0.0, start.to_vec())];
        let (mut share, mut step, mut most) = (0.0, FIRST, 0.0f64);
        while share < 1.0 {
            let (at, now) = keys[keys.len() - 1].clone();
            let next = f64::min(1.0, at + step);
            match self.piece(robot, &line, [at, next], &now, inverse) {
                Ok((values, deviation)) => {
                    most = most.max(deviation);
                    keys.push((next, values));
                    (share, step) = (next, 2.0 * step);
                }
                Err(why) if step <= SHORTEST => return Err(LineError { share: at, why }),
                Err(_) => step *= 0.5,
            }
        }
        let times: Vec<f64> = keys.iter().map(|key| key.0).collect();
        let rows: Vec<&[f64]> = keys.iter().map(|key| key.1.as_slice()).collect();
        let motion = JointMotion::through(robot.clone(), Pose::IDENTITY, &times, &rows)
            .map_err(|error| LineError { share: 0.0, why: LineFault::Motion(error) })?;
        Ok(Followed { motion, deviation: most })
    }

    /// Returns the configuration at the end of a segment, and the link's deviation on it.
    fn piece(
        &self,
        robot: &Arc<Robot>,
        line: &RigidMotion,
        [from, to]: [f64; 2],
        now: &[f64],
        inverse: &mut Inverse<'_>,
    ) -> Result<(Vec<f64>, f64), LineFault> {
        let values = inverse(&line.pose(to), now).map_err(LineFault::Unreachable)?;
        let changes = values.iter().zip(now).map(|(a, b)| (a - b).abs());
        let change = changes.fold(0.0, f64::max);
        if change > self.most_change {
            return Err(LineFault::Jump { change });
        }
        let motion =
            JointMotion::between(robot.clone(), Pose::IDENTITY, now, &values).map_err(LineFault::Motion)?;
        let met = |t: f64, share: f64| {
            crate::motion::displacement(&motion.pose(self.tip, t), &line.pose(share), &self.sphere)
        };
        let deviation = motion.chord_deviation(self.tip, &self.sphere, 0.0, 1.0)
            + line.chord_deviation(&self.sphere, from, to)
            + met(0.0, from).max(met(1.0, to));
        if deviation <= self.tolerance {
            return Ok((values, deviation));
        }
        Err(LineFault::Strays { deviation })
    }
}

const FIRST: f64 = 1.0 / 16.0;
const SHORTEST: f64 = 1.0 / 65_536.0;

/// A joint path that follows a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The path; its time is the share of the line.
    pub motion: JointMotion,
    /// No point of the sphere strays farther, in metres.
    pub deviation: f64,
}

/// Point at which a line can no longer be followed, and the reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("after {:.2} % of the line: {why}", share * 100.0)]
pub struct LineError {
    /// Up to which share of the line it can.
    pub share: f64,
    /// Reason that it ends there.
    pub why: LineFault,
}

/// Reason that a line cannot be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// No configuration for the next pose.
    #[error("{0}")]
    Unreachable(IkError),
    /// The next configuration is far from the last: a singularity, or another branch.
    #[error("a joint would jump by {change:.3} rad: a singularity is near, or the branch ends")]
    Jump {
        /// By how much.
        change: f64,
    },
    /// The tolerance is finer than numbers allow here.
    #[error("the link strays by {deviation:.3e} m even on the shortest pieces; allow more")]
    Strays {
        /// Distance.
        deviation: f64,
    },
    /// The configurations make no motion.
    #[error("{0}")]
    Motion(JointMotionError),
}
