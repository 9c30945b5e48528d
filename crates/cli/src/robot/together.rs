//! `noli robot run --with`: programs that run at once and wait for each other by signals, checked together as timed.

use super::run as program;
use crate::output::{self, Progress, Table, plural, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail};
use noli_pages::{PageData, TogetherPage, together_page};
use noli_program::run::RunOptions;
use noli_project::cell::{
    LoadedCell, RobotProgram, RunInCell, recording_together, run_programs, together_report,
};
use noli_project::report::{
    Asked, ImpactKind, ImpactReport, RunOutcome, TogetherCollisionReport, TogetherReport, Trust,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Run a program in a cell: which lines it gets through, where something would touch, how close it comes.
///
/// Every motion is proven free of contact before it is driven, between points too. Where something would
/// touch, the arm stops at the last place proven free.
#[derive(clap::Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    alone: program::Arguments,
    /// Run the program of this cell at the same time; repeatable. All cells share one world frame. A signal that one
    /// program sets is an input of the others 1 ms later. Afterwards the arms are checked against each other as timed.
    /// Programs that wait for each other without end are an error (exit code 2).
    #[arg(
        long,
        value_name = "CELL.toml",
        conflicts_with_all = ["program", "demo", "main", "warn", "until_contact", "no_profile", "record", "gltf",
                              "certificate", "csv", "db", "write_demo"]
    )]
    with: Vec<PathBuf>,
}

/// Runs the program of a cell, together with those of others if there are any.
pub(crate) fn run(arguments: &RunArguments) -> Result<Verdict> {
    let alone = &arguments.alone;
    let (Some(first), false) = (&alone.cell, arguments.with.is_empty()) else {
        return program::run(alone, None);
    };
    let fps = alone.frames_per_second()?;
    let paths: Vec<&PathBuf> = std::iter::once(first).chain(&arguments.with).collect();
    let running = alone.limits.start()?;
    let is_over = || running.is_over().load(Relaxed);
    let programs = run_all(&paths, alone, &is_over)?;
    let progress = Progress::of_time("checking the robots together");
    let report = together_report(&programs, &is_over)?;
    drop(progress);
    if alone.json.as_deref() != Some(Path::new("-")) {
        report.programs.iter().for_each(|program| output::warn_all(&program.warnings));
        output::print(&text(&report, alone.rows))?;
    }
    if let Some(target) = &alone.html {
        output::write_file(target, page(&programs, &report, fps)?.html().as_bytes())?;
    }
    let asked = refuse_failures(&report).and_then(|()| Ok(Asked::new(report.pairs)?));
    if let Some(target) = &alone.json {
        output::deliver_report(target, "robot-run-together", &report, &asked)?;
    }
    Ok(Verdict::new(report.outcome.decided().unwrap_or(Outcome::Undecided), asked?))
}

