//! Robots among point clouds: the answers of all points one by one, on the true shapes.

use crate::support::{Configurations, Random};
use glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Mesh, Model, Overlap, PointCloud, Pose, within_distance};
use noli_robot::cell::{Cell, CellBuilder, CollidingPair, MotionStatus, PartKind, StateStatus};
use noli_robot::{LinkGeometry, PumaSet, Robot, puma560};
use std::sync::Arc;

/// The bundled arm with one of its links as a mesh, among points with one radius.
fn cell(robot: &Arc<Robot>, cloud: &Model, place: Pose, padding: f64) -> Cell {
    let mut shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    if let Some(shape) = shapes.iter_mut().find(|shape| matches!(shape.solid, LinkGeometry::Convex(_))) {
        shape.solid = LinkGeometry::Mesh(Mesh::torus(0.1, 0.04, 24, 12).unwrap().into_solid());
    }
    let mut plan = CellBuilder::default();
    let root = Pose::new(DQuat::from_rotation_z(0.4), dvec3(0.2, -0.1, 0.3));
    plan.add_robot("", robot.clone(), root, &shapes).unwrap();
    // The primitives of this arm intersect at the wrist; only the cloud is of interest.
    let links: Vec<String> = plan.part_names().map(str::to_owned).collect();
    for (k, a) in links.iter().enumerate() {
        links[..k].iter().for_each(|b| plan.disable(a, b, "not of interest").unwrap());
    }
    plan.add_obstacle("cloud", cloud, place).unwrap();
    plan.set_padding("cloud", padding).unwrap();
    plan.build()
}

/// Points within reach, most of them on walls.
fn points(random: &mut Random, count: usize) -> Vec<DVec3> {
    (0..count)
        .map(|k| {
            let any = 0.8 * dvec3(random.real(), random.real(), random.real());
            match k % 4 {
                0 => any.with_x(0.45),
                1 => any.with_z(-0.3),
                2 => any.with_y(0.4),
                _ => any,
            }
        })
        .collect()
}

/// The links that a point's sphere is within a distance of, by testing every point alone.
fn naive(cell: &Cell, cloud: &PointCloud, place: Pose, values: &[f64], margin: f64) -> Vec<usize> {
    let poses = cell.shape_poses(values).unwrap();
    let sphere = |(number, point): (usize, &DVec3)| {
        Model::from(Convex::hull([*point]).unwrap().rounded(cloud.radius_of(number)).unwrap())
    };
    let spheres: Vec<Model> = cloud.points().iter().enumerate().map(sphere).collect();
    let mut parts = Vec::new();
    for ((part, model), pose) in cell.shapes().zip(poses) {
        if cell.parts()[part].holder == PartKind::World {
            continue;
        }
        let link = model.at(pose);
        let near = |sphere: &Model| within_distance(&sphere.at(place), &link, margin) == Overlap::Hit;
        if !parts.contains(&part) && spheres.iter().any(near) {
            parts.push(part);
        }
    }
    parts.sort_unstable();
    parts
}

#[test]
fn states_are_those_of_all_points() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(39);
    let (mut hits, mut free) = (0, 0);
    // Radii differ in the last ones.
    let plain = [(1, 0.1, 0.0), (60, 0.02, 0.0), (400, 0.01, 0.0), (60, 0.0, 0.03)];
    let cases = plain.map(|case| (case, 1)).into_iter().chain([((60, 0.04, 0.0), 4), ((400, 0.03, 0.01), 3)]);
    for ((count, radius, padding), classes) in cases {
        let cloud = PointCloud::new(points(&mut random, count), radius).unwrap();
        let radii = (0..count).map(|k| radius * ((k / 4 % classes + 1) as f64 / classes as f64)).collect();
        let cloud = cloud.with_radii(radii).unwrap();
        let place = Pose::new(DQuat::from_rotation_x(0.3), dvec3(0.1, 0.2, 0.4));
        let cell = cell(&robot, &Model::new(cloud.clone()).unwrap(), place, padding);
        // Prepared cells compare points with faces before the exact engine.
        if count != 60 {
            cell.prepare();
        }
        let mut checker = cell.checker();
        let mut found: Vec<CollidingPair> = Vec::new();
        for _ in 0..60 {
            let values = random.configuration(&robot);
            let wanted = naive(&cell, &cloud, place, &values, padding);
            checker.colliding_pairs(&values, &mut found).unwrap();
            let with_cloud = |hit: &&CollidingPair| cell.pair_names(hit.pair)[1] == "cloud";
            assert!(found.iter().all(|hit| hit.proven));
            let of_link = |hit: &CollidingPair| cell.pairs()[hit.pair].parts[0];
            let mut links: Vec<usize> = found.iter().filter(with_cloud).map(of_link).collect();
            links.sort_unstable();
            // A link that does not move by itself has no rule against what stands still.
            let asked = |part: &usize| {
                cell.pairs().iter().any(|pair| {
                    pair.parts[0] == *part
                        && cell.parts()[pair.parts[1]].name == "cloud"
                        && matches!(pair.rule, noli_robot::cell::PairRule::Checked { .. })
                })
            };
            let wanted: Vec<usize> = wanted.into_iter().filter(asked).collect();
            assert_eq!(links, wanted, "{count} points, {values:?}");
            let is_hit = matches!(checker.check_state(&values).unwrap(), StateStatus::Hit(_));
            assert_eq!(is_hit, !found.is_empty());
            hits += usize::from(!wanted.is_empty());
            free += usize::from(wanted.is_empty());
        }
    }
    assert!(hits > 40 && free > 40, "{hits} hits, {free} free");
}

