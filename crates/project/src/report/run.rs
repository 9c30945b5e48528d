//! Report of a program run in a cell.

use super::outcome::Outcome;
use super::robot::LinkClearance;
use serde::{Deserialize, Serialize};

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunOutcome {
    /// The program ended, and all its motions are proven free.
    Free,
    /// Something touches.
    Touching,
    /// A proof is missing.
    Undecided,
    /// The program failed by anything else: nothing is claimed beyond the motions up to there.
    Failed,
}

impl RunOutcome {
    /// The outcome of a run that did not fail.
    pub fn decided(self) -> Option<Outcome> {
        match self {
            Self::Free => Some(Outcome::Free),
            Self::Touching => Some(Outcome::Touching),
            Self::Undecided => Some(Outcome::Undecided),
            Self::Failed => None,
        }
    }
}

impl From<Outcome> for RunOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Free => Self::Free,
            Outcome::Touching => Self::Touching,
            Outcome::Undecided => Self::Undecided,
        }
    }
}

/// A program that was run in a cell. Metres, radians, seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The cell.
    pub cell: String,
    /// The program's file.
    pub program: String,
    /// The program that was run.
    pub main: String,
    /// `free` if the program ended and all motions are proven free; `touching` if something touches; `undecided` if a proof
    /// is missing; `failed` if the program failed by anything else.
    pub outcome: RunOutcome,
    /// End of the run: `completed`, `stopped`, `halted`, `paused`, or `failed`.
    pub ended: String,
    /// Seconds of the program's own time.
    pub cycle_seconds: f64,
    /// Statements that were run.
    pub statements: u64,
    /// Motions and what the gripper did, those that were stopped included.
    pub motions: usize,
    /// Of those, the ones that are proven free and were driven to their end.
    pub executable: usize,
    /// Reason why the first failing instruction cannot be executed.
    pub first_failure: Option<RunFailure>,
    /// Smallest clearance of the whole run; `None` if not requested.
    pub smallest_clearance: Option<RunClearance>,
    /// Contacts.
    pub contacts: Vec<RunContactReport>,
    /// Instruction by instruction.
    pub instructions: Vec<InstructionReport>,
    /// Signals over time.
    pub signals: Vec<SignalReport>,
    /// Locations of parts over time.
    pub parts: Vec<PartReport>,
    /// Messages displayed by the program.
    pub shown: Vec<ShownReport>,
    /// Checked pairs at the start.
    pub active_pairs: usize,
    /// Result of the four-step method at frames, if requested for comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<FramesReport>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// An instruction that cannot be executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFailure {
    /// The line of the program.
    pub line: u32,
    /// The program it is in.
    pub program: String,
    /// Time in seconds.
    pub time: f64,
    /// `contact`, `undecided`, `unreachable` or `other`.
    pub kind: String,
    /// Reason.
    pub reason: String,
}

/// A clearance, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunClearance {
    /// The clearance and the parts.
    #[serde(flatten)]
    pub clearance: LinkClearance,
    /// The line of the program.
    pub line: u32,
    /// Time in seconds.
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
    /// `true` if the contact exists before the motion begins.
    pub at_start: bool,
    /// `true` if they are proven to share a point; `false` if they may only graze.
    pub proven: bool,
    /// The arm at the last place proven free, by the names of its variables.
    pub configuration: Vec<(String, f64)>,
    /// Contact point, in the world.
    pub point: Option<[f64; 3]>,
    /// The direction from the first to the second.
    pub normal: Option<[f64; 3]>,
    /// Touching features: `face 3`, `edge 2-5`, `vertex 7` or `surface` of each.
    pub features: Option<[String; 2]>,
    /// The clearance of both at the last place proven free.
    pub clearance: LinkClearance,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstructionReport {
    /// The line of the program.
    pub line: u32,
    /// The text of that line.
    pub text: String,
    /// `joint`, `straight`, `vertex`, `rest`, `open` or `close`.
    pub kind: String,
    /// Start time.
    pub start: f64,
    /// Duration of the whole instruction.
    pub seconds: f64,
    /// Executed share.
    pub driven: f64,
    /// Share proven collision-free.
    pub free_until: f64,
    /// Configurations that make up its path.
    pub keys: usize,
    /// Proven maximum deviation of the tool from a straight line.
    pub deviation: f64,
    /// The attached part.
    pub carried: Option<String>,
    /// The smallest clearance on it.
    pub clearance: Option<RunClearance>,
}

/// A signal that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalReport {
    /// Time in seconds.
    pub time: f64,
    /// Its identifier.
    pub signal: u32,
    /// On or off.
    pub on: bool,
    /// `true` if the program set it.
    pub output: bool,
}

/// Location of a part from a time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    /// Time in seconds.
    pub time: f64,
    /// Its name.
    pub part: String,
    /// `true` if it is held.
    pub held: bool,
    /// x, y, z, qx, qy, qz, qw: in the world, or on the gripper's link while it is held.
    pub pose: [f64; 7],
}

/// Something the program showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShownReport {
    /// Time in seconds.
    pub time: f64,
    /// The line of the program.
    pub line: u32,
    /// The text.
    pub text: String,
}

/// Result of the four-step method, frame by frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FramesReport {
    /// Maximum distance of the tool between frames, in metres.
    pub step: f64,
    /// Maximum rotation of a joint between frames, in radians.
    pub turn: f64,
    /// Tested frames.
    pub frames: usize,
    /// Of those, the frames in collision.
    pub colliding: usize,
    /// Lines of our contacts of which no frame shows anything.
    pub missed: Vec<u32>,
    /// Lines of motions that frames call colliding and ours calls free.
    pub false_alarms: Vec<u32>,
    /// Microseconds a frame, on average.
    pub micros: f64,
}
