//! Motions that have a closed form.

use super::{G, assert_proven, at, cube, floor, sphere};
use glam::{DMat3, DQuat, DVec3, dvec3};
use noli::model::Sphere;
use noli::motion::{Motion, RigidMotion};
use noli::{Convex, Mesh, Model, Pose, Shape};
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, Flight, FlightState, MassProperties, Material};
use std::sync::Arc;

#[test]
fn a_flight_keeps_its_bounds() {
    let mass = MassProperties {
        mass: 2.0,
        center: dvec3(0.1, -0.2, 0.3),
        inertia: DMat3::from_diagonal(dvec3(1.0, 2.0, 2.7)),
    };
    for (spin, torque) in
        [(dvec3(0.3, 5.0, -1.0), DVec3::ZERO), (dvec3(20.0, 1.0, 9.0), dvec3(1.0, 2.0, 3.0))]
    {
        let state = FlightState {
            center: dvec3(1.0, 2.0, 3.0),
            rotation: DQuat::from_xyzw(0.1, 0.2, -0.4, 0.8).normalize(),
            velocity: dvec3(3.0, -1.0, 2.0),
            spin,
        };
        let flight = Flight::new(&state, &mass, dvec3(0.0, 0.0, -G), torque, 0.7);
        let sphere = Sphere { center: dvec3(0.5, 0.0, 0.0), radius: 0.4 };
        let points = [dvec3(0.9, 0.0, 0.0), dvec3(0.5, 0.4, 0.0), dvec3(0.5, 0.0, -0.4)];
        for (t0, t1) in [(0.0, 1.0), (0.2, 0.21), (0.5, 0.9), (0.99, 1.0), (0.3, 0.3 + 1e-6)] {
            let (travel, stray) = (flight.travel(&sphere, t0, t1), flight.chord_deviation(&sphere, t0, t1));
            for p in points {
                let [from, to] = [t0, t1].map(|t| flight.pose(t).transform_point(p));
                let mut furthest = 0.0f64;
                for k in 0..=200 {
                    let share = f64::from(k) / 200.0;
                    let q = flight.pose(t0 + (t1 - t0) * share).transform_point(p);
                    furthest = furthest.max(q.distance(from));
                    assert!(q.distance(from.lerp(to, share)) <= stray, "{t0} {t1}");
                }
                assert!(furthest <= travel && travel <= 60.0 * furthest + 1e-9, "{furthest} {travel}");
            }
        }
    }
}

#[test]
fn free_spin_about_the_middle_axis_keeps_energy_and_momentum_to_rounding() {
    let mut sim =
        Dynamics::new(DynamicsOptions { gravity: DVec3::ZERO, step: 1.0 / 60.0, ..Default::default() });
    let mass = MassProperties {
        mass: 1.0,
        center: DVec3::ZERO,
        inertia: DMat3::from_diagonal(dvec3(1.0, 2.0, 3.0)),
    };
    let handle = cube(1.0);
    let spec = BodySpec::free(&handle).with_mass(mass).with_velocity(DVec3::ZERO, dvec3(1e-3, 3.0, 1e-3));
    let body = sim.add("handle", &handle, Pose::IDENTITY, spec).unwrap();
    let (energy, momentum) = (sim[body].energy(), sim[body].angular_momentum());
    let mut flips = 0;
    let mut side = true;
    for _ in 0..600 {
        sim.advance(0.1).unwrap();
        let state = sim[body].state();
        let now = (state.rotation.conjugate() * state.spin).y > 0.0;
        flips += u32::from(now != side);
        side = now;
    }
    assert!(flips >= 4, "{flips}");
    assert!((sim[body].energy() / energy - 1.0).abs() < 1e-11);
    assert!((sim[body].angular_momentum() - momentum).length() < 1e-11 * momentum.length());
}

