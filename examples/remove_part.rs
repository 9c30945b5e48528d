//! A removal path for a part, proven collision-free at all times, or a proof that none exists.

use glam::{DQuat, DVec3, dvec3};
use noli::{Mesh, Model, Pose, World};
use noli_plan::{RemovalResult, RemoveOptions, RigidSpace, remove};
use std::f64::consts::FRAC_PI_2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A block between two plates.
    let mut stack = World::default();
    let plate = Model::new(Mesh::cuboid(dvec3(4.0, 4.0, 1.0))?.into_solid())?;
    for (name, z) in [("lower plate", 0.0), ("upper plate", 2.5)] {
        stack.add(name, &plate, Pose::from_translation(DVec3::Z * z))?;
    }
    let block = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
    stack.add("block", &block, Pose::from_translation(DVec3::Z * 1.25))?;
    report(&stack, "block")?;

    // Two linked rings.
    let mut rings = World::default();
    let ring = Model::new(Mesh::torus(2.0, 0.3, 12, 8)?.into_solid())?;
    rings.add("ring", &ring, Pose::IDENTITY)?;
    rings.add("linked ring", &ring, Pose::new(DQuat::from_rotation_x(FRAC_PI_2), DVec3::X * 2.0))?;
    report(&rings, "linked ring")
}

fn report(world: &World, part: &str) -> Result<(), Box<dyn std::error::Error>> {
    let id = world.find(part).ok_or("there is no such part")?;
    let space = RigidSpace::new(world, &[id], &[])?;
    match remove(&space, &RemoveOptions::default()).found {
        RemovalResult::Path(path) => {
            println!("{part}: a path of length {:.2}, proven", path.length);
            println!("  smallest clearance {:.4} to {:.4}", path.clearance.at_least, path.clearance.at_most);
            assert!(space.prove_path(&path.poses).is_ok());
        }
        RemovalResult::Infeasible(blocked) => {
            let by: Vec<&str> = blocked.by.iter().map(|id| space.name(*id)).collect();
            println!("{part}: proven to be blocked by {}", by.join(", "));
        }
        other => println!("{part}: {other:?}"),
    }
    Ok(())
}
