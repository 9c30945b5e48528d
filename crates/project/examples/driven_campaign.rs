//! Motions as driven, held against dense samples and every pair of shapes by itself:
//!
//! `cargo run --release -p noli-project --example driven_campaign -- curves ROBOT.urdf [SRDF] [--cage] [--count N] [--samples N]
//! [--exact N] [--seed S]`: random linear, cubic, quintic and B-spline curves; those proven collision-free are sampled, those
//! called colliding have a witness.
//!
//! `… -- blends ROBOT.urdf SRDF --problems FOLDER [--count N] [--part K/N]`: plans of MotionBenchMaker blended and timed;
//! blends of the wanted radius that collide are counted, limits are tested at samples.
//!
//! `… -- cells [--count N] [--timings N] [--seed S]`: generated cells of two and three PUMA arms; random timings that keep the
//! computed waits must not collide. Exit code 1 if anything is wrong.
#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "robot_rates/setup.rs"]
#[allow(unreachable_pub, dead_code, reason = "other examples have it too")]
mod setup;

use noli::{Model, Pose};
use noli_plan::{
    Axis, DriveLimits, DriveOptions, Effort, Interlock, JointOptions, Wait, drive_path, interlock,
    plan_joints, schedule,
};
use noli_project::list_problems;
use noli_robot::cell::{Cell, CellBuilder, CoordinationOptions, MotionStatus, StateStatus};
use noli_robot::{JointCurve, PumaSet, puma560};
use setup::{Naive, Problem, Words, draw, ranges, shares, step};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Kinds of curves.
const KINDS: [&str; 4] = ["linear", "cubic", "quintic", "b-spline"];

fn random_curve(
    ranges: &[[f64; 2]],
    kind: usize,
    from: &[f64],
    share: &mut impl FnMut() -> f64,
) -> Result<JointCurve, Problem> {
    let (mut points, length) = (vec![from.to_vec()], 0.6 * share());
    for _ in 0..4 {
        points.push(step(ranges, &points[points.len() - 1], length, share));
    }
    let rows: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
    let times = [0.0, 0.5, 1.0, 1.5, 2.0];
    let mut rates = |scale: f64| -> Vec<Vec<f64>> {
        points.iter().map(|point| point.iter().map(|_| scale * (share() - 0.5)).collect()).collect()
    };
    let (velocities, accelerations) = (rates(1.0), rates(2.0));
    fn by(rows: &[Vec<f64>]) -> Vec<&[f64]> {
        rows.iter().map(Vec::as_slice).collect()
    }
    Ok(match kind {
        0 => JointCurve::linear(&times, &rows)?,
        1 => JointCurve::cubic(&times, &rows, &by(&velocities))?,
        2 => JointCurve::quintic(&times, &rows, &by(&velocities), &by(&accelerations))?,
        _ => JointCurve::b_spline(3, &[0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0], &rows)?,
    })
}

/// Random curves of each kind against samples; the number of wrong answers.
fn curves(words: &Words) -> Result<u64, Problem> {
    let (robot, cell) = setup::cell(words)?;
    cell.prepare();
    let (ranges, naive) = (ranges(&robot), Naive::new(&cell));
    let count: usize = words.number("--count", 200)?;
    let (samples, exact): (usize, usize) =
        (words.number("--samples", 10_000)?, words.number("--exact", 100)?);
    let mut share = shares(words.number("--seed", 1)?);
    let mut checker = cell.checker();
    let mut wrong = 0;
    for (kind, name) in KINDS.iter().enumerate() {
        let (mut free, mut blocked, mut close, mut missed) = (0, 0, 0, 0);
        let (mut seconds, mut naive_states) = (0.0, 0u64);
        for _ in 0..count {
            let from = loop {
                let from = draw(&ranges, 1, &mut share);
                if checker.check_state(&from)? == StateStatus::Free {
                    break from;
                }
            };
            let curve = random_curve(&ranges, kind, &from, &mut share)?;
            let at = |share: f64| curve.position(curve.time_at(share));
            let begun = Instant::now();
            let status = checker.check_curve(&curve)?;
            seconds += begun.elapsed().as_secs_f64();
            match status {
                MotionStatus::Free => {
                    free += 1;
                    let states: Vec<f64> =
                        (0..=samples).flat_map(|k| at(k as f64 / samples as f64)).collect();
                    wrong += u64::from(checker.any_in_collision(&states)?.is_some());
                    for _ in 0..exact {
                        naive_states += 1;
                        wrong += u64::from(naive.hit(&at(share()))?);
                    }
                }
                MotionStatus::Blocked { at: moment, .. } => {
                    blocked += 1;
                    naive_states += 1;
                    wrong += u64::from(!naive.hit(&at(moment))?);
                    let states: Vec<f64> = (0..=32).flat_map(|k| at(f64::from(k) / 32.0)).collect();
                    missed += u64::from(checker.any_in_collision(&states)?.is_none());
                }
                MotionStatus::Close { .. } => close += 1,
            }
        }
        println!(
            "{} {name}: {count} curves, {free} collision-free, {blocked} colliding ({missed} missed by 32 samples), {close} \
             undecided; {:.3} ms each; {} states in blocks, {naive_states} by every pair; {wrong} wrong so far",
            robot.name(),
            1e3 * seconds / count as f64,
            free * (samples + 1),
        );
    }
    Ok(wrong)
}

