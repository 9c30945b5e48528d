//! Scenes that fall.

use super::{Simulated, SimulatedBody, SimulatedRole, SimulatedShape, at, cuboid, mesh, sphere};
use crate::solid::Gear;
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Convex, Mesh, Pose};
use std::f64::consts::TAU;

const G: f64 = 9.81;

fn with(bodies: Vec<SimulatedBody>, seconds: f64) -> Simulated {
    Simulated {
        name: "",
        about: "",
        falls: true,
        bodies,
        gravity: DVec3::NEG_Z * G,
        seconds,
        frames: (60.0 * seconds).ceil() as u32,
        follows_pose: true,
        skin: None,
    }
}

fn floor(friction: f64, restitution: f64) -> SimulatedBody {
    fixed("floor", SimulatedShape::HalfSpace, Pose::IDENTITY).of(friction, restitution)
}

fn fixed(name: &str, shape: SimulatedShape, pose: Pose) -> SimulatedBody {
    SimulatedBody::new(name, shape, pose, SimulatedRole::Fixed)
}

fn free(name: &str, shape: SimulatedShape, pose: Pose) -> SimulatedBody {
    SimulatedBody::new(name, shape, pose, SimulatedRole::Free)
}

pub(super) fn scene(name: &str) -> Option<Simulated> {
    Some(match name {
        "rod" => rod(),
        "bounce" => {
            let sphere = free("sphere", sphere(0.1), at(0.0, 0.0, 1.1)).of(0.0, 0.8);
            with(vec![floor(0.0, 0.8), sphere], 5.0)
        }
        "cradle" => cradle(),
        "stack" => stack(),
        "slope" => slope(),
        "roll" => {
            let sphere = free("sphere", sphere(0.2), at(0.0, 0.0, 0.2 + 3e-6)).of(0.3, 0.0);
            with(vec![floor(0.3, 0.0), sphere.moving(DVec3::X * 2.0, DVec3::ZERO)], 2.0)
        }
        "turntable" => turntable(),
        "spin" => {
            let mut handle = free("handle", cuboid(1.0, 0.4, 0.1), at(0.0, 0.0, 0.0));
            handle.mass = Some((1.0, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0))));
            let handle = handle.moving(DVec3::ZERO, DVec3::new(1e-3, 3.0, 1e-3));
            Simulated { gravity: DVec3::ZERO, ..with(vec![handle], 20.0) }
        }
        "shot" => shot(),
        "chain" => chain(),
        "gears" => gears(),
        "arch" => arch(),
        "dominoes" => dominoes(),
        "pile" => pile(),
        "oblique" => {
            let sphere = free("sphere", sphere(0.1), at(-1.0, 0.0, 0.6)).of(0.2, 0.7);
            with(vec![floor(0.2, 0.7), sphere.moving(DVec3::new(3.0, 0.0, -2.0), DVec3::ZERO)], 1.0)
        }
        _ => return None,
    })
}

/// Dropped by a metre at 30 degrees to the floor.
fn rod() -> Simulated {
    let (length, radius, angle) = (1.0, 0.01, 30f64.to_radians());
    let capsule = Convex::capsule(length, radius).unwrap_or(Convex::POINT);
    let turn = DQuat::from_rotation_y(90f64.to_radians() - angle);
    let height = 1.0 + radius + 0.5 * length * angle.sin();
    let mut rod =
        free("rod", SimulatedShape::Convex(capsule), Pose::new(turn, DVec3::Z * height)).of(0.3, 0.5);
    let across = length * length / 12.0;
    rod.mass = Some((1.0, DVec3::ZERO, DMat3::from_diagonal(DVec3::new(across, across, 1e-4))));
    with(vec![floor(0.3, 0.5), rod], 3.0)
}

