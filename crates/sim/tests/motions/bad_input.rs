//! Impossible simulations: a clear error, and never a hang.

use super::{G, assert_proven, at, cube, floor};
use glam::{DMat3, DVec3, dvec3};
use noli::model::Sphere;
use noli::motion::{Motion, RigidMotion};
use noli::world::BodyId;
use noli::{Mesh, Model, Pose, Shape};
use noli_sim::{
    BodySpec, Dynamics, DynamicsOptions, GuidedContact, GuidedContactOptions, ImpactLaw, MassProperties,
    Material, SimError,
};
use std::sync::Arc;

const GOOD: MassProperties = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia: DMat3::IDENTITY };

fn free(mass: MassProperties) -> BodySpec {
    BodySpec::free(&cube(1.0)).with_mass(mass)
}

/// A cube at the origin.
fn add(sim: &mut Dynamics, spec: BodySpec) -> Result<BodyId, SimError> {
    sim.add("b", &cube(1.0), Pose::IDENTITY, spec)
}

fn rider(carriage: &mut GuidedContact, name: &str, x: f64) -> BodyId {
    carriage.add(name, &cube(1.0), at(x, 0.0, 0.0)).unwrap()
}

fn still(x: f64) -> Arc<dyn Motion> {
    Arc::new(RigidMotion::with_velocities(&at(x, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO))
}

/// The same refusal from dynamics and from contact.
fn refused(mass: MassProperties) -> SimError {
    let fallen = add(&mut Dynamics::new(DynamicsOptions::default()), free(mass)).unwrap_err();
    let mut carriage = GuidedContact::new(GuidedContactOptions::default());
    let body = rider(&mut carriage, "b", 0.0);
    let carried = carriage.add_group(&[body], mass, still(0.0)).unwrap_err();
    assert_eq!(fallen.to_string(), carried.to_string());
    fallen
}

#[test]
fn a_mass_of_zero_or_infinity_is_refused() {
    for mass in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let error = refused(MassProperties { mass, ..GOOD });
        assert!(matches!(&error, SimError::Mass { body, .. } if body == "b"), "{error}");
        assert!(error.to_string().contains("finite and more than zero"), "{error}");
    }
    let shape = Shape::from(Mesh::cuboid(DVec3::ONE).unwrap().into_solid());
    for density in [0.0, f64::INFINITY, f64::NAN] {
        assert!(MassProperties::with_density("b", &shape, density).is_err());
        assert!(MassProperties::with_mass("b", &shape, density).is_err());
    }
}

#[test]
fn an_inertia_that_no_body_has_is_refused() {
    let lopsided = DMat3::from_cols(DVec3::X, dvec3(0.5, 1.0, 0.0), DVec3::Z);
    let odd = [
        DMat3::IDENTITY * -1.0,
        DMat3::ZERO,
        DMat3::from_diagonal(dvec3(1.0, 1.0, 9.0)),
        lopsided,
        DMat3::IDENTITY * f64::NAN,
        DMat3::IDENTITY * f64::INFINITY,
    ];
    for inertia in odd {
        let error = refused(MassProperties { inertia, ..GOOD });
        assert!(matches!(error, SimError::Inertia { .. }), "{inertia}: {error}");
    }
}

#[test]
fn bodies_that_overlap_at_the_start_are_named() {
    let mut sim = Dynamics::new(DynamicsOptions { law: ImpactLaw::Simultaneous, ..Default::default() });
    let cube = cube(1.0);
    let [left, right, _] = [("left", 0.0), ("right", 0.5), ("far", 9.0)]
        .map(|(name, x)| sim.add(name, &cube, at(x, 0.0, 0.0), BodySpec::free(&cube)).unwrap());
    let error = sim.advance(0.1).unwrap_err();
    assert_eq!(error, SimError::Overlap { a: "left".to_owned(), b: "right".to_owned() });
    assert_eq!(sim.time(), 0.0);
    // What may pass through each other may begin so.
    sim.exclude(right, left);
    sim.advance(0.01).unwrap();

    let mut carriage = GuidedContact::new(GuidedContactOptions::default());
    rider(&mut carriage, "wall", 0.9);
    let cart = rider(&mut carriage, "cart", 0.0);
    carriage.add_group(&[cart], GOOD, still(0.0)).unwrap();
    let error = carriage.frame(0.0, 1.0).unwrap_err();
    assert_eq!(error, SimError::Overlap { a: "wall".to_owned(), b: "cart".to_owned() });
}

