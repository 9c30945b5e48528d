//! `check_files`: the clashes of a design.

use super::design::{self, bracket, sign};
use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli_ask::{Check, CheckedPairs};
use noli_project::bcf::Snapshot;
use noli_project::report::{CheckReport, Outcome, PairRelation, PairReport};
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "check_files",
    title: "Check a design for clashes",
    description: "Finds all parts of a design that collide, touch or are closer than a margin, with penetration depth, \
        common volume, place and a picture of the worst clash. Exact on the triangles of the files: `free` is proven. \
        Parts of different files are compared with each other; parts within one file too if it is the only one.",
    input,
    output,
    run,
};

/// Pairs listed unless more are asked for.
const ROWS: f64 = 50.0;
/// Bodies listed.
const MOST_BODIES: usize = 200;
/// Intersecting segments kept for the picture.
const SEGMENTS: usize = 2000;

fn input() -> Value {
    schema::question::<Check>(
        &["files"],
        json!({
            "files": schema::files(),
            "poses": schema::poses(),
            "rows": {"type": "integer", "minimum": 1, "description": "Pairs to list, the worst first (50)."},
            "picture": schema::picture(),
        }),
    )
}

fn output() -> Value {
    schema::output(json!({
        "source": {"type": "string"},
        "outcome": schema::outcome(),
        "units": schema::unit_of_answer(),
        "margin": {"type": "number"},
        "summary": {"type": "object", "description": "Number of pairs of each relation."},
        "parts": schema::objects("The parts, with triangles and interpretation."),
        "pairs": schema::objects("Clashes, the worst first; without any, the nearest pairs. relation, guarantee, \
            clearance, depth (penetration depth, minimal translation), volume, where."),
        "pairs_not_listed": {"type": "integer"},
        "warnings": schema::texts("Warnings about the files."),
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let rows = arguments.length("rows")?.unwrap_or(ROWS).max(1.0) as usize;
    let question = design::question(arguments, &["rows", "picture"])?;
    let question = Check { pictured: SEGMENTS, ..question };
    let opened = design::open(call, &question.subject)?;
    let answer = question.about(opened, &design::context(call)).map_err(ToolError::of)?;
    let mut checked = answer.into_pairs().map_err(ToolError::of)?;
    checked.report.warnings.extend(call.reached().map(str::to_owned));
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let picture = picture.then(|| picture_of(&checked)).flatten();
    let report = &checked.report;
    Ok(Answer { text: text(report), structured: structured(report, rows), picture })
}

/// The worst pair that collides.
fn picture_of(checked: &CheckedPairs) -> Option<Vec<u8>> {
    let worst = checked.result.findings.first().filter(|finding| finding.status.meets())?;
    Some(Snapshot::of_finding(&checked.opened.staged, worst, 1.0).png())
}

fn structured(report: &CheckReport, rows: usize) -> Value {
    let value = |pair: &PairReport| serde_json::to_value(pair).unwrap_or_default();
    let of_interest: Vec<&PairReport> = match report.pairs.iter().any(|pair| pair.hit) {
        true => {
            report.pairs.iter().filter(|pair| pair.hit || pair.relation == PairRelation::Undecided).collect()
        }
        false => report.pairs.iter().collect(),
    };
    let parts =
        report.bodies.iter().take(MOST_BODIES).map(|body| serde_json::to_value(body).unwrap_or_default());
    json!({
        "source": report.source,
        "outcome": report.outcome,
        "units": report.units.map(|units| units.sign()),
        "margin": report.margin,
        "summary": report.summary,
        "parts": parts.collect::<Vec<_>>(),
        "pairs": of_interest.iter().take(rows).map(|pair| value(pair)).collect::<Vec<_>>(),
        "pairs_not_listed": of_interest.len().saturating_sub(rows),
        "warnings": report.warnings,
    })
}

fn text(report: &CheckReport) -> String {
    let unit = sign(report.units);
    let hits: Vec<&PairReport> = report.pairs.iter().filter(|pair| pair.hit).collect();
    let mut lines = vec![match report.outcome {
        Outcome::Free => {
            let nearest =
                report.pairs.iter().min_by(|a, b| a.clearance.at_most.total_cmp(&b.clearance.at_most));
            let nearest = nearest.map_or_else(String::new, |pair| {
                let clearance = bracket(pair.clearance.at_least, pair.clearance.at_most, &unit);
                format!("; nearest: {} and {}, clearance {clearance}", pair.a, pair.b)
            });
            format!("No clash among {} pairs (proven){nearest}.", report.summary.pairs)
        }
        Outcome::Touching => format!("{} of {} pairs clash.", hits.len(), report.summary.pairs),
        Outcome::Undecided => "Undecided: a limit was reached before all pairs were compared.".to_owned(),
    }];
    lines.extend(hits.iter().take(5).map(|pair| line(pair, &unit)));
    lines.extend(report.warnings.iter().take(5).map(|warning| format!("warning: {warning}")));
    lines.join("\n")
}

/// One pair in words.
pub(super) fn line(pair: &PairReport, unit: &str) -> String {
    let mut text = format!("{} and {}: {}", pair.a, pair.b, pair.relation.word());
    if let Some(depth) = pair.depth {
        text += &format!(", penetration depth {}", bracket(depth.at_least, depth.at_most, unit));
    }
    if pair.relation == PairRelation::Separated {
        text += &format!(", clearance {}", bracket(pair.clearance.at_least, pair.clearance.at_most, unit));
    }
    if let Some(place) = pair.place {
        text += &format!(", at ({})", place.map(design::short).join(", "));
    }
    text
}
