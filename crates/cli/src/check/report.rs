//! What a check says to people.

use super::bodies::Body;
use super::pairs::{Finding, Verdict};
use super::{Checked, Kind, Touching};
use crate::output::{self, Table, plural, short};
use anyhow::Result;
use std::fmt::Write as _;

pub(super) fn print(checked: &Checked<'_>) -> Result<()> {
    for warning in &checked.warnings {
        eprintln!("warning: {warning}");
    }
    let table = colour(&table(checked).to_string(), checked);
    let method = checked.by_method.as_ref().map_or(String::new(), |decided| format!("{decided}\n"));
    let (bodies, rest) = (bodies_line(checked), cut_rows(checked));
    output::print(&format!("{bodies}{table}{rest}{method}{}\n", summary(checked)))
}

/// How many bodies there are and what they were taken for.
fn bodies_line(checked: &Checked<'_>) -> String {
    let bodies = &checked.bodies;
    let solids = bodies.iter().filter(|body| body.is_solid()).count();
    let guessed = checked.arguments.kind == Kind::Auto && bodies.iter().any(|body| !body.said);
    let true_shapes = match bodies.iter().filter(|body| body.round).count() {
        0 => String::new(),
        count => format!(" and {}", plural(count, "true shape", "true shapes")),
    };
    let mut line = format!(
        "{}: {}, {} triangles{true_shapes}: {solids} as solids, {} as surfaces{}\n",
        checked.title,
        plural(bodies.len(), "body", "bodies"),
        super::triangles(bodies),
        bodies.len() - solids,
        if guessed { " (guessed from the meshes: --as auto)" } else { "" },
    );
    let open = |body: &&Body| guessed && !body.said && !body.is_solid();
    let open: Vec<_> =
        bodies.iter().filter(open).filter_map(|body| Some((&body.name, body.flaw.as_ref()?))).collect();
    for (name, flaw) in open.iter().take(5) {
        let _ = writeln!(line, "  {name} is a surface: {flaw}; if only vertices are doubled, try --weld");
    }
    if open.len() > 5 {
        let _ = writeln!(line, "  and {} more surfaces", open.len() - 5);
    }
    line + "\n"
}

fn shown<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = &'a Finding> {
    checked.findings.iter().take(checked.arguments.rows)
}

fn table(checked: &Checked<'_>) -> Table {
    let unit = checked.units.map_or(String::new(), |unit| format!(" ({})", unit.sign()));
    let header = ["relation", "A", "B", "crossing faces", "touching faces", &format!("gap{unit}"), "where"];
    let mut table = Table::new(3, header);
    for finding in shown(checked) {
        let [a, b] = [finding.a, finding.b].map(|i| checked.bodies[i].name.clone());
        let place = |p: glam::DVec3| format!("({}, {}, {})", short(p.x), short(p.y), short(p.z));
        table.row([
            word(finding.verdict).to_owned(),
            a,
            b,
            finding.crossing_faces.map_or("-".to_owned(), |count| count.to_string()),
            finding.touching_faces.map_or("-".to_owned(), |count| count.to_string()),
            gap(finding),
            finding.place.map_or("-".to_owned(), place),
        ]);
    }
    table
}

fn cut_rows(checked: &Checked<'_>) -> String {
    match checked.findings.len().saturating_sub(checked.arguments.rows) {
        0 => String::new(),
        left => format!("and {} (--rows N shows more)\n", plural(left, "more row", "more rows")),
    }
}

pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Crossing => "crossing",
        Verdict::Inside => "inside",
        Verdict::Touching => "touching",
        Verdict::Closer => "closer",
        Verdict::Undecided => "undecided",
        Verdict::Apart => "apart",
    }
}

/// One number where both ends of the bracket look alike.
pub(super) fn gap(finding: &Finding) -> String {
    let [low, high] = [finding.gap.at_least, finding.gap.at_most].map(short);
    match (low == high, high.as_str()) {
        (true, _) => low,
        (false, "inf") => format!(">= {low}"),
        (false, _) => format!("{low} .. {high}"),
    }
}

/// Colours for each row by its verdict, where someone watches.
fn colour(table: &str, checked: &Checked<'_>) -> String {
    if !output::colourful() {
        return table.to_owned();
    }
    let codes = std::iter::once("1").chain(shown(checked).map(|finding| match finding.verdict {
        Verdict::Crossing | Verdict::Inside => "31",
        Verdict::Touching | Verdict::Closer => "33",
        Verdict::Undecided => "35",
        Verdict::Apart => "0",
    }));
    table.lines().zip(codes).map(|(line, code)| format!("\x1b[{code}m{line}\x1b[0m\n")).collect()
}

/// How many pairs of each kind, and what it cost.
pub(super) fn summary(checked: &Checked<'_>) -> String {
    let total = checked.findings.len() + checked.apart_by_boxes;
    let mut parts = Vec::new();
    for verdict in Verdict::ALL {
        let boxes = if verdict == Verdict::Apart { checked.apart_by_boxes } else { 0 };
        let count = checked.count(verdict) + boxes;
        let note = match verdict {
            Verdict::Apart if boxes > 0 => format!(" ({boxes} by their boxes, not listed)"),
            Verdict::Closer => " than the margin".to_owned(),
            Verdict::Touching if checked.arguments.touching == Touching::Ignore => " (ignored)".to_owned(),
            _ => String::new(),
        };
        if count > 0 {
            parts.push(format!("{count} {}{note}", word(verdict)));
        }
    }
    format!(
        "\n{}: {}\nchecked in {:.2} s; meshes and trees take {:.1} MB",
        plural(total, "pair", "pairs"),
        parts.join(", "),
        checked.took.as_secs_f64(),
        super::model_bytes(&checked.bodies) as f64 / 1e6,
    )
}
