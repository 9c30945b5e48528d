//! `device="cuda"`: batches on a card where there is one, else on the processor, with the same answers.

use crate::kind::{Flags, Given, Kind};
use crate::pool::on_threads;
use noli::{Model, Overlap, Pose};
use noli_gpu::{BatchReport, Device, DeviceError, Poses, Row};
use noli_robot::cell::Cell;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Who answers a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Processor,
    Card,
}

impl On {
    /// As it is written; the processor if nothing is.
    pub(crate) fn new(word: Option<&str>) -> PyResult<Self> {
        match word {
            None | Some("cpu") => Ok(Self::Processor),
            Some("cuda") => Ok(Self::Card),
            Some(other) => Err(PyValueError::new_err(format!("device: {other:?}; use \"cpu\" or \"cuda\""))),
        }
    }
}

/// The card, opened once by each process: a forked one inherits the number, but not the card.
static CARD: Mutex<Option<(u32, Device)>> = Mutex::new(None);

fn card() -> Device {
    let process = std::process::id();
    let mut known = CARD.lock().unwrap_or_else(PoisonError::into_inner);
    match &*known {
        Some((owner, device)) if *owner == process => device.clone(),
        _ => {
            let device = Device::best();
            *known = Some((process, device.clone()));
            device
        }
    }
}

fn failed(error: DeviceError) -> PyErr {
    match error {
        DeviceError::Configuration(_) => PyValueError::new_err(error.to_string()),
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Questions to a chunk, between which Ctrl-C is heard.
const CHUNK: usize = 1 << 20;

/// Verdicts in an array; `work` is given ranges of rows, one after the other.
fn verdicts<'py>(
    py: Python<'py>,
    kind: &Flags,
    (count, out, threads): (usize, Given<'_, 'py>, Option<usize>),
    work: impl Fn(Range<usize>, &mut [Overlap]) -> Result<BatchReport, DeviceError> + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let mut arrays = kind.arrays(py, out, count)?;
    for start in (0..count).step_by(CHUNK) {
        let rows = start..count.min(start + CHUNK);
        let mut answers = vec![Overlap::Unknown; rows.len()];
        on_threads(py, threads, || work(rows, &mut answers))?.map_err(failed)?;
        kind.put(&mut arrays, start, &answers)?;
        py.check_signals()?;
    }
    kind.whole(py, arrays)
}

/// Whether two bodies meet, or are closer than a margin, at poses of the second.
pub(crate) fn poses<'py>(
    py: Python<'py>,
    kind: &Flags,
    (a, b): ((&Model, Pose), &Model),
    poses: &[Pose],
    margin: Option<f64>,
    (out, threads): (Given<'_, 'py>, Option<usize>),
) -> PyResult<Bound<'py, PyAny>> {
    let row = |pose: &Pose| -> Row {
        let ([x, y, z, w], [p, q, r]) = (pose.rotation.to_array(), pose.translation.to_array());
        [x, y, z, w, p, q, r]
    };
    let device = py.detach(card);
    let (fixed, moving) = (device.load(a.0).map_err(failed)?, device.load(b).map_err(failed)?);
    verdicts(py, kind, (poses.len(), out, threads), |range, answers| {
        let rows: Vec<Row> = poses[range].iter().map(row).collect();
        let (fixed, rows) = ((&fixed, &a.1), Poses::Rows(&rows));
        match margin {
            Some(margin) => device.closer_than_poses(fixed, &moving, &rows, margin, answers),
            None => device.overlap_poses(fixed, &moving, &rows, answers),
        }
    })
}

/// Whether anything meets in configurations, one after the other.
pub(crate) fn states<'py>(
    py: Python<'py>,
    kind: &Flags,
    cell: &Arc<Cell>,
    states: &[f64],
    given: (usize, Given<'_, 'py>, Option<usize>),
) -> PyResult<Bound<'py, PyAny>> {
    let device = py.detach(card);
    let (cell, size) = (device.load_cell(cell.clone()).map_err(failed)?, cell.value_count());
    verdicts(py, kind, given, |range, answers| {
        device.overlap_states(&cell, &states[range.start * size..range.end * size], answers)
    })
}
