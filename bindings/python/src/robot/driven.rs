//! Trajectories as driven: joint curves, blends, tool paths, goals as poses, and swept volumes.

use super::forms::{self, by};
use super::{PyRobot, queries};
use crate::answer::PyImpact;
use crate::array::vector;
use crate::error::{UndecidedError, value, warn};
use crate::model::one_pose;
use crate::pool::{detached, on_threads, until_interrupted};
use crate::shape::PyMesh;
use glam::DVec3;
use noli::Impact;
use noli_plan::{
    AxisConstraint, BlendShape, DriveLimits, DriveOptions, Effort, JointOptions, drive_path, plan_to_goals,
};
use noli_robot::cell::MotionStatus;
use noli_robot::{BlendRadius, FollowOptions, GoalOptions, JointCurve, PoseGoal, ToolPath, solve_goal};
use noli_sweep::{ArmSweep, SweepOptions};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;

/// A motion of a robot over time, in seconds, as controllers interpolate it: positions `(k, dof)` are joined by straight
/// segments in joint space, with velocities by cubics, with accelerations as well by quintics.
///
/// >>> import noli, numpy
/// >>> robot = noli.Robot.puma560()
/// >>> ends = numpy.stack([robot.neutral, robot.neutral + 0.2])
/// >>> move = noli.Trajectory(robot, [0.0, 2.0], ends, numpy.zeros((2, 6)))
/// >>> move.duration, move.is_free()
/// (2.0, True)
#[pyclass(frozen, name = "Trajectory", module = "noli")]
pub(crate) struct PyTrajectory {
    pub(super) robot: PyRobot,
    pub(super) curve: JointCurve,
}

impl PyTrajectory {
    fn row<'py>(&self, py: Python<'py>, time: f64, order: usize) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.robot.narrowed(&self.curve.derivative(time, order)))
    }

    fn rows<'py>(&self, py: Python<'py>, order: usize) -> PyResult<Bound<'py, PyAny>> {
        let all: Vec<Vec<f64>> =
            self.curve.knots().iter().map(|&time| self.curve.derivative(time, order)).collect();
        self.robot.configurations(py, &all)
    }
}

#[pymethods]
impl PyTrajectory {
    #[new]
    #[pyo3(signature = (robot, times, positions, velocities = None, accelerations = None))]
    fn new(
        robot: &Bound<'_, PyRobot>,
        times: Vec<f64>,
        positions: &Bound<'_, PyAny>,
        velocities: Option<&Bound<'_, PyAny>>,
        accelerations: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let robot = robot.get().clone();
        let positions = robot.path_rows(positions, "positions")?;
        let velocities = velocities.map(|given| robot.rate_rows(given, "velocities")).transpose()?;
        let accelerations = accelerations.map(|given| robot.rate_rows(given, "accelerations")).transpose()?;
        let positions = by(&positions);
        let curve = match (&velocities, &accelerations) {
            (None, None) => JointCurve::linear(&times, &positions),
            (Some(rates), None) => JointCurve::cubic(&times, &positions, &by(rates)),
            (Some(rates), Some(more)) => JointCurve::quintic(&times, &positions, &by(rates), &by(more)),
            (None, Some(_)) => return Err(value("accelerations need velocities as well")),
        };
        Ok(Self { robot, curve: curve.map_err(value)? })
    }

    /// Returns the cubic spline through positions `(k, dof)` at times, with continuous accelerations. `velocities` `(2, dof)`
    /// are those at both ends, by default 0.
    #[staticmethod]
    #[pyo3(signature = (robot, times, positions, velocities = None))]
    fn spline(
        robot: &Bound<'_, PyRobot>,
        times: Vec<f64>,
        positions: &Bound<'_, PyAny>,
        velocities: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let robot = robot.get().clone();
        let curve = forms::spline(&robot, &times, positions, velocities)?;
        Ok(Self { robot, curve })
    }