#[test]
fn velocities_and_times_that_are_no_numbers_are_refused() {
    let mut sim = Dynamics::new(DynamicsOptions::default());
    for bad in [f64::NAN, f64::INFINITY] {
        let fast = dvec3(bad, 0.0, 0.0);
        for (velocity, spin) in [(fast, DVec3::ZERO), (DVec3::ZERO, fast)] {
            let spec = free(GOOD).with_velocity(velocity, spin);
            assert!(matches!(add(&mut sim, spec), Err(SimError::NotFinite { .. })));
        }
        let nowhere = sim.add("b", &cube(1.0), at(bad, 0.0, 0.0), free(GOOD));
        assert!(matches!(nowhere, Err(SimError::Pose { .. })));
        let driven = BodySpec::driven(still(0.0), bad);
        assert!(matches!(add(&mut sim, driven), Err(SimError::NotFinite { .. })));
        let slippery = Material { friction: bad, restitution: 0.0 };
        let spec = free(GOOD).with_material(slippery);
        assert!(matches!(add(&mut sim, spec), Err(SimError::Coefficient { .. })));
        assert!(matches!(sim.advance(bad), Err(SimError::Time(_))));
    }
    assert!(matches!(sim.advance(-1.0), Err(SimError::Time(_))));
    assert!(sim.bodies().next().is_none());
}

/// A body that is too fast for any proof is not moved, and the result reports it.
#[test]
fn a_speed_beyond_all_bounds_ends_the_step_and_nothing_passes() {
    let mut sim = Dynamics::new(DynamicsOptions { gravity: DVec3::ZERO, ..Default::default() });
    sim.add("wall", &cube(1.0), at(2.0, 0.0, 0.0), BodySpec::fixed()).unwrap();
    let spec = free(GOOD).with_velocity(DVec3::X * 1e9, dvec3(0.0, 0.0, 1e4));
    let body = add(&mut sim, spec).unwrap();
    sim.advance(1.0 / 60.0).unwrap();
    assert!(sim.check().is_empty());
    let end = sim.pose(body).translation;
    assert!(end.is_finite() && end.x < 1.5, "{end}");
}

#[derive(Debug)]
struct Nowhere;

impl Motion for Nowhere {
    fn pose(&self, _: f64) -> Pose {
        at(f64::NAN, 0.0, 0.0)
    }

    fn travel(&self, _: &Sphere, _: f64, _: f64) -> f64 {
        f64::NAN
    }

    fn chord_deviation(&self, _: &Sphere, _: f64, _: f64) -> f64 {
        f64::NAN
    }
}

#[test]
fn a_wanted_motion_that_leads_nowhere_moves_nothing() {
    let mut carriage = GuidedContact::new(GuidedContactOptions::default());
    rider(&mut carriage, "wall", 1.2);
    let cart = rider(&mut carriage, "cart", 0.0);
    let group = carriage.add_group(&[cart], GOOD, Arc::new(Nowhere)).unwrap();
    let outcome = carriage.frame(0.0, 1.0).unwrap();
    assert_eq!(outcome.used, 0.0);
    assert_eq!(carriage.pose(group), at(0.0, 0.0, 0.0));
    assert_eq!(carriage.summary().time_lost, 1.0);
}

/// A board that stands on the tips of a thousand nails.
#[test]
fn a_thousand_contacts_in_one_step_are_solved() {
    let n = 64u32;
    let place = |k: u32| {
        let (i, j) = (k % (n + 1), k / (n + 1));
        let height = if i % 2 == 0 && j % 2 == 0 { 0.0 } else { 0.05 };
        dvec3(f64::from(i) / f64::from(n) - 0.5, f64::from(j) / f64::from(n) - 0.5, height)
    };
    let squares = (0..n * n).flat_map(|k| {
        let a = k % n + k / n * (n + 1);
        let (b, c, d) = (a + 1, a + n + 2, a + n + 1);
        [[a, b, c], [a, c, d]]
    });
    let vertices = (0..(n + 1) * (n + 1)).map(place).collect();
    let board = Mesh::from_triangles(vertices, squares.collect(), &Default::default()).unwrap();
    let mass = MassProperties {
        mass: 3.0,
        center: dvec3(0.0, 0.0, 0.1),
        inertia: DMat3::from_diagonal(dvec3(0.3, 0.3, 0.5)),
    };
    let mut sim = Dynamics::new(DynamicsOptions { sweeps: 100, ..Default::default() });
    floor(&mut sim, Material::default());
    let skin = 1e-4 * 0.5 * dvec3(1.0, 1.0, 0.05).length();
    let board = Model::from(board);
    let spec = BodySpec::free(&board).with_mass(mass);
    let board = sim.add("board", &board, at(0.0, 0.0, 1.01 * skin), spec).unwrap();
    sim.advance(0.05).unwrap();
    assert!(sim.summary().contacts_most >= 1000, "{:?}", sim.summary());
    let state = sim[board].state();
    assert!(state.velocity.length() < 1e-3 && state.spin.length() < 1e-3, "{state:?}");
    let sum: f64 = sim.forces().iter().map(|force| force.force.z).sum();
    assert!((sum / (3.0 * G) - 1.0).abs() < 0.05, "{sum}");
    assert_proven(&mut sim);
}
