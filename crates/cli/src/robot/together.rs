//! `noli robot run --with`: programs that run at once and wait for each other by signals, checked together as timed.

use super::coordinate::program::Program;
use super::deadlock::{self, Stuck};
use super::run as program;
use crate::output::{self, Progress, Table, plural, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail, ensure};
use noli::answer::Impact;
use noli_pages::{PageData, TogetherPage, together_page};
use noli_program::run::{Job, LATENCY, OnContact, RunOptions, run_together};
use noli_project::cell::{LoadedCell, RunInCell, RunSource, recording_together, run_report};
use noli_project::report::{Asked, ImpactKind, ImpactReport, RunOutcome, RunReport, Trust};
use noli_robot::JointCurve;
use noli_robot::cell::{Cell, CellBuilder, PairRule};
use serde::Serialize;
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

/// Result of programs that ran at once.
#[derive(Serialize)]
struct Report {
    outcome: RunOutcome,
    /// A proof is missing.
    #[serde(skip)]
    undecided: bool,
    /// Time from an output of one program to the input of another.
    latency_s: f64,
    /// Duration until the last program ended.
    seconds: f64,
    /// Compared pairs of parts of different robots.
    pairs: usize,
    /// The first collision between robots.
    collision: Option<Collision>,
    /// Programs that wait without end.
    deadlock: Vec<Stuck>,
    /// Each program in its own cell.
    programs: Vec<RunReport>,
}

#[derive(Serialize)]
struct Collision {
    /// Counted from 1.
    robots: [usize; 2],
    /// Lines of the motions in progress.
    lines: [u32; 2],
    links: [String; 2],
    /// Proven collision-free before this time.
    safe_until_s: f64,
    time_s: f64,
    point: Option<[f64; 3]>,
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
    let (collision, undecided, pairs) = first_collision(&programs, &is_over)?;
    drop(progress);
    ensure!(pairs > 0, "no pair of links across the robots is checked; give their links collision shapes");
    let reports = programs.iter().map(|program| run_report(&program.cell, &program.source, &program.run));
    let reports: Vec<RunReport> = reports.collect();
    let any = |outcome: RunOutcome| reports.iter().any(|report| report.outcome == outcome);
    let undecided = undecided || any(RunOutcome::Undecided);
    let outcome = if collision.is_some() || any(RunOutcome::Touching) {
        Outcome::Touching
    } else if undecided {
        Outcome::Undecided
    } else {
        Outcome::Free
    };
    let mut report = Report {
        outcome: outcome.into(),
        undecided,
        latency_s: LATENCY,
        seconds: programs.iter().map(|program| program.run.seconds).fold(0.0, f64::max),
        pairs,
        collision,
        deadlock: deadlock::of(&programs),
        programs: reports,
    };
    let asked = refuse_failures(&report).and_then(|()| Ok(Asked::new(pairs)?));
    if asked.is_err() {
        report.outcome = RunOutcome::Failed;
    }
    if alone.json.as_deref() != Some(Path::new("-")) {
        report.programs.iter().for_each(|program| output::warn_all(&program.warnings));
        output::print(&text(&report, alone.rows))?;
    }
    if let Some(target) = &alone.html {
        output::write_file(target, page(&programs, &report, fps)?.html().as_bytes())?;
    }
    if let Some(target) = &alone.json {
        output::deliver_report(target, "robot-run-together", &report, &asked)?;
    }
    Ok(Verdict::new(outcome, asked?))
}

