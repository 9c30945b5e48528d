//! `noli robot coordinate`: programs of several robots, collision-free with any timing, in an order, or not.

mod page;
mod text;

use crate::Verdict;
use crate::limits::Limits;
use crate::output::{self, Progress};
use anyhow::{Result, ensure};
use noli_ask::quantity::{self, Length};
use noli_formats::Units;
use noli_plan::{CoordinateOptions, TimedPath, coordinate};
use noli_project::cell::{CoordinatedRobot, RobotProgram, coordination_report};
use noli_project::report::Asked;
use std::path::{Path, PathBuf};

/// Check the programs of several robots against each other with any timing.
///
/// Every program is run alone in its cell first. Then the pairs of times at which two robots are proven not to collide
/// are computed: programs are independent, or an order is given in which instructions wait for others, without
/// deadlock. All cells share one world frame.
///
/// Exit code 0: collision-free as timed, proven; 1: two robots collide as timed; 3: not decided.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Cells with their programs, two or more.
    #[arg(value_name = "CELL.toml", num_args = 2.., required = true)]
    cells: Vec<PathBuf>,
    /// Minimum clearance between robots, in metres or with a unit, such as 5mm.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = quantity::length)]
    margin: Length,
    /// Time at which a program starts, such as 2s; one for each cell, in order. By default all start at once.
    #[arg(long, value_name = "TIME", value_parser = noli_ask::quantity::duration, value_delimiter = ',')]
    start: Vec<std::time::Duration>,
    /// Number of halvings of each axis of time.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
    #[command(flatten)]
    limits: Limits,
    /// Also write a page with the coordination diagram of every two robots.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object instead of the table, or write it to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    ensure!(
        arguments.start.is_empty() || arguments.start.len() == arguments.cells.len(),
        "--start: {} times for {} cells",
        arguments.start.len(),
        arguments.cells.len()
    );
    output::refuse_inputs(arguments.html.iter().chain(&arguments.json), &arguments.cells)?;
    let running = arguments.limits.start()?;
    let time = arguments.limits.start_whole();
    let progress = Progress::of_time("running the programs");
    let mut programs = Vec::new();
    for (number, path) in arguments.cells.iter().enumerate() {
        let start = arguments.start.get(number).map_or(0.0, |start| start.as_secs_f64());
        let cell = noli_store::load_cell(path)?;
        let shown = path.display().to_string();
        programs.push(RobotProgram::run_alone(cell, &shown, format!("{}/", number + 1), start)?);
    }
    drop((progress, time));
    let progress = Progress::of_time("comparing all timings");
    let mut options = CoordinateOptions::default();
    options.margin = arguments.margin.of_unit(Units::Metre);
    options.depth = arguments.depth;
    options.stop = Some(running.is_over());
    let paths: Vec<&dyn TimedPath> = programs.iter().map(|program| program as &dyn TimedPath).collect();
    let found = coordinate(&paths, &options)?;
    let shown: Vec<String> = arguments.cells.iter().map(|path| path.display().to_string()).collect();
    let robots =
        programs.iter().zip(&shown).map(|(program, cell)| CoordinatedRobot::of_program(program, cell));
    let robots: Vec<CoordinatedRobot<'_>> = robots.collect();
    let mut report = coordination_report(&robots, &found);
    drop(progress);
    if let Some(limit) = running.reached() {
        report.warnings.push(format!("{limit} was reached: times that were not tested count as not proven"));
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, page::html(&report, &programs, found.order.as_ref())?.as_bytes())?;
    }
    let printed = arguments.json.as_deref() == Some(Path::new("-"));
    if !printed {
        output::warn_all(&report.warnings);
        output::print(&text::text(&report))?;
    }
    let asked = asked(found.pairs.iter().map(|pair| pair.compared).sum());
    if let Some(target) = &arguments.json {
        output::deliver_report(target, "robot-coordinate", &report, &asked)?;
    }
    Ok(Verdict::new(report.outcome, asked?))
}

fn asked(across: usize) -> Result<Asked> {
    ensure!(across > 0, "no pair of links across the robots is checked; give their links collision shapes");
    Ok(Asked::new(across)?)
}
