//! `clearance`: the distance of two parts.

use super::design::{self, bracket, sign};
use super::{Tool, check_files, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli::world::Finding;
use noli_ask::{Clearance, ClearanceAnswer};
use noli_project::bcf::Snapshot;
use noli_project::report::{PairRelation, PairReport};
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "clearance",
    title: "Clearance of two parts",
    description: "Computes the smallest distance of two parts (or of all parts of two files or groups) as a proven bracket, \
        with the nearest points; 0 if they touch, and the penetration depth if they collide.",
    input,
    output,
    run,
};

/// Intersecting segments kept for the picture.
const SEGMENTS: usize = 2000;

fn input() -> Value {
    schema::question::<Clearance>(
        &["files", "a", "b"],
        json!({"files": schema::files(), "poses": schema::poses(), "picture": schema::picture()}),
    )
}

fn output() -> Value {
    schema::output(json!({
        "a": {"type": "string"},
        "b": {"type": "string"},
        "outcome": schema::outcome(),
        "units": schema::unit_of_answer(),
        "relation": {"type": "string", "description": "separated, touching, intersecting, inside or undecided."},
        "clearance": {"type": "object", "description": "{at_least, at_most}; null where there is no end."},
        "nearest_points": {"type": ["array", "null"], "description": "The point of a and the point of b."},
        "depth": {"type": ["object", "null"], "description": "Penetration depth {at_least, at_most, direction} of colliding parts."},
        "guarantee": {"type": "string"},
        "where": {"type": ["array", "null"]},
        "warnings": schema::texts("Warnings about the files."),
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let question = design::question(arguments, &["picture"])?;
    let question = Clearance { pictured: SEGMENTS, ..question };
    let opened = design::open(call, &question.subject)?;
    let mut found = question.about(opened, &design::context(call)).map_err(ToolError::of)?;
    found.checked.report.warnings.extend(call.reached().map(str::to_owned));
    let (finding, pair) = found.pair().ok_or_else(|| ToolError("no pair was compared".to_owned()))?;
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let picture = picture.then(|| Snapshot::of_finding(&found.checked.opened.staged, finding, 1.0).png());
    let (text, structured) = (text(&found, pair), structured(&found, (finding, pair)));
    Ok(Answer { text, structured, picture })
}

/// The names of the pair, in the order of the question.
fn names<'p>(found: &ClearanceAnswer, pair: &'p PairReport) -> [&'p str; 2] {
    if found.is_swapped { [&pair.b, &pair.a] } else { [&pair.a, &pair.b] }
}

fn text(found: &ClearanceAnswer, pair: &PairReport) -> String {
    let unit = sign(found.checked.report.units);
    let [a, b] = names(found, pair);
    match pair.relation {
        PairRelation::Separated => format!(
            "{a} and {b}: separated, clearance {} (proven)",
            bracket(pair.clearance.at_least, pair.clearance.at_most, &unit)
        ),
        _ => check_files::line(pair, &unit),
    }
}

fn structured(found: &ClearanceAnswer, (finding, pair): (&Finding, &PairReport)) -> Value {
    let report = &found.checked.report;
    let points = finding.clearance.witness.map(|witness| {
        let points = [witness.on_a.point, witness.on_b.point].map(|point| point.to_array());
        if found.is_swapped { [points[1], points[0]] } else { points }
    });
    let [a, b] = names(found, pair);
    json!({
        "a": a,
        "b": b,
        "outcome": report.outcome,
        "units": report.units.map(|units| units.sign()),
        "relation": pair.relation.word(),
        "clearance": pair.clearance,
        "nearest_points": points,
        "depth": pair.depth,
        "guarantee": pair.guarantee,
        "where": pair.place,
        "warnings": report.warnings,
    })
}
