//! Inverse kinematics: closed forms against forward kinematics and against the printed formulas of the PUMA;
//! the search on any chain.

use crate::support::*;
use glam::{DQuat, DVec3};
use noli_geom::Pose;
use noli_robot::*;
use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

fn tip_pose(robot: &Robot, values: &[f64], tip: usize) -> Pose {
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    robot.link_poses(values, &mut poses);
    poses[tip]
}

fn separated(a: f64, b: f64) -> f64 {
    let d = (a - b).rem_euclid(TAU);
    d.min(TAU - d)
}

fn arms() -> Vec<(Robot, usize)> {
    let mut arms: Vec<(Robot, usize)> = PumaSet::ALL.map(|set| (puma560(set), 6)).into();
    if let Some((_, text)) = real_robots().into_iter().nth(2) {
        let robot = Robot::from_urdf_str(&text).unwrap();
        let tip = robot.link("link7").unwrap();
        arms.push((robot, tip));
    }
    // An arm without an offset at the shoulder, a tool, and a base that leans.
    let text = "[[joint]]\na = 0.15\nd = 0.4\nalpha_deg = -90\n[[joint]]\na = 0.6\n\
        [[joint]]\na = 0.1\nalpha_deg = -90\n\
        [[joint]]\nd = 0.7\nalpha_deg = 90\n[[joint]]\nalpha_deg = -90\n[[joint]]\nd = 0.1\n\
        [tool]\ntranslation = [0.1, 0.02, 0.2]\nrpy_deg = [10, 20, 30]\n";
    arms.push((Robot::from_dh_str(text).unwrap(), 7));
    arms
}

#[test]
fn every_branch_closes_on_random_poses() {
    let mut random = Random::new(31);
    for (robot, tip) in arms() {
        let arm =
            SphericalWrist::new(&robot, tip).unwrap_or_else(|error| panic!("{}: {error}", robot.name()));
        let rounds = 10_000 / 5;
        let (mut worst, mut fewer, mut seen) = (0.0f64, 0, BTreeSet::new());
        for _ in 0..rounds {
            let values: Vec<f64> = (0..6).map(|_| random.between(-PI, PI)).collect();
            let pose = tip_pose(&robot, &values, tip);
            let found = arm.solve_all(&robot, &pose, &values).unwrap();
            let names: BTreeSet<Branch> = found.iter().map(|solution| solution.branch).collect();
            for solution in &found {
                let residual = robot.residual(&arm.place(&values, solution), tip, &pose);
                worst = worst.max(residual.position).max(residual.angle);
            }
            let manipulability = robot.manipulability(&values, tip).unwrap();
            if manipulability.isotropy() < 1e-3 {
                continue;
            }
            // The configuration itself is among them, under its own name.
            let back = found.iter().find(|s| (0..6).all(|k| separated(s.joints[k], values[k]) < 1e-7));
            let back = back.unwrap_or_else(|| panic!("{}: {values:?} is not among {found:?}", robot.name()));
            assert_eq!(back.branch, arm.branch_of(&values), "{values:?}");
            assert_eq!(names.len(), found.len(), "{}: {found:?}", robot.name());
            seen.extend(names);
            fewer += usize::from(found.len() < 8);
        }
        eprintln!(
            "{}: worst residual {worst:.1e}, {fewer} of {rounds} poses have fewer than 8 ways",
            robot.name()
        );
        assert!(worst <= 1e-10, "{}: {worst:e}", robot.name());
        assert_eq!(seen.len(), 8, "{}", robot.name());
    }
}