/// Review C5: `t₁ = √(2h/g)`, `ω⁺ = 6(1+e)v cosθ / (L(1+3cos²θ))`, loss `½(1−e²)mv²/(1+3cos²θ)`.
#[test]
fn the_falling_rod_turns_as_it_must() {
    let (length, radius, angle, height) = (1.0, 0.01, 30f64.to_radians(), 1.0);
    for e in [0.0, 0.5, 1.0] {
        let smooth = Material { friction: 0.0, restitution: e };
        let mut sim = Dynamics::new(DynamicsOptions { skin: 1e-7, step: 1.0 / 50.0, ..Default::default() });
        floor(&mut sim, smooth);
        // The axis of a capsule is z; at 30 degrees to the floor.
        let turn = DQuat::from_rotation_y(90f64.to_radians() - angle);
        let low = radius + 0.5 * length * angle.sin();
        let across = length * length / 12.0;
        let mass = MassProperties {
            mass: 1.0,
            center: DVec3::ZERO,
            inertia: DMat3::from_diagonal(dvec3(across, across, 1e-4)),
        };
        let rod = Model::from(Convex::capsule(length, radius).unwrap());
        let start = Pose::new(turn, DVec3::Z * (low + height));
        let spec = BodySpec::free(&rod).with_mass(mass).with_material(smooth);
        let rod = sim.add("rod", &rod, start, spec).unwrap();
        let (fall, speed) = ((2.0 * height / G).sqrt(), (2.0 * G * height).sqrt());
        let before = sim.energy();
        sim.advance(fall * (1.0 - 1e-6)).unwrap();
        assert_eq!(sim[rod].state().spin, DVec3::ZERO);
        sim.advance(fall * 2e-6).unwrap();
        let c2 = angle.cos().powi(2);
        let spin = 6.0 * (1.0 + e) * speed * angle.cos() / (length * (1.0 + 3.0 * c2));
        let found = sim[rod].state().spin.length();
        assert!((found / spin - 1.0).abs() < 1e-5, "e = {e}: {found} {spin}");
        let loss = 0.5 * (1.0 - e * e) * speed * speed / (1.0 + 3.0 * c2);
        assert!((before - sim.energy() - loss).abs() < 1e-4, "{} {loss}", before - sim.energy());
        assert!(sim.energy() <= before * (1.0 + 1e-12));
        assert_proven(&mut sim);
    }
}

#[test]
fn a_sphere_bounces_to_its_heights_and_comes_to_rest_when_zeno_says() {
    let e = 0.8;
    let elastic = Material { friction: 0.0, restitution: e };
    let mut sim = Dynamics::new(DynamicsOptions { skin: 1e-7, step: 1.0 / 30.0, ..Default::default() });
    floor(&mut sim, elastic);
    let ball = sphere(0.5);
    let spec = BodySpec::free(&ball).with_material(elastic);
    let ball = sim.add("sphere", &ball, at(0.0, 0.0, 1.5), spec).unwrap();
    let fall = (2.0 / G).sqrt();
    let mut time = 0.0;
    for bounce in 1..=5 {
        let apex = fall + 2.0 * fall * (1..bounce).map(|k| e.powi(k)).sum::<f64>() + fall * e.powi(bounce);
        sim.advance(apex - time).unwrap();
        time = apex;
        let height = sim.pose(ball).translation.z - 0.5;
        assert!((height / e.powi(2 * bounce) - 1.0).abs() < 1e-5, "{bounce}: {height}");
    }
    let zeno = fall * (1.0 + e) / (1.0 - e);
    sim.advance(zeno - time + 0.5).unwrap();
    let state = sim[ball].state();
    assert!(state.velocity.length() < 1e-6, "{state:?}");
    let high = sim.pose(ball).translation.z - 0.5;
    assert!(high.abs() < 1e-5, "{high} {state:?} {:?} {}", sim.summary(), sim[ball].is_asleep());
    assert_proven(&mut sim);
}

