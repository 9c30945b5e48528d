//! How runs end.

use crate::Place;
use crate::inverse::NoSolution;
use std::fmt;

/// Why a run ended in an error, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// The program.
    pub program: String,
    /// The line.
    pub place: Place,
    /// When, in seconds.
    pub time: f64,
    /// How many statements were run.
    pub steps: u64,
    /// Why.
    pub fault: RunFault,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of `{}`, {:.3} s: {}", self.place, self.program, self.time, self.fault)
    }
}

impl std::error::Error for RunError {}

/// What went wrong in a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunFault {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// A variable without a value.
    #[error("the variable `{0}` has no value; assign one first")]
    NoValue(String),
    /// A location without a value.
    #[error("the location `{0}` is not known; teach it or SET it first")]
    NoLocation(String),
    /// A number that is not one.
    #[error("{0}")]
    Arithmetic(&'static str),
    /// A number out of its range.
    #[error("{what} is {value}; it must be {range}")]
    OutOfRange {
        /// Of what.
        what: &'static str,
        /// The value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Joint values where a transformation is needed.
    #[error("{found} joint values, the arm has {wanted}")]
    JointCount {
        /// How many there are.
        found: usize,
        /// How many joints there are.
        wanted: usize,
    },
    /// The arm cannot get there.
    #[error("the location cannot be reached: {0}")]
    Unreachable(NoSolution),
    /// The motion was refused.
    #[error("the motion is refused: {0}")]
    Refused(String),
    /// The gripper holds less than demanded.
    #[error("the gripper closed to {opening:.2} mm, less than {least:.2} mm: it holds nothing")]
    NothingHeld {
        /// How far it closed.
        opening: f64,
        /// What was demanded.
        least: f64,
    },
    /// A wait without end.
    #[error("waits for ever: no input changes any more")]
    WaitsForEver,
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

/// How a run ended.
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

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// When the last motion was done.
    pub seconds: f64,
    /// How many statements were run.
    pub steps: u64,
}