    /// Returns the B-spline of control points `(k, dof)`, by `k + degree + 1` knots in seconds, or by even ones over a
    /// duration from the first control point to the last.
    #[staticmethod]
    #[pyo3(signature = (robot, control_points, *, degree = 3, knots = None, duration = None))]
    fn b_spline(
        robot: &Bound<'_, PyRobot>,
        control_points: &Bound<'_, PyAny>,
        degree: usize,
        knots: Option<Vec<f64>>,
        duration: Option<f64>,
    ) -> PyResult<Self> {
        let robot = robot.get().clone();
        let curve = forms::b_spline(&robot, control_points, degree, knots, duration)?;
        Ok(Self { robot, curve })
    }

    /// Returns the quickest motion along a path `(k, dof)`, straight in joint space and at rest at each configuration, with
    /// a `"trapezoidal"` profile of speed or an `"s-curve"`. Limits are numbers for all joints, or one for each; by default
    /// those of the robot.
    ///
    /// >>> import noli
    /// >>> robot = noli.Robot.puma560()
    /// >>> path = [robot.neutral, robot.neutral + 1.0]
    /// >>> noli.Trajectory.straight(robot, path, velocity=1.0, acceleration=2.0).duration
    /// 1.5
    #[staticmethod]
    #[pyo3(signature = (robot, path, *, profile = "trapezoidal", velocity = None, acceleration = None, jerk = None))]
    fn straight(
        robot: &Bound<'_, PyRobot>,
        path: &Bound<'_, PyAny>,
        profile: &str,
        velocity: Option<&Bound<'_, PyAny>>,
        acceleration: Option<&Bound<'_, PyAny>>,
        jerk: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let robot = robot.get().clone();
        let curve = forms::straight(&robot, path, profile, [velocity, acceleration, jerk])?;
        Ok(Self { robot, curve })
    }

    /// Reads a trajectory as `noli robot check --trajectory` does: a table (`.csv`), or JSON or YAML as of ROS, which may
    /// say that its points are driven by splines, B-splines or profiles of speed.
    ///
    /// A joint that the robot has not is an error. Joints that the file does not name are 0, with a warning.
    #[staticmethod]
    fn read(robot: &Bound<'_, PyRobot>, path: PathBuf) -> PyResult<Self> {
        let (py, robot) = (robot.py(), robot.get().clone());
        let curve = forms::read(py, &robot, &path)?;
        Ok(Self { robot, curve })
    }

