//! What `noli remove` says: a way out, a proof that there is none, or what is known.

use super::{Asked, GapReport, Outcome, Verdict, is_default, open};
use crate::Units;
use noli::world::BodyId;
use noli::{Pose, World};
use noli_plan::{Argument, Disassembly, Found, How, Locked, Nearness, Removal, Replay, RigidSpace, Step};
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

/// What a turn or a screw came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnReport {
    /// The part that stopped it; `None` if nothing did.
    pub by: Option<String>,
    /// A point of its axis.
    pub point: [f64; 3],
    /// The direction of its axis, of unit length.
    pub axis: [f64; 3],
    /// How far it advances in a radian.
    pub pitch: f64,
    /// How far it went, guided by contact.
    pub angle_rad: f64,
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
    /// What stopped turns and screws that were tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnReport>,
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
            turns: Vec::new(),
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
            Found::Stopped(refuted) => {
                report.verdict = RemoveVerdict::Blocked;
                report.proven = true;
                let by = refuted.by.as_ref().map(name);
                let what = by.as_deref().unwrap_or("something");
                report.how = format!("the way given meets {what} after {:.2} % of it", 100.0 * refuted.share);
                report.blocked_by.extend(by);
            }
            Found::Nothing => {}
        }
        let mut counts: Vec<(String, usize)> = Vec::new();
        for pull in &removal.pulls {
            let Some(by) = &pull.by else { continue };
            let by = name(by);
            count(&mut counts, &by);
            let direction = pull.direction.to_array();
            report.blocks.push(BlockReport { by, direction, free: pull.free, needed: pull.needed });
        }
        for turn in &removal.turns {
            let by = turn.by.as_ref().map(name);
            by.iter().for_each(|by| count(&mut counts, by));
            report.turns.push(TurnReport {
                by,
                point: turn.screw.point.to_array(),
                axis: turn.screw.axis.to_array(),
                pitch: turn.screw.pitch,
                angle_rad: turn.angle,
            });
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

    /// What it comes to, about these pairs.
    pub fn verdict(&self, asked: Asked) -> Verdict {
        Verdict::new(self.outcome(), asked)
    }
}

fn count(counts: &mut Vec<(String, usize)>, by: &str) {
    match counts.iter_mut().find(|(other, _)| other == by) {
        Some((_, count)) => *count += 1,
        None => counts.push((by.to_owned(), 1)),
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
        How::Screw => "a turn guided by contact, then pulls",
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

/// How close the part is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// From 0 to 1, each stretch between two poses taking the same time.
    pub time: f64,
    /// The gap then is at least this.
    #[serde(with = "open")]
    pub gap_at_least: f64,
    /// And at most this.
    #[serde(with = "open")]
    pub gap_at_most: f64,
    /// Until the next point the gap is at least this, by proof.
    #[serde(with = "open")]
    pub at_least_until_next: f64,
}

impl From<Nearness> for CurvePoint {
    fn from(near: Nearness) -> Self {
        Self {
            time: near.time,
            gap_at_least: near.gap.at_least,
            gap_at_most: near.gap.at_most,
            at_least_until_next: near.until_next,
        }
    }
}

/// What another way of testing says of a way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeReport {
    /// `static`, `sampled`, `mixed` or `dynamic`; only the last misses nothing.
    pub mode: String,
    /// Whether it calls the way free.
    pub free: bool,
    /// How much of the way it lets the part go, from 0 to 1.
    pub free_until: f64,
    /// Frames played.
    pub frames: u32,
}

impl From<Replay> for ModeReport {
    fn from(replay: Replay) -> Self {
        let Replay { mode, free_until, frames } = replay;
        Self { mode: mode.to_owned(), free: free_until >= 1.0, free_until, frames }
    }
}

/// A removal that a scene lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovalStudy {
    /// What it is called.
    pub name: String,
    /// What was found.
    #[serde(flatten)]
    pub report: RemoveReport,
    /// Whether the same way back is proven free; `None` without a way.
    pub insertion_proven: Option<bool>,
    /// What other ways of testing say.
    pub modes: Vec<ModeReport>,
    /// How close the part is on its way.
    pub curve: Vec<CurvePoint>,
}

/// All removals that a scene lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenesStudy {
    /// The scene.
    pub scene: String,
    /// The unit of lengths; `None` where files do not say.
    pub units: Option<Units>,
    /// The removals, in order.
    pub removals: Vec<RemovalStudy>,
}

