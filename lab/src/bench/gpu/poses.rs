//! Poses of two bodies: on a GPU, on all threads, on one; what they answered is compared.

use super::super::on_one_thread;
use super::{OnCpu, OnGpu, Row};
use crate::data_folder;
use anyhow::Result;
use noli::answer::{Bracket, Count};
use noli::query::{ClearanceQuery, IntersectionsQuery};
use noli::{Mesh, Model, Overlap, Pose, batch};
use noli_formats::{ReadOptions, read_mesh};
use noli_geom::MeshOptions;
use noli_gpu::{BatchReport, Device, PoseSource, Poses, Row as PoseRow};
use std::time::Instant;

#[derive(Clone, Copy, Debug)]
enum Asked {
    Overlap,
    Closer(f64),
    Clearance,
    Intersections,
}

impl Asked {
    /// Default number of answers that the CPU computes too, and the number of them on one thread.
    fn compared(self) -> usize {
        if self.has_numbers() { 100_000 } else { 4_000_000 }
    }

    fn on_one_thread(self) -> usize {
        if self.has_numbers() { 5_000 } else { 100_000 }
    }

    fn has_numbers(self) -> bool {
        matches!(self, Self::Clearance | Self::Intersections)
    }
}

/// Answers of one side, GPU or CPU.
struct Answers {
    verdicts: Vec<Overlap>,
    clearances: Vec<Bracket>,
    counts: Vec<Option<u64>>,
}

impl Answers {
    fn new(asked: Asked, count: usize) -> Self {
        let of = |wanted: bool| if wanted { count } else { 0 };
        Self {
            verdicts: vec![Overlap::Unknown; of(!asked.has_numbers())],
            clearances: vec![Bracket::OPEN; of(matches!(asked, Asked::Clearance))],
            counts: vec![None; of(matches!(asked, Asked::Intersections))],
        }
    }

    /// Returns the number of answers that differ from the truth, if available; for clearances, of disjoint
    /// brackets.
    fn wrong(&self, truth: &Self) -> usize {
        let meet = |x: &Bracket, y: &Bracket| x.at_least <= y.at_most && y.at_least <= x.at_most;
        let verdicts = truth.verdicts.iter().zip(&self.verdicts).filter(|(x, y)| x != y).count();
        let clearances = truth.clearances.iter().zip(&self.clearances).filter(|(x, y)| !meet(x, y)).count();
        verdicts + clearances + truth.counts.iter().zip(&self.counts).filter(|(x, y)| x != y).count()
    }

    fn hits(&self) -> usize {
        let hits = self.verdicts.iter().filter(|&&verdict| verdict == Overlap::Hit).count();
        hits + self.counts.iter().flatten().filter(|&&count| count > 0).count()
    }
}

pub(super) struct Case {
    pub(super) name: String,
    models: [Model; 2],
    asked: Asked,
    source: PoseSource,
    poses: usize,
    /// Poses are made on the GPU instead of being sent there.
    drawn: bool,
    /// Number of answers that the CPU computes too.
    compared: usize,
}

