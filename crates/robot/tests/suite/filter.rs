//! Answers of a cell against the exact engine, pair by pair: robots of ordinary size, of sizes that single
//! precision does not hold, far from the world's origin, and with values far beyond their limits.

use crate::support::Configurations;
use crate::support::Random;
use glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Mesh, Model, Overlap, Pose};
use noli_robot::cell::{Cell, CellBuilder, CollidingPair, MotionStatus, PairRule, StateStatus};
use noli_robot::{LinkGeometry, Robot};
use std::sync::Arc;

const UP: f64 = f64::from_bits((1023 + 60) << 52);
const DOWN: f64 = f64::from_bits((1023 - 60) << 52);

/// A gantry with an arm; numbers in braces are lengths, times a factor.
fn robot(scale: f64) -> Arc<Robot> {
    let text = r#"<robot name="gantry">
<link name="rail"><collision><geometry><box size="{2} {0.1} {0.1}"/></geometry></collision></link>
<link name="cart"><collision><geometry><box size="{0.2} {0.2} {0.2}"/></geometry></collision></link>
<link name="arm"><collision><origin xyz="0 0 {-0.25}"/><geometry><box size="{0.1} {0.12} {0.5}"/></geometry>
</collision></link>
<link name="hand"><collision><geometry><sphere radius="{0.07}"/></geometry></collision>
<collision><origin xyz="{0.1} 0 0"/><geometry><cylinder radius="{0.03}" length="{0.2}"/></geometry></collision>
</link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>
<origin xyz="0 {0.1} {-0.3}" rpy="0.2 0 1"/><axis xyz="1 0.3 0"/>
<limit lower="{-1}" upper="{1}" velocity="1" effort="1"/></joint>
<joint name="spin" type="continuous"><parent link="cart"/><child link="arm"/>
<origin xyz="0 0 {-0.3}" rpy="0 0.4 0"/><axis xyz="0.1 -0.2 1"/></joint>
<joint name="tilt" type="revolute"><parent link="arm"/><child link="hand"/>
<origin xyz="{0.1} {0.1} {-0.45}"/><axis xyz="0 -1 0"/>
<limit lower="-2" upper="5" velocity="1" effort="1"/></joint></robot>"#;
    let mut scaled = String::new();
    for part in text.split('{') {
        match part.split_once('}') {
            Some((length, rest)) => {
                scaled += &format!("{:e}{rest}", scale * length.parse::<f64>().unwrap());
            }
            None => scaled += part,
        }
    }
    Arc::new(Robot::from_urdf_str(&scaled).unwrap())
}

/// The robot among obstacles, with margins; the arm is a mesh.
fn cell(robot: &Arc<Robot>, scale: f64, shift: DVec3) -> Cell {
    let mut shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let arm = robot.link("arm").unwrap();
    for shape in shapes.iter_mut().filter(|shape| shape.link == arm) {
        shape.solid = LinkGeometry::Mesh(Mesh::cuboid(scale * dvec3(0.1, 0.12, 0.5)).unwrap().into_solid());
    }
    let root = Pose::new(DQuat::from_rotation_z(0.3), shift);
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), root, &shapes).unwrap();
    let obstacles = [
        Model::new(Convex::sphere(0.2 * scale).unwrap()).unwrap(),
        Model::new(Convex::cuboid(scale * dvec3(0.5, 0.3, 0.05)).unwrap()).unwrap(),
        Model::new(Mesh::torus(0.3 * scale, 0.08 * scale, 16, 8).unwrap().into_solid()).unwrap(),
        Model::new(Convex::cylinder(0.5 * scale, 0.1 * scale).unwrap()).unwrap(),
        Model::new(Mesh::cuboid(scale * dvec3(0.2, 0.4, 0.3)).unwrap()).unwrap(),
    ];
    let mut random = Random::new(3);
    for (k, obstacle) in obstacles.iter().enumerate() {
        let mut number = || random.between(-1.0, 1.0);
        let turn = DQuat::from_xyzw(number(), number(), number(), number()).normalize();
        let at = shift + scale * dvec3(number(), 0.6 * number(), 0.5 * number() - 0.8);
        plan.add_obstacle(&format!("obstacle{k}"), obstacle, Pose::new(turn, at)).unwrap();
    }
    plan.margin("hand", "obstacle1", 0.03 * scale).unwrap();
    plan.margin("rail", "obstacle3", 0.0).unwrap();
    plan.build()
}

