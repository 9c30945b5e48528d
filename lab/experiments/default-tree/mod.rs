//! Which tree `Model` builds: candidates, packed and generic, on the same queries.

use crate::removals;
use crate::{Cell, Plot, Series, Session, Shape, Table, Verdict};
use anyhow::{Result, ensure};
use noli::tree::{AnyVolume, Degree, Fit, Insertion, Seeding, Split, TreeOptions, VolumeTree, WalkOptions};
use noli::{Mesh, Model, Overlap, Pose, count_crossings, overlap};
use noli_scenes::{W1_PHASES, W1_SEED, bumpy_sphere, w1_poses};
use serde::Deserialize;
use std::hint::black_box;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    detail: u32,
    motions: Vec<String>,
    every: usize,
    frequency: u32,
    poses: usize,
    rounds: usize,
}

#[derive(Deserialize)]
struct Printed {
    alike: f64,
}

/// Two bodies, the first at rest, and the poses of the second.
struct Work {
    meshes: [Mesh; 2],
    poses: Vec<Pose>,
}

/// How a tree is built and stored.
#[derive(Clone, Copy)]
enum Candidate {
    Packed(TreeOptions),
    Generic(TreeOptions),
}

/// Both bodies of a work, prepared.
enum Prepared {
    Packed([Model; 2]),
    Generic([VolumeTree<AnyVolume>; 2]),
}

/// What a candidate did on one kind of work.
#[derive(Clone, Copy, Default)]
struct Cost {
    verdict_us: f64,
    all_us: f64,
    build_s: f64,
    hits: usize,
    pairs: u64,
}

const KINDS: [&str; 2] = ["removals", "W1"];

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    let works = [removal_work(&config)?, vec![w1_work(&config)?]];
    let mut ran: Vec<(&str, [Cost; 2])> = Vec::new();
    for (name, candidate) in candidates() {
        session.step(name);
        let mut costs = [Cost::default(); 2];
        for (cost, works) in costs.iter_mut().zip(&works) {
            *cost = measure(&candidate, works, config.rounds);
        }
        for (kind, cost) in costs.iter().enumerate() {
            let first = ran.first().map_or(*cost, |(_, first)| first[kind]);
            ensure!(
                (cost.hits, cost.pairs) == (first.hits, first.pairs),
                "{name} finds {} hits and {} pairs of faces, not {} and {}",
                cost.hits,
                cost.pairs,
                first.hits,
                first.pairs
            );
        }
        ran.push((name, costs));
    }
    report(session, &ran);
    conclude(session, &ran, printed.alike);
    Ok(())
}

/// The first is the default.
fn candidates() -> Vec<(&'static str, Candidate)> {
    let packed = TreeOptions::default();
    let with = |split| Candidate::Packed(TreeOptions { split, ..packed });
    let generic = TreeOptions { fit: Fit::Quick, ..TreeOptions::workshop() };
    vec![
        (DEFAULT, Candidate::Packed(packed)),
        ("packed, longest axis", with(Split::LongestAxis)),
        ("packed, median", with(Split::Median)),
        ("packed, Morton", with(Split::Morton)),
        ("packed, surface-area heuristic", with(Split::SurfaceArea)),
        ("packed, bottom-up", with(Split::BottomUp)),
        ("packed, exchange", with(Split::Exchange)),
        ("packed, growth", with(Split::Growth(Seeding::Space, Insertion::Shuffled))),
        ("packed, modified Gottschalk", with(Split::Gottschalk)),
        ("packed, octree", with(Split::Octree)),
        (
            "generic, the thesis' best: exchange at rate 0.75",
            Candidate::Generic(TreeOptions { split: Split::Exchange, degree: Degree::rate(0.75), ..generic }),
        ),
        ("generic, surface-area heuristic, degree 2", Candidate::Generic(generic)),
    ]
}

const DEFAULT: &str = "the default of Model::new";

fn removal_work(config: &Config) -> Result<Vec<Work>> {
    let tasks = removals::tasks(config.detail, &config.motions, config.every)?;
    Ok(tasks.into_iter().map(|task| Work { meshes: [task.around, task.moved], poses: task.poses }).collect())
}

fn w1_work(config: &Config) -> Result<Work> {
    let body = |phase: f64| {
        let set = bumpy_sphere(config.frequency, phase);
        Mesh::from_triangles(set.vertices, set.triangles, &Default::default())
    };
    Ok(Work { meshes: [body(W1_PHASES[0])?, body(W1_PHASES[1])?], poses: w1_poses(W1_SEED, config.poses) })
}

impl Candidate {
    fn prepare(&self, work: &Work) -> Prepared {
        match self {
            Self::Packed(options) => {
                Prepared::Packed(work.meshes.each_ref().map(|mesh| Model::with_tree(mesh, options)))
            }
            Self::Generic(options) => {
                Prepared::Generic(work.meshes.each_ref().map(|mesh| VolumeTree::new(mesh, options)))
            }
        }
    }
}

impl Prepared {
    fn hits(&self, pose: &Pose) -> bool {
        match self {
            Self::Packed([a, b]) => overlap(&a.at(Pose::IDENTITY), &b.at(*pose)) == Overlap::Hit,
            Self::Generic([a, b]) => {
                a.meet(&Pose::IDENTITY, b, pose, &WalkOptions::default()).overlap == Some(true)
            }
        }
    }

