//! A table of configurations while its rows are read.

use super::JointTable;
use crate::message::{excerpt, suggestion};
use crate::tree::{JointAxisKind, MimicRelation, Robot};
use crate::{Fault, Place, RobotError};

const TIME_NAMES: [&str; 4] = ["time", "t", "time_s", "time_from_start"];

/// Returns the index of a named variable in a configuration, and its factor to radians or metres.
pub(super) fn variable(robot: &Robot, name: &str) -> Option<(usize, f64)> {
    if let Some(number) = robot.variable(name) {
        return Some((number, 1.0));
    }
    let number = robot.variable(name.strip_suffix("_deg")?)?;
    (robot.variables()[number].movement == JointAxisKind::Turn).then_some((number, 1f64.to_radians()))
}

/// Content of a column.
#[derive(Clone)]
pub(super) enum Holds {
    Variable(usize, f64, String),
    Time(String),
    /// A velocity (0) or an acceleration (1) of a variable.
    Rate(usize, usize, f64, String),
    Else,
}

/// Ends of the names of columns with velocities and accelerations.
const RATES: [&str; 2] = ["_velocity", "_acceleration"];

/// A table being read.
pub(super) struct Builder<'a> {
    pub(super) robot: &'a Robot,
    pub(super) columns: Vec<Holds>,
    given: Vec<bool>,
    pub(super) times: Vec<f64>,
    /// Velocities and accelerations of the rows.
    pub(super) rates: [Vec<Vec<f64>>; 2],
    pub(super) table: JointTable,
}

impl<'a> Builder<'a> {
    pub(super) fn new(robot: &'a Robot) -> Self {
        let given = vec![false; robot.variables().len()];
        Self {
            robot,
            columns: Vec::new(),
            given,
            times: Vec::new(),
            rates: Default::default(),
            table: JointTable::default(),
        }
    }

    pub(super) fn column(&mut self, name: &str, place: Place) -> Result<(), RobotError> {
        let holds = if let Some((number, factor)) = variable(self.robot, name) {
            if std::mem::replace(&mut self.given[number], true) {
                let fault = Fault::Duplicate { what: "column", name: excerpt(name) };
                return Err(RobotError::at(place, fault));
            }
            Holds::Variable(number, factor, name.to_owned())
        } else if let Some((order, (number, factor))) = self.rate(name) {
            Holds::Rate(order, number, factor, name.to_owned())
        } else if TIME_NAMES.contains(&name) && !self.has_time() {
            Holds::Time(name.to_owned())
        } else if self.resembles_joint(name) {
            return Err(self.no_such_joint(name, place));
        } else {
            self.table.ignored_columns.push(name.to_owned());
            Holds::Else
        };
        self.columns.push(holds);
        Ok(())
    }

    /// Returns `true` if a column that is none of the robot's joints is named like one: a misspelt joint, or one of
    /// another robot. A motion without it would not be the one of the file.
    fn resembles_joint(&self, name: &str) -> bool {
        let ends = RATES.iter().copied().chain(["_deg"]);
        let plain = ends.fold(name, |name, end| name.strip_suffix(end).unwrap_or(name));
        plain.len() > 1 && !suggestion(plain, self.joint_names()).is_empty()
    }

