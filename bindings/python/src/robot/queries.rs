//! Queries on a robot, for one configuration or for many.

use super::PyRobot;
use crate::answer::{PyClearance, PyImpact};
use crate::device::On;
use crate::error::{value, warn};
use crate::kind::{Brackets, Flags, Given, Kind};
use crate::pool::{detached, on_threads, until_interrupted};
use noli::answer::{Bracket, Overlap};
use noli::{Clearance, Guarantee, Impact, Pose};
use noli_plan::{Effort, JointOptions, plan_joints};
use noli_robot::cell::{Checker, Domain, MotionStatus, PairRule, ProofOptions, Reachability, StateStatus};
use noli_robot::{IkOptions, SphericalWrist, solve_ik};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Configurations with values of all variables, one after the other, and how many; `None` for one alone.
pub(super) type States = (Vec<f64>, Option<usize>);

/// A pair by number, a word for its proof, and a colliding configuration.
pub(super) type ProvedPair = (usize, String, Option<Vec<f64>>);

/// The moment at which a search is to end.
pub(super) fn end_of(time_limit: Option<f64>) -> PyResult<Option<Instant>> {
    let Some(seconds) = time_limit else { return Ok(None) };
    let refused = || value(format!("time_limit {seconds}: give seconds, at least 0"));
    let limit = Duration::try_from_secs_f64(seconds).map_err(|_| refused())?;
    // Later than the clock can count is never.
    Ok(Instant::now().checked_add(limit))
}

/// True once a search is cancelled or its time is over.
pub(super) fn or_until(stop: &AtomicBool, end: Option<Instant>) -> impl Fn() -> bool + Sync {
    move || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end)
}

/// Verdicts of configurations, named as the arguments are.
pub(super) const HITS: Flags = Flags { unknown: None, rows: "q" };

/// The verdict of a status.
pub(super) fn verdict(status: StateStatus) -> Overlap {
    match status {
        StateStatus::Free => Overlap::Free,
        StateStatus::Hit(_) => Overlap::Hit,
        StateStatus::Unknown(_) => Overlap::Unknown,
    }
}

/// States in a chunk, between which Ctrl-C is checked: some milliseconds of work.
const STATES: usize = 1 << 14;
/// The same for clearances, and for proofs of edges.
const CLEARANCES: usize = 2048;
const EDGES: usize = 256;
/// States that a thread takes at once, so that it makes its memory once for all of them.
const SHARE: usize = 16;

impl PyRobot {
    fn width(&self) -> usize {
        self.cell().value_count().max(1)
    }