#[test]
fn a_block_slides_exactly_where_the_slope_is_steeper_than_friction() {
    for degrees in [10.0f64, 20.0, 30.0] {
        for share in [0.0, 0.5, 0.9, 1.1] {
            let theta = degrees.to_radians();
            let friction = share * theta.tan();
            let material = Material { friction, restitution: 0.0 };
            let mut sim = Dynamics::new(DynamicsOptions::default());
            let floor = Model::new(Shape::HalfSpace).unwrap();
            let tilt = DQuat::from_rotation_y(theta);
            let fixed = BodySpec::fixed().with_material(material);
            sim.add("slope", &floor, Pose::from_rotation(tilt), fixed).unwrap();
            let up = tilt * DVec3::Z;
            let start = Pose::new(tilt, up * (0.1 + 2e-6));
            let block = cube(0.2);
            let spec = BodySpec::free(&block).with_material(material);
            let block = sim.add("block", &block, start, spec).unwrap();
            sim.advance(0.5).unwrap();
            let speed = sim[block].state().velocity.dot(tilt * DVec3::X);
            let expected = if share >= 1.0 { 0.0 } else { G * (theta.sin() - friction * theta.cos()) * 0.5 };
            assert!((speed - expected).abs() < 2e-4, "{degrees} {share}: {speed} {expected}");
            assert!(sim.summary().contacts_most >= 4 || share == 0.0);
            assert_proven(&mut sim);
        }
    }
}

#[test]
fn a_slipping_sphere_rolls_after_two_sevenths_of_its_speed_is_gone() {
    let material = Material { friction: 0.3, restitution: 0.0 };
    let mut sim = Dynamics::new(DynamicsOptions::default());
    floor(&mut sim, material);
    let (radius, speed) = (0.2, 2.0);
    let ball = sphere(radius);
    let spec = BodySpec::free(&ball).with_material(material).with_velocity(DVec3::X * speed, DVec3::ZERO);
    let ball = sim.add("sphere", &ball, at(0.0, 0.0, radius + 2e-6), spec).unwrap();
    let until = 2.0 * speed / (7.0 * 0.3 * G);
    sim.advance(0.5 * until).unwrap();
    let slipping = sim[ball].state().velocity.x;
    assert!((slipping - (speed - 0.3 * G * 0.5 * until)).abs() < 1e-4, "{slipping}");
    sim.advance(until).unwrap();
    let state = sim[ball].state();
    assert!((state.velocity.x / (5.0 / 7.0 * speed) - 1.0).abs() < 1e-6, "{state:?}");
    assert!((state.spin.y * radius - state.velocity.x).abs() < 1e-6, "{state:?}");
    assert_proven(&mut sim);
}

#[test]
fn what_goes_into_a_row_of_spheres_comes_out() {
    let elastic = Material { friction: 0.0, restitution: 1.0 };
    for moving in 1..=2 {
        let mut sim = Dynamics::new(DynamicsOptions { gravity: DVec3::ZERO, ..Default::default() });
        for k in 0..5 {
            let clearance = if k < moving { -0.5 } else { 0.0 };
            let velocity = if k < moving { DVec3::X } else { DVec3::ZERO };
            let ball = sphere(0.1);
            let spec = BodySpec::free(&ball).with_material(elastic).with_velocity(velocity, DVec3::ZERO);
            sim.add("sphere", &ball, at(0.2001 * f64::from(k) + clearance, 0.0, 0.0), spec).unwrap();
        }
        sim.advance(1.0).unwrap();
        let speeds: Vec<f64> = sim.bodies().map(|(_, body)| body.state().velocity.x).collect();
        for (k, speed) in speeds.iter().enumerate() {
            let expected = if k as i32 >= 5 - moving { 1.0 } else { 0.0 };
            assert!((speed - expected).abs() < 1e-9, "{speeds:?}");
        }
        assert_proven(&mut sim);
    }
}

