//! Certificates of many statements, proven, written, and checked by the independent checker:
//!
//! ```text
//! campaign poses [--gap D]                        W1: two meshes of 69,620 triangles
//! campaign polycubes                              solids of unit cubes, many of them touching
//! campaign world PATH                             the pairs of an assembly at rest
//! campaign edges ROBOT.urdf [SRDF] [--packages DIR] [--cage] [--around SCENE] [--length RAD]
//! campaign pairs ROBOT.urdf [SRDF] [--packages DIR]
//! ```
//!
//! with `--seed S --count N --threads T`: the batches of a seed are the same on every machine, and those of another seed
//! are others. `--keep DIR` writes the certificates, for the other checker. `--mutations N` changes so many certificates
//! of each batch, `--exact` has each of them judged in exact arithmetic too. Statements that the engine refutes are tried
//! with the prover, and with proofs of true ones.
//!
//! Prints bytes a statement and times. Exit code 1 if a certificate is refused, a false statement proven, a false one
//! accepted, or a verdict differs in exact arithmetic.
#![allow(clippy::print_stdout, reason = "this is a program")]

mod mutants;
#[path = "../../../project/examples/robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;
mod tally;

use noli::world::CheckOptions;
use noli::{Mesh, Model, Overlap, Pose};
use noli_certificate::{CellScene, Certificate, Region, Scene, Statement, WorldStatements};
use noli_project::{OpenOptions, StageOptions, TakeAs, open_paths, stage};
use noli_robot::cell::{MotionStatus, ProofOptions, Reachability};
use noli_scenes::{TriangleSet, W1_SEED, w1_meshes, w1_poses};
use setup::{Problem, Words, draw, ranges, shares, step};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tally::Tally;

/// Statements of one certificate.
const BATCH: usize = 50;

/// Options of all campaigns.
pub(crate) struct Options {
    pub(crate) count: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) mutations: usize,
    pub(crate) exact: bool,
    pub(crate) keep: Option<PathBuf>,
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let options = Options {
        count: words.number("--count", 1000)?,
        seed: words.number("--seed", W1_SEED)?,
        threads: words.number("--threads", 1)?,
        mutations: words.number("--mutations", 0)?,
        exact: words.has("--exact"),
        keep: words.after("--keep").map(PathBuf::from),
    };
    match words.0.first().map(String::as_str) {
        Some("poses") => poses(&words, &options),
        Some("polycubes") => polycubes(&options),
        Some("world") => world(&words, &options),
        Some("edges") => edges(&words, &options),
        Some("pairs") => pairs(&words, &options),
        _ => Err("poses, polycubes, world, edges or pairs?".into()),
    }
}

/// Runs batches on threads, and prints the sum.
fn run(
    options: &Options,
    batches: usize,
    batch: impl Fn(usize, &mut Tally) -> Result<(), Problem> + Sync,
) -> Result<ExitCode, Problem> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= batches {
                        return;
                    }
                    let mut own = Tally::default();
                    let failed = batch(number, &mut own).err();
                    if let Ok(mut all) = all.lock() {
                        all.0.merge(own);
                        all.1.extend(failed);
                    }
                }
            });
        }
    });
    let (tally, failures) = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(failure) = failures.into_iter().next() {
        return Err(failure);
    }
    Ok(tally.print())
}

/// The numbers of a batch.
fn shares_of(options: &Options, number: usize) -> impl FnMut() -> f64 {
    shares(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number as u64))
}

