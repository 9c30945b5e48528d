//! Functionally defined objects: cost of hits and misses, the printed claim of constant time, and how often a search at
//! quasi-random points misses a contact.

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
    /// Quasi-random starts and seconds.
    baseline: Vec<[f64; 2]>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, printed): (Config, Printed) = (session.config()?, session.printed()?);
    session.step("known clearances");
    session.table(clearances(&config)?);
    session.step("distances");
    distances(session, &config, &printed);
    shapes_and_contacts(session, &config, &printed);
    scenes::run(session, &config, &printed)?;
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
        "The shapes of the source's test are not given; two spheres at many distances stand in. Boxes are counted instead of time.",
    );
}

/// The same claim as made: objects of different shapes, with and without bumps, that collide in different ways.
fn shapes_and_contacts(session: &mut Session<'_>, config: &Config, printed: &Printed) {
    let mut random = noli_scenes::SplitMix64::new(2002);
    let mut object = |bumps: usize| {
        let center = random.direction() * random.between(0.0, 0.35);
        let half = dvec3(random.between(0.2, 0.45), random.between(0.2, 0.45), random.between(0.2, 0.45));
        let bumps = (0..bumps).map(|_| {
            let at = center + random.direction() * 0.3;
            (random.between(-4.0, 4.0), Quadric::sphere(at, 0.25))
        });
        let bumps = bumps.collect();
        Perturbed { base: Quadric::ellipsoid(center, half), bumps, power: 3 }
    };
    let columns = [
        "bumps on each",
        "pairs",
        "candidates",
        "boxes: least",
        "most",
        "µs: least",
        "most",
        "spread of time, %",
    ];
    let mut table = Table::new(
        "Bars over quadrics with perturbations, shapes and contacts of many kinds; candidates alone",
        columns,
    );
    let mut spreads = Vec::new();
    for bumps in [0, 1, 3] {
        session.step(&format!("bars over quadrics with {bumps} bumps"));
        let mut found = Vec::new();
        for _ in 0..config.shapes {
            let (a, b) = (object(bumps), object(bumps));
            let started = std::time::Instant::now();
            let search = bar_search(&a, &b, &BarQuery::default());
            if search.candidate.is_some() {
                found.push((search.boxes as f64, 1e6 * started.elapsed().as_secs_f64()));
            }
        }
        let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
            let all = found.iter().map(of);
            [all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max)]
        };
        let ([fewest, most], [quickest, slowest]) = (range(&|f| f.0), range(&|f| f.1));
        let spread = if slowest > 0.0 { 1.0 - quickest / slowest } else { 0.0 };
        let figures =
            [config.shapes as f64, found.len() as f64, fewest, most, quickest, slowest, 100.0 * spread];
        table.row(bumps.to_string(), figures.map(|n| Cell::Ours(if n.is_finite() { n } else { 0.0 })));
        spreads.push(spread);
    }
    session.table(table);
    let widest = spreads.iter().copied().fold(0.0, f64::max);
    session.finding(
        "The time does not depend on the shapes of the objects and on how they collide (150 ms, at most 1 % apart)",
        Verdict::of(widest <= printed.spread),
        format!("The quickest and the slowest question with a candidate are {:.0} % apart: how soon the first box is left over depends on where it lies.", 100.0 * widest),
    );
}

/// The fewest and the most boxes of hits or of misses; zeros where there are none.
fn range(counts: &[(bool, u64)], hit: bool) -> [u64; 2] {
    let all = || counts.iter().filter(|(h, _)| *h == hit).map(|(_, n)| *n);
    [all().min().unwrap_or(0), all().max().unwrap_or(0)]
}
