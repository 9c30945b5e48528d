//! Measurements of the lab, as tables or JSON.

use anyhow::{Result, bail};
use noli_cli::output::{Progress, Table, print, print_json};
use noli_lab::{Cell, Measured, Page};

/// Runs a measurement with a progress bar, shows it, and fails where its answers are wrong.
pub(crate) fn run<R: Measured>(
    json: bool,
    measure: impl FnOnce(noli_lab::Progress<'_>) -> Result<R>,
) -> Result<()> {
    let report = with_bar(measure)?;
    show(&report, json)?;
    no_failures(&report)
}

/// Runs a measurement with a progress bar.
pub(crate) fn with_bar<R>(measure: impl FnOnce(noli_lab::Progress<'_>) -> Result<R>) -> Result<R> {
    let mut bar: Option<Progress> = None;
    measure(&mut |what, steps| bar.get_or_insert_with(|| Progress::new(steps)).step(what))
}

/// Prints a measurement, for programs or for people.
pub(crate) fn show<R: Measured>(report: &R, json: bool) -> Result<()> {
    if json { print_json(report) } else { print(&text(&report.page())) }
}

/// Fails where answers are wrong.
pub(crate) fn no_failures(report: &impl Measured) -> Result<()> {
    match report.failures() {
        [] => Ok(()),
        [one] => bail!("a wrong answer: {one}"),
        several => bail!("{} wrong answers: {}", several.len(), several.join("; ")),
    }
}

fn text(page: &Page) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend((!page.heading.is_empty()).then(|| format!("{}\n", page.heading)));
    parts.extend(page.tables.iter().map(table));
    parts.extend((!page.remarks.is_empty()).then(|| page.remarks.join("\n") + "\n"));
    parts.join("\n")
}

/// A table of the lab with its title.
pub(crate) fn table(table: &noli_lab::Table) -> String {
    let mut columns = Table::new(1, table.columns.iter().cloned());
    for row in &table.rows {
        let number = noli_lab::report::number;
        let cells = row.cells.iter().map(|cell| match cell {
            Cell::Ours(x) => number(*x),
            Cell::Beside { ours, printed } => format!("{} ({})", number(*ours), number(*printed)),
            Cell::Printed { printed } => format!("({})", number(*printed)),
            Cell::Text(text) => text.clone(),
        });
        columns.row(std::iter::once(row.label.clone()).chain(cells));
    }
    if table.title.is_empty() { columns.to_string() } else { format!("{}\n{columns}", table.title) }
}
