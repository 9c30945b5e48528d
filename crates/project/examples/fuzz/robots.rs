//! Texts about robots, read and put to use: programs are run, robots moved, what can be written is read again.

use crate::answer::{hash, magnitude, words};
use glam::{DQuat, DVec3};
use noli::{Convex, Model};
use noli_geom::{Mesh, Pose};
use noli_program::{Interpreter, Programs, RunLimits, TraceKind, VirtualController};
use noli_robot::cell::{CellBuilder, MotionStatus, StateStatus};
use noli_robot::{DhTable, Form, JointTable, Obstacle, Problem, PumaSet, Robot, RobotError, Srdf, puma560};
use std::sync::{Arc, LazyLock};

/// Kinds of texts about robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotText {
    /// A VAL-II program.
    Program,
    /// A URDF description.
    Urdf,
    /// An SRDF description, of the PUMA 560.
    Srdf,
    /// A table of Denavit and Hartenberg.
    Dh,
    /// A joint path of the PUMA 560: a table, YAML or JSON.
    Trajectory,
    /// A planning scene, or the request that goes with one.
    Planning,
    /// A cell file; what it names is not opened.
    Cell,
    /// A URDF, an SRDF and configurations with lines of `===` between them: the robot is checked among obstacles.
    Answer,
}

static PUMA: LazyLock<Arc<Robot>> = LazyLock::new(|| Arc::new(puma560(PumaSet::FuGonzalezLee)));

/// Reads a text; says in which way it was answered, as an error if it was refused.
pub fn read_robot_text(kind: RobotText, bytes: &[u8]) -> Result<u64, u64> {
    let text = String::from_utf8_lossy(bytes);
    match kind {
        RobotText::Program => read_and_run(&text),
        RobotText::Urdf => Robot::from_urdf_str(&text).map(|robot| use_robot(&robot)).map_err(refusal),
        RobotText::Srdf => text.parse::<Srdf>().map(|srdf| use_srdf(&srdf)).map_err(refusal),
        RobotText::Dh => {
            let robot = Robot::from_dh_str(&text).map_err(refusal)?;
            let tip = robot.links().len() - 1;
            let derived = DhTable::derived(&robot, tip).is_ok();
            Ok(use_robot(&robot) ^ u64::from(derived))
        }
        RobotText::Trajectory => read_path(&text),
        RobotText::Answer => check_robot(&text),
        RobotText::Planning => {
            let scene = Obstacle::from_planning_scene_str(&text).map(|bodies| {
                assert!(bodies.iter().all(|body| body.pose.is_valid()));
                hash([1, magnitude(bodies.len())].into_iter())
            });
            let both = Problem::from_yaml_str(&text, &text).map(|problem| {
                hash([2, magnitude(problem.bodies.len()), magnitude(problem.goal.len())].into_iter())
            });
            scene.or(both).map_err(refusal)
        }
        RobotText::Cell => match noli_project::cell::parse_cell(bytes) {
            Ok(cell) => {
                let counts = [cell.robots.len(), cell.locations.len(), cell.parts.len(), cell.signals.len()];
                Ok(hash(counts.into_iter().chain([cell.rules.len()]).map(magnitude)))
            }
            Err(error) => {
                assert!(!error.reason.is_empty() && !error.remedy.is_empty());
                Err(hash(words(&error.reason)))
            }
        },
    }
}

fn refusal(error: RobotError) -> u64 {
    let message = error.fault.to_string();
    assert!(!message.is_empty());
    hash(words(&message))
}

/// Every program ends, by itself or by its limits.
fn read_and_run(text: &str) -> Result<u64, u64> {
    let programs = text.parse::<Programs>().map_err(|error| hash(words(&error.to_string())))?;
    let mut host = VirtualController::new(PUMA.clone(), 6).expect("the arm moves its flange");
    host.start = [0.0, -45.0, 135.0, 0.0, 60.0, 0.0].map(f64::to_radians).to_vec();
    host.ready = [0.0, -90.0, 90.0, 0.0, 20.0, 0.0].map(f64::to_radians).to_vec();
    host.inputs = vec![(0.5, 1004, true), (2.0, 1004, false), (3.0, 1005, true)];
    host.gripper = [0.1, 0.02];
    let limits = RunLimits { steps: 300, seconds: 100.0, calls: 10, names: 50, ..Default::default() };
    let mut interpreter = Interpreter::new(&programs, &mut host, limits);
    let down = |x, y, z| Pose::new(DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0), DVec3::new(x, y, z));
    let known =
        [("SAFE", down(0.4, 0.15, 0.3)), ("PART1", down(0.4, 0.2, 0.1)), ("BIN", down(0.35, 0.3, 0.15))];
    for (name, pose) in known {
        interpreter.locations.transformations.insert(name.into(), pose);
    }
    let main = programs.list.first().map_or("MAIN", |program| program.name.as_str());
    let ended = interpreter.run(main);
    let end: Vec<u8> = match &ended {
        Ok(outcome) => {
            assert!(outcome.seconds.is_finite() && outcome.seconds >= 0.0);
            vec![outcome.ended as u8]
        }
        Err(error) => words(&error.fault.to_string()).collect(),
    };
    let mut last = 0.0;
    let events = host.trace.iter().take(6).map(|event| match &event.kind {
        TraceKind::Motion { kind, blends, .. } => *kind as u8 * 2 + u8::from(*blends),
        TraceKind::Stopped { .. } => 10,
        TraceKind::Output { .. } => 11,
        TraceKind::Grip { open, .. } => 12 + u8::from(*open),
        TraceKind::Shown(_) => 14,
    });
    let answer = hash(end.into_iter().chain(events));
    for event in &host.trace {
        // Inputs may be noted a statement late; the clock itself never goes back.
        assert!(event.time.is_finite() && event.time >= last - 1e-9, "{} after {last}", event.time);
        last = f64::max(last, event.time);
        if let TraceKind::Motion { to, seconds, .. } = &event.kind {
            assert!(seconds.is_finite() && *seconds >= 0.0 && to.iter().all(|value| value.is_finite()));
        }
    }
    Ok(answer)
}

