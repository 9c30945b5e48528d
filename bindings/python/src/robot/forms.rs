//! Trajectories by splines, B-splines and profiles of speed.

use super::PyRobot;
use crate::array::floats;
use crate::error::value;
use crate::pool::detached;
use noli_robot::JointCurve;
use noli_robot::cell::Cell;
use noli_robot::profile::{DriveLimits, Profile, drive_straight};
use pyo3::prelude::*;

impl PyRobot {
    /// Rows of an array as configurations of all variables.
    pub(super) fn path_rows(&self, given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec<f64>>> {
        let width = self.robot.variables().len().max(1);
        Ok(self.states(given, name)?.0.chunks(width).map(<[f64]>::to_vec).collect())
    }

    /// Rows of velocities or accelerations: mimic joints have an offset in their positions alone.
    pub(super) fn rate_rows(&self, given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec<f64>>> {
        let mut offsets = vec![0.0; self.robot.variables().len()];
        self.robot.apply_laws(&mut offsets);
        let mut rows = self.path_rows(given, name)?;
        for row in &mut rows {
            row.iter_mut().zip(&offsets).for_each(|(rate, offset)| *rate -= offset);
        }
        Ok(rows)
    }

    /// The cell with room for a deviation of the tool, if there is one.
    pub(super) fn widened(
        &self,
        py: Python<'_>,
        tool: Option<&str>,
        deviation: f64,
    ) -> PyResult<Option<Cell>> {
        if deviation == 0.0 {
            return Ok(None);
        }
        let link = self.link(tool)?;
        let cell = self.cell();
        if cell.tool_parts([0, link]).is_empty() {
            return Err(value("tool: neither the link nor one behind it has a shape; name another"));
        }
        let wide = detached(py, || cell.with_tool_deviation([0, link], deviation))?;
        wide.map(Some).map_err(|error| value(format!("tool_deviation: {error}")))
    }

    /// Limits of one kind: a number for all joints, or one for each.
    fn limit(&self, given: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<(usize, f64)>> {
        let own: Vec<usize> = self.independent().collect();
        if let Ok(limit) = given.extract::<f64>() {
            return Ok((0..self.robot.variables().len()).map(|variable| (variable, limit)).collect());
        }
        let array = floats(given, name)?;
        let limits = array.as_slice()?;
        if limits.len() != own.len() {
            let (found, wanted) = (limits.len(), own.len());
            return Err(value(format!("{name}: {found} limits; give one number, or {wanted} of them")));
        }
        Ok(own.into_iter().zip(limits.iter().copied()).collect())
    }
}

pub(super) fn by(rows: &[Vec<f64>]) -> Vec<&[f64]> {
    rows.iter().map(Vec::as_slice).collect()
}

/// A cubic spline; velocities at both ends, or rest.
pub(super) fn spline(
    robot: &PyRobot,
    times: &[f64],
    positions: &Bound<'_, PyAny>,
    velocities: Option<&Bound<'_, PyAny>>,
) -> PyResult<JointCurve> {
    let rows = robot.path_rows(positions, "positions")?;
    let ends = match velocities {
        Some(given) => robot.rate_rows(given, "velocities")?,
        None => vec![vec![0.0; robot.robot.variables().len()]; 2],
    };
    let [first, last] = &ends[..] else {
        return Err(value("velocities: give two rows, those at the first and at the last time"));
    };
    JointCurve::spline(times, &by(&rows), [first, last]).map_err(value)
}

/// A B-spline by knots, or by even ones over a duration.
pub(super) fn b_spline(
    robot: &PyRobot,
    points: &Bound<'_, PyAny>,
    degree: usize,
    knots: Option<Vec<f64>>,
    duration: Option<f64>,
) -> PyResult<JointCurve> {
    let rows = robot.path_rows(points, "control_points")?;
    let knots = match (knots, duration) {
        (Some(knots), None) => knots,
        (None, Some(duration)) if duration > 0.0 && duration.is_finite() => {
            JointCurve::clamped_knots(degree.min(9), rows.len(), duration)
        }
        (None, Some(duration)) => return Err(value(format!("duration {duration}: give seconds above 0"))),
        _ => return Err(value("give either knots or the duration of even ones")),
    };
    JointCurve::b_spline(degree, &knots, &by(&rows)).map_err(value)
}

/// Straight segments from rest to rest; limits are those of the robot where none are given.
pub(super) fn straight(
    robot: &PyRobot,
    path: &Bound<'_, PyAny>,
    profile: &str,
    [velocity, acceleration, jerk]: [Option<&Bound<'_, PyAny>>; 3],
) -> PyResult<JointCurve> {
    let profile = match profile {
        "trapezoidal" => Profile::Trapezoidal,
        "s-curve" => Profile::SCurve,
        other => return Err(value(format!("profile {other:?}: give \"trapezoidal\" or \"s-curve\""))),
    };
    let rows = robot.path_rows(path, "path")?;
    let mut limits = DriveLimits::of_robot(&robot.robot);
    if let Some(given) = velocity {
        robot.limit(given, "velocity")?.into_iter().for_each(|(k, limit)| limits.velocity[k] = limit);
    }
    if let Some(given) = acceleration {
        robot.limit(given, "acceleration")?.into_iter().for_each(|(k, limit)| limits.accelerate(k, limit));
    }
    if let Some(given) = jerk {
        robot.limit(given, "jerk")?.into_iter().for_each(|(k, limit)| limits.jerk[k] = limit);
    }
    drive_straight(&by(&rows), &limits, profile).map_err(value)
}

/// A trajectory file of any form.
pub(super) fn read(py: Python<'_>, robot: &PyRobot, path: &std::path::Path) -> PyResult<JointCurve> {
    let table = noli_project::load_trajectory(path, &robot.robot).map_err(crate::error::file)?;
    let lists = [("joints taken as 0", &table.assumed_zero), ("columns left aside", &table.ignored_columns)];
    for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        crate::error::warn(py, &format!("{}: {what}: {}", path.display(), names.join(", ")))?;
    }
    table.curve().map_err(|error| value(format!("{}: {error}", path.display())))
}
