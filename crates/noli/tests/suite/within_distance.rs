//! Exact tests of distances against a margin.

use crate::common::{mesh, model, shift};
use glam::DVec3;
use noli::{Mesh, Model, Overlap, Pose, clearance, within_distance};
use noli_scenes::{SplitMix64, bumpy_sphere, torus};

fn single(vertices: [DVec3; 3]) -> Model {
    model(&Mesh::from_triangles(vertices.to_vec(), vec![[0, 1, 2]], &Default::default()).expect("valid"))
}

/// A point in the box of a triangle, 0.57 from the triangle itself, is not within 0.1 of it: the first leaf
/// looked at counted as near enough, whatever its distance.
#[test]
fn a_leaf_in_reach_is_not_yet_a_hit() {
    let face = single([DVec3::ZERO, DVec3::X, DVec3::Y]);
    let spot = single([DVec3::ZERO; 3]);
    let (face, spot) = (face.at(Pose::IDENTITY), spot.at(shift(0.9, 0.9, 0.0)));
    for (margin, expected) in [(0.1, Overlap::Free), (0.56, Overlap::Free), (0.57, Overlap::Hit)] {
        assert_eq!(within_distance(&face, &spot, margin), expected, "margin {margin}");
    }
}

/// The verdict changes at the clearance: free at every margin below the bracket, hit at every one above.
#[test]
fn the_verdict_changes_at_the_clearance() {
    let mut rng = SplitMix64::new(21);
    let bodies =
        [bumpy_sphere(5, 0.3), torus(1.0, 0.3, 16, 8), bumpy_sphere(3, 2.0)].map(|set| model(&mesh(set)));
    for number in 0..200 {
        let pose = Pose::new(rng.rotation(), rng.direction() * rng.between(1.8, 3.0));
        let (a, b) = (bodies[number % 3].at(Pose::IDENTITY), bodies[number / 3 % 3].at(pose));
        let gap = clearance(&a, &b);
        for (a, b) in [(&a, &b), (&b, &a)] {
            assert_eq!(within_distance(a, b, gap.distance.at_most), Overlap::Hit, "pair {number}: {gap:?}");
            assert_eq!(
                within_distance(a, b, gap.distance.at_most * 1.5),
                Overlap::Hit,
                "pair {number}: {gap:?}"
            );
            if gap.distance.at_most > 0.0 {
                for share in [0.0, 0.5, 0.9, 0.999_999] {
                    let margin = gap.distance.at_least * share;
                    assert_eq!(
                        within_distance(a, b, margin),
                        Overlap::Free,
                        "pair {number}, {margin}: {gap:?}"
                    );
                }
                let below = gap.distance.at_least.next_down();
                assert_eq!(within_distance(a, b, below), Overlap::Free, "pair {number}, {below}: {gap:?}");
            }
        }
    }
}