#[test]
fn motions_among_points_are_proven() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(40);
    let cloud = PointCloud::new(points(&mut random, 150), 0.015).unwrap();
    let cell = cell(&robot, &Model::new(cloud).unwrap(), Pose::from_translation(DVec3::Z * 0.5), 0.0);
    cell.prepare();
    let mut checker = cell.checker();
    let (mut free, mut blocked) = (0, 0);
    for _ in 0..120 {
        let from = random.configuration(&robot);
        let to: Vec<f64> = from.iter().map(|value| value + 0.4 * random.real()).collect();
        let at = |t: f64| -> Vec<f64> { from.iter().zip(&to).map(|(a, b)| a + (b - a) * t).collect() };
        match checker.check_motion(&from, &to).unwrap() {
            MotionStatus::Free => {
                free += 1;
                for k in 0..=40 {
                    let status = checker.check_state(&at(f64::from(k) / 40.0)).unwrap();
                    assert_eq!(status, StateStatus::Free, "{from:?} {to:?} {k}");
                }
            }
            MotionStatus::Blocked { at: t, .. } => {
                blocked += 1;
                assert!(matches!(checker.check_state(&at(t)).unwrap(), StateStatus::Hit(_)));
            }
            MotionStatus::Close { .. } => {}
        }
    }
    assert!(free > 10 && blocked > 10, "{free} free, {blocked} blocked");
}

#[test]
fn points_of_the_robot_are_those_in_its_shapes() {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let mut random = Random::new(41);
    let cell = cell(&robot, &Model::new(Convex::sphere(0.1).unwrap()).unwrap(), Pose::IDENTITY, 0.0);
    let mut marked = 0;
    for margin in [0.0, 0.02] {
        let values = random.configuration(&robot);
        let cloud = PointCloud::new(points(&mut random, 9000), 0.0).unwrap();
        let radii = (0..9000).map(|k| margin * f64::from(k / 4 % 3)).collect();
        let cloud = cloud.with_radii(radii).unwrap();
        let place = Pose::new(DQuat::from_rotation_y(0.2), dvec3(0.1, 0.0, 0.2));
        let model = Model::new(cloud.clone()).unwrap();
        let found = cell.robot_points(&values, &model, place, margin).unwrap();
        let poses = cell.shape_poses(&values).unwrap();
        for (number, (point, found)) in cloud.points().iter().zip(&found).enumerate() {
            let point = Convex::hull([*point]).unwrap().rounded(cloud.radius_of(number)).unwrap();
            let point = Model::from(point);
            let mut wanted = None;
            for ((part, link), pose) in cell.shapes().zip(&poses) {
                let is_robot = cell.parts()[part].holder != PartKind::World;
                let near = within_distance(&point.at(place), &link.at(*pose), margin) == Overlap::Hit;
                if is_robot && near && wanted.is_none() {
                    wanted = Some(part);
                }
            }
            assert_eq!(*found, wanted);
            marked += usize::from(wanted.is_some());
        }
    }
    assert!(marked > 20, "{marked}");
    assert!(cell.robot_points(&[0.0], &Model::new(Convex::POINT).unwrap(), Pose::IDENTITY, 0.0).is_err());
}
