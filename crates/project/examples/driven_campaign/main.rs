//! Motions as driven, held against dense samples and every pair of shapes by itself:
//!
//! `cargo run --release -p noli-project --example driven_campaign -- curves ROBOT.urdf [SRDF] [--cage] [--kinds A,B] [--count N]
//! [--samples N] [--exact N] [--seed S] [--threads N] [--seconds S]`: random curves of every kind; those proven collision-free
//! are sampled, those called colliding have a witness. With `--seconds` each kind ends after its share of that time.
//!
//! `… -- blends ROBOT.urdf SRDF --problems FOLDER [--count N] [--part K/N]`: plans of MotionBenchMaker blended and timed;
//! blends of the wanted radius that collide are counted, limits are tested at samples.
//!
//! `… -- cells [--count N] [--timings N] [--seed S]`: generated cells of two and three PUMA arms; random timings that keep the
//! computed waits must not collide. Exit code 1 if anything is wrong.
#![allow(clippy::print_stdout, reason = "this is a program")]

mod blends;
mod cells;
mod curves;
mod kinds;
#[path = "../robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;

use setup::{Problem, Words};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let wrong = match words.0.first().map_or("", String::as_str) {
        "curves" => curves::curves(&words)?,
        "blends" => blends::blends(&words)?,
        "cells" => cells::cells(&words)?,
        _ => return Err("begin with `curves`, `blends` or `cells`".into()),
    };
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
