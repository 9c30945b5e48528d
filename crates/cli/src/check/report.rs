//! What a check says, as a table or as JSON.

use super::bodies::Body;
use super::pairs::{Finding, Verdict};
use super::{Checked, Kind, Touching};
use crate::Outcome;
use crate::output::{self, Table, short};
use anyhow::Result;
use noli::MeshKind;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{IsTerminal, stdout};

pub(super) fn print(checked: &Checked<'_>) -> Result<()> {
    if checked.arguments.json {
        return output::print_json(&Report::new(checked));
    }
    for warning in &checked.bodies.warnings {
        eprintln!("warning: {warning}");
    }
    let table = colour(&table(checked).to_string(), checked);
    output::print(&format!("{}{table}{}\n", bodies_line(checked), summary(checked)))
}

/// How many bodies there are and what they were taken for.
fn bodies_line(checked: &Checked<'_>) -> String {
    let bodies = &checked.bodies.all;
    let triangles: usize = bodies.iter().map(|body| body.model.mesh().triangle_count()).sum();
    let solids = bodies.iter().filter(|body| is_solid(body)).count();
    let guessed =
        if checked.arguments.kind == Kind::Auto { " (guessed from the meshes: --as auto)" } else { "" };
    let mut line = format!(
        "{}, {triangles} triangles: {solids} as solids, {} as surfaces{guessed}\n",
        plural(bodies.len(), "body", "bodies"),
        bodies.len() - solids,
    );
    if checked.arguments.kind == Kind::Auto {
        let open: Vec<_> = bodies.iter().filter_map(|body| Some((&body.name, body.flaw.as_ref()?))).collect();
        for (name, flaw) in open.iter().take(5) {
            let _ = writeln!(line, "  {name} is a surface: {flaw}; if only vertices are doubled, try --weld");
        }
        if open.len() > 5 {
            let _ = writeln!(line, "  and {} more surfaces", open.len() - 5);
        }
    }
    line + "\n"
}

fn table(checked: &Checked<'_>) -> Table {
    let mut table = Table::new(3, ["relation", "A", "B", "crossing faces", "touching faces", "gap", "at"]);
    for finding in &checked.findings {
        let [a, b] = [finding.a, finding.b].map(|i| checked.bodies.all[i].name.clone());
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

fn word(verdict: Verdict) -> &'static str {
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
fn gap(finding: &Finding) -> String {
    let [low, high] = [finding.gap.at_least, finding.gap.at_most].map(short);
    match (low == high, high.as_str()) {
        (true, _) => low,
        (false, "inf") => format!(">= {low}"),
        (false, _) => format!("{low} .. {high}"),
    }
}

/// Colours for the first word of each row, where someone watches.
fn colour(table: &str, checked: &Checked<'_>) -> String {
    if !stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some() {
        return table.to_owned();
    }
    let codes = std::iter::once("1").chain(checked.findings.iter().map(|finding| match finding.verdict {
        Verdict::Crossing | Verdict::Inside => "31",
        Verdict::Touching | Verdict::Closer => "33",
        Verdict::Undecided => "35",
        Verdict::Apart => "0",
    }));
    table.lines().zip(codes).map(|(line, code)| format!("\x1b[{code}m{line}\x1b[0m\n")).collect()
}

fn summary(checked: &Checked<'_>) -> String {
    let total = checked.findings.len() + checked.apart_by_boxes;
    let mut parts = Vec::new();
    for verdict in [
        Verdict::Crossing,
        Verdict::Inside,
        Verdict::Touching,
        Verdict::Closer,
        Verdict::Undecided,
        Verdict::Apart,
    ] {
        let boxes = if verdict == Verdict::Apart { checked.apart_by_boxes } else { 0 };
        let count = checked.count(verdict) + boxes;
        let note = match verdict {
            Verdict::Apart if boxes > 0 => format!(" ({boxes} by their boxes, not listed)"),
            Verdict::Closer => format!(" than {}", short(checked.arguments.margin.unwrap_or(0.0))),
            Verdict::Touching if checked.arguments.touching == Touching::Ignore => " (ignored)".to_owned(),
            _ => String::new(),
        };
        if count > 0 {
            parts.push(format!("{count} {}{note}", word(verdict)));
        }
    }
    format!("\n{}: {}", plural(total, "pair", "pairs"), parts.join(", "))
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn is_solid(body: &Body) -> bool {
    body.model.mesh().kind() == MeshKind::Solid
}

/// The JSON object; `docs/command-line.md` describes its fields.
#[derive(Serialize)]
struct Report<'a> {
    outcome: &'static str,
    margin: Option<f64>,
    bodies: Vec<BodyReport<'a>>,
    pairs: Vec<PairReport<'a>>,
    apart_by_boxes: usize,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct BodyReport<'a> {
    name: &'a str,
    triangles: usize,
    kind: &'static str,
    not_solid_because: Option<&'a str>,
}

#[derive(Serialize)]
struct PairReport<'a> {
    a: &'a str,
    b: &'a str,
    verdict: Verdict,
    crossing_faces: Option<u64>,
    touching_faces: Option<u64>,
    gap_at_least: f64,
    /// `null` where nothing is known.
    gap_at_most: f64,
    at: Option<[f64; 3]>,
    faces: Option<[u32; 2]>,
}

impl<'a> Report<'a> {
    fn new(checked: &'a Checked<'_>) -> Self {
        let bodies = &checked.bodies.all;
        Self {
            outcome: match checked.outcome() {
                Outcome::Free => "free",
                Outcome::Touching => "touching",
                Outcome::Undecided => "undecided",
            },
            margin: checked.arguments.margin,
            bodies: bodies.iter().map(BodyReport::new).collect(),
            pairs: checked.findings.iter().map(|finding| PairReport::new(finding, bodies)).collect(),
            apart_by_boxes: checked.apart_by_boxes,
            warnings: &checked.bodies.warnings,
        }
    }
}

impl<'a> BodyReport<'a> {
    fn new(body: &'a Body) -> Self {
        Self {
            name: &body.name,
            triangles: body.model.mesh().triangle_count(),
            kind: if is_solid(body) { "solid" } else { "surface" },
            not_solid_because: body.flaw.as_deref(),
        }
    }
}

impl<'a> PairReport<'a> {
    fn new(finding: &Finding, bodies: &'a [Body]) -> Self {
        Self {
            a: &bodies[finding.a].name,
            b: &bodies[finding.b].name,
            verdict: finding.verdict,
            crossing_faces: finding.crossing_faces,
            touching_faces: finding.touching_faces,
            gap_at_least: finding.gap.at_least,
            gap_at_most: finding.gap.at_most,
            at: finding.place.map(|place| place.to_array()),
            faces: finding.faces,
        }
    }
}
