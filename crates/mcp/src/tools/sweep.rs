//! `sweep`: the first contact of a moving part.

use super::design::{self, Design, short, sign};
use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use glam::DVec3;
use noli::motion::RigidMotion;
use noli::world::{BodyId, Step, StepOptions};
use noli::{Impact, Pose};
use noli_project::bcf::Snapshot;
use noli_project::report::{ImpactKind, ImpactReport, Outcome, SweepReport};
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "sweep",
    title: "Sweep a part along a motion",
    description: "Proves that a motion is collision-free at every moment, or finds the first contact: a part turned about \
        an axis (a hinge, a lid, a knob), translated (a drawer), or both (a screw); or the motions of a scene file. For \
        joints of a robot use robot_check with `to`.",
    input,
    output,
    run,
};

fn input() -> Value {
    schema::input(
        &["files"],
        json!({
            "files": schema::files(),
            "units": schema::units(),
            "poses": schema::poses(),
            "part": {"type": "string", "description": "The moving part, group or file; without it, the motions of the scene."},
            "translate": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3,
                "description": "Translation of the part, in the unit of the files."},
            "axis": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3,
                "description": "Direction of the rotation axis."},
            "point": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3,
                "description": "A point on the axis (0, 0, 0)."},
            "angle_deg": {"type": "number", "description": "Angle of the rotation, right-handed."},
            "advance": {"type": "number", "description": "Advance along the axis during the rotation (0)."},
            "with": schema::texts("Parts that move along."),
            "ignore_initial_contact": {"type": "boolean",
                "description": "Leave out pairs that touch at the start, such as the two halves of a hinge (false)."},
            "picture": schema::picture(),
        }),
    )
}

