//! Compares the triangle tests with the oracle on many pairs:
//! `cargo run --release -p noli-geom --example triangle_campaign -- --random 100000 --degenerate 100000 --seed 1`.
//!
//! Every pair: relation against the oracle, swapped, and scaled by a power of two. Every `--every`-th
//! pair (16 unless told): also the distance bracket and the vertices of the common part.

#![allow(clippy::print_stdout)]
#![allow(dead_code, reason = "the support module serves several programs")]

#[path = "../tests/suite/support/mod.rs"]
mod support;

use noli_geom::Relation;
use std::process::ExitCode;
use support::{Case, Random};

#[derive(Default)]
struct Counts {
    separated: u64,
    touching: u64,
    intersecting: u64,
    distances: u64,
    differences: u64,
}

fn main() -> ExitCode {
    let mut options = [("--random", 100_000), ("--degenerate", 100_000), ("--seed", 1), ("--every", 16)];
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|v| v.parse().ok());
        match (options.iter_mut().find(|(known, _)| *known == name), value) {
            (Some(option), Some(value)) => option.1 = value,
            _ => {
                println!("{name}: expected --random, --degenerate, --seed or --every with a number");
                return ExitCode::from(2);
            }
        }
    }
    let [(_, random), (_, degenerate), (_, seed), (_, every)] = options;
    let mut counts = Counts::default();
    run(support::random, random, &mut Random::new(seed), every.max(1), &mut counts);
    run(support::degenerate, degenerate, &mut Random::new(!seed), every.max(1), &mut counts);
    let Counts { separated, touching, intersecting, distances, differences } = counts;
    println!(
        "{} pairs: {separated} apart, {touching} touching, {intersecting} intersecting; \
         {distances} with distance and common part; {differences} differences",
        random + degenerate
    );
    ExitCode::from((differences > 0) as u8)
}

fn run(make: fn(&mut Random) -> Case, count: u64, rng: &mut Random, every: u64, counts: &mut Counts) {
    for k in 0..count {
        let case = make(rng);
        let exponent = rng.integer(60) as i32;
        let more = k % every == 0;
        counts.distances += more as u64;
        let relation = support::check_relation(&case, exponent).and_then(|relation| {
            if more {
                support::check_distance(&case, exponent)?;
                support::check_intersection(&case)?;
            }
            Ok(relation)
        });
        match relation {
            Ok(Relation::Separated) => counts.separated += 1,
            Ok(Relation::Intersecting) => counts.intersecting += 1,
            Ok(_) => counts.touching += 1,
            Err(_) => {}
        }
        if let Err(difference) = relation {
            counts.differences += 1;
            if counts.differences <= 10 {
                println!("{difference}");
            }
        }
    }
}
