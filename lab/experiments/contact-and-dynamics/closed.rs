//! Motions that have a closed form: how far the simulated ones are from it.

use anyhow::Result;
use glam::{DMat3, DQuat, DVec3};
use noli::motion::RigidMotion;
use noli::{Convex, Mesh, Model, Pose, Shape};
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, MassProperties, Material};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

const G: f64 = 9.81;

/// All of them: a key, what is compared, and the error. Relative, but for speeds that are to be 0 or 1 and accelerations.
pub(super) fn all() -> Result<Vec<(&'static str, &'static str, f64)>> {
    let [spin_0, loss_0] = rod(0.0)?;
    let [spin, loss] = rod(0.5)?;
    let [height, rest] = bounce()?;
    let [up, along, turn] = oblique()?;
    let [energy, momentum] = free_spin()?;
    Ok(vec![
        ("rod0", "rod of 1 m at 30 degrees, e = 0: spin after the impact", spin_0),
        ("rod0_loss", "the same: energy lost", loss_0),
        ("rod", "rod, e = 0.5: spin after the impact", spin),
        ("rod_loss", "the same: energy lost", loss),
        ("bounce", "sphere, e = 0.8: height of the first bounce", height),
        ("zeno", "the same: speed soon after Zeno's limit, of that of the first impact", rest),
        ("slope", "blocks on slopes, 12 pairs of friction and angle: worst acceleration, m/s²", slopes()?),
        ("roll", "sphere that slips until it rolls: final speed", roll()?),
        ("turntable", "sphere on a turntable: how fast it goes round, 2/7 of the table", turntable()?),
        ("oblique_up", "sphere that hits a floor obliquely, e = 0.7, friction 0.2: speed upwards", up),
        ("oblique_along", "the same: speed along", along),
        ("oblique_spin", "the same: spin", turn),
        ("cradle", "two spheres into a row of three, e = 1: worst speed", cradle()?),
        ("spin_energy", "free spin about the middle axis, 60 s: energy", energy),
        ("spin_momentum", "the same: angular momentum", momentum),
    ])
}

fn world(skin: f64, gravity: f64, material: Material, floor: DQuat) -> Result<Dynamics> {
    let mut sim =
        Dynamics::new(DynamicsOptions { skin, gravity: DVec3::NEG_Z * gravity, ..Default::default() });
    let place = Pose::from_rotation(floor);
    let fixed = BodySpec::fixed().with_material(material);
    sim.add("floor", &Model::new(Shape::HalfSpace)?, place, fixed)?;
    Ok(sim)
}

fn sphere(radius: f64) -> Result<Model> {
    Ok(Model::from(Convex::sphere(radius)?))
}

fn high(z: f64) -> Pose {
    Pose::from_translation(DVec3::Z * z)
}

/// `ω = 6 (1 + e) v cos θ / (L (1 + 3 cos² θ))`, and a loss of `½ (1 − e²) m v² / (1 + 3 cos² θ)`, as a share of what falls.
fn rod(e: f64) -> Result<[f64; 2]> {
    let (length, angle, height) = (1.0, 30f64.to_radians(), 1.0);
    let smooth = Material { friction: 0.0, restitution: e };
    let mut sim = world(1e-7, G, smooth, DQuat::IDENTITY)?;
    let turn = DQuat::from_rotation_y(90f64.to_radians() - angle);
    let across = length * length / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, 1e-4));
    let start = Pose::new(turn, DVec3::Z * (height + 0.01 + 0.5 * length * angle.sin()));
    let model = Model::from(Convex::capsule(length, 0.01)?);
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let spec = BodySpec::free(&model).with_mass(mass).with_material(smooth);
    let rod = sim.add("rod", &model, start, spec)?;
    let before = sim.energy();
    sim.advance((2.0 * height / G).sqrt() * (1.0 + 1e-6))?;
    let speed = (2.0 * G * height).sqrt();
    let share = 1.0 + 3.0 * angle.cos().powi(2);
    let spin = 6.0 * (1.0 + e) * speed * angle.cos() / (length * share);
    let loss = 0.5 * (1.0 - e * e) * speed * speed / share;
    let found = sim[rod].state().spin.length();
    Ok([(found / spin - 1.0).abs(), (before - sim.energy() - loss).abs() / (G * height)])
}

fn bounce() -> Result<[f64; 2]> {
    let elastic = Material { friction: 0.0, restitution: 0.8 };
    let mut sim = world(1e-7, G, elastic, DQuat::IDENTITY)?;
    let sphere = sphere(0.5)?;
    let sphere = sim.add("sphere", &sphere, high(1.5), BodySpec::free(&sphere).with_material(elastic))?;
    let fall = (2.0 / G).sqrt();
    sim.advance(fall * 1.8)?;
    let height = ((sim.pose(sphere).translation.z - 0.5) / 0.64 - 1.0).abs();
    // All bounces together take (1 + e) / (1 − e) of the fall.
    sim.advance(fall * (9.0 - 1.8) + 0.02)?;
    Ok([height, sim[sphere].state().velocity.length() / (2.0 * G).sqrt()])
}

