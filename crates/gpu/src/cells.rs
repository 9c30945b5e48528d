//! Robots: very many configurations of one cell, and paths between them.

use crate::cell_task::{CellAnswer, CellTask, Edge, State};
#[cfg(feature = "cuda")]
use crate::packed::PackedCell;
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

/// Configurations in one launch, unless memory is limited further.
const MOST_STATES: usize = 1 << 20;