/// The part of the work after `--part`, from 0 on, and the number of parts.
fn part_of(words: &Words) -> Result<[usize; 2], Problem> {
    let Some(text) = words.after("--part") else { return Ok([0, 1]) };
    let (part, parts) = text.split_once('/').ok_or("--part takes K/N, such as 0/16")?;
    let (part, parts) = (part.parse()?, parts.parse()?);
    if part >= parts {
        return Err(format!("--part {text}: count the parts from 0").into());
    }
    Ok([part, parts])
}

/// Plans of published problems, blended and timed; the number of wrong answers.
fn blends(words: &Words) -> Result<u64, Problem> {
    let folder = words.after("--problems").ok_or("name the folder of problems with --problems")?;
    let (most, radius): (usize, f64) = (words.number("--count", 100)?, words.number("--blend", 0.3)?);
    let base = setup::plan(words)?;
    let (robot, builder) = (base.0, base.1);
    let (mut wrong, mut plans, mut naive_blends, mut colliding, mut stops) = (0, 0, 0u64, 0u64, 0u64);
    let (mut driven_s, mut stop_s, mut paths_with) = (0.0, 0.0, 0u64);
    let [part, parts] = part_of(words)?;
    for files in list_problems(folder)?.into_iter().take(most).skip(part).step_by(parts) {
        let problem = files.read()?;
        let mut plan = builder.clone();
        for body in &problem.bodies {
            plan.add_obstacle(&body.name, &Model::new(body.shape.clone())?, body.pose)?;
        }
        for [a, b] in &problem.allowed {
            let _ = plan.disable(a, b, "allowed by the problem");
        }
        let cell = plan.build();
        let mut from = robot.zero().0;
        for (name, value) in &problem.start {
            robot.variable(name).into_iter().for_each(|number| from[number] = *value);
        }
        robot.apply_laws(&mut from);
        let (mut to, mut moving) = (from.clone(), Vec::new());
        for (name, value) in &problem.goal {
            let number = robot.variable(name).ok_or("the robot has no such joint")?;
            to[number] = *value;
            moving.push(number);
        }
        robot.apply_laws(&mut to);
        let effort = Effort { steps: 200_000, searches: 1, ..Effort::default() };
        let options = JointOptions { effort, shorten: 300, ..JointOptions::default() };
        let Ok(found) = plan_joints(&cell, &from, &to, &moving, &options) else { continue };
        let Some(path) = found.path else { continue };
        plans += 1;
        let limits = DriveLimits::of_cell(&cell);
        let driven = drive_path(&cell, &path.configurations, &DriveOptions::new(limits.clone(), radius))?;
        let collide = driven.blends.iter().filter(|blend| blend.collides).count() as u64;
        naive_blends += driven.blends.len() as u64;
        colliding += collide;
        paths_with += u64::from(collide > 0);
        stops += driven.blends.iter().filter(|blend| blend.radius == 0.0).count() as u64;
        (driven_s, stop_s) = (driven_s + driven.curve.duration(), stop_s + driven.stop_and_go);
        let mut checker = cell.checker();
        wrong += u64::from(checker.check_curve(&driven.curve)? != MotionStatus::Free);
        let at = |k: usize| driven.curve.time_at(k as f64 / 10_000.0);
        let states: Vec<f64> = (0..=10_000).flat_map(|k| driven.curve.position(at(k))).collect();
        wrong += u64::from(checker.any_in_collision(&states)?.is_some());
        let most = [&limits.velocity, &limits.acceleration, &limits.jerk];
        for k in 0..=10_000 {
            for (order, most) in (1..).zip(most) {
                let rates = driven.curve.derivative(at(k), order);
                wrong +=
                    rates.iter().zip(most).filter(|(rate, most)| rate.abs() > **most * (1.0 + 1e-6)).count()
                        as u64;
            }
        }
    }
    println!(
        "{plans} plans, {naive_blends} blends of {radius}: {colliding} collide ({paths_with} plans have one), {stops} stops left; \
         {driven_s:.1} s driven, {stop_s:.1} s with stops; {wrong} wrong at 10,001 samples each"
    );
    Ok(wrong)
}