/// Runs all programs at once.
fn run_all(
    paths: &[&PathBuf],
    arguments: &program::Arguments,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Program>> {
    let (mut loaded, mut inputs): (Vec<(LoadedCell, RunSource)>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    for path in paths {
        let cell = noli_store::load_cell(path)?;
        let source = RunSource::of_cell(&cell)?;
        inputs.extend(cell.inputs.iter().cloned().chain([source.path.clone()]));
        loaded.push((cell, source));
    }
    output::refuse_inputs(arguments.json.iter().chain(&arguments.html), &inputs)?;
    let jobs = loaded.iter().map(|(cell, source)| Job {
        work: &cell.work,
        programs: &source.programs,
        main: &source.main,
        options: RunOptions { on_contact: OnContact::Stop, profile: 0, ..arguments.options(cell) },
    });
    let jobs: Vec<Job<'_>> = jobs.collect();
    let progress = Progress::of_time("running the programs");
    let runs = run_together(&jobs, is_over).context("the programs cannot be run in their cells")?;
    drop(progress);
    let program = |(number, ((cell, source), run))| Program {
        cell,
        source,
        prefix: format!("{}/", number + 1),
        start: 0.0,
        run,
    };
    Ok(loaded.into_iter().zip(runs).enumerate().map(program).collect())
}

/// The robots of all programs, and the parts that they hold at a time. Only pairs of different programs are checked;
/// other pairs are proven by each program in its own cell.
fn cell_at(programs: &[Program], time: f64) -> Result<Cell> {
    let mut plan = CellBuilder::default();
    for program in programs {
        let before = plan.part_names().count();
        program.add_to(&mut plan, &program.held_at(time))?;
        let own: Vec<String> = plan.part_names().skip(before).map(str::to_owned).collect();
        for (number, a) in own.iter().enumerate() {
            for b in &own[..number] {
                plan.disable(a, b, "both of one program")?;
            }
        }
    }
    Ok(plan.build())
}

/// The joints of all robots as driven between two times: polynomials of second degree between knots.
fn curve(programs: &[Program], [from, to]: [f64; 2]) -> Result<JointCurve> {
    let values =
        |time: f64| programs.iter().flat_map(|program| program.values_at(time)).collect::<Vec<f64>>();
    let mut knots: Vec<f64> = programs.iter().flat_map(|program| program.run.knots()).collect();
    knots.push(to);
    knots.sort_by(f64::total_cmp);
    let mut curve = JointCurve::starting(from, &values(from))?;
    let (mut last, mut start) = (from, values(from));
    for knot in knots.into_iter().filter(|knot| *knot <= to) {
        // Times nearer than their rounding are one.
        if knot - last <= 1e-12 * to.max(1.0) {
            continue;
        }
        let (middle, end) = (values(0.5 * (last + knot)), values(knot));
        let control = middle.iter().zip(start.iter().zip(&end)).map(|(m, (a, b))| 2.0 * m - 0.5 * (a + b));
        curve.push(knot, &[&control.collect::<Vec<f64>>(), &end])?;
        (last, start) = (knot, end);
    }
    Ok(curve)
}

/// The first collision between robots as timed, `true` if a proof is missing, and the largest number of pairs that were
/// compared at once.
fn first_collision(
    programs: &[Program],
    is_over: &dyn Fn() -> bool,
) -> Result<(Option<Collision>, bool, usize)> {
    let ends = programs.iter().filter_map(|program| program.run.knots().last().copied());
    // Robots that never move are compared where they stand.
    let end = ends.fold(0.0, f64::max).max(LATENCY);
    let changes = programs.iter().flat_map(|program| program.run.parts.iter().map(|change| change.time));
    let mut times: Vec<f64> = changes.filter(|time| (0.0..end).contains(time)).chain([0.0, end]).collect();
    times.sort_by(f64::total_cmp);
    times.dedup_by(|later, earlier| *later - *earlier <= 1e-12 * end.max(1.0));
    let (mut undecided, mut pairs) = (false, 0);
    for span in times.windows(2) {
        let cell = cell_at(programs, span[0])?;
        let checked = |rule: &PairRule| matches!(rule, PairRule::Checked { .. });
        pairs = pairs.max(cell.pairs().iter().filter(|pair| checked(&pair.rule)).count());
        if is_over() {
            return Ok((None, true, pairs));
        }
        let curve = curve(programs, [span[0], span[1]])?;
        let (shares, touch) = match cell.checker().first_contact_on_curve(&curve)? {
            Impact::Free => continue,
            Impact::Unknown { .. } => {
                undecided = true;
                continue;
            }
            Impact::AtStart(touch) => ([0.0, 0.0], touch),
            Impact::At { time, touch } => ([time.safe_until, time.touching_by], touch),
        };
        let [safe_until_s, time_s] = shares.map(|share| curve.time_at(share));
        let links = cell.pair_names(touch.pair).map(str::to_owned);
        let robots = links.each_ref().map(|link| owner(programs, link));
        let line =
            |number: usize| programs[number].run.driven_at(time_s).map_or(1, |motion| motion.place.line);
        let point = touch.touch.witness.map(|w| (0.5 * (w.on_a.point + w.on_b.point)).to_array());
        let collision = Collision {
            robots: robots.map(|number| number + 1),
            lines: robots.map(line),
            links,
            safe_until_s,
            time_s,
            point,
        };
        return Ok((Some(collision), undecided, pairs));
    }
    Ok((None, undecided, pairs))
}

/// The program that a part belongs to.
fn owner(programs: &[Program], part: &str) -> usize {
    programs.iter().position(|program| part.starts_with(&program.prefix)).unwrap_or(0)
}

/// An error if a program failed by anything but a contact or a missing proof.
fn refuse_failures(report: &Report) -> Result<()> {
    let failed = |program: &RunReport| {
        let failure = program.first_failure.clone();
        failure.filter(|failure| failure.kind == "other" || failure.kind == "unreachable")
    };
    for (number, program) in report.programs.iter().enumerate() {
        let waits = report.deadlock.iter().any(|stuck| stuck.robot == number + 1);
        if let (Some(failure), false) = (failed(program), waits) {
            bail!("{}:{}: {}", program.program, failure.line, failure.reason);
        }
    }
    // Programs that wait for one that was stopped by a contact are no error of their own.
    match (&report.deadlock[..], report.outcome) {
        ([], _) | (_, RunOutcome::Touching | RunOutcome::Undecided) => Ok(()),
        (stuck, _) => bail!("{}", deadlock::message(stuck, &report.programs)),
    }
}

/// The page of all robots as timed.
fn page(programs: &[Program], report: &Report, fps: f64) -> Result<PageData> {
    let runs = programs.iter().map(|one| RunInCell { prefix: &one.prefix, cell: &one.cell, run: &one.run });
    let runs: Vec<RunInCell<'_>> = runs.collect();
    let recording = recording_together(&runs, fps, program::MOST_FRAMES);
    let collision = report.collision.as_ref().map(|found| found.impact(recording.seconds));
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

impl Collision {
    fn is_at_start(&self) -> bool {
        self.time_s <= 0.0
    }

    /// The same as a contact of a page that lasts so many seconds.
    fn impact(&self, seconds: f64) -> ImpactReport {
        let [a, b] = self.links.clone();
        ImpactReport {
            a,
            b,
            impact: if self.is_at_start() { ImpactKind::AtStart } else { ImpactKind::At },
            after_start: None,
            safe_until: (self.safe_until_s / seconds).min(1.0),
            touching_by: Some((self.time_s / seconds).min(1.0)),
            proven: None,
            guarantee: Trust::Conservative,
            features: None,
            point: self.point,
            normal: None,
            clearance_at_most: None,
            margin: 0.0,
            safe_until_s: Some(self.safe_until_s),
            touching_by_s: Some(self.time_s),
            travelled: None,
        }
    }
}

/// The verdict on the robots as timed, in a line or two.
fn verdict(report: &Report) -> String {
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
    let Collision { robots: [a, b], lines: [la, lb], links, safe_until_s, time_s, point } = found;
    let point = point.map_or(String::new(), |p| format!(" at {} m", p.map(short).join(" ")));
    let links = links.join(" - ");
    if found.is_at_start() {
        return format!("robots {a} and {b} are in collision at the start: {links}{point} ({pairs})");
    }
    format!(
        "robots {a} and {b} collide at {time_s:.6} s: {links}{point} (lines {la} and {lb})\n\
         collision-free until {safe_until_s:.6} s, proven ({pairs})"
    )
}

/// The table of a report.
fn text(report: &Report, rows: usize) -> String {
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