    /// Configurations, one after the other, as so many rows; those of a robot that cannot move are empty.
    pub(crate) fn rows<'s>(&self, states: &'s [f64], count: usize) -> Vec<&'s [f64]> {
        match self.cell().value_count() {
            0 => vec![&[]; count],
            width => states.chunks_exact(width).collect(),
        }
    }

    pub(super) fn ask_check<'py>(
        &self,
        py: Python<'py>,
        (states, count): States,
        out: Given<'_, 'py>,
        threads: Option<usize>,
        device: On,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (cell, cell_width) = (&**self.cell(), self.cell().value_count());
        if let (On::Gpu, Some(count), 1..) = (device, count, cell_width) {
            return crate::device::states(py, &HITS, self.cell(), &states, (count, out, threads));
        }
        let Some(count) = count else {
            let first = || {
                let status = detached(py, || self.ask(|checker| checker.check_state(&states)))?;
                status.map(verdict).map_err(value)
            };
            return HITS.alone(py, out, first);
        };
        let mut answers = HITS.arrays(py, out, count)?;
        if cell_width == 0 {
            let only = self.ask(|checker| checker.check_state(&[])).map(verdict).map_err(value)?;
            HITS.put(&mut answers, 0, &vec![only; count])?;
        }
        for (number, chunk) in states.chunks(STATES * self.width()).enumerate() {
            let statuses = on_threads(py, threads, || cell.check_states(chunk))?.map_err(value)?;
            let verdicts: Vec<Overlap> = statuses.into_iter().map(verdict).collect();
            HITS.put(&mut answers, STATES * number, &verdicts)?;
            py.check_signals()?;
        }
        HITS.whole(py, answers)
    }

    pub(super) fn ask_clearance<'py>(
        &self,
        py: Python<'py>,
        (states, count): States,
        out: Given<'_, 'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let cell = &**self.cell();
        let Some(count) = count else {
            let found = detached(py, || self.ask(|checker| checker.clearance(&states)))?.map_err(value)?;
            let names = found.pair.map(|pair| cell.pair_names(pair).map(str::to_owned));
            let (distance, witness) = (found.clearance, found.witness);
            let clearance = Clearance { distance, witness, guarantee: Guarantee::Exact };
            return Ok((PyClearance(clearance), names).into_pyobject(py)?.into_any());
        };
        let mut arrays = Brackets.arrays(py, out, count)?;
        for (number, chunk) in self.rows(&states, count).chunks(CLEARANCES).enumerate() {
            let shares: Vec<&[&[f64]]> = chunk.chunks(SHARE).collect();
            let mut clearances: Vec<Vec<Bracket>> = vec![Vec::new(); shares.len()];
            on_threads(py, threads, || {
                let done = noli::batch(&shares, &mut clearances, |share, _| {
                    self.ask(|checker| {
                        let mut clearance = |state: &[f64]| {
                            checker.clearance(state).map_or(Bracket::OPEN, |near| near.clearance)
                        };
                        share.iter().map(|state| clearance(state)).collect()
                    })
                });
                debug_assert!(done.is_ok(), "as many answers as shares");
            })?;
            Brackets.put(&mut arrays, CLEARANCES * number, &clearances.concat())?;
            py.check_signals()?;
        }
        Brackets.whole(py, arrays)
    }

    pub(super) fn ask_edges<'py>(
        &self,
        py: Python<'py>,
        (from, to): (&[f64], &[f64]),
        count: usize,
        (out, threads): (Given<'_, 'py>, Option<usize>),
    ) -> PyResult<Bound<'py, PyAny>> {
        let kind = Flags { unknown: None, rows: "edges" };
        let edges: Vec<(&[f64], &[f64])> =
            self.rows(from, count).into_iter().zip(self.rows(to, count)).collect();
        let mut answers = kind.arrays(py, out, count)?;
        for (number, chunk) in edges.chunks(EDGES).enumerate() {
            let shares: Vec<&[(&[f64], &[f64])]> = chunk.chunks(SHARE).collect();
            let mut found: Vec<Vec<Overlap>> = vec![Vec::new(); shares.len()];
            on_threads(py, threads, || {
                let done = noli::batch(&shares, &mut found, |share, _| {
                    self.ask(|checker| share.iter().map(|(from, to)| edge(checker, from, to)).collect())
                });
                debug_assert!(done.is_ok(), "as many answers as shares");
            })?;
            kind.put(&mut answers, EDGES * number, &found.concat())?;
            py.check_signals()?;
        }
        kind.whole(py, answers)
    }

    /// Computes the first contact on the path through configurations.
    pub(super) fn follow(&self, py: Python<'_>, states: &[f64], count: usize) -> PyResult<PyImpact> {
        let cell = &**self.cell();
        let configurations = self.rows(states, count);
        let found = detached(py, || self.ask(|checker| checker.first_contact_on_path(&configurations)))?;
        let found = found.map_err(value)?;
        let (impact, pair) = match found {
            Impact::Free => (Impact::Free, None),
            Impact::AtStart(hit) => (Impact::AtStart(hit.touch), Some(hit.pair)),
            Impact::At { time, touch: hit } => (Impact::At { time, touch: hit.touch }, Some(hit.pair)),
            Impact::Unknown { safe_until } => (Impact::Unknown { safe_until }, None),
        };
        Ok(PyImpact { impact, parts: pair.map(|pair| cell.pair_names(pair).map(str::to_owned)) })
    }

    /// Computes the proof of each pair.
    pub(super) fn prove_pairs(
        &self,
        py: Python<'_>,
        samples: usize,
        cells: usize,
        (every, assumed): (bool, &[(usize, [f64; 2])]),
        threads: Option<usize>,
    ) -> PyResult<Vec<ProvedPair>> {
        let cell = &**self.cell();
        let on = |number: &usize| every || matches!(cell.pairs()[*number].rule, PairRule::Checked { .. });
        let pairs: Vec<usize> = (0..cell.pairs().len()).filter(on).collect();
        let proved = until_interrupted(py, threads, |stop| {
            cell.prove_all(&pairs, &ProofOptions { samples, cells, stop: Some(stop), done: None, assumed })
        })?;
        let within = |word: &str, domain: &Domain| {
            word.to_owned() + &domain.words(|value| cell.variable(value).name.as_str())
        };
        let words = proved.into_iter().map(|proof| match proof.meeting {
            Reachability::Never { domain } => (proof.pair, within("never", &domain), None),
            Reachability::Always { domain } => (proof.pair, within("always", &domain), None),
            Reachability::Undecided => (proof.pair, "undecided".to_owned(), None),
            Reachability::Possible { witness } => (proof.pair, "can".to_owned(), Some(witness)),
        });
        Ok(words.collect())
    }

    /// Plans a path between two configurations, moving the independent variables.
    pub(super) fn find_path(
        &self,
        py: Python<'_>,
        (from, to): (&[f64], &[f64]),
        (steps, seed, end): (u64, u64, Option<Instant>),
        threads: Option<usize>,
    ) -> PyResult<Option<Vec<Vec<f64>>>> {
        let (cell, moving) = (&**self.cell(), self.independent().collect::<Vec<_>>());
        let found = until_interrupted(py, threads, |stop| {
            let stop = or_until(stop, end);
            let mut options = JointOptions::default();
            options.effort = Effort { steps, seed, stop: &stop, ..options.effort };
            plan_joints(cell, from, to, &moving, &options)
        })?;
        let found = found.map_err(value)?;
        if found.path.is_none() {
            warn_of_no_path(py, found.steps, seed)?;
        }
        Ok(found.path.map(|path| path.configurations))
    }

    /// Computes configurations that place a link at a pose, the nearest first.
    pub(super) fn solve_ik(
        &self,
        py: Python<'_>,
        (tip, target): (usize, Pose),
        near: &[f64],
        seed: u64,
    ) -> PyResult<Vec<Vec<f64>>> {
        let robot = &*self.robot;
        let found = detached(py, || match SphericalWrist::new(robot, tip) {
            Ok(wrist) => wrist
                .solve(robot, &target, near)
                .map(|all| all.iter().map(|solution| wrist.place(near, solution)).collect()),
            Err(_) => {
                let options = IkOptions { seed, ..IkOptions::default() };
                solve_ik(robot, tip, &target, near, &options).map(|found| vec![found.values])
            }
        })?;
        found.map_err(value)
    }
}

/// The verdict on a straight motion. What comes within a millionth of its size counts as a contact, as for the first
/// contact.
fn edge(checker: &mut Checker<'_>, from: &[f64], to: &[f64]) -> Overlap {
    match checker.check_motion(from, to) {
        Ok(MotionStatus::Free) => Overlap::Free,
        Ok(MotionStatus::Blocked { .. }) => Overlap::Hit,
        Ok(MotionStatus::Close { .. }) => match checker.first_contact_on_edge(from, to) {
            Ok(Impact::Free) => Overlap::Free,
            Ok(Impact::AtStart(_) | Impact::At { .. }) => Overlap::Hit,
            Ok(Impact::Unknown { .. }) | Err(_) => Overlap::Unknown,
        },
        Err(_) => Overlap::Unknown,
    }
}

/// Warns that a search ended without a path, which proves nothing.
pub(super) fn warn_of_no_path(py: Python<'_>, steps: u64, seed: u64) -> PyResult<()> {
    let text = format!(
        "no path was found in {steps} steps with seed {seed}: none may exist, or more steps or another seed may find one"
    );
    warn(py, &text)
}
