//! `noli study`: the removals that a scene lists, one after the other, or the disassembly of an assembly.

use crate::Verdict;
use crate::output::{self, Bars, Table, plural, short};
use anyhow::{Result, bail};
use noli::Budget;
use noli::query::SteadyClock;
use noli_ask::{Context, Disassemble, Study, Subject};
use noli_project::report::{DisassemblyReport, RemoveVerdict, ScenesStudy};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// Remove parts from a scene by its [[removal]] tables, or disassemble it.
///
/// Each removal follows its path, or a path is planned; it is proven collision-free at every moment, or the
/// blocking bodies are named. Parts of earlier removals stay removed for a later one that lists them (`after`).
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene (TOML) with [[removal]] tables; for --disassemble also mesh files or a folder.
    #[arg(value_name = "SCENE", required_unless_present = "demo")]
    scene: Option<PathBuf>,
    /// A bundled scene or assembly instead of a file.
    #[arg(long, value_name = "NAME", conflicts_with = "scene")]
    demo: Option<String>,
    /// With --demo: how finely the assembly is meshed (1); triangles grow with the square.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    detail: Option<u32>,
    /// Disassemble the whole assembly: the removal order of its parts, and the locked ones.
    #[arg(long)]
    disassemble: bool,
    /// With --disassemble: the part that stays.
    #[arg(long, value_name = "PART", requires = "disassemble")]
    base: Option<String>,
    /// With --disassemble: parts that come out before others where they can, such as "bolt*". Repeatable.
    #[arg(long, value_name = "PATTERN", requires = "disassemble")]
    fasteners: Vec<String>,
    #[command(flatten)]
    question: Study,
    /// Total time limit, such as 20s.
    #[arg(long, value_name = "TIME", default_value = "300s", value_parser = noli_ask::quantity::duration)]
    time: Duration,
    /// Write the order of a disassembly as a graph (DOT).
    #[arg(long, value_name = "FILE", requires = "disassemble")]
    graph: Option<PathBuf>,
    /// Number of threads; the result does not depend on it.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    crate::on_threads(arguments.threads, || {
        let subject = match (&arguments.scene, &arguments.demo) {
            (Some(path), _) => Subject { detail: arguments.detail, ..Subject::files([path]) },
            (None, Some(name)) => {
                Subject { detail: Some(arguments.detail.unwrap_or(1)), ..Subject::bundled(name) }
            }
            (None, None) => bail!("name a scene, or --demo NAME"),
        };
        let (clock, bars) = (SteadyClock::start(), Bars::default());
        let budget = Budget::UNLIMITED.until(arguments.time, &clock);
        let context = Context { budget, progress: Some(&bars), clock: Some(&clock), ..Context::default() };
        if arguments.disassemble {
            take_apart(arguments, subject, &context, &bars)
        } else {
            study(arguments, subject, &context, &bars)
        }
    })
}

fn study(arguments: &Arguments, subject: Subject, context: &Context<'_>, bars: &Bars) -> Result<Verdict> {
    let answer = Study { subject, ..arguments.question.clone() }.answer(context)?;
    bars.clear();
    if arguments.json {
        output::print_report("study", &answer.report)?;
    } else {
        output::warn_all(&answer.opened.staged.warnings);
        output::print(&text(&answer.report))?;
    }
    Ok(answer.verdict())
}

fn take_apart(
    arguments: &Arguments,
    subject: Subject,
    context: &Context<'_>,
    bars: &Bars,
) -> Result<Verdict> {
    let Study { steps, seed, .. } = arguments.question;
    let (base, fasteners) = (arguments.base.clone(), arguments.fasteners.clone());
    let answer = Disassemble { subject, base, fasteners, steps, seed }.answer(context)?;
    bars.clear();
    if let Some(path) = &arguments.graph {
        output::write_file(path, answer.report.dot().as_bytes())?;
    }
    if arguments.json {
        output::print_report("disassembly", &answer.report)?;
    } else {
        output::print(&separated_text(&answer.report))?;
    }
    Ok(answer.verdict())
}

