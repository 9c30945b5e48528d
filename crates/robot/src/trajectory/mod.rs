//! Configurations and joint paths in files: tables of comma-separated values, and trajectories as ROS writes
//! them in YAML or JSON.

#[allow(
    clippy::indexing_slicing,
    reason = "variables of the robot by its own numbers, columns by theirs, two orders of rates"
)]
mod builder;
mod csv;
mod driven;
mod form;

pub use driven::Interpolation;
pub use form::Form;

use crate::motion::{JointMotion, JointMotionError};
use crate::tree::Robot;
use crate::yaml::{Node, Value, parse};
use crate::{Fault, Place, RobotError};
use builder::{Builder, Holds, variable};
use noli_geom::Pose;
use std::sync::Arc;

/// Configurations, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointTable {
    /// All variables of the robot, for each row.
    pub rows: Vec<Vec<f64>>,
    /// Increasing times of the rows, in seconds; `None` if the text gives no times.
    pub times: Option<Vec<f64>>,
    /// Velocities of all variables for each row, empty for rows without; empty if no row has any.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub velocities: Vec<Vec<f64>>,
    /// Accelerations, likewise.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub accelerations: Vec<Vec<f64>>,
    /// Independent variables missing in the text; they are 0.
    pub assumed_zero: Vec<String>,
    /// Columns that are not variables, of names unlike theirs.
    pub ignored_columns: Vec<String>,
    /// Position of each row in the text.
    pub places: Vec<Place>,
    /// How the rows are driven.
    #[cfg_attr(feature = "serde", serde(default))]
    pub form: Form,
}

impl JointTable {
    /// Returns the path through all rows, straight in joint space. Without times each segment takes as long as its
    /// largest change.
    pub fn motion(&self, robot: Arc<Robot>, world_from_root: Pose) -> Result<JointMotion, JointMotionError> {
        let rows: Vec<&[f64]> = self.rows.iter().map(Vec::as_slice).collect();
        let mut ends = self.ends();
        if let (Some(&first), Some(&last)) = (ends.first(), ends.last()) {
            ends.iter_mut().for_each(|time| *time = (*time - first) / (last - first));
        }
        JointMotion::through(robot, world_from_root, &ends, &rows)
    }

    /// The times of all rows; without any each segment takes as long as its largest change.
    fn ends(&self) -> Vec<f64> {
        if let Some(times) = &self.times {
            return times.clone();
        }
        let longest = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(f64::MIN_POSITIVE, f64::max)
        };
        let mut sum = 0.0;
        let later = self.rows.array_windows().map(|[a, b]| {
            sum += longest(a, b);
            sum
        });
        std::iter::once(0.0).chain(later).take(self.rows.len()).collect()
    }
}

impl JointTable {
    /// Reads a trajectory as ROS writes it, in YAML or JSON: `joint_names` and `points` with `positions`,
    /// `velocities`, `accelerations` and `time_from_start`, at the top or in a `joint_trajectory`; or the `name` and `position` of one state.
    /// Next to the names, `interpolation` or `profile` may give another [form](Form) of motion.
    ///
    /// ```
    /// let robot = noli_robot::puma560(noli_robot::PumaSet::Eaik);
    /// let text = "joint_names: [j1, j2]\npoints:\n\
    ///     - positions: [0.0, 0.0]\n  time_from_start: {sec: 0, nanosec: 0}\n\
    ///     - positions: [0.5, -1.0]\n  time_from_start: {sec: 1, nanosec: 500000000}\n";
    /// let table = noli_robot::JointTable::from_trajectory_str(text, &robot)?;
    /// assert_eq!(table.times, Some(vec![0.0, 1.5]));
    /// # Ok::<(), noli_robot::RobotError>(())
    /// ```
    pub fn from_trajectory_str(text: &str, robot: &Robot) -> Result<Self, RobotError> {
        if text.len() > crate::text::MAX_TEXT {
            return Err(Fault::TooLong { most: crate::text::MAX_TEXT }.into());
        }
        let root = parse(text)?;
        let inner = ["joint_trajectory", "trajectory", "joint_state", "start_state", "robot_trajectory"];
        let mut at = &root;
        // As deep as such messages are nested.
        for _ in 0..4 {
            if at.get("joint_names").is_some() || at.get("name").is_some() {
                break;
            }
            let next = inner.iter().find_map(|key| at.get(key));
            // A form that is left aside would be another motion.
            if let Some(node) = form::NAMING.iter().find_map(|key| at.get(key)).filter(|_| next.is_some()) {
                let remedy = "put it beside `joint_names`";
                return Err(form::refused(node, "the form of a trajectory outside of it", remedy));
            }
            match next {
                Some(next) => {
                    at = match &next.value {
                        Value::List(items) => items.first().unwrap_or(next),
                        _ => next,
                    }
                }
                None => break,
            }
        }
        let mut builder = Builder::new(robot);
        if let Some(names) = at.get("joint_names") {
            builder.names(names)?;
            return form::read(at, builder);
        } else if let Some(names) = at.get("name") {
            builder.names(names)?;
            let position = at.need("position")?;
            builder.begin_row(position.place);
            builder.list(position, "position")?;
            builder.end_row(position.place)?;
        } else {
            return Err(at.missing("`joint_names` with `points`, or `name` with `position`,"));
        }
        Ok(builder.finish())
    }
}

