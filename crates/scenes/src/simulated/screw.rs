//! A bolt in a nut.

use super::{Simulated, SimulatedBody, SimulatedRole, Thread, at, mesh};
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// Turns of the thread of the bolt and of the nut.
const TURNS: (u32, u32) = (6, 3);

fn scene(thread: &Thread, angle: f64, advance: f64, frames: u32) -> Simulated {
    // By whole turns, so that ridge and groove stay together.
    let low = thread.pitch * f64::from(TURNS.1 / 2);
    let nut = mesh(thread.nut(TURNS.1, 1.6 * thread.major), true);
    let bolt = mesh(thread.bolt(TURNS.0), true);
    let (point, axis) = (DVec3::ZERO, DVec3::Z);
    let role = SimulatedRole::WantedScrew { point, axis, angle, advance };
    let mut bolt = SimulatedBody::new("bolt", bolt, at(0.0, 0.0, -low), role);
    let height = thread.pitch * f64::from(TURNS.0);
    let (round, long) = (thread.major.powi(2), height * height);
    let across = round / 4.0 + long / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(across, across, 0.5 * round));
    bolt.mass = Some((1.0, DVec3::Z * (0.5 * height), inertia));
    Simulated {
        name: "",
        about: "",
        falls: false,
        bodies: vec![SimulatedBody::new("nut", nut, at(0.0, 0.0, 0.0), SimulatedRole::Fixed), bolt],
        gravity: DVec3::ZERO,
        seconds: 4.0,
        frames,
        follows_pose: false,
        skin: None,
    }
}

/// Turned out, without being pulled.
pub(super) fn screw(thread: &Thread) -> Simulated {
    scene(thread, 2.0 * TAU, 0.0, 240)
}

/// Pulled, without being turned.
pub(super) fn pull(thread: &Thread) -> Simulated {
    Simulated { follows_pose: true, ..scene(thread, 0.0, 2.0 * thread.pitch, 60) }
}
