//! Workload W1: two bumpy spheres of 70,000 triangles each, near contact.
//!
//! A sits at the identity; the poses are those of B. Positions agree with the published files up to
//! last bits (`sin` differs between platforms), so assert counts of answers, not bits.

use crate::{SplitMix64, TriangleSet, bumpy_sphere};
use glam::{DQuat, DVec3};
use noli_geom::Pose;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Seed of the published poses.
pub const W1_SEED: u64 = 42;
/// Seed of the axes in the published start poses.
pub const W1_MOTION_SEED: u64 = 43;
/// Cuts per icosahedron edge.
pub const W1_FREQUENCY: u32 = 59;
/// Phases of the bumps of A and B.
pub const W1_PHASES: [f64; 2] = [0.3, 1.1];
/// Distances to which the first 200 poses are slid by [`slide_to_distance`](crate::slide_to_distance).
pub const W1_GAPS: [f64; 4] = [0.1, 0.01, 0.001, 0.0001];

/// The two bodies, A and B.
pub fn w1_meshes() -> [TriangleSet; 2] {
    W1_PHASES.map(|phase| bumpy_sphere(W1_FREQUENCY, phase))
}

/// Returns poses of B around contact, with centres at distances from 1.85 to 2.25. Of the first 1000 with
/// seed [`W1_SEED`], 448 overlap.
pub fn w1_poses(seed: u64, n: usize) -> Vec<Pose> {
    poses(seed, n, 1.85, 0.40)
}

/// Returns poses of B that overlap deeply (the set W1d), with centres at distances from 0.5 to 1.5.
pub fn w1_deep_poses(seed: u64, n: usize) -> Vec<Pose> {
    poses(seed, n, 0.5, 1.0)
}

/// Start poses of motions that end at the given poses: 3.0 from A in the same direction, turned
/// by a right angle about a random axis of the world.
pub fn w1_motion_starts(seed: u64, ends: &[Pose]) -> Vec<Pose> {
    let mut random = SplitMix64::new(seed);
    let start = |end: &Pose| {
        let turn = DQuat::from_axis_angle(random.direction(), FRAC_PI_2);
        let direction = end.translation.try_normalize().unwrap_or(DVec3::X);
        Pose::new(turn * end.rotation, direction * 3.0)
    };
    ends.iter().map(start).collect()
}

/// Poses of B along smooth paths around contact (the set W10). B circles A while the distance of the centres rises and
/// falls. Each pose is moved by `step` and turned by `step` from the one before, as shares of the size of the bodies.
pub fn w1_paths(paths: usize, poses: usize, step: f64) -> Vec<Vec<Pose>> {
    const SIZE: f64 = 2.0;
    let mut random = SplitMix64::new(W1_SEED + 10);
    let path = |_| {
        let (start, axis, mut outward) = (random.rotation(), random.direction(), random.direction());
        let mut along = random.direction().cross(outward).normalize_or(outward.any_orthonormal_vector());
        let (mut distance, phase) = (1.95 + 0.2 * random.unit(), random.unit() * TAU);
        let pose = |k: usize| {
            // The step turns from sideways to outward and back within three hundred poses.
            let (rise, slide) = (phase + 0.02 * k as f64).sin_cos();
            let (sin, cos) = (slide * step * SIZE / distance).sin_cos();
            (outward, along) = (outward * cos + along * sin, along * cos - outward * sin);
            distance += rise * step * SIZE;
            Pose::new(DQuat::from_axis_angle(axis, step * SIZE * k as f64) * start, outward * distance)
        };
        (0..poses).map(pose).collect()
    };
    (0..paths).map(path).collect()
}

fn poses(seed: u64, n: usize, nearest: f64, range: f64) -> Vec<Pose> {
    let mut random = SplitMix64::new(seed);
    let pose = |_| {
        let (rotation, direction) = (random.rotation(), random.direction());
        Pose::new(rotation, direction * (nearest + range * random.unit()))
    };
    (0..n).map(pose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows of a pose file of the shared data; `None`, with a message, if the data is missing.
    fn published(file: &str) -> Option<Vec<Pose>> {
        let path = noli_testing::data("bench")?.join(file);
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let pose = |line: &str| {
            let v: Vec<f64> = line.split(',').map(|number| number.parse().unwrap()).collect();
            Pose::new(DQuat::from_xyzw(v[0], v[1], v[2], v[3]), DVec3::new(v[4], v[5], v[6]))
        };
        Some(text.lines().skip(1).map(pose).collect())
    }

    fn assert_agree(ours: &[Pose], theirs: &[Pose]) {
        assert_eq!(ours.len(), theirs.len());
        for (row, (our, their)) in ours.iter().zip(theirs).enumerate() {
            assert!(our.rotation.abs_diff_eq(their.rotation, 1e-12), "row {row}: {our:?} is not {their:?}");
            assert!(our.translation.abs_diff_eq(their.translation, 1e-12), "row {row}: {our:?}, {their:?}");
        }
    }

    #[test]
    fn poses_agree_with_the_published_file() {
        if let Some(theirs) = published("poses.csv") {
            assert_agree(&w1_poses(W1_SEED, 1000), &theirs);
        }
    }

    #[test]
    fn motion_starts_agree_with_the_published_file() {
        if let Some(theirs) = published("motion_start.csv") {
            assert_agree(&w1_motion_starts(W1_MOTION_SEED, &w1_poses(W1_SEED, 1000)), &theirs);
        }
    }

    /// The published distance sets were slid along the line of centres, as `slide_to_distance` does.
    #[test]
    fn published_distance_sets_lie_on_the_line_of_centres() {
        let ours = w1_poses(W1_SEED, 200);
        for distance in W1_GAPS {
            for (our, their) in ours.iter().zip(published(&format!("gap_{distance}.csv")).unwrap_or_default())
            {
                assert!(our.rotation.abs_diff_eq(their.rotation, 1e-12));
                assert!(our.translation.cross(their.translation).length() < 1e-12);
            }
        }
    }

    #[test]
    fn centres_keep_their_distance() {
        let within = |poses: &[Pose], nearest: f64, farthest: f64| {
            poses.iter().all(|pose| (nearest - 1e-12..farthest + 1e-12).contains(&pose.translation.length()))
        };
        assert!(within(&w1_poses(W1_SEED, 1000), 1.85, 2.25));
        assert!(within(&w1_deep_poses(W1_SEED, 1000), 0.5, 1.5));
        assert!(within(&w1_motion_starts(W1_MOTION_SEED, &w1_poses(W1_SEED, 1000)), 3.0, 3.0));
    }

    #[test]
    fn a_longer_list_begins_with_the_shorter() {
        assert_eq!(w1_poses(1, 5)[..], w1_poses(1, 9)[..5]);
    }
}
