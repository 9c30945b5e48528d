//! A table of configurations while its rows are read.

use super::JointTable;
use crate::message::{excerpt, suggestion};
use crate::tree::{JointAxisKind, Robot};
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
    Else,
}

/// A table being read.
pub(super) struct Builder<'a> {
    pub(super) robot: &'a Robot,
    pub(super) columns: Vec<Holds>,
    given: Vec<bool>,
    pub(super) times: Vec<f64>,
    pub(super) table: JointTable,
}

impl<'a> Builder<'a> {
    pub(super) fn new(robot: &'a Robot) -> Self {
        let given = vec![false; robot.variables().len()];
        Self { robot, columns: Vec::new(), given, times: Vec::new(), table: JointTable::default() }
    }

    pub(super) fn column(&mut self, name: &str, place: Place) -> Result<(), RobotError> {
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

    /// Refuses a table without any joint of a robot that has some.
    pub(super) fn check_columns(&mut self, place: Place) -> Result<(), RobotError> {
        let names = || self.robot.variables().iter().map(|variable| variable.name.as_str());
        // A robot without a moving joint has one configuration, whatever the columns are.
        if !self.given.contains(&true) && !self.given.is_empty() {
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

    pub(super) fn begin_row(&mut self, place: Place) {
        self.table.rows.push(vec![0.0; self.given.len()]);
        self.table.places.push(place);
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
            Holds::Variable(variable, factor, name) => {
                let value = number(name)? * factor;
                self.table.rows[row - 1][*variable] = value;
            }
        }
        Ok(())
    }

    /// Lets what is not given follow its law, and checks that values and times are such.
    pub(super) fn end_row(&mut self, place: Place) -> Result<(), RobotError> {
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

    pub(super) fn finish(mut self) -> JointTable {
        self.table.times = self.has_time().then_some(self.times);
        self.table
    }
}
