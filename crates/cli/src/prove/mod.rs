//! `noli prove`: certificates, proofs of collision statements that independent programs check.

mod motion;
mod pair;

use crate::Verdict;
use crate::robot::prove as robot;
use anyhow::Result;
use clap::Subcommand;

/// Write a certificate: a proof that programs without any code of noli can check (docs/certificates.md).
///
/// Exit code 0: a certificate of separation was written; 1: of a collision, or the statement is false; 3: no proof was
/// found within the budget.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Pair(pair::Arguments),
    Motion(motion::Arguments),
    Path(robot::PathArguments),
    Pairs(robot::PairsArguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match &arguments.command {
        Command::Pair(arguments) => pair::run(arguments),
        Command::Motion(arguments) => motion::run(arguments),
        Command::Path(arguments) => robot::path(arguments),
        Command::Pairs(arguments) => robot::pairs(arguments),
    }
}
