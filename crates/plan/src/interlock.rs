//! Interlocks of several robots: which instruction waits for which, so that no timing collides and none is stuck.
//!
//! The coordination diagram of two robots (O'Donnell and Lozano-Pérez 1989) has the progress of each as an axis. A staircase
//! from start to end on the boundaries of instructions, along which one robot moves while the other rests, lies on one
//! side of every blocked cell. The side gives the order of the two instructions. All orders come from one sequence, so
//! they form no cycle; between them both robots move at any speed.

use noli_robot::cell::Coordination;
use std::collections::BinaryHeap;

/// An instruction that waits until another robot has finished one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wait {
    /// The robot that waits.
    pub robot: usize,
    /// The instruction before which it waits.
    pub before: usize,
    /// The robot it waits for.
    pub other: usize,
    /// The instruction of that robot that has to be finished.
    pub after: usize,
}

/// Timings with which two programs are collision-free.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Interlock {
    /// Collision-free with any timing, proven.
    Independent,
    /// Collision-free with any timing that keeps these waits, proven; there is no deadlock.
    Ordered(Vec<Wait>),
    /// No order of whole instructions is proven collision-free.
    Impossible,
}

/// The instructions of a program on its axis of a coordination diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Shares of the program at which instructions begin, from 0 on, and 1 at the end.
    pub shares: Vec<f64>,
    /// The time of each as driven, in seconds.
    pub times: Vec<f64>,
}

impl Axis {
    /// The number of instructions.
    pub fn count(&self) -> usize {
        self.shares.len().min(self.times.len()).saturating_sub(1)
    }

    /// Returns the instruction in which a share lies.
    pub fn instruction_of(&self, share: f64) -> usize {
        let ends = self.shares.get(1..).unwrap_or_default();
        ends.partition_point(|&end| end < share).min(self.count().saturating_sub(1))
    }

    /// Returns the instruction in progress at a time as driven; the first before the start, the last after the end.
    pub fn instruction_at(&self, time: f64) -> usize {
        let begun = self.times.partition_point(|&start| start <= time);
        begun.saturating_sub(1).min(self.count().saturating_sub(1))
    }

    /// The instructions that a closed interval of shares touches.
    fn touched(&self, [from, to]: [f64; 2]) -> std::ops::Range<usize> {
        let n = self.count();
        let first = self.shares[1..].partition_point(|&end| end < from).min(n);
        let last = self.shares[..n].partition_point(|&start| start <= to);
        first..last.max(first)
    }

    /// The boundaries in a closed interval of shares.
    fn boundaries(&self, [from, to]: [f64; 2]) -> std::ops::Range<usize> {
        let all = &self.shares[..=self.count()];
        all.partition_point(|&share| share < from)..all.partition_point(|&share| share <= to)
    }
}

/// Instructions and steps that are not proven collision-free.
struct Table {
    counts: [usize; 2],
    /// Pairs of instructions.
    pairs: Vec<bool>,
    /// Steps of the first robot while the second rests at a boundary, and of the second while the first rests.
    steps: [Vec<bool>; 2],
}

impl Table {
    fn new(diagram: &Coordination, axes: [&Axis; 2]) -> Self {
        let [n, m] = axes.map(Axis::count);
        let mut table = Self {
            counts: [n, m],
            pairs: vec![false; n * m],
            steps: [vec![false; n * (m + 1)], vec![false; (n + 1) * m]],
        };
        for [a, b] in &diagram.blocked {
            for i in axes[0].touched(*a) {
                axes[1].touched(*b).for_each(|j| table.pairs[i * m + j] = true);
                axes[1].boundaries(*b).for_each(|j| table.steps[0][i * (m + 1) + j] = true);
            }
            for i in axes[0].boundaries(*a) {
                axes[1].touched(*b).for_each(|j| table.steps[1][i * m + j] = true);
            }
        }
        table
    }

