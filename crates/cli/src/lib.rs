//! The `noli` command: `check` reports the relations of the bodies of an assembly, `sweep` and `play` follow motions,
//! `remove` plans removal paths, `robot` checks, plans and runs robots, `db` stores components, `scenes` writes
//! bundled assemblies.
//!
//! Public items are for `noli-lab`, the program of experiments, which shares output, inputs and three commands.
//!
//! Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided.
//! Options and JSON fields are described in `docs/command-line.md`.

mod campaign;
pub mod check;
mod clash;
mod db;
mod decompose;
pub mod field;
pub mod output;
pub mod play;
mod prove;
mod remove;
pub mod robot;
mod scenes;
pub mod serve;
mod study;
mod sweep;
mod verify;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
pub(crate) use noli_project::report::{Outcome, Verdict};
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided within the budget.
`check` of a single mesh: 0 sound, 1 something is wrong with it. Nothing to look at is an error.
Tools (`campaign`, `clash`, `db`, `decompose`, `scenes`) use 0 and 2.";

/// Exact collision, distance and continuous-collision queries; every answer states its guarantee.
#[derive(Parser)]
#[command(name = "noli", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Memory that reading one file may take, about, as in 512M or 8G; by default 2G. Files of more than twice as much are
    /// refused, and packed ones that unfold to more than a quarter.
    #[arg(long, global = true, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

/// A number of bytes, with K, M or G for 1024, 1024² or 1024³.
fn size(text: &str) -> Result<u64, String> {
    let (number, shift) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.filter(|&bytes| bytes > 0).ok_or_else(|| "give a number of bytes, or as in 512M or 8G".to_owned())
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Decompose(decompose::Arguments),
    Clash(clash::Arguments),
    Field(field::Arguments),
    Study(study::Arguments),
    Sweep(sweep::Arguments),
    Play(play::Command),
    Campaign(campaign::Arguments),
    Scenes(scenes::Arguments),
    Remove(remove::Arguments),
    Prove(prove::Arguments),
    Verify(verify::Arguments),
    Robot(robot::Arguments),
    Db(db::Arguments),
    Serve(serve::Arguments),
}

/// Returns the exit code of a verdict. A verdict requires that something was tested.
fn exit_code(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict.outcome() {
        Outcome::Free => 0,
        Outcome::Touching => 1,
        Outcome::Undecided => 3,
    })
}

/// Prints an error of a program to standard error; returns its exit code.
pub fn failure(program: &str, error: &anyhow::Error) -> ExitCode {
    eprintln!("{program}: {error:#}");
    ExitCode::from(2)
}

/// More than any machine has use for; tens of thousands take minutes to start.
const MOST_THREADS: usize = 1024;

/// Work on so many threads, by default one for each CPU.
pub fn on_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    if let Some(threads) = threads {
        anyhow::ensure!(threads <= MOST_THREADS, "--threads {threads}: give at most {MOST_THREADS}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.context("cannot start threads; try --threads 1")?.install(work)
}

/// Runs the command of the program's arguments.
pub fn main() -> ExitCode {
    let done = |()| ExitCode::SUCCESS;
    let Arguments { command, memory } = Arguments::parse();
    memory.into_iter().for_each(noli_formats::set_memory_limit);
    let result = match command {
        Command::Check(arguments) => check::run(&arguments, None).map(exit_code),
        Command::Field(arguments) => {
            field::run(&arguments).map(|verdict| verdict.map_or(ExitCode::SUCCESS, exit_code))
        }
        Command::Study(arguments) => study::run(&arguments).map(exit_code),
        Command::Sweep(arguments) => sweep::run(&arguments).map(exit_code),
        Command::Play(play) => play::run(&play.arguments, play.policy()).map(exit_code),
        Command::Remove(arguments) => remove::run(&arguments).map(exit_code),
        Command::Prove(arguments) => prove::run(&arguments).map(exit_code),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Robot(arguments) => robot::run(&arguments).map(exit_code),
        Command::Serve(arguments) => serve::run(&arguments, Vec::new()).map(done),
        Command::Campaign(arguments) => campaign::run(&arguments).map(done),
        Command::Decompose(arguments) => decompose::run(&arguments).map(done),
        Command::Scenes(arguments) => scenes::run(&arguments).map(done),
        Command::Clash(arguments) => clash::run(&arguments).map(done),
        Command::Db(arguments) => db::run(&arguments).map(done),
    };
    result.unwrap_or_else(|error| failure("noli", &error))
}
