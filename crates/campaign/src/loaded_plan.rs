//! A plan with its models.

use crate::answer::{Asked, Bodies, Pair};
use crate::device::OnDevice;
use crate::fingerprint::Fingerprint;
use crate::plan::{Deviation, Drawing, RobotFiles, Spread};
use crate::random_draws::{Draw, Generator};
use crate::shard::{Row, Shard, Tally};
use crate::{Plan, PlanError, Question, Subject, VERSION};
use glam::DVec3;
use noli::Pose;
use noli::world::{BodyId, Pattern, Snapshot, WorldError};
use noli_formats::{FileError, ReadOptions};
use noli_project::{
    RobotOptions, StageError, StageOptions, Staged, TakeAs, load_robot, load_scene, load_scene_text,
    load_srdf, stage,
};
use noli_robot::LinkGeometry;
use noli_robot::cell::{CellError, PairRule};
use std::path::Path;
use std::sync::Arc;

/// Reason that a campaign cannot be opened or run.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The plan.
    #[error("{path}: {error}")]
    Plan {
        /// Its file.
        path: String,
        /// Cause of the error.
        error: PlanError,
    },
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scene.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// Its rules.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The robot.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// A device that fails.
    #[error(transparent)]
    Device(#[from] noli_gpu::DeviceError),
    /// A file named by the plan is missing, or a folder cannot be created.
    #[error("{0}")]
    Missing(String),
    /// The chunk does not exist.
    #[error("there is no chunk {chunk}: the campaign has {chunks}, counted from 0")]
    NoChunk {
        /// Requested chunk.
        chunk: u64,
        /// Actual count.
        chunks: u64,
    },
}

/// A plan with its models, ready to be run.
#[derive(Clone, Debug)]
pub struct Campaign {
    plan: Plan,
    asked: Asked,
    on_device: Option<OnDevice>,
    pairs: Vec<String>,
    plan_print: String,
    models_print: String,
}

/// Draws that a thread takes at a time.
const PIECE: u64 = 128;

