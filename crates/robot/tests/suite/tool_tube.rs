//! Room for a deviation of the tool: proven motions against displaced tools.

use crate::curves::random_curve;
use crate::support::*;
use glam::{DQuat, DVec3, dvec3};
use noli::{Convex, Model, Overlap, overlap};
use noli_geom::Pose;
use noli_robot::cell::{Cell, CellBuilder, MotionStatus, PairRule};
use noli_robot::*;
use std::sync::Arc;

fn cell() -> (Cell, usize, Arc<Robot>) {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut builder = CellBuilder::default();
    let arm = builder.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    builder.disable("link2", "link4", "intersect in this model").unwrap();
    builder.disable("link4", "link6", "intersect in this model").unwrap();
    let bar = Model::new(Convex::cuboid(dvec3(0.02, 0.02, 0.15)).unwrap()).unwrap();
    builder.attach("link6", "bar", &bar, Pose::from_translation(dvec3(0.0, 0.0, 0.2)), &["link5"]).unwrap();
    for (k, at) in
        [dvec3(0.9, 0.2, 0.3), dvec3(-0.2, 0.9, 0.5), dvec3(0.3, -0.8, 0.9)].into_iter().enumerate()
    {
        let post = Model::new(Convex::cuboid(dvec3(0.1, 0.1, 0.1)).unwrap()).unwrap();
        builder.add_obstacle(&format!("post{k}"), &post, Pose::from_translation(at)).unwrap();
    }
    (builder.build(), arm, robot)
}

/// A rigid displacement that moves no point within 0.8 m of a centre farther than a deviation.
fn displacement(center: DVec3, deviation: f64, random: &mut Random) -> Pose {
    let share = random.unit();
    let turn = DQuat::from_axis_angle(random.vector().normalize_or(DVec3::Z), share * deviation / 0.8);
    let shift = random.vector().normalize_or(DVec3::X) * (1.0 - share) * deviation;
    Pose::new(turn, center - turn * center + shift)
}

/// Where the widened cell is free, no displaced tool collides with anything else, and the other parts do not either.
#[test]
fn a_tool_that_deviates_stays_free() {
    let (cell, arm, robot) = cell();
    let tip = robot.tip();
    let tool = cell.tool_parts([arm, tip]);
    let named: Vec<&str> = tool.iter().map(|&part| cell.parts()[part].name.as_str()).collect();
    assert!(named.contains(&"link6") && named.contains(&"bar") && !named.contains(&"link5"), "{named:?}");
    let mut random = Random::new(12);
    let (mut free, mut closer) = (0, 0);
    for round in 0..120 {
        let deviation = random.between(0.005, 0.15);
        let wide = cell.with_tool_deviation([arm, tip], deviation).unwrap();
        let curve = random_curve(&mut random, &robot, round, 0.15);
        if wide.checker().check_curve(&curve).unwrap() != MotionStatus::Free {
            closer += usize::from(cell.checker().check_curve(&curve).unwrap() == MotionStatus::Free);
            continue;
        }
        free += 1;
        assert_eq!(cell.checker().check_curve(&curve).unwrap(), MotionStatus::Free);
        for _ in 0..40 {
            let values = curve.position(curve.time_at(random.unit()));
            let mut poses = cell.shape_poses(&values).unwrap();
            let shapes = &cell.shapes().collect::<Vec<(usize, &Model)>>();
            let mut links = vec![Pose::IDENTITY; robot.links().len()];
            robot.link_poses(&values, &mut links);
            let moved = displacement(links[tip].translation, deviation, &mut random);
            // All of the tool moves as one.
            for (pose, _) in poses.iter_mut().zip(shapes).filter(|(_, (part, _))| tool.contains(part)) {
                *pose = moved * *pose;
            }
            for pair in cell.pairs().iter().filter(|pair| matches!(pair.rule, PairRule::Checked { .. })) {
                let of = |part: usize| (0..shapes.len()).filter(move |&k| shapes[k].0 == part);
                for (a, b) in of(pair.parts[0]).flat_map(|a| of(pair.parts[1]).map(move |b| (a, b))) {
                    let found = overlap(&shapes[a].1.at(poses[a]), &shapes[b].1.at(poses[b]));
                    assert_ne!(found, Overlap::Hit, "{:?} within {deviation}", pair.parts);
                }
            }
        }
    }
    assert!(free > 10 && closer > 3, "{free} free, {closer} only without deviation");
    assert!(cell.with_tool_deviation([arm, tip], f64::NAN).is_err());
}

/// A sliding tool 5 cm from a wall is proven within 4 cm, and not within 6 cm; a finger behind the tool belongs to it.
#[test]
fn the_room_is_the_distance() {
    let text = r#"<robot name="slider"><link name="base"/>
        <link name="tool"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
        <link name="plate"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
        <link name="finger"><collision><geometry><box size="0.02 0.02 0.02"/></geometry></collision></link>
        <joint name="x" type="prismatic"><parent link="base"/><child link="tool"/><axis xyz="1 0 0"/>
        <limit lower="-2" upper="2" velocity="1"/></joint>
        <joint name="f" type="fixed"><parent link="tool"/><child link="plate"/><origin xyz="0 0.2 0"/></joint>
        <joint name="y" type="prismatic"><parent link="plate"/><child link="finger"/><axis xyz="0 1 0"/>
        <origin xyz="0 0.07 0"/><limit lower="0" upper="0.1" velocity="1"/></joint></robot>"#;
    let robot = Arc::new(Robot::from_urdf_str(text).unwrap());
    let shapes = robot.shapes(|file| Err(file.to_owned())).unwrap();
    let mut builder = CellBuilder::default();
    let arm = builder.add_robot("", robot.clone(), Pose::IDENTITY, &shapes).unwrap();
    let wall = Model::new(Convex::cuboid(dvec3(0.2, 1.0, 1.0)).unwrap()).unwrap();
    builder.add_obstacle("wall", &wall, Pose::from_translation(dvec3(0.75, 0.0, 0.0))).unwrap();
    let cell = builder.build();
    let plate = robot.link("plate").unwrap();
    assert_eq!(cell.tool_parts([arm, plate]).len(), 3);
    let curve = JointCurve::linear(&[0.0, 1.0], &[&[0.0, 0.0], &[0.5, 0.0]]).unwrap();
    for (deviation, free) in [(0.0, true), (0.04, true), (0.0499, true), (0.0501, false), (0.2, false)] {
        let wide = cell.with_tool_deviation([arm, plate], deviation).unwrap();
        let found = wide.checker().check_curve(&curve).unwrap();
        assert_eq!(found == MotionStatus::Free, free, "{deviation}: {found:?}");
        // The finger is 1 cm from the plate: within the tool nothing changes.
        assert_eq!(wide.checker().check_tube(&curve, &[0.0, 1e-3]).unwrap() == MotionStatus::Free, free);
    }
}