    /// Duration in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.curve.duration()
    }

    /// Times between which every joint is a polynomial, in seconds.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.curve.knots().to_vec())
    }

    /// Positions at `times`, `(k, dof)`.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rows(py, 0)
    }

    /// Velocities at `times`, `(k, dof)`.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rows(py, 1)
    }

    /// Accelerations at `times`, `(k, dof)`; at a jump that of the later segment.
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.rows(py, 2)
    }

    /// Returns the configuration at a time.
    fn position<'py>(&self, py: Python<'py>, time: f64) -> Bound<'py, PyArray1<f64>> {
        self.row(py, time, 0)
    }

    /// Returns the velocity at a time.
    fn velocity<'py>(&self, py: Python<'py>, time: f64) -> Bound<'py, PyArray1<f64>> {
        self.row(py, time, 1)
    }

    /// Returns the acceleration at a time.
    fn acceleration<'py>(&self, py: Python<'py>, time: f64) -> Bound<'py, PyArray1<f64>> {
        self.row(py, time, 2)
    }

    /// Returns `True` if the motion is collision-free at every moment, by proof, for every motion that keeps each joint
    /// within `tracking_error` of it, and on top of that each point of the tool within `tool_deviation` metres. The tool is
    /// the link `tool` with those rigidly joined to it, all behind it and what they carry. Raises `UndecidedError` if a pair
    /// is too close to be decided.
    #[pyo3(signature = (*, tracking_error = 0.0, tool_deviation = 0.0, tool = None))]
    fn is_free(
        &self,
        py: Python<'_>,
        tracking_error: f64,
        tool_deviation: f64,
        tool: Option<&str>,
    ) -> PyResult<bool> {
        self.robot.require_pairs(py)?;
        let tolerance = vec![tracking_error; self.curve.variables()];
        let wide = self.robot.widened(py, tool, tool_deviation)?;
        let found = detached(py, || match &wide {
            Some(cell) => cell.checker().check_tube(&self.curve, &tolerance),
            None => self.robot.ask(|checker| checker.check_tube(&self.curve, &tolerance)),
        })?;
        match found.map_err(value)? {
            MotionStatus::Free => Ok(true),
            MotionStatus::Blocked { .. } => Ok(false),
            MotionStatus::Close { at, pair } => {
                let [a, b] = self.robot.cell().pair_names(pair);
                let time = self.curve.time_at(at);
                Err(UndecidedError::new_err(format!("{a} and {b} are too close at {time:.6} s")))
            }
        }
    }

    /// Computes the first contact; times are shares of the duration.
    fn first_contact(&self, py: Python<'_>) -> PyResult<PyImpact> {
        self.robot.require_pairs(py)?;
        let found = detached(py, || self.robot.ask(|checker| checker.first_contact_on_curve(&self.curve)))?;
        let (impact, pair) = match found.map_err(value)? {
            Impact::Free => (Impact::Free, None),
            Impact::AtStart(hit) => (Impact::AtStart(hit.touch), Some(hit.pair)),
            Impact::At { time, touch: hit } => (Impact::At { time, touch: hit.touch }, Some(hit.pair)),
            Impact::Unknown { safe_until } => (Impact::Unknown { safe_until }, None),
        };
        let parts = pair.map(|pair| self.robot.cell().pair_names(pair).map(str::to_owned));
        Ok(PyImpact { impact, parts })
    }

    /// Computes the volume that the robot sweeps: a closed mesh that encloses every moment, no point of it farther than
    /// `error` from the volume, and a closed mesh within it, or `None` for thin bodies.
    #[pyo3(signature = (*, error = 0.02, cells = 4_000_000, threads = None))]
    fn swept_volume(
        &self,
        py: Python<'_>,
        error: f64,
        cells: usize,
        threads: Option<usize>,
    ) -> PyResult<(PyMesh, Option<PyMesh>)> {
        let cell = self.robot.cell().clone();
        let swept = on_threads(py, threads, || -> Result<_, noli_sweep::SweepError> {
            let mut options = SweepOptions::new(error);
            options.cells = cells;
            let volume = ArmSweep::new(&cell, &self.curve)?.sweep(&options)?;
            Ok((volume.outer_mesh()?, volume.inner_mesh()?))
        })?;
        let (outer, inner) = swept.map_err(value)?;
        Ok((PyMesh(outer), inner.map(PyMesh)))
    }

    fn __repr__(&self) -> String {
        let (name, segments) = (self.robot.robot.name(), self.curve.knots().len() - 1);
        format!("<noli.Trajectory of {name:?}: {segments} segments, {:.3} s>", self.duration())
    }
}

/// Blends and times a path `(k, dof)` within the limits of the joints: a trajectory proven collision-free as driven. At
/// each waypoint the path is rounded from the distance `blend` on, in joint space, or with `blend_shape="circular"` by an
/// arc of this radius; a blend that collides is halved, down to a stop. `acceleration` and `jerk` replace the limits of all joints.
/// Deviations of the joints and the tool are those of `Trajectory.is_free`.
///
/// >>> import noli, numpy
/// >>> robot = noli.Robot.puma560()
/// >>> path = robot.neutral + numpy.array([[0.0] * 6, [0.2] * 6, [0.4, 0, 0, 0, 0, 0]])
/// >>> slow, quick = noli.drive(robot, path), noli.drive(robot, path, blend=0.1)
/// >>> slow.is_free() and quick.is_free()
/// True
#[pyfunction]
#[pyo3(signature = (robot, path, *, blend = 0.0, blend_shape = "smooth", acceleration = None, jerk = None,
    tracking_error = 0.0, tool_deviation = 0.0, tool = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn drive(
    py: Python<'_>,
    robot: &Bound<'_, PyRobot>,
    path: &Bound<'_, PyAny>,
    blend: f64,
    blend_shape: &str,
    acceleration: Option<f64>,
    jerk: Option<f64>,
    tracking_error: f64,
    tool_deviation: f64,
    tool: Option<&str>,
) -> PyResult<PyTrajectory> {
    let robot = robot.get().clone();
    robot.require_pairs(py)?;
    let (states, count) = robot.states(path, "path")?;
    let width = robot.robot.variables().len().max(1);
    let rows: Vec<Vec<f64>> = states.chunks(width).map(<[f64]>::to_vec).collect();
    if count.is_none_or(|count| count < 2) {
        return Err(value("path: invalid path; give at least two configurations"));
    }
    let mut limits = DriveLimits::of_cell(robot.cell());
    if let Some(rate) = acceleration {
        limits.acceleration.fill(rate);
        limits.jerk.fill(10.0 * rate);
    }
    if let Some(rate) = jerk {
        limits.jerk.fill(rate);
    }
    let mut options = DriveOptions::new(limits, blend);
    options.shape = match blend_shape {
        "smooth" => BlendShape::Smooth,
        "circular" => BlendShape::Circular,
        other => return Err(value(format!("blend_shape {other:?}: give \"smooth\" or \"circular\""))),
    };
    if tracking_error > 0.0 {
        options.tracking_error = vec![tracking_error; width];
    }
    let wide = robot.widened(py, tool, tool_deviation)?;
    let cell = wide.as_ref().unwrap_or_else(|| robot.cell());
    let driven = detached(py, || drive_path(cell, &rows, &options))?.map_err(value)?;
    Ok(PyTrajectory { robot, curve: driven.curve })
}

