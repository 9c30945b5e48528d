//! Random curves of every kind that a controller drives.

use crate::setup::{Problem, draw, ranges, step};
use noli::Pose;
use noli::glam::DVec3;
use noli_plan::{BlendShape, DriveLimits, DriveOptions, drive_path};
use noli_robot::cell::{Cell, CellBuilder, Checker, StateStatus};
use noli_robot::profile::{Profile, drive_straight};
use noli_robot::{FollowOptions, JointCurve, JointTable, Robot, ToolPath};
use std::fmt::Write as _;
use std::sync::Arc;

/// Kinds of curves.
pub(crate) const KINDS: [&str; 12] = [
    "linear",
    "cubic",
    "quintic",
    "b-spline",
    "ros-trajectory",
    "trapezoidal",
    "s-curve",
    "smooth-blends",
    "circular-blends",
    "tool-lines",
    "tool-arcs",
    "tool-blends",
];

/// A robot with what random curves of it need.
pub(crate) struct Source {
    robot: Arc<Robot>,
    ranges: Vec<[f64; 2]>,
    /// The robot without shapes: nothing collides there.
    bare: Cell,
    limits: DriveLimits,
    /// The link with the most joints before it.
    tip: usize,
}

impl Source {
    pub(crate) fn new(robot: &Arc<Robot>) -> Result<Self, Problem> {
        let mut plan = CellBuilder::default();
        plan.add_robot("", robot.clone(), Pose::IDENTITY, &[])?;
        let bare = plan.build();
        let limits = DriveLimits::of_cell(&bare);
        let arm = |link: &usize| {
            let moves = |joint: &usize| robot.variables().iter().any(|variable| variable.joint == *joint);
            robot.joints_to(*link).iter().filter(|joint| moves(joint)).count()
        };
        // The last joint of a gripper moves no arm: the first link of most joints but that.
        let most = (0..robot.links().len()).map(|link| arm(&link)).max().unwrap_or(0);
        let joints = most.min(robot.variables().len().min(7));
        let tip =
            (0..robot.links().len()).find(|link| arm(link) == joints).ok_or("the robot has no joints")?;
        Ok(Self { robot: robot.clone(), ranges: ranges(robot), bare, limits, tip })
    }

    /// A random curve of a kind that begins at a collision-free configuration.
    pub(crate) fn curve(
        &self,
        kind: &str,
        checker: &mut Checker<'_>,
        share: &mut impl FnMut() -> f64,
    ) -> Result<JointCurve, Problem> {
        /// Tool paths that leave the reach of an arm are drawn anew.
        const TRIED: usize = 10_000;
        for _ in 0..TRIED {
            let from = loop {
                let mut from = draw(&self.ranges, 1, share);
                self.robot.apply_laws(&mut from);
                if checker.check_state(&from)? == StateStatus::Free {
                    break from;
                }
            };
            if !kind.starts_with("tool") {
                return self.joint_curve(kind, &from, share);
            }
            if let Some(curve) = self.tool_curve(kind, &from, share)? {
                return Ok(curve);
            }
        }
        Err(format!("{kind}: no tool path of {TRIED} can be followed").into())
    }

    /// Five configurations, each a step from the one before.
    fn points(&self, from: &[f64], share: &mut impl FnMut() -> f64) -> Vec<Vec<f64>> {
        let (mut points, length) = (vec![from.to_vec()], 0.6 * share());
        for _ in 0..4 {
            let mut next = step(&self.ranges, &points[points.len() - 1], length, share);
            self.robot.apply_laws(&mut next);
            points.push(next);
        }
        points
    }

