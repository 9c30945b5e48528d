//! Measures robots on a GPU against the CPU: configurations drawn on the device, configurations that are given, edges,
//! and the answers of both compared.
//!
//! ```text
//! robots DATA [panda|ur5|panda-cloud] [drawn in millions] [compared in millions] [edges in thousands]
//! ```
//!
//! `panda-cloud` is the Panda among 10,000 points with a radius of 1 cm, on a table, a shelf and walls.
//! `DATA` holds `robots` and `planning` as the tests have them.
#![allow(clippy::print_stdout, reason = "an example: its output is its purpose")]

use glam::dvec3;
use noli::{Model, Overlap, PointCloud, Pose};
use noli_gpu::{Device, LoadedCell, StateSource};
use noli_robot::cell::{Cell, CellBuilder, StateStatus};
use noli_scenes::SplitMix64;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn panda(data: &Path) -> Outcome<CellBuilder> {
    let robots = data.join("robots");
    let folder = robots.join("moveit_resources_panda_description");
    let options = noli_project::RobotOptions { packages: vec![robots], ..Default::default() };
    let loaded = noli_project::load_robot(folder.join("urdf/panda.urdf"), &options)?;
    let robot = Arc::new(loaded.robot.clone());
    let srdf = noli_project::load_srdf(folder.join("srdf/panda.srdf"), &robot)?;
    let mut plan = CellBuilder::default();
    let arm = plan.add_robot("", robot, Pose::IDENTITY, &loaded.shapes)?;
    plan.apply_srdf(arm, &srdf);
    Ok(plan)
}

fn panda_in_cage(data: &Path) -> Outcome<Cell> {
    let mut plan = panda(data)?;
    add_cage(&mut plan, data)?;
    Ok(plan.build())
}

/// Among points on a table, a shelf and two walls, as the example `cloud_rates` of `noli-project` has them.
fn panda_among_points(data: &Path) -> Outcome<Cell> {
    let mut random = SplitMix64::new(5);
    let mut between =
        |low: f64, high: f64| low + (high - low) * (random.next_u64() >> 11) as f64 * 0.5f64.powi(53);
    let points = (0..10_000).map(|k| match k % 4 {
        0 => dvec3(between(0.3, 0.9), between(-0.6, 0.6), 0.1),
        1 => dvec3(0.8, between(-0.6, 0.6), between(0.1, 1.1)),
        2 => dvec3(between(0.5, 0.8), between(-0.6, 0.6), 0.7),
        _ => dvec3(between(-0.6, 0.6), -0.7, between(0.0, 1.2)),
    });
    let cloud = PointCloud::new(points.collect(), 0.01)?;
    let mut plan = panda(data)?;
    plan.add_obstacle("cloud", &Model::new(cloud)?, Pose::IDENTITY)?;
    Ok(plan.build())
}

fn add_cage(plan: &mut CellBuilder, data: &Path) -> Outcome<()> {
    let problems = noli_project::list_problems(data.join("planning/motionbenchmaker"))?;
    let files = problems.iter().find(|files| files.set == "cage_panda").ok_or("no problem of the cage")?;
    for body in &files.read()?.bodies {
        plan.add_obstacle(&body.name, &Model::new(body.shape.clone())?, body.pose)?;
    }
    Ok(())
}

fn ur5(data: &Path) -> Outcome<Cell> {
    let folder = data.join("robots/ur5_robotiq85");
    let options = noli_project::RobotOptions { packages: vec![data.join("robots")], ..Default::default() };
    let loaded = noli_project::load_robot(folder.join("ur5.urdf"), &options)?;
    let robot = Arc::new(loaded.robot.clone());
    let mut plan = CellBuilder::default();
    let arm = plan.add_robot("", robot.clone(), Pose::IDENTITY, &loaded.shapes)?;
    let srdf = folder.join("ur5.srdf");
    if srdf.exists() {
        plan.apply_srdf(arm, &noli_project::load_srdf(srdf, &robot)?);
    }
    add_cage(&mut plan, data)?;
    Ok(plan.build())
}

/// Prints how many configurations a second a device counts.
fn drawn(name: &str, device: &Device, cell: &LoadedCell, millions: f64) -> Outcome<()> {
    let source = StateSource::new(cell.cell(), 7);
    let count = (millions * 1e6) as u64;
    // Kernels are compiled, and buffers made, by the first batch.
    device.tally_states(cell, &source, 0..count.min(1 << 20))?;
    let start = Instant::now();
    let tally = device.tally_states(cell, &source, 0..count)?;
    let (seconds, all) = (start.elapsed().as_secs_f64(), count as f64);
    let report = tally.report;
    println!(
        "{name}: {:.1} M configurations/s ({:.2} s, device {:.2} s), {:.1} % in collision, unsure {:.2e}, \
         near pairs {:.2}, pairs of trees {:.4} a configuration, first hit {:?}",
        all / seconds * 1e-6,
        seconds,
        report.kernel_seconds,
        100.0 * tally.hits as f64 / all,
        report.unsure as f64 / all,
        report.near_pairs as f64 / all,
        report.tree_pairs as f64 / all,
        tally.first_hit,
    );
    Ok(())
}

