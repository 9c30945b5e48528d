//! Report of a removal study: feasibility of each removal along its path, and the remaining clearance.

use super::impact::{ImpactKind, ImpactReport};
use super::json::open;
use super::outcome::Outcome;
use super::verdict::{Asked, NothingAsked, Verdict};
use noli::World;
use noli::motion::Motion;
use noli::world::{PathClearance, PathSample};
use noli_formats::Units;
use serde::{Deserialize, Serialize};

/// Number of reported samples.
const STATIONS: usize = 6;

/// Removals, one after the other, from the same assembly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyReport {
    /// The assembly.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// Number of its bodies.
    pub bodies: usize,
    /// Their triangles.
    pub triangles: usize,
    /// The removals.
    pub removals: Vec<RemovalReport>,
}

impl StudyReport {
    /// Touching where any removal is blocked.
    pub fn outcome(&self) -> Outcome {
        let any = |verdict| self.removals.iter().any(|removal| removal.verdict == verdict);
        if any(RemovalVerdict::Blocked) {
            Outcome::Touching
        } else if any(RemovalVerdict::Undecided) {
            Outcome::Undecided
        } else {
            Outcome::Free
        }
    }
}

impl StudyReport {
    /// Returns the verdict of the study; an error if it has no removals.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        Ok(Verdict::new(self.outcome(), Asked::new(self.removals.len())?))
    }
}

/// Feasibility of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemovalVerdict {
    /// Proven for the whole path.
    Free,
    /// An obstacle blocks the path.
    Blocked,
    /// An obstacle may block the path.
    Undecided,
}

/// A part that is removed along a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovalReport {
    /// Name of the removal.
    pub name: String,
    /// The part.
    pub part: String,
    /// Parts removed before.
    pub without: Vec<String>,
    /// Its feasibility.
    pub verdict: RemovalVerdict,
    /// Share of the path proven collision-free, from 0 to 1.
    pub free_until: f64,
    /// Distance travelled by the part's origin along its path until then.
    pub travelled: f64,
    /// Length of the path.
    pub path_length: f64,
    /// Blocking obstacles.
    pub blocked_by: Option<ImpactReport>,
    /// Along the whole free path the clearance to anything is at least this, proven between the looks too.
    pub clearance_at_least: f64,
    /// And at one place at most this; `null` where there is nothing else.
    #[serde(with = "open")]
    pub clearance_at_most: f64,
    /// The tightest place that was found.
    pub tightest: Option<Station>,
    /// Samples of the part along its path.
    pub stations: Vec<Station>,
}

/// A sample of a part on its path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Station {
    /// Time, from 0 to 1.
    pub time: f64,
    /// Distance travelled by the part.
    pub travelled: f64,
    /// Distance to the nearest other part.
    pub clearance: f64,
    /// The body at that distance.
    pub to: String,
    /// Between the two points that are this close; `None` if they overlap.
    pub point: Option<[f64; 3]>,
}

impl RemovalReport {
    /// Creates the report of a part that follows its path.
    pub fn new(
        (name, part, without): (&str, &str, &[&str]),
        world: &World,
        motion: &dyn Motion,
        path_clearance: &PathClearance,
    ) -> Self {
        let station = |look: &PathSample| Station {
            time: look.time,
            travelled: path_length(motion, look.time),
            clearance: look.clearance.distance.at_most,
            to: world.body(look.to).map_or_else(|_| String::new(), |body| body.name().to_owned()),
            point: look
                .clearance
                .witness
                .map(|witness| witness.on_a.point.midpoint(witness.on_b.point).to_array()),
        };
        let blocked_by =
            path_clearance.stopped_by.as_ref().and_then(|answer| ImpactReport::new(world, answer));
        let every = (path_clearance.looks.len().saturating_sub(1) / STATIONS).max(1);
        Self {
            name: name.to_owned(),
            part: part.to_owned(),
            without: without.iter().map(|&part| part.to_owned()).collect(),
            verdict: match &blocked_by {
                None => RemovalVerdict::Free,
                Some(hit) if hit.impact == ImpactKind::Undecided => RemovalVerdict::Undecided,
                Some(_) => RemovalVerdict::Blocked,
            },
            free_until: path_clearance.free_until,
            travelled: path_length(motion, path_clearance.free_until),
            path_length: path_length(motion, 1.0),
            blocked_by,
            clearance_at_least: path_clearance.room_at_least,
            clearance_at_most: path_clearance.room_at_most,
            tightest: path_clearance.tightest.as_ref().map(station),
            stations: path_clearance.looks.iter().step_by(every).map(station).collect(),
        }
    }
}

/// Computes the path length of the mover's origin, along straight segments.
fn path_length(motion: &dyn Motion, until: f64) -> f64 {
    let (mut t, mut length) = (0.0, 0.0);
    while t < until {
        let end = motion.next_bend(t).min(until);
        length += motion.pose(t).translation.distance(motion.pose(end).translation);
        t = end;
    }
    length
}
