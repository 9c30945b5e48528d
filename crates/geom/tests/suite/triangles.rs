//! A sample of the campaign (`examples/triangle_campaign.rs`).

use crate::support::{self, Case, Random};

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
