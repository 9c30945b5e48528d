//! Configurations and joint paths in files: tables of comma-separated values, and trajectories as ROS writes
//! them in YAML or JSON.

use crate::error::suggestion;
use crate::motion::{JointMotion, JointMotionError};
use crate::text::{Lines, excerpt};
use crate::tree::{Movement, Robot};
use crate::{Fault, Place, RobotError};
use noli_geom::Pose;
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::sync::Arc;

/// Configurations, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTable {
    /// All variables of the robot, for each row.
    pub rows: Vec<Vec<f64>>,
    /// When each row is reached, in seconds, growing; `None` if the text says nothing of time.
    pub times: Option<Vec<f64>>,
    /// Variables the text says nothing of; they are 0, or follow by their law those that are given.
    pub assumed_zero: Vec<String>,
    /// Columns that are no variable.
    pub ignored_columns: Vec<String>,
    /// Where each row stands.
    pub places: Vec<Place>,
}

impl JointTable {
    /// The way through all rows, straight in joint space. Without times each stretch takes as long as its
    /// longest change.
    pub fn motion(&self, robot: Arc<Robot>, world_from_root: Pose) -> Result<JointMotion, JointMotionError> {
        let rows: Vec<&[f64]> = self.rows.iter().map(Vec::as_slice).collect();
        let mut ends = match &self.times {
            Some(times) => times.clone(),
            None => {
                let longest = |a: &[f64], b: &[f64]| {
                    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(f64::MIN_POSITIVE, f64::max)
                };
                let mut sum = 0.0;
                let later = rows.windows(2).map(|pair| {
                    sum += longest(pair[0], pair[1]);
                    sum
                });
                std::iter::once(0.0).chain(later).collect()
            }
        };
        if let (Some(&first), Some(&last)) = (ends.first(), ends.last()) {
            ends.iter_mut().for_each(|time| *time = (*time - first) / (last - first));
        }
        JointMotion::through(robot, world_from_root, &ends, &rows)
    }
}

const TIME_NAMES: [&str; 4] = ["time", "t", "time_s", "time_from_start"];

/// Which number of a configuration a name stands for, and its factor to radians or metres.
fn variable(robot: &Robot, name: &str) -> Option<(usize, f64)> {
    if let Some(number) = robot.variable(name) {
        return Some((number, 1.0));
    }
    let number = robot.variable(name.strip_suffix("_deg")?)?;
    (robot.variables()[number].movement == Movement::Turn).then_some((number, 1f64.to_radians()))
}

