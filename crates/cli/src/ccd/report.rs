//! What `noli ccd` says, as a table or as JSON.

use super::measure::Tally;
use super::{Arguments, Column};
use crate::output::{self, Table, short};
use anyhow::Result;
use noli_geom::FeatureKind;
use serde::Serialize;

/// The width to which contacts are expected to be bracketed.
const WIDTH: f64 = 1.001e-6;

#[derive(Serialize)]
struct Report<'a> {
    method: &'a str,
    guarantee: &'a str,
    tolerance: f64,
    margin: f64,
    budget: u32,
    total: Figures,
    files: Vec<FileFigures<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    peers: Vec<PeerFigures<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

#[derive(Serialize)]
struct PeerFigures<'a> {
    method: &'a str,
    total: Figures,
    files: Vec<FileFigures<'a>>,
}

#[derive(Serialize)]
struct FileFigures<'a> {
    file: &'a str,
    kind: &'static str,
    #[serde(flatten)]
    figures: Figures,
}

#[derive(Serialize)]
struct Figures {
    queries: usize,
    contacts: usize,
    misses: usize,
    false_alarms: usize,
    late: usize,
    bracketed: usize,
    widest_bracket: f64,
    mean_us: f64,
    median_us: f64,
    max_us: f64,
}

impl From<&Tally> for Figures {
    fn from(tally: &Tally) -> Self {
        Self {
            queries: tally.queries(),
            contacts: tally.contacts(),
            misses: tally.misses(),
            false_alarms: tally.false_alarms(),
            late: tally.late(),
            bracketed: tally.bracketed(WIDTH),
            widest_bracket: tally.widest(),
            mean_us: tally.mean(),
            median_us: tally.median(),
            max_us: tally.max(),
        }
    }
}

fn kind_name(kind: FeatureKind) -> &'static str {
    match kind {
        FeatureKind::VertexFace => "vertex-face",
        FeatureKind::EdgeEdge => "edge-edge",
    }
}

pub(super) fn print(
    names: &[(String, FeatureKind)],
    columns: &[Column],
    notes: &[String],
    arguments: &Arguments,
) -> Result<()> {
    if arguments.json { json(names, columns, notes, arguments) } else { table(names, columns, notes) }
}

fn json(
    names: &[(String, FeatureKind)],
    columns: &[Column],
    notes: &[String],
    arguments: &Arguments,
) -> Result<()> {
    let (ours, peers) = (&columns[0], &columns[1..]);
    output::print_json(&Report {
        method: &arguments.method.to_string(),
        guarantee: ours.guarantee,
        tolerance: arguments.tolerance,
        margin: arguments.margin,
        budget: arguments.budget,
        total: total(ours),
        files: files(names, ours),
        peers: peers
            .iter()
            .map(|peer| PeerFigures { method: &peer.name, total: total(peer), files: files(names, peer) })
            .collect(),
        notes,
    })
}

fn files<'a>(names: &'a [(String, FeatureKind)], column: &Column) -> Vec<FileFigures<'a>> {
    let file = |((name, kind), tally): (&'a (String, FeatureKind), &Tally)| FileFigures {
        file: name,
        kind: kind_name(*kind),
        figures: tally.into(),
    };
    names.iter().zip(&column.files).map(file).collect()
}

fn total(column: &Column) -> Figures {
    (&Tally::merged(&column.files)).into()
}

fn table(names: &[(String, FeatureKind)], columns: &[Column], notes: &[String]) -> Result<()> {
    let mut text = String::new();
    for column in columns {
        let header = [
            column.name.as_str(),
            "queries",
            "contacts",
            "misses",
            "false alarms",
            "late",
            "bracketed",
            "widest",
            "mean µs",
            "median",
            "max",
        ];
        let mut table = Table::new(1, header);
        for ((name, _), tally) in names.iter().zip(&column.files) {
            row(&mut table, name, tally);
        }
        if names.len() > 1 {
            row(&mut table, "total", &Tally::merged(&column.files));
        }
        text += &format!("{table}\n");
    }
    text += "bracketed: contacts whose time is known to 1e-6; late: reported after they happened\n";
    for note in notes {
        text += &format!("note: {note}\n");
    }
    output::print(&text)
}

fn row(table: &mut Table, name: &str, tally: &Tally) {
    let figures = Figures::from(tally);
    table.row([
        name.to_owned(),
        figures.queries.to_string(),
        figures.contacts.to_string(),
        figures.misses.to_string(),
        figures.false_alarms.to_string(),
        figures.late.to_string(),
        figures.bracketed.to_string(),
        format!("{:.1e}", figures.widest_bracket),
        short_time(figures.mean_us),
        short_time(figures.median_us),
        short_time(figures.max_us),
    ]);
}

/// Microseconds with three digits or so.
fn short_time(micros: f64) -> String {
    if micros < 100.0 { format!("{micros:.2}") } else { short(micros.round()) }
}
