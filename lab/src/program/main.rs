//! The program `noli-lab`: published experiments, benchmarks, feature queries with their truth, hierarchies, and commands of
//! `noli` with published methods.
//!
//! Exit codes: 0 done, 2 error. Options and JSON fields are described in `docs/command-line.md`.

mod bench;
mod ccd;
mod check;
mod experiments;
mod field;
mod four_steps;
mod measured;
mod play;
mod tree;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Published experiments of collision detection with their printed figures, benchmarks and published methods.
#[derive(Parser)]
#[command(name = "noli-lab", version, after_help = "Exit codes: 0 done, 2 error or a wrong answer.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Experiments(experiments::Action),
    Bench(bench::Arguments),
    Ccd(ccd::Arguments),
    Tree(tree::Arguments),
    Check(check::Command),
    Play(play::Command),
    Field(field::Arguments),
    FourSteps(four_steps::Command),
    Serve(noli_cli::serve::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Experiments(action) => experiments::run(&action),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Ccd(arguments) => ccd::run(&arguments),
        Command::Tree(arguments) => tree::run(&arguments),
        Command::Check(command) => check::run(&command),
        Command::Play(command) => play::run(&command),
        Command::Field(arguments) => field::run(&arguments),
        Command::FourSteps(command) => four_steps::run(&command),
        Command::Serve(arguments) => noli_cli::serve::run(&arguments, noli_lab::panels::all()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => noli_cli::failure("noli-lab", &error),
    }
}
