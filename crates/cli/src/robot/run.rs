//! `noli robot run`: a program in a cell, every motion proven before it is driven.

use crate::certificate;
use crate::limits::Limits;
use crate::output::{self, Progress, Table, plural, short};
use crate::{Outcome, Verdict};
use anyhow::{Context, Result, bail, ensure};
use noli_ask::quantity::{self, Length};
use noli_formats::Units;
use noli_pages::run_page;
use noli_program::RunLimits;
use noli_program::run::{OnContact, Run, RunOptions, run_until};
use noli_project::cell::{
    LoadedCell, RunSource, bundled_cells, open_bundled_cell, run_csv, run_gltf, run_recording, run_report,
};
use noli_project::report::{Asked, FramesReport, LinkClearance, RunContactReport, RunOutcome, RunReport};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Run a program in a cell: which lines it gets through, where something would touch, how close it comes.
///
/// Every motion is proven free of contact before it is driven, between points too. Where something would
/// touch, the arm stops at the last place proven free.
#[derive(clap::Args)]
pub struct Arguments {
    /// The cell.
    #[arg(value_name = "CELL.toml", required_unless_present = "demo")]
    pub(super) cell: Option<PathBuf>,
    /// The program (VAL-II); by default the one that the cell names.
    #[arg(value_name = "PROGRAM.val")]
    program: Option<PathBuf>,
    /// A bundled cell instead of a file: magazine, magazine-clash or magazine-graze.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "magazine", conflicts_with = "cell")]
    demo: Option<String>,
    /// Program of the file to run; by default the first.
    #[arg(long, value_name = "NAME")]
    main: Option<String>,
    /// Stop at the first contact, regardless of the cell's setting.
    #[arg(long, conflicts_with = "warn")]
    until_contact: bool,
    /// Record contacts and continue, regardless of the cell's setting.
    #[arg(long)]
    warn: bool,
    /// Distance to a via point within which the tool may leave its path without BREAK or FINE, in millimetres or with a
    /// unit; by default the cell's setting.
    #[arg(long, value_name = "LENGTH", value_parser = quantity::length)]
    pub(super) blend: Option<Length>,
    /// Leave out the smallest clearance of every instruction, which takes most of the time.
    #[arg(long)]
    no_profile: bool,
    /// Statements at most.
    #[arg(long, value_name = "N", default_value_t = RunLimits::default().steps)]
    pub(super) steps: u64,
    /// Seconds of the program's own time at most.
    #[arg(long, value_name = "S", default_value_t = RunLimits::default().seconds)]
    pub(super) seconds: f64,
    /// Write a recording: poses of everything over time.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write binary glTF (.glb) with the motion as its animation.
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Frames a second of the recording, the animation and the page (25).
    #[arg(long, value_name = "N")]
    pub(super) fps: Option<f64>,
    /// Also write a page with the robot in 3D, a time line with clearances and signals, contacts and instructions.
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Write a certificate of the motions: a proof that other programs check (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Write the instructions as comma-separated values.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Log the run into a component database.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Write the files of the bundled cell into a folder, to be changed and run from there.
    #[arg(long, value_name = "DIR")]
    write_demo: Option<PathBuf>,
    /// Rows of the table at most; JSON is always complete.
    #[arg(long, value_name = "N", default_value_t = 80)]
    pub(super) rows: usize,
    #[command(flatten)]
    pub(super) limits: Limits,
    /// Print one JSON object instead of the table, or write it to a file as well.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub(super) json: Option<PathBuf>,
}

impl Arguments {
    /// Options of a run in a cell.
    pub(super) fn options(&self, cell: &LoadedCell) -> RunOptions {
        RunOptions {
            on_contact: match (self.until_contact, self.warn) {
                (true, _) => OnContact::Stop,
                (_, true) => OnContact::Warn,
                _ => cell.on_contact,
            },
            limits: RunLimits { steps: self.steps, seconds: self.seconds, ..RunLimits::default() },
            profile: if self.no_profile { 0 } else { RunOptions::default().profile },
            blend: self.blend.map_or(cell.blend, |blend| blend.of_unit(Units::Millimetre) / 1000.0),
        }
    }

