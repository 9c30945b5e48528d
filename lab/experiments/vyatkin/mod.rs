//! Functionally defined objects: cost of hits and misses, the printed claim of constant time, and how often a search at
//! quasi-random points misses a contact.

mod bars;
mod frames;
mod graphs;
mod scenes;
mod throughput;

use crate::{Cell, Session, Table, Verdict};
use anyhow::{Result, ensure};
use glam::dvec3;
use noli::Pose;
use noli_classics::fields::{BarQuery, bar_search};
use noli_implicit::shapes::{self, Perturbed, Quadric};
use noli_implicit::{Field, FieldQuery, FieldVerdict, field_overlap};
use serde::Deserialize;

#[derive(Deserialize)]
struct Config {
    digits: i32,
    digits_alone: i32,
    distances: u32,
    poses: u32,
    points: u64,
    starts: u64,
    shapes: usize,
    graph_poses: usize,
    grid: usize,
    rounds: usize,
}

#[derive(Deserialize)]
struct Printed {
    spread: f64,
    /// Time of the recursive search, and the arithmetic of its machine.
    recursive_s: f64,
    recursive_mflops: f64,
    /// Arithmetic of the machine of the known algorithm, and its times.
    baseline_mflops: f64,
    baseline: Vec<Baseline>,
}

/// A printed time of the known algorithm.
#[derive(Deserialize)]
struct Baseline {
    scene: String,
    /// The objects collide.
    hit: bool,
    /// Quasi-random starts.
    starts: f64,
    seconds: f64,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    session.step("known clearances");
    session.table(clearances(&config)?);
    session.step("distances");
    distances(session, &config, &printed);
    bars::run(session, &config, &printed)?;
    scenes::run(session, &config, &printed)?;
    frames::run(session, &config)?;
    graphs::run(session, &config)?;
    throughput::run(session, &config)
}

/// Cells for spheres and a ring at known clearances and depths, with and without mixtures.
fn clearances(config: &Config) -> Result<Table> {
    let columns = [
        "clearance",
        "spheres free, mixtures",
        "spheres free, alone",
        "spheres hit, mixtures",
        "spheres hit, alone",
        "ring free",
        "ring hit",
    ];
    let mut table = Table::new(
        "Cells looked at: two spheres, a ring and a sphere; clearance (free) and depth (hit)",
        columns,
    );
    let sphere = Field::new(&shapes::sphere(0.4));
    let ring = Field::new(&shapes::torus(1.0, 0.25));
    let away = dvec3(0.6, -0.48, 0.64);
    for digits in 1..=config.digits {
        let clearance = 10f64.powi(-digits);
        let spheres = |clearance: f64, combine: bool| {
            // Alone, cells must be as small as the clearance.
            if !combine && digits > config.digits_alone {
                return Ok(Cell::Text("-".to_owned()));
            }
            let query = FieldQuery { combine, cells: 10_000_000, ..Default::default() };
            cells_of([&sphere, &sphere], Pose::from_translation(away * (0.8 + clearance)), clearance, &query)
        };
        let ring_and_sphere = |clearance: f64| {
            let pose = Pose::from_translation(dvec3(0.35 - clearance, 0.0, 0.0));
            cells_of([&ring, &sphere], pose, clearance, &FieldQuery::default())
        };
        let cells = [
            spheres(clearance, true)?,
            spheres(clearance, false)?,
            spheres(-clearance, true)?,
            spheres(-clearance, false)?,
            ring_and_sphere(clearance)?,
            ring_and_sphere(-clearance)?,
        ];
        table.row(format!("1e-{digits}"), cells);
    }
    Ok(table)
}

fn cells_of([a, b]: [&Field; 2], pose: Pose, clearance: f64, query: &FieldQuery<'_>) -> Result<Cell> {
    let found = field_overlap(&a.at(Pose::IDENTITY), &b.at(pose), query);
    match found.verdict {
        FieldVerdict::Free => ensure!(clearance > 0.0, "a contact of depth {} was missed", -clearance),
        FieldVerdict::Hit { .. } => {
            ensure!(clearance < 0.0, "a clearance of {clearance} was called a contact")
        }
        FieldVerdict::Unknown { .. } => return Ok(Cell::Text(format!("undecided ({})", found.cells))),
    }
    Ok(Cell::Ours(found.cells as f64))
}

/// The claim of constant time: boxes over many distances.
fn distances(session: &mut Session<'_>, config: &Config, printed: &Printed) {
    let center = dvec3(-0.31, 0.13, -0.07);
    let direction = dvec3(0.8, 0.36, 0.48);
    let places: Vec<f64> =
        (0..config.distances).map(|i| 0.1 + 1.2 * f64::from(i) / f64::from(config.distances)).collect();
    let bars = |even_aware: bool| -> Vec<(bool, u64)> {
        let query = BarQuery { even_aware, ..Default::default() };
        let sphere = |c| Perturbed { base: Quadric::sphere(c, 0.4), bumps: Vec::new(), power: 3 };
        let search = |&place: &f64| bar_search(&sphere(center), &sphere(center + direction * place), &query);
        places.iter().map(search).map(|found| (found.candidate.is_some(), found.boxes)).collect()
    };
    let sphere = Field::new(&shapes::sphere(0.4));
    let best_first = |&place: &f64| {
        let pose = Pose::from_translation(direction * place);
        let found = field_overlap(&sphere.at(Pose::IDENTITY), &sphere.at(pose), &FieldQuery::default());
        (found.verdict != FieldVerdict::Free, found.cells)
    };
    let printed_path = bars(false);
    let columns = ["search", "hits", "boxes, hits: least", "most", "boxes, misses: least", "most"];
    let mut table = Table::new("Two spheres of radius 0.4 over many distances", columns);
    for (name, counts) in [
        ("bars, as printed (mended)", &printed_path),
        ("bars, even-aware", &bars(true)),
        ("best-first, mixtures", &places.iter().map(best_first).collect()),
    ] {
        let hits = counts.iter().filter(|(hit, _)| *hit).count();
        let ranges = [true, false].map(|hit| range(counts, hit)).into_iter().flatten();
        table.row(name, [Cell::Ours(hits as f64)].into_iter().chain(ranges.map(|n| Cell::Ours(n as f64))));
    }
    session.table(table);
    let [[least, most], misses] = [true, false].map(|hit| range(&printed_path, hit));
    session.finding(
        format!(
            "However objects collide, the time of the search differs by at most {} %",
            100.0 * printed.spread
        ),
        Verdict::of((most - least) as f64 <= printed.spread * most as f64),
        format!(
            "Its boxes, which take alike long, run from {least} to {most} for hits and from {} to {} for misses.",
            misses[0], misses[1]
        ),
    );
    session.note(
        "The objects of the 150 ms are shown in a figure and not given; two spheres at many distances, and quadrics with bumps, stand in. Boxes are counted: they do not depend on other work of the machine.",
    );
}

/// The fewest and the most boxes of hits or of misses; zeros where there are none.
fn range(counts: &[(bool, u64)], hit: bool) -> [u64; 2] {
    let all = || counts.iter().filter(|(h, _)| *h == hit).map(|(_, n)| *n);
    [all().min().unwrap_or(0), all().max().unwrap_or(0)]
}