/// Reads a table of comma-separated values. Its first row names the columns: joints (radians and metres;
/// `NAME_deg` is in degrees), perhaps `time`; other columns may hold anything.
///
/// ```
/// let robot = noli_robot::puma560(noli_robot::PumaSet::Eaik);
/// let table = noli_robot::read_joint_csv("j1,j2_deg,note\n0.5,90,\"up, left\"\n", &robot)?;
/// assert_eq!(table.rows[0][1], std::f64::consts::FRAC_PI_2);
/// assert_eq!(table.ignored_columns, ["note"]);
/// let error = noli_robot::read_joint_csv("j1,j2\n0.5,O.7\n", &robot).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 5: row 1, column `j2`: `O.7` is not a finite number");
/// # Ok::<(), noli_robot::RobotError>(())
/// ```
pub fn read_joint_csv(text: &str, robot: &Robot) -> Result<JointTable, RobotError> {
    let lines = Lines::new(text)?;
    let mut cells = Cells { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    let mut heading = Vec::new();
    if !cells.row(&mut heading, &lines)? {
        let (what, place) = ("a row that names the columns".to_owned(), "the table".to_owned());
        return Err(RobotError::at(lines.place(0), Fault::Missing { what, place }));
    }
    let mut builder = Builder::new(robot);
    for (name, at) in &heading {
        builder.column(name.trim(), lines.place(*at))?;
    }
    builder.check_columns(lines.place(0))?;
    let mut row = Vec::new();
    while cells.row(&mut row, &lines)? {
        let place = lines.place(row[0].1);
        builder.begin_row(place);
        if row.len() != heading.len() {
            let (found, wanted) = (row.len(), heading.len());
            let fault = Fault::RowLength { row: builder.table.rows.len(), found, wanted };
            return Err(RobotError::at(place, fault));
        }
        for (column, (text, at)) in row.iter().enumerate() {
            builder.cell(column, text, || lines.place(*at))?;
        }
        builder.end_row(place)?;
    }
    Ok(builder.finish())
}

/// Cells with the bytes they begin at.
struct Cells<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cells<'a> {
    /// The next row that is not empty; false at the end.
    fn row(&mut self, row: &mut Vec<(String, usize)>, lines: &Lines<'a>) -> Result<bool, RobotError> {
        loop {
            if self.at >= self.text.len() {
                return Ok(false);
            }
            row.clear();
            while self.cell(row, lines)? {}
            let empty = row.len() == 1 && row[0].0.trim().is_empty();
            if !empty && !row[0].0.trim_start().starts_with('#') {
                return Ok(true);
            }
        }
    }

    /// Reads a cell; whether another follows on the row.
    fn cell(&mut self, row: &mut Vec<(String, usize)>, lines: &Lines<'a>) -> Result<bool, RobotError> {
        let start = self.at;
        let rest = &self.text[start..];
        let cell = if let Some(quoted) = rest.strip_prefix('"') {
            let mut cell = String::new();
            let mut from = 0;
            loop {
                let Some(end) = quoted[from..].find('"') else {
                    let reason = "a quotation mark is never closed".to_owned();
                    return Err(RobotError::at(
                        lines.place(start),
                        Fault::Syntax { format: "table", reason },
                    ));
                };
                cell.push_str(&quoted[from..from + end]);
                from += end + 1;
                if !quoted[from..].starts_with('"') {
                    break;
                }
                cell.push('"');
                from += 1;
            }
            self.at = start + 1 + from;
            // What stands behind the closing mark belongs to the cell.
            let tail = &self.text[self.at..];
            let end = tail.find([',', '\n']).unwrap_or(tail.len());
            cell.push_str(tail[..end].trim_end_matches('\r'));
            self.at += end;
            cell
        } else {
            let end = rest.find([',', '\n']).unwrap_or(rest.len());
            self.at = start + end;
            rest[..end].trim_end_matches('\r').to_owned()
        };
        row.push((cell, start));
        let more = self.text[self.at..].starts_with(',');
        self.at += usize::from(self.at < self.text.len());
        // A comma at the very end begins one more cell.
        if more && self.at >= self.text.len() {
            row.push((String::new(), self.at));
            return Ok(false);
        }
        Ok(more)
    }
}

/// What a column holds.
#[derive(Clone)]
enum Holds {
    Variable(usize, f64, String),
    Time(String),
    Else,
}

/// A table being read.
struct Builder<'a> {
    robot: &'a Robot,
    columns: Vec<Holds>,
    given: Vec<bool>,
    times: Vec<f64>,
    table: JointTable,
}

impl<'a> Builder<'a> {
    fn new(robot: &'a Robot) -> Self {
        let given = vec![false; robot.variables().len()];
        Self { robot, columns: Vec::new(), given, times: Vec::new(), table: JointTable::default() }
    }

    fn column(&mut self, name: &str, place: Place) -> Result<(), RobotError> {
        let holds = if let Some((number, factor)) = variable(self.robot, name) {
            if std::mem::replace(&mut self.given[number], true) {
                let fault = Fault::Duplicate { what: "column", name: excerpt(name) };
                return Err(RobotError::at(place, fault));
            }
            Holds::Variable(number, factor, name.to_owned())
        } else if TIME_NAMES.contains(&name) && !self.has_time() {
            Holds::Time(name.to_owned())
        } else {
            self.table.ignored_columns.push(name.to_owned());
            Holds::Else
        };
        self.columns.push(holds);
        Ok(())
    }

    fn has_time(&self) -> bool {
        self.columns.iter().any(|column| matches!(column, Holds::Time(_)))
    }

    /// Refuses a table without any joint.
    fn check_columns(&mut self, place: Place) -> Result<(), RobotError> {
        let names = || self.robot.variables().iter().map(|variable| variable.name.as_str());
        if !self.given.contains(&true) {
            let name = self.table.ignored_columns.first().map_or("", String::as_str);
            let hint = suggestion(name, names());
            let joints = names().map(str::to_owned).collect();
            let fault = Fault::NoJointColumn { first: excerpt(name), hint, joints };
            return Err(RobotError::at(place, fault));
        }
        let missing = names().zip(&self.given).filter(|(_, given)| !**given);
        self.table.assumed_zero = missing.map(|(name, _)| name.to_owned()).collect();
        Ok(())
    }

