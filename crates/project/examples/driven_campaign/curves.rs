//! Random curves of each kind against dense samples and every pair of shapes by itself.

use crate::kinds::{KINDS, Source};
use crate::setup::{self, Naive, Problem, Words, shares};
use noli_robot::cell::{Cell, MotionStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Counts of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    curves: u64,
    free: u64,
    blocked: u64,
    close: u64,
    /// Colliding curves of which 32 samples do not collide.
    missed: u64,
    /// Configurations in blocks, and by every pair.
    states: u64,
    naive_states: u64,
    wrong: u64,
    seconds: f64,
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.curves += other.curves;
        self.free += other.free;
        self.blocked += other.blocked;
        self.close += other.close;
        self.missed += other.missed;
        self.states += other.states;
        self.naive_states += other.naive_states;
        self.wrong += other.wrong;
        self.seconds += other.seconds;
    }

    fn line(&self, name: &str, kind: &str) -> String {
        format!(
            "{name} {kind}: {} curves, {} collision-free, {} colliding ({} missed by 32 samples), {} undecided; {:.3} ms each; \
             {} states in blocks, {} by every pair; {} wrong",
            self.curves,
            self.free,
            self.blocked,
            self.missed,
            self.close,
            1e3 * self.seconds / self.curves.max(1) as f64,
            self.states,
            self.naive_states,
            self.wrong
        )
    }
}

/// Counts and limits of a run.
struct Run<'a> {
    cell: &'a Cell,
    source: Source,
    naive: Naive<'a>,
    count: usize,
    samples: usize,
    exact: usize,
    seed: u64,
}

/// Random curves of each kind; the number of wrong answers.
pub(crate) fn curves(words: &Words) -> Result<u64, Problem> {
    let (robot, cell) = setup::cell(words)?;
    cell.prepare();
    let chosen = words.after("--kinds").map_or(KINDS.to_vec(), |names| names.split(',').collect());
    let run = Run {
        cell: &cell,
        source: Source::new(&robot)?,
        naive: Naive::new(&cell),
        count: words.number("--count", 200)?,
        samples: words.number("--samples", 10_000)?,
        exact: words.number("--exact", 100)?,
        seed: words.number("--seed", 1)?,
    };
    let threads: usize =
        words.number("--threads", std::thread::available_parallelism().map_or(1, usize::from))?;
    let share = words.number::<f64>("--seconds", f64::INFINITY)? / chosen.len() as f64;
    let limit = Duration::try_from_secs_f64(share).unwrap_or(Duration::MAX);
    let mut all = Count::default();
    for kind in &chosen {
        let (next, begun) = (AtomicUsize::new(0), Instant::now());
        let work = || -> Result<Count, Problem> {
            let mut own = Count::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= run.count || begun.elapsed() > limit {
                    return Ok(own);
                }
                own.add(&run.one(kind, number)?);
            }
        };
        let found = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().map_err(|_| "a thread ended early"))
                .collect::<Vec<_>>()
        });
        let mut sum = Count::default();
        for count in found {
            sum.add(&count??);
        }
        println!("{}; {:.1} s", sum.line(robot.name(), kind), begun.elapsed().as_secs_f64());
        all.add(&sum);
    }
    println!("{}", all.line(robot.name(), "in all"));
    if all.free == 0 || all.blocked == 0 {
        return Err("no curve is collision-free, or none collides: nothing was compared".into());
    }
    Ok(all.wrong)
}

impl Run<'_> {
    /// The same curve for the same number, whatever the threads.
    fn one(&self, kind: &str, number: usize) -> Result<Count, Problem> {
        let mut seed = self.seed;
        for part in kind.bytes().map(u64::from).chain([number as u64]) {
            seed = (seed ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
        let mut share = shares(seed);
        let mut checker = self.cell.checker();
        let curve = self.source.curve(kind, &mut checker, &mut share)?;
        let at = |share: f64| curve.position(curve.time_at(share));
        let begun = Instant::now();
        let status = checker.check_curve(&curve)?;
        let mut count = Count { curves: 1, seconds: begun.elapsed().as_secs_f64(), ..Count::default() };
        match status {
            MotionStatus::Free => {
                count.free = 1;
                let samples = self.samples;
                count.states = samples as u64 + 1;
                let states: Vec<f64> =
                    (0..=samples).flat_map(|k| at(k as f64 / samples.max(1) as f64)).collect();
                count.wrong += u64::from(checker.any_in_collision(&states)?.is_some());
                for _ in 0..self.exact {
                    count.naive_states += 1;
                    count.wrong += u64::from(self.naive.hit(&at(share()))?);
                }
            }
            MotionStatus::Blocked { at: moment, .. } => {
                count.blocked = 1;
                count.naive_states += 1;
                count.wrong += u64::from(!self.naive.hit(&at(moment))?);
                let states: Vec<f64> = (0..=32).flat_map(|k| at(f64::from(k) / 32.0)).collect();
                count.missed += u64::from(checker.any_in_collision(&states)?.is_none());
            }
            MotionStatus::Close { .. } => count.close = 1,
        }
        Ok(count)
    }
}
