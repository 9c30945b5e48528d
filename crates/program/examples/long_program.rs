//! Time of a long program in a large cell, every motion proven:
//! `cargo run --release -p noli-program --example long_program [MOTIONS [TRIANGLES... [--profile]]]`.
//!
//! A PUMA 560 goes between places among bodies of that many triangles in all, three motions in four with every joint
//! evenly, the fourth a straight way back along the tool where it can be gone. Places and motions are drawn from a
//! fixed seed, the joint motions among those that are free.
#![allow(clippy::print_stdout, reason = "this is a program")]

use glam::DVec3;
use noli::{Mesh, Model, Pose};
use noli_program::run::{OnContact, PartLocation, RunOptions, WorkCell, run};
use noli_program::{Programs, RunLimits};
use noli_robot::cell::{CellBuilder, MotionStatus, StateStatus};
use noli_robot::{PumaSet, puma560};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

type Problem = Box<dyn std::error::Error>;

/// Bodies around the arm.
const BODIES: usize = 20;
/// Places it goes to.
const PLACES: usize = 60;

fn shares(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    }
}

/// The arm in a ring of spheres with bumps, together of about so many triangles.
fn workplace(triangles: usize) -> Result<(WorkCell, usize), Problem> {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err::<Mesh, _>(file.to_owned()))?;
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes)?;
    let cuts = ((triangles as f64 / (20 * BODIES) as f64).sqrt().round() as u32).max(1);
    let sphere = Mesh::sphere(0.16, cuts)?;
    let bumps = |v: &DVec3| *v * (1.0 + 0.03 * (40.0 * v.x).sin() * (37.0 * v.y).cos() * (43.0 * v.z).sin());
    let vertices = sphere.vertices().iter().map(bumps).collect();
    let mesh = Mesh::from_triangles(vertices, sphere.triangles().to_vec(), &Default::default())?;
    let (count, model) = (mesh.triangle_count(), Model::new(mesh)?);
    for k in 0..BODIES {
        let angle = std::f64::consts::TAU * k as f64 / (BODIES / 2) as f64;
        let (radius, z) = if k < BODIES / 2 { (0.75, -0.25) } else { (0.7, 0.65) };
        let place = DVec3::new(radius * angle.cos(), radius * angle.sin(), z);
        plan.add_obstacle(&format!("sphere{k}"), &model, Pose::from_translation(place))?;
    }
    // Plain bodies stand for the links and reach into each other at elbow and wrist.
    plan.disable("link2", "link4", "stand-ins meet at the elbow")?;
    plan.disable("link4", "link6", "stand-ins meet at the wrist")?;
    let flange = robot.link("link6").ok_or("the arm has a link6")?;
    Ok((WorkCell::new(plan, robot, "", Pose::IDENTITY, flange), count * BODIES))
}

/// A program of so many motions, and where the arm starts.
fn program(work: &WorkCell, motions: usize) -> Result<(String, Vec<f64>), Problem> {
    let parts: Vec<PartLocation> = Vec::new();
    let cell = work.cell(&parts, None)?;
    let (mut checker, mut share) = (cell.checker(), shares(7));
    let mut places: Vec<Vec<f64>> = Vec::new();
    while places.len() < PLACES {
        let within = |range: Option<[f64; 2]>, share: f64| {
            let [low, high] = range.unwrap_or([-3.0, 3.0]);
            low + (high - low) * share
        };
        let values: Vec<f64> =
            work.robot.variables().iter().map(|variable| within(variable.limits.range, share())).collect();
        if checker.check_state(&values)? == StateStatus::Free {
            places.push(values);
        }
    }
    let mut paths: Vec<Vec<usize>> = vec![Vec::new(); PLACES];
    for a in 0..PLACES {
        for b in 0..a {
            if checker.check_motion(&places[a], &places[b])? == MotionStatus::Free {
                paths[a].push(b);
                paths[b].push(a);
            }
        }
    }
    let mut text = String::new();
    for (k, values) in places.iter().enumerate() {
        let degrees: Vec<String> = values.iter().map(|value| format!("{:.12}", value.to_degrees())).collect();
        writeln!(text, "SET #p{k} = #PPOINT({})", degrees.join(", "))?;
    }
    // From some places the arm cannot go back along its tool, or meets something.
    let mut backs = [false; PLACES];
    for (k, values) in places.iter().enumerate() {
        let programs = format!("{text}MOVE #p{k}\nDEPARTS 20").parse::<Programs>()?;
        let from = WorkCell { start: values.clone(), ..work.clone() };
        let done =
            run(&from, &programs, &programs.list[0].name, &RunOptions { profile: 0, ..Default::default() })?;
        backs[k] = done.outcome.is_ok();
    }
    let first = (0..PLACES).max_by_key(|&k| paths[k].len()).unwrap_or(0);
    let mut at = first;
    for k in 0..motions {
        if k % 4 == 3 && backs[at] {
            writeln!(text, "DEPARTS {}", if k % 8 == 3 { 20 } else { 10 })?;
            continue;
        }
        at = paths[at].get((share() * paths[at].len() as f64) as usize).copied().unwrap_or(first);
        writeln!(text, "MOVE #p{at}")?;
    }
    Ok((text, places[first].clone()))
}

/// The most memory this program ever had, in megabytes, where the system tells.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1000.0
}

fn main() -> Result<(), Problem> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let profile =
        if words.iter().any(|word| word == "--profile") { RunOptions::default().profile } else { 0 };
    let mut numbers = words.iter().filter(|word| !word.starts_with("--")).map(|word| word.parse::<usize>());
    let motions = numbers.next().transpose()?.unwrap_or(10_000);
    let mut sizes = numbers.collect::<Result<Vec<_>, _>>()?;
    if sizes.is_empty() {
        sizes = vec![200_000];
    }
    for size in sizes {
        let start = Instant::now();
        let (mut work, triangles) = workplace(size)?;
        let (text, from) = program(&work, motions)?;
        work.start = from;
        let programs = text.parse::<Programs>()?;
        let prepared = start.elapsed().as_secs_f64();
        let limits = RunLimits { steps: 1_000_000, seconds: 1e7, ..RunLimits::default() };
        // A straight way back may meet something: that is noted, and the program goes on.
        let options = RunOptions { on_contact: OnContact::Warn, limits, profile, ..RunOptions::default() };
        let start = Instant::now();
        let done = run(&work, &programs, &programs.list[0].name, &options)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Err(error) = &done.outcome {
            println!("ended early: {error}");
        }
        let segments: usize = done.driven.iter().map(|driven| driven.keys.len() - 1).sum();
        let free = done.driven.iter().filter(|driven| driven.free_until >= 1.0).count();
        println!(
            "{triangles} triangles: {} motions ({segments} stretches) in {seconds:.2} s, {:.0} motions and {:.0} \
             stretches a second; {free} proven free, {} contacts, {} undecided; cycle {:.0} s; prepared in \
             {prepared:.2} s; most memory {:.0} MB",
            done.driven.len(),
            done.driven.len() as f64 / seconds,
            segments as f64 / seconds,
            done.contacts.len(),
            done.undecided,
            done.seconds,
            most_memory(),
        );
    }
    Ok(())
}
