//! Inverse kinematics: configurations that put a link at a pose.
//!
//! Six-axis arms whose last three axes intersect in a point have closed forms ([`SphericalWrist`]): every
//! branch, named. Any other chain is solved by damped least squares from several starts ([`solve_ik`]). Every
//! returned configuration has been verified by forward kinematics.

mod goal;
mod numeric;
mod wrist;

pub use goal::{GoalOptions, PoseGoal, solve_goal};
pub use numeric::{IkOptions, IkSolution, Redundancy, solve_ik};
pub use wrist::{Branch, Elbow, Shoulder, Solution, SphericalWrist, SphericalWristError, Wrist};

use crate::kinematics::Column;
use crate::tree::Robot;
use glam::DVec3;
use noli_geom::{Pose, rotation};

/// Reason that no configuration was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IkError {
    /// The wrist would be beyond the outstretched arm.
    #[error("out of reach: the wrist is {by:.4} m beyond the outstretched arm")]
    TooFar {
        /// By how much, in metres.
        by: f64,
    },
    /// The wrist would be nearer to the shoulder than the folded arm.
    #[error("out of reach: the wrist is {by:.4} m nearer to the shoulder than the folded arm")]
    TooNear {
        /// By how much, in metres.
        by: f64,
    },
    /// The wrist would be nearer to the first axis than the arm passes it.
    #[error("out of reach: the wrist is {by:.4} m nearer to the first axis than the arm's offset from it")]
    BesideAxis {
        /// By how much, in metres.
        by: f64,
    },
    /// The last three axes cannot turn so.
    #[error("the wrist cannot be turned so: its axes are not square to each other")]
    Orientation,
    /// There are configurations, all beyond the limits.
    #[error("beyond limits: the nearest of {count} solutions needs `{variable}` at {value:.4}; {limits}",
        limits = format_args!("it goes from {:.4} to {:.4}", range[0], range[1]))]
    Limits {
        /// Actual count.
        count: usize,
        /// The variable of the nearest that is farthest beyond its limits.
        variable: String,
        /// Its value there.
        value: f64,
        /// Its limits.
        range: [f64; 2],
    },
    /// Configurations exist, but none on the requested branch.
    #[error("cannot be reached {branch}; {count} other IK branches can")]
    Branch {
        /// The requested branch.
        branch: String,
        /// Number of solutions on other branches.
        count: usize,
    },
    /// The search ended nowhere; nearest it came to the pose.
    #[error("not found from {starts} starts: nearest were {position:.4} m and {angle:.4} rad off{hint}",
        hint = if *at_limits { ", at a joint limit" } else { "" })]
    NotFound {
        /// Number of starts tried.
        starts: usize,
        /// Distance from the place wanted, in metres.
        position: f64,
        /// Angle from the orientation wanted.
        angle: f64,
        /// `true` if a limit prevented a closer approach.
        at_limits: bool,
    },
    /// The pose is none, or the start is none.
    #[error("the pose or the configuration to start from is not finite")]
    NotFinite,
    /// Nothing moves the link.
    #[error("no joint moves the link `{link}`")]
    Immovable {
        /// The link.
        link: String,
    },
}

/// Deviation of a link from a pose, in metres and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Residual {
    /// Distance of the origins.
    pub position: f64,
    /// Angle between the orientations.
    pub angle: f64,
}

/// Mobility of a link at its current pose: the extreme singular values of its Jacobian, with angles weighted by
/// a quarter of the chain's length. A smallest value of 0 means that it cannot be moved in some direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manipulability {
    /// Speed in the worst direction for variables at unit speed.
    pub smallest: f64,
    /// Speed in the best.
    pub largest: f64,
}

impl Manipulability {
    /// 1 if all directions are alike, 0 if one is lost.
    pub fn isotropy(&self) -> f64 {
        if self.largest > 0.0 { self.smallest / self.largest } else { 0.0 }
    }
}

/// The variables that move a link by themselves, and what is needed to look for values of them.
#[derive(Clone, Debug)]
pub(crate) struct ChainOf {
    pub(crate) tip: usize,
    /// Those that follow nothing, from the root outwards.
    pub(crate) free: Vec<usize>,
    /// Sum of the chain's lengths, or 1 m if it has none.
    pub(crate) size: f64,
}

impl ChainOf {
    /// The length that makes an angle a distance: about that by which a turn of a joint moves the tip.
    pub(crate) fn lever(&self) -> f64 {
        0.25 * self.size
    }

    pub(crate) fn new(robot: &Robot, tip: usize) -> Result<Self, IkError> {
        let (mut free, mut size) = (Vec::new(), 0.0);
        let joints = robot.joints_to(tip);
        for &joint in &joints {
            let j = &robot.joints()[joint];
            // What stands before the first joint that moves is no part of the reach.
            if !free.is_empty() {
                size += j.parent_from_joint.translation.length();
            }
            for (number, variable) in robot.variables().iter().enumerate().filter(|(_, v)| v.joint == joint) {
                let free_one = variable.mimic.map_or(number, |law| law.of);
                if !free.contains(&free_one) {
                    free.push(free_one);
                }
            }
            if !free.is_empty() {
                size += j.joint_from_child.translation.length();
            }
        }
        if free.is_empty() {
            return Err(IkError::Immovable { link: robot.links()[tip].name.clone() });
        }
        Ok(Self { tip, free, size: if size > 0.0 { size } else { 1.0 } })
    }

