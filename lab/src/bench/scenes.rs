//! Cost of checking whole assemblies, from a hundred bodies to five thousand.

use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::Table;
use anyhow::{Result, ensure};
use noli::world::{CheckOptions, PairStatus};
use noli_geom::Relation;
use noli_project::{LoadedScene, StageOptions, stage};
use noli_scenes::Assembly;
use serde::Serialize;
use std::sync::OnceLock;
use std::time::Instant;

/// About so many bodies.
const SIZES: [usize; 6] = [100, 250, 500, 1000, 2500, 5000];
/// The engine bay then has about 1,200 triangles a body.
const DETAIL: u32 = 2;

/// Settings of the run, on all threads.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Assemblies of more bodies are left out.
    pub up_to: usize,
}

/// Costs by number of bodies. Every planted clash was found, and nothing else.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// Number of threads used.
    pub threads: usize,
    /// With shared models, then with a model for each body.
    pub rows: Vec<Row>,
}

/// One assembly.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Number of items.
    pub bodies: usize,
    /// Of all bodies.
    pub triangles: usize,
    /// `true` if copies of a part share its model.
    pub shared: bool,
    /// Pairs that were to be checked.
    pub pairs: usize,
    /// Pairs whose boxes are near.
    pub candidates: usize,
    /// Pairs that cross.
    pub intersecting: usize,
    /// Pairs of which one is inside the other.
    pub inside: usize,
    /// Pairs that touch.
    pub touching: usize,
    /// Seconds for making models.
    pub prepare_s: f64,
    /// Seconds for finding candidates.
    pub broad_s: f64,
    /// Seconds for questions about candidates.
    pub compare_s: f64,
    /// Megabytes of all meshes and trees.
    pub model_mb: f64,
    /// Peak memory of the process so far, in megabytes; `None` if the system does not report it.
    pub peak_mb: Option<f64>,
}

impl Plan {
    /// Check assemblies as `noli check` does. Other clashes than were planted are an error.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        let bay = noli_scenes::engine_bay(DETAIL);
        let sizes: Vec<usize> = SIZES.into_iter().filter(|&size| size <= self.up_to).collect();
        let mut rows = Vec::new();
        // Shared models first: they take less, and the peak only ever rises.
        for shared in [true, false] {
            for &size in &sizes {
                progress(&format!("{size} bodies"), 2 * sizes.len());
                let mut field = bay.copies(size.div_ceil(bay.parts.len()) as u32);
                if !shared {
                    own_meshes(&mut field)?;
                }
                rows.push(Row::new(&field, shared)?);
            }
        }
        let workload = "copies of the engine bay, all pairs";
        Ok(Report { workload, threads: rayon::current_num_threads(), rows })
    }
}

/// Intersecting, inside and touching pairs.
fn planted(field: &Assembly) -> [usize; 3] {
    let of = |relation| field.planted.iter().filter(|planted| planted.relation == relation).count();
    [Relation::Intersecting, Relation::Inside, Relation::Touching].map(of)
}

/// Gives each part a copy of its mesh, so that nothing is shared.
fn own_meshes(field: &mut Assembly) -> Result<()> {
    for part in &mut field.parts {
        part.mesh = part.mesh.with_vertices(part.mesh.vertices().to_vec())?;
    }
    Ok(())
}

impl Row {
    fn new(field: &Assembly, shared: bool) -> Result<Self> {
        let scene = LoadedScene::of_assembly(field, DETAIL);
        let (start, compared) = (Instant::now(), OnceLock::new());
        let staged = stage(&scene, &StageOptions::default())?;
        let prepared = start.elapsed();
        // Pairs are compared once all are found.
        let progress = |_, _| {
            compared.get_or_init(|| start.elapsed());
        };
        let result = staged.world.check(&CheckOptions { progress: Some(&progress), ..Default::default() })?;
        let (found, end) = (compared.get().copied().unwrap_or_else(|| start.elapsed()), start.elapsed());
        let bodies = field.parts.len();
        let meeting @ [intersecting, inside, touching] =
            [PairStatus::Intersecting, PairStatus::Inside, PairStatus::Touching]
                .map(|status| result.count(status));
        let expected = planted(field);
        ensure!(meeting == expected, "{bodies} bodies: {meeting:?} pairs meet, planted were {expected:?}");
        Ok(Self {
            bodies,
            triangles: field.triangle_count(),
            shared,
            pairs: result.pairs,
            candidates: result.findings.len(),
            intersecting,
            inside,
            touching,
            prepare_s: prepared.as_secs_f64(),
            broad_s: (found - prepared).as_secs_f64(),
            compare_s: (end - found).as_secs_f64(),
            model_mb: staged.model_bytes() as f64 / 1e6,
            peak_mb: peak_mb(),
        })
    }
}

/// Returns the peak memory of the process, as reported by Linux.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? / 1e3)
}

impl Measured for Report {
    fn page(&self) -> Page {
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
        let mut table = Table::new("", header);
        for row in &self.rows {
            let seconds = |s: f64| format!("{s:.2} s");
            let cells = [
                row.bodies.to_string(),
                row.triangles.to_string(),
                row.pairs.to_string(),
                row.candidates.to_string(),
                (row.intersecting + row.inside + row.touching).to_string(),
                seconds(row.prepare_s),
                seconds(row.broad_s),
                seconds(row.compare_s),
                seconds(row.prepare_s + row.broad_s + row.compare_s),
                format!("{:.0} MB", row.model_mb),
                row.peak_mb.map_or("-".to_owned(), |peak| format!("{peak:.0} MB")),
            ];
            add_row(&mut table, if row.shared { "shared" } else { "own" }, cells);
        }
        let about = "every planted clash was found, and nothing else";
        let heading = format!("{}, {} threads; {about}", self.workload, self.threads);
        Page { heading, tables: vec![table], remarks: Vec::new() }
    }
}
