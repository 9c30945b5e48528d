//! Programs run in cells that are made here: lines that end at singularities, and many motions among meshes.

use glam::DVec3;
use noli::{Mesh, Model, Pose};
use noli_program::Programs;
use noli_program::run::{ExecutionError, RunOptions, WorkCell, run};
use noli_robot::cell::{CellBuilder, MotionStatus, StateStatus};
use noli_robot::{PumaSet, Robot, puma560};
use std::fmt::Write as _;
use std::sync::Arc;

fn workplace(robot: Robot, around: &[(&str, Model, DVec3)]) -> WorkCell {
    let robot = Arc::new(robot);
    let shapes = robot.shapes(|file| Err::<Mesh, _>(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    for (name, model, place) in around {
        plan.add_obstacle(name, model, Pose::from_translation(*place)).unwrap();
    }
    let flange = robot.links().len() - 1;
    WorkCell::new(plan, robot, "", Pose::IDENTITY, flange)
}

/// The arm of the PUMA without the offset of its shoulder: its wrist can stand above its first axis, where that
/// axis decides nothing.
const NO_OFFSET: &str = "name = \"arm\"\nunit = \"mm\"\n[[joint]]\nalpha_deg = -90\n[[joint]]\na = 431.8\n\
    [[joint]]\nalpha_deg = 90\n[[joint]]\nalpha_deg = -90\nd = 433.07\n[[joint]]\nalpha_deg = 90\n[[joint]]\nd = 56.25\n";

#[test]
fn a_line_through_a_singularity_is_refused_with_its_line_and_reason() {
    let mut work = workplace(Robot::from_dh_str(NO_OFFSET).unwrap(), &[]);
    work.start = [0.0, -60.0, 120.0, 0.0, 60.0, 0.0].map(f64::to_radians).to_vec();
    let tried = |text: &str| {
        let programs = text.parse::<Programs>().unwrap();
        run(&work, &programs, &programs.list[0].name, &RunOptions { profile: 0, ..Default::default() })
            .unwrap()
    };
    // The tool points down; above the axis, the first joint would have to turn by half a turn at once.
    let past = "SET a = TRANS(250, 0, 350, 0, 180, 0)\nMOVE a\nMOVES SHIFT(a BY -500, 0, 0)";
    let done = tried(past);
    let error = done.outcome.unwrap_err();
    assert_eq!((error.place.line, done.failure), (3, Some(ExecutionError::Unreachable)), "{error}");
    assert!(error.to_string().contains("singularity"), "{error}");
    // Up to it, and beside it, the way is followed.
    for free in ["MOVES SHIFT(a BY -200, 0, 0)", "MOVES SHIFT(a BY 0, 300, 0)"] {
        let done = tried(&format!("SET a = TRANS(250, 0, 350, 0, 180, 0)\nMOVE a\n{free}"));
        assert!(done.outcome.is_ok(), "{free}: {:?}", done.outcome);
    }
}

/// A sample of `examples/long_program`: what is driven is free wherever it is looked at.
#[test]
fn many_motions_among_meshes_are_proven() {
    let sphere = Model::new(Mesh::sphere(0.16, 8).unwrap()).unwrap();
    let places = [0.0, 1.3, 2.6, 3.9, 5.2].map(|a: f64| DVec3::new(0.75 * a.cos(), 0.75 * a.sin(), 0.2));
    let around: Vec<(String, DVec3)> =
        places.iter().enumerate().map(|(k, &place)| (format!("sphere{k}"), place)).collect();
    let bodies: Vec<(&str, Model, DVec3)> =
        around.iter().map(|(name, place)| (name.as_str(), sphere.clone(), *place)).collect();
    let mut work = workplace(puma560(PumaSet::FuGonzalezLee), &bodies);
    for pair in [["link2", "link4"], ["link4", "link6"]] {
        work.plan.disable(pair[0], pair[1], "stand-ins meet there").unwrap();
    }
    let cell = work.cell(&[], None).unwrap();
    let (mut checker, mut seed) = (cell.checker(), 3u64);
    let mut share = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 * 2f64.powi(-53)
    };
    let mut spots: Vec<Vec<f64>> = Vec::new();
    while spots.len() < 12 {
        let ranges = work.robot.variables().iter().map(|variable| variable.limits.range.unwrap());
        let values: Vec<f64> = ranges.map(|[low, high]| low + (high - low) * share()).collect();
        let joined =
            spots.last().is_none_or(|last| checker.check_motion(last, &values) == Ok(MotionStatus::Free));
        if checker.check_state(&values) == Ok(StateStatus::Free) && joined {
            spots.push(values);
        }
    }
    let mut text = String::new();
    for (k, values) in spots.iter().enumerate() {
        let degrees: Vec<String> = values.iter().map(|value| format!("{:.12}", value.to_degrees())).collect();
        writeln!(text, "SET #p{k} = #PPOINT({})", degrees.join(", ")).unwrap();
    }
    // Forth and back along the same ways.
    text += "FOR round = 1 TO 10\n";
    (1..12).chain((0..11).rev()).for_each(|k| writeln!(text, "MOVE #p{k}").unwrap());
    text += "END\n";
    work.start = spots[0].clone();
    let programs = text.parse::<Programs>().unwrap();
    let options = RunOptions { profile: 0, ..Default::default() };
    let done = run(&work, &programs, &programs.list[0].name, &options).unwrap();
    assert!(done.outcome.is_ok() && done.contacts.is_empty(), "{:?}", done.outcome);
    assert_eq!(done.driven.len(), 220);
    for driven in &done.driven {
        assert_eq!((driven.free_until, driven.until), (1.0, 1.0));
        let values = driven.values(share());
        assert_eq!(checker.check_state(&values), Ok(StateStatus::Free), "line {}", driven.place.line);
    }
}
