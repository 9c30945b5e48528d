//! What running a program in a cell came to.

use super::{LinkGap, Outcome};
use serde::{Deserialize, Serialize};

/// A program that was run in a cell. Metres, radians, seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The cell.
    pub cell: String,
    /// The program's file.
    pub program: String,
    /// The program that was run.
    pub main: String,
    /// `free` if all motions are proven free; `touching` if something touches; `undecided` if a proof is
    /// missing.
    pub outcome: Outcome,
    /// How the run ended: `completed`, `stopped`, `halted`, `paused`, or `failed`.
    pub ended: String,
    /// Seconds of the program's own time.
    pub cycle_seconds: f64,
    /// Statements that were run.
    pub statements: u64,
    /// Motions and what the gripper did, those that were stopped included.
    pub motions: usize,
    /// Of those, the ones that are proven free and were driven to their end.
    pub executable: usize,
    /// Why the first instruction that fails cannot be executed.
    pub first_failure: Option<RunFailure>,
    /// The smallest gap of the whole run; `None` if nobody asked.
    pub smallest_gap: Option<RunGap>,
    /// Where things touch.
    pub contacts: Vec<RunContactReport>,
    /// Instruction by instruction.
    pub instructions: Vec<InstructionReport>,
    /// Signals over time.
    pub signals: Vec<SignalReport>,
    /// Where parts are over time.
    pub parts: Vec<PartReport>,
    /// What the program showed.
    pub shown: Vec<ShownReport>,
    /// Pairs that are asked about at the start.
    pub active_pairs: usize,
    /// What the four-step method sees at frames, if it was asked beside ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<FramesReport>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// An instruction that cannot be executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFailure {
    /// The line of the program.
    pub line: u32,
    /// The program it is in.
    pub program: String,
    /// When, in seconds.
    pub time: f64,
    /// `contact`, `undecided`, `unreachable` or `other`.
    pub kind: String,
    /// Why.
    pub reason: String,
}

/// A gap, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunGap {
    /// The gap and the parts.
    #[serde(flatten)]
    pub gap: LinkGap,
    /// The line of the program.
    pub line: u32,
    /// When, in seconds.
    pub time: f64,
    /// The nearest points on both, in the world.
    pub points: Option<[[f64; 3]; 2]>,
}

/// A place where something touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunContactReport {
    /// The line of the program.
    pub line: u32,
    /// The text of that line.
    pub text: String,
    /// The number of the instruction, from 0.
    pub instruction: usize,
    /// Both parts.
    pub links: [String; 2],
    /// Proven free until then, in seconds.
    pub safe_until: f64,
    /// Touching by then, up to the tolerance.
    pub touching_by: f64,
    /// Both as shares of the motion.
    pub share: [f64; 2],
    /// Whether it touches before the motion begins.
    pub at_start: bool,
    /// Whether they are proven to share a point; false where they may only graze.
    pub proven: bool,
    /// The arm at the last place proven free, by the names of its variables.
    pub configuration: Vec<(String, f64)>,
    /// Where, in the world.
    pub point: Option<[f64; 3]>,
    /// The direction from the first to the second.
    pub normal: Option<[f64; 3]>,
    /// What touches: `face 3`, `edge 2-5`, `vertex 7` or `surface` of each.
    pub features: Option<[String; 2]>,
    /// The gap of both at the last place proven free.
    pub gap: LinkGap,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstructionReport {
    /// The line of the program.
    pub line: u32,
    /// The text of that line.
    pub text: String,
    /// `joint`, `straight`, `corner`, `rest`, `open` or `close`.
    pub kind: String,
    /// When it begins.
    pub start: f64,
    /// How long all of it takes.
    pub seconds: f64,
    /// How much of it was driven.
    pub driven: f64,
    /// How much of it is proven free.
    pub free_until: f64,
    /// Configurations that make up its path.
    pub keys: usize,
    /// How far the tool may stray from a straight line, proven.
    pub deviation: f64,
    /// What was carried.
    pub carried: Option<String>,
    /// The smallest gap on it.
    pub clearance: Option<RunGap>,
}

/// A signal that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalReport {
    /// When, in seconds.
    pub time: f64,
    /// Which.
    pub signal: u32,
    /// On or off.
    pub on: bool,
    /// Whether the program set it.
    pub output: bool,
}

/// Where a part is from a time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    /// When, in seconds.
    pub time: f64,
    /// Its name.
    pub part: String,
    /// Whether it is held.
    pub held: bool,
    /// x, y, z, qx, qy, qz, qw: in the world, or on the gripper's link while it is held.
    pub pose: [f64; 7],
}

/// Something the program showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownReport {
    /// When, in seconds.
    pub time: f64,
    /// The line of the program.
    pub line: u32,
    /// The text.
    pub text: String,
}

/// What the four-step method sees, frame by frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FramesReport {
    /// How far the tool goes between frames at most, in metres.
    pub step: f64,
    /// How far a joint turns between frames at most, in radians.
    pub turn: f64,
    /// Frames that were looked at.
    pub frames: usize,
    /// Of those, the ones in which something meets.
    pub colliding: usize,
    /// Lines of our contacts of which no frame shows anything.
    pub missed: Vec<u32>,
    /// Lines of motions that frames call colliding and ours calls free.
    pub false_alarms: Vec<u32>,
    /// Microseconds a frame, on average.
    pub micros: f64,
}