fn slopes() -> Result<f64> {
    let mut worst: f64 = 0.0;
    for theta in [10f64, 20.0, 30.0].map(f64::to_radians) {
        for share in [0.0, 0.5, 0.9, 1.1] {
            let friction = share * theta.tan();
            let material = Material { friction, restitution: 0.0 };
            let tilt = DQuat::from_rotation_y(theta);
            let mut sim = world(1e-4, G, material, tilt)?;
            let cube = Model::from(Mesh::cuboid(DVec3::splat(0.2))?.into_solid());
            let start = Pose::new(tilt, tilt * DVec3::Z * (0.1 + 2e-6));
            let block = sim.add("block", &cube, start, BodySpec::free(&cube).with_material(material))?;
            sim.advance(0.5)?;
            let speed = sim[block].state().velocity.dot(tilt * DVec3::X);
            let expected = if share >= 1.0 { 0.0 } else { G * (theta.sin() - friction * theta.cos()) };
            worst = worst.max((speed / 0.5 - expected).abs());
        }
    }
    Ok(worst)
}

fn roll() -> Result<f64> {
    let material = Material { friction: 0.3, restitution: 0.0 };
    let mut sim = world(1e-5, G, material, DQuat::IDENTITY)?;
    let sphere = sphere(0.2)?;
    let spec = BodySpec::free(&sphere).with_material(material).with_velocity(DVec3::X * 2.0, DVec3::ZERO);
    let sphere = sim.add("sphere", &sphere, high(0.2 + 3e-6), spec)?;
    sim.advance(1.0)?;
    Ok((sim[sphere].state().velocity.x / (2.0 * 5.0 / 7.0) - 1.0).abs())
}

/// Rate at which the velocity of the sphere turns once it rolls.
fn turntable() -> Result<f64> {
    let rough = Material { friction: 1.0, restitution: 0.0 };
    let mut sim = Dynamics::new(DynamicsOptions::default());
    let table = Model::from(Mesh::cylinder(0.1, 3.0, 96)?.into_solid());
    let spin = RigidMotion::screw(&high(-0.05), DVec3::ZERO, DVec3::Z, 4.0 * FRAC_PI_2, 0.0);
    let driven = BodySpec::driven(Arc::new(spin), 4.0).with_material(rough);
    sim.add("table", &table, high(-0.05), driven)?;
    let start = Pose::from_translation(DVec3::new(1.0, 0.0, 0.1 + 2e-6));
    let sphere = sphere(0.1)?;
    let sphere = sim.add("sphere", &sphere, start, BodySpec::free(&sphere).with_material(rough))?;
    sim.advance(1.5)?;
    let heading = |sim: &Dynamics| {
        let v = sim[sphere].state().velocity;
        v.y.atan2(v.x)
    };
    let before = heading(&sim);
    sim.advance(2.0)?;
    let rate = (heading(&sim) - before).rem_euclid(4.0 * FRAC_PI_2) / 2.0;
    Ok((rate / (2.0 / 7.0 * FRAC_PI_2) - 1.0).abs())
}

/// It slips all through the impact: the impulse along is the friction times that upwards.
fn oblique() -> Result<[f64; 3]> {
    let material = Material { friction: 0.2, restitution: 0.7 };
    let mut sim = world(1e-7, 0.0, material, DQuat::IDENTITY)?;
    let sphere = sphere(0.1)?;
    let velocity = DVec3::new(3.0, 0.0, -2.0);
    let spec = BodySpec::free(&sphere).with_material(material).with_velocity(velocity, DVec3::ZERO);
    let sphere = sim.add("sphere", &sphere, high(0.6), spec)?;
    sim.advance(0.5)?;
    let state = sim[sphere].state();
    let impulse = 0.2 * 1.7 * 2.0;
    let (up, along, turn) = (1.4, 3.0 - impulse, 2.5 * impulse / 0.1);
    let errors = [state.velocity.z / up, state.velocity.x / along, state.spin.y / turn];
    Ok(errors.map(|share| (share - 1.0).abs()))
}

fn cradle() -> Result<f64> {
    let elastic = Material { friction: 0.0, restitution: 1.0 };
    let mut sim = Dynamics::new(DynamicsOptions { gravity: DVec3::ZERO, ..Default::default() });
    for k in 0..5 {
        let far = if k < 2 { -0.5 } else { 0.0 };
        let start = Pose::from_translation(DVec3::X * (0.2001 * f64::from(k) + far));
        let velocity = if k < 2 { DVec3::X } else { DVec3::ZERO };
        let sphere = sphere(0.1)?;
        let spec = BodySpec::free(&sphere).with_material(elastic).with_velocity(velocity, DVec3::ZERO);
        sim.add("sphere", &sphere, start, spec)?;
    }
    sim.advance(1.5)?;
    let expected = [0.0, 0.0, 0.0, 1.0, 1.0];
    let errors = sim.bodies().zip(expected).map(|((_, body), speed)| (body.state().velocity.x - speed).abs());
    Ok(errors.fold(0.0, f64::max))
}

fn free_spin() -> Result<[f64; 2]> {
    let options = DynamicsOptions { gravity: DVec3::ZERO, step: 1.0 / 60.0, ..Default::default() };
    let mut sim = Dynamics::new(options);
    let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let cube = Model::from(Mesh::cuboid(DVec3::ONE)?.into_solid());
    let spec = BodySpec::free(&cube).with_mass(mass);
    let spec = spec.with_velocity(DVec3::ZERO, DVec3::new(1e-3, 3.0, 1e-3));
    let body = sim.add("handle", &cube, Pose::IDENTITY, spec)?;
    let (energy, momentum) = (sim[body].energy(), sim[body].angular_momentum());
    sim.advance(60.0)?;
    let after = &sim[body];
    let lost = (after.angular_momentum() - momentum).length() / momentum.length();
    Ok([(after.energy() / energy - 1.0).abs(), lost])
}
