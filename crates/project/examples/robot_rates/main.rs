//! Configurations a second on one thread, beside asking pair by pair, with the answers held against each
//! other: `cargo run --release -p noli-project --example robot_rates ROBOT.urdf [SRDF] [--cage | --around SCENE]
//! [--surface] [--check N] [--edges N] [--only blocks|free|one|edges]`. Every figure is the best of many short passes, so
//! that a pass which another program interrupted does not count.

#[allow(unreachable_pub, reason = "another example has it too")]
mod setup;

use noli_robot::cell::{Checker, MotionStatus, StateStatus};
use setup::{Naive, Problem, Words, draw, ranges, shares, step};
use std::io::Write;
use std::time::Instant;

const STATES: usize = 20_000;

/// Seconds of the shortest of some passes.
fn best_of(passes: usize, mut pass: impl FnMut() -> Result<(), Problem>) -> Result<f64, Problem> {
    let mut best = f64::INFINITY;
    for _ in 0..passes {
        let start = Instant::now();
        pass()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Straight segments in joint space from these free configurations, of three lengths: microseconds for those proven free
/// and for those found blocked. `step` returns the end of a segment in any direction.
fn edges(
    checker: &mut Checker<'_>,
    free: &[&[f64]],
    mut step: impl FnMut(&[f64], f64) -> Vec<f64>,
    out: &mut impl Write,
) -> Result<(), Problem> {
    for length in [0.1, 0.5, 2.0] {
        // Seconds of free, blocked and close ones.
        let mut found: [Vec<f64>; 3] = Default::default();
        let asked = checker.exact_query_count();
        for from in free {
            let to = step(from, length);
            let mut connection = MotionStatus::Free;
            let took = best_of(5, || {
                connection = checker.check_motion(from, &to)?;
                Ok(())
            })?;
            let kind = match connection {
                MotionStatus::Free => 0,
                MotionStatus::Blocked { .. } => 1,
                MotionStatus::Close { .. } => 2,
            };
            found[kind].push(1e6 * took);
        }
        let questions = (checker.exact_query_count() - asked) as f64 / (5 * free.len()) as f64;
        writeln!(out, "edges of {length}: {questions:.1} questions each")?;
        for (name, mut each) in ["free", "blocked", "close"].into_iter().zip(found) {
            each.sort_by(f64::total_cmp);
            if let (Some(middle), Some(last)) = (each.get(each.len() / 2), each.last()) {
                let mean = each.iter().sum::<f64>() / each.len() as f64;
                let count = each.len();
                writeln!(out, "  {count} {name}: {mean:.1} us, median {middle:.1}, longest {last:.1}")?;
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Problem> {
    let words = Words::new();
    let check: usize = words.number("--check", 4000)?;
    let mut lines = std::io::stdout().lock();
    let start = Instant::now();
    let (robot, cell) = setup::cell(&words)?;
    let built = start.elapsed().as_secs_f64();
    cell.prepare();
    let prepared = start.elapsed().as_secs_f64() - built;
    writeln!(lines, "loaded and built in {built:.2} s, tables in {prepared:.2} s")?;

    let (mut share, mut turns) = (shares(5), shares(9));
    let ranges = ranges(&robot);
    let size = ranges.len();
    let states = draw(&ranges, STATES, &mut share);
    let only = words.after("--only");
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let (mut checker, mut found) = (cell.checker(), Vec::new());
    let asked = checker.exact_query_count();
    checker.check_states(&states, &mut found)?;
    let questions = (checker.exact_query_count() - asked) as f64 / STATES as f64;
    let rows = states.chunks_exact(size).zip(&found);
    let free: Vec<f64> = rows
        .filter(|(_, status)| **status == StateStatus::Free)
        .flat_map(|(values, _)| values.iter().copied())
        .collect();
    let mut all = 0.0;
    for (name, states) in [("blocks", &states), ("free", &free)] {
        if wanted(name) && !states.is_empty() {
            // Passes of some two thousand, one after the other: few are interrupted.
            let mut out = Vec::new();
            let mut took = 0.0;
            for part in states.chunks(2000 * size) {
                took += best_of(40, || Ok(checker.check_states(part, &mut out)?))?;
            }
            let rate = (states.len() / size) as f64 / took;
            writeln!(lines, "{name}: {rate:.0} a second")?;
            all = if name == "blocks" { rate } else { all };
        }
    }
    writeln!(lines, "{} of {STATES} free, {questions:.3} questions to shapes each", free.len() / size)?;
    if wanted("one") {
        let mut took = 0.0;
        for part in states[..4000 * size].chunks(1000 * size) {
            took += best_of(40, || {
                for values in part.chunks_exact(size) {
                    checker.check_state(values)?;
                }
                Ok(())
            })?;
        }
        writeln!(lines, "one at a time: {:.0} a second", 4000.0 / took)?;
    }
    if wanted("edges") {
        let count = words.number("--edges", 1000)?;
        let free: Vec<&[f64]> = free.chunks_exact(size).take(count).collect();
        edges(&mut checker, &free, |from, length| step(&ranges, from, length, &mut turns), &mut lines)?;
    }
    if only.is_some() {
        return Ok(());
    }

    let naive = Naive::new(&cell);
    let (mut differences, mut asked, mut took) = (0, 0, 0.0);
    while asked < check {
        let states = if asked == 0 { states.clone() } else { draw(&ranges, STATES, &mut share) };
        checker.check_states(&states, &mut found)?;
        let start = Instant::now();
        for (values, status) in states.chunks_exact(size).zip(&found).take(check - asked) {
            differences += usize::from(naive.hit(values)? != matches!(status, StateStatus::Hit(_)));
            asked += 1;
        }
        took += start.elapsed().as_secs_f64();
    }
    let each = took / asked as f64;
    writeln!(lines, "pair by pair: {:.0} a second, {differences} of {asked} differ", 1.0 / each)?;
    writeln!(lines, "ratio: {:.1}", all * each)?;
    Ok(())
}