/// Plans a path that ends with a link at a pose in the frame of the root, within tolerances in metres and radians (one
/// angle, or three about the axes of the goal): configurations `(k, dof)`, or `None` if none was found. `group` is a
/// planning group of the SRDF, whose joints move alone. `upright` keeps the direction that points up at the start within
/// this angle, in radians, at every moment. The search ends after `time_limit` seconds; which paths it finds by then depends
/// on the machine.
///
/// >>> import noli
/// >>> robot = noli.Robot.puma560()
/// >>> goal = robot.link_poses(robot.neutral + 0.3)[-1]
/// >>> path = noli.plan_to_pose(robot, robot.neutral, goal, position_tolerance=0.001)
/// >>> robot.check_path(path).kind
/// 'free'
#[pyfunction]
#[pyo3(signature = (robot, start, pose, *, link = None, position_tolerance = 0.0, angle_tolerance = None, group = None,
    upright = None, steps = 400_000, seed = 1, threads = None, time_limit = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn plan_to_pose<'py>(
    py: Python<'py>,
    robot: &Bound<'py, PyRobot>,
    start: &Bound<'py, PyAny>,
    pose: &Bound<'py, PyAny>,
    link: Option<&str>,
    position_tolerance: f64,
    angle_tolerance: Option<&Bound<'py, PyAny>>,
    group: Option<&str>,
    upright: Option<f64>,
    steps: u64,
    seed: u64,
    threads: Option<usize>,
    time_limit: Option<f64>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let robot = robot.get();
    robot.require_pairs(py)?;
    let from = robot.one_state(start, "start")?;
    let tip = robot.link(link)?;
    let angles = match angle_tolerance {
        None => [0.0; 3],
        Some(given) => match given.extract::<f64>() {
            Ok(angle) => [angle; 3],
            Err(_) => vector(given, "angle_tolerance")?.to_array(),
        },
    };
    let goal = PoseGoal::new(tip, one_pose(pose)?).within(position_tolerance, angles);
    let moving = robot.moving(group)?;
    let constraints = match upright {
        Some(angle) => {
            vec![AxisConstraint::upright(robot.cell(), [0, tip], &from, DVec3::Z, angle).map_err(value)?]
        }
        None => Vec::new(),
    };
    let end = queries::end_of(time_limit)?;
    let found = until_interrupted(py, threads, |stop| {
        let stop = queries::or_until(stop, end);
        let mut wanted = GoalOptions::default();
        wanted.seed = seed;
        let goals = solve_goal(&robot.robot, &goal, &moving, &from, &wanted).map_err(value)?;
        let mut options = JointOptions { constraints: &constraints, ..JointOptions::default() };
        options.effort = Effort { steps, seed, stop: &stop, ..options.effort };
        plan_to_goals(robot.cell(), &from, &goals, &moving, &options).map_err(value)
    })?;
    let found = found?;
    if found.path.is_none() {
        queries::warn_of_no_path(py, found.steps, seed)?;
    }
    found.path.map(|path| robot.configurations(py, &path.configurations)).transpose()
}