/// The formulas as printed for the parameters of Fu, Gonzalez and Lee; an independent oracle for number and
/// name of the branches.
fn printed(pose: &Pose) -> Vec<([f64; 6], Branch)> {
    let (d2, a2, a3, d4, d6) = (0.14909, 0.4318, -0.02032, 0.43307, 0.05625);
    let r = pose.rotation_matrix();
    let w = pose.translation - r.z_axis * d6;
    let mut all = Vec::new();
    let planar = w.x * w.x + w.y * w.y - d2 * d2;
    if planar < 0.0 {
        return all;
    }
    for (x2, shoulder) in [(planar.sqrt(), Shoulder::Lefty), (-planar.sqrt(), Shoulder::Righty)] {
        let q1 = w.y.atan2(w.x) - d2.atan2(x2);
        let y2 = -w.z;
        let k = (x2 * x2 + y2 * y2 - a2 * a2 - a3 * a3 - d4 * d4) / (2.0 * a2);
        let h = a3.hypot(d4);
        if k.abs() > h {
            continue;
        }
        for sign in [1.0, -1.0] {
            let q3 = d4.atan2(a3) + sign * (k / h).acos();
            let (s3, c3) = q3.sin_cos();
            let (x3, y3) = (a3 * c3 + d4 * s3, a3 * s3 - d4 * c3);
            let q2 = y2.atan2(x2) - y3.atan2(a2 + x3);
            // ELBOW = ARM · sign(d4·cos q3 − a3·sin q3), ARM = +1 for a right arm.
            let arm = if shoulder == Shoulder::Righty { 1.0 } else { -1.0 };
            let elbow = if arm * (d4 * c3 - a3 * s3) >= 0.0 { Elbow::Above } else { Elbow::Below };
            let robot = puma560(PumaSet::FuGonzalezLee);
            let r03 = tip_pose(&robot, &[q1, q2, q3, 0.0, 0.0, 0.0], 3).rotation_matrix();
            let n = r03.transpose() * r;
            for (s5, wrist) in [(1.0, Wrist::NoFlip), (-1.0, Wrist::Flip)] {
                let q5 = s5 * n.z_axis.z.clamp(-1.0, 1.0).acos();
                let q4 = (s5 * n.z_axis.y).atan2(s5 * n.z_axis.x);
                let q6 = (s5 * n.y_axis.z).atan2(-s5 * n.x_axis.z);
                all.push(([q1, q2, q3, q4, q5, q6], Branch { shoulder, elbow, wrist }));
            }
        }
    }
    all
}

#[test]
fn branches_are_those_of_the_printed_formulas() {
    let robot = puma560(PumaSet::FuGonzalezLee);
    let arm = SphericalWrist::new(&robot, 6).unwrap();
    let mut random = Random::new(17);
    let (mut compared, mut all) = (0, 0);
    for _ in 0..3000 {
        let values: Vec<f64> = (0..6).map(|_| random.between(-PI, PI)).collect();
        if robot.manipulability(&values, 6).unwrap().isotropy() < 1e-3 {
            continue;
        }
        let pose = tip_pose(&robot, &values, 6);
        let ours = arm.solve_all(&robot, &pose, &values).unwrap();
        let theirs = printed(&pose);
        assert_eq!(ours.len(), theirs.len());
        for (joints, branch) in theirs {
            all += 1;
            let solution =
                ours.iter().find(|s| s.branch == branch).unwrap_or_else(|| panic!("{branch}: {ours:?}"));
            let close = (0..6).all(|k| separated(solution.joints[k], joints[k]) < 1e-6);
            compared += usize::from(close);
        }
    }
    assert_eq!(compared, all);
    assert!(all > 20_000);
}

