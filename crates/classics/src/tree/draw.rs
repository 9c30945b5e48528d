//! Numbers and directions drawn by lot, the same at every run.

use glam::DVec3;

/// A number of 31 bits. Knuth's multiplier; the high bits are mixed well enough.
pub(super) fn number(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// From 0 to below 1.
pub(super) fn share(state: &mut u64) -> f64 {
    number(state) as f64 / (1u64 << 31) as f64
}

/// A point of the unit sphere.
pub(super) fn direction(state: &mut u64) -> DVec3 {
    let (z, angle) = (2.0 * share(state) - 1.0, std::f64::consts::TAU * share(state));
    let flat = (1.0 - z * z).max(0.0).sqrt();
    DVec3::new(flat * angle.cos(), flat * angle.sin(), z)
}
