//! `sweep`: the first contact of a moving part.

use super::design::{self, short, sign};
use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli::Impact;
use noli::world::BodyId;
use noli_ask::{Sweep, SweepAnswer, Touching};
use noli_project::bcf::Snapshot;
use noli_project::report::{ImpactKind, ImpactReport, Outcome};
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
    let point = json!({"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3,
        "description": "A point on the axis (0, 0, 0)."});
    schema::question::<Sweep>(
        &["files"],
        json!({
            "files": schema::files(),
            "poses": schema::poses(),
            "point": point,
            "ignore_initial_contact": {"type": "boolean",
                "description": "The same as `touching` = `ignore`: leave out pairs that touch at the start (false)."},
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
    let mut question: Sweep = design::question(arguments, &["ignore_initial_contact", "picture"])?;
    if arguments.flag("ignore_initial_contact")? == Some(true) {
        question.touching = Touching::Ignore;
    }
    let opened = design::open(call, &question.subject)?;
    let mut found = question.about(opened, &design::context(call)).map_err(ToolError::of)?;
    found.verdict().map_err(ToolError::of)?;
    found.report.warnings.extend(call.reached().map(str::to_owned));
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let picture = picture.then(|| picture_of(&found)).flatten();
    Ok(Answer { picture, ..answer(&found) })
}

/// The pair that touches first, at that time.
fn picture_of(found: &SweepAnswer) -> Option<Vec<u8>> {
    let SweepAnswer { opened, step, .. } = found;
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
    let mut picture = Snapshot::of_pair(&opened.staged, first.pair, 1.0)
        .with_place(place.map(|witness| witness.on_a.point));
    for (number, &id) in first.pair.iter().enumerate() {
        if let Some(pose) = pose(id) {
            picture = picture.with_pose(number, pose);
        }
    }
    Some(picture.png())
}

fn answer(found: &SweepAnswer) -> Answer {
    let (report, units) = (&found.report, found.opened.units);
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