impl Campaign {
    /// Opens a plan and the files that it names, relative to its folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CampaignError> {
        let path = path.as_ref();
        let text = noli_formats::text_of(path).map_err(|error| error.in_file(path))?;
        Self::from_text(&text, path)
    }

    /// A plan in memory, as if it stood in a file at this path.
    pub fn from_text(text: &str, path: &Path) -> Result<Self, CampaignError> {
        let plan = Plan::parse(text)
            .map_err(|error| CampaignError::Plan { path: path.display().to_string(), error })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut models = Fingerprint::default();
        let (bodies, generator, pairs) = match &plan.subject {
            Subject::Scene(scene) => of_scene(&plan, scene, path, &folder, &mut models)?,
            Subject::Robot(files) => of_robot(&plan, files, &folder, &mut models)?,
        };
        let plan_print = {
            // Where files lie is no part of it: what they hold is in the fingerprint of the models.
            let Plan { seed, count, chunk, question, margin, drawing, histogram, rows, .. } = &plan;
            let text =
                format!("{seed} {count} {chunk} {question:?} {margin:?} {drawing:?} {histogram:?} {rows}");
            Fingerprint::default().text(&text).hex()
        };
        let asked = Asked {
            bodies,
            generator,
            question: plan.question,
            margin: plan.margin,
            histogram: plan.histogram,
            seed: plan.seed,
            rows: plan.rows,
        };
        let is_for_gpu = plan.device == crate::plan::Where::Card;
        let campaign = Self { asked, on_device: None, pairs, plan_print, models_print: models.hex(), plan };
        if is_for_gpu { campaign.on_gpu() } else { Ok(campaign) }
    }

    /// Has verdicts answered by a GPU, where there is one: shards stay the same, byte for byte. Questions that a GPU has
    /// no batches for stay with the CPU.
    pub fn on_gpu(mut self) -> Result<Self, CampaignError> {
        self.on_device = OnDevice::new(noli_gpu::Device::best(), &self.asked)?;
        Ok(self)
    }

    /// Returns the device that answers: the name of a GPU, or `CPU`.
    pub fn device(&self) -> &str {
        self.on_device.as_ref().map_or("CPU", OnDevice::name)
    }

    /// Returns its plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Number of chunks.
    pub fn chunks(&self) -> u64 {
        self.plan.chunks()
    }

    /// Fingerprint of the plan, but not of where its files lie.
    pub fn plan_fingerprint(&self) -> &str {
        &self.plan_print
    }

    /// Fingerprint of all models and their places.
    pub fn models_fingerprint(&self) -> &str {
        &self.models_print
    }

    /// Returns `true` if a shard is of this campaign and of this version.
    pub fn is_own(&self, shard: &Shard) -> bool {
        shard.plan == self.plan_print && shard.models == self.models_print && shard.version == VERSION
    }

    /// One draw, by its number.
    pub fn draw(&self, index: u64) -> Draw {
        self.asked.generator.draw(self.plan.seed, index)
    }

    /// The answers to one chunk: on all threads of the current pool, the same whatever their number.
    pub fn run(&self, chunk: u64) -> Result<Shard, CampaignError> {
        let chunks = self.chunks();
        if chunk >= chunks {
            return Err(CampaignError::NoChunk { chunk, chunks });
        }
        let range = self.plan.range(chunk);
        let (tally, rows) = match &self.on_device {
            Some(device) => device.tally(&self.asked, range.clone())?,
            None => self.tally(&range),
        };
        Ok(Shard {
            name: self.plan.name.clone(),
            plan: self.plan_print.clone(),
            models: self.models_print.clone(),
            version: VERSION.to_owned(),
            seed: self.plan.seed,
            chunk,
            chunks,
            first: range.start,
            tally,
            pairs: self.pairs.clone(),
            rows,
        })
    }

    fn tally(&self, range: &std::ops::Range<u64>) -> (Tally, Vec<Row>) {
        let pieces: Vec<std::ops::Range<u64>> = (range.start..range.end)
            .step_by(usize::try_from(PIECE).unwrap_or(usize::MAX))
            .map(|start| start..start.saturating_add(PIECE).min(range.end))
            .collect();
        let mut answers = vec![(Tally::default(), Vec::new()); pieces.len()];
        let answered = noli::batch(&pieces, &mut answers, |piece, ask| self.asked.tally(piece.clone(), ask));
        debug_assert!(answered.is_ok(), "as many answers as pieces");
        let (mut tally, mut rows) = (Tally::default(), Vec::new());
        for (part, part_rows) in answers {
            tally.add(&part);
            rows.extend(part_rows);
        }
        (tally, rows)
    }
}

fn staged(
    plan: &Plan,
    scene: &str,
    path: &Path,
    folder: &Path,
    print: &mut Fingerprint,
) -> Result<Staged, CampaignError> {
    let options = ReadOptions::default();
    let loaded = if scene.contains('\n') {
        load_scene_text(scene.as_bytes(), path, &options)?
    } else {
        load_scene(folder.join(scene), &options)?
    };
    let take_as = match plan.kind.as_str() {
        "solid" => TakeAs::Solid,
        "surface" => TakeAs::Surface,
        _ => TakeAs::Auto,
    };
    let staged = stage(&loaded, &StageOptions { take_as, progress: None })?;
    for (body, staged) in loaded.bodies.iter().zip(&staged.bodies) {
        print.text(&body.name).text(&format!("{:?}", staged.kind)).pose(&body.pose).shape(&body.shape);
    }
    Ok(staged)
}

type Ready = (Bodies, Generator, Vec<String>);

