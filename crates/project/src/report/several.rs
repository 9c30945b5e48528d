//! Reports of several robots: with any timing, and of programs that ran at once.

use super::outcome::Outcome;
use super::run::RunReport;
use serde::{Deserialize, Serialize};

/// Several robots against each other with any timing. Metres and seconds; robots, motions and lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoordinationReport {
    /// As timed: `free` if all pairs are proven collision-free.
    pub outcome: Outcome,
    /// The robots with their paths.
    pub robots: Vec<CoordinatedRobotReport>,
    /// Every two robots.
    pub pairs: Vec<CoordinatedPairReport>,
    /// Waits of all pairs together; with them no timing collides and none is stuck. `None` if there is no such order.
    pub waits: Option<Vec<WaitReport>>,
    /// Duration with the waits.
    pub ordered_s: Option<f64>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// A robot with its path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoordinatedRobotReport {
    /// The cell; `None` for a trajectory.
    pub cell: Option<String>,
    /// Name of the robot.
    pub robot: String,
    /// The program; `None` for a trajectory.
    pub program: Option<String>,
    /// Prefix of the names of its parts.
    pub prefix: String,
    /// Number of motions.
    pub motions: usize,
    /// Time at which it starts.
    pub start_s: f64,
    /// Duration.
    pub seconds: f64,
}

/// Two robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoordinatedPairReport {
    /// Their numbers.
    pub robots: [usize; 2],
    /// `independent`, `order-needed` or `no-order`.
    pub classification: String,
    /// Both as timed.
    pub as_timed: AsTimedReport,
    /// Zones of times that are not proven collision-free.
    pub zones: Vec<ZoneReport>,
    /// Times of both that are not proven collision-free, as shares of both paths.
    pub blocked: Vec<[[f64; 2]; 2]>,
}

/// Two robots as timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AsTimedReport {
    /// `free` is proven.
    pub outcome: Outcome,
    /// A collision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision: Option<TimedCollisionReport>,
}

/// A collision of two robots as timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedCollisionReport {
    /// Its time.
    pub time_s: f64,
    /// The links.
    pub links: [String; 2],
    /// The motions in progress.
    pub motions: [usize; 2],
    /// Lines of the motions in progress; absent for trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[u32; 2]>,
    /// A point of both.
    pub point: Option<[f64; 3]>,
}

/// Times that belong together and are not proven collision-free.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ZoneReport {
    /// First and last motion of each robot.
    pub motions: [[usize; 2]; 2],
    /// First and last line of each program; absent for trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<[[u32; 2]; 2]>,
    /// First and last time of each as driven.
    pub times_s: [[f64; 2]; 2],
    /// Links that collide, if a pair of times is known at which they do.
    pub links: Option<[String; 2]>,
    /// Box around all points that both reach: lower and upper vertex.
    pub space: Option<[[f64; 3]; 2]>,
}

/// A motion that waits for one of another robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitReport {
    /// The robot that waits.
    pub robot: usize,
    /// The line before which it waits; absent for trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_line: Option<u32>,
    /// The motion before which it waits.
    pub before_motion: usize,
    /// The robot that it waits for.
    pub other: usize,
    /// The line that has to be finished; absent for trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_line: Option<u32>,
    /// The motion that has to be finished.
    pub after_motion: usize,
}

/// Programs that ran at once. Metres and seconds; robots and lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TogetherReport {
    /// `free` if all motions are proven in their cells, and the robots against each other as timed.
    pub outcome: Outcome,
    /// Time from an output of one program to the input of another.
    pub latency_s: f64,
    /// Duration until the last program ended.
    pub seconds: f64,
    /// Compared pairs of parts of different robots.
    pub pairs: usize,
    /// The first collision between robots.
    pub collision: Option<TogetherCollisionReport>,
    /// Programs that wait without end.
    pub deadlock: Vec<StuckReport>,
    /// Each program in its own cell.
    pub programs: Vec<RunReport>,
}

/// The first collision between robots that ran at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TogetherCollisionReport {
    /// Their numbers.
    pub robots: [usize; 2],
    /// Lines of the motions in progress.
    pub lines: [u32; 2],
    /// The links.
    pub links: [String; 2],
    /// Proven collision-free before this time.
    pub safe_until_s: f64,
    /// In collision at this time.
    pub time_s: f64,
    /// A point of both.
    pub point: Option<[f64; 3]>,
}

/// A program that waits without end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StuckReport {
    /// Its robot.
    pub robot: usize,
    /// The line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Signals of its condition; negative ones are to be off.
    pub signals: Vec<i64>,
    /// Those of them that no other program has set.
    pub never_set: Vec<i64>,
}
