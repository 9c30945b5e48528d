//! Reports about robots.

use super::json::open;
use super::outcome::Outcome;
use noli_robot::cell::{Pair, PairRule, Part};
use serde::{Deserialize, Serialize};

/// The checked robot and its interpretation.
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
    /// Obstacles, and attached objects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Checked pairs.
    pub active_pairs: usize,
    /// Pairs that are not, and why.
    pub disabled_pairs: Vec<DisabledReport>,
}

/// A link with its shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// Its name.
    pub name: String,
    /// Number of its shapes.
    pub shapes: usize,
    /// Their triangles; true shapes have none.
    pub triangles: usize,
    /// Their interpretation: `solid`, `surface`, or `mixed`.
    pub kind: String,
}

/// A disabled pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisabledReport {
    /// Both links.
    pub links: [String; 2],
    /// Reason.
    pub reason: String,
}

impl RobotSubject {
    /// Adds the disabled pairs, and the number of checked ones.
    pub fn take_pairs(&mut self, parts: &[Part], pairs: &[Pair]) {
        for pair in pairs {
            match &pair.rule {
                PairRule::Checked { .. } => self.active_pairs += 1,
                PairRule::Disabled(why) => self.disabled_pairs.push(DisabledReport {
                    links: pair.parts.map(|part| parts[part].name.clone()),
                    reason: why.to_string(),
                }),
            }
        }
    }
}

/// Collision status of configurations of a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotCheckReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// Outcome, by the collisions found.
    pub outcome: Outcome,
    /// Variables missing from the file; they are 0, or follow others by their mimic relation.
    pub assumed_zero: Vec<String>,
    /// Columns of the file that are not variables.
    pub ignored_columns: Vec<String>,
    /// Counts and rate.
    pub summary: RobotCheckSummary,
    /// The configurations in the order of the file.
    pub states: Vec<StateReport>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Counts and rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RobotCheckSummary {
    /// Configurations.
    pub states: usize,
    /// Of those, the ones in which something collides.
    pub colliding: usize,
    /// Of those, the ones of which nothing is proven.
    pub undecided: usize,
    /// Configurations a second for the question whether anything collides, on all threads; points, further
    /// pairs and clearances take longer.
    pub per_second: f64,
}

/// One configuration; by default one that was not tested.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    /// `true` if proven collision-free.
    pub free: bool,
    /// The pairs that collide.
    pub pairs: Vec<ReachabilityReport>,
    /// Pairs of which nothing is proven; only those with a shape given by a formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<[String; 2]>,
    /// Smallest clearance of all pairs, 0 if one collides; if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<LinkClearance>,
    /// Smallest clearance of the pairs that do not collide; if requested, and one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separated: Option<LinkClearance>,
    /// Smallest clearance of the robots and attached objects among themselves; if requested, and obstacles exist.
    #[serde(default, rename = "self", skip_serializing_if = "Option::is_none")]
    pub own: Option<LinkClearance>,
    /// Smallest clearance between a robot, or attached object, and the obstacles; if requested, and obstacles
    /// exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<LinkClearance>,
}

/// A colliding pair of links in one configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachabilityReport {
    /// Names of both links.
    pub links: [String; 2],
    /// A point that they share, in the frame of the robot's root, rounded; `None` where they are only closer
    /// than their margin.
    pub point: Option<[f64; 3]>,
}

/// A bracket on a clearance, in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkClearance {
    /// Lower bound on the clearance.
    pub at_least: f64,
    /// Upper bound on the clearance; `null` if there is nothing to compare with.
    #[serde(with = "open")]
    pub at_most: f64,
    /// The links that are that close.
    pub links: Option<[String; 2]>,
}

/// Possible collisions of all pairs of a robot within its joint limits.
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
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Reachability result of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProvenPair {
    /// Both links.
    pub links: [String; 2],
    /// Reachability of a collision: `never` and `always` hold for all joint values if there is no `domain`.
    pub meeting: ReachabilityWord,
    /// The assumed joint values that `never` or `always` is about; empty if it is about all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domain: Vec<AssumedRange>,
    /// `true` if a joint connects them.
    pub adjacent: bool,
    /// Reason why the pair is disabled; `None` if it is checked.
    pub disabled: Option<String>,
    /// `true` if it is disabled on a refuted claim.
    pub refuted: bool,
    /// A configuration in which they collide, by the names of the variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Vec<(String, f64)>>,
    /// Visited cells of joint space.
    pub cells: usize,
}

impl ProvenPair {
    /// Returns `true` if the pair is proven never or always to collide, whatever the joints do: it may be disabled.
    pub fn is_settled(&self) -> bool {
        matches!(self.meeting, ReachabilityWord::Never | ReachabilityWord::Always) && self.domain.is_empty()
    }
}

/// A range of a joint that a claim assumes: the joint has further values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssumedRange {
    /// The variable.
    pub joint: String,
    /// Lower and upper end, in radians or metres.
    pub range: [f64; 2],
}

impl std::fmt::Display for AssumedRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { joint, range: [low, high] } = self;
        write!(f, "{joint} in [{low}, {high}]")
    }
}

/// Possible collision of two links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReachabilityWord {
    /// In no configuration, proven.
    Never,
    /// In every configuration, proven.
    Always,
    /// In a configuration that is given.
    Can,
    /// The budget did not suffice.
    Undecided,
}

impl ReachabilityWord {
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

/// Collision-free range of each variable of a robot from a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotLimitsReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// The configuration from which each variable goes alone.
    pub from: Vec<(String, f64)>,
    /// Two for each variable: down and up.
    pub limits: Vec<LimitReport>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Range of a variable in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitReport {
    /// The variable.
    pub joint: String,
    /// End of its stated range; a rotation without limits covers one turn.
    pub stated: f64,
    /// Proven free up to here, in radians or metres.
    pub free_until: f64,
    /// The first links to touch; `None` if the whole range is free.
    pub links: Option<[String; 2]>,
    /// Point of contact.
    pub point: Option<[f64; 3]>,
}

/// Description of a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotInfoReport {
    /// The robot.
    #[serde(flatten)]
    pub subject: RobotSubject,
    /// Its joints, in the order of the description.
    pub joints: Vec<JointReport>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// A joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointReport {
    /// Its name.
    pub name: String,
    /// `revolute`, `continuous`, `prismatic`, `fixed`, `planar` or `floating`.
    pub kind: String,
    /// Parent link.
    pub parent: String,
    /// Child link.
    pub child: String,
    /// From where to where, in radians or metres; `None` if it goes on for ever.
    pub range: Option<[f64; 2]>,
    /// Its largest speed, if stated.
    pub velocity: Option<f64>,
    /// The joint that it follows, if it does.
    pub follows: Option<String>,
}

/// Configurations that place a link at a pose.
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
    /// Reason why there is none; `None` if there are.
    pub reason: Option<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// A configuration that puts a link at a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IkSolution {
    /// Branch of shoulder, elbow and wrist; `None` if it was found by search.
    pub branch: Option<String>,
    /// The configuration, by the names of the variables.
    pub values: Vec<(String, f64)>,
    /// Pose error of the link, in metres and radians.
    pub residual: [f64; 2],
    /// `true` if it is collision-free.
    pub free: bool,
    /// A pair that does.
    pub collides: Option<[String; 2]>,
}
