//! A long run of random fast motions, each held against dense sampling by the exact static test:
//! `cargo run --release -p noli --example motions -- [MOTIONS] [SAMPLES] [SEED]`.
//!
//! Thin blades, pegs, boxes and bumpy spheres; up to 12 radians in one motion; every third time both bodies move.
//! Fails if a contact is sampled before `safe_until`, in a motion called free, or if bodies are not within the
//! tolerance at `touching_by`.
#![allow(clippy::print_stdout, reason = "a command-line tool: its output is its purpose")]

use noli::motion::{Motion, Still};
use noli::{Impact, Mesh, MeshError, Model, Moving, Overlap, Pose, clearance, overlap, time_of_impact};
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid, random_motion, tetrahedron};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map_while(|text| text.parse::<u64>().ok());
    let motions = arguments.next().unwrap_or(10_000);
    let samples = arguments.next().unwrap_or(1000);
    let seed = arguments.next().unwrap_or(1);
    match run(motions, samples, seed) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(motions: u64, samples: u64, seed: u64) -> Result<u64, MeshError> {
    let models = models()?;
    let mut random = SplitMix64::new(seed);
    let (mut free, mut at_start, mut hits, mut proven, mut wrong) = (0, 0, 0, 0, 0);
    let mut widest = 0.0f64;
    for number in 0..motions {
        let [a, b] = [0, 1].map(|_| &models[(random.unit() * models.len() as f64) as usize]);
        let (moving, other) = (random_motion(&mut random, 12.0), random_motion(&mut random, 4.0));
        let still = Still(Pose::from_rotation(random.rotation()));
        let first: &dyn Motion = if number % 3 == 0 { &other } else { &still };
        let (a, b) = (a.moving(first), b.moving(&moving));
        let found = time_of_impact(&a, &b);
        if let Some(fault) = fault(&a, &b, &found, samples) {
            println!("motion {number}: {fault}: {found:?}");
            wrong += 1;
        }
        match found {
            Impact::Free => free += 1,
            Impact::AtStart(_) => at_start += 1,
            Impact::At { time, touch } => {
                hits += 1;
                proven += u64::from(touch.proven);
                widest = widest.max(time.width());
            }
            Impact::Unknown { .. } => wrong += 1,
        }
    }
    println!(
        "{motions} motions, {samples} samples each, seed {seed}: {free} free, {at_start} touching at the start, \
         {hits} impacts ({proven} proven by an overlap, widest bracket {widest:.1e}); {wrong} wrong"
    );
    Ok(wrong)
}

/// Returns the fault of an answer, if any.
fn fault(
    a: &Moving<'_>,
    b: &Moving<'_>,
    found: &Impact<noli::answer::Touch>,
    samples: u64,
) -> Option<String> {
    let safe = if found.is_hit() { found.safe_until() } else { 2.0 };
    let mut times = (0..=samples).map(|k| k as f64 / samples as f64).take_while(|&t| t < safe);
    if let Some(t) = times.find(|&t| overlap(&a.at(t), &b.at(t)) == Overlap::Hit) {
        return Some(format!("contact at {t}"));
    }
    if let Impact::At { time, .. } = found {
        let gap = clearance(&a.at(time.touching_by), &b.at(time.touching_by)).distance.at_most;
        return (gap > 4e-6).then(|| format!("clearance {gap} at the end of the bracket"));
    }
    None
}

fn models() -> Result<Vec<Model>, MeshError> {
    let blade = cuboid(glam::DVec3::new(1.0, 0.01, 0.2));
    let peg = cuboid(glam::DVec3::new(0.02, 0.02, 1.0));
    let sets = [tetrahedron(), blade, peg, bumpy_sphere(4, 0.3), bumpy_sphere(12, 1.1)];
    sets.into_iter().map(model).collect()
}

fn model(set: TriangleSet) -> Result<Model, MeshError> {
    let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?;
    Ok(Model::new(&mesh).unwrap())
}
