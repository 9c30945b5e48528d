//! Reads damaged formulas and `.vm` texts, by the million, on the stable toolchain.
//!
//! `cargo run --release -p noli-implicit --example fuzz_formulas -- formula|vm EXECUTIONS SEED`
//!
//! The seed (0 if absent) decides everything. What can be read is also evaluated over cells. A panic ends the
//! campaign with the text; an answer that takes more than five seconds does so too.

#![allow(clippy::print_stdout)]
#![allow(dead_code, reason = "the support module serves several programs")]

#[path = "../tests/suite/support/damage.rs"]
mod damage;
#[path = "../tests/suite/support/mod.rs"]
mod support;

use damage::{Damage, examine};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, absent: u64| arguments.get(at).map_or(Some(absent), |a| a.parse().ok());
    let kind = arguments.first().map(String::as_str).filter(|kind| ["formula", "vm"].contains(kind));
    let (Some(kind), Some(executions), Some(seed)) = (kind, number(1, 100_000), number(2, 0)) else {
        eprintln!("usage: fuzz formula|vm [EXECUTIONS] [SEED]");
        return ExitCode::from(2);
    };
    let mut damage = Damage::new(kind, seed);
    let (mut read, mut longest) = (0u64, Duration::ZERO);
    for _ in 0..executions {
        let text = damage.next_text();
        let started = Instant::now();
        let readable = examine(kind, &text);
        longest = longest.max(started.elapsed());
        if longest > Duration::from_secs(5) {
            println!("took {longest:?}:\n{text}");
            return ExitCode::from(1);
        }
        if readable {
            read += 1;
            damage.keep(text);
        }
    }
    println!(
        "{executions} {kind} texts, {read} of them readable, longest {longest:?}, no panic (seed {seed})"
    );
    ExitCode::SUCCESS
}
