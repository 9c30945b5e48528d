//! Report of `noli remove`: a removal path, a proof that none exists, or partial results.

use super::json::{is_default, open};
use super::outcome::Outcome;
use super::pair::ClearanceReport;
use super::tessellation::TessellationReport;
use super::verdict::{Asked, Verdict};
use noli::world::BodyId;
use noli::{Pose, World, answer::Bracket};
use noli_formats::Units;
use noli_plan::{
    BlockingProof, ClearanceSample, Disassembly, Locked, Path, Removal, RemovalResult, Replay, RigidSpace,
    Step, Strategy,
};
use serde::{Deserialize, Serialize};

/// Result of a removal search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemoveVerdict {
    /// A removal path was found and is proven collision-free.
    Found,
    /// There is none, by proof.
    Blocked,
    /// None was found within the budget, which proves nothing.
    NotFound,
}

/// Tightest point of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TightestReport {
    /// The nearest part there.
    pub to: String,
    /// Time, from 0 to 1; every segment between two poses takes the same time.
    pub time: f64,
}

/// Obstruction of a straight pull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockReport {
    /// The blocking part.
    pub by: String,
    /// The direction of the pull, of unit length.
    pub direction: [f64; 3],
    /// Proven collision-free distance.
    pub free: f64,
    /// Required distance.
    pub needed: f64,
}

/// Result of a rotation or a screw motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnReport {
    /// The part that stopped it; `None` if nothing did.
    pub by: Option<String>,
    /// A point of its axis.
    pub point: [f64; 3],
    /// The direction of its axis, of unit length.
    pub axis: [f64; 3],
    /// Advance per radian.
    pub pitch: f64,
    /// Performed angle, guided by contact.
    pub angle_rad: f64,
}

/// Report of a search for a removal path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemoveReport {
    /// The scene.
    pub scene: String,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// The part to be removed.
    pub part: String,
    /// Parts that move along with it.
    pub with: Vec<String>,
    /// Parts removed before.
    pub without: Vec<String>,
    /// Its verdict.
    pub verdict: RemoveVerdict,
    /// `true` if there is a removal path.
    pub found: bool,
    /// `true` if the result is proven: the path at every moment, or that none exists.
    pub proven: bool,
    /// Strategy that found it, or reason why none exists.
    pub how: String,
    /// Path length of the centre of the part.
    pub length: Option<f64>,
    /// Rotation along the path.
    pub turned_rad: Option<f64>,
    /// Smallest clearance along the path.
    pub clearance: Option<ClearanceReport>,
    /// Its tightest point.
    pub tightest: Option<TightestReport>,
    /// `true` if the part is in contact at the start, and slides off.
    pub starts_in_contact: bool,
    /// x, y, z, qx, qy, qz, qw of the part, from its initial pose to its removed pose. Between two poses its origin
    /// moves straight while it rotates along the shorter arc (slerp).
    pub poses: Vec<[f64; 7]>,
    /// Blocking parts, the most important first; empty if a path was found.
    pub blocked_by: Vec<String>,
    /// Obstructions of straight pulls, if no path exists.
    pub blocks: Vec<BlockReport>,
    /// Obstructions of the rotations and screw motions tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnReport>,
    /// Bodies that are triangles in place of curved surfaces; `None` if all are as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tessellation: Option<TessellationReport>,
    /// Motions that were proven or refuted.
    pub steps: u64,
    /// Seed of the random choices.
    pub seed: u64,
    /// Elapsed time, in seconds; absent if not measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seconds: Option<f64>,
}

/// Query.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveSubject<'a> {
    /// The scene.
    pub scene: &'a str,
    /// The unit of lengths.
    pub units: Option<Units>,
    /// The part to be removed, and its companions.
    pub parts: &'a [String],
    /// Parts removed before.
    pub without: &'a [String],
    /// Seed of the random choices.
    pub seed: u64,
    /// Bodies that are triangles in place of curved surfaces.
    pub tessellation: Option<TessellationReport>,
}