    fn pairs(&self, pose: &Pose) -> u64 {
        match self {
            Self::Packed([a, b]) => count_crossings(&a.at(Pose::IDENTITY), &b.at(*pose)),
            Self::Generic([a, b]) => {
                let walk = WalkOptions { all: true, ..Default::default() };
                a.meet(&Pose::IDENTITY, b, pose, &walk).faces.len() as u64
            }
        }
    }
}

fn measure(candidate: &Candidate, works: &[Work], rounds: usize) -> Cost {
    let mut cost = Cost::default();
    let mut count = 0.0;
    for work in works {
        let start = Instant::now();
        let prepared = candidate.prepare(work);
        cost.build_s += start.elapsed().as_secs_f64();
        cost.hits += work.poses.iter().filter(|pose| prepared.hits(pose)).count();
        cost.pairs += work.poses.iter().map(|pose| prepared.pairs(pose)).sum::<u64>();
        cost.verdict_us += least(&work.poses, rounds, |pose| _ = black_box(prepared.hits(pose)));
        cost.all_us += least(&work.poses, rounds, |pose| _ = black_box(prepared.pairs(pose)));
        count += work.poses.len() as f64;
    }
    Cost { verdict_us: cost.verdict_us / count, all_us: cost.all_us / count, ..cost }
}

/// Microseconds of all poses together, each at the least of the rounds, so that interruptions do not count.
fn least(poses: &[Pose], rounds: usize, mut ask: impl FnMut(&Pose)) -> f64 {
    let mut times = vec![f64::INFINITY; poses.len()];
    for _ in 0..rounds.max(1) {
        for (time, pose) in times.iter_mut().zip(poses) {
            let start = Instant::now();
            ask(pose);
            *time = time.min(1e6 * start.elapsed().as_secs_f64());
        }
    }
    times.iter().sum()
}

fn report(session: &mut Session<'_>, ran: &[(&str, [Cost; 2])]) {
    let [removals, w1] = ran[0].1;
    session.note(format!(
        "Removals: the motions of eckstein-10.1, {} poses collide, {} pairs of faces meet. W1: two bumpy balls near contact, {} poses collide, {} pairs of faces meet. Every candidate \
         finds the same.",
        removals.hits, removals.pairs, w1.hits, w1.pairs
    ));
    let columns = [
        "tree",
        "removals: verdict, µs",
        "all pairs, µs",
        "build, s",
        "W1: verdict, µs",
        "all pairs, µs",
        "build, s",
    ];
    let mut table = Table::new("Mean time of a query, each pose at the least of its rounds", columns);
    for (name, costs) in ran {
        table.row(*name, costs.iter().flat_map(|c| [c.verdict_us, c.all_us, c.build_s]).map(Cell::Ours));
    }
    session.table(table);
    let packed: Vec<_> = ran.iter().filter(|(name, _)| name.starts_with("packed")).collect();
    let heights =
        |of: &dyn Fn(&[Cost; 2]) -> f64| packed.iter().map(|(_, costs)| of(costs)).collect::<Vec<_>>();
    session.plot(Plot {
        title: "Packed trees by split: all pairs of faces, times the default".into(),
        x: "split".into(),
        y: "time / default".into(),
        shape: Shape::Bars,
        places: packed.iter().map(|(name, _)| name["packed, ".len()..].replace(" heuristic", "")).collect(),
        series: vec![
            Series::heights(KINDS[0], heights(&|c| c[0].all_us / removals.all_us)),
            Series::heights(KINDS[1], heights(&|c| c[1].all_us / w1.all_us)),
        ],
    });
}

/// The geometric mean over both kinds of work and both questions, times the default: no kind of work outweighs another.
fn score(costs: &[Cost; 2], default: &[Cost; 2]) -> f64 {
    let ratios =
        costs.iter().zip(default).flat_map(|(c, d)| [c.verdict_us / d.verdict_us, c.all_us / d.all_us]);
    ratios.product::<f64>().powf(0.25)
}

/// How many queries for all pairs make up for the longer build.
fn pays_after(cost: &Cost, default: &Cost) -> Cell {
    let (longer_us, saved_us) = (1e6 * (cost.build_s - default.build_s), default.all_us - cost.all_us);
    match (longer_us > 0.0, saved_us > 0.0) {
        (_, false) => Cell::Text("never".into()),
        (false, true) => Cell::Text("at once".into()),
        (true, true) => Cell::Ours((longer_us / saved_us).ceil()),
    }
}

fn conclude(session: &mut Session<'_>, ran: &[(&str, [Cost; 2])], alike: f64) {
    let default = ran[0].1;
    let mut scores: Vec<(f64, &str)> =
        ran[1..].iter().map(|(name, costs)| (score(costs, &default), *name)).collect();
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut table = Table::new(
        "Order of the candidates: geometric mean of the four times, compared with the default; and after how many queries for all pairs the longer build is paid for",
        ["tree", "time / default", "pays on removals after", "pays on W1 after"],
    );
    for (score, name) in &scores {
        let costs = ran.iter().find(|(other, _)| other == name).map_or(default, |(_, costs)| *costs);
        let pays = [0, 1].map(|kind| pays_after(&costs[kind], &default[kind]));
        table.row(*name, [Cell::Ours(*score)].into_iter().chain(pays));
    }
    session.table(table);
    let Some((best, name)) = scores.first() else { return };
    session.finding(
        "The default tree is the one that measures best",
        Verdict::of(*best >= 1.0 - alike),
        format!("The best candidate is {name} at {best:.2} times the time of the default; less than {:.0} % apart is alike.", 100.0 * alike),
    );
}
