//! Robots: very many configurations of one cell, and paths between them.

mod packed;

pub use packed::{PackedCell, Words};

use crate::{BatchReport, Device, DeviceError, is_set};
use noli::Overlap;
use noli_robot::cell::{Cell, Checker, CollidingPair, MotionStatus, StateStatus};
use rayon::prelude::*;
use std::sync::Arc;

/// A cell loaded to a [`Device`].
#[derive(Clone, Debug)]
pub struct LoadedCell {
    cell: Arc<Cell>,
    #[cfg(feature = "cuda")]
    on_gpu: Option<Arc<crate::cuda::CellOnGpu>>,
}

impl LoadedCell {
    /// The cell.
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// Bytes that it holds on a GPU.
    pub fn bytes(&self) -> usize {
        #[cfg(feature = "cuda")]
        if let Some(on_gpu) = &self.on_gpu {
            return on_gpu.bytes();
        }
        0
    }
}

/// Query about a configuration or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Test for any collision.
    Any,
    /// The pair of the lowest number that does.
    First,
    /// All pairs that do.
    All,
    /// Test for any collision on a path.
    Way,
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
    const ASKED: Asked;
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
struct State(Overlap);
#[derive(Clone, Copy, Debug)]
struct Way(Overlap);

impl CellAnswer for State {
    const ASKED: Asked = Asked::Any;

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

impl CellAnswer for Way {
    const ASKED: Asked = Asked::Way;

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
    const ASKED: Asked = Asked::First;

    fn unknown() -> Self {
        Self::Unknown(0)
    }

    fn found(found: &Found<'_>) -> Self {
        if found.pair == u32::MAX { Self::Free } else { Self::Hit(found.pair as usize) }
    }

    fn settled(checker: &mut Checker<'_>, from: &[f64], _: &[f64]) -> Self {
        let all = all_hits(checker, from);
        let unproven = all.first().map_or(Self::Free, |meets| Self::Unknown(meets.pair));
        all.iter().find(|meets| meets.proven).map_or(unproven, |meets| Self::Hit(meets.pair))
    }
}

impl CellAnswer for Vec<CollidingPair> {
    const ASKED: Asked = Asked::All;

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
    pub(crate) cell: &'t LoadedCell,
    pub(crate) from: &'t [f64],
    /// The same as `from` if the query is not about paths.
    pub(crate) to: &'t [f64],
}

/// Configurations that a thread takes at a time: enough to hide what a checker costs.
const SHARE: usize = 1024;
/// Configurations from which on the CPU's tables pay.
const MANY: usize = 4000;

impl CellTask<'_> {
    /// The CPU answers at these places.
    pub(crate) fn settle<A: CellAnswer>(&self, places: &[usize], answers: &mut [A]) {
        let size = self.cell.cell.value_count();
        let rows = |all: &[f64], places: &[usize]| -> Vec<f64> {
            places.iter().flat_map(|&place| &all[place * size..][..size]).copied().collect()
        };
        let share = places.len().div_ceil(4 * rayon::current_num_threads()).clamp(16, SHARE);
        let settle = |places: &[usize]| {
            let (from, to) = (rows(self.from, places), rows(self.to, places));
            A::all_settled(&mut self.cell.cell.checker(), &from, &to, size)
        };
        let settled: Vec<Vec<A>> = places.par_chunks(share).map(settle).collect();
        for (&place, answer) in places.iter().zip(settled.into_iter().flatten()) {
            answers[place] = answer;
        }
    }
}

/// Robots in batches.
impl Device {
    /// Make a cell known to the device. The GPU holds a copy of its trees until the last handle is dropped.
    pub fn load_cell(&self, cell: impl Into<Arc<Cell>>) -> Result<LoadedCell, DeviceError> {
        let cell = cell.into();
        #[cfg(feature = "cuda")]
        let on_gpu = match &self.gpu {
            Some(gpu) => {
                PackedCell::new(&cell).map(|packed| gpu.load_cell(packed)).transpose()?.map(Arc::new)
            }
            None => None,
        };
        Ok(LoadedCell {
            cell,
            #[cfg(feature = "cuda")]
            on_gpu,
        })
    }

