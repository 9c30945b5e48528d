//! A sphere on three slides among points with a radius: every answer against all distances. The clouds are those that point
//! trees have missed points of: dense on both sides of a splitting plane, with spheres that reach across it by the radius
//! of the points (VAMP, pull request 122), and a table under a robot (issue 80 there).

use glam::{DVec3, dvec3};
use noli::{Model, PointCloud, Pose};
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder, StateStatus};
use noli_testing::Random;
use std::sync::Arc;

/// The radius of the robot.
const OWN: f64 = 0.08;

fn cell(cloud: &PointCloud) -> Cell {
    let slide = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            r#"<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>
            <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>"#
        )
    };
    let urdf = format!(
        r#"<robot name="sphere"><link name="base"/><link name="a"/><link name="b"/><link name="tip"><collision><geometry>
        <sphere radius="{OWN}"/></geometry></collision></link>{}{}{}</robot>"#,
        slide("x", "base", "a", "1 0 0"),
        slide("y", "a", "b", "0 1 0"),
        slide("z", "b", "tip", "0 0 1")
    );
    let robot = Arc::new(Robot::from_urdf_str(&urdf).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut plan = CellBuilder::default();
    plan.add_robot("", robot, Pose::IDENTITY, &shapes).unwrap();
    plan.add_obstacle("cloud", &Model::new(cloud.clone()).unwrap(), Pose::IDENTITY).unwrap();
    plan.build()
}

/// Compares places with the distances of all points; returns how many collide and how many do not.
fn compare(cloud: &PointCloud, places: &[DVec3]) -> [usize; 2] {
    let cell = cell(cloud);
    let states: Vec<f64> = places.iter().flat_map(|place| place.to_array()).collect();
    let mut counts = [0; 2];
    for (place, status) in places.iter().zip(cell.check_states(&states).unwrap()) {
        let nearest = cloud.points().iter().map(|point| point.distance(*place)).fold(f64::INFINITY, f64::min);
        let room = nearest - OWN - cloud.radius();
        // Too close for distances in double precision.
        if room.abs() < 1e-9 {
            continue;
        }
        assert_eq!(matches!(status, StateStatus::Hit(_)), room < 0.0, "{place} with {room}");
        counts[usize::from(room > 0.0)] += 1;
    }
    counts
}

#[test]
fn points_across_a_splitting_plane_are_not_missed() {
    let mut random = Random::new(122);
    for radius in [0.0, 0.005, 0.05] {
        // Dense slabs on both sides of x = 0, the medians of every split.
        let point = |random: &mut Random, k: usize| {
            let side = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
            let depth = random.real().abs().powi(4);
            dvec3(side * (0.02 + 0.5 * depth), 0.5 * random.real(), 0.5 * random.real())
        };
        let points: Vec<DVec3> = (0..600).map(|k| point(&mut random, k)).collect();
        let cloud = PointCloud::new(points.clone(), radius).unwrap();
        // Places whose distance from some point is that of contact, give or take a little.
        let places: Vec<DVec3> = (0..4000)
            .map(|k| {
                let away = dvec3(random.real(), 0.3 * random.real(), 0.3 * random.real()).normalize();
                points[k % points.len()] + away * (OWN + radius + 1e-3 * random.real())
            })
            .collect();
        let [hits, free] = compare(&cloud, &places);
        assert!(hits > 500 && hits + free > 3900, "{hits} hits, {free} free at {radius}");
    }
}

#[test]
fn a_table_of_points_is_never_passed() {
    let mut random = Random::new(80);
    for spacing in [0.02, 0.05] {
        let row = (0.8 / spacing) as usize;
        let at = |k: usize| spacing * k as f64 - 0.4;
        let points: Vec<DVec3> = (0..row * row).map(|k| dvec3(at(k / row), at(k % row), 0.7)).collect();
        let cloud = PointCloud::new(points, 0.5 * spacing).unwrap();
        let places: Vec<DVec3> = (0..4000)
            .map(|_| dvec3(0.5 * random.real(), 0.5 * random.real(), 0.7 + 0.15 * random.real()))
            .collect();
        let [hits, free] = compare(&cloud, &places);
        assert!(hits > 1000 && free > 300, "{hits} hits, {free} free");
    }
    assert_eq!(compare(&PointCloud::new(vec![DVec3::splat(0.1)], 0.1).unwrap(), &[DVec3::ZERO]), [1, 0]);
}
