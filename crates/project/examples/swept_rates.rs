//! Times of swept volumes: of the quick search, and of the plain one on the same motion.
//!
//! `cargo run --release -p noli-project --example swept_rates -- [--robot URDF] [--packages FOLDER] [--plain MM] MM...`
//!
//! A PUMA 560, or the robot of a URDF file, is swept along five configurations, with each of the errors in
//! millimetres. The plain search runs where the error is at least that of `--plain`.

#![allow(clippy::print_stdout, reason = "this is a program")]

use noli::Pose;
use noli_project::{RobotOptions, load_robot};
use noli_robot::cell::CellBuilder;
use noli_robot::{JointCurve, PumaSet, puma560};
use noli_sweep::{ArmSweep, SweepOptions, sweep_plain};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

type Problem = Box<dyn std::error::Error>;

/// The options.
struct Words {
    robot: Option<PathBuf>,
    packages: Vec<PathBuf>,
    plain: f64,
    errors: Vec<f64>,
}

fn words() -> Result<Words, Problem> {
    let mut found = Words { robot: None, packages: Vec::new(), plain: f64::INFINITY, errors: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or_else(|| format!("{word}: a value is missing"));
        match word.as_str() {
            "--robot" => found.robot = Some(next()?.into()),
            "--packages" => found.packages.push(next()?.into()),
            "--plain" => found.plain = next()?.parse()?,
            error => found.errors.push(error.parse().map_err(|_| format!("{error}: give an error in mm"))?),
        }
    }
    if found.errors.is_empty() {
        found.errors = vec![40.0, 20.0, 10.0];
    }
    Ok(found)
}

fn main() -> Result<(), Problem> {
    let words = words()?;
    let (robot, shapes) = match &words.robot {
        None => {
            let robot = puma560(PumaSet::FuGonzalezLee);
            let shapes = robot.shapes(|file| Err(format!("{file}: there are no files")))?;
            (robot, shapes)
        }
        Some(path) => {
            let options = RobotOptions { packages: words.packages.clone(), ..RobotOptions::default() };
            let loaded = load_robot(path, &options)?;
            (loaded.robot, loaded.shapes)
        }
    };
    let rows: Vec<Vec<f64>> = (0..5).map(|k| configuration(&robot, k)).collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let mut plan = CellBuilder::default();
    plan.add_robot("", Arc::new(robot), Pose::IDENTITY, &shapes)?;
    let cell = plan.build();
    let curve = JointCurve::linear(&[0.0, 1.0, 2.0, 3.0, 4.0], &rows)?;
    let arm = ArmSweep::new(&cell, &curve)?;
    println!(
        "{:>8} {:>12} {:>12} {:>9} {:>9} {:>9} {:>7}",
        "mm", "cells", "m3", "s", "mesh s", "plain s", "ratio"
    );
    for error in words.errors {
        let options = SweepOptions::new(1e-3 * error);
        let begun = Instant::now();
        let volume = arm.sweep(&options)?;
        let quick = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let faces = volume.outer_mesh()?.triangle_count();
        let mesh = begun.elapsed().as_secs_f64();
        let (mut plain, mut ratio) = (String::new(), String::new());
        if error >= words.plain {
            let begun = Instant::now();
            let slow = sweep_plain(&arm.bodies(), &options)?;
            let seconds = begun.elapsed().as_secs_f64();
            (plain, ratio) = (format!("{seconds:.2}"), format!("{:.1}", seconds / quick));
            println!("{:>8} {:>12} {:>12.5} plain", "", slow.visited(), slow.inner_volume());
        }
        println!(
            "{error:>8} {:>12} {:>12.5} {quick:>9.3} {mesh:>9.3} {plain:>9} {ratio:>7} {faces} triangles",
            volume.visited(),
            volume.inner_volume()
        );
    }
    Ok(())
}

/// A configuration within the limits, another for every number.
fn configuration(robot: &noli_robot::Robot, number: usize) -> Vec<f64> {
    let mut values = robot.neutral().0;
    for (joint, variable) in robot.variables().iter().enumerate() {
        let [low, high] = variable.limits.range.unwrap_or([-1.0, 1.0]);
        // Irrational steps spread evenly.
        let share = (0.37 + 0.618_033_988_749_894_8 * number as f64 + 0.29 * joint as f64).fract();
        values[joint] = low + (high - low) * (0.3 + 0.4 * share);
    }
    robot.apply_laws(&mut values);
    values
}
