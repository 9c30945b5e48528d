//! The controller that programs run on, and its commands.

use noli_geom::Pose;
use noli_robot::Place;
use noli_robot::{Elbow, IkError, Shoulder, Wrist};
use std::collections::HashMap;

/// Requested branch of the arm; items that are `None` stay unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmChoice {
    /// Side of the column.
    pub shoulder: Option<Shoulder>,
    /// Side of the line to the wrist.
    pub elbow: Option<Elbow>,
    /// Bend of the wrist.
    pub wrist: Option<Wrist>,
}

/// Kind of motion from one configuration to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Every joint evenly.
    Joint,
    /// The tool on a straight line, turning evenly.
    Straight,
    /// Not at all: the arm rests.
    Rest,
}

/// Speed of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A percentage of the arm's own speed.
    Percent(f64),
    /// Of the tool, in metres a second.
    Tool(f64),
    /// A time, in seconds.
    Seconds(f64),
}

/// A motion requested by a program.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionRequest<'a> {
    /// The line that requests it.
    pub place: Place,
    /// Start time, in seconds.
    pub time: f64,
    /// Kind of motion.
    pub kind: MotionKind,
    /// The joints at its start: radians and metres.
    pub from: &'a [f64],
    /// The joints at its end.
    pub to: &'a [f64],
    /// Pose of the tool on the flange.
    pub flange_from_tool: Pose,
    /// Speed of a motion.
    pub pace: Pace,
    /// `true` if the via point before it may be blended: no `BREAK`, `FINE` or pause separates it from the
    /// preceding motion.
    pub blends: bool,
}

/// A command to the gripper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The line of the command.
    pub place: Place,
    /// Time in seconds.
    pub time: f64,
    /// Open or close.
    pub open: bool,
    /// Requested opening, in metres; `None` if fully open.
    pub opening: Option<f64>,
}

/// Result of a gripper command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gripped {
    /// Its opening afterwards, in metres.
    pub opening: f64,
    /// Duration in seconds.
    pub seconds: f64,
}

/// The controller that programs run on: arm, gripper, signals. Metres, radians, seconds.
pub trait Host {
    /// Returns the joint values before the run.
    fn start(&mut self) -> Vec<f64>;
    /// Returns the joint values of `READY`.
    fn ready(&mut self) -> Vec<f64>;
    /// Returns `true` if a joint, counted from 0, is revolute, not prismatic.
    fn turns(&self, joint: usize) -> bool;
    /// Computes the pose of the flange in the frame of the robot's base.
    fn flange(&mut self, joints: &[f64]) -> Pose;
    /// Joints that put the flange at a pose, near others and held as chosen.
    fn inverse(&mut self, flange: &Pose, near: &[f64], choice: &ArmChoice) -> Result<Vec<f64>, IkError>;
    /// Begins a motion: how long it takes, or why it is refused. Called before anything moves, so a checker
    /// may veto.
    fn begin(&mut self, motion: &MotionRequest<'_>) -> Result<f64, String>;
    /// The motion in progress was stopped; the joints are where they are.
    fn stopped(&mut self, _time: f64, _joints: &[f64]) {}
    /// Returns the joint values at a time of the motion in progress; `None` means uniform motion from start to end.
    fn joints_at(&self, _time: f64) -> Option<Vec<f64>> {
        None
    }
    /// Moves the gripper while the arm is at rest, or returns the reason that it does not move.
    fn grip(&mut self, grip: &Grip) -> Result<Gripped, String>;
    /// Returns `true` if an input is on.
    fn input(&mut self, signal: u32, time: f64) -> bool;
    /// Returns the time of the next change of an input; `None` if there is none until `until`. A later change may be
    /// returned too.
    fn next_input(&mut self, after: f64, until: f64) -> Option<f64>;
    /// An output was set.
    fn output(&mut self, _signal: u32, _on: bool, _time: f64, _place: Place) {}
    /// Text was shown.
    fn show(&mut self, _text: &str, _time: f64, _place: Place) {}
}

/// Named locations, by name in capitals: transformations in metres as the world sees them, precision points
/// in radians and metres. Elements of arrays are called `NAME[3]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Locations {
    /// Poses of the tool.
    pub transformations: HashMap<String, Pose>,
    /// Joint values; names without `#`.
    pub points: HashMap<String, Vec<f64>>,
}

/// Limits that end a run, so that no program blocks its host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLimits {
    /// Statements.
    pub steps: u64,
    /// Seconds of the program's own time.
    pub seconds: f64,
    /// Programs that call each other.
    pub calls: usize,
    /// Variables and locations.
    pub names: usize,
    /// Duration of a statement in seconds, so that time passes in a waiting loop.
    pub statement_seconds: f64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { steps: 1_000_000, seconds: 3600.0, calls: 100, names: 100_000, statement_seconds: 1e-3 }
    }
}