    /// Tests each of many configurations, one after the other in `states`, for any collision.
    pub fn overlap_states(
        &self,
        cell: &LoadedCell,
        states: &[f64],
        answers: &mut [Overlap],
    ) -> Result<BatchReport, DeviceError> {
        let mut own = vec![State::unknown(); answers.len()];
        let report = self.ask_cell(cell, states, states, &mut own)?;
        answers.iter_mut().zip(own).for_each(|(answer, State(own))| *answer = own);
        Ok(report)
    }

    /// Returns the colliding pair of the lowest number in each of many configurations.
    pub fn check_states(
        &self,
        cell: &LoadedCell,
        states: &[f64],
        answers: &mut [StateStatus],
    ) -> Result<BatchReport, DeviceError> {
        self.ask_cell(cell, states, states, answers)
    }

    /// Returns all colliding pairs in each of many configurations, as listed by [`Checker::colliding_pairs`].
    pub fn all_hits(
        &self,
        cell: &LoadedCell,
        states: &[f64],
        answers: &mut [Vec<CollidingPair>],
    ) -> Result<BatchReport, DeviceError> {
        self.ask_cell(cell, states, states, answers)
    }

    /// Proves that the straight path in joint space from each configuration to its partner is collision-free at all
    /// times. `Unknown` where its distance is so close to a margin that neither is proven.
    pub fn connect_states(
        &self,
        cell: &LoadedCell,
        from: &[f64],
        to: &[f64],
        answers: &mut [Overlap],
    ) -> Result<BatchReport, DeviceError> {
        let mut own = vec![Way::unknown(); answers.len()];
        let report = self.ask_cell(cell, from, to, &mut own)?;
        answers.iter_mut().zip(own).for_each(|(answer, Way(own))| *answer = own);
        Ok(report)
    }

    fn ask_cell<A: CellAnswer>(
        &self,
        loaded: &LoadedCell,
        from: &[f64],
        to: &[f64],
        answers: &mut [A],
    ) -> Result<BatchReport, DeviceError> {
        let (size, cell) = (loaded.cell.value_count().max(1), &loaded.cell);
        for states in [from, to] {
            if states.len() != size * answers.len() {
                return Err(DeviceError::WrongLengthError {
                    poses: states.len() / size,
                    room: answers.len(),
                });
            }
            let wrong = states.par_chunks(size).find_map_any(|values| cell.check_values(values).err());
            if let Some(error) = wrong {
                return Err(DeviceError::Configuration(error.to_string()));
            }
        }
        answers.fill(A::unknown());
        let task = CellTask { cell: loaded, from, to };
        // Poses, verdicts and what comes back, of two chunks at a time.
        let bytes = 2 * (16 * size + 8 + 2 * loaded.cell.pairs().len());
        let chunk = (self.memory / bytes).clamp(1, MOST_STATES);
        #[cfg(feature = "cuda")]
        if let (Some(gpu), Some(on_gpu)) = (&self.gpu, &loaded.on_gpu) {
            return gpu.run_cell(&task, on_gpu, chunk, self.cancel.as_deref(), answers);
        }
        if answers.len() > MANY {
            cell.prepare();
        }
        let mut report = BatchReport::default();
        for start in (0..answers.len()).step_by(chunk) {
            if is_set(self.cancel.as_deref()) {
                report.cancelled = true;
                break;
            }
            let places: Vec<usize> = (start..(start + chunk).min(answers.len())).collect();
            task.settle(&places, answers);
            report.on_cpu += places.len();
        }
        Ok(report)
    }
}

/// Configurations in one launch, unless memory is limited further.
const MOST_STATES: usize = 1 << 20;
