//! A robot among obstacles: configurations, a motion proven between its ends, and a proof over all configurations.

use glam::DVec3;
use noli::{Convex, Mesh, Model, Pose};
use noli_robot::cell::{CellBuilder, MotionStatus, ProofOptions, StateStatus};
use noli_robot::{PumaSet, puma560};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned()))?;
    let mut builder = CellBuilder::default();
    builder.add_robot("", robot, Pose::IDENTITY, &shapes)?;
    // The primitives of these links overlap at elbow and wrist in every configuration.
    for [a, b] in [["link1", "link2"], ["link2", "link3"], ["link2", "link4"], ["link3", "link4"], ["link4", "link6"]] {
        builder.disable(a, b, "overlap by design")?;
    }
    let post = Model::new(Convex::sphere(0.1)?)?;
    builder.add_obstacle("column", &post, Pose::from_translation(DVec3::new(0.3, 0.38, 0.0)))?;
    let table = Model::new(Mesh::cuboid(DVec3::new(2.0, 2.0, 0.1))?.into_solid())?;
    builder.add_obstacle("table", &table, Pose::from_translation(DVec3::new(0.0, 0.0, -1.2)))?;
    let cell = builder.build();

    let mut checker = cell.checker();
    let turned = |angle: f64| [angle, 0.0, 0.0, 0.0, 0.0, 0.0];
    for angle in [0.0, 0.7, -1.5] {
        match checker.check_state(&turned(angle))? {
            StateStatus::Free => println!("j1 = {angle}: collision-free"),
            StateStatus::Hit(pair) => println!("j1 = {angle}: {:?} collide", cell.pair_names(pair)),
            StateStatus::Unknown(pair) => println!("j1 = {angle}: undecided {:?}", cell.pair_names(pair)),
        }
    }
    for goal in [-1.5, 1.5] {
        match checker.check_motion(&turned(0.0), &turned(goal))? {
            MotionStatus::Free => println!("to j1 = {goal}: collision-free at all times"),
            other => println!("to j1 = {goal}: {other:?}"),
        }
    }
    let pair = cell.pair("link2", "table").ok_or("there is no such pair")?;
    println!("link2 and table: {:?}", cell.prove(pair, &ProofOptions::default()));
    Ok(())
}
