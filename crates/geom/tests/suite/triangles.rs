//! A sample of the campaign (`examples/triangle_campaign.rs`).

use crate::support::{self, Case, Random};
use glam::DVec3;
use noli_geom::{ExactDistance, Pose, Triangle};

/// Runs a check on reproducible cases.
fn sample(make: fn(&mut Random) -> Case, count: usize, check: impl Fn(&Case, i32) -> Result<(), String>) {
    let mut rng = Random::new(7);
    for _ in 0..count {
        let case = make(&mut rng);
        let exponent = rng.integer(60) as i32;
        if let Err(difference) = check(&case, exponent) {
            panic!("{difference}");
        }
    }
}

fn relation(case: &Case, exponent: i32) -> Result<(), String> {
    support::check_relation(case, exponent).map(|_| ())
}

#[test]
fn relation_of_degenerate_pairs() {
    sample(support::degenerate, 10_000, relation);
}

#[test]
fn relation_of_random_pairs() {
    sample(support::random, 10_000, relation);
}

#[test]
fn distance_of_degenerate_pairs() {
    sample(support::degenerate, 2_500, support::check_distance);
}

#[test]
fn distance_of_random_pairs() {
    sample(support::random, 1_500, support::check_distance);
}

#[test]
fn intersection_of_degenerate_pairs() {
    sample(support::degenerate, 2_500, |case, _| support::check_intersection(case));
}

#[test]
fn intersection_of_random_pairs() {
    sample(support::random, 2_500, |case, _| support::check_intersection(case));
}

#[test]
fn pairs_at_the_ends_of_the_range() {
    sample(support::extreme, 1_000, |case, _| {
        relation(case, 0)?;
        support::check_distance(case, 0)?;
        support::check_intersection(case)
    });
}

/// Triangles thin or small for their distance, and points near their planes: the distance is exact up to rounding.
#[test]
fn closest_points_are_those_of_exact_arithmetic() {
    let mut random = Random::new(19);
    for case in 0..20_000 {
        let [along, across, corner, away] = std::array::from_fn(|_| random.vector());
        let [thin, small, near] = [1, 15, 225].map(|step| 0.1f64.powi(case / step % 15));
        let vertices = [DVec3::ZERO, along, along * 0.4 + across * thin].map(|p| corner + p * small);
        let triangle = Triangle { vertices };
        let inside = (vertices[0] + vertices[1] + vertices[2] * 2.0) / 4.0;
        let point = inside + away * near;
        let found = triangle.closest_to(point).distance(point);
        let exact = ExactDistance::new(
            &triangle,
            &Triangle::new(point, point, point),
            &Pose::IDENTITY,
            &Pose::IDENTITY,
        );
        let slack = 4e-15;
        assert!(exact.compare(found + slack).is_le(), "{vertices:?} {point:?}: {found} is too small");
        assert!(
            exact.compare((found - slack).max(0.0)).is_ge(),
            "{vertices:?} {point:?}: {found} is too large"
        );
    }
}
