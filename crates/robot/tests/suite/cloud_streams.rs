//! Obstacles replaced in a built cell: every frame is answered as by a cell built for it.

use crate::support::{Configurations, Random};
use glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Mesh, Model, PointCloud, Pose};
use noli_robot::cell::{Cell, CellBuilder, CellError, CollidingPair, MotionStatus, StateStatus};
use noli_robot::{LinkGeometry, PumaSet, Robot, puma560};
use std::sync::Arc;

fn cell(robot: &Arc<Robot>, seen: &Model, place: Pose) -> Cell {
    let mut shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    if let Some(shape) = shapes.iter_mut().find(|shape| matches!(shape.solid, LinkGeometry::Convex(_))) {
        shape.solid = LinkGeometry::Mesh(Mesh::torus(0.1, 0.04, 24, 12).unwrap().into_solid());
    }
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    let links: Vec<String> = plan.part_names().map(str::to_owned).collect();
    for (k, a) in links.iter().enumerate() {
        links[..k].iter().for_each(|b| plan.disable(a, b, "not of interest").unwrap());
    }
    let post = Model::new(Convex::cylinder(1.0, 0.05).unwrap()).unwrap();
    plan.add_obstacle("post", &post, Pose::from_translation(dvec3(-0.5, 0.4, 0.0))).unwrap();
    plan.add_obstacle("seen", seen, place).unwrap();
    plan.set_padding("seen", 0.01).unwrap();
    plan.build()
}

fn cloud(random: &mut Random, count: usize, radius: f64) -> Model {
    let any = |random: &mut Random| 0.7 * dvec3(random.real(), random.real(), random.real());
    let points = (0..count).map(|k| if k % 2 == 0 { any(random).with_x(0.45) } else { any(random) });
    Model::new(PointCloud::new(points.collect(), radius).unwrap()).unwrap()
}

fn place(random: &mut Random) -> Pose {
    let turn = DQuat::from_rotation_x(random.real()) * DQuat::from_rotation_z(random.real());
    Pose::new(turn, 0.2 * dvec3(random.real(), random.real(), random.real()))
}

/// Compares all that two cells answer on some configurations and motions; returns how many collide.
fn assert_same(a: &Cell, b: &Cell, robot: &Robot, random: &mut Random) -> usize {
    let (mut one, mut other) = (a.checker(), b.checker());
    let (mut found, mut wanted): (Vec<CollidingPair>, Vec<CollidingPair>) = Default::default();
    let mut hits = 0;
    for _ in 0..10 {
        let values = random.configuration(robot);
        one.colliding_pairs(&values, &mut found).unwrap();
        other.colliding_pairs(&values, &mut wanted).unwrap();
        assert_eq!(found, wanted, "{values:?}");
        let is_hit = matches!(one.check_state(&values).unwrap(), StateStatus::Hit(_));
        assert_eq!(is_hit, !wanted.is_empty());
        hits += usize::from(is_hit);
        assert_eq!(
            one.clearance(&values).unwrap().clearance.at_most,
            other.clearance(&values).unwrap().clearance.at_most
        );
    }
    for _ in 0..3 {
        let from = random.configuration(robot);
        let to: Vec<f64> = from.iter().map(|value| value + 0.2 * random.real()).collect();
        let [x, y] = [one.check_motion(&from, &to).unwrap(), other.check_motion(&from, &to).unwrap()];
        assert_eq!(x == MotionStatus::Free, y == MotionStatus::Free, "{x:?} {y:?}");
    }
    hits
}

#[test]
fn frames_of_clouds_are_answered_as_by_new_cells() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(3939);
    let mut streamed = cell(&robot, &cloud(&mut random, 0, 0.0), Pose::IDENTITY);
    streamed.prepare();
    let mut hits = 0;
    for frame in 0..40 {
        let count = [0, 1, 17, 300, 2500][frame % 5];
        let radius = [0.0, 0.01, 0.03][frame % 3];
        let (seen, at) = (cloud(&mut random, count, radius), place(&mut random));
        streamed.set_obstacle("seen", &seen, at).unwrap();
        let fresh = cell(&robot, &seen, at);
        hits += assert_same(&streamed, &fresh, &robot, &mut random);
    }
    assert!(hits > 60 && hits < 390, "{hits} of 400 collide");
}

#[test]
fn any_shape_may_replace_any_other() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(3940);
    let shapes: Vec<Model> = vec![
        Model::new(Convex::sphere(0.2).unwrap()).unwrap(),
        Model::new(Mesh::torus(0.4, 0.1, 24, 12).unwrap().into_solid()).unwrap(),
        cloud(&mut random, 400, 0.02),
        Model::new(Convex::cuboid(DVec3::splat(0.5)).unwrap()).unwrap(),
        cloud(&mut random, 3, 0.1),
        Model::new(Mesh::empty()).unwrap(),
    ];
    let mut streamed = cell(&robot, &shapes[1], Pose::from_translation(dvec3(0.1, 0.0, 0.0)));
    for (frame, shape) in shapes.iter().chain(shapes.iter().rev()).enumerate() {
        if frame % 3 == 0 {
            streamed.prepare();
        }
        let at = place(&mut random);
        streamed.set_obstacle("seen", shape, at).unwrap();
        assert_same(&streamed, &cell(&robot, shape, at), &robot, &mut random);
    }
}

#[test]
fn only_obstacles_are_replaced_and_poses_are_checked() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(3941);
    let mut built = cell(&robot, &cloud(&mut random, 5, 0.1), Pose::IDENTITY);
    let shape = cloud(&mut random, 5, 0.1);
    for name in ["link3", "sen"] {
        let error = built.set_obstacle(name, &shape, Pose::IDENTITY).unwrap_err();
        assert!(matches!(error, CellError::NoSuch { .. }), "{error}");
    }
    let nowhere = Pose::from_translation(DVec3::splat(f64::NAN));
    assert_eq!(built.set_obstacle("seen", &shape, nowhere), Err(CellError::Place("seen".to_owned())));
}
