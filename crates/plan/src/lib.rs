//! Removal paths and robot motion plans, every motion proven collision-free.
//!
//! | task | where |
//! |---|---|
//! | removal of a part | [`remove`] on a [`RigidSpace`] |
//! | free distance in a direction, and the blocking body | [`RigidSpace::pull`] |
//! | proof of a path | [`RigidSpace::prove_path`] |
//! | disassembly sequence | [`disassemble`] |
//! | proof and clearance of a given path | [`follow_motion`], [`RigidSpace::clearance_profile`] |
//! | motion planning for a robot | [`plan_joints`]; to one of several goals [`plan_to_goals`] |
//! | path constraint: a tool upright within an angle | [`AxisConstraint`] |
//! | several robots: independent, in order, or in collision as timed | [`coordinate`] |
//! | which instruction waits for which | [`interlock`], [`schedule`] |
//! | blends and times of a joint path, proven as driven | [`drive_path`] |
//! | planning in a space of your own | [`connect`], [`shorten`] on any [`Space`] |
//!
//! This crate reads no clock and opens no file. With a limit on steps, the same seed gives the same path on
//! every machine and on any number of threads.

mod blocked;
mod blocking;
mod connect;
mod coordinate;
mod directions;
mod drive;
mod error;
mod interlock;
mod joint;
mod linked;
mod parallel;
mod path;
mod pull;
mod remove;
mod rigid;
mod screw;
mod sequence;
mod shorten;
mod space;
mod study;
mod upright;

pub use blocked::{BlockingProof, Infeasible};
pub use connect::{Effort, Outcome, Query, connect};
pub use coordinate::{
    CoordinateError, CoordinateOptions, Coordinated, CoordinatedPair, InstructionOrder, Timed,
    TimedCollision, TimedPath, coordinate,
};
pub use drive::{Blend, BlendShape, DriveError, DriveLimits, DriveOptions, DrivenPath, drive_path};
pub use error::PlanError;
pub use interlock::{Axis, Interlock, Wait, interlock, schedule};
pub use joint::{
    JointMemory, JointOptions, JointOutcome, JointPath, JointPlanError, JointSpace, plan_joints,
    plan_to_goals, segment_times,
};
#[doc(inline)]
pub use noli_geom::random::SplitMix64;
pub use path::{Counterexample, Path, Strategy};
pub use pull::Pull;
pub use remove::{Removal, RemovalResult, RemoveOptions, remove};
pub use rigid::{RigidBlock, RigidMemory, RigidSpace};
pub use screw::{Screw, Turn};
pub use sequence::{DisassembleOptions, Disassembly, Locked, Step, Watch, disassemble};
pub use shorten::shorten;
pub use space::{Edge, Space};
pub use study::{ClearanceSample, Replay, follow_motion, motion_poses};
pub use upright::AxisConstraint;
