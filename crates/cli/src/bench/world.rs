//! Workload W5: which of many boxes overlap while some of them move.

use super::measure::median;
use super::peers;
use crate::output::{self, Progress, Table};
use anyhow::{Context, Result, bail, ensure};
use noli::{BroadPhase, Method};
use noli_scenes::{Crowd, W5_SEED};
use serde::Serialize;
use std::time::Instant;

const COUNTS: [usize; 6] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000];

/// How many steps are taken: fewer of many boxes, so that slow engines come to an end.
fn steps_of(count: usize) -> usize {
    match count {
        0..100_000 => 100,
        100_000..300_000 => 30,
        _ => 10,
    }
}

/// Methods whose steps grow faster than the number of boxes are left out above so many.
const LIMITS: [(Method, usize); 3] =
    [(Method::Grid, usize::MAX), (Method::Tree, usize::MAX), (Method::SweepAndPrune, 30_000)];

#[derive(Serialize)]
struct Row {
    bodies: usize,
    engine: String,
    steps: usize,
    pairs_begun: u64,
    pairs_ended: u64,
    median_us: f64,
    mean_us: f64,
}

/// Pairs begun and ended, and microseconds, of every step.
type Steps = Vec<(u64, u64, f64)>;

pub(super) fn run(most: usize, with_peers: bool, json: bool) -> Result<()> {
    let counts: Vec<usize> = COUNTS.into_iter().filter(|&count| count <= most).collect();
    ensure!(!counts.is_empty(), "--boxes must be at least {}", COUNTS[0]);
    let peers = if with_peers { peers::programs_found() } else { Vec::new() };
    let progress = Progress::new(counts.len() * (LIMITS.len() + peers.len()));
    let mut rows = Vec::new();
    for &count in &counts {
        let mut first: Option<Steps> = None;
        for (method, limit) in LIMITS {
            progress.step(&format!("{count} boxes: {method:?}"));
            if count > limit {
                continue;
            }
            let steps = ours(method, count);
            check(&mut first, &steps, &format!("{method:?}"), count)?;
            rows.push(row(format!("noli {method:?}"), count, &steps));
        }
        for (name, path) in &peers {
            progress.step(&format!("{count} boxes: {name}"));
            let output = std::process::Command::new(path)
                .args(["w5", &count.to_string(), &steps_of(count).to_string()])
                .output();
            let output =
                output.with_context(|| format!("{}; rebuild it with: cargo xtask peers", path.display()))?;
            let text = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() || text.starts_with("unsupported") {
                continue; // an engine without a broad phase
            }
            let steps = parse(&text)
                .with_context(|| format!("{} gave an answer outside the protocol", path.display()))?;
            check(&mut first, &steps, name, count)?;
            rows.push(row(name.clone(), count, &steps));
        }
    }
    drop(progress);
    if json {
        return output::print_json(&serde_json::json!({ "workload": "W5", "rows": rows }));
    }
    output::print(&text(&rows))
}

fn ours(method: Method, count: usize) -> Steps {
    let mut crowd = Crowd::new(W5_SEED, count);
    let mut boxes = BroadPhase::new(method);
    boxes.set_all((0..).zip(crowd.boxes().iter().copied()));
    boxes.update();
    let step = |_| {
        let moved = crowd.step();
        let start = Instant::now();
        for &number in &moved {
            boxes.set(number, &crowd.boxes()[number as usize]);
        }
        let changes = boxes.update();
        (changes.begun.len() as u64, changes.ended.len() as u64, start.elapsed().as_secs_f64() * 1e6)
    };
    (0..steps_of(count)).map(step).collect()
}

/// All engines must see the same pairs come and go.
fn check(first: &mut Option<Steps>, steps: &Steps, name: &str, count: usize) -> Result<()> {
    let Some(first) = first else {
        *first = Some(steps.clone());
        return Ok(());
    };
    let same = |(x, y): (&(u64, u64, f64), &(u64, u64, f64))| (x.0, x.1) == (y.0, y.1);
    if first.len() != steps.len() || !first.iter().zip(steps).all(same) {
        bail!("{name} sees other pairs of {count} boxes come and go");
    }
    Ok(())
}

fn parse(text: &str) -> Result<Steps> {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(' ').collect();
        let &[begun, ended, micros] = cells.as_slice() else { bail!("the line is {line:?}") };
        Ok((begun.parse()?, ended.parse()?, micros.parse()?))
    };
    text.lines().map(line).collect()
}

fn row(engine: String, bodies: usize, steps: &Steps) -> Row {
    let micros: Vec<f64> = steps.iter().map(|step| step.2).collect();
    Row {
        bodies,
        engine,
        steps: steps.len(),
        pairs_begun: steps.iter().map(|step| step.0).sum(),
        pairs_ended: steps.iter().map(|step| step.1).sum(),
        mean_us: micros.iter().sum::<f64>() / micros.len() as f64,
        median_us: median(micros),
    }
}

fn text(rows: &[Row]) -> String {
    let mut table = Table::new(
        1,
        ["engine", "bodies", "steps", "pairs begun", "ended", "median us / step", "mean", "to noli Grid"],
    );
    for row in rows {
        let grid = rows.iter().find(|other| other.bodies == row.bodies && other.engine == "noli Grid");
        table.row([
            row.engine.clone(),
            row.bodies.to_string(),
            row.steps.to_string(),
            row.pairs_begun.to_string(),
            row.pairs_ended.to_string(),
            format!("{:.0}", row.median_us),
            format!("{:.0}", row.mean_us),
            grid.map_or("-".into(), |grid| format!("{:.2}", row.median_us / grid.median_us)),
        ]);
    }
    format!("W5: each step a tenth of the boxes moves, a thousandth jumps; one thread\n\n{table}")
}