    fn begin_row(&mut self, place: Place) {
        self.table.rows.push(vec![0.0; self.given.len()]);
        self.table.places.push(place);
    }

    fn cell(&mut self, column: usize, text: &str, place: impl Fn() -> Place) -> Result<(), RobotError> {
        let row = self.table.rows.len();
        let number = |name: &str| {
            let value: Option<f64> = text.trim().parse().ok();
            value.filter(|value| value.is_finite()).ok_or_else(|| {
                let fault = Fault::Cell { row, column: excerpt(name), text: excerpt(text) };
                RobotError::at(place(), fault)
            })
        };
        match &self.columns[column] {
            Holds::Else => {}
            Holds::Time(name) => self.times.push(number(name)?),
            Holds::Variable(variable, factor, name) => {
                let value = number(name)? * factor;
                self.table.rows[row - 1][*variable] = value;
            }
        }
        Ok(())
    }

    /// Lets what is not given follow its law, and checks that values and times are such.
    fn end_row(&mut self, place: Place) -> Result<(), RobotError> {
        let row = self.table.rows.len();
        let values = &mut self.table.rows[row - 1];
        for (number, variable) in self.robot.variables().iter().enumerate() {
            if let Some(law) = variable.mimic.filter(|_| !self.given[number]) {
                values[number] = law.multiplier * values[law.of] + law.offset;
            }
        }
        if let Err(error) = self.robot.check_values(values) {
            return Err(RobotError::at(place, Fault::Row { row, error }));
        }
        // Times are finite.
        if let [.., before, time] = self.times[..]
            && time <= before
        {
            return Err(RobotError::at(place, Fault::TimeOrder { row, time, before }));
        }
        Ok(())
    }

    fn finish(mut self) -> JointTable {
        self.table.times = self.has_time().then_some(self.times);
        self.table
    }
}

