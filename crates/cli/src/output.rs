//! Output for people and programs: tables, JSON, progress, files.

mod file;
mod progress;
mod prose;
mod short_names;
mod style;
mod table;

pub(crate) use file::replace_file;
pub use file::{write_file, write_new};
pub use noli_pages::words::{plural, short, short_below};
pub use progress::{Bars, Progress};
pub(crate) use style::style;
pub use style::{Colour, Style, colourful, note, print_to_stderr, set_style, warn, warn_all};
pub use table::Table;

use anyhow::{Context, Result, bail, ensure};
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Prints a table or text for people to standard output, unless `--quiet` is given.
pub fn print(text: &str) -> Result<()> {
    match (style().quiet, width()) {
        (true, _) => Ok(()),
        (false, Some(width)) => print_data(&prose::wrapped(text, width)),
        (false, None) => print_data(text),
    }
}

/// Prints a requested report to standard output. A reader that has seen enough (`noli ... | head`) is not an error.
fn print_data(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to standard output"),
    }
}

/// One JSON object as text.
pub fn json(value: &impl serde::Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value).context("cannot write JSON")? + "\n")
}

/// Print one JSON object.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print_data(&json(value)?)
}

/// One JSON object as text, with the fields `schema` and `version`.
pub fn report_json(schema: &str, report: &impl serde::Serialize) -> Result<String> {
    noli_pages::report_json(schema, report).context("cannot write JSON")
}

/// A report of a command that ends with an error after all.
#[derive(serde::Serialize)]
struct Failed<'r, R> {
    #[serde(flatten)]
    report: &'r R,
    error: String,
    exit_code: u8,
}

/// Delivers a report; with the fields `error` and `exit_code` if the command ends with an error.
pub(crate) fn deliver_report<T>(
    target: &Path,
    schema: &str,
    report: &impl serde::Serialize,
    done: &Result<T>,
) -> Result<()> {
    let text = match done {
        Ok(_) => report_json(schema, report)?,
        Err(error) => report_json(schema, &Failed { report, error: crate::error_text(error), exit_code: 2 })?,
    };
    deliver(target, &text)
}

/// `true` once a report was printed: programs read one JSON object from standard output.
static REPORTED: AtomicBool = AtomicBool::new(false);

/// Prints one JSON object with the fields `schema` and `version`.
pub fn print_report(schema: &str, report: &impl serde::Serialize) -> Result<()> {
    REPORTED.store(true, Relaxed);
    print_data(&report_json(schema, report)?)
}

/// Returns `true` if standard output has a report.
pub(crate) fn has_reported() -> bool {
    REPORTED.load(Relaxed)
}

/// Names of standard output: `-` is what an option without a value means.
const STANDARD: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Refuses, before any work, to write over what was read, over a folder, and into a folder that is not there.
pub fn refuse_inputs<'p>(outputs: impl IntoIterator<Item = &'p PathBuf>, inputs: &[PathBuf]) -> Result<()> {
    let outputs: Vec<&PathBuf> = outputs.into_iter().filter(|output| !is_standard(output)).collect();
    for output in &outputs {
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        ensure!(
            folder.is_none_or(Path::is_dir),
            "{}: cannot be written: its folder does not exist; make it, or choose another",
            output.display()
        );
        ensure!(
            !output.is_dir(),
            "{}: cannot be written: it is a folder; name a file in it",
            output.display()
        );
    }
    refuse_overwriting(outputs, inputs)
}

/// Refuses to write over what was read.
pub(crate) fn refuse_overwriting<'p>(
    outputs: impl IntoIterator<Item = &'p PathBuf>,
    inputs: &[PathBuf],
) -> Result<()> {
    for output in outputs.into_iter().filter(|output| output.is_file()) {
        if let Some(input) = inputs.iter().find(|input| noli_formats::is_same_file(input, output)) {
            bail!(
                "{} is read as {}: it would be overwritten; write to another file",
                output.display(),
                input.display()
            );
        }
    }
    Ok(())
}

/// Returns `true` if the name means standard output.
pub fn is_standard(target: &Path) -> bool {
    STANDARD.iter().any(|name| target == Path::new(name))
}

/// Writes a report to standard output or to a file.
pub fn deliver(target: &Path, text: &str) -> Result<()> {
    if is_standard(target) {
        REPORTED.store(true, Relaxed);
        print_data(text)
    } else {
        write_file(target, text.as_bytes())
    }
}

/// As many steps as `--steps` allows.
pub fn budget(steps: Option<u64>) -> noli::Budget<'static> {
    steps.map_or(noli::Budget::UNLIMITED, |steps| noli::Budget::UNLIMITED.steps(steps))
}

/// Narrower terminals are taken as this wide.
const NARROWEST: usize = 20;

/// Returns the maximum line width: that of the variable `COLUMNS`, else that of the terminal, if output goes to one.
pub fn width() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse::<usize>().ok());
    let terminal = || {
        let out = io::stdout();
        let size = out.is_terminal().then(|| terminal_size::terminal_size_of(out)).flatten();
        size.map(|(width, _)| usize::from(width.0))
    };
    given.filter(|columns| *columns > 0).or_else(terminal).map(|width| width.max(NARROWEST))
}