#[test]
fn reasons_for_none() {
    let robot = puma560(PumaSet::FuGonzalezLee);
    let arm = SphericalWrist::new(&robot, 6).unwrap();
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let why = |pose: Pose| arm.solve(&robot, &pose, &[0.0; 6]).unwrap_err();
    let IkError::TooFar { by } = why(at(2.0, 0.0, 0.05625)) else { panic!("too far") };
    let reach = 0.4318 + 0.02032f64.hypot(0.43307);
    assert!((by - ((4.0 - 0.14909f64.powi(2)).sqrt() - reach)).abs() < 1e-9);
    assert!(matches!(why(at(0.1, 0.0, 0.2)), IkError::BesideAxis { by } if (by - 0.04909).abs() < 1e-9));
    let folded = why(at(0.14909, 0.0, 0.0566));
    assert!(matches!(folded, IkError::TooNear { .. }), "{folded}");
    assert_eq!(why(at(f64::NAN, 0.0, 0.0)), IkError::NotFinite);
    // The wrist bent by more than a hundred degrees either way is beyond every branch.
    let mut tight = PumaSet::FuGonzalezLee.table();
    tight.rows[4].limits.range = Some([-0.01, 0.01]);
    let tight = tight.robot().unwrap();
    let pose = tip_pose(&tight, &[0.3, -0.4, 0.8, 0.2, 0.9, 0.1], 6);
    let arm = SphericalWrist::new(&tight, 6).unwrap();
    let none = arm.solve(&tight, &pose, &[0.0; 6]).unwrap_err();
    assert!(matches!(&none, IkError::Limits { variable, count: 8, .. } if variable == "j5"), "{none}");
}

#[test]
fn a_wrist_in_line_keeps_its_fourth_joint() {
    for (robot, tip) in arms().into_iter().take(3) {
        let arm = SphericalWrist::new(&robot, tip).unwrap();
        let values = [0.3, -0.5, 0.9, 0.7, 0.0, -0.4];
        let pose = tip_pose(&robot, &values, tip);
        let near = [0.2, -0.4, 0.8, 0.65, 0.1, -0.3];
        let found = arm.solve_all(&robot, &pose, &near).unwrap();
        let nearest = &found[0];
        assert!(nearest.wrist_in_line);
        assert!((nearest.joints[3] - 0.65).abs() < 1e-6 && (nearest.joints[5] + 0.35).abs() < 1e-6);
        let residual = robot.residual(&arm.place(&near, nearest), tip, &pose);
        assert!(residual.position < 1e-10 && residual.angle < 1e-10);
    }
}

#[test]
fn whole_turns_are_chosen_within_limits_and_near() {
    let robot = puma560(PumaSet::FuGonzalezLee);
    let arm = SphericalWrist::new(&robot, 6).unwrap();
    let mut random = Random::new(3);
    for _ in 0..2000 {
        let values = random.configuration(&robot);
        let pose = tip_pose(&robot, &values, 6);
        let found = arm.solve(&robot, &pose, &values).unwrap();
        assert!((0..6).all(|k| (found[0].joints[k] - values[k]).abs() < 1e-6), "{values:?} {found:?}");
        for solution in found {
            robot.check_limits(&solution.joints).unwrap();
        }
    }
}

#[test]
fn chains_without_a_spherical_wrist_say_so() {
    let real = real_robots();
    let Some((_, panda)) = real.first() else { return };
    let panda = Robot::from_urdf_str(panda).unwrap();
    let hand = panda.link("panda_hand").unwrap();
    assert_eq!(
        SphericalWrist::new(&panda, hand).unwrap_err(),
        SphericalWristError::NotSixTurns { turns: 7, others: 0 }
    );
    let ur5 = Robot::from_urdf_str(&real[3].1).unwrap();
    let error = SphericalWrist::new(&ur5, ur5.link("tool0").unwrap()).unwrap_err();
    assert!(matches!(error, SphericalWristError::NoCenter { by } if by > 0.01), "{error}");
    assert_eq!(SphericalWrist::new(&panda, panda.root()).unwrap_err(), SphericalWristError::Immovable);
}