/// A robot of a generated cell.
struct Arm {
    curve: JointCurve,
    axis: Axis,
}

/// Counts of random timings.
#[derive(Default)]
struct Timings {
    tested: u64,
    /// Those that collide or are stuck although all waits are kept.
    wrong: u64,
    /// Those without waits, and how many of them collide.
    unordered: [u64; 2],
}

/// Random cells of several arms and random timings; the number of wrong answers.
fn cells(words: &Words) -> Result<u64, Problem> {
    let count: usize = words.number("--count", 20)?;
    let timings: u64 = words.number("--timings", 1000)?;
    let mut share = shares(words.number("--seed", 1)?);
    let (mut kinds, mut all) = ([0; 3], Timings::default());
    for attempt in 0..20 * count {
        let tested = kinds[0] + kinds[1];
        if tested == count {
            break;
        }
        let number = 2 + tested % 2;
        let cell = ring(number, 0.45 + 0.4 * share())?;
        let arms =
            (0..number).map(|arm| program((arm, number), &mut share)).collect::<Result<Vec<Arm>, _>>()?;
        let (waits, classes) = waits_of(&cell, &arms)?;
        let Some(waits) = waits else {
            kinds[2] += 1;
            continue;
        };
        kinds[usize::from(!waits.is_empty())] += 1;
        let found = random_timings(&cell, &arms, &waits, timings, &mut share)?;
        let [without, collide] = found.unordered;
        println!(
            "cell {attempt}: {number} arms, {classes:?}, {} waits, {} timings, {} wrong; {collide} of {without} \
             timings without waits collide",
            waits.len(),
            found.tested,
            found.wrong
        );
        (all.tested, all.wrong) = (all.tested + found.tested, all.wrong + found.wrong);
        all.unordered = [all.unordered[0] + without, all.unordered[1] + collide];
    }
    println!(
        "{} cells: {} independent, {} ordered, {} more without order; {} random timings at {MOMENTS} moments each, {} \
         collide or are stuck; {} of {} without waits collide",
        kinds[0] + kinds[1],
        kinds[0],
        kinds[1],
        kinds[2],
        all.tested,
        all.wrong,
        all.unordered[1],
        all.unordered[0],
    );
    Ok(all.wrong)
}

/// PUMA arms at a distance from a common centre, which all face; only pairs across arms are checked.
fn ring(arms: usize, away: f64) -> Result<Cell, Problem> {
    let robot = Arc::new(puma560(PumaSet::FuGonzalezLee));
    let shapes = robot.shapes(|file| Err(file.to_owned()))?;
    let mut plan = CellBuilder::default();
    for arm in 0..arms {
        let angle = std::f64::consts::TAU * arm as f64 / arms as f64;
        let place = noli::glam::dvec3(away * angle.cos(), away * angle.sin(), 0.0);
        let facing = noli::glam::DQuat::from_rotation_z(angle + std::f64::consts::PI);
        plan.add_robot(&format!("{arm}/"), robot.clone(), Pose::new(facing, place), &shapes)?;
        let names: Vec<String> = robot.links().iter().map(|link| format!("{arm}/{}", link.name)).collect();
        for (k, a) in names.iter().enumerate() {
            // Links without a shape are not known to the cell.
            names[..k].iter().for_each(|b| drop(plan.disable(a, b, "only pairs across arms are compared")));
        }
    }
    Ok(plan.build())
}

/// A program of one arm: from the raised arm to four poses in front of it and back, as a curve of all variables of the
/// cell.
fn program((arm, arms): (usize, usize), share: &mut impl FnMut() -> f64) -> Result<Arm, Problem> {
    use std::f64::consts::FRAC_PI_2;
    let rest = [0.0, -FRAC_PI_2, FRAC_PI_2, 0.0, 0.0, 0.0];
    let mut own = vec![rest];
    for _ in 0..4 {
        let mut around = |middle: f64, half: f64| middle + half * (2.0 * share() - 1.0);
        let [turn, lean, bend] = [around(0.0, 1.2), around(-0.8, 0.7), around(FRAC_PI_2, 0.8)];
        own.push([turn, lean, bend, around(0.0, 1.0), around(0.0, 1.0), around(0.0, 1.0)]);
    }
    own.push(rest);
    let rows: Vec<Vec<f64>> = own
        .iter()
        .map(|values| {
            let mut whole = rest.repeat(arms);
            whole[arm * rest.len()..][..rest.len()].copy_from_slice(values);
            whole
        })
        .collect();
    let times: Vec<f64> = (0..rows.len()).map(|k| k as f64).collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let curve = JointCurve::linear(&times, &rows)?;
    let last = times[times.len() - 1];
    let axis = Axis { shares: times.iter().map(|time| time / last).collect(), times };
    Ok(Arm { curve, axis })
}

