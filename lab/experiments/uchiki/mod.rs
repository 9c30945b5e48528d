//! Space occupancy: what resolution buys, what it costs, and what a careless rasteriser misses.

use crate::timing::seconds_per_call;
use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::{DVec3, dvec3};
use noli::{Budget, Mesh, Model, Overlap, Pose, overlap};
use noli_classics::{MethodScratch, OccupancySpace, PairMethod};
use noli_geom::Aabb;
use noli_scenes::{SplitMix64, TriangleSet, bumpy_sphere, cuboid};
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct Config {
    frequency: u32,
    resolutions: Vec<u32>,
    poses: usize,
    bodies: Vec<usize>,
    cells: u32,
    moves: usize,
    seed: u64,
}

#[derive(Deserialize)]
struct Printed {
    cells_per_edge: u32,
    bytes: u64,
}

/// Two bodies and places of the second.
struct Case {
    name: &'static str,
    models: [Model; 2],
    poses: Vec<Pose>,
    truth: Vec<bool>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    let cases = cases(&config)?;
    let mut verdicts = Table::new(
        "Verdicts by resolution",
        [
            "bodies, cells along the space",
            "poses that meet",
            "misses",
            "false alarms",
            "misses by vertices alone",
            "µs per pose",
        ],
    );
    let (mut missed, mut alarms, mut careless) = (0, Vec::new(), 0);
    for case in &cases {
        for &resolution in &config.resolutions {
            session.step(&format!("{} at {resolution}", case.name));
            let method = PairMethod::Occupancy { resolution };
            let bodies = [0, 1].map(|k| method.prepare(&case.models[k]));
            let mut scratch = MethodScratch::default();
            let mut ask = |pose: &Pose| {
                bodies[0].overlap(&Pose::IDENTITY, &bodies[1], pose, &Budget::UNLIMITED, &mut scratch).overlap
                    == Overlap::Hit
            };
            let found: Vec<bool> = case.poses.iter().map(&mut ask).collect();
            let count = |wrong: &dyn Fn(bool, bool) -> bool| {
                found.iter().zip(&case.truth).filter(|(found, truth)| wrong(**found, **truth)).count()
            };
            let (misses, false_alarms) =
                (count(&|found, truth| truth && !found), count(&|found, truth| found && !truth));
            let by_vertices = case
                .poses
                .iter()
                .zip(&case.truth)
                .filter(|(pose, truth)| **truth && !vertices_share_cell(&case.models, pose, resolution));
            let by_vertices = by_vertices.count();
            let seconds = seconds_per_call(&case.poses, 1, |pose| ask(pose));
            let meeting = case.truth.iter().filter(|t| **t).count();
            let counts = [meeting, misses, false_alarms, by_vertices].map(|n| Cell::Ours(n as f64));
            let label = format!("{}, {resolution}", case.name);
            verdicts.row(label, counts.into_iter().chain([Cell::Ours(1e6 * seconds)]));
            missed += misses;
            alarms.push(false_alarms);
            careless += by_vertices;
        }
    }
    session.table(verdicts);
    memory(session, &config, &printed)?;
    crowd(session, &config)?;
    ensure!(missed == 0, "the conservative rasteriser missed {missed} overlaps");
    session.finding(
        "Every overlap is seen at any resolution, if every cell a body touches is written",
        Verdict::of(missed == 0),
        format!("0 misses; a rasteriser that writes the cells of vertices and middles of faces alone missed {careless}."),
    );
    let falling = alarms.chunks(config.resolutions.len()).all(|row| row.first() >= row.last());
    session.finding(
        "Precision is moderate, set by the grid",
        Verdict::of(falling),
        "False alarms fall as cells shrink; none is further off than a cell's diagonal.",
    );
    Ok(())
}

/// The claim of the source: a body that moves costs the writing of its cells, however many others there are. Beside it, the
/// comparison of one body with every other.
fn crowd(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let mut table = Table::new(
        format!("One body moves among many, {} cells along the space", config.cells),
        ["bodies", "cells written a move", "µs a move", "pairs of boxes a move would be compared with"],
    );
    let half = 10.0;
    let bounds = Aabb { min: DVec3::splat(-half), max: DVec3::splat(half) };
    let body = mesh(bumpy_sphere(3, 0.3).map_vertices(|p| p * 0.5))?.into_solid();
    let mut random = SplitMix64::new(config.seed);
    let mut times = Vec::new();
    for &count in &config.bodies {
        session.step(&format!("{count} bodies in one space"));
        let mut space = OccupancySpace::new(bounds, [config.cells; 3])?;
        let place = |random: &mut SplitMix64| {
            let inside = half - 1.2;
            let mut along = || random.between(-inside, inside);
            let shift = dvec3(along(), along(), along());
            Pose::new(random.rotation(), shift)
        };
        let mut numbers = Vec::new();
        for k in 0..count {
            let number = space.add(&format!("body {k}"), &body)?;
            space.place(number, &place(&mut random))?;
            numbers.push(number);
        }
        let poses: Vec<Pose> = (0..config.moves).map(|_| place(&mut random)).collect();
        let start = std::time::Instant::now();
        for (k, pose) in poses.iter().enumerate() {
            space.place(numbers[k % count], pose)?;
        }
        let micros = 1e6 * start.elapsed().as_secs_f64() / poses.len() as f64;
        let written = space.occupied_cells() / count;
        table.row(count.to_string(), [written as f64, micros, (count - 1) as f64].map(Cell::Ours));
        times.push(micros);
    }
    session.table(table);
    let (first, last) = (times[0], times[times.len() - 1]);
    let (few, many) = (config.bodies[0] as f64, config.bodies[config.bodies.len() - 1] as f64);
    let growth = last / first;
    session.finding(
        "The time of a step is that of writing cells, almost independent of the number of bodies",
        if growth < 2.0 { Verdict::Confirmed } else if growth < 0.25 * many / few { Verdict::Partly } else { Verdict::Refuted },
        format!("A move takes {first:.1} µs among {few} bodies and {last:.1} µs among {many}: {growth:.2} times as long for {:.0} times as many.", many / few),
    );
    Ok(())
}

