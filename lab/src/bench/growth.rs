//! Growth of times and sizes with the number of triangles.

use super::measure::{Samples, timed};
use super::w1::{Ours, Question, check_instructions, mesh};
use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::Table;
use anyhow::Result;
use noli::model::ModelOptions;
use noli::query::Instructions;
use noli::tree::Effort;
use noli::{Mesh, Model};
use noli_scenes::{W1_PHASES, W1_SEED, bumpy_sphere, w1_poses};
use serde::Serialize;

/// Cuts per icosahedron edge: 20·f² triangles, from a thousand to five million.
const FREQUENCIES: [u32; 8] = [7, 16, 22, 50, 71, 158, 224, 500];
const POSES: usize = 200;
const PASSES: usize = 3;

/// Settings of the run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// SIMD instructions to use; the machine must have them.
    pub instructions: Instructions,
    /// Meshes of more triangles are left out.
    pub up_to: usize,
}

/// Times and sizes by number of triangles.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// SIMD instructions used, in lower case.
    pub instructions: String,
    /// Number of queried poses.
    pub poses: usize,
    /// By number of triangles.
    pub rows: Vec<Row>,
}

/// One size of mesh; medians over poses unless stated otherwise.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Of each mesh.
    pub triangles: usize,
    /// Milliseconds to build one model.
    pub build_ms: f64,
    /// Milliseconds to build one model quickly.
    pub build_quick_ms: f64,
    /// Size of the tree.
    pub tree_bytes_per_triangle: f64,
    /// Microseconds for a verdict.
    pub overlap_us: f64,
    /// Microseconds for a verdict with quickly built models.
    pub overlap_quick_us: f64,
    /// Microseconds for the clearance.
    pub clearance_us: f64,
    /// Microseconds for all pairs of intersecting faces.
    pub intersections_us: f64,
    /// Likewise, the mean over poses.
    pub intersections_mean_us: f64,
    /// Number of overlapping poses.
    pub hits: f64,
}

impl Plan {
    /// Measure on one thread.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        check_instructions(self.instructions)?;
        let small = |f: &u32| 20 * (*f as usize).pow(2) <= self.up_to;
        let wanted: Vec<u32> = FREQUENCIES.into_iter().filter(small).collect();
        let row = |&frequency: &u32| {
            progress(&format!("{} triangles", 20 * frequency * frequency), wanted.len());
            measure(frequency, self.instructions)
        };
        let rows = super::on_one_thread(|| wanted.iter().map(row).collect::<Result<Vec<Row>>>())?;
        let instructions = format!("{:?}", self.instructions).to_lowercase();
        Ok(Report { workload: "bumpy spheres around contact", instructions, poses: POSES, rows })
    }
}

fn measure(frequency: u32, instructions: Instructions) -> Result<Row> {
    let [phase_a, phase_b] = W1_PHASES;
    let meshes = [mesh(&bumpy_sphere(frequency, phase_a))?, mesh(&bumpy_sphere(frequency, phase_b))?];
    let poses = w1_poses(W1_SEED, POSES);
    let (quick, build_quick_ms) = build(&meshes, Effort::Quick, instructions)?;
    let overlap_quick_us = quick.ask_poses(Question::Overlap, &poses, PASSES).median();
    drop(quick);
    let (ours, build_ms) = build(&meshes, Effort::Full, instructions)?;
    let ask = |question| ours.ask_poses(question, &poses, PASSES);
    let (overlap, intersections): (Samples, Samples) = (ask(Question::Overlap), ask(Question::Intersections));
    Ok(Row {
        triangles: meshes[0].triangle_count(),
        build_ms,
        build_quick_ms,
        tree_bytes_per_triangle: ours.tree_bytes_per_triangle(),
        overlap_us: overlap.median(),
        overlap_quick_us,
        clearance_us: ask(Question::Clearance).median(),
        intersections_us: intersections.median(),
        intersections_mean_us: intersections.mean(),
        hits: overlap.answers.iter().map(|answer| answer.at_least).sum(),
    })
}

/// Both models, and the milliseconds that the faster of the two took: large ones are too slow to repeat.
fn build(meshes: &[Mesh; 2], effort: Effort, instructions: Instructions) -> Result<(Ours, f64)> {
    let [(a, micros_a), (b, micros_b)] =
        [0, 1].map(|i: usize| timed(|| Model::with_options(&meshes[i], &ModelOptions { effort })));
    Ok((Ours::from_models(a?, b?, instructions), micros_a.min(micros_b) / 1e3))
}

impl Measured for Report {
    fn page(&self) -> Page {
        let header = [
            "triangles",
            "build ms",
            "quick ms",
            "bytes/triangle",
            "overlap us",
            "(quick)",
            "clearance us",
            "intersections us",
            "(mean)",
            "hits",
        ];
        let mut table = Table::new("", header);
        for row in &self.rows {
            let two = |x: f64| format!("{x:.2}");
            let cells = [
                two(row.build_ms),
                two(row.build_quick_ms),
                format!("{:.1}", row.tree_bytes_per_triangle),
                two(row.overlap_us),
                two(row.overlap_quick_us),
                two(row.clearance_us),
                two(row.intersections_us),
                two(row.intersections_mean_us),
                row.hits.to_string(),
            ];
            add_row(&mut table, row.triangles.to_string(), cells);
        }
        let Self { workload, instructions, poses, .. } = self;
        let heading = format!("{workload}, one thread, {instructions}, {poses} poses, medians");
        Page { heading, tables: vec![table], remarks: Vec::new() }
    }
}