/// Reads a trajectory as ROS writes it, in YAML or JSON: `joint_names` and `points` with `positions` and
/// `time_from_start`, at the top or in a `joint_trajectory`; or the `name` and `position` of one state.
///
/// ```
/// let robot = noli_robot::puma560(noli_robot::PumaSet::Eaik);
/// let text = "joint_names: [j1, j2]\npoints:\n\
///     - positions: [0.0, 0.0]\n  time_from_start: {sec: 0, nanosec: 0}\n\
///     - positions: [0.5, -1.0]\n  time_from_start: {sec: 1, nanosec: 500000000}\n";
/// let table = noli_robot::read_trajectory(text, &robot)?;
/// assert_eq!(table.times, Some(vec![0.0, 1.5]));
/// # Ok::<(), noli_robot::RobotError>(())
/// ```
pub fn read_trajectory(text: &str, robot: &Robot) -> Result<JointTable, RobotError> {
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
        match inner.iter().find_map(|key| at.get(key)) {
            Some(Node { value: Value::List(items), .. }) if !items.is_empty() => at = &items[0],
            Some(next) => at = next,
            None => break,
        }
    }
    let mut builder = Builder::new(robot);
    if let Some(names) = at.get("joint_names") {
        builder.names(names)?;
        read_points(at, &mut builder)?;
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

fn read_points(trajectory: &Node, builder: &mut Builder<'_>) -> Result<(), RobotError> {
    let points = trajectory.need("points")?.list("points")?;
    let timed = points.first().is_some_and(|point| point.get("time_from_start").is_some());
    if timed {
        builder.columns.push(Holds::Time("time_from_start".to_owned()));
    }
    for point in points {
        builder.begin_row(point.place);
        let positions = point.need("positions")?;
        builder.list(positions, "positions")?;
        if timed {
            builder.times.push(seconds(point.need("time_from_start")?)?);
        }
        builder.end_row(point.place)?;
    }
    Ok(())
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
    fn names(&mut self, names: &Node) -> Result<(), RobotError> {
        for name in names.list("joint_names")? {
            let Value::Scalar(text) = &name.value else { return Err(name.wrong("a joint's name", "a name")) };
            // A column called `time` would be a joint's here.
            if variable(self.robot, text).is_none() {
                self.table.ignored_columns.push(text.clone());
                self.columns.push(Holds::Else);
            } else {
                self.column(text, name.place)?;
            }
        }
        self.check_columns(names.place)
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

/// A value of YAML, where it stands.
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

pub(crate) enum Value {
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub(crate) fn need(&self, key: &str) -> Result<&Node, RobotError> {
        self.get(key).ok_or_else(|| self.missing(&format!("`{key}`")))
    }

    pub(crate) fn list(&self, what: &str) -> Result<&[Node], RobotError> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong(what, "a list")),
        }
    }

    pub(crate) fn number(&self, what: &str) -> Result<f64, RobotError> {
        let number = match &self.value {
            Value::Scalar(text) => text.parse::<f64>().ok().filter(|value| value.is_finite()),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(what, "a finite number"))
    }

    pub(crate) fn text(&self, what: &str) -> Result<String, RobotError> {
        match &self.value {
            Value::Scalar(text) => Ok(text.clone()),
            _ => Err(self.wrong(what, "a word")),
        }
    }

    pub(crate) fn missing(&self, what: &str) -> RobotError {
        let fault = Fault::Missing { what: what.to_owned(), place: "the trajectory".to_owned() };
        RobotError::at(self.place, fault)
    }

    pub(crate) fn wrong(&self, what: &str, wanted: &str) -> RobotError {
        let text = match &self.value {
            Value::Scalar(text) => excerpt(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a table".to_owned(),
        };
        let fault = Fault::NotANumber { what: format!("`{what}`"), text, wanted: wanted.to_owned() };
        RobotError::at(self.place, fault)
    }
}

/// Deeper than any message is nested.
const MAX_DEPTH: usize = 64;

/// The first document of a text; more than one is refused, but an empty one behind it is not.
pub(crate) fn parse(text: &str) -> Result<Node, RobotError> {
    let mut open: Vec<(Node, Option<String>)> = Vec::new();
    let mut root: Option<Node> = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let mark = error.marker();
            let place = Place { line: mark.line() as u32, column: mark.col() as u32 + 1 };
            let reason = error.info().to_owned();
            RobotError::at(place, Fault::Syntax { format: "YAML or JSON", reason })
        })?;
        let place = Place { line: span.start.line() as u32, column: span.start.col() as u32 + 1 };
        let refuse =
            |what: &str, remedy| Err(RobotError::at(place, Fault::Refused { what: what.into(), remedy }));
        let done = match event {
            Event::Scalar(text, style, ..) => {
                let blank = text.is_empty() || (text == "~" && style == ScalarStyle::Plain);
                if open.is_empty() && root.is_some() && blank {
                    continue;
                }
                Node { place, value: Value::Scalar(text.into_owned()) }
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= MAX_DEPTH {
                    return refuse("nesting deeper than 64", "flatten the text");
                }
                let list = matches!(event, Event::SequenceStart(..));
                let value = if list { Value::List(Vec::new()) } else { Value::Map(Vec::new()) };
                open.push((Node { place, value }, None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((node, _)) => node,
                None => continue,
            },
            Event::Alias(_) => return refuse("an alias", "write the value out"),
            _ => continue,
        };
        match open.last_mut() {
            None if root.is_some() => {
                let fault =
                    Fault::Refused { what: "a second document".into(), remedy: "give one trajectory a file" };
                return Err(RobotError::at(done.place, fault));
            }
            None => root = Some(done),
            Some((Node { value: Value::List(items), .. }, _)) => items.push(done),
            Some((Node { value: Value::Map(entries), .. }, key)) => match key.take() {
                Some(key) => entries.push((key, done)),
                None => match done.value {
                    Value::Scalar(name) => *key = Some(name),
                    _ => return refuse("a key that is not a word", "use plain keys"),
                },
            },
            Some((Node { value: Value::Scalar(_), .. }, _)) => {}
        }
    }
    root.ok_or_else(|| {
        let (what, place) = ("a trajectory".to_owned(), "the text".to_owned());
        RobotError::at(Place { line: 1, column: 1 }, Fault::Missing { what, place })
    })
}
