//! `noli mcp`: the Model Context Protocol server.

use anyhow::{Context, Result};
use noli_mcp::ServeOptions;
use std::path::PathBuf;
use std::time::Duration;

/// Answer agents and scripts: a Model Context Protocol server over standard input and output.
///
/// Tools: list_files, info, check_files, clearance, sweep, can_remove, robot_check. Answers are JSON with units, a summary
/// and a PNG picture of the clash. Only files below the named folders are read, links resolved; nothing is written.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders whose files may be read.
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Time limit of a call, such as `30s` or `500ms`; a call may ask for less.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = noli_ask::quantity::duration)]
    time: Duration,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    noli_formats::restrict_reading(&arguments.folders)?;
    let options = ServeOptions::new(arguments.time, crate::limits::memory());
    let input = std::io::BufReader::new(std::io::stdin());
    noli_mcp::serve(input, std::io::stdout(), &options).context("standard input cannot be read")
}