/// A robot moves, and what is written of it is the same robot.
fn use_robot(robot: &Robot) -> u64 {
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(&robot.neutral().0, &mut poses);
    let mesh = || Mesh::cuboid(DVec3::ONE).map_err(|error| error.to_string());
    let shapes = robot.shapes(|_| mesh()).map_or(0, |shapes| shapes.len());
    let again = Robot::from_urdf_str(&robot.to_urdf()).expect("what is written can be read");
    assert_eq!(
        (again.links().len(), again.variables().len()),
        (robot.links().len(), robot.variables().len())
    );
    let kinds =
        robot.joints().iter().take(8).map(|joint| joint.kind as u8 + 8 * u8::from(joint.mimic.is_some()));
    hash(kinds.chain([magnitude(robot.links().len()), magnitude(shapes)]))
}

fn use_srdf(srdf: &Srdf) -> u64 {
    let again = srdf.to_xml().parse::<Srdf>().expect("what is written can be read");
    assert_eq!((again.groups.len(), again.disabled.len()), (srdf.groups.len(), srdf.disabled.len()));
    let missing = srdf.check(&PUMA);
    let known: Vec<u8> = missing
        .iter()
        .take(4)
        .flat_map(|error| words(&error.fault.to_string()).collect::<Vec<u8>>())
        .collect();
    for group in &srdf.groups {
        srdf.group_joints(&PUMA, &group.name);
    }
    let counts = [srdf.groups.len(), srdf.states.len(), srdf.end_effectors.len(), srdf.disabled.len()];
    hash(known.into_iter().chain(counts.map(magnitude)))
}

/// Shapes of a robot that is checked: the time of an input is bounded.
const MOST_SHAPES: usize = 12;

/// From the texts to verdicts: all answers about a configuration agree.
fn check_robot(text: &str) -> Result<u64, u64> {
    let mut texts = text.splitn(3, "\n===\n");
    let mut next = || texts.next().unwrap_or_default();
    let (robot, warnings) = Robot::from_urdf_str_with_warnings(next()).map_err(refusal)?;
    let srdf = next();
    let srdf = (!srdf.trim().is_empty()).then(|| srdf.parse::<Srdf>()).transpose().map_err(refusal)?;
    let states = next();
    let rows = match states.trim().is_empty() {
        true => vec![robot.neutral().0],
        false => JointTable::from_csv_str(states, &robot).map_err(refusal)?.rows,
    };
    let mesh = || Mesh::cuboid(DVec3::ONE).map_err(|error| error.to_string());
    let shapes = robot.shapes(|_| mesh()).map_err(|error| hash(words(&error.to_string())))?;
    if shapes.len() > MOST_SHAPES || robot.links().len() > 40 {
        return Ok(hash([255].into_iter()));
    }
    let mut plan = CellBuilder::default();
    let arm = plan.add_robot("", Arc::new(robot), Pose::IDENTITY, &shapes);
    let arm = arm.map_err(|error| hash(words(&error.to_string())))?;
    if let Some(srdf) = &srdf {
        plan.apply_srdf(arm, srdf);
    }
    let post = Model::from(Convex::cuboid(DVec3::new(0.1, 0.1, 2.0)).expect("a box"));
    // A link may have the name already.
    let _ = plan.add_obstacle("post", &post, Pose::from_translation(DVec3::new(0.6, 0.2, 0.0)));
    let cell = plan.build();
    let (mut checker, mut hits, mut answers) = (cell.checker(), Vec::new(), Vec::new());
    for row in rows.iter().take(4) {
        let status = checker.check_state(row).expect("rows are configurations");
        checker.colliding_pairs(row, &mut hits).expect("rows are configurations");
        assert_eq!(matches!(status, StateStatus::Hit(_)), hits.iter().any(|hit| hit.proven), "{row:?}");
        answers.push(match status {
            StateStatus::Free => 0,
            StateStatus::Hit(pair) => 1 + magnitude(pair),
            StateStatus::Unknown(_) => 100,
        });
    }
    if let [from, to, ..] = &rows[..]
        && let Ok(MotionStatus::Free) = checker.check_motion(from, to)
    {
        assert_eq!(answers[..2], [0, 0], "a free motion has free ends");
        answers.push(200);
    }
    let counts = [warnings.len(), cell.pairs().len(), cell.body_pairs().len()].map(magnitude);
    Ok(hash(answers.into_iter().chain(counts)))
}

fn read_path(text: &str) -> Result<u64, u64> {
    let is_table = !text.trim_start().starts_with(['{', '-']) && !text.contains(": ");
    let read = if is_table {
        JointTable::from_csv_str(text, &PUMA)
    } else {
        JointTable::from_trajectory_str(text, &PUMA)
    };
    let table = read.map_err(refusal)?;
    assert!(table.rows.iter().all(|row| row.len() == 6 && row.iter().all(|value| value.is_finite())));
    assert!(table.times.as_ref().is_none_or(|times| times.len() == table.rows.len()));
    let moves = table.motion(PUMA.clone(), Pose::IDENTITY).is_ok();
    assert!(table.form == Form::Interpolated || table.curve().is_ok(), "a form is read as a curve");
    let counts = [table.rows.len(), table.assumed_zero.len(), table.ignored_columns.len()].map(magnitude);
    Ok(hash(counts.into_iter().chain([u8::from(is_table), u8::from(moves), u8::from(table.times.is_some())])))
}
