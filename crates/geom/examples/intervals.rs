//! Compares interval operations with unbounded integers:
//! `cargo run --release -p noli-geom --example intervals -- COUNT SEED`. Panics at the first difference.

#![allow(clippy::print_stdout)]
#![allow(dead_code, reason = "the support module serves several programs")]

#[path = "../tests/suite/support/intervals.rs"]
mod intervals;
#[path = "../tests/suite/support/mod.rs"]
mod support;

use support::Random;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse().unwrap_or(0));
    let (count, seed) = (numbers.next().unwrap_or(1_000_000), numbers.next().unwrap_or(1));
    let mut rng = Random::new(seed);
    for _ in 0..count {
        intervals::check_moderate(&mut rng);
        intervals::check_extreme(&mut rng);
    }
    println!("{count} operations of moderate size and {count} of any exponent: all hold the exact value");
}
