//! Rigid-body dynamics without penetration: a crate falls on a table, bounces and comes to rest.

use glam::DVec3;
use noli::{Mesh, Model, Pose, Shape};
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, Material};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sim = Dynamics::new(DynamicsOptions::default());
    let floor = Model::new(Shape::HalfSpace)?;
    sim.add("floor", &floor, Pose::IDENTITY, BodySpec::fixed())?;
    let crate_model = Model::new(Mesh::cuboid(DVec3::new(0.4, 0.3, 0.2))?.into_solid())?;
    let start = Pose::new(glam::DQuat::from_rotation_x(0.3), DVec3::Z);
    let wood = Material { restitution: 0.2, friction: 0.4 };
    let body = sim.add("crate", &crate_model, start, BodySpec::free(&crate_model).with_material(wood))?;
    for _ in 0..8 {
        sim.advance(0.25)?;
        println!("centre at z = {:.4} m", sim.pose(body).translation.z);
    }
    let summary = sim.summary();
    println!("{} pieces of motion proven, {} penetrations", summary.pieces, summary.penetrations);
    assert!(summary.penetrations == 0 && summary.time_lost == 0.0);
    assert!((sim.pose(body).translation.z - 0.1).abs() < 0.01, "it rests on its largest face");
    Ok(())
}