/// Static pairs of one body with others: each collides or not, by the engine.
fn static_pairs(
    (a, b): (&Model, &[(Model, Pose)]),
    (options, number): (&Options, usize),
    tally: &mut Tally,
) -> Result<(), Problem> {
    let mut scene = Scene::default();
    let fixed = scene.add_body("a", 0, a, Pose::IDENTITY, 0.0)?;
    let mut placed = Vec::new();
    for (model, pose) in b {
        placed.push((scene.add_body("b", 0, model, *pose, 0.0)?, model, *pose));
    }
    let mut certificate = Certificate::new(scene);
    let (mut free, mut hits) = (Vec::new(), Vec::new());
    for (body, model, pose) in placed {
        let begun = Instant::now();
        let hit = noli::overlap(&a.at(Pose::IDENTITY), &model.at(pose)) == Overlap::Hit;
        tally.verdicts += begun.elapsed();
        if hit {
            hits.push(body)
        } else {
            free.push(body)
        }
        let (pairs, region) = (vec![[fixed, body]], Region::At(Vec::new()));
        let (claimed, denied) =
            (Statement::separated(pairs.clone(), region.clone()), Statement::colliding(pairs, region));
        let (claimed, denied) = if hit { (denied, claimed) } else { (claimed, denied) };
        tally.prove(&mut certificate, claimed, true);
        tally.prove(&mut certificate, denied, false);
    }
    let bytes = tally.check(&certificate, options, number)?;
    for (from, to) in free.iter().zip(hits.iter().cycle()) {
        tally.refuse(mutants::with_other_body(&bytes, *from, *to), options);
    }
    Ok(())
}

/// Poses of two meshes of W1, all as they are, or moved to a distance.
fn poses(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let model = |set: TriangleSet| -> Result<Model, Problem> {
        Ok(Model::new(&Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?)?)
    };
    let [a, b] = w1_meshes().map(model);
    let (a, b) = (a?, b?);
    let gap: Option<f64> = words.after("--gap").map(str::parse).transpose()?;
    let drawn = w1_poses(options.seed, options.count);
    let chunks: Vec<&[Pose]> = drawn.chunks(BATCH).collect();
    run(options, chunks.len(), |number, tally| {
        let place = |pose: &Pose| gap.map_or(*pose, |gap| at_distance(&a, &b, *pose, gap));
        let others: Vec<(Model, Pose)> = chunks[number].iter().map(|pose| (b.clone(), place(pose))).collect();
        static_pairs((&a, &others), (options, number), tally)
    })
}

/// The pose moved along its translation until the distance is about the given one.
fn at_distance(a: &Model, b: &Model, pose: Pose, distance: f64) -> Pose {
    let direction = pose.translation.normalize();
    let at = |along: f64| Pose::new(pose.rotation, direction * along);
    let (mut near, mut far) = (0.0, 10.0 * pose.translation.length() + 10.0);
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        let apart = noli::clearance(&a.at(Pose::IDENTITY), &b.at(at(middle))).distance.at_least;
        if apart < distance { near = middle } else { far = middle }
    }
    at(far)
}

/// Solids of unit cubes on a grid, at whole translations, quarter turns and random places.
fn polycubes(options: &Options) -> Result<ExitCode, Problem> {
    run(options, options.count.div_ceil(BATCH), |number, tally| {
        let mut share = shares_of(options, number);
        let first = Model::new(polycube(&mut share)?)?;
        let others: Result<Vec<(Model, Pose)>, Problem> = (0..BATCH)
            .map(|k| {
                let mut whole = |reach: f64| (share() * (2.0 * reach + 1.0)).floor() - reach;
                let mut at = noli::glam::dvec3(whole(4.0), whole(4.0), whole(4.0));
                let mut turn = noli::glam::DQuat::IDENTITY;
                if k % 2 == 1 {
                    at += noli::glam::dvec3(share(), share(), share());
                    turn = noli::glam::DQuat::from_xyzw(share(), share(), share(), 1.0).normalize();
                }
                Ok((Model::new(polycube(&mut share)?)?, Pose::new(turn, at)))
            })
            .collect();
        static_pairs((&first, &others?), (options, number), tally)
    })
}

