//! Forged certificates of false claims, judged by `noli-verify`, and kept for the other checker:
//!
//! ```text
//! forgeries [COUNT] [SEED] [FOLDER EACH]      writes each EACHth forgery to FOLDER
//! python3 crates/certificate/examples/forgeries/judge.py FOLDER      judges them in Python
//! ```
//!
//! Exit code 1 if a forgery is accepted, or a true certificate refused.
#![allow(clippy::print_stdout, reason = "this is a program")]

mod forge;

use forge::{Draw, Tally, bases, forge, rules};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error + Send + Sync>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| words.get(at).map_or(Ok(default), |word| word.parse());
    let (count, seed, each) = (number(0, 100_000)?, number(1, 1)?, number(3, 1)?);
    let (all, mut tally) = (bases()?, Tally::default());
    for base in &all {
        let mut bytes = Vec::new();
        base.write(&mut bytes);
        let error = noli_verify::check(&bytes, &noli_verify::Options::default()).error;
        if let Some(error) = error {
            println!("{}: {error}", base.name);
            return Ok(ExitCode::FAILURE);
        }
        if let Some(folder) = words.get(2) {
            std::fs::create_dir_all(folder)?;
            std::fs::write(format!("{folder}/true {}.cert", base.name), &bytes)?;
        }
    }
    let mut draw = Draw::new(seed as u64);
    while tally.judged < count {
        let Some(forgery) = forge(&all, &mut draw) else { continue };
        tally.add(&forgery);
        if let Some(folder) = words.get(2).filter(|_| tally.judged.is_multiple_of(each)) {
            std::fs::write(format!("{folder}/forged {seed} {}.cert", tally.judged), &forgery.bytes)?;
        }
    }
    println!("{} true certificates, {} forgeries by {} rules", all.len(), tally.judged, rules().len());
    for (rule, times) in &tally.tried {
        println!("  {times:>8}  {rule}");
    }
    println!("refused: {:?}", tally.codes);
    println!("accepted: {:?}", tally.accepted);
    Ok(if tally.accepted.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
