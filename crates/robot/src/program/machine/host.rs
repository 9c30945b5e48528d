//! The controller that programs run on, and what they tell it.

use crate::Place;
use crate::inverse::{Elbow, NoSolution, Shoulder, Wrist};
use noli_geom::Pose;
use std::collections::HashMap;

/// How the arm is to be held; what is `None` stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmChoice {
    /// Side of the column.
    pub shoulder: Option<Shoulder>,
    /// Side of the line to the wrist.
    pub elbow: Option<Elbow>,
    /// Bend of the wrist.
    pub wrist: Option<Wrist>,
}

/// How a motion goes from one configuration to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionKind {
    /// Every joint evenly.
    Joint,
    /// The tool on a straight line, turning evenly.
    Straight,
    /// Not at all: the arm rests.
    Rest,
}

/// How fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// A percentage of the arm's own speed.
    Percent(f64),
    /// Of the tool, in metres a second.
    Tool(f64),
    /// A time, in seconds.
    Seconds(f64),
}

/// A motion a program asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionRequest<'a> {
    /// The line that asks for it.
    pub place: Place,
    /// When it starts, in seconds.
    pub time: f64,
    /// How it goes.
    pub kind: MotionKind,
    /// The joints at its start: radians and metres.
    pub from: &'a [f64],
    /// The joints at its end.
    pub to: &'a [f64],
    /// Where the tool stands on the flange.
    pub flange_from_tool: Pose,
    /// How fast.
    pub pace: Pace,
    /// Whether the corner before it may be cut: no `BREAK`, `FINE` or pause stands between it and the motion
    /// before.
    pub blends: bool,
}

/// What the gripper is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The line that tells it.
    pub place: Place,
    /// When, in seconds.
    pub time: f64,
    /// Open or close.
    pub open: bool,
    /// How far open, in metres; `None` if all the way.
    pub opening: Option<f64>,
}

/// What the gripper did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gripped {
    /// Its opening afterwards, in metres.
    pub opening: f64,
    /// How long that took.
    pub seconds: f64,
}

/// The controller that programs run on: arm, gripper, signals. Metres, radians, seconds.
pub trait Host {
    /// Where the joints are before the run.
    fn start(&mut self) -> Vec<f64>;
    /// Where `READY` puts them.
    fn ready(&mut self) -> Vec<f64>;
    /// Whether a joint, counted from 0, turns; else it slides.
    fn turns(&self, joint: usize) -> bool;
    /// Where the flange is, as the robot's base sees it.
    fn flange(&mut self, joints: &[f64]) -> Pose;
    /// Joints that put the flange at a pose, near others and held as chosen.
    fn inverse(&mut self, flange: &Pose, near: &[f64], choice: &ArmChoice) -> Result<Vec<f64>, NoSolution>;
    /// Begins a motion: how long it takes, or why it is refused. Called before anything moves, so a checker
    /// may veto.
    fn begin(&mut self, motion: &MotionRequest<'_>) -> Result<f64, String>;
    /// The motion in progress was stopped; the joints are where they are.
    fn stopped(&mut self, _time: f64, _joints: &[f64]) {}
    /// Where the joints are at a time on the motion in progress; `None` takes them to go evenly from start to
    /// end.
    fn joints_at(&self, _time: f64) -> Option<Vec<f64>> {
        None
    }
    /// Moves the gripper, the arm at rest, or says why it does not move.
    fn grip(&mut self, grip: &Grip) -> Result<Gripped, String>;
    /// Whether an input is on.
    fn input(&mut self, signal: u32, time: f64) -> bool;
    /// When an input changes next; `None` if none ever does.
    fn next_input(&mut self, after: f64) -> Option<f64>;
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

/// When a run is ended from outside, so that no program hangs its host.
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
    /// How long a statement takes, so that a loop that waits sees time pass.
    pub statement_seconds: f64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { steps: 1_000_000, seconds: 3600.0, calls: 100, names: 100_000, statement_seconds: 1e-3 }
    }
}