/// A connected solid of up to six cubes.
fn polycube(share: &mut impl FnMut() -> f64) -> Result<Mesh, Problem> {
    let mut cells = vec![[0i32; 3]];
    for _ in 0..(share() * 6.0) as usize {
        let mut next = cells[(share() * cells.len() as f64) as usize];
        next[(share() * 3.0) as usize] += if share() < 0.5 { -1 } else { 1 };
        if !cells.contains(&next) {
            cells.push(next);
        }
    }
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for cell in &cells {
        for (axis, side) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beyond = *cell;
            beyond[axis] += 2 * side - 1;
            if cells.contains(&beyond) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let first = vertices.len() as u32;
            for (du, dv) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                let mut vertex = *cell;
                (vertex[axis], vertex[u], vertex[v]) = (cell[axis] + side, cell[u] + du, cell[v] + dv);
                vertices.push(noli::glam::DVec3::from_array(vertex.map(f64::from)));
            }
            let corners = if side == 1 { [0, 1, 2, 3] } else { [0, 3, 2, 1] }.map(|k: u32| first + k);
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t: [usize; 3]| t.map(|k| corners[k])));
        }
    }
    Ok(Mesh::from_triangles(vertices, triangles, &Default::default())?.into_solid())
}

/// All pairs of an assembly at rest, in one certificate.
fn world(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let path = PathBuf::from(words.0.get(1).ok_or("name a file or a folder")?);
    let source = open_paths(std::slice::from_ref(&path), &OpenOptions::default())?;
    let staged = stage(&source.scene, &StageOptions { take_as: TakeAs::Auto, ..Default::default() })?;
    run(options, 1, |number, tally| {
        let begun = Instant::now();
        let result = staged.world.check(&CheckOptions::default())?;
        tally.verdicts += begun.elapsed();
        let found = WorldStatements::at_rest(&staged.world, &result)?;
        let mut certificate = Certificate::new(found.scene);
        for statement in found.statements {
            tally.prove(&mut certificate, statement, true);
        }
        tally.check(&certificate, options, number).map(drop)
    })
}

/// Straight motions of a robot in joint space, free and blocked ones.
fn edges(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let (robot, cell) = setup::cell(words)?;
    let (ranges, length) = (ranges(&robot), words.number("--length", 0.5)?);
    let size = robot.variables().len();
    run(options, options.count.div_ceil(BATCH), |number, tally| {
        let (mut share, mut checker) = (shares_of(options, number), cell.checker());
        let (described, own) = (CellScene::new(&cell)?, CellScene::new(&cell)?);
        let mut certificate = Certificate::new(own.scene);
        let (mut blocked, mut last) = (Vec::new(), None);
        for from in draw(&ranges, BATCH, &mut share).chunks_exact(size) {
            let to = step(&ranges, from, length, &mut share);
            let begun = Instant::now();
            let is_true = matches!(checker.check_motion(from, &to)?, MotionStatus::Free);
            tally.verdicts += begun.elapsed();
            let ends = [described.values(from), described.values(&to)];
            // Searching for a proof that does not exist takes long: a few are enough.
            if !is_true {
                blocked.push(ends.clone());
                if blocked.len() > 2 {
                    continue;
                }
            } else {
                last = Some(ends.clone());
            }
            for statement in described.collision_free(&cell, "edge", &Region::Along(ends.to_vec())) {
                tally.prove(&mut certificate, statement, is_true);
            }
        }
        let bytes = tally.check(&certificate, options, number)?;
        for ends in blocked {
            let other = last.as_ref().and_then(|free| mutants::with_other_numbers(&bytes, free, &ends));
            tally.refuse(other, options);
        }
        Ok(())
    })
}

/// Pairs of links that never collide within their limits.
fn pairs(words: &Words, options: &Options) -> Result<ExitCode, Problem> {
    let (_, cell) = setup::cell(words)?;
    let limits = CellScene::new(&cell)?.limits();
    run(options, cell.pairs().len(), |number, tally| {
        let begun = Instant::now();
        let found = cell.prove(number, &ProofOptions::default());
        tally.verdicts += begun.elapsed();
        let described = CellScene::new(&cell)?;
        let bodies = described.bodies_of(cell.pairs()[number].parts);
        let statement = match &found.meeting {
            Reachability::Never => Statement::separated(bodies, limits.clone()),
            Reachability::Always => Statement::colliding(bodies, limits.clone()),
            Reachability::Possible { witness } => {
                Statement::colliding(bodies, Region::At(described.values(witness)))
            }
            Reachability::Undecided => return Ok(()),
        };
        let mut certificate = Certificate::new(described.scene);
        tally.prove(&mut certificate, statement, true);
        tally.check(&certificate, options, number).map(drop)
    })
}
