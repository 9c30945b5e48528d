//! `noli-lab play`: the control loop with published tests of pairs and answers for unfinished ones.

use anyhow::Result;
use clap::ValueEnum;
use noli_classics::step::{PublishedStep, TestTimes, TimeoutAnswer};

/// Play the motions of a scene as `noli play` does, pairs tested as published.
#[derive(clap::Args)]
pub(crate) struct Command {
    #[command(flatten)]
    play: noli_cli::play::Arguments,
    /// Method of testing pairs.
    #[arg(long, value_enum, default_value_t = Mode::Dynamic)]
    mode: Mode,
    /// Answers for pairs that the budget does not suffice for.
    #[arg(long, value_enum, default_value_t = Fallback::Contact, conflicts_with_all = ["contact", "dynamics"])]
    fallback: Fallback,
}

/// Method of testing pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// At the end of each frame only.
    Static,
    /// At the ends of each frame and four poses between; may miss contacts.
    Sampled,
    /// At all times.
    Dynamic,
    /// At all times for bodies that overlap at the end of a frame; may miss contacts.
    Mixed,
}

/// Answers for pairs that the budget does not suffice for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Fallback {
    /// Contact is possible after the time until which they are proven free.
    Contact,
    /// Contact is possible after the time at which volumes that were not visited yet may touch; never earlier than the
    /// former.
    Volumes,
    /// They touch when flat proxies of two such volumes do; approximate, may miss contacts.
    Faces,
}

pub(crate) fn run(command: &Command) -> Result<()> {
    let times = match command.mode {
        Mode::Static => TestTimes::Static,
        Mode::Sampled => TestTimes::Sampled { between: 4 },
        Mode::Dynamic => TestTimes::Dynamic,
        Mode::Mixed => TestTimes::Mixed,
    };
    let timeout = match command.fallback {
        Fallback::Contact => TimeoutAnswer::AssumeContact,
        Fallback::Volumes => TimeoutAnswer::Volumes,
        Fallback::Faces => TimeoutAnswer::Faces,
    };
    noli_cli::play::run(&command.play, Some(&PublishedStep { times, timeout, ..Default::default() }))?;
    Ok(())
}