/// The verdict of the exact engine on every pair of parts that is tested.
fn exact(cell: &Cell, values: &[f64]) -> Vec<usize> {
    let poses = cell.shape_poses(values).unwrap();
    let shapes: &[(usize, &Model)] = &cell.shapes().collect::<Vec<_>>();
    let at = |k: usize| shapes[k].1.at(poses[k]);
    let collides = |a: usize, b: usize, margin: f64| {
        let (a, b) = (at(a), at(b));
        let mut scratch = noli::Scratch::default();
        let mut context = noli::QueryContext::new(&mut scratch);
        let found =
            if margin > 0.0 { context.within_distance(&a, &b, margin) } else { context.overlap(&a, &b) };
        found == Overlap::Hit
    };
    let mut found = Vec::new();
    for (number, pair) in cell.pairs().iter().enumerate() {
        let PairRule::Checked { margin } = pair.rule else { continue };
        let part = |k: usize| (0..shapes.len()).filter(move |&body| shapes[body].0 == pair.parts[k]);
        if part(0).any(|a| part(1).any(|b| collides(a, b, margin))) {
            found.push(number);
        }
    }
    found
}

/// Every answer about configurations is that of the exact engine, with the filter's tables too; returns how many
/// are collision-free.
fn compare(cell: &Cell, states: &[Vec<f64>], tables: bool) -> usize {
    let mut checker = cell.checker();
    let wanted: Vec<Vec<usize>> = states.iter().map(|values| exact(cell, values)).collect();
    let mut hits: Vec<CollidingPair> = Vec::new();
    for (values, wanted) in states.iter().zip(&wanted) {
        checker.colliding_pairs(values, &mut hits).unwrap();
        assert!(hits.iter().all(|hit| hit.proven));
        assert_eq!(hits.iter().map(|hit| hit.pair).collect::<Vec<_>>(), *wanted, "{values:?}");
        match checker.check_state(values).unwrap() {
            StateStatus::Free => assert!(wanted.is_empty(), "{values:?}"),
            StateStatus::Hit(pair) => assert!(wanted.contains(&pair), "{values:?}"),
            StateStatus::Unknown(_) => panic!("there is no field"),
        }
        assert_eq!(checker.any_in_collision(values).unwrap().is_none(), wanted.is_empty());
    }
    let flat = states.concat();
    for prepared in [false, tables] {
        if prepared {
            cell.prepare();
        }
        let statuses = cell.check_states(&flat).unwrap();
        for (status, wanted) in statuses.iter().zip(&wanted) {
            match status {
                StateStatus::Free => assert!(wanted.is_empty()),
                StateStatus::Hit(pair) => assert!(wanted.contains(pair)),
                StateStatus::Unknown(_) => panic!("there is no field"),
            }
        }
    }
    let any = checker.any_in_collision(&flat).unwrap();
    assert!(any.map_or(wanted.iter().all(Vec::is_empty), |state| !wanted[state].is_empty()));
    wanted.iter().filter(|wanted| wanted.is_empty()).count()
}

#[test]
fn configurations_are_as_the_exact_engine_has_them() {
    for scale in [1.0, UP, DOWN] {
        let robot = robot(scale);
        for far in [0.0, 1e4, 1e9, 1e13] {
            let cell = cell(&robot, scale, scale * dvec3(far, -0.4 * far, 0.1 * far));
            let mut random = Random::new(9);
            let states: Vec<Vec<f64>> = (0..100).map(|_| random.configuration(&robot)).collect();
            let free = compare(&cell, &states, far == 0.0);
            assert!(far > 1e9 || (free > 5 && free < 95), "both kinds occur: {free}");
        }
    }
}

/// Slides far beyond their limits are out of the filter's range, and the answers the same.
#[test]
fn values_out_of_range_are_as_the_exact_engine_has_them() {
    for scale in [1.0, UP] {
        let robot = robot(scale);
        let cell = cell(&robot, scale, DVec3::ZERO);
        let (mut random, mut states) = (Random::new(4), Vec::new());
        for k in 0..60 {
            let mut values = random.configuration(&robot);
            if k % 3 != 0 {
                values[0] *= [5.0, 1e3, 1e12, 1e30][k / 3 % 4];
            }
            states.push(values);
        }
        compare(&cell, &states, false);
        let mut checker = cell.checker();
        // Out and back within the range: proven, or with a configuration that collides.
        let near = |values: &Vec<f64>| values[0].abs() < 20.0 * scale;
        for ends in states.windows(2).filter(|ends| ends.iter().all(near)).take(20) {
            match checker.check_motion(&ends[0], &ends[1]).unwrap() {
                MotionStatus::Blocked { at, .. } => {
                    let middle: Vec<f64> =
                        ends[0].iter().zip(&ends[1]).map(|(a, b)| a + (b - a) * at).collect();
                    assert!(!exact(&cell, &middle).is_empty(), "{ends:?} at {at}");
                }
                MotionStatus::Free => {
                    assert!(ends.iter().all(|values| exact(&cell, values).is_empty()));
                }
                MotionStatus::Close { .. } => {}
            }
        }
    }
}

