//! Very many questions about a robot, held against asking every pair of shapes by itself, on all cores:
//!
//! `cargo run --release -p noli-project --example robot_campaign -- states|edges ROBOT.urdf [SRDF] [--cage | --around SCENE]
//! [--count N] [--first K] [--seed S] [--threads T] [--length RAD] [--samples N]`
//!
//! `states`: first hits of blocks, of the same blocks backwards, and one at a time must agree with each other and
//! with every pair. `edges`: ways proven free are looked at in so many places each, and none may collide; of the
//! others it is counted how many a sampling of 32 a radian would accept. Work is cut into chunks with a seed each:
//! the figures of a chunk do not depend on threads, and `--first` begins with a later one. Exit code 1 if anything
//! is wrong.
#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "robot_rates/setup.rs"]
#[allow(unreachable_pub, reason = "another example has it too")]
mod setup;

use noli_robot::cell::{Cell, MotionStatus, StateStatus};
use setup::{Naive, Problem, Words, draw, ranges, shares, step};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Questions of a chunk.
const STATES: usize = 1000;
const EDGES: usize = 50;
/// Places a radian that planners look at.
const PER_RADIAN: f64 = 32.0;

/// Counts of findings.
#[derive(Default)]
struct Tally {
    asked: u64,
    free: u64,
    wrong: u64,
    /// Blocked ways that sampling accepts, and places looked at.
    accepted: u64,
    places: u64,
    first_wrong: Option<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.free += other.free;
        self.wrong += other.wrong;
        self.accepted += other.accepted;
        self.places += other.places;
        self.first_wrong = self.first_wrong.take().or(other.first_wrong);
    }

    fn wrong(&mut self, what: String) {
        self.wrong += 1;
        self.first_wrong.get_or_insert(what);
    }
}

struct Campaign<'c> {
    cell: &'c Cell,
    ranges: Vec<[f64; 2]>,
    length: f64,
    samples: usize,
    seed: u64,
}

impl Campaign<'_> {
    /// Far apart for chunks that are neighbours.
    fn shares(&self, chunk: u64) -> impl FnMut() -> f64 + use<> {
        shares(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ chunk.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    fn states(&self, chunk: u64) -> Result<Tally, Problem> {
        let (size, mut tally) = (self.ranges.len(), Tally::default());
        let states = draw(&self.ranges, STATES, &mut self.shares(chunk));
        let (mut checker, naive) = (self.cell.checker(), Naive::new(self.cell));
        let (mut found, mut turned) = (Vec::new(), Vec::new());
        checker.check_states(&states, &mut found)?;
        let backwards: Vec<f64> = states.chunks_exact(size).rev().flatten().copied().collect();
        checker.check_states(&backwards, &mut turned)?;
        turned.reverse();
        for (k, values) in states.chunks_exact(size).enumerate() {
            let hit = naive.hit(values)?;
            let alone = checker.check_state(values)?;
            tally.asked += 1;
            tally.free += u64::from(!hit);
            let same = found[k] == turned[k] && found[k] == alone;
            if hit != matches!(found[k], StateStatus::Hit(_)) || !same {
                tally.wrong(format!(
                    "chunk {chunk}, state {k}: pairs {hit}, {:?}, {:?}, {alone:?}",
                    found[k], turned[k]
                ));
            }
        }
        Ok(tally)
    }

    fn edges(&self, chunk: u64) -> Result<Tally, Problem> {
        let mut tally = Tally::default();
        let mut share = self.shares(chunk);
        let (mut checker, naive) = (self.cell.checker(), Naive::new(self.cell));
        let mut statuses = Vec::new();
        while tally.asked < EDGES as u64 {
            let from = draw(&self.ranges, 1, &mut share);
            if checker.check_state(&from)? != StateStatus::Free {
                continue;
            }
            let to = step(&self.ranges, &from, self.length, &mut share);
            let at = |s: f64| -> Vec<f64> { from.iter().zip(&to).map(|(a, b)| a + (b - a) * s).collect() };
            tally.asked += 1;
            match checker.check_motion(&from, &to)? {
                MotionStatus::Free => {
                    tally.free += 1;
                    for k in 0..self.samples {
                        let s = (k as f64 + share()) / self.samples as f64;
                        tally.places += 1;
                        if naive.hit(&at(s))? {
                            tally.wrong(format!(
                                "chunk {chunk}: proven free, and hit at {s} from {from:?} to {to:?}"
                            ));
                        }
                    }
                }
                MotionStatus::Blocked { at: moment, .. } => {
                    if !naive.hit(&at(moment))? {
                        tally.wrong(format!(
                            "chunk {chunk}: blocked at {moment}, and free: {from:?} to {to:?}"
                        ));
                    }
                    let length = from.iter().zip(&to).map(|(a, b)| (b - a).powi(2)).sum::<f64>().sqrt();
                    let last = (length * PER_RADIAN).ceil().max(1.0);
                    let places: Vec<f64> = (0..=last as usize).flat_map(|k| at(k as f64 / last)).collect();
                    checker.check_states(&places, &mut statuses)?;
                    let free = statuses.iter().all(|status| *status == StateStatus::Free);
                    tally.accepted += u64::from(free);
                }
                MotionStatus::Close { .. } => {}
            }
        }
        Ok(tally)
    }
}

fn main() -> Result<ExitCode, Problem> {
    let words = Words::new();
    let what = words.0.first().map_or("", String::as_str);
    let per_chunk = match what {
        "states" => STATES,
        "edges" => EDGES,
        _ => return Err("begin with `states` or `edges`".into()),
    } as u64;
    let start = Instant::now();
    let (robot, cell) = setup::cell(&words)?;
    cell.prepare();
    let prepared = start.elapsed().as_secs_f64();
    let campaign = Campaign {
        cell: &cell,
        ranges: ranges(&robot),
        length: words.number("--length", 2.0)?,
        samples: words.number("--samples", 1000)?,
        seed: words.number("--seed", 1)?,
    };
    let (count, first): (u64, u64) = (words.number("--count", 10 * per_chunk)?, words.number("--first", 0)?);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads: usize = words.number("--threads", cores)?;
    let (next, end) = (AtomicU64::new(first), first + count.div_ceil(per_chunk));
    let all: Mutex<Result<Tally, Problem>> = Mutex::new(Ok(Tally::default()));
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let chunk = next.fetch_add(1, Ordering::Relaxed);
                    if chunk >= end {
                        break;
                    }
                    let found = if what == "states" { campaign.states(chunk) } else { campaign.edges(chunk) };
                    let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    match (found, &mut *all) {
                        (Ok(found), Ok(tally)) => tally.add(found),
                        (Err(error), Ok(_)) => *all = Err(error),
                        (_, Err(_)) => break,
                    }
                }
            });
        }
    });
    let tally = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)?;
    println!(
        "{what} {}: {} asked, {} free, {} wrong; {} places looked at, {} blocked ways that 32 places a radian accept; \
         {:.1} s on {threads} threads, prepared in {prepared:.2} s; chunks {first} to {end}, seed {}",
        robot.name(),
        tally.asked,
        tally.free,
        tally.wrong,
        tally.places,
        tally.accepted,
        begun.elapsed().as_secs_f64(),
        campaign.seed,
    );
    Ok(match tally.first_wrong {
        None => ExitCode::SUCCESS,
        Some(wrong) => {
            println!("{wrong}");
            ExitCode::FAILURE
        }
    })
}
