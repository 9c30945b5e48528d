//! `noli robot run`: a program in a cell, every motion proven before it is driven.

use crate::Verdict;
use crate::output::{self, Table, plural, short};
use anyhow::{Context, Result, bail};
use noli_io::cell::{LoadedCell, RunSource, bundled_cells, load_cell, open_bundled_cell, run_report};
use noli_io::report::{Asked, LinkGap, RunReport};
use noli_robot::program::RunLimits;
use noli_robot::run::{OnContact, RunOptions};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Run a program in a cell: which lines it gets through, where something would touch, how close it comes.
///
/// Every motion is proven free of contact before it is driven, between points too. Where something would
/// touch, the arm stops at the last place proven free.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The cell.
    #[arg(value_name = "CELL.toml", required_unless_present = "demo")]
    cell: Option<PathBuf>,
    /// The program (VAL-II); by default the one that the cell names.
    #[arg(value_name = "PROGRAM.val")]
    program: Option<PathBuf>,
    /// A bundled cell instead of a file: magazine, magazine-clash or magazine-graze.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "magazine", conflicts_with = "cell")]
    demo: Option<String>,
    /// Which program of the file to run; by default the first.
    #[arg(long, value_name = "NAME")]
    main: Option<String>,
    /// Stop at the first contact, whatever the cell says.
    #[arg(long, conflicts_with = "warn")]
    until_contact: bool,
    /// Note contacts and go on, whatever the cell says.
    #[arg(long)]
    warn: bool,
    /// How near to a corner, in millimetres, the tool may leave its way where no BREAK or FINE stands; by
    /// default what the cell says.
    #[arg(long, value_name = "MM")]
    blend: Option<f64>,
    /// Leave out the smallest gap of every instruction, which takes most of the time.
    #[arg(long)]
    no_profile: bool,
    /// Statements at most.
    #[arg(long, value_name = "N", default_value_t = RunLimits::default().steps)]
    steps: u64,
    /// Seconds of the program's own time at most.
    #[arg(long, value_name = "S", default_value_t = RunLimits::default().seconds)]
    seconds: f64,
    /// Rows of the table at most; JSON is always complete.
    #[arg(long, value_name = "N", default_value_t = 80)]
    rows: usize,
    /// One JSON object instead of the table, or beside it into a file.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<PathBuf>,
}