/// Spheres in a frictionless trough, two of them coming down its slope: gravity is off, so that rows stay rows.
fn cradle() -> Simulated {
    let spheres = (0..5).map(|k| {
        let far = if k < 2 { -0.5 } else { 0.0 };
        let sphere =
            free(&format!("sphere {k}"), sphere(0.1), at(0.2001 * f64::from(k) + far, 0.0, 0.0)).of(0.0, 1.0);
        sphere.moving(if k < 2 { DVec3::X } else { DVec3::ZERO }, DVec3::ZERO)
    });
    Simulated { gravity: DVec3::ZERO, ..with(spheres.collect(), 1.5) }
}

fn stack() -> Simulated {
    let mut bodies = vec![floor(0.5, 0.0)];
    for k in 0..10 {
        let z = 0.1 + 0.2 * f64::from(k) + 2e-5 * f64::from(k + 1);
        bodies.push(free(&format!("box {k}"), cuboid(0.2, 0.2, 0.2), at(0.0, 0.0, z)));
    }
    with(bodies, 3.0)
}

/// At tan θ = 0.5: held at 0.6, held at 0.5 plus a hundredth, sliding at 0.4.
fn slope() -> Simulated {
    let tilt = DQuat::from_rotation_y(0.5f64.atan());
    let mut bodies = vec![fixed("slope", SimulatedShape::HalfSpace, Pose::from_rotation(tilt)).of(1.0, 0.0)];
    for (k, friction) in [0.6f64, 0.505, 0.4].into_iter().enumerate() {
        let place = tilt * DVec3::new(0.0, 0.5 * k as f64, 0.1 + 3e-6);
        // The geometric mean with the slope's 1 is to be the coefficient.
        let block = free(&format!("block {friction}"), cuboid(0.2, 0.2, 0.2), Pose::new(tilt, place));
        bodies.push(block.of(friction * friction, 0.0));
    }
    with(bodies, 1.0)
}

fn turntable() -> Simulated {
    let table = Mesh::cylinder(0.1, 3.0, 96).map(Mesh::into_solid).unwrap_or_else(|_| Mesh::empty());
    let spin = SimulatedRole::WantedScrew { point: DVec3::ZERO, axis: DVec3::Z, angle: TAU, advance: 0.0 };
    let table =
        SimulatedBody::new("table", SimulatedShape::Mesh(table), at(0.0, 0.0, -0.05), spin).of(1.0, 0.0);
    let sphere = free("sphere", sphere(0.1), at(1.0, 0.0, 0.1 + 2e-6)).of(1.0, 0.0);
    with(vec![table, sphere], 4.0)
}

fn shot() -> Simulated {
    let plate = fixed("plate", cuboid(1.0, 1.0, 0.001), Pose::IDENTITY);
    let turn = DQuat::from_xyzw(0.2, 0.3, 0.1, 0.9).normalize();
    let cube = free("cube", cuboid(0.01, 0.01, 0.01), Pose::new(turn, DVec3::new(0.05, 0.02, 0.5)));
    let cube = cube.moving(DVec3::NEG_Z * 1000.0, DVec3::new(3e3, 5e3, 7e3)).of(0.3, 0.3);
    let scene = with(vec![plate, cube], 0.01);
    Simulated { frames: 60, gravity: DVec3::ZERO, ..scene }
}

/// Rings one in the other, each turned by a quarter.
fn chain() -> Simulated {
    let ring = Mesh::torus(0.1, 0.025, 32, 12).map(Mesh::into_solid).unwrap_or_else(|_| Mesh::empty());
    let quarter = DQuat::from_rotation_x(0.5 * std::f64::consts::PI);
    let mut bodies = Vec::new();
    for k in 0..10 {
        let turn = if k % 2 == 0 { DQuat::IDENTITY } else { quarter };
        let pose = Pose::new(turn, DVec3::X * (0.13 * f64::from(k)));
        let shape = SimulatedShape::Mesh(ring.clone());
        let name = format!("link {k}");
        bodies.push(if k == 0 { fixed(&name, shape, pose) } else { free(&name, shape, pose) }.of(0.3, 0.0));
    }
    with(bodies, 2.0)
}