impl RemoveReport {
    /// Creates the report of a removal.
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
            how: "no path was found within the budget, which proves nothing".to_owned(),
            length: None,
            turned_rad: None,
            clearance: None,
            tightest: None,
            starts_in_contact: space.starts_in_contact(),
            poses: Vec::new(),
            blocked_by: Vec::new(),
            blocks: Vec::new(),
            turns: Vec::new(),
            tessellation: subject.tessellation,
            steps: removal.steps,
            seed: subject.seed,
            seconds: None,
        };
        match &removal.found {
            RemovalResult::Path(path) => {
                report.found(path, name);
                return report;
            }
            RemovalResult::Infeasible(blocked) => {
                report.blocked(argument_text(&blocked.argument), blocked.by.iter().map(name));
            }
            RemovalResult::Stopped(refuted) => {
                let by = refuted.by.as_ref().map(name);
                let what = by.as_deref().unwrap_or("something");
                let how =
                    format!("the given path collides with {what} after {:.2} % of it", 100.0 * refuted.share);
                report.blocked(how, by);
            }
            RemovalResult::Nothing => {}
        }
        report.obstructions(removal, name);
        report
    }

    fn found(&mut self, path: &Path, name: impl Fn(&BodyId) -> String) {
        self.verdict = RemoveVerdict::Found;
        (self.found, self.proven) = (true, true);
        self.how = how_text(path.how).to_owned();
        self.starts_in_contact &= path.leaves_contact;
        (self.length, self.turned_rad) = (Some(path.length), Some(path.turned));
        let Bracket { at_least, at_most } = path.clearance;
        self.clearance = Some(ClearanceReport { at_least, at_most });
        self.tightest = path.tightest.as_ref().map(|(id, time)| TightestReport { to: name(id), time: *time });
        self.poses = path.poses.iter().map(Pose::to_array).collect();
    }

    fn blocked(&mut self, how: String, by: impl IntoIterator<Item = String>) {
        self.verdict = RemoveVerdict::Blocked;
        self.proven = true;
        self.how = how;
        self.blocked_by.extend(by);
    }

    /// Adds what the pulls, rotations and screw motions that were tried collide with.
    fn obstructions(&mut self, removal: &Removal, name: impl Fn(&BodyId) -> String) {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for pull in &removal.pulls {
            let Some(by) = &pull.by else { continue };
            let by = name(by);
            count(&mut counts, &by);
            let direction = pull.direction.to_array();
            self.blocks.push(BlockReport { by, direction, free: pull.free, needed: pull.needed });
        }
        for turn in &removal.turns {
            let by = turn.by.as_ref().map(&name);
            by.iter().for_each(|by| count(&mut counts, by));
            self.turns.push(TurnReport {
                by,
                point: turn.screw.point.to_array(),
                axis: turn.screw.axis.to_array(),
                pitch: turn.screw.pitch,
                angle_rad: turn.angle,
            });
        }
        if self.blocked_by.is_empty() {
            counts.sort_by_key(|(_, count)| usize::MAX - count);
            self.blocked_by = counts.into_iter().map(|(by, _)| by).collect();
        }
    }

    /// Returns 0 for a path, 1 for a proof that none exists, 3 otherwise.
    pub fn outcome(&self) -> Outcome {
        match self.verdict {
            RemoveVerdict::Found => Outcome::Free,
            RemoveVerdict::Blocked => Outcome::Touching,
            RemoveVerdict::NotFound => Outcome::Undecided,
        }
    }

    /// Returns the verdict for these pairs.
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

fn how_text(how: Strategy) -> &'static str {
    match how {
        Strategy::Out => "clear of the others from the start",
        Strategy::Pull => "one straight pull",
        Strategy::Pulls => "straight pulls",
        Strategy::Screw => "a turn guided by contact, then pulls",
        Strategy::Search => "random trees",
        Strategy::Given => "the given path",
    }
}

fn argument_text(argument: &BlockingProof) -> String {
    match argument {
        BlockingProof::Overlaps => {
            "it starts in collision: it penetrates another part or is inside of it".to_owned()
        }
        BlockingProof::ShutIn => "a closed surface is around it, or it is around another part".to_owned(),
        BlockingProof::Caged { radius, .. } => {
            format!("a sphere of radius {radius:.4} inside it does not pass between the other parts")
        }
        BlockingProof::Linked { number } => {
            format!("it is linked with another part, as rings of a chain are (linking number {number})")
        }
    }
}

