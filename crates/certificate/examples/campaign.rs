//! Certificates of many statements, proven, written, and checked by the independent checker:
//!
//! `cargo run --release -p noli-certificate --example campaign -- poses [--count N] [--gap D]`
//! `cargo run --release -p noli-certificate --example campaign -- edges ROBOT.urdf [SRDF] [--cage] [--count N] [--length RAD]`
//! `cargo run --release -p noli-certificate --example campaign -- pairs ROBOT.urdf [SRDF]`
//!
//! Prints bytes a statement, the time of the engine's verdict, of the proof and of the check. `--keep FOLDER` writes the
//! certificates, for the other checker. `--mutations N` changes that many bytes, one at a time, and prints what the
//! checker still accepts. Exit code 1 if a certificate is refused, or a false statement proven.
#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "../../project/examples/robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;

use noli::{Mesh, Model, Overlap, Pose};
use noli_certificate::{CellScene, Certificate, Region, Scene, Statement};
use noli_robot::cell::{MotionStatus, ProofOptions, Reachability};
use noli_scenes::{TriangleSet, W1_SEED, w1_meshes, w1_poses};
use noli_verify::Options;
use setup::{Problem, Words, draw, ranges, shares, step};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Statements of one certificate.
const BATCH: usize = 50;

#[derive(Default)]
struct Tally {
    statements: usize,
    unproven: usize,
    wrong: usize,
    bytes: Vec<usize>,
    verdicts: Duration,
    proofs: Duration,
    checks: Duration,
    mutants: usize,
    accepted: usize,
}

impl Tally {
    /// Proves a statement; it counts as wrong if it was refuted by the engine.
    fn prove(&mut self, certificate: &mut Certificate, statement: Statement, is_true: bool) {
        let (begun, before) = (Instant::now(), certificate.item_bytes());
        let proven = certificate.prove(statement);
        self.proofs += begun.elapsed();
        match (proven.is_ok(), is_true) {
            (true, true) => {
                self.statements += 1;
                self.bytes.push(certificate.item_bytes() - before);
            }
            (false, true) => self.unproven += 1,
            (true, false) => self.wrong += 1,
            (false, false) => {}
        }
    }

    fn check(&mut self, certificate: &Certificate, words: &Words, number: usize) -> Result<(), Problem> {
        if certificate.statements().is_empty() {
            return Ok(());
        }
        let data = certificate.to_bytes();
        let begun = Instant::now();
        let report = noli_verify::check(&data, &Options::default().with_threads(1));
        self.checks += begun.elapsed();
        if let Some(error) = report.error {
            self.wrong += 1;
            println!("certificate {number}: {error}");
        }
        if let Some(folder) = words.after("--keep") {
            std::fs::create_dir_all(folder)?;
            let file = std::fs::File::create(format!("{folder}/{number}.cert"))?;
            certificate.write_compressed(file)?;
        }
        self.mutate(&data, words.number("--mutations", 0)?, number as u64);
        Ok(())
    }

    /// Changes bytes after the covers, where the proofs are.
    fn mutate(&mut self, data: &[u8], count: usize, seed: u64) {
        let (mut share, mut changed) = (shares(seed + 1), data.to_vec());
        let first = data.windows(6).position(|bytes| bytes == b"eproof").unwrap_or(0);
        for _ in 0..count {
            let at = first + (share() * (data.len() - first) as f64) as usize;
            changed[at] ^= 1 << (share() * 8.0) as u32;
            self.mutants += 1;
            self.accepted += usize::from(noli_verify::check(&changed, &Options::default()).error.is_none());
            changed[at] = data[at];
        }
    }

