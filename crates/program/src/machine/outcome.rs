//! Results of runs.

use noli_robot::IkError;
use noli_robot::Place;
use std::borrow::Cow;
use std::fmt;

/// Error that ended a run, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// The program.
    pub program: String,
    /// The line.
    pub place: Place,
    /// Time in seconds.
    pub time: f64,
    /// Number of executed statements.
    pub steps: u64,
    /// Reason.
    pub fault: RunFault,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}`, {:.3} s: {}", self.place, self.program, self.time, self.fault)
    }
}

impl std::error::Error for RunError {}

/// Cause of a failed run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunFault {
    /// The program does not exist.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// A variable without a value.
    #[error("the variable `{0}` has no value; assign one first")]
    NoValue(String),
    /// A location without a value.
    #[error("the location `{0}` is not known; teach it or SET it first")]
    NoLocation(String),
    /// An element without a value, of an array with others.
    #[error(
        "`{name}` has no value: the array has elements from {least} to {most}; check the index, or assign it first"
    )]
    NoElement {
        /// The element.
        name: String,
        /// The smallest index with a value.
        least: i64,
        /// The largest one.
        most: i64,
    },
    /// A number that is not one.
    #[error("{0}")]
    Arithmetic(&'static str),
    /// A number out of its range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// Of what.
        what: Cow<'static, str>,
        /// The value.
        value: f64,
        /// Permitted range.
        range: Cow<'static, str>,
    },
    /// Joint values where a transformation is needed.
    #[error("{found} joint values, the arm has {wanted}")]
    JointCount {
        /// Actual count.
        found: usize,
        /// Number of joints.
        wanted: usize,
    },
    /// The arm cannot get there.
    #[error("the location cannot be reached: {0}")]
    Unreachable(IkError),
    /// The motion was refused.
    #[error("the motion is refused: {0}")]
    Refused(String),
    /// The gripper holds less than demanded.
    #[error("the gripper closed to {opening:.2} mm, less than {least:.2} mm: it holds nothing")]
    NothingHeld {
        /// Opening of the closed gripper.
        opening: f64,
        /// Required opening.
        least: f64,
    },
    /// A wait without end, and the signals of its condition; negative ones are to be off.
    #[error("waits for ever{}: no input changes any more", for_signals(.0))]
    WaitsForEver(Vec<i64>),
    /// Too many statements.
    #[error("more than {0} statements; raise the limit if the program is right")]
    StepLimit(u64),
    /// Too long.
    #[error("more than {0} seconds; raise the limit if the program is right")]
    TimeLimit(f64),
    /// Too many calls.
    #[error("more than {0} programs have called each other")]
    CallLimit(usize),
    /// Too many names.
    #[error("more than {0} variables and locations")]
    NameLimit(usize),
    /// A loop entered in its middle.
    #[error("a loop or case was entered by a jump into its middle")]
    IntoLoop,
}

fn for_signals(signals: &[i64]) -> String {
    let names: Vec<String> = signals.iter().map(i64::to_string).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!(" for signal {name}"),
        _ => format!(" for signals {}", names.join(", ")),
    }
}

/// End of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The first program came to its end.
    Completed,
    /// By `STOP`.
    Stopped,
    /// By `HALT`.
    Halted,
    /// By `PAUSE`.
    Paused,
}

/// Result of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Its end.
    pub ended: Ended,
    /// End time of the last motion.
    pub seconds: f64,
    /// Number of executed statements.
    pub steps: u64,
}
