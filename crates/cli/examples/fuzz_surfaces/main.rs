//! Damages what programs and strangers hand to noli, from the file or connection to the answer, on the stable toolchain.
//!
//! `cargo run --release -p noli-cli --example fuzz_surfaces -- TARGET EXECUTIONS SEED`
//!
//! TARGET is database, shard, conversion, http or websocket; the seed (0 if absent) decides everything. A panic, an answer
//! that no damage may give, or one that takes too long ends the campaign, leaves the input in `fuzz/artifacts` and exits
//! with 1. Campaigns with different seeds can run side by side.
#![allow(clippy::print_stdout, reason = "this is a program")]
#![allow(missing_docs, reason = "nobody can call it")]
#![allow(unreachable_pub, reason = "a test includes the modules")]

mod connection;
mod damage;
mod files;
mod target;

use noli_testing::Random;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use target::{NAMES, Target};

/// Time that one execution may take.
const LONGEST: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, absent: u64| match arguments.get(at) {
        None => Some(absent),
        Some(argument) => argument.parse().ok(),
    };
    let name = arguments.first().and_then(|name| NAMES.into_iter().find(|known| known == name));
    let (Some(name), Some(executions), Some(seed)) = (name, number(1, 1000), number(2, 0)) else {
        eprintln!("usage: fuzz_surfaces {} [EXECUTIONS] [SEED]", NAMES.join("|"));
        return ExitCode::from(2);
    };
    // The cache is chosen by variables, which only a new process can be given.
    if let Some(status) = target::restarted(name) {
        return status;
    }
    run(name, executions, seed)
}

fn run(name: &str, executions: u64, seed: u64) -> ExitCode {
    let start = Instant::now();
    let (mut target, mut random) = (Target::new(name), Random::new(seed));
    let (mut slowest, mut refused) = (Duration::ZERO, 0_u64);
    for execution in 0..executions {
        let input = target.input(&mut random);
        let began = Instant::now();
        let answer = target.execute(&input);
        slowest = slowest.max(began.elapsed());
        let answer = match answer {
            Ok(_) if began.elapsed() > LONGEST => Err(format!("took {:?}", began.elapsed())),
            answer => answer,
        };
        match answer {
            Ok(is_refused) => refused += u64::from(is_refused),
            Err(why) => {
                let saved = save(name, seed, execution, &input);
                eprintln!("{name}, seed {seed}, execution {execution}: {why}; input in {saved}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{name}: {executions} executions, seed {seed}, in {:.1?}; {refused} refused; slowest {slowest:.1?}",
        start.elapsed()
    );
    ExitCode::SUCCESS
}

fn save(name: &str, seed: u64, execution: u64, input: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/artifacts").join(name);
    let path = folder.join(format!("seed-{seed}-execution-{execution}"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input)) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("no file ({error})"),
    }
}
