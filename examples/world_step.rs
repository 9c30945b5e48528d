//! Many bodies: what meets where they rest, a step that stops in time, and questions from many threads.

use glam::DVec3;
use noli::motion::RigidMotion;
use noli::world::{CheckOptions, SnapshotContext, StepOptions, BodySelector};
use noli::{Convex, Mesh, Model, Pose, Shape, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z));
    let mut world = World::default();
    let floor = world.add("floor", &Model::new(Shape::HalfSpace)?, Pose::IDENTITY)?;
    let cart = world.add("cart", &Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?, at(0.0, 0.5))?;
    let load = world.add("load", &Model::new(Convex::sphere(0.4)?)?, at(0.0, 1.4))?;
    world.add("wall", &Model::new(Mesh::cuboid(DVec3::new(0.2, 4.0, 4.0))?.into_solid())?, at(5.0, 2.0))?;
    world.attach(load, cart)?;
    // The cart stands on the floor and the load on the cart: that is meant.
    for pair in [[floor, cart], [cart, load]] {
        world.rules_mut().set(pair.map(BodySelector::Body), false);
    }
    world.rules_mut().set_margin([BodySelector::Body(load), BodySelector::Anyone], 0.1);

    let result = world.check(&CheckOptions::default())?;
    println!("{} pairs checked, {} close enough to look at", result.pairs, result.findings.len());

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
                let meets = snapshot.meets(&[(cart, at(x, 0.5))], &mut SnapshotContext::default());
                println!("the cart at {x}: {meets:?}");
            });
        }
    });
    Ok(())
}