/// The waits of all pairs; `None` if some pair has no order, or all together are stuck.
fn waits_of(cell: &Cell, all: &[Arm]) -> Result<(Option<Vec<Wait>>, Vec<&'static str>), Problem> {
    let mut options = CoordinationOptions::default();
    options.depth = 7;
    let (mut waits, mut classes, mut possible) = (Vec::new(), Vec::new(), true);
    for b in 0..all.len() {
        for a in 0..b {
            // Only these two: the others are far from both in this diagram, as their pairs are not across.
            let curves = [&all[a].curve, &all[b].curve];
            let diagram = cell.checker().coordinate_of(curves, [&[a], &[b]], &options)?;
            match interlock(&diagram, [&all[a].axis, &all[b].axis], [a, b]) {
                Interlock::Independent => classes.push("independent"),
                Interlock::Ordered(more) => {
                    classes.push("order needed");
                    waits.extend(more);
                }
                _ => {
                    classes.push("no order");
                    possible = false;
                }
            }
        }
    }
    let durations: Vec<Vec<f64>> = all.iter().map(|arm| vec![1.0; arm.axis.shares.len() - 1]).collect();
    let waits = (possible && schedule(&durations, &waits).is_some()).then_some(waits);
    Ok((waits, classes))
}

/// Moments at which a timing is tested.
const MOMENTS: usize = 48;

/// Random durations and progress within instructions, with all waits and, for one in eight, without.
fn random_timings(
    cell: &Cell,
    all: &[Arm],
    waits: &[Wait],
    timings: u64,
    share: &mut impl FnMut() -> f64,
) -> Result<Timings, Problem> {
    let (mut found, mut checker, mut states) = (Timings::default(), cell.checker(), Vec::new());
    for number in 0..timings {
        let durations: Vec<Vec<f64>> = all
            .iter()
            .map(|arm| (1..arm.axis.shares.len()).map(|_| (6.0 * share() - 3.0).exp()).collect())
            .collect();
        found.tested += 1;
        let Some(spans) = schedule(&durations, waits) else {
            found.wrong += 1;
            continue;
        };
        sample(&spans, all, share, &mut states);
        found.wrong += u64::from(checker.any_in_collision(&states)?.is_some());
        if number % 8 == 0
            && let Some(spans) = schedule(&durations, &[])
        {
            sample(&spans, all, share, &mut states);
            found.unordered[0] += 1;
            found.unordered[1] += u64::from(checker.any_in_collision(&states)?.is_some());
        }
    }
    Ok(found)
}

/// Configurations of all arms at random moments of a schedule; each arm speeds up or slows down in its instructions.
fn sample(spans: &[Vec<[f64; 2]>], all: &[Arm], share: &mut impl FnMut() -> f64, states: &mut Vec<f64>) {
    let end = spans.iter().filter_map(|spans| Some(spans.last()?[1])).fold(0.0, f64::max);
    let powers: Vec<f64> = all.iter().map(|_| (2.0 * share() - 1.0).exp()).collect();
    states.clear();
    for _ in 0..MOMENTS {
        let time = end * share();
        for (number, arm) in all.iter().enumerate() {
            let whole = arm.curve.position(place_at(&spans[number], time, powers[number]));
            let size = whole.len() / all.len();
            states.extend_from_slice(&whole[number * size..][..size]);
        }
    }
}

/// The place on a program, one unit for each instruction, at a time of a schedule.
fn place_at(spans: &[[f64; 2]], time: f64, power: f64) -> f64 {
    for (number, [start, end]) in spans.iter().enumerate() {
        if time < *start {
            return number as f64;
        }
        if time < *end {
            return number as f64 + ((time - start) / (end - start)).powf(power);
        }
    }
    spans.len() as f64
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let wrong = match words.0.first().map_or("", String::as_str) {
        "curves" => curves(&words)?,
        "blends" => blends(&words)?,
        "cells" => cells(&words)?,
        _ => return Err("begin with `curves`, `blends` or `cells`".into()),
    };
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