    fn joint_names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.robot.variables().iter().map(|variable| variable.name.as_str())
    }

    pub(super) fn no_such_joint(&self, name: &str, place: Place) -> RobotError {
        let hint = suggestion(name, self.joint_names());
        let fault = Fault::NoSuch { user: "heading".to_owned(), what: "joint", name: excerpt(name), hint };
        RobotError::at(place, fault)
    }

    /// The order and the variable of a column of rates: `NAME_velocity` or `NAME_deg_acceleration`.
    fn rate(&self, name: &str) -> Option<(usize, (usize, f64))> {
        let of =
            |order: usize| variable(self.robot, name.strip_suffix(RATES[order])?).map(|found| (order, found));
        of(0).or_else(|| of(1))
    }

    /// Refuses velocities or accelerations of some joints but not of all that have positions.
    fn check_rates(&self, place: Place) -> Result<(), RobotError> {
        for (order, end) in RATES.iter().enumerate() {
            let has = |number: usize| {
                self.columns.iter().any(|column| {
                    matches!(column, Holds::Rate(found, variable, ..) if (*found, *variable) == (order, number))
                })
            };
            if !(0..self.given.len()).any(has) {
                continue;
            }
            if let Some(number) = (0..self.given.len()).find(|&number| self.given[number] && !has(number)) {
                let what = format!("column `{}{end}`", self.robot.variables()[number].name);
                let place_name = "the table, which has that of other joints".to_owned();
                return Err(RobotError::at(place, Fault::Missing { what, place: place_name }));
            }
        }
        Ok(())
    }

    fn has_rates(&self, order: usize) -> bool {
        self.columns.iter().any(|column| matches!(column, Holds::Rate(found, ..) if *found == order))
    }

    fn has_time(&self) -> bool {
        self.columns.iter().any(|column| matches!(column, Holds::Time(_)))
    }

    /// Refuses a table without any joint of a robot that has some.
    pub(super) fn check_columns(&mut self, place: Place) -> Result<(), RobotError> {
        // A robot without a moving joint has one configuration, whatever the columns are.
        if !self.given.contains(&true) && !self.given.is_empty() {
            let name = self.table.ignored_columns.first().map_or("", String::as_str);
            let hint = suggestion(name, self.joint_names());
            let joints = self.joint_names().map(str::to_owned).collect();
            let fault = Fault::NoJointColumn { first: excerpt(name), hint, joints };
            return Err(RobotError::at(place, fault));
        }
        let missing = self.robot.variables().iter().zip(&self.given);
        let missing = missing.filter(|(variable, given)| !**given && variable.mimic.is_none());
        self.table.assumed_zero = missing.map(|(variable, _)| variable.name.clone()).collect();
        self.check_rates(place)
    }

    pub(super) fn begin_row(&mut self, place: Place) {
        self.table.rows.push(vec![0.0; self.given.len()]);
        for order in (0..2).filter(|&order| self.has_rates(order)).collect::<Vec<_>>() {
            self.rates[order].push(vec![0.0; self.given.len()]);
        }
        self.table.places.push(place);
    }

    /// Adds the rates of a row: velocities are of order 0, accelerations of order 1.
    pub(super) fn push_rates(&mut self, order: usize, rates: Vec<f64>) {
        self.rates[order].push(rates);
    }

    pub(super) fn cell(
        &mut self,
        column: usize,
        text: &str,
        place: impl Fn() -> Place,
    ) -> Result<(), RobotError> {
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
            Holds::Rate(order, variable, factor, name) => {
                let value = number(name)? * factor;
                if let Some(rates) = self.rates[*order].last_mut() {
                    rates[*variable] = value;
                }
            }
            Holds::Variable(variable, factor, name) => {
                let value = number(name)? * factor;
                if let Some(values) = self.table.rows.last_mut() {
                    values[*variable] = value;
                }
            }
        }
        Ok(())
    }

    /// Lets what is not given follow its law, and checks that values and times are such.
    pub(super) fn end_row(&mut self, place: Place) -> Result<(), RobotError> {
        let row = self.table.rows.len();
        let mut values = self.table.rows.pop().unwrap_or_default();
        self.follow(&mut values, |law| law.offset);
        let checked = self.robot.check_values(&values);
        self.table.rows.push(values);
        for order in (0..2).filter(|&order| self.has_rates(order)).collect::<Vec<_>>() {
            let mut rates = self.rates[order].pop().unwrap_or_default();
            self.follow(&mut rates, |_| 0.0);
            self.rates[order].push(rates);
        }
        if let Err(error) = checked {
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

    /// Lets what is not given follow its law.
    pub(super) fn follow(&self, values: &mut [f64], offset: impl Fn(&MimicRelation) -> f64) {
        for (number, variable) in self.robot.variables().iter().enumerate() {
            if let Some(law) = variable.mimic.filter(|_| !self.given[number]) {
                values[number] = law.multiplier * values[law.of] + offset(&law);
            }
        }
    }

    pub(super) fn finish(mut self) -> JointTable {
        let [velocities, accelerations] =
            self.rates.map(|rates| match rates.iter().any(|row| !row.is_empty()) {
                true => rates,
                false => Vec::new(),
            });
        (self.table.velocities, self.table.accelerations) = (velocities, accelerations);
        let timed = self.columns.iter().any(|column| matches!(column, Holds::Time(_)));
        self.table.times = timed.then_some(self.times);
        self.table
    }
}