    /// The number of instructions that the second robot has finished before each instruction of the first, on the
    /// staircase nearest to the motions as timed.
    fn staircase(&self, axes: [&Axis; 2]) -> Option<Vec<usize>> {
        let [n, m] = self.counts;
        let node = |i: usize, j: usize| i * (m + 1) + j;
        let mut cost = vec![f64::INFINITY; (n + 1) * (m + 1)];
        let mut from = vec![usize::MAX; cost.len()];
        let mut queue = BinaryHeap::from([Step { cost: 0.0, at: [0, 0] }]);
        cost[0] = 0.0;
        while let Some(Step { cost: spent, at: [i, j] }) = queue.pop() {
            if spent > cost[node(i, j)] {
                continue;
            }
            let first = (i < n && !self.steps[0][i * (m + 1) + j]).then_some([i + 1, j]);
            let second = (j < m && !self.steps[1][i * m + j]).then_some([i, j + 1]);
            for next in first.into_iter().chain(second) {
                let apart = (axes[0].times[next[0]] - axes[1].times[next[1]]).abs();
                let (to, more) = (node(next[0], next[1]), spent + apart + 1e-9);
                if more < cost[to] {
                    (cost[to], from[to]) = (more, node(i, j));
                    queue.push(Step { cost: more, at: next });
                }
            }
        }
        let mut at = node(n, m);
        if !cost[at].is_finite() {
            return None;
        }
        let mut finished = vec![0; n];
        while at != 0 {
            let before = from[at];
            if before / (m + 1) < at / (m + 1) {
                finished[before / (m + 1)] = before % (m + 1);
            }
            at = before;
        }
        Some(finished)
    }
}

/// A node of the staircase with its cost; the smallest comes first.
#[derive(PartialEq)]
struct Step {
    cost: f64,
    at: [usize; 2],
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Computes the waits that make two programs collision-free with any timing. `robots` are their numbers in the waits.
#[doc(alias("semaphore", "coordination"))]
pub fn interlock(diagram: &Coordination, axes: [&Axis; 2], robots: [usize; 2]) -> Interlock {
    if diagram.is_independent() {
        return Interlock::Independent;
    }
    let table = Table::new(diagram, axes);
    let Some(finished) = table.staircase(axes) else { return Interlock::Impossible };
    let [n, m] = table.counts;
    let (mut waits, mut latest) = (Vec::new(), None);
    for (i, &done) in finished.iter().enumerate() {
        let last = (0..done).rev().find(|&j| table.pairs[i * m + j]);
        if last > latest {
            latest = last;
            let after = last.unwrap_or_default();
            waits.push(Wait { robot: robots[0], before: i, other: robots[1], after });
        }
    }
    latest = None;
    for j in 0..m {
        let last = (0..n).rev().find(|&i| j >= finished[i] && table.pairs[i * m + j]);
        if last > latest {
            latest = last;
            let after = last.unwrap_or_default();
            waits.push(Wait { robot: robots[1], before: j, other: robots[0], after });
        }
    }
    Interlock::Ordered(waits)
}

/// Computes the start and end of every instruction of several robots that keep waits, given how long each takes; `None` if
/// they wait for each other forever.
pub fn schedule(durations: &[Vec<f64>], waits: &[Wait]) -> Option<Vec<Vec<[f64; 2]>>> {
    let mut done: Vec<Vec<[f64; 2]>> = durations.iter().map(|_| Vec::new()).collect();
    loop {
        let mut moved = false;
        for robot in 0..durations.len() {
            while let Some(&length) = durations[robot].get(done[robot].len()) {
                let number = done[robot].len();
                let mut start = done[robot].last().map_or(0.0, |span| span[1]);
                let own = waits.iter().filter(|wait| wait.robot == robot && wait.before == number);
                let ready = own.map(|wait| Some(done.get(wait.other)?.get(wait.after)?[1]));
                let Some(ready) = ready.collect::<Option<Vec<f64>>>() else { break };
                start = ready.into_iter().fold(start, f64::max);
                done[robot].push([start, start + length]);
                moved = true;
            }
        }
        if done.iter().zip(durations).all(|(done, all)| done.len() == all.len()) {
            return Some(done);
        }
        if !moved {
            return None;
        }
    }
}
