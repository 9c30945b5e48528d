//! `noli prove`: certificates, proofs of collision statements that independent programs check.

mod motion;
mod pair;

use crate::robot::{plan, prove as robot, run as program};
use crate::{Verdict, remove};
use anyhow::Result;
use clap::{Arg, Subcommand};

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
    /// Plan a path for a robot and prove that it is collision-free at every instant.
    ///
    /// As `noli robot plan --certificate FILE`. Exit code 0: the certificate was written; 1: the start or the goal is in
    /// collision; 3: no path was found.
    #[command(mut_arg("certificate", output))]
    Plan(Box<plan::Arguments>),
    /// Plan a removal path for a part and prove that it is collision-free at every instant.
    ///
    /// As `noli remove --certificate FILE`. A pair in contact at the start is claimed to be separated from an instant on
    /// that the certificate gives. Exit code 0: the certificate was written; 1: there is no path, by proof; 3: none was
    /// found.
    #[command(mut_arg("certificate", output))]
    Removal(Box<remove::Arguments>),
    /// Run a program in a cell and prove that its motions are collision-free at every instant.
    ///
    /// As `noli robot run --certificate FILE`: one statement for each motion, with the parts where they are then. A motion
    /// that stops before a collision is proven up to there. Exit codes are those of `noli robot run`.
    #[command(mut_arg("certificate", output))]
    Program(Box<program::Arguments>),
}

/// The option of the certificate, as the other commands of `prove` have it.
fn output(certificate: Arg) -> Arg {
    certificate.short('o').long("output").required(true).help("The certificate")
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match &arguments.command {
        Command::Pair(arguments) => pair::run(arguments),
        Command::Motion(arguments) => motion::run(arguments),
        Command::Path(arguments) => robot::path(arguments),
        Command::Pairs(arguments) => robot::pairs(arguments),
        Command::Plan(arguments) => plan::run(arguments),
        Command::Removal(arguments) => remove::run(arguments),
        Command::Program(arguments) => program::run(arguments, None),
    }
}
