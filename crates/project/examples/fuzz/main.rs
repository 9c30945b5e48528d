//! Reads damaged files, by the million, on the stable toolchain.
//!
//! `cargo run --release -p noli-project --example fuzz -- PARSER EXECUTIONS SEED`
//!
//! PARSER is the name of a folder in `fuzz/corpus`, such as obj, scene, urdf or val; the seed (0 if absent) decides
//! everything. A panic, an input that takes too long or one that takes too much memory ends the campaign, leaves the
//! input in `fuzz/artifacts` and exits with 1. One execution reads a mesh twice, plain and welded (3MF once), and runs a
//! program that is one. Campaigns with different seeds can run side by side. With a file in place of EXECUTIONS that
//! input alone is read.
#![allow(clippy::print_stdout, reason = "this is a program")]
#![allow(missing_docs, reason = "nobody can call it")]
#![allow(unreachable_pub, reason = "a test includes the modules")]

mod answer;
mod campaign;
mod memory;
mod mutate;
mod robots;

use campaign::{Campaign, PARSERS, Parser, corpus};
use noli_formats::MeshFormat;
use robots::RobotText;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Time limit for reading an input.
const LONGEST: Duration = Duration::from_secs(5);

/// Inputs that take longer, and longer than all before, are kept.
const SLOW: Duration = Duration::from_secs(1);

/// After how many executions to say so.
const PROGRESS: u64 = 250_000;

/// The most memory that an input may take while it is read, in bytes.
fn memory_limit(parser: Parser, length: usize) -> usize {
    match parser {
        // What these unfold into is limited to 2^16 numbers and 256 for each byte of the file.
        Parser::Mesh(MeshFormat::Gltf | MeshFormat::Dxf) | Parser::ThreeMf | Parser::Bcf => {
            (1 << 25) + (1 << 16) * length
        }
        // A byte of TOML may open a table, one of XML an element.
        Parser::Scene | Parser::Dae => (1 << 16) + (1 << 9) * length,
        // Queries are answered, by a search that keeps boxes, and by integers of thousands of bits where numbers of
        // one are as large as 1e90 and as small as 1e-320.
        Parser::Queries => (1 << 20) + (1 << 9) * length,
        // Robots have links and joints of some hundred bytes for a few letters each; runs of programs keep every
        // motion, of which their limits allow a few hundred.
        Parser::Robot(RobotText::Program) => (1 << 23) + (1 << 10) * length,
        // Models, spheres and filters of a dozen shapes.
        Parser::Robot(RobotText::Answer) => (1 << 26) + (1 << 10) * length,
        Parser::Robot(_) => (1 << 17) + (1 << 10) * length,
        _ => (1 << 14) + (1 << 8) * length,
    }
}

/// The worst of a campaign.
#[derive(Default)]
struct Worst {
    time: Duration,
    /// The execution that took this time.
    slowest: u64,
    /// The one that is read now.
    execution: u64,
    bytes: usize,
    /// The memory as a part of the limit.
    share: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, absent: u64| match arguments.get(at) {
        None => Some(absent),
        Some(argument) => argument.parse().ok(),
    };
    let known = arguments.first().and_then(|name| PARSERS.iter().find(|(known, _)| known == name));
    if let (Some(&(name, parser)), Some(Ok(input))) = (known, arguments.get(1).map(std::fs::read)) {
        return alone(name, parser, &input);
    }
    let (Some(&(name, parser)), Some(executions), Some(seed)) = (known, number(1, 100_000), number(2, 0))
    else {
        let names: Vec<&str> = PARSERS.iter().map(|parser| parser.0).collect();
        eprintln!("usage: fuzz {} [EXECUTIONS|FILE] [SEED]", names.join("|"));
        return ExitCode::from(2);
    };
    run(name, parser, executions, seed)
}

/// Reads one input by itself.
fn alone(name: &str, parser: Parser, input: &[u8]) -> ExitCode {
    let mut worst = Worst::default();
    match examine(&Campaign::new(name, parser, 0), parser, input, &mut worst) {
        Ok((_, bytes)) => {
            println!("{name}: {} bytes, read in {:.3?} with {} kB", input.len(), worst.time, bytes / 1000);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{name}: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Inputs that unfold into more than so many bytes are read but not kept: damaging them over and over would fill
/// the campaign with slow ones.
const LARGE: usize = 100_000;

fn run(name: &str, parser: Parser, executions: u64, seed: u64) -> ExitCode {
    let start = Instant::now();
    let mut campaign = Campaign::new(name, parser, seed);
    let mut worst = Worst::default();
    // What is made once, such as the names of generated parts, counts for no input.
    corpus(name).iter().for_each(|(_, bytes)| {
        campaign.read(bytes);
    });
    for execution in 0..executions {
        if execution > 0 && execution % PROGRESS == 0 {
            eprintln!("{name}: {execution} executions, {:.0?}", start.elapsed());
        }
        let input = campaign.input();
        worst.execution = execution;
        match examine(&campaign, parser, &input, &mut worst) {
            Ok((answer, bytes)) => {
                if (worst.slowest, worst.time > SLOW) == (execution, true) {
                    let saved = save(name, seed, execution, &input);
                    eprintln!(
                        "{name}, seed {seed}, execution {execution}: {:.1?}; input in {saved}",
                        worst.time
                    );
                }
                if bytes < LARGE {
                    campaign.keep(input, answer);
                }
            }
            Err(why) => {
                let saved = save(name, seed, execution, &input);
                eprintln!("{name}, seed {seed}, execution {execution}: {why}; input in {saved}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{name}: {executions} executions, seed {seed}, in {:.1?}; {} kinds of answer; slowest {:.1?} \
         (execution {}), most memory {} kB ({:.0} % of the limit for its input)",
        start.elapsed(),
        campaign.answers(),
        worst.time,
        worst.slowest,
        worst.bytes / 1000,
        100.0 * worst.share,
    );
    ExitCode::SUCCESS
}

/// Reads an input within its limits, or says what went wrong.
fn examine(
    campaign: &Campaign,
    parser: Parser,
    input: &[u8],
    worst: &mut Worst,
) -> Result<(u64, usize), String> {
    let start = Instant::now();
    let before = memory::restart();
    let answer =
        catch_unwind(AssertUnwindSafe(|| campaign.read(input))).map_err(|_| "panicked".to_owned())?;
    let (mut time, bytes) = (start.elapsed(), memory::peak().saturating_sub(before));
    // Where other work shares the machine, waiting is not reading: a slow input gets more chances.
    for _ in 0..5 {
        if time > LONGEST {
            let again = Instant::now();
            campaign.read(input);
            time = time.min(again.elapsed());
        }
    }
    let limit = memory_limit(parser, input.len());
    if time > worst.time {
        (worst.time, worst.slowest) = (time, worst.execution);
    }
    worst.bytes = worst.bytes.max(bytes);
    worst.share = worst.share.max(bytes as f64 / limit as f64);
    if time > LONGEST {
        return Err(format!("took {time:?}"));
    }
    if bytes > limit {
        return Err(format!("took {bytes} bytes, but {limit} should do for {} bytes", input.len()));
    }
    Ok((answer, bytes))
}

fn save(name: &str, seed: u64, execution: u64, input: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/artifacts").join(name);
    let path = folder.join(format!("seed-{seed}-execution-{execution}"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input)) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("no file ({error})"),
    }
}
