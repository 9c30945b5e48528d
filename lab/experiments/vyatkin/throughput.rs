//! Interval evaluations of whole published graphs on a grid of cells, here and by fidget, in turns.

use super::Config;
use crate::{Cell, Session, Table, peers};
use anyhow::{Context, Result, ensure};
use noli_geom::Interval;
use noli_implicit::{Cells, LANES, Tape, parse_vm};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The graphs of the reference data.
const GRAPHS: [&str; 3] = ["colonnade.vm", "prospero.vm", "tanglecube.vm"];
/// Names the program of `peers/fidget`; without it, where `cargo xtask peers` puts it.
const PEER: &str = "NOLI_FIDGET";

/// Folder of the published graphs.
pub(super) fn graphs_folder() -> PathBuf {
    crate::data_folder().join("implicit")
}

pub(super) fn run(session: &mut Session<'_>, config: &Config) -> Result<()> {
    let folder = graphs_folder();
    let built = || peers::folder().map(|folder| folder.join("fidget"));
    let peer = std::env::var_os(PEER).map(PathBuf::from).or_else(built).filter(|peer| peer.is_file());
    if peer.is_none() {
        session.note(format!(
            "fidget was not compared: run `cargo xtask peers`, or name its program in {PEER}."
        ));
    }
    let columns =
        ["graph", "operations", "noli, ns a cell", "fidget interpreter", "fidget JIT", "noli / interpreter"];
    let mut table = Table::new("Interval evaluation of a whole graph, medians over rounds in turn", columns);
    for name in GRAPHS {
        let path = folder.join(name);
        let Ok(text) = std::fs::read_to_string(&path) else {
            session.note(format!("{name} was left out: it is not in NOLI_DATA."));
            continue;
        };
        session.step(name);
        let tape = Tape::new(&parse_vm(&text).with_context(|| path.display().to_string())?);
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..config.rounds {
            let (ours, sum) = ours(&tape, config.grid);
            times[0].push(ours);
            let Some(peer) = &peer else { continue };
            let [interpreter, jit, peer_sum] = theirs(peer, &path, config.grid)?;
            ensure!((sum - peer_sum).abs() <= 1e-3 * sum.abs().max(1.0), "bounds differ: {sum}, {peer_sum}");
            times[1].push(interpreter);
            times[2].push(jit);
        }
        let [ours, interpreter, jit] = times.map(median);
        let cell = |value: Option<f64>| value.map_or_else(|| Cell::Text("-".to_owned()), Cell::Ours);
        let ratio = ours.zip(interpreter).map(|(ours, theirs)| ours / theirs);
        table.row(
            name,
            [Cell::Ours(tape.len() as f64), cell(ours), cell(interpreter), cell(jit), cell(ratio)],
        );
    }
    if !table.rows.is_empty() {
        session.table(table);
    }
    Ok(())
}

fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// Nanoseconds a cell, and the sum of all lower bounds.
fn ours(tape: &Tape, grid: usize) -> (f64, f64) {
    let side = |i: usize| {
        let at = |i: usize| 2.0 * i as f64 / grid as f64 - 1.0;
        Interval::new(at(i), at(i + 1))
    };
    let cells: Vec<[Interval; 3]> =
        (0..grid.pow(3)).map(|i| [side(i % grid), side(i / grid % grid), side(i / grid / grid)]).collect();
    let started = Instant::now();
    let (mut slots, mut sum) = (Vec::new(), 0.0);
    for chunk in cells.chunks_exact(LANES) {
        let xyz = [0, 1, 2].map(|axis| Cells::new(std::array::from_fn(|k| chunk[k][axis])));
        let value = tape.evaluate(&xyz, &mut slots);
        sum += (0..LANES).map(|k| value.lane(k).lo()).sum::<f64>();
    }
    (1e9 * started.elapsed().as_secs_f64() / cells.len() as f64, sum)
}

/// Nanoseconds a cell of the interpreter and of the compiled code, and the sum of all lower bounds.
fn theirs(program: &Path, graph: &Path, grid: usize) -> Result<[f64; 3]> {
    let place = || format!("{}; rebuild it with: cargo xtask peers", program.display());
    let output = Command::new(program).arg(graph).arg(grid.to_string()).output().with_context(place)?;
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers =
        words.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>().with_context(place)?;
    numbers
        .try_into()
        .map_err(|_| anyhow::anyhow!("{}", String::from_utf8_lossy(&output.stderr)))
        .with_context(place)
}
