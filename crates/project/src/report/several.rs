//! Reports of several robots: with any timing, and of programs that ran at once.

use super::outcome::Outcome;
use super::run::{RunOutcome, RunReport};
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
    /// `free` if all programs ended, all motions are proven in their cells, and the robots against each other as timed.
    pub outcome: RunOutcome,
    /// A proof is missing.
    #[serde(skip)]
    pub undecided: bool,
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
    /// Begin of the wait.
    pub time_s: f64,
    /// Signals of its condition; negative ones are to be off.
    pub signals: Vec<i64>,
    /// Those of them that no other program has set.
    pub never_set: Vec<i64>,
    /// Statements of other programs that set one of those, and were not reached.
    pub not_reached: Vec<SetterReport>,
}

/// A statement that sets a signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetterReport {
    /// The signal; negative if it is set off.
    pub signal: i64,
    /// Its robot.
    pub robot: usize,
    /// The line.
    pub line: u32,
}

impl TogetherReport {
    /// Describes the failure of a program by anything but a contact or a missing proof.
    pub fn failure(&self) -> Option<String> {
        for (number, program) in self.programs.iter().enumerate() {
            let failure = program.first_failure.as_ref();
            let failure = failure.filter(|failure| failure.kind == "other" || failure.kind == "unreachable");
            let waits = self.deadlock.iter().any(|stuck| stuck.robot == number + 1);
            if let (Some(failure), false) = (failure, waits) {
                return Some(format!("{}:{}: {}", program.program, failure.line, failure.reason));
            }
        }
        // Programs that wait for one that was stopped by a contact are no error of their own.
        match (&self.deadlock[..], self.outcome) {
            ([], _) | (_, RunOutcome::Touching | RunOutcome::Undecided) => None,
            (stuck, _) => Some(format!(
                "deadlock: {}; change the order of the statements, or let another program set the signal",
                stuck.iter().map(|one| self.describe(one)).collect::<Vec<_>>().join("; ")
            )),
        }
    }

    /// Describes who waits where and since when, and which statement would end it.
    fn describe(&self, stuck: &StuckReport) -> String {
        let reasons: Vec<String> = stuck.signals.iter().map(|&signal| self.reason(stuck, signal)).collect();
        let StuckReport { robot, line, text, time_s, .. } = stuck;
        let wanted = match &reasons[..] {
            [] => "a condition that no signal changes".to_owned(),
            reasons => reasons.join(", and for "),
        };
        let file = self.file(*robot);
        format!("robot {robot} waits from {time_s:.3} s on in {file}:{line}: `{text}` for {wanted}")
    }

    /// Describes a signal that a program waits for, and why it does not come.
    fn reason(&self, stuck: &StuckReport, signal: i64) -> String {
        let (number, word) = (signal.unsigned_abs(), if signal > 0 { "on" } else { "off" });
        let describe = |SetterReport { robot, line, .. }: &SetterReport| {
            format!("robot {robot} sets it in {}:{line}, which it has not reached", self.file(*robot))
        };
        let setters = stuck.not_reached.iter().filter(|setter| setter.signal == signal);
        let setters: Vec<String> = setters.map(describe).collect();
        let why = match &setters[..] {
            [] if stuck.never_set.contains(&signal) => {
                format!("no other program sets signal {number} {word}")
            }
            [] => "it was so before, and no longer is".to_owned(),
            setters => setters.join(", "),
        };
        format!("signal {number} to be {word} ({why})")
    }

    fn file(&self, robot: usize) -> &str {
        self.programs.get(robot.wrapping_sub(1)).map_or("", |program| &program.program)
    }
}
