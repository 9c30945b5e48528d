//! Compares every evaluation of random expressions on random cells with numbers of 256 binary places:
//! `cargo run --release -p noli-implicit --example enclosures -- POINTS SEED`. Panics at the first miss.

#![allow(clippy::print_stdout)]
#![allow(dead_code, reason = "the support module serves several programs")]

#[path = "../tests/suite/support/mod.rs"]
mod support;

use support::{Random, check_enclosures};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse().unwrap_or(0));
    let (points, seed) = (numbers.next().unwrap_or(1_000_000), numbers.next().unwrap_or(1));
    let mut rng = Random::new(seed);
    let (mut compared, mut cells) = (0, 0u64);
    while compared < points as usize {
        compared += check_enclosures(&mut rng, 8);
        cells += 1;
        if cells % 100_000 == 0 {
            println!("{cells} cells, {compared} points");
        }
    }
    println!(
        "{cells} expressions on cells, {compared} points: every enclosure holds the exact value (seed {seed})"
    );
}
