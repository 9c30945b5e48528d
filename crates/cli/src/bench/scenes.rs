//! What checking whole assemblies costs, from a hundred bodies to five thousand.

use crate::output::{self, Progress, Table};
use anyhow::{Result, ensure};
use noli::{CheckOptions, Standing};
use noli_geom::Relation;
use noli_io::{LoadedScene, StageOptions, stage};
use noli_scenes::Assembly;
use serde::Serialize;
use std::sync::OnceLock;
use std::time::Instant;

/// About so many bodies.
const SIZES: [usize; 6] = [100, 250, 500, 1000, 2500, 5000];
/// The engine bay then has about 1,200 triangles a body.
const DETAIL: u32 = 2;

#[derive(Serialize)]
struct Row {
    bodies: usize,
    triangles: usize,
    /// Whether copies of a part share its model.
    shared: bool,
    pairs: usize,
    candidates: usize,
    crossing: usize,
    inside: usize,
    touching: usize,
    prepare_s: f64,
    broad_s: f64,
    compare_s: f64,
    model_mb: f64,
    /// The most memory the process had so far; nothing where the system does not tell.
    peak_mb: Option<f64>,
}

#[derive(Serialize)]
struct Report {
    workload: &'static str,
    threads: usize,
    rows: Vec<Row>,
}

pub(super) fn run(most: usize, json: bool) -> Result<()> {
    let bay = noli_scenes::engine_bay(DETAIL);
    let sizes: Vec<usize> = SIZES.into_iter().filter(|&size| size <= most).collect();
    let progress = Progress::new(2 * sizes.len());
    let mut rows = Vec::new();
    // Shared models first: they take less, and the peak only ever rises.
    for shared in [true, false] {
        for &size in &sizes {
            progress.step(&format!("{size} bodies"));
            let field = bay.copies(size.div_ceil(bay.parts.len()) as u32);
            rows.push(measure(&field, shared)?);
        }
    }
    drop(progress);
    let workload = "copies of the engine bay, all pairs";
    let report = Report { workload, threads: rayon::current_num_threads(), rows };
    if json { output::print_json(&report) } else { output::print(&text(&report)) }
}

fn measure(field: &Assembly, shared: bool) -> Result<Row> {
    let scene = scene(field, shared);
    let (start, compared) = (Instant::now(), OnceLock::new());
    let staged = stage(&scene, &StageOptions::default())?;
    let prepared = start.elapsed();
    // Pairs are compared once all are found.
    let progress = |_, _| {
        compared.get_or_init(|| start.elapsed());
    };
    let result = staged.world.check(&CheckOptions { progress: Some(&progress), ..Default::default() })?;
    let (found, end) = (compared.get().copied().unwrap_or_else(|| start.elapsed()), start.elapsed());
    let planted = |relation| field.planted.iter().filter(|planted| planted.relation == relation).count();
    let expected = [Relation::Crossing, Relation::Inside, Relation::Touching].map(planted);
    let meeting @ [crossing, inside, touching] =
        [Standing::Crossing, Standing::Inside, Standing::Touching].map(|standing| result.count(standing));
    let bodies = scene.bodies.len();
    ensure!(meeting == expected, "{bodies} bodies: {meeting:?} pairs meet, planted were {expected:?}");
    Ok(Row {
        bodies,
        triangles: field.triangle_count(),
        shared,
        pairs: result.pairs,
        candidates: result.findings.len(),
        crossing,
        inside,
        touching,
        prepare_s: prepared.as_secs_f64(),
        broad_s: (found - prepared).as_secs_f64(),
        compare_s: (end - found).as_secs_f64(),
        model_mb: staged.model_bytes() as f64 / 1e6,
        peak_mb: peak_mb(),
    })
}

/// The parts in place; with their own copy of each mesh unless models are to be shared.
fn scene(field: &Assembly, shared: bool) -> LoadedScene {
    let mut field = field.clone();
    for part in field.parts.iter_mut().filter(|_| !shared) {
        part.mesh = part.mesh.with_vertices(part.mesh.vertices().to_vec()).expect("they were valid before");
    }
    LoadedScene::of_assembly(&field, DETAIL)
}

/// Linux tells the most memory that a process had.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1e3)
}

fn text(report: &Report) -> String {
    let header = [
        "models",
        "bodies",
        "triangles",
        "pairs",
        "candidates",
        "meeting",
        "prepare",
        "broad",
        "compare",
        "total",
        "meshes + trees",
        "peak so far",
    ];
    let mut table = Table::new(1, header);
    for row in &report.rows {
        let seconds = |s: f64| format!("{s:.2} s");
        table.row([
            if row.shared { "shared" } else { "own" }.to_owned(),
            row.bodies.to_string(),
            row.triangles.to_string(),
            row.pairs.to_string(),
            row.candidates.to_string(),
            (row.crossing + row.inside + row.touching).to_string(),
            seconds(row.prepare_s),
            seconds(row.broad_s),
            seconds(row.compare_s),
            seconds(row.prepare_s + row.broad_s + row.compare_s),
            format!("{:.0} MB", row.model_mb),
            row.peak_mb.map_or("-".to_owned(), |peak| format!("{peak:.0} MB")),
        ]);
    }
    let about = "every planted clash was found, and nothing else";
    format!("{}, {} threads; {about}\n\n{table}", report.workload, report.threads)
}
