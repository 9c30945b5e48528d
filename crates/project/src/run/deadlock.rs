//! Programs that wait for each other's signals without end.

use super::robot_program::RobotProgram;
use crate::report::several::{SetterReport, StuckReport};
use noli_program::{Expression, Op, RunFault};

/// The programs that wait without end.
pub(super) fn deadlock(programs: &[RobotProgram]) -> Vec<StuckReport> {
    let others = |robot: usize| programs.iter().enumerate().filter(move |(number, _)| *number != robot);
    let is_set = |robot: usize, signal: i64| {
        let number = signal.unsigned_abs();
        let mut changes = others(robot).flat_map(|(_, other)| &other.run.signals);
        changes.any(|change| change.output && u64::from(change.signal) == number && change.on == (signal > 0))
    };
    let stuck = |(robot, program): (usize, &RobotProgram)| {
        let error = program.run.outcome.as_ref().err()?;
        let RunFault::WaitsForEver(signals) = &error.fault else { return None };
        let never_set: Vec<i64> = signals.iter().copied().filter(|&signal| !is_set(robot, signal)).collect();
        let setters = |&signal: &i64| {
            others(robot).filter_map(move |(number, other)| {
                Some(SetterReport { signal, robot: number + 1, line: setting_line(other, signal)? })
            })
        };
        Some(StuckReport {
            robot: robot + 1,
            line: error.place.line,
            text: program.source.line(error.place.line),
            time_s: error.time,
            signals: signals.clone(),
            not_reached: never_set.iter().flat_map(setters).collect(),
            never_set,
        })
    };
    programs.iter().enumerate().filter_map(stuck).collect()
}

/// The first line of a program with a statement that sets a signal given as a number.
fn setting_line(program: &RobotProgram, signal: i64) -> Option<u32> {
    let is_it = |expression: &Expression| constant(expression).is_some_and(|value| value == signal as f64);
    let lines = program.source.programs.list.iter().flat_map(|one| &one.lines);
    let setting = lines.filter(|line| match &line.op {
        Op::Signal(all) => all.iter().any(is_it),
        Op::Reset => signal < 0,
        _ => false,
    });
    setting.map(|line| line.place.line).min()
}

/// The value of a number as written.
fn constant(expression: &Expression) -> Option<f64> {
    match expression {
        Expression::Number(value) => Some(*value),
        Expression::Negative(inner) => constant(inner).map(|value| -value),
        _ => None,
    }
}
