//! All integration tests of noli-sim as one program.

mod analytic;
mod bad_input;

use glam::{DVec3, dvec3};
use noli::world::BodyId;
use noli::{Convex, Mesh, Model, Pose, Shape};
use noli_sim::{BodySpec, Dynamics, Material};

const G: f64 = 9.81;

fn floor(sim: &mut Dynamics, material: Material) -> BodyId {
    let floor = Model::new(Shape::HalfSpace).unwrap();
    sim.add("floor", &floor, Pose::IDENTITY, BodySpec::fixed().with_material(material)).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z))
}

fn sphere(radius: f64) -> Model {
    Model::from(Convex::sphere(radius).unwrap())
}

fn cube(size: f64) -> Model {
    Model::from(Mesh::cuboid(DVec3::splat(size)).unwrap().into_solid())
}

fn assert_proven(sim: &mut Dynamics) {
    assert!(sim.check().is_empty());
    let summary = sim.summary();
    assert_eq!(summary.penetrations, 0);
    assert!(summary.time_lost <= 1e-3, "{summary:?}");
}
