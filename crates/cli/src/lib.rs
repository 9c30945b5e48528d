//! The `noli` command: `check` reports the relations of the bodies of an assembly, `sweep` and `play` follow motions,
//! `remove` plans removal paths, `robot` checks, plans and runs robots, `db` stores components, `scenes` writes
//! bundled assemblies.
//!
//! Public items are for `noli-lab`, the program of experiments, which shares output, inputs and three commands.
//!
//! Exit codes: 0 free, 1 something touches or is closer than the margin, 2 error, 3 undecided.
//! `docs/command-line.md` describes the JSON fields; the help of each command, its options.

mod about;
mod campaign;
mod certificate;
pub mod check;
// Modules that read files or quantities themselves: numbers are not to be cut, to wrap or to be looked up unchecked.
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
mod clash;
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
mod db;
mod decompose;
mod demo;
mod examples;
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
pub mod field;
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
mod limits;
mod mcp;
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
mod volume;

use anyhow::{Context, Result};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
pub(crate) use noli_project::report::{Outcome, Verdict};
use output::Style;
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes: 0 collision-free, 1 a hit (contact, or closer than the margin), 2 error, 3 undecided within the budget.
`check` of a single mesh: 0 sound, 1 it has faults. An empty question is an error.
Tools (`campaign`, `clash`, `completions`, `db`, `decompose`, `demo`, `man`, `mcp`, `scenes`) use 0 and 2.

Start with `noli demo`, then `noli check YOUR_FILES`. Lengths take units: 2mm, 0.5in.";

/// Exact collision, distance and continuous-collision queries; every answer states its guarantee.
#[derive(Parser)]
#[command(name = "noli", after_help = EXIT_CODES, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    style: Style,
    #[command(subcommand)]
    command: Command,
    /// Memory limit, such as 512M or 8GB. Queries that need more are undecided, and files that need more to be read are
    /// refused; without this option, those that need more than 2G.
    #[arg(long, global = true, value_name = "SIZE", value_parser = limits::bytes)]
    memory: Option<u64>,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Arguments),
    #[command(after_help = examples::CHECK)]
    Check(check::Arguments),
    #[command(after_help = examples::DECOMPOSE)]
    Decompose(decompose::Arguments),
    #[command(after_help = examples::CLASH)]
    Clash(clash::Arguments),
    #[command(after_help = examples::FIELD)]
    Field(field::Arguments),
    #[command(after_help = examples::STUDY)]
    Study(study::Arguments),
    #[command(after_help = examples::SWEEP)]
    Sweep(sweep::Arguments),
    #[command(after_help = examples::PLAY)]
    Play(play::Command),
    #[command(after_help = examples::CAMPAIGN)]
    Campaign(campaign::Arguments),
    #[command(after_help = examples::SCENES)]
    Scenes(scenes::Arguments),
    #[command(after_help = examples::REMOVE)]
    Remove(remove::Arguments),
    #[command(after_help = examples::PROVE)]
    Prove(prove::Arguments),
    #[command(after_help = examples::VERIFY)]
    Verify(verify::Arguments),
    #[command(after_help = examples::ROBOT)]
    Robot(robot::Arguments),
    #[command(after_help = examples::DB)]
    Db(db::Arguments),
    #[command(after_help = examples::SERVE)]
    Serve(serve::Arguments),
    #[command(after_help = examples::MCP)]
    Mcp(mcp::Arguments),
    Completions(about::Completions),
    Man(about::Man),
}

/// Returns the description of all commands and options.
pub fn command() -> clap::Command {
    Arguments::command().version(about::VERSION.as_str()).long_version(about::LONG_VERSION.as_str())
}

/// Returns the exit code of a verdict. A verdict requires that something was tested.
fn exit_code(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict.outcome() {
        Outcome::Free => 0,
        Outcome::Touching => 1,
        Outcome::Undecided => limits::UNDECIDED,
    })
}

/// An error for programs.
#[derive(serde::Serialize)]
struct ErrorReport {
    error: String,
    exit_code: u8,
}

/// Prints an error of a program to standard error, and as JSON to standard output if `--json` is among the arguments; returns
/// its exit code.
pub fn failure(program: &str, error: &anyhow::Error) -> ExitCode {
    let text = error_text(error);
    output::print_to_stderr(&format!("{program}: {text}"));
    error_json(&text, 2);
    ExitCode::from(2)
}