fn text(study: &ScenesStudy) -> String {
    let unit = study.units.map_or("", |units| units.sign());
    let mut text = format!("Removal study: {}; lengths in {unit}\n\n", study.scene);
    let header = ["removal", "part", "verdict", "path", "turned", "clearance at least", "seconds"];
    let mut table = Table::new(3, header);
    for removal in &study.removals {
        let report = &removal.report;
        let verdict = match report.verdict {
            RemoveVerdict::Found => "free, proven",
            RemoveVerdict::Blocked => "blocked, proven",
            RemoveVerdict::NotFound => "not found",
        };
        let number = |value: Option<f64>| value.map_or("-".to_owned(), short);
        table.row([
            removal.name.clone(),
            report.part.clone(),
            verdict.to_owned(),
            number(report.length),
            report.turned_rad.map_or("-".to_owned(), |turned| format!("{:.0}°", turned.to_degrees())),
            number(report.clearance.map(|clearance| clearance.at_least)),
            report.seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")),
        ]);
    }
    text += &table.to_string();
    for removal in &study.removals {
        let report = &removal.report;
        let _ = writeln!(text, "\n{}: {}", removal.name, report.how);
        if !report.without.is_empty() {
            let _ = writeln!(text, "  out before: {}", report.without.join(", "));
        }
        if !report.blocked_by.is_empty() {
            let _ = writeln!(text, "  blocking: {}", report.blocked_by.join(", "));
        }
        if let Some(tightest) = &report.tightest {
            let _ = writeln!(
                text,
                "  tightest to {}, after {:.0} % of the path",
                tightest.to,
                100.0 * tightest.time
            );
        }
        if let Some(proven) = removal.insertion_proven {
            let word = if proven { "proven free too" } else { "not proven" };
            let _ = writeln!(text, "  insertion along the same path: {word}");
        }
        if !removal.modes.is_empty() {
            let mut table = Table::new(1, ["  tested", "says", "until", "frames"]);
            for mode in &removal.modes {
                let says = if mode.free { "free" } else { "blocked" };
                let until = format!("{:.1} %", 100.0 * mode.free_until);
                table.row([format!("  {}", mode.mode), says.to_owned(), until, mode.frames.to_string()]);
            }
            text += &table.to_string();
        }
    }
    text + "\nWhat is proven holds at every moment of the path, not only at the rows of the tables.\n"
}

fn separated_text(report: &DisassemblyReport) -> String {
    let mut text = format!("Disassembly: {}\n\n", report.scene);
    let mut table = Table::new(4, ["step", "of", "parts", "after", "path", "clearance at least"]);
    for (number, step) in report.steps.iter().enumerate() {
        let after = if step.after.is_empty() { "-".to_owned() } else { step.after.join(", ") };
        table.row([
            (number + 1).to_string(),
            step.of.map_or("-".to_owned(), |of| format!("step {of}")),
            step.parts.join(", "),
            after,
            format!("{} ({})", short(step.length), step.how),
            short(step.clearance_at_least),
        ]);
    }
    text += &table.wrapped(2..4).to_string();
    for locked in &report.locked {
        let _ = writeln!(text, "locked: {} and {}: {}", locked.pair[0], locked.pair[1], locked.why);
    }
    let left: Vec<String> = report.left.iter().map(|unit| unit.join(" + ")).collect();
    let word = match (report.complete, report.stopped) {
        (true, _) => "left at the end",
        (false, true) => "left when time ran out",
        (false, false) => "left, no path was found for these",
    };
    let _ = writeln!(text, "{word}: {}", left.join("; "));
    let _ = writeln!(text, "{} in {:.2} s", plural(report.steps.len(), "step", "steps"), report.seconds);
    text
}