    fn joint_curve(
        &self,
        kind: &str,
        from: &[f64],
        share: &mut impl FnMut() -> f64,
    ) -> Result<JointCurve, Problem> {
        let points = self.points(from, share);
        let rows = by(&points);
        let times = [0.0, 0.5, 1.0, 1.5, 2.0];
        let mut rates = |scale: f64| -> Vec<Vec<f64>> {
            points.iter().map(|point| point.iter().map(|_| scale * (share() - 0.5)).collect()).collect()
        };
        let (velocities, accelerations) = (rates(1.0), rates(2.0));
        let driven = |blend: f64, shape: BlendShape| -> Result<JointCurve, Problem> {
            let mut options = DriveOptions::new(self.limits.clone(), blend);
            options.shape = shape;
            Ok(drive_path(&self.bare, &points, &options)?.curve)
        };
        Ok(match kind {
            "linear" => JointCurve::linear(&times, &rows)?,
            "cubic" => JointCurve::cubic(&times, &rows, &by(&velocities))?,
            "quintic" => JointCurve::quintic(&times, &rows, &by(&velocities), &by(&accelerations))?,
            "b-spline" => JointCurve::b_spline(3, &[0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0], &rows)?,
            "ros-trajectory" => {
                let given: Vec<f64> = points.iter().map(|_| share()).collect();
                self.message([&points, &velocities, &accelerations], &times, &given)?
            }
            "trapezoidal" => drive_straight(&rows, &self.limits, Profile::Trapezoidal)?,
            "s-curve" => driven(0.0, BlendShape::Smooth)?,
            "smooth-blends" => driven(0.3 * share(), BlendShape::Smooth)?,
            "circular-blends" => driven(0.3 * share(), BlendShape::Circular)?,
            _ => return Err(format!("--kinds {kind}: give some of {}", KINDS.join(", ")).into()),
        })
    }

    /// The curve of a ROS message, some of whose points have velocities, and some of these accelerations.
    fn message(
        &self,
        [positions, velocities, accelerations]: [&[Vec<f64>]; 3],
        times: &[f64],
        given: &[f64],
    ) -> Result<JointCurve, Problem> {
        let joints = self.robot.joints();
        let names: Vec<&str> =
            self.robot.variables().iter().map(|variable| joints[variable.joint].name.as_str()).collect();
        let mut text = format!("joint_names: {names:?}\npoints:\n");
        for row in 0..positions.len() {
            let _ = write!(text, "- {{positions: {:?}", positions[row]);
            if given[row] > 0.2 {
                let _ = write!(text, ", velocities: {:?}", velocities[row]);
            }
            if given[row] > 0.4 {
                let _ = write!(text, ", accelerations: {:?}", accelerations[row]);
            }
            let _ = writeln!(text, ", time_from_start: {:?}}}", times[row]);
        }
        Ok(JointTable::from_trajectory_str(&text, &self.robot)?.curve()?)
    }

    /// Lines or arcs of the tool; `None` if the arm cannot follow them.
    fn tool_curve(
        &self,
        kind: &str,
        from: &[f64],
        share: &mut impl FnMut() -> f64,
    ) -> Result<Option<JointCurve>, Problem> {
        let mut poses = vec![Pose::IDENTITY; self.robot.links().len()];
        self.robot.link_poses(from, &mut poses);
        let start = poses[self.tip];
        let mut off = |length: f64| {
            DVec3::new(2.0 * share() - 1.0, 2.0 * share() - 1.0, 2.0 * share() - 1.0).normalize_or(DVec3::Z)
                * length
        };
        let to = |offset: DVec3| Pose::new(start.rotation, start.translation + offset);
        let mut path = ToolPath::starting(start);
        let [a, b, c] = [off(0.06), off(0.06), off(0.06)];
        match kind {
            "tool-lines" => {
                path.line_to(to(a))?;
                path.line_to(to(a + b))?;
            }
            "tool-arcs" => {
                path.arc_to(start.translation + a, to(a + b))?;
                path.line_to(to(a + b + c))?;
            }
            "tool-blends" => {
                path.line_to(to(a))?;
                path.blend(0.02)?;
                path.line_to(to(a + b))?;
                path.round(0.02)?;
                path.line_to(to(a + b + c))?;
            }
            _ => return Err(format!("--kinds {kind}: give some of {}", KINDS.join(", ")).into()),
        }
        let mut options = FollowOptions::new(self.tip);
        options.tolerance = 1e-3;
        Ok(path.follow(&self.robot, from, &options).ok().map(|followed| followed.curve))
    }
}

fn by(rows: &[Vec<f64>]) -> Vec<&[f64]> {
    rows.iter().map(Vec::as_slice).collect()
}