/// Compares verdicts one by one, and counts.
fn compared(gpu: (&Device, &LoadedCell), millions: f64) -> Outcome<()> {
    let (device, cell) = gpu;
    let source = StateSource::new(cell.cell(), 11);
    let block = 1_000_000;
    let blocks = ((millions * 1e6) as u64).div_ceil(block);
    let (mut different, mut seconds) = (0, 0.0);
    for number in 0..blocks {
        let numbers = number * block..(number + 1) * block;
        let mut rows = Vec::with_capacity(block as usize * source.value_count());
        numbers.clone().for_each(|number| source.draw(number, &mut rows));
        let mut answers = vec![Overlap::Unknown; block as usize];
        let start = Instant::now();
        device.overlap_states(cell, &rows, &mut answers)?;
        seconds += start.elapsed().as_secs_f64();
        let truth = cell.cell().check_states(&rows)?;
        let verdict = |status: &StateStatus| match status {
            StateStatus::Free => Overlap::Free,
            StateStatus::Hit(_) => Overlap::Hit,
            StateStatus::Unknown(_) => Overlap::Unknown,
        };
        different += answers.iter().zip(&truth).filter(|(own, truth)| **own != verdict(truth)).count();
        let tally = device.tally_states(cell, &source, numbers)?;
        let hits = truth.iter().filter(|status| matches!(status, StateStatus::Hit(_))).count();
        different += usize::from(tally.hits != hits as u64);
    }
    println!(
        "compared with the CPU: {} configurations, {different} different; given {:.1} M/s",
        blocks * block,
        (blocks * block) as f64 / seconds * 1e-6
    );
    if different > 0 { Err("answers differ".into()) } else { Ok(()) }
}

/// Prints how many short edges a second a device proves or refutes, and compares some with the CPU.
fn edges(gpu: (&Device, &LoadedCell), cpu: (&Device, &LoadedCell), thousands: f64) -> Outcome<()> {
    let (cell, count) = (gpu.1, (thousands * 1e3) as usize);
    let (near, far) = (StateSource::new(cell.cell(), 3), StateSource::new(cell.cell(), 4));
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for number in 0..count as u64 {
        near.draw(number, &mut from);
        far.draw(number, &mut to);
    }
    to.iter_mut().zip(&from).for_each(|(to, from)| *to = from + (*to - from) * 0.1);
    let few = (count / 8).max(1) * near.value_count();
    let mut answers = [vec![Overlap::Unknown; count], vec![Overlap::Unknown; (count / 8).max(1)]];
    for (k, (name, (device, cell))) in [("GPU", gpu), ("CPU", cpu)].into_iter().enumerate() {
        let end = if k == 0 { from.len() } else { few };
        let own = &mut answers[k];
        device.connect_states(cell, &from[..end.min(few)], &to[..end.min(few)], &mut own[..count / 8])?;
        let start = Instant::now();
        let report = device.connect_states(cell, &from[..end], &to[..end], own)?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "edges, {name}: {:.3} M/s, {:.1} % free, unsure {:.2e}",
            own.len() as f64 / seconds * 1e-6,
            100.0 * own.iter().filter(|answer| **answer == Overlap::Free).count() as f64 / own.len() as f64,
            report.unsure as f64 / own.len() as f64
        );
    }
    let different = answers[0].iter().zip(&answers[1]).filter(|(a, b)| a != b).count();
    println!("edges compared: {}, {different} different", answers[1].len());
    if different > 0 { Err("answers differ".into()) } else { Ok(()) }
}

fn main() -> Outcome<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let data = given.first().ok_or(
        "robots DATA [panda|ur5|panda-cloud] [millions drawn] [millions compared] [thousands of edges]",
    )?;
    let name = given.get(1).map_or("panda", String::as_str);
    let amount = |at: usize, usual: f64| given.get(at).map_or(Ok(usual), |text| text.parse::<f64>());
    let (most, some, paths) = (amount(2, 1000.0)?, amount(3, 10.0)?, amount(4, 100.0)?);
    let data = Path::new(data);
    let cell = Arc::new(match name {
        "panda" => panda_in_cage(data)?,
        "panda-cloud" => panda_among_points(data)?,
        "ur5" => ur5(data)?,
        _ => return Err(format!("no robot {name}: panda, ur5 or panda-cloud").into()),
    });
    let (gpu, cpu) = (Device::best(), Device::cpu());
    let start = Instant::now();
    cell.prepare();
    println!("{name}: tables {:.2} s", start.elapsed().as_secs_f64());
    let (on_gpu, on_cpu) = (gpu.load_cell(cell.clone())?, cpu.load_cell(cell.clone())?);
    println!(
        "{name} on {}: {} pairs of bodies, {} values, {} bytes on the device, {} threads",
        gpu.name(),
        cell.body_pairs().len(),
        cell.value_count(),
        on_gpu.bytes(),
        rayon::current_num_threads()
    );
    drawn("drawn, GPU", &gpu, &on_gpu, most)?;
    drawn("drawn, CPU", &cpu, &on_cpu, (most / 50.0).min(20.0))?;
    if some > 0.0 {
        compared((&gpu, &on_gpu), some)?;
    }
    if paths > 0.0 {
        edges((&gpu, &on_gpu), (&cpu, &on_cpu), paths)?;
    }
    Ok(())
}
