//! What Eckstein's thesis (1998) describes and does not measure: X1 to X7 of our reading of it.

mod bodies;
mod pieces;

use crate::bay::Bay;
use crate::{Cell, Session, Table};
use anyhow::Result;
use noli::model::ModelOptions;
use noli::tree::Effort;
use noli::{Mesh, Model};
use serde::Deserialize;
use std::time::Instant;

#[derive(Deserialize)]
struct Config {
    triangles: usize,
    pieces: usize,
    piece: f64,
    step_budgets: Vec<u64>,
    counts: Vec<usize>,
    crowd_steps: usize,
    turns: usize,
    frames: usize,
    threads: Vec<usize>,
    seed: u64,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let config: Config = session.config()?;
    session.step("meshing the bay");
    let bay = Bay::with_triangles(config.triangles);
    let mut pieces = pieces::Pieces::new(&bay, &config)?;
    session.step("X1: answers on time");
    pieces.on_time(session, &config)?;
    session.step("X2: broad phases");
    bodies::broad_phases(session, &config);
    session.step("X3: boxes around motions");
    bodies::swept_boxes(session, &config)?;
    session.step("X4: modes");
    pieces.modes(session)?;
    session.step("X5: precomputation");
    precomputation(session, &bay)?;
    session.step("X6: what is remembered");
    bodies::remembered(session, &config)?;
    session.step("X7: threads");
    pieces.threads(session, &config)?;
    session.note(format!(
        "Engine bay of {} triangles; times of one run, one thread but for X7.",
        bay.triangle_count()
    ));
    Ok(())
}

/// Milliseconds that something takes.
fn millis<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = work();
    (result, 1e3 * start.elapsed().as_secs_f64())
}

/// X5: what it takes to prepare the parts of the bay.
fn precomputation(session: &mut Session<'_>, bay: &Bay) -> Result<()> {
    let columns = ["part and effort", "triangles", "ms", "bytes / triangle"];
    let mut table = Table::new("X5: preparing the three largest parts", columns);
    let mut meshes: Vec<&Mesh> = bay.models().iter().filter_map(Model::mesh).collect();
    meshes.sort_by_key(|mesh| std::cmp::Reverse(mesh.triangle_count()));
    for (rank, &mesh) in meshes.iter().take(3).enumerate() {
        for effort in [Effort::Full, Effort::Quick] {
            let (built, ms) = millis(|| Model::with_options(mesh, &ModelOptions { effort }));
            let (built, count) = (built?, mesh.triangle_count() as f64);
            let cells = [Cell::Ours(count), Cell::Ours(ms), Cell::Ours(built.tree_bytes() as f64 / count)];
            table.row(format!("{}, {effort:?}", rank + 1), cells);
        }
    }
    session.table(table);
    Ok(())
}