/// Motions that are proven collision-free are so at every sample; blocked ones collide where they say.
#[test]
fn motions_are_as_the_exact_engine_has_them() {
    for (scale, far) in [(1.0, 0.0), (1.0, 1e5), (UP, 0.0), (DOWN, 0.0), (DOWN, 1e5)] {
        let robot = robot(scale);
        let cell = cell(&robot, scale, scale * dvec3(far, far, 0.0));
        let (mut random, mut checker, mut kinds) = (Random::new(6), cell.checker(), [0; 2]);
        for _ in 0..60 {
            let (from, target) = (random.configuration(&robot), random.configuration(&robot));
            let to: Vec<f64> = from.iter().zip(&target).map(|(a, b)| a + 0.2 * (b - a)).collect();
            let at =
                |share: f64| -> Vec<f64> { from.iter().zip(&to).map(|(a, b)| a + (b - a) * share).collect() };
            let impact = checker.first_contact_on_edge(&from, &to).unwrap();
            match checker.check_motion(&from, &to).unwrap() {
                MotionStatus::Free => {
                    kinds[0] += 1;
                    assert!(!impact.is_hit());
                    assert!((0..=10).all(|k| exact(&cell, &at(f64::from(k) / 10.0)).is_empty()));
                }
                MotionStatus::Blocked { at: share, pair } => {
                    kinds[1] += 1;
                    assert!(impact.is_hit() && impact.safe_until() <= share);
                    assert!(exact(&cell, &at(share)).contains(&pair));
                }
                MotionStatus::Close { .. } => {}
            }
        }
        assert!(kinds[0] > 5 && kinds[1] > 5, "both kinds occur: {kinds:?}");
    }
}

/// A robot without variables, and a pair of fixed parts that is tested all the same.
#[test]
fn fixed_parts_that_are_tested_are_as_the_exact_engine_has_them() {
    let text = r#"<robot name="post"><link name="foot"><collision><geometry><box size="0.4 0.4 1"/></geometry>
</collision></link><link name="top"/><joint name="j" type="fixed"><parent link="foot"/><child link="top"/></joint>
</robot>"#;
    let robot = Arc::new(Robot::from_urdf_str(text).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let wall = Model::new(Convex::cuboid(dvec3(0.2, 2.0, 2.0)).unwrap()).unwrap();
    for (distance, collides) in [(0.29, true), (0.31, false), (5.0, false)] {
        let mut plan = CellBuilder::default();
        plan.add_robot("", robot.clone(), Pose::from_translation(dvec3(3.0, 1.0, 0.0)), &shapes).unwrap();
        let turn = DQuat::from_rotation_z(std::f64::consts::PI);
        plan.add_obstacle("wall", &wall, Pose::new(turn, dvec3(3.0 + distance, 1.0, 0.0))).unwrap();
        plan.margin("foot", "wall", 0.0).unwrap();
        let cell = plan.build();
        let status = cell.checker().check_state(&[]).unwrap();
        assert_eq!(status != StateStatus::Free, collides, "{distance}");
        let mut hits = Vec::new();
        cell.checker().colliding_pairs(&[], &mut hits).unwrap();
        assert_eq!(hits.len(), usize::from(collides));
    }
}

/// One obstacle of a size that single precision does not hold leaves the others to the filter.
#[test]
fn an_obstacle_out_of_range_is_as_the_exact_engine_has_it() {
    let robot = robot(1.0);
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    let ground = Model::new(Convex::cuboid(dvec3(1e10, 1e10, 1e10)).unwrap()).unwrap();
    plan.add_obstacle("ground", &ground, Pose::from_translation(dvec3(0.0, 0.0, -0.5e10 - 1.125))).unwrap();
    let sphere = Model::new(Convex::sphere(0.2).unwrap()).unwrap();
    plan.add_obstacle("sphere", &sphere, Pose::from_translation(dvec3(0.3, 0.3, -0.8))).unwrap();
    plan.add_obstacle("far", &sphere, Pose::from_translation(dvec3(1e40, 0.0, 0.0))).unwrap();
    let cell = plan.build();
    let mut random = Random::new(2);
    let states: Vec<Vec<f64>> = (0..100).map(|_| random.configuration(&robot)).collect();
    let free = compare(&cell, &states, false);
    assert!(free > 0 && free < 100, "both kinds occur: {free}");
}
