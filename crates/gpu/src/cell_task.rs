//! Queries about many configurations of a cell, with the answers of a GPU and of the CPU.

use noli::Overlap;
use noli_robot::cell::{Cell, Checker, CollidingPair, MotionStatus, StateStatus};
use rayon::prelude::*;

/// Query about a configuration or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellQuery {
    /// Test for any collision.
    Any,
    /// The pair of the lowest number that does.
    First,
    /// All pairs that do.
    All,
    /// Test for any collision on a path.
    Edge,
}

/// Result of a GPU for one configuration.
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "a GPU's answers"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) verdict: Overlap,
    pub(crate) pair: u32,
    /// A bit for each couple, and their pairs.
    pub(crate) hits: &'a [u16],
    pub(crate) pairs: &'a [u32],
}

/// Result of a query about configurations.
pub(crate) trait CellAnswer: Clone + Send + Sync {
    const QUERY: CellQuery;
    fn unknown() -> Self;
    /// Creates it from a GPU's proven result.
    fn found(found: &Found<'_>) -> Self;
    /// The CPU's answer.
    fn settled(checker: &mut Checker<'_>, from: &[f64], to: &[f64]) -> Self;
    /// The same to many, of so many values each.
    fn all_settled(checker: &mut Checker<'_>, from: &[f64], to: &[f64], size: usize) -> Vec<Self> {
        let rows = from.chunks_exact(size).zip(to.chunks_exact(size));
        rows.map(|(from, to)| Self::settled(checker, from, to)).collect()
    }
}

/// Verdict on a configuration or a path: `Unknown` where neither is proven.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State(pub(crate) Overlap);
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge(pub(crate) Overlap);

impl CellAnswer for State {
    const QUERY: CellQuery = CellQuery::Any;

    fn unknown() -> Self {
        Self(Overlap::Unknown)
    }

    fn found(found: &Found<'_>) -> Self {
        Self(found.verdict)
    }

    fn settled(checker: &mut Checker<'_>, from: &[f64], _: &[f64]) -> Self {
        checker.check_state(from).map_or(Self::unknown(), Self::of)
    }

    /// Sixteen at a time.
    fn all_settled(checker: &mut Checker<'_>, from: &[f64], _: &[f64], size: usize) -> Vec<Self> {
        let mut statuses = Vec::new();
        match checker.check_states(from, &mut statuses) {
            Ok(()) => statuses.into_iter().map(Self::of).collect(),
            Err(_) => vec![Self::unknown(); from.len() / size.max(1)],
        }
    }
}

impl State {
    fn of(status: StateStatus) -> Self {
        Self(match status {
            StateStatus::Free => Overlap::Free,
            StateStatus::Hit(_) => Overlap::Hit,
            StateStatus::Unknown(_) => Overlap::Unknown,
        })
    }
}

impl CellAnswer for Edge {
    const QUERY: CellQuery = CellQuery::Edge;

    fn unknown() -> Self {
        Self(Overlap::Unknown)
    }

    fn found(found: &Found<'_>) -> Self {
        Self(found.verdict)
    }

    fn settled(checker: &mut Checker<'_>, from: &[f64], to: &[f64]) -> Self {
        Self(match checker.check_motion(from, to) {
            Ok(MotionStatus::Free) => Overlap::Free,
            Ok(MotionStatus::Blocked { .. }) => Overlap::Hit,
            Ok(MotionStatus::Close { .. }) | Err(_) => Overlap::Unknown,
        })
    }
}

fn all_hits(checker: &mut Checker<'_>, values: &[f64]) -> Vec<CollidingPair> {
    let mut all = Vec::new();
    match checker.colliding_pairs(values, &mut all) {
        Ok(()) => all,
        Err(_) => Vec::new(),
    }
}

impl CellAnswer for StateStatus {
    const QUERY: CellQuery = CellQuery::First;

    fn unknown() -> Self {
        Self::Unknown(0)
    }

    fn found(found: &Found<'_>) -> Self {
        if found.pair == u32::MAX { Self::Free } else { Self::Hit(found.pair as usize) }
    }

    fn settled(checker: &mut Checker<'_>, from: &[f64], _: &[f64]) -> Self {
        let all = all_hits(checker, from);
        let unproven = all.first().map_or(Self::Free, |hit| Self::Unknown(hit.pair));
        all.iter().find(|hit| hit.proven).map_or(unproven, |hit| Self::Hit(hit.pair))
    }
}

impl CellAnswer for Vec<CollidingPair> {
    const QUERY: CellQuery = CellQuery::All;

    fn unknown() -> Self {
        Self::new()
    }

    fn found(found: &Found<'_>) -> Self {
        let set = |k: &usize| found.hits[k / 16] >> (k % 16) & 1 == 1;
        let mut pairs: Vec<u32> = (0..found.pairs.len()).filter(set).map(|k| found.pairs[k]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.into_iter().map(|pair| CollidingPair { pair: pair as usize, proven: true }).collect()
    }

    fn settled(checker: &mut Checker<'_>, from: &[f64], _: &[f64]) -> Self {
        all_hits(checker, from)
    }
}

/// Configurations, or the ends of paths, to be evaluated.
pub(crate) struct CellTask<'t> {
    pub(crate) cell: &'t Cell,
    pub(crate) from: &'t [f64],
    /// The same as `from` if the query is not about paths.
    pub(crate) to: &'t [f64],
}

/// Configurations that a thread takes at a time: enough to hide what a checker costs.
const SHARE: usize = 1024;

impl CellTask<'_> {
    /// The CPU answers at these places.
    pub(crate) fn settle<A: CellAnswer>(&self, places: &[usize], answers: &mut [A]) {
        let mut settled = vec![A::unknown(); places.len()];
        self.settle_some(places, &mut settled);
        for (&place, answer) in places.iter().zip(settled) {
            answers[place] = answer;
        }
    }

    /// The CPU's answers to these places, one after the other.
    pub(crate) fn settle_some<A: CellAnswer>(&self, places: &[usize], answers: &mut [A]) {
        let size = self.cell.value_count();
        let rows = |all: &[f64], places: &[usize]| -> Vec<f64> {
            places.iter().flat_map(|&place| &all[place * size..][..size]).copied().collect()
        };
        let share = places.len().div_ceil(4 * rayon::current_num_threads()).clamp(16, SHARE);
        let settle = |places: &[usize]| {
            let (from, to) = (rows(self.from, places), rows(self.to, places));
            A::all_settled(&mut self.cell.checker(), &from, &to, size)
        };
        let settled: Vec<Vec<A>> = places.par_chunks(share).map(settle).collect();
        answers.iter_mut().zip(settled.into_iter().flatten()).for_each(|(place, answer)| *place = answer);
    }
}