fn read_points(trajectory: &Node, builder: &mut Builder<'_>) -> Result<(), RobotError> {
    let points = trajectory.need("points")?.list("points")?;
    let timed = points.first().is_some_and(|point| point.get("time_from_start").is_some());
    if timed {
        builder.columns.push(Holds::Time("time_from_start".to_owned()));
    }
    for point in points {
        builder.begin_row(point.place);
        builder.list(positions(point)?, "positions")?;
        if timed {
            builder.times.push(seconds(point.need("time_from_start")?)?);
        }
        builder.end_row(point.place)?;
        for (what, order) in ["velocities", "accelerations"].into_iter().zip(0..) {
            let given = point.get(what).filter(|node| is_given(node));
            let rates = given.map_or(Ok(Vec::new()), |node| builder.rates(node, what))?;
            builder.push_rates(order, rates);
        }
    }
    Ok(())
}

/// Adds rows that have positions alone.
fn add_rows(points: &[Node], builder: &mut Builder<'_>) -> Result<(), RobotError> {
    for point in points {
        builder.begin_row(point.place);
        builder.list(positions(point)?, "positions")?;
        builder.end_row(point.place)?;
    }
    Ok(())
}

/// The positions of a point, which may be a list of them.
fn positions(point: &Node) -> Result<&Node, RobotError> {
    match point.value {
        Value::List(_) => Ok(point),
        _ => point.need("positions"),
    }
}

/// ROS writes lists that are not given as empty ones.
fn is_given(node: &Node) -> bool {
    !matches!(&node.value, Value::List(items) if items.is_empty())
}

/// A duration: a number, or seconds and nanoseconds as either generation of ROS calls them.
fn seconds(node: &Node) -> Result<f64, RobotError> {
    if let Value::Scalar(_) = node.value {
        return node.number("time_from_start");
    }
    let part = |names: [&str; 2]| match names.iter().find_map(|name| node.get(name)) {
        Some(part) => part.number(names[0]),
        None => Ok(0.0),
    };
    Ok(part(["sec", "secs"])? + part(["nanosec", "nsecs"])? * 1e-9)
}

impl Builder<'_> {
    /// Names of joints; one that the robot has not is refused, as what is driven would be another motion.
    fn names(&mut self, names: &Node) -> Result<(), RobotError> {
        for name in names.list("joint_names")? {
            let Value::Scalar(text) = &name.value else { return Err(name.wrong("a joint's name", "a name")) };
            // A column called `time` would be a joint's here.
            if variable(self.robot, text).is_none() {
                return Err(self.no_such_joint(text, name.place));
            }
            self.column(text, name.place)?;
        }
        self.check_columns(names.place)
    }

    /// Derivatives of all variables; followers have those of the variable they follow.
    fn rates(&self, node: &Node, what: &str) -> Result<Vec<f64>, RobotError> {
        let items = node.list(what)?;
        let columns: Vec<&Holds> =
            self.columns.iter().filter(|column| !matches!(column, Holds::Time(_))).collect();
        if items.len() != columns.len() {
            let (row, found, wanted) = (self.table.rows.len(), items.len(), columns.len());
            return Err(RobotError::at(node.place, Fault::RowLength { row, found, wanted }));
        }
        let mut rates = vec![0.0; self.robot.variables().len()];
        for (column, item) in columns.iter().zip(items) {
            if let Holds::Variable(variable, factor, _) = column {
                let rate = item.number(what)? * factor;
                rates.get_mut(*variable).into_iter().for_each(|own| *own = rate);
            }
        }
        self.follow(&mut rates, |_| 0.0);
        Ok(rates)
    }

    fn list(&mut self, node: &Node, what: &str) -> Result<(), RobotError> {
        let items = node.list(what)?;
        let wanted = self.columns.iter().filter(|column| !matches!(column, Holds::Time(_))).count();
        if items.len() != wanted {
            let fault = Fault::RowLength { row: self.table.rows.len(), found: items.len(), wanted };
            return Err(RobotError::at(node.place, fault));
        }
        for (column, item) in items.iter().enumerate() {
            match &item.value {
                Value::Scalar(text) => self.cell(column, text, || item.place)?,
                _ => return Err(item.wrong(what, "a number")),
            }
        }
        Ok(())
    }
}
