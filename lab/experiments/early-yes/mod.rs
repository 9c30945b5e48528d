//! Spheres inside solids as an early yes: workload W1 near contact and deep.

use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use noli::{Mesh, Model, Overlap, Pose, QueryContext, Scratch};
use noli_scenes::{W1_PHASES, W1_SEED, bumpy_sphere, w1_deep_poses, w1_poses};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    frequency: u32,
    poses: usize,
    rounds: usize,
}

#[derive(Deserialize)]
struct Printed {
    deep_speedup: f64,
    near_slowdown: f64,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, goal): (Config, Printed) = (session.config()?, session.printed()?);
    session.step("preparing the workload");
    let solid = |phase: f64| -> Result<Model> {
        let set = bumpy_sphere(config.frequency, phase);
        let mesh = Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?.into_solid();
        Ok(Model::from(&mesh))
    };
    let [a, b] = [solid(W1_PHASES[0])?, solid(W1_PHASES[1])?];
    let start = Instant::now();
    let spheres = a.inner_spheres().len() + b.inner_spheres().len();
    let found_ms = 1e3 * start.elapsed().as_secs_f64();
    let columns =
        ["poses", "hits", "faces only, µs", "with spheres, µs", "ratio of medians", "ratio of means"];
    let mut table =
        Table::new("Time of noli::overlap, medians over poses of the median over rounds", columns);
    let mut ratios = Vec::new();
    for (name, poses) in [
        ("W1, near contact", w1_poses(W1_SEED, config.poses)),
        ("W1d, deep", w1_deep_poses(W1_SEED, config.poses)),
    ] {
        session.step(name);
        let (without, with) = times(&a, &b, &poses, config.rounds)?;
        let hits = poses
            .iter()
            .filter(|pose| noli::overlap(&a.at(Pose::IDENTITY), &b.at(**pose)) == Overlap::Hit)
            .count();
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let of_medians = median(without.clone()) / median(with.clone());
        ratios.push(of_medians);
        table.row(
            name,
            [
                Cell::Ours(hits as f64),
                Cell::Ours(median(without.clone())),
                Cell::Ours(median(with.clone())),
                Cell::Ours(of_medians),
                Cell::Ours(mean(&without) / mean(&with)),
            ],
        );
    }
    session.table(table);
    session.finding(
        format!("Deep pairs are answered at least {} times as fast", goal.deep_speedup),
        Verdict::of(ratios[1] >= goal.deep_speedup),
        format!("{:.1} times.", ratios[1]),
    );
    session.finding(
        "Pairs near contact are answered at most a twentieth slower",
        Verdict::of(1.0 / ratios[0] <= goal.near_slowdown),
        format!("{:.3} times the time.", 1.0 / ratios[0]),
    );
    session
        .note(format!("{spheres} spheres in both bodies, found in {found_ms:.1} ms when first asked for."));
    Ok(())
}

/// Microseconds for each pose without and with spheres, in turn; the verdicts must agree.
fn times(a: &Model, b: &Model, poses: &[Pose], rounds: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let mut scratch = Scratch::default();
    let mut all = [vec![Vec::new(); poses.len()], vec![Vec::new(); poses.len()]];
    for _ in 0..=rounds {
        let mut verdicts = [Vec::new(), Vec::new()];
        for which in 0..2 {
            for (i, pose) in poses.iter().enumerate() {
                let start = Instant::now();
                let context = QueryContext::new(&mut scratch);
                let mut context = if which == 0 { context.surfaces_only() } else { context };
                let verdict = context.overlap(&a.at(Pose::IDENTITY), &b.at(*pose));
                all[which][i].push(1e6 * start.elapsed().as_secs_f64());
                verdicts[which].push(verdict);
            }
        }
        ensure!(verdicts[0] == verdicts[1], "spheres change a verdict");
    }
    let [without, with] = all.map(|times| times.into_iter().map(median).collect());
    Ok((without, with))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