fn of_scene(
    plan: &Plan,
    scene: &str,
    path: &Path,
    folder: &Path,
    print: &mut Fingerprint,
) -> Result<Ready, CampaignError> {
    let staged = staged(plan, scene, path, folder, print)?;
    let world = staged.world.snapshot();
    let names = || world.bodies().map(|(_, body)| body.name());
    match &plan.drawing {
        Drawing::Poses { body, cloud } | Drawing::Ways { body, cloud } => {
            let Some(moved) = staged.world.find(body) else {
                let names: Vec<&str> = names().take(8).collect();
                let text = format!("no body is called `{body}`; there are {}", names.join(", "));
                return Err(CampaignError::Missing(text));
            };
            if world.bodies().nth(1).is_none() {
                let text = format!("there are no obstacles for `{body}`; give the scene another body");
                return Err(CampaignError::Missing(text));
            }
            let (cloud, nominal) = (*cloud, world[moved].pose());
            let generator = match &plan.drawing {
                Drawing::Ways { .. } => Generator::Ways { cloud, nominal },
                _ => Generator::Poses { cloud, nominal },
            };
            Ok((Bodies::One { world, moved }, generator, Vec::new()))
        }
        Drawing::Deviations(deviations) => {
            for deviation in deviations {
                let pattern = Pattern::new(&deviation.names);
                if !names().any(|name| pattern.matches(name)) {
                    let text = format!("no body is called `{}`; use * for any characters", deviation.names);
                    return Err(CampaignError::Missing(text));
                }
            }
            let still = Deviation {
                names: String::new(),
                shift: DVec3::ZERO,
                turn_rad: DVec3::ZERO,
                spread: Spread::Uniform,
            };
            let deviation = |name: &str| {
                let last =
                    deviations.iter().rev().find(|deviation| Pattern::new(&deviation.names).matches(name));
                last.unwrap_or(&still).clone()
            };
            let parts: Vec<(Pose, Deviation)> =
                world.bodies().map(|(_, body)| (body.pose(), deviation(body.name()))).collect();
            let pairs = pairs_of(&world)?;
            let name = |pair: &Pair| {
                let [a, b] = pair.bodies.map(|id| world[id].name());
                format!("{a} | {b}")
            };
            let names = pairs.iter().map(name).collect();
            Ok((Bodies::Parts { world, pairs }, Generator::Deviations { parts }, names))
        }
        Drawing::Configurations | Drawing::ConfigurationPaths(_) => {
            Err(CampaignError::Missing("configurations are drawn of a robot; give `robot`".to_owned()))
        }
    }
}

/// The enabled pairs of the scene, in order.
fn pairs_of(world: &Snapshot) -> Result<Vec<Pair>, CampaignError> {
    let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
    let mut pairs = Vec::new();
    for (i, &a) in ids.iter().enumerate() {
        for (k, &b) in ids.iter().enumerate().skip(i.saturating_add(1)) {
            let margin = world.margin_between(a, b)?;
            pairs.extend(margin.map(|margin| Pair { bodies: [a, b], drawn: [i, k], margin }));
        }
    }
    if pairs.is_empty() {
        return Err(CampaignError::Missing(
            "no pair of bodies is checked; look at the rules of the scene".into(),
        ));
    }
    Ok(pairs)
}

fn of_robot(
    plan: &Plan,
    files: &RobotFiles,
    folder: &Path,
    print: &mut Fingerprint,
) -> Result<Ready, CampaignError> {
    let kind = match plan.kind.as_str() {
        "solid" => noli_project::LinkKind::Solid,
        "surface" => noli_project::LinkKind::Surface,
        _ => noli_project::LinkKind::Auto,
    };
    if plan.margin > 0.0 && plan.question != Question::Clearance {
        let text = "a margin is asked for by question = \"clearance\" where a robot is the subject";
        return Err(CampaignError::Missing(text.to_owned()));
    }
    let packages = RobotOptions::packages_in(folder, &files.packages);
    let options = RobotOptions { packages, kind, ..RobotOptions::default() };
    let loaded = load_robot(folder.join(&files.path), &options)?;
    let srdf = files.srdf.as_ref().map(|srdf| load_srdf(folder.join(srdf), &loaded.robot)).transpose()?;
    print.text(&format!("{:?} {srdf:?}", loaded.robot));
    for shape in &loaded.shapes {
        print.number(shape.link as u64).pose(&shape.link_from_shape);
        match &shape.solid {
            LinkGeometry::Mesh(mesh) => print.mesh(mesh),
            LinkGeometry::Convex(convex) => print.shape(&convex.clone().into()),
        };
    }
    let cell = loaded.cell(srdf.as_ref())?;
    if !cell.pairs().iter().any(|pair| matches!(pair.rule, PairRule::Checked { .. })) {
        let text = "no pair of links is checked: all are disabled; enable one in the SRDF";
        return Err(CampaignError::Missing(text.to_owned()));
    }
    let robot = Arc::new(loaded.robot);
    let generator = match plan.drawing {
        Drawing::ConfigurationPaths(reach) => Generator::ConfigurationPaths { robot, reach },
        _ => Generator::Configurations { robot },
    };
    Ok((Bodies::Robot(Box::new(cell)), generator, Vec::new()))
}
