//! `robot_check`: collisions of a configuration, or of a joint motion.

use super::design::{bracket, short};
use super::robot_model::RobotModel;
use super::{Tool, schema};
use crate::answer::{Answer, ToolError};
use crate::arguments::Arguments;
use crate::call::Call;
use noli::Impact;
use noli::world::CheckOptions;
use noli_project::bcf::Snapshot;
use noli_project::stage_configuration;
use noli_robot::cell::{Checker, EdgeTouch};
use serde_json::{Map, Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "robot_check",
    title: "Check a robot",
    description: "Checks a configuration of a robot (URDF) for self-collision and collision with obstacles, with the \
        clearance; or proves that the straight joint motion from `configuration` to `to` is collision-free at every moment, \
        or finds its first contact. Values by joint name in radians and metres, or NAME_deg in degrees.",
    input,
    output,
    run,
};

fn input() -> Value {
    let values = json!({"type": "object", "additionalProperties": {"type": "number"},
        "description": "Values by joint name; joints that are not named are 0."});
    let end = json!({"type": "object", "additionalProperties": {"type": "number"},
        "description": "End of a straight joint motion; joints that are not named keep their values."});
    schema::input(
        &["robot"],
        json!({
            "robot": {"type": "string", "description": "URDF file, or DH table (.toml)."},
            "srdf": {"type": "string", "description": "SRDF with disabled pairs (allowed collision matrix)."},
            "packages": schema::texts("Folders with packages, for package:// names."),
            "obstacles": schema::texts("Obstacles in the frame of the robot's root: planning scenes (.yaml), scenes, meshes in metres."),
            "configuration": values,
            "to": end,
            "picture": schema::picture(),
        }),
    )
}

fn output() -> Value {
    schema::output(json!({
        "robot": {"type": "string"},
        "outcome": schema::outcome(),
        "units": schema::unit_of_answer(),
        "free": {"type": "boolean"},
        "configuration": {"type": "object", "description": "All joint values, in radians and metres."},
        "colliding_pairs": schema::objects("links and a common point, at `configuration` or at the first contact."),
        "clearance": {"type": ["object", "null"], "description": "{at_least, at_most, links} at `configuration`."},
        "motion": {"type": ["object", "null"], "description": "With `to`: safe_until and touching_by as shares of the motion, the pair."},
        "pairs": {"type": "integer", "description": "Checked pairs."},
        "beyond_limits": schema::texts("Joints beyond their limits."),
        "warnings": schema::texts("Warnings about the files."),
    }))
}

fn run(call: &Call, arguments: Arguments<'_>) -> Result<Answer, ToolError> {
    let file = arguments.required_text("robot")?;
    let (obstacles, packages) = (arguments.texts("obstacles")?, arguments.texts("packages")?);
    let robot = RobotModel::load(file, arguments.text("srdf")?, &obstacles, &packages)?;
    if robot.subject.active_pairs == 0 {
        return Err(ToolError(
            "no pair of links and obstacles is checked: all are disabled, or links have no collision geometry; add obstacles, \
             or change the SRDF".to_owned(),
        ));
    }
    call.enter("checking the robot");
    let zero = vec![0.0; robot.robot.variables().len()];
    let values = robot.configuration(&arguments.numbers("configuration")?.unwrap_or_default(), &zero)?;
    let to = arguments.numbers("to")?.map(|named| robot.configuration(&named, &values)).transpose()?;
    if call.is_over() {
        return Err(ToolError(
            "the time limit was reached while the robot was read; allow more time".to_owned(),
        ));
    }
    let mut checker = robot.cell.checker();
    let state = State::of(&mut checker, &values)?;
    let motion = to.as_deref().map(|to| checker.first_contact_on_edge(&values, to)).transpose();
    let motion = motion.map_err(ToolError::of)?;
    let at = worst(&state, &values, to.as_deref(), motion.as_ref());
    let picture = arguments.flag("picture")?.unwrap_or(true);
    let picture = at.filter(|_| picture).and_then(|at| picture_of(&robot, &at));
    let mut beyond = robot.beyond_limits(&values);
    beyond.extend(to.iter().flat_map(|to| robot.beyond_limits(to)));
    beyond.dedup();
    let subject = Subject { file, robot: &robot, values: &values, beyond };
    Ok(Answer { picture, ..answer(&subject, &state, motion.as_ref()) })
}

/// Status of one configuration.
struct State {
    pairs: Vec<Value>,
    names: Vec<String>,
    undecided: usize,
    clearance: Option<(f64, f64, [String; 2])>,
}

impl State {
    fn of(checker: &mut Checker<'_>, values: &[f64]) -> Result<Self, ToolError> {
        let cell = checker.cell();
        let mut hits = Vec::new();
        checker.colliding_pairs(values, &mut hits).map_err(ToolError::of)?;
        let mut state = Self { pairs: Vec::new(), names: Vec::new(), undecided: 0, clearance: None };
        for hit in &hits {
            let links = cell.pair_names(hit.pair);
            if hit.proven {
                let point = checker.meeting_point(values, hit.pair).map_err(ToolError::of)?;
                state.pairs.push(json!({"links": links, "point": point.map(|point| point.to_array())}));
                state.names.push(links.join(" and "));
            } else {
                state.undecided = state.undecided.saturating_add(1);
            }
        }
        let nearest = checker.clearance(values).map_err(ToolError::of)?;
        state.clearance = nearest.pair.map(|pair| {
            let links = cell.pair_names(pair).map(str::to_owned);
            (nearest.clearance.at_least, nearest.clearance.at_most, links)
        });
        Ok(state)
    }
}