/// Returns all cases, of at most so many poses.
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
        compared: asked.compared(),
    };
    let two_boxes = [cuboid(1.0, 1.0, 1.0)?, cuboid(0.2, 0.5, 2.0)?];
    let mut all = vec![
        case("W1 overlap, poses made on the GPU", &w1, Asked::Overlap, around, usize::MAX, true),
        case("W1 overlap, poses sent", &w1, Asked::Overlap, around, 1 << 25, false),
        case("W1 overlap, near contact", &w1, Asked::Overlap, near, 1 << 25, true),
        case("W1 closer than 0.01", &w1, Asked::Closer(0.01), around, 1 << 24, true),
        case("W1 clearance", &w1, Asked::Clearance, around, 1 << 22, true),
        case("W1 intersections, counted", &w1, Asked::Intersections, around, 1 << 22, true),
        case("W1 deep, solids", &solids, Asked::Overlap, deep, 1 << 22, true),
        case("720 x 720 triangles", &spheres(6)?, Asked::Overlap, around, 1 << 25, true),
        case("two boxes of 12 triangles", &two_boxes, Asked::Overlap, boxes, 1 << 25, true),
        case("1 M x 1 M triangles", &spheres(224)?, Asked::Overlap, around, 1 << 24, true),
    ];
    // All of these, and every pose near contact.
    (all[0].compared, all[2].compared) = (10_000_000, usize::MAX);
    // The clearance sets of W1: distances at which clearances are about these.
    for (clearance, nearest) in [(0.1, 2.2), (0.01, 2.1)] {
        let source = PoseSource { seed: 46, nearest, furthest: nearest + clearance };
        let name = format!("W1 overlap, apart by about {clearance}");
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

/// Two published meshes, each as large as a sphere of radius 0.5 about the origin; `None` where they are not there.
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
    pub(super) fn run(&self, device: &Device) -> Result<Row> {
        let [fixed, moving] = [device.load(&self.models[0])?, device.load(&self.models[1])?];
        let numbers = 0..self.poses as u64;
        let rows: Vec<PoseRow> = if self.drawn {
            Vec::new()
        } else {
            numbers.clone().map(|k| row_of(&self.source.pose(k))).collect()
        };
        let poses = if self.drawn { Poses::Drawn(self.source, numbers) } else { Poses::Rows(&rows) };
        let mut answers = Answers::new(self.asked, self.poses);
        let mut ask = |poses: &Poses<'_>| -> Result<BatchReport> {
            let (fixed, count) = ((&fixed, &Pose::IDENTITY), poses.len());
            let Answers { verdicts, clearances, counts } = &mut answers;
            Ok(match self.asked {
                Asked::Overlap => device.overlap_poses(fixed, &moving, poses, &mut verdicts[..count])?,
                Asked::Closer(margin) => {
                    device.closer_than_poses(fixed, &moving, poses, margin, &mut verdicts[..count])?
                }
                Asked::Clearance => {
                    device.clearance_poses(fixed, &moving, poses, &mut clearances[..count])?
                }
                Asked::Intersections => {
                    device.count_intersections_poses(fixed, &moving, poses, &mut counts[..count])?
                }
            })
        };
        ask(&Poses::Drawn(self.source, 0..self.poses.min(10_000) as u64))?;
        let start = Instant::now();
        let report = ask(&poses)?;
        let seconds = start.elapsed().as_secs_f64();

        let compared = self.compared.min(self.poses);
        let (threads_rate, truth) = self.on_cpu(compared)?;
        let wrong = answers.wrong(&truth);
        let alone = self.asked.on_one_thread().min(self.poses);
        let (thread_rate, _) = on_one_thread(|| self.on_cpu(alone))?;
        let own = OnCpu { threads_rate, thread_rate, compared, wrong };
        let model_bytes = fixed.bytes() + moving.bytes();
        let gpu = OnGpu { count: self.poses, seconds, report, hits: answers.hits(), model_bytes };
        Row::new(self.name.clone(), &gpu, &own)
    }

    /// Poses a second, and what the CPU answers of the first so many.
    fn on_cpu(&self, count: usize) -> Result<(f64, Answers)> {
        let numbers: Vec<u64> = (0..count as u64).collect();
        let [a, b] = &self.models;
        let placed = |k: u64| (a.at(Pose::IDENTITY), b.at(self.source.pose(k)));
        let mut truth = Answers::new(self.asked, count);
        let start = Instant::now();
        match self.asked {
            Asked::Overlap => batch(&numbers, &mut truth.verdicts, |&k, ask| {
                let (a, b) = placed(k);
                ask.overlap(&a, &b)
            }),
            Asked::Closer(margin) => batch(&numbers, &mut truth.verdicts, |&k, ask| {
                let (a, b) = placed(k);
                ask.within_distance(&a, &b, margin)
            }),
            Asked::Clearance => batch(&numbers, &mut truth.clearances, |&k, ask| {
                let (a, b) = placed(k);
                ask.clearance(&a, &b, &ClearanceQuery::default()).distance
            }),
            Asked::Intersections => batch(&numbers, &mut truth.counts, |&k, ask| {
                let ((a, b), mut count) = (placed(k), Count::default());
                let query = IntersectionsQuery { segments: false, ..IntersectionsQuery::default() };
                // Without a budget all are counted.
                let _ = ask.intersections(&a, &b, &query, &mut count);
                Some(count.0)
            }),
        }?;
        Ok((count as f64 / start.elapsed().as_secs_f64(), truth))
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
