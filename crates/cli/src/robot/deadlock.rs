//! Programs that wait for each other's signals without end.

use super::coordinate::program::Program;
use noli_program::{Expression, Op, RunFault};
use noli_project::report::RunReport;
use serde::Serialize;

/// A program that waits without end.
#[derive(Serialize)]
pub(super) struct Stuck {
    /// Counted from 1.
    pub(super) robot: usize,
    line: u32,
    text: String,
    /// Begin of the wait.
    time_s: f64,
    /// Signals of its condition; negative ones are to be off.
    signals: Vec<i64>,
    /// Those of them that no other program has set.
    never_set: Vec<i64>,
    /// Statements of other programs that set one of those, and were not reached.
    not_reached: Vec<Setter>,
}

/// A statement that sets a signal.
#[derive(Serialize)]
struct Setter {
    signal: i64,
    /// Counted from 1.
    robot: usize,
    line: u32,
}

/// The programs that wait without end.
pub(super) fn of(programs: &[Program]) -> Vec<Stuck> {
    let others = |robot: usize| programs.iter().enumerate().filter(move |(number, _)| *number != robot);
    let is_set = |robot: usize, signal: i64| {
        let number = signal.unsigned_abs();
        let mut changes = others(robot).flat_map(|(_, other)| &other.run.signals);
        changes.any(|change| change.output && u64::from(change.signal) == number && change.on == (signal > 0))
    };
    let stuck = |(robot, program): (usize, &Program)| {
        let error = program.run.outcome.as_ref().err()?;
        let RunFault::WaitsForEver(signals) = &error.fault else { return None };
        let never_set: Vec<i64> = signals.iter().copied().filter(|&signal| !is_set(robot, signal)).collect();
        let setters = |&signal: &i64| {
            others(robot).filter_map(move |(number, other)| {
                Some(Setter { signal, robot: number + 1, line: setting_line(other, signal)? })
            })
        };
        Some(Stuck {
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
fn setting_line(program: &Program, signal: i64) -> Option<u32> {
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

/// Describes a deadlock: who waits where and since when, and which statement would end it.
pub(super) fn message(stuck: &[Stuck], programs: &[RunReport]) -> String {
    let file = |robot: usize| programs.get(robot - 1).map_or("", |program| &program.program);
    let one = |stuck: &Stuck| {
        let reasons: Vec<String> = stuck.signals.iter().map(|&signal| reason(stuck, signal, &file)).collect();
        let Stuck { robot, line, text, time_s, .. } = stuck;
        let wanted = match &reasons[..] {
            [] => "a condition that no signal changes".to_owned(),
            reasons => reasons.join(", and for "),
        };
        format!("robot {robot} waits from {time_s:.3} s on in {}:{line}: `{text}` for {wanted}", file(*robot))
    };
    format!(
        "deadlock: {}; change the order of the statements, or let another program set the signal",
        stuck.iter().map(one).collect::<Vec<_>>().join("; ")
    )
}

/// Describes a signal that a program waits for, and why it does not come.
fn reason<'f>(stuck: &Stuck, signal: i64, file: &impl Fn(usize) -> &'f str) -> String {
    let (number, word) = (signal.unsigned_abs(), if signal > 0 { "on" } else { "off" });
    let describe = |Setter { robot, line, .. }: &Setter| {
        format!("robot {robot} sets it in {}:{line}, which it has not reached", file(*robot))
    };
    let setters = stuck.not_reached.iter().filter(|setter| setter.signal == signal);
    let setters: Vec<String> = setters.map(describe).collect();
    let why = match &setters[..] {
        [] if stuck.never_set.contains(&signal) => format!("no other program sets signal {number} {word}"),
        [] => "it was so before, and no longer is".to_owned(),
        setters => setters.join(", "),
    };
    format!("signal {number} to be {word} ({why})")
}
