//! Workload W4: convex pairs near contact, cold and along coherent paths.
//!
//! Hulls of points drawn on the unit sphere, scaled by (1, s, s²). A is at the identity. The poses are
//! those of B, with centre distances of 0.6 to 1.2 times the sum of the radii.

use crate::SplitMix64;
use glam::{DQuat, DVec3};
use noli_geom::Pose;

/// Seed of the points and poses.
pub const W4_SEED: u64 = 7;
/// Numbers of points of the hulls.
pub const W4_POINTS: [usize; 4] = [16, 64, 256, 1024];
/// Flatness of the bodies: they are scaled by (1, s, s²).
pub const W4_SQUEEZES: [f64; 2] = [1.0, 0.1];

/// The points of A and of B.
pub fn w4_points(points: usize, squeeze: f64) -> [Vec<DVec3>; 2] {
    let mut random = SplitMix64::new(W4_SEED);
    let scale = DVec3::new(1.0, squeeze, squeeze * squeeze);
    [(); 2].map(|()| (0..points).map(|_| random.direction() * scale).collect())
}

/// Returns poses of B. The radius of a body is the mean of its half axes, so that about half of the pairs
/// collide.
pub fn w4_poses(squeeze: f64, n: usize) -> Vec<Pose> {
    let mut random = SplitMix64::new(W4_SEED + 1);
    let reach = radii(squeeze);
    let pose = |_| {
        let (rotation, direction) = (random.rotation(), random.direction());
        Pose::new(rotation, direction * (reach * (0.6 + 0.6 * random.unit())))
    };
    (0..n).map(pose).collect()
}

/// Poses along paths: each step moves B by 1 % of its size and turns it by 0.01 about a fixed axis, past A.
pub fn w4_paths(squeeze: f64, paths: usize, steps: usize) -> Vec<Vec<Pose>> {
    let mut random = SplitMix64::new(W4_SEED + 2);
    let reach = radii(squeeze);
    let path = |_| {
        let (start, axis) = (random.rotation(), random.direction());
        let (forward, aside) = (random.direction(), random.direction() * (0.5 * reach));
        let step = 0.01 * reach;
        let pose = |k: usize| {
            let turn = DQuat::from_axis_angle(axis, 0.01 * k as f64);
            // To and fro within two sizes of A.
            let phase = (k as f64 * step / (2.0 * reach)).rem_euclid(2.0);
            let along = if phase < 1.0 { phase } else { 2.0 - phase };
            Pose::new(turn * start, forward * (2.0 * reach * along - reach) + aside)
        };
        (0..steps).map(pose).collect()
    };
    (0..paths).map(path).collect()
}

/// The sum of the mean half axes of both bodies.
fn radii(squeeze: f64) -> f64 {
    2.0 * (1.0 + squeeze + squeeze * squeeze) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_keep_their_distance() {
        for pose in w4_poses(1.0, 1000) {
            assert!((1.2 - 1e-12..2.4 + 1e-12).contains(&pose.translation.length()));
        }
    }

    #[test]
    fn steps_are_small() {
        for path in w4_paths(0.1, 3, 500) {
            let largest =
                path.windows(2).map(|p| p[0].translation.distance(p[1].translation)).fold(0.0, f64::max);
            assert!(largest <= 0.01 * radii(0.1) * (1.0 + 1e-9));
        }
    }
}
