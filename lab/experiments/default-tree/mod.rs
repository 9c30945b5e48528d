//! Choice of the tree that `Model` builds: candidates, packed and generic, on the same queries.

use crate::removals;
use crate::{Cell, Plot, Series, Session, Shape, Table, Verdict};
use anyhow::{Result, ensure};
use noli::answer::Count;
use noli::query::IntersectionsQuery;
use noli::trace::Stats;
use noli::{Mesh, Model, Overlap, Pose, QueryContext, Scratch, intersections, overlap};
use noli_classics::tree::{
    AnyVolume, Degree, Fit, Insertion, Seeding, Split, TreeOptions, VolumeTree, WalkOptions,
};
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

/// Builder and storage of a tree.
#[derive(Clone, Copy)]
enum Candidate {
    /// Whatever `Model::new` finds to suit the faces.
    Default,
    Packed(TreeOptions),
    Generic(TreeOptions),
}

/// Both bodies of a work, prepared.
enum Prepared {
    Packed([Model; 2]),
    Generic(Box<[VolumeTree<AnyVolume>; 2]>),
}

/// Results of a candidate on one kind of work.
#[derive(Clone, Copy, Default)]
struct Cost {
    verdict_us: f64,
    all_us: f64,
    build_s: f64,
    hits: usize,
    pairs: u64,
    /// Tests that listing all pairs takes: blocks of sixteen pairs of boxes or of faces in packed storage, single pairs in generic.
    tests: u64,
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
        (DEFAULT, Candidate::Default),
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
            "generic, boxes not optimised: exchange at rate 0.75",
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
            Self::Default => Prepared::Packed(work.meshes.each_ref().map(Model::from)),
            Self::Packed(options) => Prepared::Packed(
                work.meshes.each_ref().map(|mesh| noli_classics::tree::packed(mesh, options)),
            ),
            Self::Generic(options) => {
                Prepared::Generic(Box::new(work.meshes.each_ref().map(|mesh| VolumeTree::new(mesh, options))))
            }
        }
    }
}

impl Prepared {
    fn hits(&self, pose: &Pose) -> bool {
        match self {
            Self::Packed([a, b]) => overlap(&a.at(Pose::IDENTITY), &b.at(*pose)) == Overlap::Hit,
            Self::Generic(trees) => {
                let [a, b] = &**trees;
                a.meet(&Pose::IDENTITY, b, pose, &WalkOptions::default()).overlap == Some(true)
            }
        }
    }

    /// Number of tests for listing all pairs.
    fn tests(&self, pose: &Pose) -> u64 {
        match self {
            Self::Packed([a, b]) => {
                let query = IntersectionsQuery { segments: false, ..Default::default() };
                let (mut scratch, mut stats) = (Scratch::default(), Stats::default());
                let (a, b) = (a.at(Pose::IDENTITY), b.at(*pose));
                let mut context = QueryContext::new(&mut scratch).with_trace(&mut stats);
                let _ = context.intersections(&a, &b, &query, &mut Count::default());
                stats.blocks + stats.leaf_pairs
            }
            Self::Generic(trees) => {
                let [a, b] = &**trees;
                let walk = WalkOptions { all: true, ..Default::default() };
                let tests = a.meet(&Pose::IDENTITY, b, pose, &walk).tests;
                tests.volume_tests() + tests.faces
            }
        }
    }

    fn pairs(&self, pose: &Pose) -> u64 {
        match self {
            Self::Packed([a, b]) => intersections(&a.at(Pose::IDENTITY), &b.at(*pose)).len() as u64,
            Self::Generic(trees) => {
                let [a, b] = &**trees;
                let walk = WalkOptions { all: true, ..Default::default() };
                a.meet(&Pose::IDENTITY, b, pose, &walk).faces.len() as u64
            }
        }
    }
}

fn measure(candidate: &Candidate, works: &[Work], rounds: usize) -> Cost {
    let mut cost = Cost::default();
    let (mut verdicts, mut all) = (Vec::new(), Vec::new());
    for work in works {
        let start = Instant::now();
        let prepared = candidate.prepare(work);
        cost.build_s += start.elapsed().as_secs_f64();
        cost.hits += work.poses.iter().filter(|pose| prepared.hits(pose)).count();
        cost.pairs += work.poses.iter().map(|pose| prepared.pairs(pose)).sum::<u64>();
        cost.tests += work.poses.iter().map(|pose| prepared.tests(pose)).sum::<u64>();
        verdicts.extend(least(&work.poses, rounds, |pose| _ = black_box(prepared.hits(pose))));
        all.extend(least(&work.poses, rounds, |pose| _ = black_box(prepared.pairs(pose))));
    }
    Cost { verdict_us: median(verdicts), all_us: median(all), ..cost }
}