    /// Frames a second of what is written; an error if nothing has frames.
    pub(super) fn frames_per_second(&self) -> Result<f64> {
        let fps = self.fps.unwrap_or(25.0);
        ensure!((0.1..=1000.0).contains(&fps), "--fps {fps}: give 0.1 to 1000 frames a second");
        ensure!(
            self.fps.is_none() || [&self.record, &self.gltf, &self.html].into_iter().any(Option::is_some),
            "--fps is for --record, --gltf and --html"
        );
        Ok(fps)
    }
}

/// Frames of a recording at most.
pub(super) const MOST_FRAMES: u32 = 20_000;

pub(crate) fn open(cell: Option<&Path>, demo: Option<&str>) -> Result<LoadedCell> {
    match (cell, demo) {
        (Some(path), _) => Ok(noli_store::load_cell(path)?),
        (None, Some(name)) => Ok(open_bundled_cell(name)?),
        (None, None) => bail!("give a cell file, or --demo with one of {}", bundled_cells().join(", ")),
    }
}

/// A test of a run frame by frame, for `noli-lab`.
pub type Frames<'a> = dyn Fn(&LoadedCell, &Run) -> Result<FramesReport> + 'a;

/// Runs a program in a cell and reports its contacts.
pub fn run(arguments: &Arguments, frames: Option<&Frames<'_>>) -> Result<Verdict> {
    let running = arguments.limits.start()?;
    let cell = open(arguments.cell.as_deref(), arguments.demo.as_deref())?;
    match (&arguments.write_demo, &arguments.demo) {
        (Some(folder), Some(name)) => write_demo(folder, name)?,
        (Some(_), None) => bail!("--write-demo is for --demo"),
        (None, _) => {}
    }
    let mut inputs = cell.inputs.clone();
    inputs.extend(arguments.program.clone());
    inputs.extend(cell.program.iter().map(|program| program.0.clone()));
    let outputs = [&arguments.record, &arguments.gltf, &arguments.html, &arguments.csv, &arguments.json];
    output::refuse_inputs(outputs.into_iter().flatten().chain(&arguments.certificate), &inputs)?;
    if let Some(target) = &arguments.certificate {
        certificate::refuse_tessellated_files(target, &cell.inputs)?;
        certificate::refuse_tessellated(target, super::tessellated_links(&cell.work.robot))?;
    }
    let fps = arguments.frames_per_second()?;
    let mut store = arguments.db.as_ref().map(noli_store::Store::open).transpose()?;
    let mut source = match &arguments.program {
        Some(path) => RunSource::read(path)?,
        None => RunSource::of_cell(&cell)?,
    };
    if let Some(main) = &arguments.main {
        let names: Vec<&str> = source.programs.list.iter().map(|program| program.name.as_str()).collect();
        ensure!(
            names.iter().any(|name| name.eq_ignore_ascii_case(main)),
            "--main: there is no program `{main}`; there are {}",
            names.join(", ")
        );
        source.main.clone_from(main);
    }
    let options = arguments.options(&cell);
    let progress = Progress::of_time("running the program");
    let is_over = || running.is_over().load(Relaxed);
    let done = run_until(&cell.work, &source.programs, &source.main, &options, &is_over);
    let done = done.with_context(|| format!("{}: the program cannot be run there", cell.title))?;
    drop(progress);
    let mut report = run_report(&cell, &source, &done);
    report.frames = frames.map(|test| test(&cell, &done)).transpose()?;
    if let Some(target) = &arguments.record {
        let recording = run_recording(&cell, &done, fps, MOST_FRAMES);
        output::write_file(target, output::report_json("recording", &recording)?.as_bytes())?;
    }
    if let Some(target) = &arguments.gltf {
        output::write_file(target, &run_gltf(&cell, &done, fps)?)?;
    }
    if let Some(target) = &arguments.html {
        let recording = run_recording(&cell, &done, fps, MOST_FRAMES);
        output::write_file(target, run_page(&cell, &report, &recording)?.html().as_bytes())?;
    }
    if let Some(target) = &arguments.csv {
        output::write_file(target, run_csv(&report).as_bytes())?;
    }
    if let Some(store) = &mut store {
        store.log_run(&report)?;
    }
    if let Some(target) = &arguments.certificate {
        super::prove::program(&cell.work, &done, &inputs)?.write_proven(target)?;
    }
    let printed = arguments.json.as_deref() == Some(Path::new("-"));
    if !printed {
        output::warn_all(&report.warnings);
        output::print(&text(&report, arguments.rows))?;
    }
    let asked = asked(&report);
    if asked.is_err() {
        report.outcome = RunOutcome::Failed;
    }
    if let Some(target) = &arguments.json {
        output::deliver_report(target, "robot-run", &report, &asked)?;
    }
    Ok(Verdict::new(report.outcome.decided().unwrap_or(Outcome::Undecided), asked?))
}

/// Returns how many pairs were tested, or the error of a program that failed or moved nothing.
fn asked(report: &RunReport) -> Result<Asked> {
    if report.contacts.is_empty()
        && let Some(failure) =
            report.first_failure.as_ref().filter(|f| f.kind == "other" || f.kind == "unreachable")
    {
        bail!("{}:{}: {}", report.program, failure.line, failure.reason);
    }
    ensure!(
        report.motions > 0 || report.outcome == RunOutcome::Undecided,
        "{}: nothing moved, so nothing was tested; let the program reach a motion, such as MOVE",
        report.program
    );
    super::asked(report.active_pairs, report.motions.max(1))
}

fn write_demo(folder: &Path, name: &str) -> Result<()> {
    let Some(cell) = noli_scenes::cells().iter().find(|cell| cell.name == name) else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    output::write_file(&folder.join("cell.toml"), cell.text().as_bytes())?;
    output::write_file(&folder.join("magazine.val"), cell.program.as_bytes())
}

/// A clearance in millimetres; `None` if nothing is near enough for an upper bound.
fn clearance(clearance: &LinkClearance) -> Option<String> {
    clearance.at_most.is_finite().then(|| format!("{:.3}", clearance.at_most * 1000.0))
}

fn text(report: &RunReport, rows: usize) -> String {
    let mut text = format!("{}: {} of {}\n\n", report.cell, report.main, report.program);
    text += &instructions(report, rows);
    for contact in &report.contacts {
        text += &contact_text(contact);
    }
    for shown in &report.shown {
        let _ = writeln!(text, "\n{:.3} s, line {}: {}", shown.time, shown.line, shown.text.trim_end());
    }
    if !report.signals.is_empty() {
        let _ = writeln!(text, "\nsignals:");
        for change in &report.signals {
            let (word, path) =
                (if change.on { "on" } else { "off" }, if change.output { "output" } else { "input" });
            let _ = writeln!(text, "  {:>9.3} s  {path} {} {word}", change.time, change.signal);
        }
    }
    if let Some(failure) = &report.first_failure {
        let _ = writeln!(text, "\nline {} of {}: {}", failure.line, failure.program, failure.reason);
    }
    text += &report.frames.as_ref().map_or(String::new(), frames_text);
    let smallest = report.smallest_clearance.as_ref().and_then(|found| {
        let links =
            found.clearance.links.as_ref().map_or(String::new(), |links| format!(" ({})", links.join(" - ")));
        let clearance = clearance(&found.clearance)?;
        Some(format!(", smallest clearance {clearance} mm in line {}{links}", found.line))
    });
    let smallest = smallest.unwrap_or_default();
    let _ = writeln!(
        text,
        "\n{} after {:.3} s: {} of {} proven free and driven{smallest}",
        report.ended,
        report.cycle_seconds,
        report.executable,
        plural(report.motions, "motion", "motions"),
    );
    text
}

/// Returns the table of the executed instructions.
fn instructions(report: &RunReport, rows: usize) -> String {
    let mut table = Table::new(4, ["line", "instruction", "path", "time (s)", "clearance (mm)", "nearest"]);
    for instruction in report.instructions.iter().take(rows) {
        let stopped = if instruction.driven < 1.0 {
            format!(" ({:.1} %)", 100.0 * instruction.driven)
        } else {
            String::new()
        };
        let near = instruction.clearance.as_ref().and_then(|found| found.clearance.links.as_ref());
        table.row([
            instruction.line.to_string(),
            instruction.text.clone(),
            format!("{}{stopped}", instruction.kind),
            format!("{:.3}", instruction.start),
            instruction.clearance.as_ref().and_then(|found| clearance(&found.clearance)).unwrap_or_default(),
            near.map_or(String::new(), |links| links.join(" - ")),
        ]);
    }
    let mut text = table.fitted(5..6).to_string();
    if report.instructions.len() > rows {
        let _ = writeln!(text, "... and {} more (--rows)", report.instructions.len() - rows);
    }
    text
}

/// Returns time, place and parts of a contact.
fn contact_text(contact: &RunContactReport) -> String {
    let point = contact.point.map_or("an unknown point".to_owned(), |p| p.map(short).join(" "));
    let normal = contact.normal.map_or(String::new(), |n| format!(", normal {}", n.map(short).join(" ")));
    let features = contact.features.as_ref().map_or(String::new(), |f| format!(" ({} / {})", f[0], f[1]));
    let arm = contact.configuration.iter().map(|(name, value)| format!("{name} {}", short(*value)));
    let arm = arm.collect::<Vec<_>>().join(", ");
    format!(
        "\nline {}: {}\n  {} touches {}{}\n  free until {:.6} s, touching by {:.6} s, {:.4} % of the motion\n  \
         at {point}{normal}{features}\n  clearance there {} to {} mm\n  arm: {arm}\n",
        contact.line,
        contact.text,
        contact.links[0],
        contact.links[1],
        if contact.at_start { " before it begins" } else { "" },
        contact.safe_until,
        contact.touching_by,
        100.0 * contact.share[1],
        short(contact.clearance.at_least * 1000.0),
        short(contact.clearance.at_most * 1000.0),
    )
}

/// Returns the results of the four-step method, compared with the proof.
fn frames_text(frames: &FramesReport) -> String {
    let lines = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let noted = |list: &[u32], words: &str| match list {
        [] => String::new(),
        list => format!("; {words} in line {}", lines(list)),
    };
    format!(
        "\nfour steps at {} mm / {:.2} deg: {} frames, {} colliding, {:.1} us a frame{}{}\n",
        short(frames.step * 1000.0),
        frames.turn.to_degrees(),
        frames.frames,
        frames.colliding,
        frames.micros,
        noted(&frames.missed, "missed"),
        noted(&frames.false_alarms, "more than proven"),
    )
}