    /// Poses of all links and the columns of the free variables, what follows them included.
    pub(crate) fn columns(&self, robot: &Robot, values: &[f64], work: &mut Work) {
        robot.link_poses(values, &mut work.poses);
        let point = work.poses[self.tip].translation;
        robot.jacobian(values, &work.poses, self.tip, point, &mut work.all);
        work.columns.clear();
        for &free in &self.free {
            let mut column = work.all[free];
            for (number, variable) in robot.variables().iter().enumerate() {
                if let Some(law) = variable.mimic.filter(|law| law.of == free) {
                    column.linear += work.all[number].linear * law.multiplier;
                    column.angular += work.all[number].angular * law.multiplier;
                }
            }
            work.columns.push(column);
        }
    }
}

/// Lent memory.
pub(crate) struct Work {
    pub(crate) poses: Vec<Pose>,
    pub(crate) all: Vec<Column>,
    pub(crate) columns: Vec<Column>,
}

impl Work {
    pub(crate) fn new(robot: &Robot) -> Self {
        Self {
            poses: vec![Pose::IDENTITY; robot.links().len()],
            all: vec![Column::default(); robot.variables().len()],
            columns: Vec::new(),
        }
    }
}

/// Returns the translation and rotation from a pose to another, both in the common frame.
fn difference(from: &Pose, to: &Pose) -> (DVec3, DVec3) {
    let turn = rotation::log(to.rotation.normalize() * from.rotation.normalize().conjugate());
    (to.translation - from.translation, turn)
}

impl Residual {
    /// Returns the distance and the angle from one pose to another.
    pub fn between(from: &Pose, to: &Pose) -> Self {
        let (path, turn) = difference(from, to);
        Self { position: path.length(), angle: turn.length() }
    }
}

impl Robot {
    /// Returns the deviation of a link from a pose in the frame of the root.
    pub fn residual(&self, values: &[f64], link: usize, root_from_link: &Pose) -> Residual {
        let mut poses = vec![Pose::IDENTITY; self.links().len()];
        self.link_poses(values, &mut poses);
        Residual::between(&poses[link], root_from_link)
    }

    /// Returns the manipulability of a link; `None` if no joint moves it or the values are invalid. With fewer than
    /// six variables some direction is always lost.
    pub fn manipulability(&self, values: &[f64], link: usize) -> Option<Manipulability> {
        self.check_values(values).ok()?;
        let chain = ChainOf::new(self, link).ok()?;
        let mut work = Work::new(self);
        chain.columns(self, values, &mut work);
        let gram = numeric::gram(&work.columns, chain.lever(), |_| true);
        let squares = numeric::eigenvalues(gram);
        let root = |x: f64| x.max(0.0).sqrt();
        let (low, high) = squares.iter().fold((f64::INFINITY, 0.0f64), |(l, h), &x| (l.min(x), h.max(x)));
        Some(Manipulability { smallest: root(low), largest: root(high) })
    }
}

/// The same angle, by whole turns as near as possible to another.
pub(crate) fn nearest_turn(angle: f64, near: f64) -> f64 {
    use std::f64::consts::TAU;
    angle + ((near - angle) / TAU).round() * TAU
}

/// An angle by whole turns within limits, as near as possible to another; beyond them if no turn is within.
pub(crate) fn within_limits(angle: f64, near: f64, range: Option<[f64; 2]>) -> f64 {
    use std::f64::consts::TAU;
    let nearest = nearest_turn(angle, near);
    let Some([lower, upper]) = range else { return nearest };
    // Closed forms land a rounding beyond a limit that is meant.
    let slack = 1e-9 * (1.0 + lower.abs().max(upper.abs()));
    let inside = |x: f64| lower - slack <= x && x <= upper + slack;
    let clamp = |x: f64| x.clamp(lower, upper);
    if inside(nearest) {
        return clamp(nearest);
    }
    let up = angle + ((lower - slack - angle) / TAU).ceil() * TAU;
    let down = angle + ((upper + slack - angle) / TAU).floor() * TAU;
    match (inside(up), inside(down)) {
        (true, true) => clamp(if (up - near).abs() <= (down - near).abs() { up } else { down }),
        (true, false) => clamp(up),
        (false, true) => clamp(down),
        (false, false) => nearest,
    }
}

/// The variable that is farthest beyond its limits, if any is.
pub(crate) fn beyond_limits(robot: &Robot, values: &[f64], among: &[usize]) -> Option<usize> {
    let beyond = |&number: &usize| {
        let [lower, upper] = robot.variables()[number].limits.range?;
        let by = (lower - values[number]).max(values[number] - upper);
        (by > 0.0).then_some((number, by))
    };
    among.iter().filter_map(beyond).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(number, _)| number)
}
