//! Ways out of generated assemblies for several seeds: time, length, clearance, and a second look at many poses.
//!
//! `cargo run --release -p noli-plan --example ways -- [NAME:PART[:WITHOUT]]... [--seeds N] [--poses N] [--steps N]`

use noli::{Model, Pose, World};

use noli_plan::{Effort, RemovalResult, RemoveOptions, RigidSpace, remove};
use rayon::prelude::*;
use std::time::Instant;

fn main() {
    let mut cases: Vec<String> = Vec::new();
    let (mut seeds, mut poses, mut steps, mut detail) = (3u64, 2000u32, 60_000u64, 1u32);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).expect("a number");
        match argument.as_str() {
            "--seeds" => seeds = number(),
            "--poses" => poses = number() as u32,
            "--steps" => steps = number(),
            "--detail" => detail = number() as u32,
            _ => cases.push(argument),
        }
    }
    if cases.is_empty() {
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
    }
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
            let names = |by: &[noli::world::BodyId]| {
                by.iter().map(|id| space.name(*id)).collect::<Vec<_>>().join(", ")
            };
            let told = match &removal.found {
                RemovalResult::Path(path) => {
                    let begun = Instant::now();
                    let free = |k: u32| {
                        let pose: Pose = path.pose(f64::from(k) / f64::from(poses));
                        space.meets(&pose).is_empty()
                    };
                    let met = (1..=poses).into_par_iter().filter(|&k| !free(k)).count();
                    let proven =
                        if space.prove_path(&path.poses).is_ok() { "proven again" } else { "REFUTED" };
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
            };
            #[expect(clippy::print_stdout, reason = "an example")]
            {
                println!("{case} seed {seed}: {took:.2} s, {} steps; {told}", removal.steps);
            }
            if !matches!(&removal.found, RemovalResult::Path(path) if path.how == noli_plan::Strategy::Search)
                && removal.steps < 20_000
            {
                break;
            }
        }
    }
}
