//! `noli sweep`: what the motions of a scene meet first.

use crate::Outcome;
use crate::moving::{self, Staged};
use crate::output::{self, Table, short};
use anyhow::{Context, Result};
use noli::{Answer, Budget, Features, Guarantee, Impact, Step, StepOptions, Touch};
use serde::Serialize;
use std::path::PathBuf;

/// The earliest impact of the motions in a scene, with what touches, where and when.
///
/// All motions run at once, over the time of the longest. Never misses a contact: before the first time of a bracket nothing
/// touches.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The scene, with motions.
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Give up after so many steps of all pairs together; pairs are then undecided from the time they were followed to.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How many threads work; by default one for each processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.unwrap_or(0)).build();
    pool.context("cannot start threads; try --threads 1")?.install(|| sweep(arguments))
}

fn sweep(arguments: &Arguments) -> Result<Outcome> {
    let mut staged = moving::stage(&arguments.scene)?;
    let moves = staged.movers.clone();
    let budget = arguments.steps.map_or(Budget::UNLIMITED, |steps| Budget::UNLIMITED.steps(steps));
    let options = StepOptions { budget, sleep: false, ..Default::default() };
    let step = staged.world.plan(moves, &options)?;
    let report = Report::new(&staged, &step);
    if arguments.json {
        output::print_json(&report)?;
    } else {
        staged.warnings.iter().for_each(|warning| eprintln!("noli: {warning}"));
        output::print(&report.text())?;
    }
    Ok(report.outcome)
}

#[derive(Serialize)]
struct Report {
    scene: String,
    outcome: Outcome,
    units: &'static str,
    seconds: f64,
    candidates: usize,
    impacts: Vec<Hit>,
    warnings: Vec<String>,
}

/// A pair that touches, or may.
#[derive(Serialize)]
pub(crate) struct Hit {
    pub(crate) a: String,
    pub(crate) b: String,
    /// "at", "at start" or "undecided".
    pub(crate) impact: &'static str,
    /// Free before this time, from 0 to 1.
    pub(crate) safe_until: f64,
    /// In contact by this time, up to the tolerance.
    pub(crate) touching_by: Option<f64>,
    pub(crate) proven: Option<bool>,
    pub(crate) guarantee: &'static str,
    pub(crate) features: Option<String>,
    pub(crate) point: Option<[f64; 3]>,
    pub(crate) normal: Option<[f64; 3]>,
    pub(crate) gap_at_most: Option<f64>,
}

pub(crate) fn guarantee(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Exact => "exact",
        Guarantee::Conservative => "conservative",
        Guarantee::Approximate => "approximate",
    }
}

impl Hit {
    /// Nothing for a pair that is free.
    pub(crate) fn new(world: &noli::World, answer: &Answer) -> Option<Self> {
        let (impact, touching_by, touch) = match answer.impact {
            Impact::Free => return None,
            Impact::AtStart(touch) => ("at start", Some(0.0), Some(touch)),
            Impact::At { time, touch } => ("at", Some(time.touching_by), Some(touch)),
            Impact::Unknown { .. } => ("undecided", None, None),
        };
        let name = |id| world.body(id).map_or_else(|_| String::new(), |body| body.name().to_owned());
        let [a, b] = answer.pair.map(name);
        let is_mesh = |id| world.body(id).is_ok_and(|body| body.model().is_mesh());
        Some(Self {
            a,
            b,
            impact,
            safe_until: answer.impact.safe_until(),
            touching_by,
            proven: touch.map(|touch| touch.proven),
            guarantee: guarantee(answer.guarantee),
            features: touch.as_ref().map(|touch| features(touch, answer.pair.map(is_mesh))),
            point: touch.map(|touch| ((touch.on_a + touch.on_b) * 0.5).to_array()),
            normal: touch.map(|touch| touch.normal.to_array()),
            gap_at_most: answer.gap_at_most.filter(|gap| gap.is_finite()),
        })
    }
}

/// Only meshes have numbered features.
fn features(touch: &Touch, are_meshes: [bool; 2]) -> String {
    if are_meshes != [true; 2] {
        let side = |is_mesh, face: u32| if is_mesh { format!("face {face}") } else { "surface".to_owned() };
        return format!(
            "{} / {}",
            side(are_meshes[0], touch.triangle_a),
            side(are_meshes[1], touch.triangle_b)
        );
    }
    match touch.features {
        Features::VertexFace { vertex, face } => format!("vertex {vertex} / face {face}"),
        Features::FaceVertex { face, vertex } => format!("face {face} / vertex {vertex}"),
        Features::EdgeEdge { a, b } => format!("edge {}-{} / edge {}-{}", a[0], a[1], b[0], b[1]),
    }
}

impl Report {
    fn new(staged: &Staged, step: &Step) -> Self {
        let mut impacts: Vec<Hit> =
            step.answers.iter().filter_map(|answer| Hit::new(&staged.world, answer)).collect();
        impacts.sort_by(|x, y| x.safe_until.total_cmp(&y.safe_until));
        let outcome = if impacts.iter().any(|hit| hit.impact != "undecided") {
            Outcome::Touching
        } else if impacts.is_empty() {
            Outcome::Free
        } else {
            Outcome::Undecided
        };
        Self {
            scene: staged.title.clone(),
            outcome,
            units: staged.units.sign(),
            seconds: staged.seconds,
            candidates: step.answers.len(),
            impacts,
            warnings: staged.warnings.clone(),
        }
    }

    fn text(&self) -> String {
        if self.impacts.is_empty() {
            return format!(
                "free: nothing touches during the whole motion (proven; {} looked at closely)\n",
                output::plural(self.candidates, "pair", "pairs")
            );
        }
        let mut table = Table::new(
            4,
            ["a", "b", "impact", "features (a / b)", "safe until", "touching by", "point", "normal"],
        );
        for hit in &self.impacts {
            let vector = |v: Option<[f64; 3]>| v.map_or("-".to_owned(), |v| v.map(short).join(" "));
            let seconds = |t: f64| format!("{} s", short(t * self.seconds));
            table.row([
                hit.a.clone(),
                hit.b.clone(),
                match hit.proven {
                    Some(false) => format!("{} (within tolerance)", hit.impact),
                    _ => hit.impact.to_owned(),
                },
                hit.features.clone().unwrap_or_else(|| "-".into()),
                seconds(hit.safe_until),
                hit.touching_by.map_or("-".into(), seconds),
                vector(hit.point),
                vector(hit.normal),
            ]);
        }
        let first = &self.impacts[0];
        let until = short(first.safe_until * self.seconds);
        format!(
            "{table}\nAll motions together are proven free until {until} s of {} s.\n",
            short(self.seconds)
        )
    }
}
