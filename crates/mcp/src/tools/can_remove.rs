//! `can_remove`: a removal path of a part, or the parts that block it.

use super::design::{self, Design, short, sign};
use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli::world::{BodyId, BodySelector};
use noli_plan::{Effort, RemoveOptions, RigidSpace, remove};
use noli_project::bcf::Snapshot;
use noli_project::report::{RemoveReport, RemoveSubject, RemoveVerdict};
use serde_json::{Value, json};
use std::collections::HashSet;

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

/// Motions proven or refuted by a search.
const STEPS: u64 = 60_000;
/// Obstructed directions listed.
const BLOCKS: usize = 12;
/// Seed of the random choices.
const SEED: u64 = 1;

fn input() -> Value {
    schema::input(
        &["files", "part"],
        json!({
            "files": schema::files(),
            "units": schema::units(),
            "poses": schema::poses(),
            "part": {"type": "string", "description": "The part, group or file to be removed."},
            "without": schema::texts("Parts that have been removed before."),
            "with": schema::texts("Parts that move along: a tool, a hand."),
            "ignore": schema::texts("Parts that do not block, such as flexible ones."),
            "margin": {"type": "number", "minimum": 0, "description": "Required clearance along the path (0)."},
            "picture": schema::picture(),
        }),
    )
}

fn output() -> Value {
    schema::output(json!({
        "part": {"type": "string"},
        "verdict": {"type": "string", "enum": ["found", "blocked", "not_found"],
            "description": "found: a path, proven free; blocked: proven that no path exists; not_found: none within the budget."},
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
    let mut design = design::open(arguments)?;
    let part = arguments.required_text("part")?;
    let (moving, without) = select(&mut design, part, arguments)?;
    let staged = &design.staged;
    staged.pairs_removed(&moving, &without).map_err(ToolError::of)?;
    let space = RigidSpace::new(&staged.world, &moving, &without).map_err(ToolError::of)?;
    call.enter("searching a removal path");
    let stop = || call.is_over();
    let effort = Effort { steps: STEPS, seed: SEED, stop: &stop, ..Effort::default() };
    let removal = remove(&space, &RemoveOptions { effort, ..RemoveOptions::default() });
    let found = staged.removal_on_surfaces(removal, [&moving, &without], 0.0);
    let (removal, tessellation) = (found.removal, found.tessellation);
    let parts: Vec<String> = moving.iter().map(|&id| staged.name(id).to_owned()).collect();
    let without: Vec<String> = without.iter().map(|&id| staged.name(id).to_owned()).collect();
    let subject = RemoveSubject {
        scene: &design.source.title,
        units: design.source.units,
        parts: &parts,
        without: &without,
        seed: SEED,
        tessellation,
    };
    let report = RemoveReport::new(&subject, &space, &removal);
    let mut warnings = staged.warnings.clone();
    warnings.extend(call.reached().map(str::to_owned));
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let lead = moving.first().filter(|_| picture);
    let picture = lead.and_then(|&lead| picture_of(&design, lead, &report));
    let text = text(&report);
    Ok(Answer { text, structured: structured(&report, &warnings), picture })
}

/// Returns the moving bodies and those that are gone, and disables the pairs with ignored ones.
fn select(
    design: &mut Design,
    part: &str,
    arguments: Arguments<'_>,
) -> Result<(Vec<BodyId>, Vec<BodyId>), ToolError> {
    let world = &mut design.staged.world;
    let mut moving = design::parts(world, part)?;
    let none = || ToolError(format!("there is no part `{part}`"));
    let lead = *moving.first().ok_or_else(none)?;
    moving.extend(design::all_parts(world, &arguments.texts("with")?)?);
    let without = design::all_parts(world, &arguments.texts("without")?)?;
    for other in design::all_parts(world, &arguments.texts("ignore")?)? {
        for &id in &moving {
            world.rules_mut().set([BodySelector::Body(id), BodySelector::Body(other)], false);
        }
    }
    if let Some(margin) = arguments.length("margin")? {
        world.rules_mut().set_default_margin(margin);
    }
    let mut seen = HashSet::new();
    moving.retain(|id| !without.contains(id) && seen.insert(*id));
    if !moving.contains(&lead) {
        return Err(ToolError(format!("`{part}` is among the parts removed before; name another part")));
    }
    Ok((moving, without))
}

/// The part and the first body that blocks it.
fn picture_of(design: &Design, part: BodyId, report: &RemoveReport) -> Option<Vec<u8>> {
    let blocking = report.blocked_by.first()?;
    let other = design.staged.world.find(blocking)?;
    Some(Snapshot::of_pair(&design.staged, [part, other], 1.0).png())
}

fn structured(report: &RemoveReport, warnings: &[String]) -> Value {
    let mut blocks: Vec<_> = report.blocks.iter().collect();
    blocks.sort_by(|x, y| (y.free / y.needed).total_cmp(&(x.free / x.needed)));
    blocks.truncate(BLOCKS);
    let (verdict, removable) = match report.verdict {
        RemoveVerdict::Found => ("found", Some(true)),
        RemoveVerdict::Blocked => ("blocked", Some(false)),
        _ => ("not_found", None),
    };
    json!({
        "part": report.part,
        "verdict": verdict,
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
