//! A removal path for a part, proven collision-free at all times, or a proof that none exists.

use noli::{Model, World};
use noli_plan::{RemovalResult, RemoveOptions, RigidSpace, remove};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (scene, part) in [("peg-in-hole", "peg"), ("linked-tori", "left"), ("nested-spheres", "core")] {
        let assembly = noli_scenes::assembly(scene, 1).ok_or("there is no such assembly")?;
        let mut world = World::default();
        for part in &assembly.parts {
            world.add(part.name.clone(), &Model::from(&part.mesh), part.pose)?;
        }
        let id = world.find(part).ok_or("there is no such part")?;
        let space = RigidSpace::new(&world, &[id], &[])?;
        match remove(&space, &RemoveOptions::default()).found {
            RemovalResult::Path(path) => {
                println!("{part} of {scene}: a path of length {:.1}, proven", path.length);
                println!("  smallest clearance {:.4} to {:.4}", path.clearance.at_least, path.clearance.at_most);
                assert!(space.prove_path(&path.poses).is_ok());
            }
            RemovalResult::Infeasible(blocked) => {
                let by: Vec<&str> = blocked.by.iter().map(|id| space.name(*id)).collect();
                println!("{part} of {scene}: proven to be blocked by {}", by.join(", "));
            }
            other => println!("{part} of {scene}: {other:?}"),
        }
    }
    Ok(())
}