/// Runs all programs at once.
fn run_all(
    paths: &[&PathBuf],
    arguments: &program::Arguments,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<RobotProgram>> {
    let (mut cells, mut inputs): (Vec<(LoadedCell, RunOptions)>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    for path in paths {
        let cell = noli_store::load_cell(path)?;
        let program = cell.program.iter().map(|(path, _)| path.clone());
        inputs.extend(cell.inputs.iter().cloned().chain(program));
        let options = arguments.options(&cell);
        cells.push((cell, options));
    }
    output::refuse_inputs(arguments.json.iter().chain(&arguments.html), &inputs)?;
    let progress = Progress::of_time("running the programs");
    let programs = run_programs(cells, is_over).context("the programs cannot be run in their cells")?;
    drop(progress);
    Ok(programs)
}

/// An error if a program failed by anything but a contact or a missing proof.
fn refuse_failures(report: &TogetherReport) -> Result<()> {
    report.failure().map_or(Ok(()), |failure| bail!("{failure}"))
}

/// The page of all robots as timed.
fn page(programs: &[RobotProgram], report: &TogetherReport, fps: f64) -> Result<PageData> {
    let runs = programs.iter().map(|one| RunInCell { prefix: &one.prefix, cell: &one.cell, run: &one.run });
    let runs: Vec<RunInCell<'_>> = runs.collect();
    let recording = recording_together(&runs, fps, program::MOST_FRAMES);
    let collision = report.collision.as_ref().map(|found| impact(found, recording.seconds));
    let summary = verdict(report);
    let outcome = summary.lines().next().unwrap_or_default();
    let contents = TogetherPage {
        runs: &runs,
        reports: &report.programs,
        recording: &recording,
        outcome,
        summary: &summary,
        collision: collision.as_ref(),
    };
    Ok(together_page(&contents)?)
}

fn is_at_start(found: &TogetherCollisionReport) -> bool {
    found.time_s <= 0.0
}

/// The same as a contact of a page that lasts so many seconds.
fn impact(found: &TogetherCollisionReport, seconds: f64) -> ImpactReport {
    let [a, b] = found.links.clone();
    ImpactReport {
        a,
        b,
        impact: if is_at_start(found) { ImpactKind::AtStart } else { ImpactKind::At },
        after_start: None,
        safe_until: (found.safe_until_s / seconds).min(1.0),
        touching_by: Some((found.time_s / seconds).min(1.0)),
        proven: None,
        guarantee: Trust::Conservative,
        features: None,
        point: found.point,
        normal: None,
        clearance_at_most: None,
        margin: 0.0,
        safe_until_s: Some(found.safe_until_s),
        touching_by_s: Some(found.time_s),
        travelled: None,
    }
}

/// The verdict on the robots as timed, in a line or two.
fn verdict(report: &TogetherReport) -> String {
    let pairs = plural(report.pairs, "pair", "pairs");
    let Some(found) = &report.collision else {
        return match report.outcome {
            _ if report.undecided => format!("not proven that the robots do not collide as timed ({pairs})"),
            RunOutcome::Failed => {
                format!(
                    "the robots do not collide with each other as far as the programs ran, proven ({pairs})"
                )
            }
            _ => format!("the robots do not collide with each other as timed, proven ({pairs})"),
        };
    };
    let TogetherCollisionReport { robots: [a, b], lines: [la, lb], links, safe_until_s, time_s, point } =
        found;
    let point = point.map_or(String::new(), |p| format!(" at {} m", p.map(short).join(" ")));
    let links = links.join(" - ");
    if is_at_start(found) {
        return format!("robots {a} and {b} are in collision at the start: {links}{point} ({pairs})");
    }
    format!(
        "robots {a} and {b} collide at {time_s:.6} s: {links}{point} (lines {la} and {lb})\n\
         collision-free until {safe_until_s:.6} s, proven ({pairs})"
    )
}

/// The table of a report.
fn text(report: &TogetherReport, rows: usize) -> String {
    let mut text = String::new();
    for (number, program) in report.programs.iter().enumerate() {
        let _ = writeln!(text, "{}: {}: {} of {}", number + 1, program.cell, program.main, program.program);
    }
    let robots = report.programs.iter().enumerate();
    let mut all: Vec<_> =
        robots.flat_map(|(n, p)| p.instructions.iter().map(move |one| (n + 1, one))).collect();
    all.sort_by(|a, b| a.1.start.total_cmp(&b.1.start));
    let mut table = Table::new(5, ["time (s)", "robot", "line", "instruction", "path"]);
    for (robot, one) in all.iter().take(rows) {
        table.row([
            format!("{:.3}", one.start),
            robot.to_string(),
            one.line.to_string(),
            one.text.clone(),
            one.kind.clone(),
        ]);
    }
    let _ = write!(text, "\n{table}");
    if all.len() > rows {
        let _ = writeln!(text, "... and {} more (--rows)", all.len() - rows);
    }
    let robots = report.programs.iter().enumerate();
    let mut signals: Vec<_> =
        robots.flat_map(|(n, p)| p.signals.iter().map(move |one| (n + 1, one))).collect();
    signals.retain(|(_, change)| change.output);
    signals.sort_by(|a, b| a.1.time.total_cmp(&b.1.time));
    for (robot, change) in signals {
        let word = if change.on { "on" } else { "off" };
        let _ = writeln!(text, "{:>9.3} s  robot {robot} sets signal {} {word}", change.time, change.signal);
    }
    for (number, program) in report.programs.iter().enumerate() {
        for contact in &program.contacts {
            let links = contact.links.join(" touches ");
            let at = short(contact.touching_by);
            let _ = writeln!(
                text,
                "\nrobot {}, line {}: {links} at {at} s in its cell",
                number + 1,
                contact.line
            );
        }
        if let Some(failure) = &program.first_failure {
            let _ = writeln!(text, "\nrobot {}, line {}: {}", number + 1, failure.line, failure.reason);
        }
    }
    let _ = writeln!(text, "\n{}", verdict(report));
    let _ = writeln!(text, "{:.3} s in all", report.seconds);
    text
}
