//! Certificates of many statements, proven, written, and checked by the independent checker:
//!
//! ```text
//! campaign poses [--gap D]                        W1: two meshes of 69,620 triangles
//! campaign polycubes                              solids of unit cubes, many of them touching
//! campaign nested                                 small bodies inside and partly outside of solids
//! campaign parts FOLDER                           mesh files in pairs, at poses near contact
//! campaign world PATH                             the pairs of an assembly at rest
//! campaign removals                               the parts of bundled assemblies on their removal paths
//! campaign edges ROBOT.urdf [SRDF] [--packages DIR] [--cage] [--around SCENE] [--length RAD]
//! campaign pairs ROBOT.urdf [SRDF] [--packages DIR]
//! campaign plans FOLDER ROBOT.urdf [SRDF] [--packages DIR]      problems of MotionBenchMaker
//! campaign table FILE [FILE of the other checker]               prints the rows of campaigns
//! ```
//!
//! with `--seed S --count N --threads T --batch N`: the batches of a seed are the same on every machine, and those of
//! another seed are others. `--seconds S` starts no batch after that time. `--keep DIR --kept N` writes the first N
//! certificates, for the other checker. `--mutations N` changes so many certificates of each batch, `--exact` has one
//! in eight of them judged in exact arithmetic too. `--kept-changed N` writes the first N changed ones of each kept
//! certificate of at most 64 kB, with the verdict as the ending of their names. Statements that the engine refutes are tried with the prover, and
//! with proofs of true ones. `--name NAME --row FILE` appends a row of figures to a file.
//!
//! Prints bytes a statement and times. Exit code 1 if a certificate is refused, a false statement proven, a false one
//! accepted, an accepted change contradicted by the engine, or a verdict differs in exact arithmetic.
#![allow(clippy::print_stdout, reason = "this is a program")]

mod assemblies;
mod mutants;
mod nested;
mod oracle;
mod robots;
#[path = "../../../project/examples/robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;
mod statics;
mod table;
mod tally;
mod value;

use noli_scenes::W1_SEED;
use setup::{Problem, Words, shares};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tally::Tally;

/// Options of all campaigns.
pub(crate) struct Options {
    pub(crate) count: usize,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    /// Statements of one certificate.
    pub(crate) batch: usize,
    pub(crate) mutations: usize,
    pub(crate) exact: bool,
    pub(crate) keep: Option<PathBuf>,
    pub(crate) kept: usize,
    pub(crate) kept_changed: usize,
    seconds: f64,
    name: String,
    row: Option<PathBuf>,
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let options = Options {
        count: words.number("--count", 1000)?,
        seed: words.number("--seed", W1_SEED)?,
        threads: words.number("--threads", 1)?,
        batch: words.number("--batch", 50)?.clamp(1, 200),
        mutations: words.number("--mutations", 0)?,
        exact: words.has("--exact"),
        keep: words.after("--keep").map(PathBuf::from),
        kept: words.number("--kept", usize::MAX)?,
        kept_changed: words.number("--kept-changed", 0)?,
        seconds: words.number("--seconds", f64::INFINITY)?,
        name: words.after("--name").unwrap_or("campaign").to_owned(),
        row: words.after("--row").map(PathBuf::from),
    };
    match words.0.first().map(String::as_str) {
        Some("poses") => statics::poses(&words, &options),
        Some("polycubes") => statics::polycubes(&options),
        Some("nested") => nested::nested(&options),
        Some("parts") => statics::parts(&words, &options),
        Some("world") => assemblies::world(&words, &options),
        Some("removals") => assemblies::removals(&options),
        Some("edges") => robots::edges(&words, &options),
        Some("pairs") => robots::pairs(&words, &options),
        Some("plans") => robots::plans(&words, &options),
        Some("table") => table::print(&words),
        _ => Err("poses, polycubes, nested, parts, world, removals, edges, pairs, plans or table?".into()),
    }
}

/// Runs batches on threads.
pub(crate) fn gather(
    options: &Options,
    batches: usize,
    batch: impl Fn(usize, &mut Tally) -> Result<(), Problem> + Sync,
) -> Result<Tally, Problem> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    let begun = Instant::now();
    let limit = Duration::try_from_secs_f64(options.seconds).unwrap_or(Duration::MAX);
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= batches {
                        return;
                    }
                    let mut own = Tally::default();
                    let late = begun.elapsed() >= limit;
                    let failed = if late {
                        own.skipped += 1;
                        None
                    } else {
                        batch(number, &mut own).err()
                    };
                    if let Ok(mut all) = all.lock() {
                        all.0.merge(own);
                        all.1.extend(failed);
                    }
                }
            });
        }
    });
    let (tally, failures) = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failures.into_iter().next().map_or(Ok(tally), Err)
}

/// Runs batches on threads, prints the sum and appends its row.
pub(crate) fn run(
    options: &Options,
    batches: usize,
    batch: impl Fn(usize, &mut Tally) -> Result<(), Problem> + Sync,
) -> Result<ExitCode, Problem> {
    finish(options, gather(options, batches, batch)?)
}

/// Prints a sum and appends its row.
pub(crate) fn finish(options: &Options, mut tally: Tally) -> Result<ExitCode, Problem> {
    tally.print();
    if let Some(path) = &options.row {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{}\t{}", options.name, tally.row())?;
    }
    Ok(if tally.is_fine() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The numbers of a batch.
pub(crate) fn shares_of(options: &Options, number: usize) -> impl FnMut() -> f64 {
    shares(options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number as u64))
}