pub(crate) fn open(cell: Option<&Path>, demo: Option<&str>) -> Result<LoadedCell> {
    match (cell, demo) {
        (Some(path), _) => Ok(load_cell(path)?),
        (None, Some(name)) => Ok(open_bundled_cell(name)?),
        (None, None) => bail!("give a cell file, or --demo with one of {}", bundled_cells().join(", ")),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let cell = open(arguments.cell.as_deref(), arguments.demo.as_deref())?;
    let mut source = match &arguments.program {
        Some(path) => RunSource::read(path)?,
        None => RunSource::of_cell(&cell)?,
    };
    if let Some(main) = &arguments.main {
        source.main.clone_from(main);
    }
    let blend = arguments.blend.map_or(cell.blend, |blend| blend / 1000.0);
    if !(blend >= 0.0 && blend.is_finite()) {
        bail!("--blend: give 0 or more millimetres");
    }
    let options = RunOptions {
        on_contact: match (arguments.until_contact, arguments.warn) {
            (true, _) => OnContact::Stop,
            (_, true) => OnContact::Warn,
            _ => cell.on_contact,
        },
        limits: RunLimits { steps: arguments.steps, seconds: arguments.seconds, ..RunLimits::default() },
        profile: if arguments.no_profile { 0 } else { RunOptions::default().profile },
        blend,
    };
    let done = noli_robot::run::run(&cell.work, &source.programs, &source.main, &options);
    let done = done.with_context(|| format!("{}: the program cannot be run there", cell.title))?;
    let report = run_report(&cell, &source, &done);
    let printed = arguments.json.as_deref() == Some(Path::new("-"));
    if !printed {
        report.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
        output::print(&text(&report, arguments.rows))?;
    }
    if let Some(target) = &arguments.json {
        output::deliver(target, &output::json(&report)?)?;
    }
    if report.contacts.is_empty()
        && let Some(failure) =
            report.first_failure.as_ref().filter(|f| f.kind == "other" || f.kind == "unreachable")
    {
        bail!("{}:{}: {}", report.program, failure.line, failure.reason);
    }
    let asked = Asked::new(report.active_pairs * report.motions.max(1));
    let asked = asked.context("no pair of links and bodies is asked about: all are switched off")?;
    Ok(Verdict::new(report.outcome, asked))
}

fn gap(gap: &LinkGap) -> String {
    if !gap.at_most.is_finite() {
        return String::new();
    }
    format!("{:.3}", gap.at_most * 1000.0)
}

fn text(report: &RunReport, rows: usize) -> String {
    let mut text = format!("{}: {} of {}\n\n", report.cell, report.main, report.program);
    let mut table = Table::new(4, ["line", "instruction", "way", "time (s)", "gap (mm)", "nearest"]);
    for instruction in report.instructions.iter().take(rows) {
        let stopped = if instruction.driven < 1.0 {
            format!(" ({:.1} %)", 100.0 * instruction.driven)
        } else {
            String::new()
        };
        let near = instruction.clearance.as_ref().and_then(|found| found.gap.links.as_ref());
        table.row([
            instruction.line.to_string(),
            instruction.text.clone(),
            format!("{}{stopped}", instruction.kind),
            format!("{:.3}", instruction.start),
            instruction.clearance.as_ref().map_or(String::new(), |found| gap(&found.gap)),
            near.map_or(String::new(), |links| links.join(" - ")),
        ]);
    }
    let _ = write!(text, "{table}");
    if report.instructions.len() > rows {
        let _ = writeln!(text, "... and {} more (--rows)", report.instructions.len() - rows);
    }
    for contact in &report.contacts {
        let point = contact.point.map_or("an unknown point".to_owned(), |p| p.map(short).join(" "));
        let normal = contact.normal.map_or(String::new(), |n| format!(", normal {}", n.map(short).join(" ")));
        let _ = writeln!(
            text,
            "\nline {}: {}\n  {} touches {}{}\n  free until {:.6} s, touching by {:.6} s, {:.4} % of the motion\n  \
             at {point}{normal}{}\n  gap there {} to {} mm\n  arm: {}",
            contact.line,
            contact.text,
            contact.links[0],
            contact.links[1],
            if contact.at_start { " before it begins" } else { "" },
            contact.safe_until,
            contact.touching_by,
            100.0 * contact.share[1],
            contact.features.as_ref().map_or(String::new(), |f| format!(" ({} / {})", f[0], f[1])),
            short(contact.gap.at_least * 1000.0),
            short(contact.gap.at_most * 1000.0),
            contact
                .configuration
                .iter()
                .map(|(name, value)| format!("{name} {}", short(*value)))
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
    for shown in &report.shown {
        let _ = writeln!(text, "\n{:.3} s, line {}: {}", shown.time, shown.line, shown.text.trim_end());
    }
    if !report.signals.is_empty() {
        let _ = writeln!(text, "\nsignals:");
        for change in &report.signals {
            let (word, way) =
                (if change.on { "on" } else { "off" }, if change.output { "output" } else { "input" });
            let _ = writeln!(text, "  {:>9.3} s  {way} {} {word}", change.time, change.signal);
        }
    }
    if let Some(failure) = &report.first_failure {
        let _ = writeln!(text, "\nline {} of {}: {}", failure.line, failure.program, failure.reason);
    }
    let smallest = report.smallest_gap.as_ref().map_or(String::new(), |found| {
        let links =
            found.gap.links.as_ref().map_or(String::new(), |links| format!(" ({})", links.join(" - ")));
        format!(", smallest gap {} mm in line {}{links}", gap(&found.gap), found.line)
    });
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