#[test]
fn a_stack_stands_still_and_falls_asleep() {
    let mut sim = Dynamics::new(DynamicsOptions::default());
    floor(&mut sim, Material::default());
    let skin = 1e-4 * 0.5 * 0.2 * 3f64.sqrt();
    for k in 0..5 {
        let z = 0.1 + 0.2 * f64::from(k) + skin * 1.01 * f64::from(k + 1);
        let cube = cube(0.2);
        sim.add(&format!("box {k}"), &cube, at(0.0, 0.0, z), BodySpec::free(&cube)).unwrap();
    }
    let before = sim.energy();
    sim.advance(1.0).unwrap();
    for (k, (id, body)) in sim.bodies().enumerate().skip(1) {
        let (z, pose) = (0.1 + 0.2 * (k - 1) as f64, sim.pose(id));
        assert!((pose.translation - dvec3(0.0, 0.0, z)).length() < 1e-4, "{k}: {pose:?}");
        assert!(body.is_asleep(), "{k}: {:?} {:?}", body.state(), sim.summary());
    }
    assert!(sim.energy() <= before * (1.0 + 1e-9));
    assert_proven(&mut sim);
}

#[test]
fn nothing_tunnels_however_fast() {
    let plate = Model::from(Mesh::cuboid(dvec3(1.0, 1.0, 0.001)).unwrap().into_solid());
    for speed in [10.0, 100.0, 1000.0] {
        let mut sim = Dynamics::new(DynamicsOptions { gravity: DVec3::ZERO, ..Default::default() });
        sim.add("plate", &plate, Pose::IDENTITY, BodySpec::fixed()).unwrap();
        let turn = DQuat::from_xyzw(0.2, 0.3, 0.1, 0.9).normalize();
        let start = Pose::new(turn, dvec3(0.05, 0.02, 0.5));
        let cube = cube(0.01);
        let spec = BodySpec::free(&cube);
        let spec = spec.with_velocity(DVec3::NEG_Z * speed, dvec3(3.0, 5.0, 7.0) * speed);
        let body = sim.add("cube", &cube, start, spec).unwrap();
        sim.advance(1.0 / 60.0).unwrap();
        sim.advance(1.0 / 60.0).unwrap();
        assert!(sim.pose(body).translation.z > 0.0, "{speed}: {:?}", sim.pose(body));
        assert_proven(&mut sim);
    }
}

#[test]
fn replay_is_the_same_to_the_bit() {
    let run = || {
        let mut sim = Dynamics::new(DynamicsOptions::default());
        floor(&mut sim, Material { friction: 0.4, restitution: 0.3 });
        for k in 0..4 {
            let turn = DQuat::from_xyzw(0.1 * f64::from(k), 0.3, -0.2, 0.9).normalize();
            let pose = Pose::new(turn, dvec3(0.07 * f64::from(k), 0.02, 0.4 + 0.45 * f64::from(k)));
            let cube = cube(0.25);
            let material = Material { friction: 0.4, restitution: 0.3 };
            sim.add("box", &cube, pose, BodySpec::free(&cube).with_material(material)).unwrap();
        }
        let before = sim.energy();
        sim.advance(0.8).unwrap();
        assert!(sim.energy() <= before * (1.0 + 1e-9), "{} {before}", sim.energy());
        assert_proven(&mut sim);
        sim.world().bodies().map(|(_, body)| body.pose()).collect::<Vec<Pose>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_driven_body_pushes_what_is_in_its_way() {
    let mut sim = Dynamics::new(DynamicsOptions { gravity: DVec3::ZERO, ..Default::default() });
    let drive = RigidMotion::with_velocities(&at(-1.0, 0.0, 0.0), DVec3::X, DVec3::ZERO, DVec3::ZERO);
    let cube = cube(0.5);
    let driven = BodySpec::driven(Arc::new(drive), 1.0);
    let pusher = sim.add("pusher", &cube, at(-1.0, 0.0, 0.0), driven).unwrap();
    let cart = sim.add("cart", &cube, at(-0.2, 0.0, 0.0), BodySpec::free(&cube)).unwrap();
    sim.advance(1.0).unwrap();
    assert!((sim.pose(pusher).translation.x - 0.0).abs() < 1e-12);
    assert!(sim.pose(cart).translation.x > 0.5, "{:?}", sim.pose(cart));
    assert_proven(&mut sim);
}
