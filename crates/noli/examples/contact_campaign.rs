//! Very many pairs of bodies, half of them near each other and half touching exactly: their contacts against all pairs of
//! features, and against what happens when they move.
//!
//! ```text
//! cargo run --release -p noli --example contact_campaign -- 100000 [SEED]
//! ```
//!
//! On all cores. Pair `n` depends on the seed and on `n` alone. Ends with an error if a list was wrong.

#[path = "../tests/suite/common/contact_pairs.rs"]
mod contact_pairs;
#[path = "../tests/suite/common/feature_oracle.rs"]
mod feature_oracle;
#[path = "../tests/suite/common/polycubes.rs"]
mod polycubes;

use contact_pairs::{random_near_pair, random_touching_pair, zoo};
use noli_scenes::SplitMix64;
use rayon::prelude::*;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |usual: u64| {
        arguments.next().map_or(usual, |text| text.parse::<u64>().expect("pairs and a seed, whole numbers"))
    };
    let (pairs, seed) = (number(100_000), number(1));
    let zoo = zoo();
    let answers: Vec<(u64, Result<usize, String>)> = (0..pairs)
        .into_par_iter()
        .map(|pair| {
            let mut random =
                SplitMix64::new(SplitMix64::new(seed).next_u64() ^ pair.wrapping_mul(0x2545_F491_4F6C_DD1D));
            let found = if pair % 2 == 0 {
                random_near_pair(&zoo, &mut random)
            } else {
                random_touching_pair(&mut random).map(|touched| touched.contacts)
            };
            (pair, found)
        })
        .collect();
    let contacts: usize = answers.iter().filter_map(|(_, found)| found.as_ref().ok()).sum();
    let wrong: Vec<String> = answers
        .iter()
        .filter_map(|(pair, found)| Some(format!("pair {pair}: {}", found.as_ref().err()?)))
        .collect();
    wrong.iter().take(10).for_each(|wrong| eprintln!("{wrong}"));
    eprintln!("{pairs} pairs, {contacts} contacts: {} wrong", wrong.len());
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
