//! `info`: the contents of a file.

use super::design::{self, short, sign};
use super::robot_model::RobotModel;
use super::{Tool, list_files, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::files;
use noli_ask::quantity::units;
use noli_ask::{Opened, Subject};
use noli_project::report::HealthReport;
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "info",
    title: "Describe a file",
    description: "Describes a mesh, CAD file or scene (parts, sizes, triangles, volume, defects of a single mesh, motions), or \
        a robot (joints with limits, links, disabled pairs).",
    input,
    output,
    run,
};

/// Parts listed.
const MOST_PARTS: usize = 200;

fn input() -> Value {
    schema::input(
        &["file"],
        json!({
            "file": {"type": "string", "description": "A mesh, CAD file, scene or robot."},
            "units": schema::units(),
        }),
    )
}

fn output() -> Value {
    schema::output(json!({
        "file": {"type": "string"},
        "kind": {"type": "string", "enum": ["mesh", "scene", "robot"]},
        "units": schema::unit_of_answer(),
        "parts": schema::objects("Parts of a design, or links of a robot."),
        "warnings": schema::texts("Warnings about the file."),
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let text = arguments.required_text("file")?;
    let path = files::resolve(text)?;
    match list_files::kind_of(&path) {
        Some("robot") => robot(text),
        Some("srdf") => Err(ToolError(format!(
            "{text}: an SRDF describes a robot; name its URDF file, and use robot_check"
        ))),
        _ => parts(call, text, arguments),
    }
}

fn robot(file: &str) -> Result<Answer, ToolError> {
    let robot = RobotModel::load(file, None, &[], &[])?;
    let joints = robot.joints();
    let text = format!(
        "{}: {} joints, {} links with shapes, {} checked pairs.",
        robot.subject.robot,
        joints.len(),
        robot.subject.links.len(),
        robot.subject.active_pairs
    );
    let structured = json!({
        "file": file,
        "kind": "robot",
        "units": "m",
        "robot": robot.subject.robot,
        "joints": joints,
        "parts": robot.subject.links,
        "disabled_pairs": robot.subject.disabled_pairs,
        "warnings": robot.warnings,
    });
    Ok(Answer { text, structured, picture: None })
}

fn parts(call: &Call, file: &str, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let units = arguments.text("units")?.map(units).transpose().map_err(ToolError)?;
    let subject = Subject { units, ..Subject::files([files::resolve(file)?]) };
    let design = design::open(call, &subject)?;
    let health = HealthReport::new(&design.staged, &design.title, design.units, call.budget());
    let listed: Vec<Value> = listed(&design);
    let (unit, count) = (sign(design.units), design.staged.bodies.len());
    let size = size(&design);
    let mut text = format!(
        "{file}: {count} {}, {} x {} x {}{unit}.",
        if count == 1 { "part" } else { "parts" },
        short(size[0]),
        short(size[1]),
        short(size[2])
    );
    if let Some(health) = health.as_ref().filter(|health| !health.sound) {
        text += &format!(" Defects: {}.", health.flaws.join("; "));
    }
    let motions: Vec<&str> = design.staged.moves.iter().map(|one| one.name()).collect();
    let structured = json!({
        "file": file,
        "kind": if design.assemblies > 0 { "mesh" } else { "scene" },
        "units": design.units.map(|units| units.sign()),
        "size": size,
        "parts": listed,
        "parts_not_listed": count.saturating_sub(MOST_PARTS),
        "mesh": health,
        "motions": motions,
        "warnings": design.staged.warnings,
    });
    Ok(Answer { text, structured, picture: None })
}

fn size(design: &Opened) -> [f64; 3] {
    let boxes = design.staged.world.bodies().map(|(_, body)| body.bounds());
    boxes.reduce(|a, b| a.union(b)).map_or([0.0; 3], |all| all.size().to_array())
}

fn listed(design: &Opened) -> Vec<Value> {
    let one = |staged: &noli_project::StagedBody| {
        let bounds = design.staged.world.body(staged.id).map(|body| body.bounds()).ok();
        let ends = bounds.map(|bounds| [bounds.min.to_array(), bounds.max.to_array()]);
        let is_solid = staged.kind == noli::model::MeshKind::Solid;
        let volume = is_solid.then(|| staged.look.report().signed_volume).filter(|volume| volume.is_finite());
        json!({
            "name": design.staged.name(staged.id),
            "solid": is_solid,
            "triangles": staged.triangles(),
            "bounds": ends,
            "volume": volume,
            "flaw": staged.flaw.map(|flaw| flaw.to_string()),
        })
    };
    design.staged.bodies.iter().take(MOST_PARTS).map(one).collect()
}