/// Follows a path of a link in the frame of the root from a configuration: a trajectory, and the largest path error, proven,
/// in metres. A blend for which a line is too short is driven with a smaller radius, and a warning says so. Moves are `("line", pose)`, `("arc", via, pose)`, and between two lines `("blend", radius)`, a parabola, or
/// `("round", radius)`, a circular arc. Points within `radius` of the origin of the link keep to the path within
/// `tolerance`; `speed` is the largest.
///
/// >>> import noli, numpy
/// >>> robot = noli.Robot.puma560()
/// >>> start = numpy.array([0.2, -0.9, 1.4, 0.3, 0.9, -0.2])
/// >>> goal = robot.link_poses(start)[-1].copy()
/// >>> goal[2, 3] -= 0.05
/// >>> trajectory, error = noli.follow_path(robot, start, [("line", goal)])
/// >>> error <= 1e-4
/// True
#[pyfunction]
#[pyo3(signature = (robot, start, moves, *, link = None, tolerance = 1e-4, radius = 0.0, speed = 0.25))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn follow_path(
    py: Python<'_>,
    robot: &Bound<'_, PyRobot>,
    start: &Bound<'_, PyAny>,
    moves: Vec<Bound<'_, PyTuple>>,
    link: Option<&str>,
    tolerance: f64,
    radius: f64,
    speed: f64,
) -> PyResult<(PyTrajectory, f64)> {
    let robot = robot.get().clone();
    let from = robot.one_state(start, "start")?;
    let tip = robot.link(link)?;
    let mut poses = vec![noli::Pose::IDENTITY; robot.robot.links().len()];
    robot.robot.link_poses(&from, &mut poses);
    let mut path = ToolPath::starting(poses[tip]);
    for (number, one) in moves.iter().enumerate() {
        let kind: String = one.get_item(0)?.extract()?;
        match (kind.as_str(), one.len()) {
            ("line", 2) => path.line_to(one_pose(&one.get_item(1)?)?).map_err(value)?,
            ("arc", 3) => {
                let via = vector(&one.get_item(1)?, "via")?;
                path.arc_to(via, one_pose(&one.get_item(2)?)?).map_err(value)?;
            }
            ("blend", 2) => path.blend(one.get_item(1)?.extract()?).map_err(value)?,
            ("round", 2) => path.round(one.get_item(1)?.extract()?).map_err(value)?,
            _ => {
                let moves = r#"("line", pose), ("arc", via, pose), ("blend", radius) or ("round", radius)"#;
                return Err(value(format!("moves[{number}]: give {moves}")));
            }
        }
    }
    let mut options = FollowOptions::new(tip);
    (options.tolerance, options.radius, options.speed) = (tolerance, radius, speed);
    let followed = detached(py, || path.follow(&robot.robot, &from, &options))?.map_err(value)?;
    for (segment, BlendRadius { wanted, driven }) in path.blends().filter(|(_, blend)| blend.is_cut()) {
        let text = format!(
            "segment {} is blended by {driven:.4} m, not {wanted:.4} m: a line is too short for it",
            segment + 1
        );
        warn(py, &text)?;
    }
    Ok((PyTrajectory { robot, curve: followed.curve }, followed.deviation))
}

impl PyRobot {
    /// The independent variables of a planning group, or all.
    fn moving(&self, group: Option<&str>) -> PyResult<Vec<usize>> {
        let Some(name) = group else { return Ok(self.independent().collect()) };
        let text =
            self.source.srdf.as_ref().ok_or_else(|| value("group: the robot was read without an SRDF"))?;
        let srdf = text.parse::<noli_robot::Srdf>().map_err(value)?;
        if !srdf.groups.iter().any(|group| group.name == name) {
            return Err(value(format!("group: the SRDF has no group `{name}`")));
        }
        let joints = srdf.group_joints(&self.robot, name);
        let variables = self.robot.variables();
        Ok(self.independent().filter(|&variable| joints.contains(&variables[variable].joint)).collect())
    }
}