/// Returns an error with its causes as one line.
pub(crate) fn error_text(error: &anyhow::Error) -> String {
    noli_formats::without_numbers(format!("{error:#}"))
}

/// Prints an error as JSON to standard output if JSON was to be printed there, and no report was.
fn error_json(error: &str, exit_code: u8) {
    let asks = |word: std::ffi::OsString| word == "--json" || word == "--json=-";
    if std::env::args_os().any(asks) && !output::has_reported() {
        // Text that cannot be printed has been reported on standard error.
        let _ = output::print_report("error", &ErrorReport { error: error.to_owned(), exit_code });
    }
}

/// Refuses `--detail` of files. (clap waives what an option requires where that conflicts with another one.)
fn refuse_detail(detail: Option<u32>) -> Result<()> {
    anyhow::ensure!(detail.is_none(), "--detail is for --demo: files have their own meshes");
    Ok(())
}

/// Refuses more threads than any machine has use for; tens of thousands take minutes to start.
fn check_threads(threads: usize) -> Result<()> {
    const MOST_THREADS: usize = 1024;
    anyhow::ensure!(threads <= MOST_THREADS, "--threads {threads}: give at most {MOST_THREADS}");
    Ok(())
}

/// Work on so many threads, by default one for each CPU.
pub fn on_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    check_threads(threads.unwrap_or(0))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.context("cannot start threads; try --threads 1")?.install(work)
}

/// Returns when clap uses colours, which it must know before it reads the options.
fn colours() -> clap::ColorChoice {
    let words: Vec<String> = std::env::args().collect();
    let pairs = words.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let named = words.iter().filter_map(|word| word.split_once('='));
    match pairs.chain(named).find(|(option, _)| *option == "--color") {
        Some((_, "always")) => clap::ColorChoice::Always,
        Some((_, "never")) => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

/// Prints help and versions, or an error of usage.
fn usage(error: &clap::Error) -> ExitCode {
    let is_error = error.use_stderr();
    let _ = error.print();
    if !is_error {
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let text = text.trim_start_matches("error: ");
    error_json(text.split("\n\n").next().unwrap_or(text).trim(), 2);
    ExitCode::from(2)
}

/// Runs the command of the program's arguments.
pub fn main() -> ExitCode {
    let matches = command().color(colours()).try_get_matches();
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    output::set_style(arguments.style);
    arguments.memory.into_iter().for_each(limits::set_memory);
    run(&arguments.command).unwrap_or_else(|error| failure("noli", &error))
}

fn run(chosen: &Command) -> Result<ExitCode> {
    let done = |()| ExitCode::SUCCESS;
    match chosen {
        Command::Demo(arguments) => demo::run(arguments).map(done),
        Command::Check(arguments) => check::run(arguments, None).map(exit_code),
        Command::Field(arguments) => {
            field::run(arguments).map(|verdict| verdict.map_or(ExitCode::SUCCESS, exit_code))
        }
        Command::Study(arguments) => study::run(arguments).map(exit_code),
        Command::Sweep(arguments) => sweep::run(arguments).map(exit_code),
        Command::Play(play) => play::run(&play.arguments, play.policy()).map(exit_code),
        Command::Remove(arguments) => remove::run(arguments).map(exit_code),
        Command::Prove(arguments) => prove::run(arguments).map(exit_code),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Robot(arguments) => robot::run(arguments).map(exit_code),
        Command::Serve(arguments) => serve::run(arguments, Vec::new()).map(done),
        Command::Mcp(arguments) => mcp::run(arguments).map(done),
        Command::Campaign(arguments) => campaign::run(arguments).map(done),
        Command::Decompose(arguments) => decompose::run(arguments).map(done),
        Command::Scenes(arguments) => scenes::run(arguments).map(done),
        Command::Clash(arguments) => clash::run(arguments).map(done),
        Command::Db(arguments) => db::run(arguments).map(done),
        Command::Completions(arguments) => about::completions(arguments, command()).map(done),
        Command::Man(arguments) => about::man(arguments, command()).map(done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_the_options_is_sound() {
        command().debug_assert();
    }
}
