//! Experiments that Eckstein's thesis (1998) describes and does not measure: X1 to X7 of our reading of it.

mod bodies;
mod flight;
mod pieces;

use crate::bay::Bay;
use crate::timing::ThreadClock;
use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use noli::model::ModelOptions;
use noli::query::Clock;
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
    flight::modes(session, &config)?;
    session.step("X5: precomputation");
    precomputation(session, &bay)?;
    session.step("X6: what is remembered");
    bodies::remembered(session, &config)?;
    session.step("X7: threads");
    flight::threads(session, &config)?;
    session.note(format!(
        "Engine bay of {} triangles; times of one run, one thread but for X7. Counts do not depend on the machine.",
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
    let mut quicker = 0;
    for (rank, &mesh) in meshes.iter().take(3).enumerate() {
        let mut times = Vec::new();
        for effort in [Effort::Full, Effort::Quick] {
            let started = ThreadClock.now();
            let built = Model::with_options(mesh, &ModelOptions { effort });
            let ms = 1e3 * (ThreadClock.now() - started).as_secs_f64();
            times.push(ms);
            let (built, count) = (built?, mesh.triangle_count() as f64);
            let cells = [Cell::Ours(count), Cell::Ours(ms), Cell::Ours(built.tree_bytes() as f64 / count)];
            table.row(format!("{}, {effort:?}", rank + 1), cells);
        }
        quicker += usize::from(times[1] < times[0]);
    }
    session.table(table);
    let parts = meshes.len().min(3);
    session.finding(
        "Quick effort prepares a part in less time of the processor than full effort",
        match quicker {
            0 => Verdict::Refuted,
            n if n == parts => Verdict::Confirmed,
            _ => Verdict::Partly,
        },
        format!("In {quicker} of {parts} parts, by the time of the calling thread; threads that help are not counted."),
    );
    Ok(())
}