/// Clearance of the part along its path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// From 0 to 1; every segment between two poses takes the same time.
    pub time: f64,
    /// The clearance then is at least this.
    #[serde(with = "open")]
    pub clearance_at_least: f64,
    /// And at most this.
    #[serde(with = "open")]
    pub clearance_at_most: f64,
    /// Until the next point the clearance is at least this, by proof.
    #[serde(with = "open")]
    pub at_least_until_next: f64,
}

impl From<ClearanceSample> for CurvePoint {
    fn from(near: ClearanceSample) -> Self {
        Self {
            time: near.time,
            clearance_at_least: near.clearance.at_least,
            clearance_at_most: near.clearance.at_most,
            at_least_until_next: near.until_next,
        }
    }
}

/// Result of another test mode for a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeReport {
    /// `static`, `sampled`, `mixed` or `dynamic`; only the last misses nothing.
    pub mode: String,
    /// `true` if it accepts the whole path.
    pub free: bool,
    /// Share of the path accepted by the test, from 0 to 1.
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
    /// Its name.
    pub name: String,
    /// Result.
    #[serde(flatten)]
    pub report: RemoveReport,
    /// `true` if the reversed path is proven free; `None` without a path.
    pub insertion_proven: Option<bool>,
    /// Results of other test modes.
    pub modes: Vec<ModeReport>,
    /// Clearance of the part along its path.
    pub curve: Vec<CurvePoint>,
}

/// All removals that a scene lists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenesStudy {
    /// The scene.
    pub scene: String,
    /// Unit of lengths; `None` if the files do not define it.
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
    /// Parts that had to be removed before, because they blocked the same direction.
    pub after: Vec<String>,
    /// The step, counted from 1, that took out the subassembly that these are parts of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// Their removal motion.
    pub how: String,
    /// Distance.
    pub length: f64,
    /// Proven smallest clearance along the path; 0 where parts slide off each other.
    #[serde(with = "open")]
    pub clearance_at_least: f64,
    /// x, y, z, qx, qy, qz, qw of the first part.
    pub poses: Vec<[f64; 7]>,
}

/// Two parts that cannot be separated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LockedReport {
    /// The parts.
    pub pair: [String; 2],
    /// Proven reason.
    pub why: String,
}

/// Disassembly sequence of an assembly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisassemblyReport {
    /// The assembly.
    pub scene: String,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// `true` if one unit is left at the end.
    pub complete: bool,
    /// The steps, in order, each proven.
    pub steps: Vec<StepReport>,
    /// Pairs proven to be inseparable; they move as one.
    pub locked: Vec<LockedReport>,
    /// Remaining units of parts.
    pub left: Vec<Vec<String>>,
    /// `true` if time ran out before everything was tried.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stopped: bool,
    /// Elapsed time, in seconds.
    pub seconds: f64,
}

impl DisassemblyReport {
    /// Creates the report of a disassembly.
    pub fn new(scene: &str, units: Option<Units>, world: &World, found: &Disassembly) -> Self {
        let name =
            |id: &BodyId| world.body(*id).map_or_else(|_| String::new(), |body| body.name().to_owned());
        let names = |ids: &[BodyId]| ids.iter().map(name).collect::<Vec<String>>();
        let step = |step: &Step| StepReport {
            parts: names(&step.parts),
            after: names(&step.after),
            of: step.of.map(|number| number + 1),
            how: how_text(step.path.how).to_owned(),
            length: step.path.length,
            clearance_at_least: step.path.clearance.at_least,
            poses: step.path.poses.iter().map(Pose::to_array).collect(),
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

    /// Returns free if all parts were separated, touching if some provably cannot be, else undecided.
    pub fn outcome(&self) -> Outcome {
        match (self.locked.is_empty(), self.complete) {
            (false, _) => Outcome::Touching,
            (true, true) => Outcome::Free,
            (true, false) => Outcome::Undecided,
        }
    }

    /// Returns the precedence graph of parts in the language of Graphviz.
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