fn output() -> Value {
    schema::output(json!({
        "source": {"type": "string"},
        "outcome": schema::outcome(),
        "units": schema::unit_of_answer(),
        "free": {"type": "boolean", "description": "Proven collision-free at every moment."},
        "safe_until": {"type": "number", "description": "Share of the motion, from 0 to 1, before which nothing touches."},
        "contacts": schema::objects("First contacts by pair, the earliest first: safe_until, touching_by, point, normal."),
        "left_out": schema::objects("Pairs in contact at the start, left out on request."),
        "pairs": {"type": "integer", "description": "Lower bound on the compared pairs."},
        "warnings": schema::texts("Warnings about the files."),
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let mut design = design::open(arguments)?;
    if let Some(part) = arguments.text("part")? {
        move_part(&mut design, part, arguments)?;
    } else if design.staged.moves.is_empty() {
        return Err(ToolError(
            "nothing moves: give `part` with `translate`, or with `axis` and `angle_deg`; or a scene with motions".to_owned(),
        ));
    }
    call.enter("proving the motion");
    let staged = &mut design.staged;
    let surfaces = staged.curved_motion();
    let options =
        StepOptions { policy: &surfaces, budget: call.budget(), sleep: false, ..StepOptions::default() };
    staged.pairs_moved().map_err(ToolError::of)?;
    let mut step = staged.world.plan(staged.moves.clone(), &options).map_err(ToolError::of)?;
    let mut left_out = Vec::new();
    if arguments.flag("ignore_initial_contact")? == Some(true) {
        left_out = staged.leave_out_touching(&step, &surfaces).map_err(ToolError::of)?;
        if !left_out.is_empty() {
            staged.pairs_moved().map_err(ToolError::of)?;
            step = staged.world.plan(staged.moves.clone(), &options).map_err(ToolError::of)?;
        }
    }
    let mut report = SweepReport::on_surfaces(&design.source.title, &design.staged, &step, &surfaces);
    report = report.with_left_out(left_out);
    report.warnings.extend(call.reached().map(str::to_owned));
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let picture = picture.then(|| picture_of(&design, &step)).flatten();
    Ok(Answer { picture, ..answer(&design, &report) })
}

/// Replaces the motions of the design by that of the call.
fn move_part(design: &mut Design, part: &str, arguments: Arguments<'_>) -> Result<(), ToolError> {
    let world = &design.staged.world;
    let mut bodies = design::parts(world, part)?;
    bodies.extend(design::all_parts(world, &arguments.texts("with")?)?);
    let translate = arguments.vector("translate")?;
    let axis = arguments.vector("axis")?;
    let point = arguments.vector("point")?.unwrap_or(DVec3::ZERO);
    let (angle, advance) = (arguments.number("angle_deg")?, arguments.number("advance")?.unwrap_or(0.0));
    let moved = match (translate, axis, angle) {
        (Some(by), None, None) if by != DVec3::ZERO => world.carry(part, &bodies, |start: &Pose| {
            RigidMotion::with_velocities(start, by, DVec3::ZERO, DVec3::ZERO)
        }),
        (None, Some(axis), Some(angle)) => {
            let unit = axis
                .try_normalize()
                .ok_or_else(|| ToolError("argument `axis` has no direction".to_owned()))?;
            if angle == 0.0 && advance == 0.0 {
                return Err(ToolError("nothing moves: `angle_deg` and `advance` are 0".to_owned()));
            }
            let angle = angle.to_radians();
            world.carry(part, &bodies, |start: &Pose| RigidMotion::screw(start, point, unit, angle, advance))
        }
        _ => {
            return Err(ToolError(
                "give either `translate` (not zero), or `axis` with `angle_deg`, for the motion of the part"
                    .to_owned(),
            ));
        }
    };
    design.staged.moves = vec![moved.map_err(ToolError::of)?];
    design.staged.seconds = 1.0;
    Ok(())
}

/// The pair that touches first, at that time.
fn picture_of(design: &Design, step: &Step) -> Option<Vec<u8>> {
    let first = step.hits().min_by(|a, b| a.impact.safe_until().total_cmp(&b.impact.safe_until()))?;
    let (time, place) = match &first.impact {
        Impact::Free | Impact::Unknown { .. } => return None,
        Impact::AtStart(touch) => (0.0, touch.witness),
        Impact::At { time, touch } => (time.touching_by, touch.witness),
    };
    let pose = |id: BodyId| {
        let parts = step.moves().iter().flat_map(|one| one.parts());
        parts.filter(|(moved, _)| *moved == id).map(|(_, motion)| motion.pose(time)).next()
    };
    let mut picture = Snapshot::of_pair(&design.staged, first.pair, 1.0)
        .with_place(place.map(|witness| witness.on_a.point));
    for (number, &id) in first.pair.iter().enumerate() {
        if let Some(pose) = pose(id) {
            picture = picture.with_pose(number, pose);
        }
    }
    Some(picture.png())
}

fn answer(design: &Design, report: &SweepReport) -> Answer {
    let units = design.source.units;
    let safe_until = report.impacts.iter().map(|hit| hit.safe_until).fold(1.0, f64::min);
    let text = match report.impacts.first() {
        None => format!(
            "Free: nothing touches at any moment of the motion (proven{}; {} pairs or more).",
            if report.tessellation.is_some() { " for the triangles" } else { "" },
            report.pairs
        ),
        Some(first) => line(first, &sign(units)),
    };
    let structured = json!({
        "source": report.scene,
        "outcome": report.outcome,
        "units": units.map(|units| units.sign()),
        "free": report.outcome == Outcome::Free,
        "safe_until": safe_until,
        "contacts": report.impacts,
        "left_out": report.left_out,
        "pairs": report.pairs,
        "tessellation": report.tessellation,
        "warnings": report.warnings,
    });
    Answer { text, structured, picture: None }
}

fn line(first: &ImpactReport, unit: &str) -> String {
    let names = format!("{} and {}", first.a, first.b);
    let place =
        first.point.map_or_else(String::new, |point| format!(" at ({}){unit}", point.map(short).join(", ")));
    match first.impact {
        ImpactKind::Undecided => {
            format!("Undecided: {names} were followed to {} of the motion.", short(first.safe_until))
        }
        _ if first.safe_until == 0.0 => format!("Blocked from the start: {names} are in contact{place}."),
        _ => format!(
            "Blocked: {names} touch{place}. The first {:.2} % of the motion are proven free.",
            100.0 * first.safe_until
        ),
    }
}