impl ScenesStudy {
    /// Touching where any removal is blocked, undecided where one was not found.
    pub fn outcome(&self) -> Outcome {
        let any = |outcome| self.removals.iter().any(|removal| removal.report.outcome() == outcome);
        [Outcome::Touching, Outcome::Undecided]
            .into_iter()
            .find(|&outcome| any(outcome))
            .unwrap_or(Outcome::Free)
    }
}

/// Parts that come out as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// The parts.
    pub parts: Vec<String>,
    /// Parts that had to come out before, because they were in the way in the same direction.
    pub after: Vec<String>,
    /// The step, counted from 1, that took out the subassembly that these are parts of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// How they come out.
    pub how: String,
    /// How far.
    pub length: f64,
    /// The smallest gap on the way, proven; 0 where parts slide off each other.
    #[serde(with = "open")]
    pub gap_at_least: f64,
    /// x, y, z, qx, qy, qz, qw of the first part.
    pub poses: Vec<[f64; 7]>,
}

/// Two parts that do not come apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockedReport {
    /// The parts.
    pub pair: [String; 2],
    /// Why, by proof.
    pub why: String,
}

/// How an assembly comes apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisassemblyReport {
    /// The assembly.
    pub scene: String,
    /// The unit of lengths; `None` where files do not say.
    pub units: Option<Units>,
    /// Whether one unit is left at the end.
    pub complete: bool,
    /// The steps, in order, each proven.
    pub steps: Vec<StepReport>,
    /// Pairs that do not come apart, by proof; they move as one.
    pub locked: Vec<LockedReport>,
    /// What is left: units of parts.
    pub left: Vec<Vec<String>>,
    /// Whether time ran out before all was tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stopped: bool,
    /// How long it took.
    pub seconds: f64,
}

impl DisassemblyReport {
    /// What was found about an assembly.
    pub fn new(scene: &str, units: Option<Units>, world: &World, found: &Disassembly) -> Self {
        let name =
            |id: &BodyId| world.body(*id).map_or_else(|_| String::new(), |body| body.name().to_owned());
        let names = |ids: &[BodyId]| ids.iter().map(name).collect::<Vec<String>>();
        let step = |step: &Step| StepReport {
            parts: names(&step.parts),
            after: names(&step.after),
            of: step.of.map(|number| number + 1),
            how: how_text(step.way.how).to_owned(),
            length: step.way.length,
            gap_at_least: step.way.gap.at_least,
            poses: step.way.poses.iter().map(pose_array).collect(),
        };
        let locked = |locked: &Locked| LockedReport {
            pair: locked.pair.each_ref().map(name),
            why: argument_text(&locked.argument),
        };
        Self {
            scene: scene.to_owned(),
            units,
            complete: found.left.len() <= 1,
            steps: found.steps.iter().map(step).collect(),
            locked: found.locked.iter().map(locked).collect(),
            left: found.left.iter().map(|unit| names(unit)).collect(),
            stopped: found.stopped,
            seconds: 0.0,
        }
    }

    /// Free if all came apart, touching if some do not, by proof, else undecided.
    pub fn outcome(&self) -> Outcome {
        match (self.locked.is_empty(), self.complete) {
            (false, _) => Outcome::Touching,
            (true, true) => Outcome::Free,
            (true, false) => Outcome::Undecided,
        }
    }

    /// Which parts come before which, as a graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\\\""));
        let mut text = "digraph disassembly {\n  rankdir = LR;\n  node [shape = box];\n".to_owned();
        let mut numbers = std::collections::HashMap::new();
        for (number, step) in self.steps.iter().enumerate() {
            for part in &step.parts {
                numbers.insert(part.as_str(), number);
            }
            let label = quoted(&format!("{}. {}", number + 1, step.parts.join(", ")));
            text += &format!("  step{number} [label = {label}];\n");
            let mut before: Vec<usize> =
                step.after.iter().filter_map(|part| numbers.get(part.as_str()).copied()).collect();
            before.extend(step.of.map(|of| of - 1));
            before.sort_unstable();
            before.dedup();
            for earlier in before {
                text += &format!("  step{earlier} -> step{number};\n");
            }
        }
        for (number, unit) in self.left.iter().enumerate() {
            let label = quoted(&format!("left: {}", unit.join(", ")));
            text += &format!("  left{number} [label = {label}, style = dashed];\n");
        }
        text + "}\n"
    }
}
