//! Ways out of generated assemblies for several seeds: time, length, clearance, and a second look at many poses.
//!
//! `cargo run --release -p noli-plan --example paths -- [NAME:PART[:WITHOUT]]... [--seeds N] [--poses N] [--steps N]`

use noli::{Model, Pose, World};
use noli_plan::{Effort, RemovalResult, RemoveOptions, RigidSpace, Strategy, remove};
use rayon::prelude::*;
use std::time::Instant;

/// Searches, `NAME:PART[:WITHOUT]` each, with their number and time limit.
struct Settings {
    cases: Vec<String>,
    seeds: u64,
    poses: u32,
    steps: u64,
    detail: u32,
}

impl Settings {
    fn read() -> Self {
        let mut all = Self { cases: Vec::new(), seeds: 3, poses: 2000, steps: 60_000, detail: 1 };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).expect("a number");
            match argument.as_str() {
                "--seeds" => all.seeds = number(),
                "--poses" => all.poses = number() as u32,
                "--steps" => all.steps = number(),
                "--detail" => all.detail = number() as u32,
                _ => all.cases.push(argument),
            }
        }
        if all.cases.is_empty() {
            all.cases = bundled_cases();
        }
        all
    }
}

fn bundled_cases() -> Vec<String> {
    let mut cases: Vec<String> = Vec::new();
    let puzzles = ["bugtrap", "alpha-puzzle", "alpha-tight", "knotted-tube", "double-l", "flange"];
    let turned = ["headlight.screw_cover", "auxiliary.bayonet_cover"];
    cases.extend(turned.iter().map(|part| format!("engine-bay-turned:{part}")));
    cases.extend(turned.iter().map(|part| format!("engine-bay-sealed:{part}")));
    let covers = ["bayonet", "threaded", "past-bracket", "bugtrap-shut"];
    cases.extend(puzzles.iter().chain(&covers).map(|name| format!("{name}:part")));
    cases.push("linked-tori:left".to_owned());
    cases.push("peg-in-hole:peg".to_owned());
    for lamp in ["headlight", "auxiliary"] {
        cases.push(format!("engine-bay:{lamp}.cover"));
        cases.push(format!("engine-bay:{lamp}.bulb:{lamp}.cover"));
        cases.push(format!("engine-bay:{lamp}.bulb"));
    }
    cases
}

/// The result of a search in words; a path is tested at so many poses, and proven again.
fn result(space: &RigidSpace, found: &RemovalResult, poses: u32) -> String {
    let names =
        |by: &[noli::world::BodyId]| by.iter().map(|id| space.name(*id)).collect::<Vec<_>>().join(", ");
    match found {
        RemovalResult::Path(path) => {
            let begun = Instant::now();
            let free = |k: u32| {
                let pose: Pose = path.pose(f64::from(k) / f64::from(poses));
                space.meets(&pose).is_empty()
            };
            let met = (1..=poses).into_par_iter().filter(|&k| !free(k)).count();
            let proven = if space.prove_path(&path.poses).is_ok() { "proven again" } else { "REFUTED" };
            format!(
                "{:?}: length {:.1}, turned {:.0} deg, clearance {:.4}..{:.4}, {} poses; {met} of {poses} poses meet ({:.1} s), {proven}",
                path.how,
                path.length,
                path.turned.to_degrees(),
                path.clearance.at_least,
                path.clearance.at_most,
                path.poses.len(),
                begun.elapsed().as_secs_f64()
            )
        }
        RemovalResult::Infeasible(blocked) => {
            format!("blocked, {:?} by {}", blocked.argument, names(&blocked.by))
        }
        _ => "not found".to_owned(),
    }
}

fn main() {
    let Settings { cases, seeds, poses, steps, detail } = Settings::read();
    for case in cases {
        let mut parts = case.split(':');
        let (name, part) = (parts.next().unwrap_or(""), parts.next().unwrap_or("part"));
        let without: Vec<&str> = parts.collect();
        let assembly = noli_scenes::assembly(name, detail).expect("an assembly of that name");
        let mut world = World::default();
        for part in assembly.parts.iter().filter(|part| !without.contains(&part.name.as_str())) {
            world.add(part.name.clone(), &Model::from(&part.mesh), part.pose).expect("a sound part");
        }
        let id = world.find(part).expect("a part of that name");
        let space = RigidSpace::new(&world, &[id], &[]).expect("a part that can move");
        for seed in 1..=seeds {
            let start = Instant::now();
            let effort = Effort { steps, seed, ..Default::default() };
            let removal = remove(&space, &RemoveOptions { effort, ..Default::default() });
            let took = start.elapsed().as_secs_f64();
            let told = result(&space, &removal.found, poses);
            #[expect(clippy::print_stdout, reason = "an example")]
            {
                println!("{case} seed {seed}: {took:.2} s, {} steps; {told}", removal.steps);
            }
            // Only the search by random trees depends on the seed.
            let is_search =
                matches!(&removal.found, RemovalResult::Path(path) if path.how == Strategy::Search);
            if !is_search && removal.steps < 20_000 {
                break;
            }
        }
    }
}