#[test]
fn the_search_reaches_what_can_be_reached() {
    let mut random = Random::new(44);
    let mut robots = vec![(puma560(PumaSet::Eaik), "link6")];
    for (number, tip) in [(0, "panda_hand"), (3, "tool0")] {
        robots.extend(real_robots().get(number).map(|(_, text)| (Robot::from_urdf_str(text).unwrap(), tip)));
    }
    for (robot, tip) in robots {
        let tip = robot.link(tip).unwrap();
        let (mut missed, mut starts) = (0, 0);
        let rounds = 400;
        for _ in 0..rounds {
            let (values, start) = (random.configuration(&robot), random.configuration(&robot));
            let pose = tip_pose(&robot, &values, tip);
            match solve_ik(&robot, tip, &pose, &start, &IkOptions::default()) {
                Ok(found) => {
                    robot.check_limits(&found.values).unwrap();
                    let residual = robot.residual(&found.values, tip, &pose);
                    assert!(residual.position < 1e-10 && residual.angle < 1e-10, "{residual:?}");
                    starts += found.starts;
                }
                Err(error) => {
                    eprintln!("{error}; mobility {:?}", robot.manipulability(&values, tip));
                    missed += 1;
                }
            }
        }
        eprintln!(
            "{}: {missed} of {rounds} missed, {:.2} starts each",
            robot.name(),
            starts as f64 / rounds as f64
        );
        assert_eq!(missed, 0, "{}", robot.name());
    }
}

#[test]
fn freedom_left_over_is_used() {
    let Some((_, text)) = real_robots().into_iter().next() else { return };
    let robot = Robot::from_urdf_str(&text).unwrap();
    let tip = robot.link("panda_hand").unwrap();
    let mut random = Random::new(5);
    let (mut helped, mut rounds) = (0, 0);
    let arm: Vec<usize> = (0..7).collect();
    let middle: Vec<f64> =
        robot.variables().iter().map(|v| v.limits.range.map_or(0.0, |[a, b]| 0.5 * (a + b))).collect();
    let far = |values: &[f64]| arm.iter().map(|&k| (values[k] - middle[k]).powi(2)).sum::<f64>();
    for _ in 0..50 {
        let values = random.configuration(&robot);
        let pose = tip_pose(&robot, &values, tip);
        let plain = solve_ik(&robot, tip, &pose, &values, &IkOptions::default()).unwrap();
        assert!((0..7).all(|k| (plain.values[k] - values[k]).abs() < 1e-6));
        let options = IkOptions { prefer: Redundancy::Middle, ..Default::default() };
        let centred = solve_ik(&robot, tip, &pose, &values, &options).unwrap();
        assert!(far(&centred.values) <= far(&values) * (1.0 + 1e-9));
        helped += usize::from(far(&centred.values) < 0.99 * far(&values));
        rounds += 1;
    }
    assert!(2 * helped > rounds, "{helped} of {rounds}");
}

#[test]
fn the_search_says_how_near_it_came() {
    let robot = puma560(PumaSet::FuGonzalezLee);
    let far = Pose::new(DQuat::IDENTITY, DVec3::new(3.0, 0.0, 0.0));
    let options = IkOptions { starts: 4, ..Default::default() };
    let none = solve_ik(&robot, 6, &far, &[0.0; 6], &options).unwrap_err();
    assert!(matches!(none, IkError::NotFound { starts: 4, position, .. } if position > 1.5), "{none}");
    assert!(matches!(solve_ik(&robot, 0, &far, &[0.0; 6], &options), Err(IkError::Immovable { .. })));
    assert_eq!(solve_ik(&robot, 6, &far, &[f64::NAN; 6], &options), Err(IkError::NotFinite));
}

#[test]
fn mobility_vanishes_where_a_direction_is_lost() {
    let robot = puma560(PumaSet::FuGonzalezLee);
    let fine = robot.manipulability(&[0.1, -0.5, 0.7, 0.3, 0.8, 0.2], 6).unwrap();
    assert!(fine.isotropy() > 0.01, "{fine:?}");
    let straight = robot.manipulability(&[0.1, -0.5, 0.7, 0.3, 0.0, 0.2], 6).unwrap();
    assert!(straight.isotropy() < 1e-7, "{straight:?}");
}
