//! Triangles of one surface: what they have in common beyond shared vertices and edges.

use crate::support::{self, Case, Random};
use noli_geom::{PairFrame, RelativePose, Triangle, TrianglePair, naive};

fn beyond(case: &Case) -> (bool, usize) {
    let frame = PairFrame::new(&RelativePose::new(&case.world_from_a, &case.world_from_b));
    let pair = TrianglePair::new(&case.a, &case.b, &frame);
    (pair.meets_beyond_shared(), pair.shared_vertices())
}

fn check(case: &Case) -> (bool, usize) {
    let answer = beyond(case);
    let truth = naive::meets_beyond_shared(&case.a, &case.b, &case.world_from_a, &case.world_from_b);
    assert_eq!(answer.0, truth, "{case:?}");
    assert_eq!(beyond(&support::swapped(case)), answer, "swapped: {case:?}");
    answer
}

#[test]
fn hard_pairs_agree_with_the_oracle() {
    let mut rng = Random::new(11);
    for _ in 0..20_000 {
        check(&support::degenerate(&mut rng));
    }
}

/// Vertices on a small grid meet, line up and share planes all the time.
#[test]
fn grid_pairs_agree_with_the_oracle() {
    let mut rng = Random::new(5);
    let mut seen = [[0usize; 4]; 2];
    for _ in 0..40_000 {
        let reach = 1 + rng.below(2) as i64;
        let mut triangle = || Triangle { vertices: std::array::from_fn(|_| rng.grid(reach)) };
        let (a, mut b) = (triangle(), triangle());
        for k in 0..3 {
            if rng.one_in(2) {
                b.vertices[k] = a.vertices[rng.below(3) as usize];
            }
        }
        let pose = noli_geom::Pose::IDENTITY;
        let (meets, shared) = check(&Case { a, b, world_from_a: pose, world_from_b: pose });
        seen[usize::from(meets)][shared] += 1;
    }
    assert!(seen.as_flattened().iter().all(|&n| n > 10), "one-sided sample: {seen:?}");
}

/// Fans in general position around one vertex: the case that `f64` decides.
#[test]
fn ordinary_fans_agree_with_the_oracle() {
    let mut rng = Random::new(6);
    let mut seen = [0usize; 2];
    for _ in 0..20_000 {
        let mut triangle = || Triangle { vertices: std::array::from_fn(|_| rng.vector()) };
        let (a, mut b) = (triangle(), triangle());
        b.vertices[rng.below(3) as usize] = a.vertices[rng.below(3) as usize];
        let pose = noli_geom::Pose::IDENTITY;
        seen[usize::from(check(&Case { a, b, world_from_a: pose, world_from_b: pose }).0)] += 1;
    }
    assert!(seen.iter().all(|&n| n > 1000), "one-sided sample: {seen:?}");
}
