//! A sample of the campaign (`examples/campaign.rs`).

mod support;

use support::{Case, Random};

fn sample(make: fn(&mut Random) -> Case, count: usize) {
    let mut rng = Random(7);
    let mut seen = [0usize; 3];
    for _ in 0..count {
        let case = make(&mut rng);
        let exponent = rng.integer(60) as i32;
        match support::check_relation(&case, exponent) {
            Ok(relation) => seen[relation as usize] += 1,
            Err(difference) => panic!("{difference}"),
        }
    }
    assert!(seen.iter().all(|&n| n > 0) || count < 1000, "one-sided sample: {seen:?}");
}

#[test]
fn degenerate_pairs_agree_with_the_oracle() {
    sample(support::degenerate, 30_000);
}

#[test]
fn random_pairs_agree_with_the_oracle() {
    let mut rng = Random(3);
    for _ in 0..30_000 {
        let case = support::random(&mut rng);
        support::check_relation(&case, rng.integer(60) as i32).unwrap();
    }
}
