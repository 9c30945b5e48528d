//! Removals that a scene lists, and the disassembly of an assembly.

use crate::context::Context;
use crate::opened::Opened;
use crate::part::parts;
use crate::{AskError, Subject};
use noli::World;
use noli::world::{BodyId, BodySelector, Move, Pattern};
use noli_plan::{
    DisassembleOptions, Effort, Removal, RemovalResult, RemoveOptions, RigidSpace, disassemble,
    follow_motion, remove,
};
use noli_project::report::{
    Asked, CurvePoint, DisassemblyReport, ModeReport, RemovalStudy, ScenesStudy, SurfaceRemoval, Verdict,
};
use noli_project::{SceneRemoval, StagedRemoval};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Motions that the search for one removal proves or refutes at most.
const STEPS: u64 = 60_000;
/// Moments at which the clearance along a path is measured.
const SAMPLES: u32 = 40;

/// The removals of a scene, by its `[[removal]]` tables: each follows its path, or a path is planned; it is proven
/// collision-free at every moment, or the blocking bodies are named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "args", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Study {
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    #[cfg_attr(feature = "args", arg(skip))]
    pub subject: Subject,
    /// Maximum number of motions to prove or refute for one removal: 60000, or 3000 for each part with
    /// --disassemble.
    #[cfg_attr(feature = "args", arg(long, value_name = "N"))]
    pub steps: Option<u64>,
    /// Seed of the random choices.
    #[cfg_attr(feature = "args", arg(long, value_name = "N", default_value_t = 1))]
    pub seed: u64,
    /// Number of frames in which paths are replayed with other test methods.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000)
    ))]
    pub frames: u32,
}

impl Default for Study {
    fn default() -> Self {
        Self { subject: Subject::default(), steps: None, seed: 1, frames: 50 }
    }
}

/// Answer to [`Study`].
#[derive(Debug)]
pub struct StudyAnswer {
    /// The scene.
    pub opened: Opened,
    /// The answer as plain data.
    pub report: ScenesStudy,
    /// Proof that a part was compared with something.
    pub asked: Asked,
}

impl StudyAnswer {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::new(self.report.outcome(), self.asked)
    }
}

/// The disassembly of a whole assembly: the removal order of its parts, and the locked ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disassemble {
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    pub subject: Subject,
    /// The part that stays.
    pub base: Option<String>,
    /// Parts that come out before others where they can, such as `bolt*`.
    pub fasteners: Vec<String>,
    /// Maximum number of motions to prove or refute for each part; 3000 by default.
    pub steps: Option<u64>,
    /// Seed of the random choices.
    pub seed: u64,
}

/// Answer to [`Disassemble`].
#[derive(Debug)]
pub struct DisassembleAnswer {
    /// The assembly.
    pub opened: Opened,
    /// The answer as plain data.
    pub report: DisassemblyReport,
    /// Proof that parts were compared.
    pub asked: Asked,
}

impl DisassembleAnswer {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::new(self.report.outcome(), self.asked)
    }
}

impl Study {
    /// Opens the subject and follows its removals.
    pub fn answer(&self, context: &Context<'_>) -> Result<StudyAnswer, AskError> {
        self.about(self.subject.open(context)?, context)
    }

    /// Follows the removals of an opened scene, one after the other. Parts of earlier removals stay removed for a later one
    /// that lists them.
    pub fn about(&self, mut opened: Opened, context: &Context<'_>) -> Result<StudyAnswer, AskError> {
        opened.staged.refuse_open_solids()?;
        let removals = std::mem::take(&mut opened.staged.removals);
        let title = &opened.title;
        if removals.is_empty() {
            return Err(AskError::option(format!(
                "{title}: the scene lists no removals; add [[removal]] tables, or ask for --disassemble or `noli remove`"
            )));
        }
        let mut report = ScenesStudy { scene: title.clone(), units: opened.units, removals: Vec::new() };
        let mut removed = Removed::default();
        let progress = context.stage("removing parts");
        for (number, removal) in removals.iter().enumerate() {
            progress(number, removals.len());
            report.removals.push(self.one(&mut opened, removal, &mut removed, context)?);
        }
        let asked = Asked::new(removed.pairs)
            .map_err(|_| AskError::option(format!("{}: nothing blocks any removal", opened.title)))?;
        Ok(StudyAnswer { opened, report, asked })
    }

