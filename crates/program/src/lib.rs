//! Robot programs in VAL-II, and their execution in a cell ([`run`]).
//!
//! Text becomes [`Programs`] by [`str::parse`], an [`Interpreter`] runs them on a [`Host`], the virtual
//! controller that knows the arm, its inputs and its gripper. Time is the program's own: a motion starts and
//! the program runs on, the next motion waits for it, `BREAK` waits at once, so runs repeat to the last bit.
//! [`VirtualController`] is a host made of a [`Robot`](noli_robot::Robot).
//!
//! Where VAL-II and its successor V+ differ, or the former is not documented, V+ is followed: a
//! transformation's angles are turns about z, y and z; `APPRO` and `DEPART` go along the tool's z; true is
//! −1; `FLIP` is a negative fifth joint. Lengths are millimetres and angles degrees, as programs write them;
//! at the border to the host they are metres and radians.

// Numbers of a program are not to be cut, to wrap or to be looked up unchecked.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod code;
#[allow(clippy::indexing_slicing, reason = "variables, joints and links of a robot by its own numbers")]
mod controller;
mod fault;
mod machine;
mod parse;
#[allow(
    clippy::indexing_slicing,
    reason = "links, variables, parts and signals of a cell by its own numbers, and motions of at least two keys"
)]
pub mod run;
mod token;
mod unset;

pub use code::{
    ArmWord, Expression, Function, Location, Name, Op, Operator, Program, ProgramLine, SpeedUnit, TypeItem,
};
pub use controller::{Trace, TraceKind, VirtualController};
pub use fault::{ProgramError, ProgramFault, Remark};
/// Vectors, matrices and quaternions of the public signatures.
pub use glam;
pub use machine::{
    ArmChoice, Ended, Grip, Gripped, Host, Interpreter, Locations, MotionKind, MotionRequest, Outcome, Pace,
    RunError, RunFault, RunLimits,
};
pub use parse::{Programs, STATEMENTS};