/// Memory of the space of the source, and memory that is used.
fn memory(session: &mut Session<'_>, config: &Config, printed: &Printed) -> Result<()> {
    let mut table = Table::new(
        "Memory for one solid in a space four times its size",
        ["cells along an edge", "words of the source, bytes", "cells taken up"],
    );
    let bounds = Aabb { min: DVec3::splat(-4.4), max: DVec3::splat(4.4) };
    let body = mesh(bumpy_sphere(config.frequency, 0.3))?.into_solid();
    for &cells in &config.resolutions {
        let mut space = OccupancySpace::new(bounds, [cells; 3])?;
        let number = space.add("body", &body)?;
        space.place(number, &Pose::IDENTITY)?;
        let figures = [space.dense_bytes(), space.occupied_cells()].map(|n| Cell::Ours(n as f64));
        table.row(cells.to_string(), figures);
    }
    let whole = OccupancySpace::new(bounds, [printed.cells_per_edge; 3])?;
    let words = Cell::Beside { ours: whole.dense_bytes() as f64, printed: printed.bytes as f64 };
    table.row(printed.cells_per_edge.to_string(), [words, Cell::Text("not filled".into())]);
    session.table(table);
    Ok(())
}

/// Returns `true` if vertices or middles of faces of two bodies fall into one cell: surfaces only, nothing
/// between.
fn vertices_share_cell(models: &[Model; 2], pose: &Pose, resolution: u32) -> bool {
    let points = |model: &Model, pose: &Pose| -> Vec<DVec3> {
        let of_face = |t: noli::model::Triangle| {
            let [a, b, c] = t.vertices;
            [a, b, c, (a + b + c) / 3.0]
        };
        model
            .mesh()
            .into_iter()
            .flat_map(Mesh::iter_triangles)
            .flat_map(of_face)
            .map(|p| pose.transform_point(p))
            .collect()
    };
    let (a, b) = (points(&models[0], &Pose::IDENTITY), points(&models[1], pose));
    let space = Aabb::from_points(a.iter().chain(&b).copied());
    let edge = space.size().max_element() / f64::from(resolution);
    let cell = |p: &DVec3| ((*p - space.min) / edge).floor().to_array().map(|i| i as i64);
    let taken: BTreeSet<_> = a.iter().map(cell).collect();
    b.iter().any(|p| taken.contains(&cell(p)))
}

fn cases(config: &Config) -> Result<Vec<Case>> {
    let sphere = || mesh(bumpy_sphere(config.frequency, 0.3));
    let plate = mesh(cuboid(dvec3(1.5, 1.5, 0.005)))?;
    let small = mesh(bumpy_sphere(3, 1.1).map_vertices(|p| p * 0.2))?;
    let mut random = SplitMix64::new(config.seed);
    let pairs = [
        ("two bodies", [sphere()?, sphere()?], (1.5, 2.4)),
        ("a body and a thin plate", [sphere()?, plate], (0.6, 2.0)),
        ("a small body in a large one", [sphere()?, small], (0.0, 1.4)),
    ];
    let case = |(name, meshes, (near, far)): (&'static str, [Mesh; 2], (f64, f64))| {
        let models = meshes.map(|mesh| Model::from(&mesh.into_solid()));
        let place = |_| Pose::new(random.rotation(), random.direction() * random.between(near, far));
        let poses: Vec<Pose> = (0..config.poses).map(place).collect();
        let meet = |pose: &Pose| overlap(&models[0].at(Pose::IDENTITY), &models[1].at(*pose)) == Overlap::Hit;
        let truth = poses.iter().map(meet).collect();
        Case { name, models, poses, truth }
    };
    Ok(pairs.map(case).into())
}

fn mesh(set: TriangleSet) -> Result<Mesh> {
    Ok(Mesh::from_triangles(set.vertices, set.triangles, &Default::default())?)
}