    /// Follows one removal.
    fn one(
        &self,
        opened: &mut Opened,
        staged_removal: &StagedRemoval,
        removed: &mut Removed,
        context: &Context<'_>,
    ) -> Result<RemovalStudy, AskError> {
        let begun = context.now();
        let StagedRemoval { removal, moving: given } = staged_removal;
        let staged = &mut opened.staged;
        let Parts { moving, without, needed } = Parts::of(removal, &staged.world, &removed.parts)?;
        // The last part of a sequence has nothing left to meet.
        removed.pairs += staged.pairs_removed(&moving, &without).map_or(0, Asked::count);
        let rules = staged.world.rules().clone();
        if let Some(margin) = removal.margin {
            for &id in &moving {
                staged.world.rules_mut().set_margin([BodySelector::Body(id), BodySelector::Anyone], margin);
            }
        }
        let space =
            RigidSpace::new(&staged.world, &moving, &without)?.with_exit_distance(removal.exit_distance);
        let groups: [&[BodyId]; 2] = [&moving, &without];
        let found = match (&needed[..], given) {
            ([], Some(given)) => {
                let motion = leader(given, &moving).ok_or_else(|| {
                    AskError::option(format!("removal `{}` has no path for its part", removal.name))
                })?;
                staged.given_removal_on_surfaces(follow_motion(&space, &motion), given, groups)
            }
            ([], None) => {
                let found = self.search(&space, context);
                staged.removal_on_surfaces(found, groups, removal.exit_distance)
            }
            _ => {
                let none =
                    Removal { found: RemovalResult::Nothing, pulls: Vec::new(), turns: Vec::new(), steps: 0 };
                SurfaceRemoval::on_triangles(staged, none)
            }
        };
        *staged.world.rules_mut() = rules;
        let mut report = crate::remove::report(opened, &space, &found, groups, self.seed);
        if !needed.is_empty() {
            report.how = format!("not tried: {} did not come out before", needed.join(", "));
        }
        report.seconds = context.seconds_since(begun);
        let mut study = RemovalStudy {
            name: removal.name.clone(),
            report,
            insertion_proven: None,
            modes: Vec::new(),
            curve: Vec::new(),
        };
        if let RemovalResult::Path(path) = &found.removal.found {
            study.modes = space.replay(path, self.frames).into_iter().map(ModeReport::from).collect();
            let samples = opened.staged.removal_clearances(&space, path, groups, SAMPLES);
            study.curve = samples.into_iter().map(CurvePoint::from).collect();
            let back: Vec<noli::Pose> = path.poses.iter().rev().copied().collect();
            // The surfaces are proven apart at all times, whichever way they pass.
            study.insertion_proven = Some(found.is_proven || space.prove_path_back(&back));
            removed.parts.insert(removal.name.clone(), moving);
        }
        Ok(study)
    }

    fn search(&self, space: &RigidSpace, context: &Context<'_>) -> Removal {
        let stop = || context.is_over();
        let steps = self.steps.unwrap_or(STEPS);
        let effort = Effort { steps, seed: self.seed, stop: &stop, ..Effort::default() };
        remove(space, &RemoveOptions { effort, ..RemoveOptions::default() })
    }
}

/// What was removed so far.
#[derive(Default)]
struct Removed {
    /// The bodies of each removal that came out, by its name.
    parts: HashMap<String, Vec<BodyId>>,
    /// Pairs that were compared.
    pairs: usize,
}

/// The motion of the first of the bodies.
fn leader(given: &Move, moving: &[BodyId]) -> Option<std::sync::Arc<dyn noli::motion::Motion>> {
    given.parts().find(|(id, _)| moving.first() == Some(id)).map(|(_, motion)| motion.clone())
}

/// Bodies of a removal.
struct Parts {
    moving: Vec<BodyId>,
    /// Bodies that are out before.
    without: Vec<BodyId>,
    /// Removals before it that failed.
    needed: Vec<String>,
}

impl Parts {
    fn of(
        removal: &SceneRemoval,
        world: &World,
        taken: &HashMap<String, Vec<BodyId>>,
    ) -> Result<Self, AskError> {
        let bodies_of = |name: &String| parts(world, name);
        let all = |names: &[String]| names.iter().map(bodies_of).collect::<Result<Vec<_>, _>>();
        let mut moving = [vec![bodies_of(&removal.part)?], all(&removal.with)?].concat().concat();
        let mut without = all(&removal.without)?.concat();
        let mut needed: Vec<String> = Vec::new();
        for name in &removal.after {
            match taken.get(name) {
                Some(parts) => without.extend(parts),
                None => needed.push(name.clone()),
            }
        }
        moving.retain(|id| !without.contains(id));
        if moving.is_empty() {
            return Err(AskError::option(format!("removal `{}`: its parts are out already", removal.name)));
        }
        Ok(Self { moving, without, needed })
    }
}

impl Disassemble {
    /// Opens the subject and disassembles it.
    pub fn answer(&self, context: &Context<'_>) -> Result<DisassembleAnswer, AskError> {
        self.about(self.subject.open(context)?, context)
    }

    /// Disassembles an opened assembly.
    pub fn about(&self, opened: Opened, context: &Context<'_>) -> Result<DisassembleAnswer, AskError> {
        let Opened { title, units, staged, .. } = &opened;
        staged.refuse_open_solids()?;
        let asked = staged.pairs_asked().map_err(|nothing| opened.nothing(nothing))?;
        let begun = context.now();
        let stop = || context.is_over();
        let first = self.first(&staged.world)?;
        let progress = context.stage("removing parts");
        let watch = |_: &str, done: usize, of: usize| progress(done, of);
        let mut options =
            DisassembleOptions { first: &first, watch: &watch, ..DisassembleOptions::default() };
        let steps = self.steps.unwrap_or(options.remove.effort.steps);
        options.remove.effort = Effort { steps, seed: self.seed, stop: &stop, ..options.remove.effort };
        if let Some(base) = &self.base {
            options.base = parts(&staged.world, base)?.first().copied();
        }
        let found = disassemble(&staged.world, &options)?;
        let mut report = DisassemblyReport::new(title, *units, &staged.world, &found);
        report.seconds = context.seconds_since(begun).unwrap_or(0.0);
        Ok(DisassembleAnswer { opened, report, asked })
    }

    /// The parts whose names fit the patterns of fasteners.
    fn first(&self, world: &World) -> Result<Vec<BodyId>, AskError> {
        let mut all = Vec::new();
        for pattern in &self.fasteners {
            let fits = Pattern::new(pattern.as_str());
            let before = all.len();
            all.extend(world.bodies().filter(|(_, body)| fits.matches(body.name())).map(|(id, _)| id));
            if all.len() == before {
                return Err(AskError::option(format!("--fasteners `{pattern}`: no part has such a name")));
            }
        }
        Ok(all)
    }
}
