//! How times and sizes grow with the number of triangles.

use super::measure::{Samples, timed};
use super::ours::Ours;
use super::workload::{Question, mesh};
use crate::output::{self, Progress, Table, short};
use anyhow::Result;
use noli::{Effort, Instructions, Mesh, Model, ModelOptions};
use noli_scenes::{W1_PHASES, W1_SEED, bumpy_sphere, w1_poses};
use serde::Serialize;

/// Cuts per icosahedron edge: 20·f² triangles, from a thousand to five million.
const FREQUENCIES: [u32; 8] = [7, 16, 22, 50, 71, 158, 224, 500];
const POSES: usize = 200;
const PASSES: usize = 3;

/// One size of mesh; times in microseconds, medians over poses.
#[derive(Serialize)]
struct Row {
    triangles: usize,
    build_ms: f64,
    build_quick_ms: f64,
    tree_bytes_per_triangle: f64,
    overlap_us: f64,
    overlap_quick_us: f64,
    clearance_us: f64,
    crossings_us: f64,
    crossings_mean_us: f64,
    hits: f64,
}

#[derive(Serialize)]
struct Report {
    workload: &'static str,
    instructions: String,
    poses: usize,
    rows: Vec<Row>,
}

pub(super) fn run(instructions: Instructions, up_to: usize, json: bool) -> Result<()> {
    let wanted: Vec<u32> = FREQUENCIES.into_iter().filter(|&f| 20 * (f as usize).pow(2) <= up_to).collect();
    let progress = Progress::new(wanted.len());
    let mut rows = Vec::new();
    for frequency in wanted {
        progress.step(&format!("{} triangles", 20 * frequency * frequency));
        rows.push(measure(frequency, instructions)?);
    }
    drop(progress);
    let instructions = format!("{instructions:?}").to_lowercase();
    let report = Report { workload: "bumpy spheres around contact", instructions, poses: POSES, rows };
    if json { output::print_json(&report) } else { output::print(&text(&report)) }
}

fn measure(frequency: u32, instructions: Instructions) -> Result<Row> {
    let [phase_a, phase_b] = W1_PHASES;
    let meshes = [mesh(&bumpy_sphere(frequency, phase_a))?, mesh(&bumpy_sphere(frequency, phase_b))?];
    let poses = w1_poses(W1_SEED, POSES);
    let (quick, build_quick_ms) = build(&meshes, Effort::Quick, instructions);
    let overlap_quick_us = quick.ask_poses(Question::Overlap, &poses, PASSES).median();
    drop(quick);
    let (ours, build_ms) = build(&meshes, Effort::Full, instructions);
    let ask = |question| ours.ask_poses(question, &poses, PASSES);
    let (overlap, crossings): (Samples, Samples) = (ask(Question::Overlap), ask(Question::Crossings));
    Ok(Row {
        triangles: meshes[0].triangle_count(),
        build_ms,
        build_quick_ms,
        tree_bytes_per_triangle: ours.tree_bytes_per_triangle(),
        overlap_us: overlap.median(),
        overlap_quick_us,
        clearance_us: ask(Question::Clearance).median(),
        crossings_us: crossings.median(),
        crossings_mean_us: crossings.mean(),
        hits: overlap.answers.iter().map(|answer| answer.at_least).sum(),
    })
}

/// Both models, and the milliseconds that the faster of the two took: large ones are too slow to repeat.
fn build(meshes: &[Mesh; 2], effort: Effort, instructions: Instructions) -> (Ours, f64) {
    let [(a, micros_a), (b, micros_b)] =
        [0, 1].map(|i: usize| timed(|| Model::new(&meshes[i], &ModelOptions { effort })));
    (Ours::from_models(a, b, instructions), micros_a.min(micros_b) / 1e3)
}

fn text(report: &Report) -> String {
    let mut table = Table::new(
        0,
        [
            "triangles",
            "build ms",
            "quick ms",
            "bytes/triangle",
            "overlap us",
            "(quick)",
            "clearance us",
            "crossings us",
            "(mean)",
            "hits",
        ],
    );
    for row in &report.rows {
        let us = |x: f64| format!("{x:.2}");
        table.row([
            row.triangles.to_string(),
            us(row.build_ms),
            us(row.build_quick_ms),
            format!("{:.1}", row.tree_bytes_per_triangle),
            us(row.overlap_us),
            us(row.overlap_quick_us),
            us(row.clearance_us),
            us(row.crossings_us),
            us(row.crossings_mean_us),
            short(row.hits),
        ]);
    }
    format!(
        "bumpy spheres around contact, one thread, {}, {} poses, medians\n{table}",
        report.instructions, report.poses
    )
}
