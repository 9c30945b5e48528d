//! Rows of Denavit and Hartenberg that are derived from axes: the kinematics stay the same.

use glam::{DQuat, DVec3};
use noli_geom::Pose;
use noli_robot::{ChainError, DhTable, Joint, JointKind, Limits, Link, Parts, PumaSet, Robot};

/// Numbers between -1 and 1 that are always the same.
fn some(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn chain(poses: &[(Pose, DVec3, JointKind)]) -> Robot {
    let mut parts = Parts { name: "chain".into(), links: vec![Link::named("l0")], joints: vec![] };
    for (k, (place, axis, kind)) in poses.iter().enumerate() {
        let mut joint = Joint::new(format!("j{k}"), *kind, format!("l{k}"), format!("l{}", k + 1));
        (joint.parent_from_joint, joint.axis) = (*place, *axis);
        joint.limits = Limits { range: Some([-3.0, 3.0]), ..Limits::default() };
        parts.joints.push(joint);
        parts.links.push(Link::named(format!("l{}", k + 1)));
    }
    Robot::new(parts).unwrap()
}

/// The table, made a robot again, stands where the robot stands, whatever its values.
fn agrees(robot: &Robot, tip: usize, state: &mut u64) {
    let derived = DhTable::derived(robot, tip).unwrap();
    let again = derived.table.robot().unwrap();
    let tool = again.link("tool").unwrap();
    for _ in 0..20 {
        let values: Vec<f64> = robot.variables().iter().map(|_| 3.0 * some(state)).collect();
        let named: Vec<f64> = again
            .variables()
            .iter()
            .map(|variable| values[robot.variable(&variable.name).unwrap()])
            .collect();
        let mut poses =
            [vec![Pose::IDENTITY; robot.links().len()], vec![Pose::IDENTITY; again.links().len()]];
        robot.link_poses(&values, &mut poses[0]);
        again.link_poses(&named, &mut poses[1]);
        let (here, there) = (poses[0][tip], derived.root_from_base * poses[1][tool]);
        let size = 1.0 + here.translation.length();
        assert!(here.translation.distance(there.translation) < 1e-9 * size, "{here:?} {there:?}");
        let turned = here.rotation.normalize().dot(there.rotation.normalize()).abs();
        assert!(turned > 1.0 - 1e-12, "{turned}");
    }
}

#[test]
fn tables_of_any_chain_give_the_same_kinematics() {
    let state = &mut 3;
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(0.3, -0.4, 0.9)];
    for case in 0..60 {
        let count = 1 + case % 7;
        let poses: Vec<_> = (0..count)
            .map(|_| {
                // Every other chain has right angles and parallel axes alone, as most robots.
                let mut some = || if case % 2 == 0 { some(state) } else { some(state).round() };
                let turn = if case % 2 == 0 {
                    DQuat::from_xyzw(some(), some(), some(), 0.3 + some().abs()).normalize()
                } else {
                    DQuat::from_rotation_x(some() * std::f64::consts::FRAC_PI_2)
                };
                let place = Pose::new(turn, DVec3::new(some(), some(), some()));
                let axis = axes[(4.9 * some().abs()) as usize];
                let kind = if some() > 0.6 { JointKind::Prismatic } else { JointKind::Revolute };
                (place, axis, kind)
            })
            .collect();
        let robot = chain(&poses);
        agrees(&robot, count, state);
    }
}

#[test]
fn the_lengths_of_the_puma_come_back() {
    let set = PumaSet::CorkeArmstrong;
    let (given, robot) = (set.table(), set.table().robot().unwrap());
    let tip = robot.links().len() - 1;
    let derived = DhTable::derived(&robot, tip).unwrap();
    assert_eq!(derived.table.rows.len(), 6);
    for (row, known) in derived.table.rows.iter().zip(&given.rows).take(5) {
        assert!((row.a.abs() - known.a.abs()).abs() < 1e-12, "{} {}", row.a, known.a);
        assert!((row.alpha.abs() - known.alpha.abs()).abs() < 1e-12, "{} {}", row.alpha, known.alpha);
    }
    agrees(&robot, tip, &mut 8);
}

#[test]
fn what_has_no_rows_says_why() {
    let robot = chain(&[(Pose::IDENTITY, DVec3::Z, JointKind::Fixed)]);
    assert_eq!(DhTable::derived(&robot, 1), Err(ChainError::Still("l1".into())));
}
