//! `clearance`: the distance of two parts.

use super::design::{self, Design, bracket, sign};
use super::{Tool, check_files, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli::penetration::PenetrationQuery;
use noli::world::{BodySelector, CheckOptions, Finding, PairStatus};
use noli_project::bcf::Snapshot;
use noli_project::report::{CheckReport, PairReport, ReportOptions};
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

fn input() -> Value {
    let part = json!({"type": "string", "description": "A part, group or file, by name."});
    schema::input(
        &["files", "a", "b"],
        json!({
            "files": schema::files(), "a": part, "b": part, "units": schema::units(), "poses": schema::poses(),
            "picture": schema::picture(),
        }),
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
    let mut design = design::open(arguments)?;
    let names = [arguments.required_text("a")?, arguments.required_text("b")?];
    let [ours, theirs] = names.map(|name| design::parts(&design.staged.world, name));
    let (ours, theirs) = (ours?, theirs?);
    if let Some(&both) = ours.iter().find(|id| theirs.contains(id)) {
        let name = design.staged.name(both);
        return Err(ToolError(format!("`{name}` is on both sides; name two different parts")));
    }
    call.enter("computing distances");
    let rules = design.staged.world.rules_mut();
    let mut pairs = Vec::new();
    for &a in &ours {
        pairs.extend(theirs.iter().map(|&b| [BodySelector::Body(a), BodySelector::Body(b)]));
    }
    *rules = noli::world::Rules::default();
    rules.keep_only(pairs);
    let options = CheckOptions {
        far: true,
        keep: 2000,
        penetration: Some(PenetrationQuery::FAST),
        budget: call.budget(),
        ..CheckOptions::default()
    };
    let result = design.staged.world.check(&options).map_err(ToolError::of)?;
    let options = ReportOptions {
        source: &design.source.title,
        units: design.source.units,
        touching_counts: true,
        segments: 0,
        budget: call.budget(),
    };
    let mut report = CheckReport::new(&design.staged, &result, &options);
    report.warnings.extend(call.reached().map(str::to_owned));
    let worst = nearest(&result.findings)
        .and_then(|number| Some((result.findings.get(number)?, report.pairs.get(number)?)));
    let (finding, pair) = worst.ok_or_else(|| ToolError("no pair was compared".to_owned()))?;
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let picture = picture.then(|| Snapshot::of_finding(&design.staged, finding, 1.0).png());
    let [first, _] = finding.pair;
    let is_a = ours.contains(&first);
    Ok(Answer { picture, ..answer(&design, &report, (finding, pair), is_a) })
}

/// Returns the number of the worst finding: colliding pairs first, then undecided ones, then the nearest.
fn nearest(findings: &[Finding]) -> Option<usize> {
    let rank = |finding: &Finding| match finding.status {
        status if status.meets() => 0,
        PairStatus::Undecided => 1,
        _ => 2,
    };
    let key = |finding: &Finding| (rank(finding), finding.clearance.distance.at_most);
    let worst = findings.iter().enumerate().min_by(|(_, x), (_, y)| {
        let ((rank_x, x), (rank_y, y)) = (key(x), key(y));
        rank_x.cmp(&rank_y).then(x.total_cmp(&y))
    });
    worst.map(|(number, _)| number)
}

fn answer(
    design: &Design,
    report: &CheckReport,
    (finding, pair): (&Finding, &PairReport),
    is_a: bool,
) -> Answer {
    let unit = sign(design.source.units);
    let points = finding.clearance.witness.map(|witness| {
        let points = [witness.on_a.point, witness.on_b.point].map(|point| point.to_array());
        if is_a { points } else { [points[1], points[0]] }
    });
    let names = if is_a { [&pair.a, &pair.b] } else { [&pair.b, &pair.a] };
    let text = match pair.relation {
        noli_project::report::PairRelation::Separated => format!(
            "{} and {}: separated, clearance {} (proven)",
            names[0],
            names[1],
            bracket(pair.clearance.at_least, pair.clearance.at_most, &unit)
        ),
        _ => check_files::line(pair, &unit),
    };
    let structured = json!({
        "a": names[0],
        "b": names[1],
        "outcome": report.outcome,
        "units": report.units.map(|units| units.sign()),
        "relation": pair.relation.word(),
        "clearance": pair.clearance,
        "nearest_points": points,
        "depth": pair.depth,
        "guarantee": pair.guarantee,
        "where": pair.place,
        "warnings": report.warnings,
    });
    Answer { text, structured, picture: None }
}
