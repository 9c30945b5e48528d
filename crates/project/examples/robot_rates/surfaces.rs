//! Points as a camera sees them.

use glam::{DVec3, dvec3};

/// Points on a table, a shelf and two walls within reach of an arm.
pub fn scene(count: usize, share: &mut impl FnMut() -> f64) -> Vec<DVec3> {
    let mut between = |low: f64, high: f64| low + (high - low) * share();
    let surface = |k: usize| match k % 4 {
        0 => dvec3(between(0.3, 0.9), between(-0.6, 0.6), 0.1),
        1 => dvec3(0.8, between(-0.6, 0.6), between(0.1, 1.1)),
        2 => dvec3(between(0.5, 0.8), between(-0.6, 0.6), 0.7),
        _ => dvec3(between(-0.6, 0.6), -0.7, between(0.0, 1.2)),
    };
    (0..count).map(surface).collect()
}
