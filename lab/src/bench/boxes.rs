//! Workload W5: which of many boxes overlap while some of them move.

use super::measure::median;
use super::peers;
use crate::measured::{Measured, Page, Progress, add_row};
use crate::record::Table;
use anyhow::{Context, Result, bail, ensure};
use noli::broad::{BroadPhase, Method};
use noli_scenes::{Crowd, W5_SEED};
use serde::Serialize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const COUNTS: [usize; 6] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000];

/// Returns the number of steps: fewer for many boxes, so that slow engines finish.
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

/// Settings of the run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// More boxes are left out.
    pub up_to: usize,
    /// `true` if the engines built by `cargo xtask peers` are run as well.
    pub peers: bool,
}

/// Times of noli's methods and the peers, by number of boxes. All saw the same pairs come and go.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name.
    pub workload: &'static str,
    /// The figures, grouped by number of boxes.
    pub rows: Vec<Row>,
}

/// One engine and one number of boxes.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Number of boxes.
    pub bodies: usize,
    /// Engine or method.
    pub engine: String,
    /// Number of steps taken.
    pub steps: usize,
    /// Pairs that began to overlap, in all steps.
    pub pairs_begun: u64,
    /// Pairs that ceased to overlap, in all steps.
    pub pairs_ended: u64,
    /// Microseconds, the median over steps.
    pub median_us: f64,
    /// Microseconds, the mean over steps.
    pub mean_us: f64,
}

/// Pairs begun and ended, and microseconds, of every step.
type Steps = Vec<(u64, u64, f64)>;

impl Plan {
    /// Measure on one thread. An engine that sees other pairs than the first is an error.
    pub fn run(&self, progress: Progress<'_>) -> Result<Report> {
        super::on_one_thread(|| self.measure(progress))
    }

    fn measure(&self, progress: Progress<'_>) -> Result<Report> {
        let counts: Vec<usize> = COUNTS.into_iter().filter(|&count| count <= self.up_to).collect();
        ensure!(!counts.is_empty(), "the smallest number of boxes is {}", COUNTS[0]);
        let peers = if self.peers { peers::programs_found() } else { Vec::new() };
        let total = counts.len() * (LIMITS.len() + peers.len());
        let mut rows = Vec::new();
        for &count in &counts {
            let mut first: Option<Steps> = None;
            for (method, limit) in LIMITS {
                progress(&format!("{count} boxes: {method:?}"), total);
                if count > limit {
                    continue;
                }
                let steps = ours(method, count);
                check(&mut first, &steps, &format!("{method:?}"), count)?;
                rows.push(row(format!("noli {method:?}"), count, &steps));
            }
            for (name, path) in &peers {
                progress(&format!("{count} boxes: {name}"), total);
                if let Some(steps) = theirs(path, count)? {
                    check(&mut first, &steps, name, count)?;
                    rows.push(row(name.clone(), count, &steps));
                }
            }
        }
        Ok(Report { workload: "W5", rows })
    }
}

/// Runs a peer; `None` if the engine has no broad phase.
fn theirs(program: &Path, count: usize) -> Result<Option<Steps>> {
    let arguments = ["w5", &count.to_string(), &steps_of(count).to_string()];
    let output = Command::new(program).args(arguments).output();
    let output =
        output.with_context(|| format!("{}; rebuild it with: cargo xtask peers", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || text.starts_with("unsupported") {
        return Ok(None);
    }
    let steps =
        parse(&text).with_context(|| format!("{} gave an answer outside the protocol", program.display()))?;
    Ok(Some(steps))
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

impl Measured for Report {
    fn page(&self) -> Page {
        let header =
            ["engine", "bodies", "steps", "pairs begun", "ended", "median us / step", "mean", "to noli Grid"];
        let mut table = Table::new("", header);
        for row in &self.rows {
            let is_grid = |other: &&Row| other.bodies == row.bodies && other.engine == "noli Grid";
            let grid = self.rows.iter().find(is_grid);
            let cells = [
                row.bodies.to_string(),
                row.steps.to_string(),
                row.pairs_begun.to_string(),
                row.pairs_ended.to_string(),
                format!("{:.0}", row.median_us),
                format!("{:.0}", row.mean_us),
                grid.map_or("-".into(), |grid| format!("{:.2}", row.median_us / grid.median_us)),
            ];
            add_row(&mut table, row.engine.clone(), cells);
        }
        let heading = "W5: each step a tenth of the boxes moves, a thousandth jumps; one thread".to_owned();
        Page { heading, tables: vec![table], remarks: Vec::new() }
    }
}
