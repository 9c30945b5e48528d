//! Batches on a card beside the processor's threads, in the same run; what both answered is compared.

use super::on_one_thread;
use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::Table;
use anyhow::{Context, Result, ensure};
use noli::answer::Bracket;
use noli::query::ClearanceQuery;
use noli::{Mesh, Model, Overlap, Pose, batch};
use noli_geom::MeshOptions;
use noli_gpu::{BatchReport, Device, PoseSource, Poses, Row as PoseRow};
use serde::Serialize;
use std::time::Instant;

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The most poses of a row.
    pub poses: usize,
    /// Whether a machine without a card is an error; otherwise its processor answers the batches.
    pub needs_card: bool,
}

/// Rates by workload. Verdicts of both sides were equal.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// The card.
    pub device: String,
    /// Threads of the processor.
    pub threads: usize,
    /// One workload each.
    pub rows: Vec<Row>,
    /// Where verdicts differ.
    pub failures: Vec<String>,
}

/// One workload.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// What was asked.
    pub name: String,
    /// How many poses.
    pub poses: usize,
    /// Poses a second by the card's own clock; 0 without a card.
    pub kernel_rate: f64,
    /// Poses a second from call to answer.
    pub rate: f64,
    /// Poses a second on all threads of the processor.
    pub threads_rate: f64,
    /// Poses a second on one thread.
    pub thread_rate: f64,
    /// Share of poses that the card left to the processor.
    pub unsure: f64,
    /// Share of hits, where that was asked.
    pub hits: f64,
    /// How many answers were compared.
    pub compared: usize,
}

#[derive(Clone, Copy, Debug)]
enum Asked {
    Overlap,
    Closer(f64),
    Clearance,
}

struct Case {
    name: &'static str,
    models: [Model; 2],
    asked: Asked,
    source: PoseSource,
    poses: usize,
    /// Poses are made on the card instead of being sent there.
    drawn: bool,
}

impl Plan {
    /// Ask the same of card and processor. No card is an error, unless it is not needed.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        let device =
            if self.needs_card { Device::open().context("the batches need a card")? } else { Device::best() };
        let cases = self.cases()?;
        let threads = rayon::current_num_threads();
        let mut report = Report {
            workload: "gpu",
            device: device.name().to_owned(),
            threads,
            rows: Vec::new(),
            failures: Vec::new(),
        };
        for case in &cases {
            progress(case.name, cases.len());
            let (row, wrong) = case.run(&device)?;
            if wrong > 0 {
                report.failures.push(format!("{}: {wrong} of {} answers differ", case.name, row.compared));
            }
            report.rows.push(row);
        }
        Ok(report)
    }

    fn cases(&self) -> Result<Vec<Case>> {
        let around = PoseSource { seed: 42, nearest: 1.85, furthest: 2.25 };
        let near = PoseSource { seed: 43, nearest: 1.98, furthest: 2.06 };
        let deep = PoseSource { seed: 44, nearest: 0.5, furthest: 1.5 };
        let boxes = PoseSource { seed: 45, nearest: 0.3, furthest: 1.8 };
        let w1 = spheres(59)?;
        let solids = w1.clone().map(|model| solid(&model));
        let cuboid = |x, y, z| Mesh::cuboid(glam::dvec3(x, y, z)).map(Model::from);
        let case = |name, models: &[Model; 2], asked, source, most: usize, drawn| Case {
            name,
            models: models.clone(),
            asked,
            source,
            poses: self.poses.min(most),
            drawn,
        };
        Ok(vec![
            case("W1 overlap, poses made on the card", &w1, Asked::Overlap, around, usize::MAX, true),
            case("W1 overlap, poses sent", &w1, Asked::Overlap, around, 1 << 25, false),
            case("W1 overlap, near contact", &w1, Asked::Overlap, near, 1 << 25, true),
            case("W1 closer than 0.01", &w1, Asked::Closer(0.01), around, 1 << 24, true),
            case("W1 clearance", &w1, Asked::Clearance, around, 1 << 22, true),
            case("W1 deep, solids", &solids, Asked::Overlap, deep, 1 << 22, true),
            case("720 x 720 triangles", &spheres(6)?, Asked::Overlap, around, 1 << 25, true),
            case(
                "two boxes of 12 triangles",
                &[cuboid(1.0, 1.0, 1.0)?, cuboid(0.2, 0.5, 2.0)?],
                Asked::Overlap,
                boxes,
                1 << 25,
                true,
            ),
            case("1 M x 1 M triangles", &spheres(224)?, Asked::Overlap, around, 1 << 24, true),
        ])
    }
}

impl Case {
    /// The figures, and how many answers differ from the processor's.
    fn run(&self, device: &Device) -> Result<(Row, usize)> {
        let [fixed, moving] = [device.load(&self.models[0])?, device.load(&self.models[1])?];
        let numbers = 0..self.poses as u64;
        let rows: Vec<PoseRow> = if self.drawn {
            Vec::new()
        } else {
            numbers.clone().map(|k| row_of(&self.source.pose(k))).collect()
        };
        let poses = if self.drawn { Poses::Drawn(self.source, numbers) } else { Poses::Rows(&rows) };
        let (mut verdicts, mut gaps) = (vec![Overlap::Unknown; self.poses], Vec::new());
        let mut ask = |poses: &Poses<'_>| -> Result<BatchReport> {
            let (fixed, count) = ((&fixed, &Pose::IDENTITY), poses.len());
            Ok(match self.asked {
                Asked::Overlap => device.overlap_poses(fixed, &moving, poses, &mut verdicts[..count])?,
                Asked::Closer(margin) => {
                    device.closer_than_poses(fixed, &moving, poses, margin, &mut verdicts[..count])?
                }
                Asked::Clearance => {
                    gaps.resize(self.poses, Bracket::OPEN);
                    device.clearance_poses(fixed, &moving, poses, &mut gaps[..count])?
                }
            })
        };
        ask(&Poses::Drawn(self.source, 0..self.poses.min(10_000) as u64))?;
        let start = Instant::now();
        let report = ask(&poses)?;
        let rate = self.poses as f64 / start.elapsed().as_secs_f64();
        ensure!(!report.cancelled, "nobody cancels");

