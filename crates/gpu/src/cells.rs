//! Robots: very many configurations of one cell, and paths between them.

use crate::cell_task::{CellAnswer, CellTask, Edge, State};
#[cfg(feature = "cuda")]
use crate::packed::PackedCell;
#[cfg(feature = "cuda")]
use crate::packed_filter::PackedFilter;
use crate::{BatchReport, Device, DeviceError, is_set};
use noli::Overlap;
use noli_robot::cell::{Cell, CollidingPair, StateStatus};
use rayon::prelude::*;
use std::sync::Arc;

/// A cell loaded to a [`Device`].
#[derive(Clone, Debug)]
pub struct LoadedCell {
    cell: Arc<Cell>,
    #[cfg(feature = "cuda")]
    pub(crate) on_gpu: Option<Arc<crate::cuda::CellOnGpu>>,
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

/// Configurations from which on the CPU's tables pay.
const MANY: usize = 4000;

/// Robots in batches.
impl Device {
    /// Make a cell known to the device. The GPU holds a copy of its trees until the last handle is dropped.
    pub fn load_cell(&self, cell: impl Into<Arc<Cell>>) -> Result<LoadedCell, DeviceError> {
        let cell = cell.into();
        #[cfg(feature = "cuda")]
        let on_gpu = match &self.gpu {
            Some(gpu) => {
                let load = |packed| gpu.load_cell(packed, PackedFilter::new(&cell));
                PackedCell::new(&cell).map(load).transpose()?.map(Arc::new)
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
        #[cfg(feature = "cuda")]
        if let Some((gpu, on_gpu)) = self.gpu.as_ref().zip(cell.on_gpu.as_ref())
            && let Some(stages) = on_gpu.stages()
        {
            gpu.check_owner(on_gpu)?;
            check_rows(&cell.cell, states, answers.len())?;
            answers.fill(Overlap::Unknown);
            let (task, mut unsure) = (CellTask { cell: &cell.cell, from: states, to: states }, Vec::new());
            let input = (crate::cuda::States::Rows(states), answers.len());
            let options = (self.stage_memory(), self.cancel.as_deref(), true);
            let report = gpu.run_stages(on_gpu, stages, input, options, |chunk| {
                let first = chunk.places.start;
                write_verdicts(chunk.verdicts, &mut answers[chunk.places]);
                unsure.extend(chunk.unsure.iter().map(|&k| first + k as usize));
            })?;
            let mut own = vec![State::unknown(); unsure.len()];
            task.settle_some(&unsure, &mut own);
            unsure.iter().zip(own).for_each(|(&place, State(own))| answers[place] = own);
            return Ok(report);
        }
        let mut own = vec![State::unknown(); answers.len()];
        let report = self.query_cell(cell, states, states, &mut own)?;
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
        self.query_cell(cell, states, states, answers)
    }

    /// Returns all colliding pairs in each of many configurations, as listed by [`Checker::colliding_pairs`](noli_robot::cell::Checker::colliding_pairs).
    pub fn all_hits(
        &self,
        cell: &LoadedCell,
        states: &[f64],
        answers: &mut [Vec<CollidingPair>],
    ) -> Result<BatchReport, DeviceError> {
        self.query_cell(cell, states, states, answers)
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
        #[cfg(feature = "cuda")]
        if let Some((gpu, on_gpu)) = self.gpu.as_ref().zip(cell.on_gpu.as_ref())
            && let Some(stages) = on_gpu.stages()
        {
            gpu.check_owner(on_gpu)?;
            [from, to].iter().try_for_each(|states| check_rows(&cell.cell, states, answers.len()))?;
            answers.fill(Overlap::Unknown);
            let (task, mut unsure) = (CellTask { cell: &cell.cell, from, to }, Vec::new());
            let options = (self.stage_memory(), self.cancel.as_deref());
            let report = gpu.run_edges((on_gpu, stages), [from, to], options, &mut |places, verdicts| {
                let open = verdicts.iter().enumerate().filter(|(_, verdict)| **verdict > 1);
                unsure.extend(open.map(|(k, _)| places.start + k));
                write_verdicts(verdicts, &mut answers[places]);
            })?;
            let mut own = vec![Edge::unknown(); unsure.len()];
            task.settle_some(&unsure, &mut own);
            unsure.iter().zip(own).for_each(|(&place, Edge(own))| answers[place] = own);
            return Ok(report);
        }
        let mut own = vec![Edge::unknown(); answers.len()];
        let report = self.query_cell(cell, from, to, &mut own)?;
        answers.iter_mut().zip(own).for_each(|(answer, Edge(own))| *answer = own);
        Ok(report)
    }

    fn query_cell<A: CellAnswer>(
        &self,
        loaded: &LoadedCell,
        from: &[f64],
        to: &[f64],
        answers: &mut [A],
    ) -> Result<BatchReport, DeviceError> {
        let (size, cell) = (loaded.cell.value_count().max(1), &loaded.cell);
        for states in [from, to] {
            check_rows(cell, states, answers.len())?;
        }
        answers.fill(A::unknown());
        let task = CellTask { cell, from, to };
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

/// An error for rows that are not as many valid configurations.
fn check_rows(cell: &Cell, states: &[f64], room: usize) -> Result<(), DeviceError> {
    let size = cell.value_count().max(1);
    if states.len() != size * room {
        return Err(DeviceError::WrongLengthError { poses: states.len() / size, room });
    }
    match states.par_chunks(size).find_map_any(|values| cell.check_values(values).err()) {
        Some(error) => Err(DeviceError::Configuration(error.to_string())),
        None => Ok(()),
    }
}

/// The proven verdicts of a GPU as answers; others stay.
#[cfg(feature = "cuda")]
fn write_verdicts(verdicts: &[u8], answers: &mut [Overlap]) {
    answers.par_iter_mut().zip(verdicts).with_min_len(1 << 14).for_each(|(answer, verdict)| match verdict {
        0 => *answer = Overlap::Free,
        1 => *answer = Overlap::Hit,
        _ => {}
    });
}

/// Configurations in one launch, unless memory is limited further.
const MOST_STATES: usize = 1 << 20;
