//! Poses of two bodies: on a card, on all threads, on one; what they answered is compared.

use super::super::on_one_thread;
use super::data_folder;
use anyhow::{Result, ensure};
use noli::answer::Bracket;
use noli::query::ClearanceQuery;
use noli::{Mesh, Model, Overlap, Pose, batch};
use noli_geom::MeshOptions;
use noli_gpu::{BatchReport, Device, PoseSource, Poses, Row as PoseRow};
use noli_io::{ReadOptions, read_mesh};
use serde::Serialize;
use std::time::Instant;

/// One workload of poses.
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
    /// Bytes that the models hold on the card.
    pub model_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
enum Asked {
    Overlap,
    Closer(f64),
    Clearance,
}

pub(super) struct Case {
    pub(super) name: String,
    models: [Model; 2],
    asked: Asked,
    source: PoseSource,
    poses: usize,
    /// Poses are made on the card instead of being sent there.
    drawn: bool,
    /// How many answers the processor gives too.
    compared: usize,
}

/// Everything that is asked, of at most so many poses.
pub(super) fn cases(most: usize) -> Result<Vec<Case>> {
    let around = PoseSource { seed: 42, nearest: 1.85, furthest: 2.25 };
    let near = PoseSource { seed: 43, nearest: 1.98, furthest: 2.06 };
    let deep = PoseSource { seed: 44, nearest: 0.5, furthest: 1.5 };
    let boxes = PoseSource { seed: 45, nearest: 0.3, furthest: 1.8 };
    let w1 = spheres(59)?;
    let solids = w1.clone().map(|model| solid(&model));
    let cuboid = |x, y, z| Mesh::cuboid(glam::dvec3(x, y, z)).map(Model::from);
    let case = |name: &str, models: &[Model; 2], asked, source, own: usize, drawn| Case {
        name: name.to_owned(),
        models: models.clone(),
        asked,
        source,
        poses: most.min(own),
        drawn,
        compared: if let Asked::Clearance = asked { 100_000 } else { 4_000_000 },
    };
    let two_boxes = [cuboid(1.0, 1.0, 1.0)?, cuboid(0.2, 0.5, 2.0)?];
    let mut all = vec![
        case("W1 overlap, poses made on the card", &w1, Asked::Overlap, around, usize::MAX, true),
        case("W1 overlap, poses sent", &w1, Asked::Overlap, around, 1 << 25, false),
        case("W1 overlap, near contact", &w1, Asked::Overlap, near, 1 << 25, true),
        case("W1 closer than 0.01", &w1, Asked::Closer(0.01), around, 1 << 24, true),
        case("W1 clearance", &w1, Asked::Clearance, around, 1 << 22, true),
        case("W1 deep, solids", &solids, Asked::Overlap, deep, 1 << 22, true),
        case("720 x 720 triangles", &spheres(6)?, Asked::Overlap, around, 1 << 25, true),
        case("two boxes of 12 triangles", &two_boxes, Asked::Overlap, boxes, 1 << 25, true),
        case("1 M x 1 M triangles", &spheres(224)?, Asked::Overlap, around, 1 << 24, true),
    ];
    // All of these, and every pose near contact.
    (all[0].compared, all[2].compared) = (10_000_000, usize::MAX);
    // The gap sets of W1: distances at which gaps are about these.
    for (gap, nearest) in [(0.1, 2.2), (0.01, 2.1)] {
        let source = PoseSource { seed: 46, nearest, furthest: nearest + gap };
        let name = format!("W1 overlap, apart by about {gap}");
        all.push(case(&name, &w1, Asked::Overlap, source, 1 << 24, true));
    }
    let meshes = [
        ["armadillo.off", "bunny00.off"],
        ["rotor_small.off", "helmet.off"],
        ["fandisk.off", "couplingdown.off"],
    ];
    for pair in meshes {
        let Some(models) = read(pair)? else { continue };
        let name = format!("{} x {}", pair[0], pair[1]);
        let source = PoseSource { seed: 47, nearest: 0.2, furthest: 1.2 };
        all.push(case(&name, &models, Asked::Overlap, source, 1 << 24, true));
    }
    Ok(all)
}

/// Two published meshes, each as large as a ball of radius 0.5 about the origin; `None` where they are not there.
fn read(names: [&str; 2]) -> Result<Option<[Model; 2]>> {
    let folder = data_folder().join("meshes");
    if names.iter().any(|name| !folder.join(name).is_file()) {
        return Ok(None);
    }
    let model = |name: &str| -> Result<Model> {
        let mesh = read_mesh(folder.join(name), &ReadOptions::default())?;
        let bounds = mesh.aabb();
        let (middle, size) = (bounds.center(), 1.0 / bounds.size().length());
        let vertices = mesh.vertices().iter().map(|&p| (p - middle) * size).collect();
        let triangles = mesh.triangles().to_vec();
        Ok(Model::from(Mesh::from_triangles(vertices, triangles, &MeshOptions::default())?))
    };
    Ok(Some([model(names[0])?, model(names[1])?]))
}

impl Case {
    /// The figures, and how many answers differ from the processor's.
    pub(super) fn run(&self, device: &Device) -> Result<(Row, usize)> {
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

        let on_one = if let Asked::Clearance = self.asked { 5_000 } else { 100_000 };
        let (threads_rate, wrong, compared) = self.on_processor(self.compared, &verdicts, &gaps)?;
        let (thread_rate, ..) = on_one_thread(|| self.on_processor(on_one, &verdicts, &gaps))?;
        let hits = verdicts.iter().filter(|&&verdict| verdict == Overlap::Hit).count();
        let kernel_rate =
            if report.kernel_seconds > 0.0 { self.poses as f64 / report.kernel_seconds } else { 0.0 };
        let row = Row {
            name: self.name.clone(),
            poses: self.poses,
            kernel_rate,
            rate,
            threads_rate,
            thread_rate,
            unsure: report.unsure as f64 / self.poses as f64,
            hits: hits as f64 / self.poses as f64,
            compared,
            model_bytes: fixed.bytes() + moving.bytes(),
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
