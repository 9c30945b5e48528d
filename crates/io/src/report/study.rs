//! The report of a removal study: can each part be taken out along its path, and how much room is left?

use super::{Asked, ImpactKind, ImpactReport, NothingAsked, Outcome, Verdict, open};
use crate::Units;
use noli::World;
use noli::motion::Motion;
use noli::world::{Look, Passage};
use serde::{Deserialize, Serialize};

/// Looks that are told of.
const STATIONS: usize = 6;

/// Removals, one after the other, from the same assembly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyReport {
    /// The assembly.
    pub scene: String,
    /// The unit of lengths.
    pub units: Units,
    /// How many bodies it has.
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
    /// What the study comes to; an error if it has no removals.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        Ok(Verdict::new(self.outcome(), Asked::new(self.removals.len())?))
    }
}

/// Whether a part can be taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RemovalVerdict {
    /// Proven for the whole path.
    Free,
    /// Something is in the way.
    Blocked,
    /// Something may be in the way.
    Undecided,
}

/// A part that is taken out along a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovalReport {
    /// What the removal is called.
    pub name: String,
    /// The part.
    pub part: String,
    /// Parts that were taken out before.
    pub without: Vec<String>,
    /// Whether it can be done.
    pub verdict: RemovalVerdict,
    /// How much of the path is proven free, from 0 to 1.
    pub free_until: f64,
    /// How far the part's origin gets along its path until then.
    pub travelled: f64,
    /// How long the path is.
    pub path_length: f64,
    /// What is in the way.
    pub blocked_by: Option<ImpactReport>,
    /// Along the whole free path the gap to anything is at least this, proven between the looks too.
    pub clearance_at_least: f64,
    /// And at one place at most this; `null` where there is nothing else.
    #[serde(with = "open")]
    pub clearance_at_most: f64,
    /// The tightest place that was found.
    pub tightest: Option<Station>,
    /// Some looks at the part on its way.
    pub stations: Vec<Station>,
}

/// A look at a part on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Station {
    /// When, from 0 to 1.
    pub time: f64,
    /// How far the part has come.
    pub travelled: f64,
    /// How far the nearest other part is.
    pub gap: f64,
    /// Which that is.
    pub to: String,
    /// Between the two points that are this close; `None` if they overlap.
    pub point: Option<[f64; 3]>,
}

impl RemovalReport {
    /// What following a part along its path has found.
    pub fn new(
        (name, part, without): (&str, &str, &[&str]),
        world: &World,
        motion: &dyn Motion,
        passage: &Passage,
    ) -> Self {
        let station = |look: &Look| Station {
            time: look.time,
            travelled: path_length(motion, look.time),
            gap: look.clearance.gap.at_most,
            to: world.body(look.to).map_or_else(|_| String::new(), |body| body.name().to_owned()),
            point: look
                .clearance
                .witness
                .map(|witness| witness.on_a.point.midpoint(witness.on_b.point).to_array()),
        };
        let blocked_by = passage.stopped_by.as_ref().and_then(|answer| ImpactReport::new(world, answer));
        let every = (passage.looks.len().saturating_sub(1) / STATIONS).max(1);
        Self {
            name: name.to_owned(),
            part: part.to_owned(),
            without: without.iter().map(|&part| part.to_owned()).collect(),
            verdict: match &blocked_by {
                None => RemovalVerdict::Free,
                Some(hit) if hit.impact == ImpactKind::Undecided => RemovalVerdict::Undecided,
                Some(_) => RemovalVerdict::Blocked,
            },
            free_until: passage.free_until,
            travelled: path_length(motion, passage.free_until),
            path_length: path_length(motion, 1.0),
            blocked_by,
            clearance_at_least: passage.room_at_least,
            clearance_at_most: passage.room_at_most,
            tightest: passage.tightest.as_ref().map(station),
            stations: passage.looks.iter().step_by(every).map(station).collect(),
        }
    }
}

/// How far the origin of what moves goes, along its straight pieces.
fn path_length(motion: &dyn Motion, until: f64) -> f64 {
    let (mut t, mut length) = (0.0, 0.0);
    while t < until {
        let end = motion.next_bend(t).min(until);
        length += motion.pose(t).translation.distance(motion.pose(end).translation);
        t = end;
    }
    length
}
