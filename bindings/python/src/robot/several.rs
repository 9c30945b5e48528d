//! Several robots: with any timing, and programs that run at once.

use super::{PyRobot, PyTrajectory};
use crate::check::checked_length;
use crate::error::{file, value};
use crate::pool::until_interrupted;
use noli_plan::{Axis, CoordinateOptions, TimedPath};
use noli_program::RunLimits;
use noli_program::run::RunOptions;
use noli_project::cell::{
    CoordinatedRobot, ProgramsError, RobotProgram, coordination_report, load_cell, run_programs,
    together_report,
};
use noli_robot::cell::{CellBuilder, CellError};
use noli_robot::{JointCurve, JointCurveError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// A robot as it was given: a trajectory, or a cell with its program.
enum Given {
    Trajectory(PyRobot, JointCurve),
    Cell(PathBuf),
}

/// A robot that is ready to be compared.
enum Ready {
    Trajectory(Box<TimedTrajectory>),
    Program(Box<RobotProgram>, String),
}

impl Ready {
    fn new(given: Given, number: usize, start: f64) -> PyResult<Self> {
        let prefix = format!("{}/", number + 1);
        Ok(match given {
            Given::Trajectory(robot, curve) => {
                Self::Trajectory(Box::new(TimedTrajectory { robot, curve, prefix, start }))
            }
            Given::Cell(path) => {
                let shown = path.display().to_string();
                let cell = load_cell(&path).map_err(file)?;
                let program = RobotProgram::run_alone(cell, &shown, prefix, start).map_err(refused)?;
                Self::Program(Box::new(program), shown)
            }
        })
    }

    fn robot(&self) -> CoordinatedRobot<'_> {
        match self {
            Self::Program(program, shown) => CoordinatedRobot::of_program(program, shown),
            Self::Trajectory(path) => CoordinatedRobot {
                path: &**path,
                robot: path.robot.robot.name(),
                prefix: &path.prefix,
                program: None,
            },
        }
    }
}

fn refused(error: ProgramsError) -> PyErr {
    match error {
        ProgramsError::File(error) => file(error),
        other => value(other),
    }
}

/// A trajectory among others. Its instructions end where the robot rests, and where its velocity jumps, as between straight
/// segments: there it can wait.
struct TimedTrajectory {
    robot: PyRobot,
    curve: JointCurve,
    prefix: String,
    start: f64,
}

impl TimedTrajectory {
    /// Returns `true` if the robot can wait at a time.
    fn can_wait(&self, time: f64, largest: f64) -> bool {
        // Velocities of Bézier pieces have roundings far below a millionth.
        let small = 1e-6 * largest;
        let before = self.curve.derivative(time.next_down(), 1);
        let after = self.curve.derivative(time, 1);
        let rests = after.iter().all(|rate| rate.abs() <= small);
        rests || before.iter().zip(&after).any(|(a, b)| (a - b).abs() > small)
    }
}

impl TimedPath for TimedTrajectory {
    fn add_to(&self, plan: &mut CellBuilder) -> Result<usize, CellError> {
        plan.add_robots_of(&self.prefix, &self.robot.plan)
    }

    fn path(&self) -> Result<JointCurve, JointCurveError> {
        Ok(self.curve.clone())
    }

    fn axis(&self) -> Axis {
        let ([first, last], mut axis) = (self.curve.span(), Axis { shares: vec![], times: vec![] });
        let rates = (0..self.curve.variables()).flat_map(|variable| self.curve.derivative_range(variable, 1));
        let largest = rates.fold(0.0, |most: f64, rate| most.max(rate.abs()));
        for &knot in self.curve.knots() {
            if knot == first || knot == last || self.can_wait(knot, largest) {
                axis.shares.push((knot - first) / (last - first));
                axis.times.push(self.start + (knot - first));
            }
        }
        axis
    }

    fn time_at(&self, share: f64) -> f64 {
        self.start + self.curve.time_at(share) - self.curve.span()[0]
    }

    fn values_at(&self, time: f64) -> Vec<f64> {
        self.curve.position(self.curve.span()[0] + (time - self.start))
    }
}

/// Compares robots with any timing, as the JSON of the command line; `noli.coordinate` converts it into a result.
#[pyfunction(name = "_coordinate")]
#[pyo3(signature = (paths, start, margin, depth, threads))]
pub(crate) fn coordinate(
    py: Python<'_>,
    paths: Vec<Bound<'_, PyAny>>,
    start: Vec<f64>,
    margin: f64,
    depth: u32,
    threads: Option<usize>,
) -> PyResult<String> {
    let margin = checked_length("margin", margin)?;
    if !(1..=12).contains(&depth) {
        return Err(value(format!("depth={depth}: give 1 to 12")));
    }
    if start.len() != paths.len() || start.iter().any(|time| !(time.is_finite() && *time >= 0.0)) {
        return Err(value("start: give a time of at least 0 for every robot, in seconds"));
    }
    let given = paths.iter().map(|path| {
        Ok(match path.cast::<PyTrajectory>() {
            Ok(trajectory) => {
                let trajectory = trajectory.get();
                Given::Trajectory(trajectory.robot.clone(), trajectory.curve.clone())
            }
            Err(_) => Given::Cell(path.extract()?),
        })
    });
    let given = given.collect::<PyResult<Vec<Given>>>()?;
    until_interrupted(py, threads, |stop| {
        let mut options = CoordinateOptions::default();
        (options.margin, options.depth, options.stop) = (margin, depth, Some(stop));
        let ready = given.into_iter().zip(start).enumerate();
        let ready = ready.map(|(number, (given, start))| Ready::new(given, number, start));
        let ready = ready.collect::<PyResult<Vec<Ready>>>()?;
        let robots: Vec<CoordinatedRobot<'_>> = ready.iter().map(Ready::robot).collect();
        let paths: Vec<&dyn TimedPath> = robots.iter().map(|robot| robot.path).collect();
        let found = noli_plan::coordinate(&paths, &options).map_err(value)?;
        if found.pairs.iter().all(|pair| pair.compared == 0) {
            return Err(value(ProgramsError::Unchecked));
        }
        serde_json::to_string(&coordination_report(&robots, &found)).map_err(value)
    })?
}

/// Runs the programs of cells at once, as the JSON of the command line; `noli.run_programs` converts it into a result.
#[pyfunction(name = "_run_programs")]
#[pyo3(signature = (cells, steps, seconds))]
pub(crate) fn programs(
    py: Python<'_>,
    cells: Vec<PathBuf>,
    steps: Option<u64>,
    seconds: Option<f64>,
) -> PyResult<String> {
    if cells.len() < 2 {
        return Err(value("cells: give two or more"));
    }
    until_interrupted(py, None, |stop| {
        let stop = || stop.load(Ordering::Relaxed);
        let mut loaded = Vec::new();
        for path in &cells {
            let cell = load_cell(path).map_err(file)?;
            let most = RunLimits::default();
            let limits = RunLimits {
                steps: steps.unwrap_or(most.steps),
                seconds: seconds.unwrap_or(most.seconds),
                ..most
            };
            let options = RunOptions { limits, blend: cell.blend, ..RunOptions::default() };
            loaded.push((cell, options));
        }
        let programs = run_programs(loaded, &stop).map_err(refused)?;
        let report = together_report(&programs, &stop).map_err(refused)?;
        serde_json::to_string(&report).map_err(value)
    })?
}
