//! A plane on a runway.

use super::{Simulated, SimulatedBody, SimulatedRole, at, mesh};
use crate::{TriangleSet, cylinder};
use glam::{DMat3, DQuat, DVec3};
use noli_geom::{Mesh, Pose};
use std::f64::consts::FRAC_PI_2;

/// Squares along and across the runway, each of two triangles.
const CELLS: [u32; 2] = [200, 32];
const LENGTH: f64 = 100.0;
const WIDTH: f64 = 16.0;

/// Bumps of half a hand's height.
fn bumps(x: f64, y: f64) -> f64 {
    0.04 * ((0.9 * x).sin() + (0.53 * x + 0.8 * y).cos())
}

fn ground(bumpy: bool, detail: u32) -> TriangleSet {
    let mut set = TriangleSet::default();
    let [along, across] = CELLS.map(|cells| cells * detail);
    for k in 0..=across {
        for i in 0..=along {
            let x = LENGTH * (f64::from(i) / f64::from(along) - 0.1);
            let y = WIDTH * (f64::from(k) / f64::from(across) - 0.5);
            set.vertices.push(DVec3::new(x, y, if bumpy { bumps(x, y) } else { 0.0 }));
        }
    }
    for k in 0..across {
        for i in 0..along {
            let a = i + k * (along + 1);
            let (b, c, d) = (a + 1, a + along + 2, a + along + 1);
            set.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    set
}

fn add(set: &mut TriangleSet, part: TriangleSet, pose: &Pose) {
    let first = set.vertices.len() as u32;
    set.vertices.extend(part.vertices.iter().map(|&v| pose.transform_point(v)));
    set.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
}

/// A belly, wings, a tail and three wheels on legs; x is forward, the wheels rest on z = 0.
fn plane(detail: u32) -> TriangleSet {
    let mut set = TriangleSet::default();
    let belly = Mesh::ellipsoid(DVec3::new(5.0, 0.7, 0.8), 12 * detail);
    if let Ok(belly) = &belly {
        add(&mut set, belly.into(), &at(0.0, 0.0, 1.6));
    }
    let block = |x: f64, y: f64, z: f64| crate::cuboid(0.5 * DVec3::new(x, y, z));
    add(&mut set, block(1.4, 9.0, 0.12), &at(0.2, 0.0, 1.5));
    add(&mut set, block(0.8, 3.0, 0.1), &at(-4.3, 0.0, 1.9));
    add(&mut set, block(0.9, 0.1, 1.4), &at(-4.3, 0.0, 2.4));
    // A wheel's axle is across.
    let across = DQuat::from_rotation_x(FRAC_PI_2);
    for (x, y) in [(3.0, 0.0), (-0.8, 1.4), (-0.8, -1.4)] {
        add(&mut set, block(0.12, 0.12, 1.1), &at(x, y, 0.95));
        let wheel = cylinder(0.35, [-0.06, 0.06], 40 * detail, 1);
        add(&mut set, wheel, &Pose::new(across, DVec3::new(x, y, 0.35)));
    }
    set
}

/// Down to the runway, on along it while pressed into it, and off again.
pub(super) fn runway(bumpy: bool, detail: u32) -> Simulated {
    let start = DVec3::new(0.0, 0.0, 0.6);
    let keys = [
        (0.0, start),
        (0.2, DVec3::new(6.0, 0.0, -0.2)),
        (0.9, DVec3::new(45.0, 0.9, -0.4)),
        (1.0, DVec3::new(50.0, 1.0, 0.8)),
    ];
    let keys = keys.map(|(time, place)| (time, Pose::from_translation(place)));
    let mut plane = SimulatedBody::new(
        "plane",
        mesh(plane(detail), true),
        Pose::from_translation(start),
        SimulatedRole::Wanted(keys.to_vec()),
    );
    let inertia = DMat3::from_diagonal(DVec3::new(6.0, 8.0, 13.0));
    plane.mass = Some((1.0, DVec3::new(0.4, 0.0, 1.5), inertia));
    let ground = mesh(ground(bumpy, detail), false);
    Simulated {
        name: "",
        about: "",
        falls: false,
        bodies: vec![SimulatedBody::new("runway", ground, Pose::IDENTITY, SimulatedRole::Fixed), plane],
        gravity: DVec3::ZERO,
        seconds: 10.0,
        frames: 250,
        follows_pose: true,
        skin: None,
    }
}