    fn print(mut self) -> ExitCode {
        self.bytes.sort_unstable();
        let count = self.statements.max(1) as f64;
        let each = |time: Duration| time.as_secs_f64() * 1e3 / count;
        let (middle, most) = (self.bytes.get(self.bytes.len() / 2), self.bytes.last());
        println!(
            "{} statements proven, {} true but not proven, {} wrong",
            self.statements, self.unproven, self.wrong
        );
        println!("bytes a statement: median {}, largest {}", middle.unwrap_or(&0), most.unwrap_or(&0));
        println!(
            "ms a statement: verdict {:.4}, proof {:.3}, check {:.3}",
            each(self.verdicts),
            each(self.proofs),
            each(self.checks)
        );
        if self.mutants > 0 {
            println!("{} changed certificates, {} accepted", self.mutants, self.accepted);
        }
        if self.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    match words.0.first().map(String::as_str) {
        Some("poses") => poses(&words),
        Some("edges") => edges(&words),
        Some("pairs") => pairs(&words),
        _ => Err("poses, edges or pairs?".into()),
    }
}

/// Poses of two meshes of W1, all as they are, or moved to a distance.
fn poses(words: &Words) -> Result<ExitCode, Problem> {
    let model = |set: TriangleSet| -> Result<Model, Problem> {
        Ok(Model::new(&Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?)?)
    };
    let [a, b] = w1_meshes().map(model);
    let (a, b, mut tally) = (a?, b?, Tally::default());
    let gap: Option<f64> = words.after("--gap").map(str::parse).transpose()?;
    let drawn = w1_poses(W1_SEED, words.number("--count", 1000)?);
    for (number, chunk) in drawn.chunks(BATCH).enumerate() {
        let mut scene = Scene::default();
        let fixed = scene.add_body("a", 0, &a, Pose::IDENTITY, 0.0)?;
        let mut placed = Vec::new();
        for pose in chunk {
            let pose = gap.map_or(*pose, |gap| at_distance(&a, &b, *pose, gap));
            placed.push((scene.add_body("b", 0, &b, pose, 0.0)?, pose));
        }
        let mut certificate = Certificate::new(scene);
        for (body, pose) in placed {
            let begun = Instant::now();
            let hit = noli::overlap(&a.at(Pose::IDENTITY), &b.at(pose)) == Overlap::Hit;
            tally.verdicts += begun.elapsed();
            let (pairs, region) = (vec![[fixed, body]], Region::At(Vec::new()));
            let (claimed, denied) =
                (Statement::separated(pairs.clone(), region.clone()), Statement::colliding(pairs, region));
            let (claimed, denied) = if hit { (denied, claimed) } else { (claimed, denied) };
            tally.prove(&mut certificate, claimed, true);
            if number == 0 {
                tally.prove(&mut certificate, denied, false);
            }
        }
        tally.check(&certificate, words, number)?;
    }
    Ok(tally.print())
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

/// Straight motions of a robot in joint space, free and blocked ones.
fn edges(words: &Words) -> Result<ExitCode, Problem> {
    let (robot, cell) = setup::cell(words)?;
    let (ranges, length) = (ranges(&robot), words.number("--length", 0.5)?);
    let (count, size, mut tally) = (words.number("--count", 200)?, robot.variables().len(), Tally::default());
    let (mut share, mut checker) = (shares(words.number("--seed", 1)?), cell.checker());
    for number in 0..usize::div_ceil(count, BATCH) {
        let (described, own) = (CellScene::new(&cell)?, CellScene::new(&cell)?);
        let mut certificate = Certificate::new(own.scene);
        let mut denied = 0;
        for from in draw(&ranges, BATCH, &mut share).chunks_exact(size) {
            let to = step(&ranges, from, length, &mut share);
            let begun = Instant::now();
            let status = checker.check_motion(from, &to)?;
            tally.verdicts += begun.elapsed();
            let is_true = matches!(status, MotionStatus::Free);
            // Searching for a proof that does not exist takes long: a few are enough.
            denied += usize::from(!is_true);
            if !is_true && (number > 0 || denied > 3) {
                continue;
            }
            let region = Region::Along(vec![described.values(from), described.values(&to)]);
            for statement in described.collision_free(&cell, "edge", &region) {
                tally.prove(&mut certificate, statement, is_true);
            }
        }
        tally.check(&certificate, words, number)?;
    }
    Ok(tally.print())
}

/// Pairs of links that never collide within their limits.
fn pairs(words: &Words) -> Result<ExitCode, Problem> {
    let (_, cell) = setup::cell(words)?;
    let mut tally = Tally::default();
    for (number, pair) in cell.pairs().iter().enumerate() {
        let begun = Instant::now();
        let found = cell.prove(number, &ProofOptions::default());
        tally.verdicts += begun.elapsed();
        if !matches!(found.meeting, Reachability::Never) {
            continue;
        }
        let (described, own) = (CellScene::new(&cell)?, CellScene::new(&cell)?);
        let mut certificate = Certificate::new(own.scene);
        let statement = Statement::separated(described.bodies_of(pair.parts), described.limits());
        tally.prove(&mut certificate, statement, true);
        tally.check(&certificate, words, number)?;
        println!("{:?}: {} bytes", cell.pair_names(number), certificate.item_bytes());
    }
    Ok(tally.print())
}
