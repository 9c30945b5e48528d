//! Generated cells of several arms, and random timings that keep their waits.

use crate::setup::{Problem, Words, shares};
use noli::Pose;
use noli_plan::{Axis, Interlock, Wait, interlock, schedule};
use noli_robot::cell::{Cell, CellBuilder, CoordinationOptions};
use noli_robot::{JointCurve, PumaSet, puma560};
use std::sync::Arc;

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
pub(crate) fn cells(words: &Words) -> Result<u64, Problem> {
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