        let (on_threads, on_one) = match self.asked {
            Asked::Clearance => (100_000, 5_000),
            Asked::Overlap | Asked::Closer(_) => (4_000_000, 100_000),
        };
        let (threads_rate, wrong, compared) = self.on_processor(on_threads, &verdicts, &gaps)?;
        let (thread_rate, ..) = on_one_thread(|| self.on_processor(on_one, &verdicts, &gaps))?;
        let hits = verdicts.iter().filter(|&&verdict| verdict == Overlap::Hit).count();
        let kernel_rate =
            if report.kernel_seconds > 0.0 { self.poses as f64 / report.kernel_seconds } else { 0.0 };
        let row = Row {
            name: self.name.to_owned(),
            poses: self.poses,
            kernel_rate,
            rate,
            threads_rate,
            thread_rate,
            unsure: report.unsure as f64 / self.poses as f64,
            hits: hits as f64 / self.poses as f64,
            compared,
        };
        Ok((row, wrong))
    }

    /// Poses a second, how many of the given answers are wrong, and of how many.
    fn on_processor(
        &self,
        most: usize,
        verdicts: &[Overlap],
        gaps: &[Bracket],
    ) -> Result<(f64, usize, usize)> {
        let count = self.poses.min(most);
        let numbers: Vec<u64> = (0..count as u64).collect();
        let [a, b] = &self.models;
        let start = Instant::now();
        let (wrong, seconds) = if let Asked::Clearance = self.asked {
            let mut truth = vec![Bracket::OPEN; count];
            batch(&numbers, &mut truth, |&k, ask| {
                ask.clearance(&a.at(Pose::IDENTITY), &b.at(self.source.pose(k)), &ClearanceQuery::default())
                    .gap
            })?;
            let seconds = start.elapsed().as_secs_f64();
            let meet = |x: &Bracket, y: &Bracket| x.at_least <= y.at_most && y.at_least <= x.at_most;
            (truth.iter().zip(gaps).filter(|(x, y)| !meet(x, y)).count(), seconds)
        } else {
            let mut truth = vec![Overlap::Unknown; count];
            batch(&numbers, &mut truth, |&k, ask| {
                let (a, b) = (a.at(Pose::IDENTITY), b.at(self.source.pose(k)));
                if let Asked::Closer(margin) = self.asked {
                    ask.closer_than(&a, &b, margin)
                } else {
                    ask.overlap(&a, &b)
                }
            })?;
            let seconds = start.elapsed().as_secs_f64();
            (truth.iter().zip(verdicts).filter(|(x, y)| x != y).count(), seconds)
        };
        Ok((count as f64 / seconds, wrong, count))
    }
}

/// The bumpy spheres of W1, coarser or finer.
fn spheres(cuts: u32) -> Result<[Model; 2]> {
    let sphere = |phase: f64| -> Result<Model> {
        let set = noli_scenes::bumpy_sphere(cuts, phase);
        Ok(Model::from(Mesh::from_triangles(set.vertices, set.triangles, &MeshOptions::default())?))
    };
    Ok([sphere(0.3)?, sphere(1.1)?])
}

fn solid(model: &Model) -> Model {
    model.mesh().map_or_else(|| model.clone(), |mesh| Model::from(mesh.clone().into_solid()))
}

fn row_of(pose: &Pose) -> PoseRow {
    let ([x, y, z, w], [a, b, c]) = (pose.rotation.to_array(), pose.translation.to_array());
    [x, y, z, w, a, b, c]
}

impl Measured for Report {
    fn page(&self) -> Page {
        let header = [
            "asked",
            "poses",
            "kernel",
            "end to end",
            "all threads",
            "one thread",
            "ratio",
            "unsure",
            "hits",
            "compared",
        ];
        let mut table = Table::new("poses a second", header);
        for row in &self.rows {
            let rate = |x: f64| match x {
                0.0 => "-".to_owned(),
                x if x >= 1e6 => format!("{:.2} M", x * 1e-6),
                x => format!("{:.1} k", x * 1e-3),
            };
            let cells = [
                row.poses.to_string(),
                rate(row.kernel_rate),
                rate(row.rate),
                rate(row.threads_rate),
                rate(row.thread_rate),
                format!("{:.1}x", row.rate / row.threads_rate),
                format!("{:.1e}", row.unsure),
                format!("{:.1} %", row.hits * 100.0),
                row.compared.to_string(),
            ];
            add_row(&mut table, row.name.clone(), cells);
        }
        let heading =
            format!("{}: {} beside {} threads of the processor", self.workload, self.device, self.threads);
        let remarks =
            vec!["ratio: end to end over all threads; compared: answers that the processor gave too".into()];
        Page { heading, tables: vec![table], remarks }
    }

    fn failures(&self) -> &[String] {
        &self.failures
    }
}
