//! Robots in cages and on shelves: configurations and proven paths, on a GPU, on all threads, on one.

use super::super::on_one_thread;
use super::{OnCpu, OnGpu, Row};
use crate::data_folder;
use anyhow::Result;
use noli::{Model, Overlap, Pose};
use noli_gpu::Device;
use noli_project::{RobotOptions, list_problems, load_robot, load_srdf};
use noli_robot::cell::{Cell, CellBuilder};
use noli_scenes::SplitMix64;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(super) struct Case {
    pub(super) name: String,
    cell: Arc<Cell>,
    states: usize,
}

/// Robots among the bodies of published problems; none where the data is not there.
pub(super) fn cases(most: usize) -> Result<Vec<Case>> {
    let data = data_folder();
    let robots = data.join("robots");
    let problems = data.join("planning/motionbenchmaker");
    if !robots.is_dir() || !problems.is_dir() {
        return Ok(Vec::new());
    }
    let panda = robots.join("moveit_resources_panda_description");
    let ur5 = robots.join("ur5_robotiq85");
    let problems = list_problems(&problems)?;
    let mut cases = Vec::new();
    for (robot, urdf, srdf, sets) in [
        (
            "Panda",
            panda.join("urdf/panda.urdf"),
            panda.join("srdf/panda.srdf"),
            &["cage_panda", "bookshelf_small_panda", "table_pick_panda", "box_panda"][..],
        ),
        ("UR5", ur5.join("ur5.urdf"), ur5.join("ur5.srdf"), &["cage_panda"][..]),
    ] {
        if !urdf.is_file() {
            continue;
        }
        let mut packages = vec![robots.clone()];
        packages.extend(urdf.ancestors().skip(1).take(3).map(Path::to_owned));
        let loaded = load_robot(&urdf, &RobotOptions { packages, ..RobotOptions::default() })?;
        let shared = Arc::new(loaded.robot.clone());
        for set in sets {
            let Some(files) = problems.iter().find(|files| files.set == *set) else { continue };
            let mut plan = CellBuilder::default();
            let arm = plan.add_robot("", shared.clone(), Pose::IDENTITY, &loaded.shapes)?;
            if srdf.is_file() {
                plan.apply_srdf(arm, &load_srdf(&srdf, &shared)?);
            }
            let problem = files.read()?;
            for body in &problem.bodies {
                plan.add_obstacle(&body.name, &Model::new(body.shape.clone())?, body.pose)?;
            }
            for [a, b] in &problem.allowed {
                // Links without a shape are no parts, so nothing can be said of them.
                let _ = plan.disable(a, b, "allowed by the problem");
            }
            let name = format!("{robot} in {set}");
            cases.push(Case { name, cell: Arc::new(plan.build()), states: most.min(1 << 22) });
        }
    }
    Ok(cases)
}

impl Case {
    /// Runs configurations within limits, then paths between neighbours of a tenth of the range.
    pub(super) fn run(&self, device: &Device) -> Result<Vec<Row>> {
        self.cell.prepare();
        let paths = self.states / 8;
        let states = self.draw(self.states, 7);
        let (from, far) = (&states[..paths * self.cell.value_count()], self.draw(paths, 8));
        let to: Vec<f64> = from.iter().zip(&far).map(|(a, b)| a + (b - a) * 0.1).collect();
        let loaded = device.load_cell(self.cell.clone())?;
        let cpu = Device::cpu();
        let own = cpu.load_cell(self.cell.clone())?;
        let mut rows = Vec::new();
        for is_path in [false, true] {
            let ask = |device: &Device, cell, count: usize, answers: &mut [Overlap]| {
                let values = count * self.cell.value_count();
                if is_path {
                    device.connect_states(cell, &from[..values], &to[..values], answers)
                } else {
                    device.overlap_states(cell, &states[..values], answers)
                }
            };
            let (count, compared, alone) =
                if is_path { (paths, 20_000, 1_000) } else { (self.states, 1_000_000, 20_000) };
            let mut answers = vec![Overlap::Unknown; count];
            let warm = count.min(4096);
            ask(device, &loaded, warm, &mut answers[..warm])?;
            let start = Instant::now();
            let report = ask(device, &loaded, count, &mut answers)?;
            let seconds = start.elapsed().as_secs_f64();
            let compared = compared.min(count);
            let mut truth = vec![Overlap::Unknown; compared];
            let start = Instant::now();
            ask(&cpu, &own, compared, &mut truth)?;
            let threads_rate = compared as f64 / start.elapsed().as_secs_f64();
            let wrong = truth.iter().zip(&answers).filter(|(own, gpu)| own != gpu).count();
            let alone = alone.min(count);
            let start = Instant::now();
            on_one_thread(|| Ok(ask(&cpu, &own, alone, &mut truth[..alone])?))?;
            let thread_rate = alone as f64 / start.elapsed().as_secs_f64();
            let hits = answers.iter().filter(|&&answer| answer == Overlap::Hit).count();
            let name = format!("{}, {}", self.name, if is_path { "proven ways" } else { "configurations" });
            let own = OnCpu { threads_rate, thread_rate, compared, wrong };
            let gpu = OnGpu { count, seconds, report, hits, model_bytes: loaded.bytes() };
            rows.push(Row::new(name, &gpu, &own)?);
        }
        Ok(rows)
    }

    fn draw(&self, count: usize, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        let mut all = Vec::with_capacity(count * self.cell.value_count());
        for _ in 0..count {
            for robot in self.cell.robots() {
                let first = all.len();
                all.extend(robot.variables().iter().map(|variable| {
                    let [low, high] =
                        variable.limits.range.unwrap_or([-std::f64::consts::PI, std::f64::consts::PI]);
                    low + (high - low) * ((random.next_u64() >> 11) as f64 * 0.5f64.powi(53))
                }));
                robot.apply_laws(&mut all[first..]);
            }
        }
        all
    }
}