/// Two spur gears on fixed pins, the first driven.
fn gears() -> Simulated {
    let gear = Gear { teeth: 16, module: 0.05, bore: 0.15, backlash: 0.05 };
    let wheel = || mesh(gear.flat(4, 1).extrude(&[-0.04, 0.04], 1), true);
    let separated = 2.02 * gear.pitch_radius();
    let pin = || {
        let made = Mesh::cylinder(0.3, 0.13, 48).map(Mesh::into_solid).unwrap_or_else(|_| Mesh::empty());
        SimulatedShape::Mesh(made)
    };
    let turn = SimulatedRole::WantedScrew { point: DVec3::ZERO, axis: DVec3::Z, angle: TAU, advance: 0.0 };
    let driver = SimulatedBody::new("driver", wheel(), Pose::IDENTITY, turn).of(0.1, 0.0);
    let other = DVec3::X * separated;
    // A distance of the one faces a tooth of the other.
    let half_a_tooth = DQuat::from_rotation_z(0.5 * TAU / f64::from(gear.teeth));
    let wheel = free("wheel", wheel(), Pose::new(half_a_tooth, other)).of(0.1, 0.0);
    let pin = fixed("pin", pin(), Pose::from_translation(other)).of(0.1, 0.0);
    Simulated { gravity: DVec3::ZERO, ..with(vec![driver, wheel, pin], 4.0) }
}

/// Five wedges that lean on each other.
fn arch() -> Simulated {
    let (inner, outer, depth, count) = (0.8, 1.1, 0.3, 5);
    let mut bodies = vec![floor(0.9, 0.0)];
    let part = std::f64::consts::PI / f64::from(count);
    let skin = 4e-5;
    for k in 0..count {
        let from = part * f64::from(k);
        let vertex =
            |radius: f64, angle: f64, y: f64| DVec3::new(radius * angle.cos(), y, radius * angle.sin());
        let mut vertices = Vec::new();
        for y in [-0.5 * depth, 0.5 * depth] {
            for radius in [inner, outer] {
                vertices.extend([from, from + part].map(|angle| vertex(radius, angle, y)));
            }
        }
        let hull = Convex::hull(vertices).ok().and_then(|hull| hull.core().to_hull()?.to_mesh().ok());
        let shape = SimulatedShape::Mesh(hull.unwrap_or_else(Mesh::empty).into_solid());
        // A little apart from its neighbours and the floor.
        let middle = from + 0.5 * part;
        let out = DVec3::new(middle.cos(), 0.0, middle.sin()) * (2.0 * skin / (0.5 * part).sin());
        let up = DVec3::Z * (2.0 * skin);
        bodies.push(free(&format!("stone {k}"), shape, Pose::from_translation(out + up)).of(0.9, 0.0));
    }
    with(bodies, 2.0)
}

fn dominoes() -> Simulated {
    let mut bodies = vec![floor(0.4, 0.0)];
    for k in 0..12 {
        let domino = cuboid(0.02, 0.1, 0.2);
        let place = at(0.08 * f64::from(k), 0.0, 0.1 + 3e-6);
        let push = if k == 0 { DVec3::Y * 3.0 } else { DVec3::ZERO };
        let velocity = push.cross(DVec3::Z * 0.1);
        bodies.push(free(&format!("domino {k}"), domino, place).of(0.3, 0.0).moving(velocity, push));
    }
    with(bodies, 2.0)
}

fn pile() -> Simulated {
    let mut bodies = vec![floor(0.5, 0.2)];
    for k in 0..8 {
        let k = f64::from(k);
        let turn = DQuat::from_xyzw(0.1 * k, 0.3, 0.05 * k - 0.2, 0.9).normalize();
        let place = DVec3::new(0.05 * (k % 3.0), 0.04 * (k % 2.0), 0.3 + 0.4 * k);
        bodies.push(free(&format!("box {k}"), cuboid(0.3, 0.2, 0.15), Pose::new(turn, place)).of(0.5, 0.2));
    }
    with(bodies, 3.0)
}