/// Returns the configuration to draw: the colliding one, or that of the first contact.
fn worst(
    state: &State,
    values: &[f64],
    to: Option<&[f64]>,
    motion: Option<&Impact<EdgeTouch>>,
) -> Option<Vec<f64>> {
    if !state.pairs.is_empty() {
        return Some(values.to_vec());
    }
    let (Some(to), Some(Impact::At { time, .. })) = (to, motion) else { return None };
    let time = time.touching_by;
    Some(values.iter().zip(to).map(|(from, to)| from + (to - from) * time).collect())
}

/// The worst pair of a configuration.
fn picture_of(robot: &RobotModel, values: &[f64]) -> Option<Vec<u8>> {
    let staged = stage_configuration(&robot.cell, values).ok()?;
    let result = staged.world.check(&CheckOptions { keep: 2000, ..CheckOptions::default() }).ok()?;
    Some(Snapshot::of_finding(&staged, result.findings.first()?, 1.0).png())
}

struct Subject<'a> {
    file: &'a str,
    robot: &'a RobotModel,
    values: &'a [f64],
    beyond: Vec<String>,
}

fn answer(subject: &Subject<'_>, state: &State, motion: Option<&Impact<EdgeTouch>>) -> Answer {
    let robot = subject.robot;
    let motion_value = motion.map(|motion| motion_of(robot, motion));
    let is_touching = !state.pairs.is_empty() || motion.is_some_and(Impact::is_hit);
    let is_free =
        state.pairs.is_empty() && state.undecided == 0 && matches!(motion, None | Some(Impact::Free));
    let outcome = if is_touching {
        "touching"
    } else if is_free {
        "free"
    } else {
        "undecided"
    };
    let named: Map<String, Value> = robot
        .robot
        .variables()
        .iter()
        .zip(subject.values)
        .map(|(variable, value)| (variable.name.clone(), (*value).into()))
        .collect();
    let clearance = state.clearance.as_ref().map(|(at_least, at_most, links)| {
        let end = |x: f64| x.is_finite().then_some(x);
        json!({"at_least": end(*at_least), "at_most": end(*at_most), "links": links})
    });
    let structured = json!({
        "robot": subject.file,
        "outcome": outcome,
        "units": "m",
        "free": is_free,
        "configuration": named,
        "colliding_pairs": state.pairs,
        "clearance": clearance,
        "motion": motion_value,
        "pairs": robot.subject.active_pairs,
        "beyond_limits": subject.beyond,
        "warnings": robot.warnings,
    });
    Answer { text: text(state, motion_value_text(robot, motion), is_free), structured, picture: None }
}

fn motion_of(robot: &RobotModel, motion: &Impact<EdgeTouch>) -> Value {
    match motion {
        Impact::Free => json!({"free": true, "safe_until": 1.0}),
        Impact::Unknown { safe_until } => json!({"free": false, "safe_until": safe_until, "undecided": true}),
        Impact::AtStart(found) | Impact::At { touch: found, .. } => {
            let touching_by = if let Impact::At { time, .. } = motion { time.touching_by } else { 0.0 };
            json!({
                "free": false,
                "safe_until": motion.safe_until(),
                "touching_by": touching_by,
                "links": robot.cell.pair_names(found.pair),
                "point": found.touch.witness.map(|witness| witness.on_a.point.to_array()),
            })
        }
    }
}

fn motion_value_text(robot: &RobotModel, motion: Option<&Impact<EdgeTouch>>) -> Option<String> {
    Some(match motion? {
        Impact::Free => "The motion is free at every moment (proven).".to_owned(),
        Impact::Unknown { safe_until } => format!("The motion is undecided from {} on.", short(*safe_until)),
        motion @ (Impact::AtStart(found) | Impact::At { touch: found, .. }) => format!(
            "The motion is blocked: {} touch; the first {:.2} % are proven free.",
            robot.cell.pair_names(found.pair).join(" and "),
            100.0 * motion.safe_until()
        ),
    })
}

fn text(state: &State, motion: Option<String>, is_free: bool) -> String {
    let mut text = match (state.names.is_empty(), is_free || state.undecided == 0) {
        (false, _) => format!("In collision: {}.", state.names.join("; ")),
        (true, true) => "The configuration is free (proven).".to_owned(),
        (true, false) => "The configuration is undecided.".to_owned(),
    };
    if let (true, Some((at_least, at_most, links))) = (state.names.is_empty(), &state.clearance) {
        text +=
            &format!(" Clearance {} between {}.", bracket(*at_least, *at_most, " m"), links.join(" and "));
    }
    if let Some(motion) = motion {
        text += &format!(" {motion}");
    }
    text
}
