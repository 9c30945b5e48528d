//! Many bodies: a static check, a step that stops before contact, and queries from many threads.

use glam::DVec3;
use noli::motion::RigidMotion;
use noli::world::{BodySelector, CheckOptions, SnapshotContext, StepOptions};
use noli::{Convex, Mesh, Model, Pose, Shape, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z));
    let mut world = World::default();
    let floor = world.add("floor", &Model::new(Shape::HalfSpace)?, Pose::IDENTITY)?;
    let cart = world.add("cart", &Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?, at(0.0, 0.5))?;
    let load = world.add("load", &Model::new(Convex::sphere(0.4)?)?, at(0.0, 1.4))?;
    world.add("wall", &Model::new(Mesh::cuboid(DVec3::new(0.2, 4.0, 4.0))?.into_solid())?, at(5.0, 2.0))?;
    world.attach(load, cart)?;
    // The cart touches the floor and the load touches the cart by design.
    for pair in [[floor, cart], [cart, load]] {
        world.rules_mut().set(pair.map(BodySelector::Body), false);
    }
    world.rules_mut().set_margin([BodySelector::Body(load), BodySelector::Anyone], 0.1);

    let result = world.check(&CheckOptions::default())?;
    println!("{} pairs checked, {} with overlapping boxes", result.pairs, result.findings.len());

    let drive = |start: &Pose| RigidMotion::with_velocities(start, DVec3::X * 8.0, DVec3::ZERO, DVec3::ZERO);
    let drive = world.carry("drive", &[cart], drive)?;
    let step = world.step(vec![drive], &StepOptions::default())?;
    println!("the cart stopped at x = {}", world.body(cart)?.pose().translation.x);
    if let Some(first) = step.outcomes[0].first {
        let [a, b] = step.answers[first].pair.map(|id| world.body(id).map(|body| body.name().to_owned()));
        println!("because of {} and {}", a?, b?);
    }

    let snapshot = world.snapshot();
    std::thread::scope(|threads| {
        for x in [0.0, 4.0, 4.6] {
            let snapshot = &snapshot;
            threads.spawn(move || {
                let hit = snapshot.first_hit(&[(cart, at(x, 0.5))], &mut SnapshotContext::default());
                println!("the cart at {x}: {hit:?}");
            });
        }
    });
    Ok(())
}
