//! What `noli remove` says: a way out, a proof that there is none, or what is known.

use super::{Asked, GapReport, Outcome, Verdict, is_default};
use crate::Units;
use noli::Pose;
use noli::world::BodyId;
use noli_plan::{Argument, Found, How, Removal, RigidSpace};
use serde::{Deserialize, Serialize};

/// Whether a part comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemoveVerdict {
    /// A way was found, and is proven free at all times.
    Found,
    /// There is none, by proof.
    Blocked,
    /// None was found within the budget, which proves nothing.
    NotFound,
}

/// Where a way is tightest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightestReport {
    /// The nearest part there.
    pub to: String,
    /// When, from 0 to 1, each stretch between two poses taking the same time.
    pub time: f64,
}

/// What stops a straight pull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockReport {
    /// The part in the way.
    pub by: String,
    /// The direction of the pull, of unit length.
    pub direction: [f64; 3],
    /// How far it is free, by proof.
    pub free: f64,
    /// How far it would have to be.
    pub needed: f64,
}

/// The report of a search for a way out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemoveReport {
    /// The scene.
    pub scene: String,
    /// The unit of lengths; `None` where files do not say.
    pub units: Option<Units>,
    /// What is taken out.
    pub part: String,
    /// What moves along with it.
    pub with: Vec<String>,
    /// What was taken out before.
    pub without: Vec<String>,
    /// What it comes to.
    pub verdict: RemoveVerdict,
    /// Whether there is a way.
    pub found: bool,
    /// Whether that is proven: the way at every moment, or that there is none.
    pub proven: bool,
    /// How it was found, or why there is none.
    pub how: String,
    /// How far the middle of the part goes.
    pub length: Option<f64>,
    /// How far it turns.
    pub turned_rad: Option<f64>,
    /// The smallest gap along the way.
    pub gap: Option<GapReport>,
    /// Where that is.
    pub tightest: Option<TightestReport>,
    /// Whether the part touches something where it starts, and slides off.
    pub starts_in_contact: bool,
    /// x, y, z, qx, qy, qz, qw of the part, from where it stands to where it is out. Between two poses its origin
    /// goes straight while it turns by the shorter way (slerp).
    pub poses: Vec<[f64; 7]>,
    /// What is in the way, most of all first; empty where a way was found.
    pub blocked_by: Vec<String>,
    /// What stops straight pulls, for a way that is none.
    pub blocks: Vec<BlockReport>,
    /// Motions that were proven or refuted.
    pub steps: u64,
    /// Which random choices were made.
    pub seed: u64,
    /// How long it took; not there where nobody looked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seconds: Option<f64>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveSubject<'a> {
    /// The scene.
    pub scene: &'a str,
    /// The unit of lengths.
    pub units: Option<Units>,
    /// What is taken out, and what moves along.
    pub parts: &'a [String],
    /// What was taken out before.
    pub without: &'a [String],
    /// Which random choices were made.
    pub seed: u64,
}

impl RemoveReport {
    /// What was found about a removal.
    pub fn new(subject: &RemoveSubject<'_>, space: &RigidSpace, removal: &Removal) -> Self {
        let name = |id: &BodyId| space.name(*id).to_owned();
        let mut report = Self {
            scene: subject.scene.to_owned(),
            units: subject.units,
            part: subject.parts.first().cloned().unwrap_or_default(),
            with: subject.parts.iter().skip(1).cloned().collect(),
            without: subject.without.to_vec(),
            verdict: RemoveVerdict::NotFound,
            found: false,
            proven: false,
            how: "no way was found within the budget, which proves nothing".to_owned(),
            length: None,
            turned_rad: None,
            gap: None,
            tightest: None,
            starts_in_contact: space.starts_in_contact(),
            poses: Vec::new(),
            blocked_by: Vec::new(),
            blocks: Vec::new(),
            steps: removal.steps,
            seed: subject.seed,
            seconds: None,
        };
        match &removal.found {
            Found::Way(way) => {
                report.verdict = RemoveVerdict::Found;
                (report.found, report.proven) = (true, true);
                report.how = how_text(way.how).to_owned();
                (report.length, report.turned_rad) = (Some(way.length), Some(way.turned));
                report.gap = Some(GapReport { at_least: way.gap.at_least, at_most: way.gap.at_most });
                report.tightest =
                    way.tightest.as_ref().map(|(id, time)| TightestReport { to: name(id), time: *time });
                report.poses = way.poses.iter().map(pose_array).collect();
                return report;
            }
            Found::Blocked(blocked) => {
                report.verdict = RemoveVerdict::Blocked;
                report.proven = true;
                report.how = argument_text(&blocked.argument);
                report.blocked_by = blocked.by.iter().map(name).collect();
            }
            Found::Nothing => {}
        }
        let mut counts: Vec<(String, usize)> = Vec::new();
        for pull in &removal.pulls {
            let Some(by) = &pull.by else { continue };
            let by = name(by);
            match counts.iter_mut().find(|(other, _)| *other == by) {
                Some((_, count)) => *count += 1,
                None => counts.push((by.clone(), 1)),
            }
            let direction = pull.direction.to_array();
            report.blocks.push(BlockReport { by, direction, free: pull.free, needed: pull.needed });
        }
        if report.blocked_by.is_empty() {
            counts.sort_by_key(|(_, count)| usize::MAX - count);
            report.blocked_by = counts.into_iter().map(|(by, _)| by).collect();
        }
        report
    }

    /// 0 for a way, 1 for a proof that there is none, 3 for neither.
    pub fn outcome(&self) -> Outcome {
        match self.verdict {
            RemoveVerdict::Found => Outcome::Free,
            RemoveVerdict::Blocked => Outcome::Touching,
            RemoveVerdict::NotFound => Outcome::Undecided,
        }
    }

    /// What it comes to, about one removal.
    pub fn verdict(&self) -> Result<Verdict, super::NothingAsked> {
        Ok(Verdict::new(self.outcome(), Asked::new(1)?))
    }
}

/// x, y, z, qx, qy, qz, qw.
pub fn pose_array(pose: &Pose) -> [f64; 7] {
    let (p, q) = (pose.translation, pose.rotation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

fn how_text(how: How) -> &'static str {
    match how {
        How::Out => "it is out where it stands",
        How::Pull => "one straight pull",
        How::Pulls => "straight pulls",
        How::Screw => "a turn guided by contact, then a pull",
        How::Search => "random trees",
        How::Given => "the way given",
    }
}

fn argument_text(argument: &Argument) -> String {
    match argument {
        Argument::Overlaps => "it reaches into another part where it stands".to_owned(),
        Argument::ShutIn => "a closed surface is around it, or it is around another part".to_owned(),
        Argument::Caged { radius, .. } => {
            format!("a ball of radius {radius:.4} inside it does not pass between the other parts")
        }
        Argument::Linked { number } => {
            format!("it is linked with another part, as rings of a chain are (linking number {number})")
        }
    }
}
