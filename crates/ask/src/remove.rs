//! Removal paths of parts.

use crate::context::Context;
use crate::opened::Opened;
use crate::part::{all_parts, parts};
use crate::{AskError, Length, Subject};
use noli::world::{BodyId, BodySelector};
use noli_plan::{Effort, Removal, RemoveOptions, RigidSpace, remove};
use noli_project::bundled_names;
use noli_project::report::{Asked, RemoveReport, RemoveSubject, SurfaceRemoval, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A removal path of a part of an assembly, proven collision-free at every moment, or what blocks it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "args", derive(clap::Args))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remove {
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    #[cfg_attr(feature = "args", arg(skip))]
    pub subject: Subject,
    /// The part, group or file to be removed.
    #[cfg_attr(feature = "args", arg(skip))]
    pub part: String,
    /// A part (or group) that has been removed before. Repeatable.
    #[cfg_attr(feature = "args", arg(long, value_name = "PART"))]
    pub without: Vec<String>,
    /// A part (or group) that moves along: a tool, a hand. Repeatable.
    #[cfg_attr(feature = "args", arg(long, value_name = "PART"))]
    pub with: Vec<String>,
    /// A part (or group) that is allowed to collide: it does not block. Repeatable.
    #[cfg_attr(feature = "args", arg(long, value_name = "PART"))]
    pub ignore: Vec<String>,
    /// Minimum clearance of the part from all others on its path, in the unit of the files or with its own, such as 2mm.
    #[cfg_attr(feature = "args", arg(long, value_name = "LENGTH", value_parser = crate::quantity::length))]
    pub margin: Option<Length>,
    /// The part is out only when its box is so far from that of the others.
    #[cfg_attr(feature = "args", arg(
        long, value_name = "LENGTH", value_parser = crate::quantity::length, default_value = "0"
    ))]
    pub exit_distance: Length,
    /// Of several straight pulls the one with the most room, not the shortest.
    #[cfg_attr(feature = "args", arg(long))]
    pub maximize_clearance: bool,
    /// Maximum number of motions to prove or refute; the same on every machine.
    #[cfg_attr(feature = "args", arg(long, value_name = "N", default_value_t = STEPS))]
    pub steps: u64,
    /// Seed of the random choices.
    #[cfg_attr(feature = "args", arg(long, value_name = "N", default_value_t = SEED))]
    pub seed: u64,
}

/// Motions that a search proves or refutes at most.
const STEPS: u64 = 60_000;
/// Seed of the random choices.
const SEED: u64 = 1;

impl Default for Remove {
    fn default() -> Self {
        Self {
            subject: Subject::default(),
            part: String::new(),
            without: Vec::new(),
            with: Vec::new(),
            ignore: Vec::new(),
            margin: None,
            exit_distance: Length::plain(0.0),
            maximize_clearance: false,
            steps: STEPS,
            seed: SEED,
        }
    }
}

/// Answer to [`Remove`].
#[derive(Debug)]
pub struct RemoveAnswer {
    /// The assembly.
    pub opened: Opened,
    /// The bodies that move; the first is the part.
    pub moving: Vec<BodyId>,
    /// The bodies that were removed before.
    pub without: Vec<BodyId>,
    /// The part among the others.
    pub space: RigidSpace,
    /// The path, or what blocks it, decided on curved surfaces where these are known.
    pub removal: Removal,
    /// The answer as plain data.
    pub report: RemoveReport,
    /// Proof that the part was compared with something.
    pub asked: Asked,
}

impl RemoveAnswer {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        self.report.verdict(self.asked)
    }
}

impl Remove {
    /// Asks about a part of the first bundled assembly that has it.
    pub fn of_bundled(part: &str, detail: Option<u32>) -> Result<Self, AskError> {
        for name in bundled_names() {
            let subject = Subject { detail, ..Subject::bundled(name) };
            let source = subject.read(&Context::default())?;
            let has = |name: &str| source.scene.bodies.iter().any(|body| body.name == name);
            let found =
                if has(part) { Some(part) } else { Some("part").filter(|own| name == part && has(own)) };
            if let Some(part) = found {
                return Ok(Self { subject, part: part.to_owned(), ..Self::default() });
            }
        }
        Err(AskError::option(format!(
            "no bundled assembly has a part `{part}`; `noli check --demo NAME --all` lists parts"
        )))
    }

    /// Opens the subject and searches a path.
    pub fn answer(&self, context: &Context<'_>) -> Result<RemoveAnswer, AskError> {
        self.about(self.subject.open(context)?, context)
    }

    /// Searches a path for a part of an opened assembly.
    pub fn about(&self, mut opened: Opened, context: &Context<'_>) -> Result<RemoveAnswer, AskError> {
        opened.staged.refuse_open_solids()?;
        let begun = context.now();
        let (moving, without) = self.choose(&mut opened)?;
        let Opened { units, staged, .. } = &opened;
        let asked = staged.pairs_removed(&moving, &without).map_err(|nothing| opened.nothing(nothing))?;
        let exit_distance = self.exit_distance.of("--exit-distance", *units)?;
        let space = RigidSpace::new(&staged.world, &moving, &without)?.with_exit_distance(exit_distance);
        let _ = context.stage("searching a removal path");
        let stop = || context.is_over();
        let effort = Effort { steps: self.steps, seed: self.seed, stop: &stop, ..Effort::default() };
        let options = RemoveOptions { effort, widest: self.maximize_clearance, ..RemoveOptions::default() };
        let removal = remove(&space, &options);
        let found = staged.removal_on_surfaces(removal, [&moving, &without], exit_distance);
        let mut report = report(&opened, &space, &found, [&moving, &without], self.seed);
        report.seconds = context.seconds_since(begun);
        Ok(RemoveAnswer { removal: found.removal, opened, moving, without, space, report, asked })
    }

    /// Returns the bodies that move and those that are gone, and sets the rules of the others.
    fn choose(&self, opened: &mut Opened) -> Result<(Vec<BodyId>, Vec<BodyId>), AskError> {
        let margin = self.margin.map(|margin| margin.of("--margin", opened.units)).transpose()?;
        let world = &mut opened.staged.world;
        let mut moving = parts(world, &self.part)?;
        let lead = moving.first().copied();
        moving.extend(all_parts(world, &self.with)?);
        let without = all_parts(world, &self.without)?;
        for other in all_parts(world, &self.ignore)? {
            for &id in &moving {
                world.rules_mut().set([BodySelector::Body(id), BodySelector::Body(other)], false);
            }
        }
        if let Some(margin) = margin {
            world.rules_mut().set_default_margin(margin);
        }
        let mut seen = HashSet::new();
        moving.retain(|id| !without.contains(id) && seen.insert(*id));
        if lead.is_none_or(|lead| !moving.contains(&lead)) {
            return Err(AskError::option(format!(
                "`{}` is among the parts removed before; name another part",
                self.part
            )));
        }
        Ok((moving, without))
    }
}

/// The report of a removal of the first bodies after the second ones.
pub(crate) fn report(
    opened: &Opened,
    space: &RigidSpace,
    found: &SurfaceRemoval,
    groups: [&[BodyId]; 2],
    seed: u64,
) -> RemoveReport {
    let name = |&id: &BodyId| opened.staged.name(id).to_owned();
    let [parts, without] = groups.map(|ids| ids.iter().map(name).collect::<Vec<_>>());
    let subject = RemoveSubject {
        scene: &opened.title,
        units: opened.units,
        parts: &parts,
        without: &without,
        seed,
        tessellation: found.tessellation,
    };
    RemoveReport::new(&subject, space, &found.removal)
}
