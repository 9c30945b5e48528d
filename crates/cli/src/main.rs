//! The `noli` command. `check` tells how the bodies of an assembly stand to each other, `scenes` writes
//! bundled assemblies, `sweep` and `play` follow motions, `robot` asks about robots, `bench` measures, `ccd`
//! answers files of feature queries.
//!
//! Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided.
//! Options and JSON fields are described in `docs/command-line.md`.

mod bench;
mod ccd;
mod check;
mod field;
mod lab;
mod measured;
mod output;
mod play;
mod robot;
mod scenes;
mod sweep;
mod tree;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
pub(crate) use noli_io::report::Outcome;
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided within the budget.
Tools (`bench`, `ccd`, `lab`, `scenes`, `tree`) use 0 and 2.";

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
    Field(field::Arguments),
    Sweep(sweep::Arguments),
    Play(play::Arguments),
    Bench(bench::Arguments),
    Scenes(scenes::Arguments),
    Ccd(ccd::Arguments),
    Lab(lab::Arguments),
    Robot(robot::Arguments),
    Tree(tree::Arguments),
}

/// What the exit code tells.
fn exit_code(outcome: Outcome) -> ExitCode {
    ExitCode::from(match outcome {
        Outcome::Free => 0,
        Outcome::Touching => 1,
        Outcome::Undecided => 3,
    })
}

/// Work on so many threads, by default one for each processor.
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<R> + Send,
) -> Result<R> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.context("cannot start threads; try --threads 1")?.install(work)
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Field(arguments) => field::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments).map(|()| Outcome::Free),
        Command::Scenes(arguments) => scenes::run(&arguments).map(|()| Outcome::Free),
        Command::Ccd(arguments) => ccd::run(&arguments).map(|()| Outcome::Free),
        Command::Robot(arguments) => robot::run(&arguments),
        Command::Lab(arguments) => lab::run(&arguments).map(|()| Outcome::Free),
        Command::Tree(arguments) => tree::run(&arguments).map(|()| Outcome::Free),
    };
    result.map_or_else(
        |error| {
            eprintln!("noli: {error:#}");
            ExitCode::from(2)
        },
        exit_code,
    )
}