/// Microseconds of each pose, at the least of the rounds, so that interruptions do not count.
fn least(poses: &[Pose], rounds: usize, mut context: impl FnMut(&Pose)) -> Vec<f64> {
    let mut times = vec![f64::INFINITY; poses.len()];
    for _ in 0..rounds.max(1) {
        for (time, pose) in times.iter_mut().zip(poses) {
            let start = Instant::now();
            context(pose);
            *time = time.min(1e6 * start.elapsed().as_secs_f64());
        }
    }
    times
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

fn report(session: &mut Session<'_>, ran: &[(&str, [Cost; 2])]) {
    let [removals, w1] = ran[0].1;
    session.note(format!(
        "Removals: the motions of eckstein-10.1, {} poses collide, {} pairs of faces meet. W1: two bumpy spheres near contact, {} poses collide, {} pairs of faces meet. Every candidate \
         finds the same.",
        removals.hits, removals.pairs, w1.hits, w1.pairs
    ));
    let columns = [
        "tree",
        "removals: tests",
        "verdict, µs",
        "all pairs, µs",
        "build, s",
        "W1: tests",
        "verdict, µs",
        "all pairs, µs",
        "build, s",
    ];
    let mut table = Table::new(
        "Tests over all poses, and median time of a query over the poses, each at the least of its rounds; a packed test is one of sixteen pairs at once",
        columns,
    );
    for (name, costs) in ran {
        table.row(
            *name,
            costs.iter().flat_map(|c| [c.tests as f64, c.verdict_us, c.all_us, c.build_s]).map(Cell::Ours),
        );
    }
    session.table(table);
    let packed: Vec<_> = ran.iter().filter(|(name, _)| name.starts_with("packed")).collect();
    let heights =
        |of: &dyn Fn(&[Cost; 2]) -> f64| packed.iter().map(|(_, costs)| of(costs)).collect::<Vec<_>>();
    session.plot(Plot {
        title: "Packed trees by split: tests to list all pairs of faces, compared with the default".into(),
        x: "split".into(),
        y: "tests / default".into(),
        shape: Shape::Bars,
        places: packed.iter().map(|(name, _)| name["packed, ".len()..].replace(" heuristic", "")).collect(),
        series: vec![
            Series::heights(KINDS[0], heights(&|c| c[0].tests as f64 / removals.tests as f64)),
            Series::heights(KINDS[1], heights(&|c| c[1].tests as f64 / w1.tests as f64)),
        ],
    });
}

/// Tests over both kinds of work, compared with the default: the geometric mean, so that neither outweighs the other.
fn score(costs: &[Cost; 2], default: &[Cost; 2]) -> f64 {
    let ratios = costs.iter().zip(default).map(|(c, d)| c.tests as f64 / d.tests.max(1) as f64);
    ratios.product::<f64>().sqrt()
}

fn conclude(session: &mut Session<'_>, ran: &[(&str, [Cost; 2])], alike: f64) {
    let default = ran[0].1;
    let packed = ran[1..].iter().filter(|(name, _)| name.starts_with("packed"));
    let mut scores: Vec<(f64, &str, [Cost; 2])> =
        packed.map(|(name, costs)| (score(costs, &default), *name, *costs)).collect();
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut table = Table::new(
        "Order of the packed candidates by their tests, compared with the default (geometric mean), and how much longer they take to build",
        ["tree", "tests / default", "build / default, removals", "build / default, W1"],
    );
    for (score, name, costs) in &scores {
        let builds = [0, 1].map(|kind| costs[kind].build_s / default[kind].build_s);
        table.row(*name, [*score, builds[0], builds[1]].map(Cell::Ours));
    }
    session.table(table);
    let Some((best, name, costs)) = scores.first() else { return };
    let builds =
        costs.iter().map(|c| c.build_s).sum::<f64>() / default.iter().map(|c| c.build_s).sum::<f64>();
    let of = |kind: usize| costs[kind].tests as f64 / default[kind].tests.max(1) as f64;
    let verdict = if *best >= 1.0 - alike {
        Verdict::Confirmed
    } else if of(0).max(of(1)) > 1.0 + alike {
        Verdict::Partly
    } else {
        Verdict::Refuted
    };
    session.finding(
        "The default tree is the one that measures best",
        verdict,
        format!(
            "The best candidate is {name}: {:.2} times the tests of the default on the removals, {:.2} times on W1, built in {builds:.1} times the time. {}",
            of(0),
            of(1),
            match verdict {
                Verdict::Confirmed => "Less than a twentieth apart is alike.",
                Verdict::Partly => "No tree is best at both.",
                Verdict::Refuted | Verdict::Open => "It should become the default.",
            }
        ),
    );
}
