//! Reports about robots.

use super::{Outcome, open};
use noli_robot::cell::{Cell, Rule};
use serde::{Deserialize, Serialize};

/// What was asked about and how it was taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RobotSubject {
    /// The robot's name.
    pub robot: String,
    /// The file that describes it.
    pub source: String,
    /// The SRDF file whose disabled pairs were left out; `None` if there was none, and then pairs that a
    /// joint joins are.
    pub srdf: Option<String>,
    /// Links that have shapes.
    pub links: Vec<LinkReport>,
    /// Bodies that stand around it, and what it carries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Pairs that are asked about.
    pub active_pairs: usize,
    /// Pairs that are not, and why.
    pub disabled_pairs: Vec<DisabledReport>,
}

/// A link with its shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// Its name.
    pub name: String,
    /// How many shapes it has.
    pub shapes: usize,
    /// Their triangles; true shapes have none.
    pub triangles: usize,
    /// What they were taken for: `solid`, `surface`, or `mixed`.
    pub kind: String,
}

/// A pair that is not asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisabledReport {
    /// Both links.
    pub links: [String; 2],
    /// Why.
    pub reason: String,
}

impl RobotSubject {
    /// The pairs of a cell that are not asked about, and how many are.
    pub fn take_pairs(&mut self, cell: &Cell) {
        for (number, pair) in cell.pairs().iter().enumerate() {
            match &pair.rule {
                Rule::On { .. } => self.active_pairs += 1,
                Rule::Off(why) => self.disabled_pairs.push(DisabledReport {
                    links: cell.pair_names(number).map(str::to_owned),
                    reason: why.to_string(),
                }),
            }
        }
    }
}

/// How configurations of a robot stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotCheckReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// Whether anything collides.
    pub outcome: Outcome,
    /// Variables that the file says nothing of; they are 0, or follow others by their law.
    pub assumed_zero: Vec<String>,
    /// Columns of the file that are no variable.
    pub ignored_columns: Vec<String>,
    /// How many, and how fast.
    pub summary: RobotCheckSummary,
    /// The configurations in the order of the file.
    pub states: Vec<StateReport>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// How many, and how fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RobotCheckSummary {
    /// Configurations.
    pub states: usize,
    /// Of those, the ones in which something collides.
    pub colliding: usize,
    /// Of those, the ones of which nothing is proven.
    pub undecided: usize,
    /// Configurations a second for the question whether anything collides, on all threads; points, further
    /// pairs and gaps take longer.
    pub per_second: f64,
}

/// One configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    /// Whether nothing collides, proven.
    pub free: bool,
    /// The pairs that collide.
    pub pairs: Vec<MeetingReport>,
    /// Pairs of which nothing is proven; only those with a shape given by a formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<[String; 2]>,
    /// The smallest gap of all pairs, 0 where one collides; if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<LinkGap>,
    /// The smallest gap of the pairs that do not collide; if asked for, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separated: Option<LinkGap>,
    /// The smallest gap of the robots and what they carry among themselves; if asked for, where anything stands around.
    #[serde(default, rename = "self", skip_serializing_if = "Option::is_none")]
    pub own: Option<LinkGap>,
    /// The smallest gap between a robot, or what it carries, and what stands around; if asked for, where anything does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<LinkGap>,
}

/// Two links that collide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeetingReport {
    /// Both.
    pub links: [String; 2],
    /// A point that they share, in the frame of the robot's root, rounded; `None` where they are only closer
    /// than their margin.
    pub point: Option<[f64; 3]>,
}

/// A bracket on a gap, in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkGap {
    /// The gap is no smaller.
    pub at_least: f64,
    /// The gap is no larger; `null` if there is nothing to be near to.
    #[serde(with = "open")]
    pub at_most: f64,
    /// The links that are that close.
    pub links: Option<[String; 2]>,
}

/// What is known of all pairs of a robot within its joint limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotPairsReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// `free` if what is left out of checks is proven never to collide, or is joined; `touching` if a pair is
    /// left out as one that never collides, but can; `undecided` if a proof is missing.
    pub outcome: Outcome,
    /// The pairs.
    pub pairs: Vec<ProvenPair>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// What is known of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProvenPair {
    /// Both links.
    pub links: [String; 2],
    /// Whether it can meet.
    pub meeting: MeetingWord,
    /// Whether a joint joins them.
    pub adjacent: bool,
    /// Why it is not asked about; `None` if it is.
    pub disabled: Option<String>,
    /// Whether it is left out on a claim that is refuted.
    pub refuted: bool,
    /// A configuration in which they collide, by the names of the variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Vec<(String, f64)>>,
    /// Cells of joint space that were looked at.
    pub cells: usize,
}

/// Whether two links can meet within the joint limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MeetingWord {
    /// In no configuration, proven.
    Never,
    /// In every configuration, proven.
    Always,
    /// In a configuration that is given.
    Can,
    /// The budget did not suffice.
    Undecided,
}

impl MeetingWord {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
            Self::Can => "can",
            Self::Undecided => "undecided",
        }
    }
}

/// How far each variable of a robot goes from a configuration until something collides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotLimitsReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// The configuration from which each variable goes alone.
    pub from: Vec<(String, f64)>,
    /// Two for each variable: down and up.
    pub limits: Vec<LimitReport>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// How far a variable goes one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitReport {
    /// The variable.
    pub joint: String,
    /// Where its stated range ends; a turn without limits goes once around.
    pub stated: f64,
    /// Proven free up to here, in radians or metres.
    pub free_until: f64,
    /// The first links to touch; `None` if the whole range is free.
    pub links: Option<[String; 2]>,
    /// Where they touch.
    pub point: Option<[f64; 3]>,
}

/// What a robot is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotInfoReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// Its joints, in the order of the description.
    pub joints: Vec<JointReport>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointReport {
    /// Its name.
    pub name: String,
    /// `revolute`, `continuous`, `prismatic`, `fixed`, `planar` or `floating`.
    pub kind: String,
    /// The link it hangs on.
    pub parent: String,
    /// The link that hangs on it.
    pub child: String,
    /// From where to where, in radians or metres; `None` if it goes on for ever.
    pub range: Option<[f64; 2]>,
    /// Its largest speed, if stated.
    pub velocity: Option<f64>,
    /// The joint that it follows, if it does.
    pub follows: Option<String>,
}

/// Which configurations put a link at a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotIkReport {
    /// The robot's name.
    pub robot: String,
    /// The link.
    pub tip: String,
    /// `free` if nothing collides in one of them, else `touching`.
    pub outcome: Outcome,
    /// All that were found.
    pub solutions: Vec<IkSolution>,
    /// Why there is none; `None` if there are.
    pub reason: Option<String>,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// A configuration that puts a link at a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IkSolution {
    /// Which of the ways to bend shoulder, elbow and wrist; `None` if it was found by search.
    pub branch: Option<String>,
    /// The configuration, by the names of the variables.
    pub values: Vec<(String, f64)>,
    /// How far the link is off, in metres and radians.
    pub residual: [f64; 2],
    /// Whether nothing collides there.
    pub free: bool,
    /// A pair that does.
    pub collides: Option<[String; 2]>,
}
