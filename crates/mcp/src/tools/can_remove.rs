//! `can_remove`: a removal path of a part, or the parts that block it.

use super::design::{self, short, sign};
use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli::world::BodyId;
use noli_ask::{Opened, Remove, RemoveAnswer};
use noli_project::bcf::Snapshot;
use noli_project::report::{RemoveReport, RemoveVerdict};
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "can_remove",
    title: "Can this part be removed?",
    description: "Plans a removal path for a part of an assembly (straight pulls, then rotations and screws guided by \
        contact, then random trees), proven collision-free at every moment; or reports the parts that block it, which \
        straight pulls they stop and after which distance. `without` names parts that are removed before.",
    input,
    output,
    run,
};

/// Obstructed directions listed.
const BLOCKS: usize = 12;

fn input() -> Value {
    schema::question::<Remove>(
        &["files", "part"],
        json!({"files": schema::files(), "poses": schema::poses(), "picture": schema::picture()}),
    )
}

fn output() -> Value {
    schema::output(json!({
        "part": {"type": "string"},
        "verdict": {"type": "string", "enum": ["found", "blocked", "not-found"],
            "description": "found: a path, proven free; blocked: proven that no path exists; not-found: none within the budget."},
        "removable": {"type": ["boolean", "null"], "description": "null if not decided."},
        "units": schema::unit_of_answer(),
        "how": {"type": "string"},
        "blocked_by": schema::texts("Blocking parts, the most important first."),
        "blocks": schema::objects("Straight pulls that get furthest: direction, free and needed distance, by."),
        "poses": {"type": "array", "description": "Path: x, y, z, qx, qy, qz, qw of the part from start to end."},
        "length": {"type": ["number", "null"]},
        "clearance": {"type": ["object", "null"]},
        "warnings": schema::texts("Warnings about the files."),
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let question: Remove = design::question(arguments, &["picture"])?;
    let opened = design::open(call, &question.subject)?;
    let RemoveAnswer { opened, moving, report, .. } =
        question.about(opened, &design::context(call)).map_err(ToolError::of)?;
    let mut warnings = opened.staged.warnings.clone();
    warnings.extend(call.reached().map(str::to_owned));
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let lead = moving.first().filter(|_| picture);
    let picture = lead.and_then(|&lead| picture_of(&opened, lead, &report));
    let text = text(&report);
    Ok(Answer { text, structured: structured(&report, &warnings), picture })
}

/// The part and the first body that blocks it.
fn picture_of(design: &Opened, part: BodyId, report: &RemoveReport) -> Option<Vec<u8>> {
    let blocking = report.blocked_by.first()?;
    let other = design.staged.world.find(blocking)?;
    Some(Snapshot::of_pair(&design.staged, [part, other], 1.0).png())
}

fn structured(report: &RemoveReport, warnings: &[String]) -> Value {
    let mut blocks: Vec<_> = report.blocks.iter().collect();
    blocks.sort_by(|x, y| (y.free / y.needed).total_cmp(&(x.free / x.needed)));
    blocks.truncate(BLOCKS);
    let removable = match report.verdict {
        RemoveVerdict::Found => Some(true),
        RemoveVerdict::Blocked => Some(false),
        RemoveVerdict::NotFound => None,
    };
    json!({
        "part": report.part,
        "verdict": report.verdict,
        "removable": removable,
        "units": report.units.map(|units| units.sign()),
        "how": report.how,
        "blocked_by": report.blocked_by,
        "blocks": blocks,
        "poses": report.poses,
        "length": report.length,
        "clearance": report.clearance,
        "starts_in_contact": report.starts_in_contact,
        "without": report.without,
        "motions_tested": report.steps,
        "tessellation": report.tessellation,
        "warnings": warnings,
    })
}

fn text(report: &RemoveReport) -> String {
    let unit = sign(report.units);
    let blocking = || report.blocked_by.join(", ");
    match report.verdict {
        RemoveVerdict::Found => format!(
            "Yes: {} can be removed ({}), along {}{unit}, proven collision-free at every moment.",
            report.part,
            report.how,
            report.length.map_or_else(|| "a path".to_owned(), short)
        ),
        RemoveVerdict::Blocked => {
            format!("No: {} is blocked by {} (proven: {}).", report.part, blocking(), report.how)
        }
        _ => format!(
            "Not found: no path of {} within the budget, which proves nothing. Straight pulls are blocked by {}.",
            report.part,
            blocking()
        ),
    }
}
