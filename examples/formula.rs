//! Implicit surfaces given by formulas, against each other and against a mesh.

use glam::DVec3;
use noli::{Field, Mesh, Model, Pose, clearance, overlap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Negative inside. An unbounded formula is cut to a box with `within`.
    let heart = Field::parse("(x^2 + 2.25*y^2 + z^2 - 1)^3 - x^2*z^3 - 0.1125*y^2*z^3 <= 0")?;
    let heart = Model::new(heart.within(noli::model::Aabb { min: DVec3::splat(-1.5), max: DVec3::splat(1.5) }))?;
    let ring = Model::new(Field::parse("torus(2, 0.3)")?)?;
    let cube = Model::new(Mesh::cuboid(DVec3::splat(0.5))?.into_solid())?;
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.0, 0.0));
    println!("the heart in the ring: {:?}", overlap(&heart.at(Pose::IDENTITY), &ring.at(Pose::IDENTITY)));
    for x in [1.0, 2.0] {
        let distance = clearance(&heart.at(Pose::IDENTITY), &cube.at(at(x))).distance;
        println!("the heart and a cube at {x}: clearance from {} to {}", distance.at_least, distance.at_most);
    }
    Ok(())
}
