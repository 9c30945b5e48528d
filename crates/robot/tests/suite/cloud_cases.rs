//! Point clouds that VAMP's tree of points (CAPT, 0.6.4) is reported to miss, rebuilt; `peers/vamp/capt.cpp` has them too.

use crate::support::Random;
use glam::{DVec3, dvec3};
use noli::{Model, PointCloud, Pose};
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, StateStatus};
use std::sync::Arc;

/// A link on three slides.
fn sliding(collision: &str) -> Arc<Robot> {
    let slide = |name: &str, ends: [&str; 2], axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{}\"/><child link=\"{}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-9\" upper=\"9\" effort=\"1\" velocity=\"1\"/></joint>",
            ends[0], ends[1]
        )
    };
    let joints = slide("x", ["base", "a"], "1 0 0") + &slide("y", ["a", "b"], "0 1 0");
    let joints = joints + &slide("z", ["b", "tip"], "0 0 1");
    let text = format!(
        "<robot name=\"r\"><link name=\"base\"/><link name=\"a\"/><link name=\"b\"/><link name=\"tip\">{collision}</link>\
         {joints}</robot>"
    );
    Arc::new(Robot::from_urdf_str(&text).unwrap())
}

fn among(robot: &Arc<Robot>, points: &[DVec3], radius: f64) -> Cell {
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    let cloud = Model::new(PointCloud::new(points.to_vec(), radius).unwrap()).unwrap();
    plan.add_obstacle("cloud", &cloud, Pose::IDENTITY).unwrap();
    plan.build()
}

fn collides(cell: &Cell, at: DVec3) -> bool {
    matches!(cell.checker().check_state(&at.to_array()).unwrap(), StateStatus::Hit(_))
}

/// How far a sphere with this reach is in the nearest point.
fn depth(points: &[DVec3], center: DVec3, reach: f64) -> f64 {
    points.iter().map(|point| reach - point.distance(center)).fold(f64::NEG_INFINITY, f64::max)
}

const SPHERE: &str = "<collision><geometry><sphere radius=\"0.3\"/></geometry></collision>";

/// Pull request 122: for the upper half of a split, points of the lower half near it are lost.
#[test]
fn points_across_a_split_are_found() {
    let points = [[0.0, 0.0], [0.9, 0.0], [1.1, 1.0], [2.0, 1.0]].map(|[x, y]| dvec3(x, y, 0.0));
    let cell = among(&sliding(SPHERE), &points, 0.01);
    for step in 0..=400 {
        let center = dvec3(-0.5 + 0.0073 * f64::from(step), 0.0, 0.0);
        assert_eq!(collides(&cell, center), depth(&points, center, 0.31) >= 0.0, "{center}");
    }
    let edge = |from: f64, to: f64| cell.checker().check_motion(&[from, 0.0, 0.0], &[to, 0.0, 0.0]).unwrap();
    assert!(matches!(edge(1.15, 1.05), MotionStatus::Blocked { .. }));
    assert_eq!(edge(1.22, 1.6), MotionStatus::Free);
}

/// The same with clouds and spheres at random, on a grid too, where coordinates are equal.
#[test]
fn spheres_among_random_points_are_found() {
    let mut random = Random::new(122);
    let (mut hits, mut count) = (0, 0);
    for size in [1, 2, 3, 4, 5, 8, 16, 17, 64, 257, 1000] {
        for is_grid in [false, true] {
            let round = |x: f64| if is_grid { (8.0 * x).round() / 8.0 } else { x };
            let mut any = || dvec3(2.0 * random.real(), 2.0 * random.real(), 2.0 * random.real());
            let points: Vec<DVec3> = (0..size).map(|_| any().map(round)).collect();
            let cell = among(&sliding(SPHERE), &points, 0.01);
            let mut checker = cell.checker();
            for _ in 0..100 {
                let center = any();
                let found = matches!(checker.check_state(&center.to_array()).unwrap(), StateStatus::Hit(_));
                assert_eq!(found, depth(&points, center, 0.31) >= 0.0, "{size} points, {center}");
                (hits, count) = (hits + usize::from(found), count + 1);
            }
        }
    }
    assert!(hits > count / 20 && hits < count, "{hits} of {count}");
}

/// Issue 80: an arm through a table that a camera sees as a grid of points.
#[test]
fn a_forearm_in_a_table_of_points_is_found() {
    let arm = "<collision><origin rpy=\"0 1.2 0.3\"/><geometry><cylinder radius=\"0.05\" length=\"0.4\"/></geometry></collision>";
    let robot = sliding(arm);
    for spacing in [0.01, 0.03] {
        let row = |count: f64| (0..(count / spacing) as usize).map(move |k| spacing * k as f64);
        let points: Vec<DVec3> =
            row(0.8).flat_map(|x| row(1.2).map(move |y| dvec3(0.4 + x, y - 0.5, 0.7))).collect();
        let cell = among(&robot, &points, 0.0025);
        // Half of its height: that of the axis and of the disc at its end.
        let half = 0.2 * 1.2f64.cos() + 0.05 * 1.2f64.sin();
        for step in 0..60 {
            let center = dvec3(0.8, 0.1, 0.4 + 0.01 * f64::from(step));
            let away = (center.z - 0.7).abs() - half;
            if away < -spacing || away > 0.0025 {
                assert_eq!(collides(&cell, center), away < 0.0, "{spacing}, {center}");
            }
        }
    }
}
