//! The `noli` command. `check` tells how the bodies of an assembly stand to each other, `scenes` writes
//! bundled assemblies, `sweep` and `play` follow motions, `remove` finds ways out, `robot` asks about robots, `db` keeps them,
//! `bench` measures, `ccd` answers files of feature queries.
//!
//! Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided.
//! Options and JSON fields are described in `docs/command-line.md`.

mod bench;
mod campaign;
mod ccd;
mod check;
mod clash;
mod db;
mod decompose;
mod field;
mod lab;
mod measured;
mod output;
mod play;
mod remove;
mod robot;
mod scenes;
mod serve;
mod study;
mod sweep;
mod tree;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
pub(crate) use noli_io::report::{Outcome, Verdict};
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided within the budget.
`check` of a single mesh: 0 sound, 1 something is wrong with it. Nothing to look at is an error.
Tools (`bench`, `campaign`, `ccd`, `clash`, `db`, `decompose`, `lab`, `scenes`, `tree`) use 0 and 2.";

/// Tells whether, where and how closely bodies meet, and how far each answer can be trusted.
#[derive(Parser)]
#[command(name = "noli", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Decompose(decompose::Arguments),
    Clash(clash::Arguments),
    Field(field::Arguments),
    Study(study::Arguments),
    Sweep(sweep::Arguments),
    Play(play::Arguments),
    Bench(bench::Arguments),
    Campaign(campaign::Arguments),
    Scenes(scenes::Arguments),
    Ccd(ccd::Arguments),
    Lab(lab::Arguments),
    Remove(remove::Arguments),
    Robot(robot::Arguments),
    Db(db::Arguments),
    Serve(serve::Arguments),
    Tree(tree::Arguments),
}

/// What the exit code tells. A verdict cannot be had without something that was looked at.
fn exit_code(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict.outcome() {
        Outcome::Free => 0,
        Outcome::Touching => 1,
        Outcome::Undecided => 3,
    })
}

/// More than any machine has use for; tens of thousands take minutes to start.
const MOST_THREADS: usize = 1024;

/// Work on so many threads, by default one for each processor.
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<R> + Send,
) -> Result<R> {
    if let Some(threads) = threads {
        anyhow::ensure!(threads <= MOST_THREADS, "--threads {threads}: give at most {MOST_THREADS}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.context("cannot start threads; try --threads 1")?.install(work)
}

fn main() -> ExitCode {
    let done = |()| ExitCode::SUCCESS;
    let result = match Arguments::parse().command {
        Command::Check(arguments) => check::run(&arguments).map(exit_code),
        Command::Field(arguments) => {
            field::run(&arguments).map(|verdict| verdict.map_or(ExitCode::SUCCESS, exit_code))
        }
        Command::Study(arguments) => study::run(&arguments).map(exit_code),
        Command::Sweep(arguments) => sweep::run(&arguments).map(exit_code),
        Command::Play(arguments) => play::run(&arguments).map(exit_code),
        Command::Remove(arguments) => remove::run(&arguments).map(exit_code),
        Command::Robot(arguments) => robot::run(&arguments).map(exit_code),
        Command::Serve(arguments) => serve::run(&arguments).map(done),
        Command::Bench(arguments) => bench::run(&arguments).map(done),
        Command::Campaign(arguments) => campaign::run(&arguments).map(done),
        Command::Decompose(arguments) => decompose::run(&arguments).map(done),
        Command::Scenes(arguments) => scenes::run(&arguments).map(done),
        Command::Clash(arguments) => clash::run(&arguments).map(done),
        Command::Ccd(arguments) => ccd::run(&arguments).map(done),
        Command::Lab(arguments) => lab::run(&arguments).map(done),
        Command::Db(arguments) => db::run(&arguments).map(done),
        Command::Tree(arguments) => tree::run(&arguments).map(done),
    };
    result.unwrap_or_else(|error| {
        eprintln!("noli: {error:#}");
        ExitCode::from(2)
    })
}
