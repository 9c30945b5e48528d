//! `device="cuda"`: batches on a GPU where there is one, else on the CPU, with the same answers.

use crate::kind::{Flags, Given, Kind};
use crate::pool::on_threads;
use noli::{Model, Overlap, Pose};
use noli_gpu::{BatchReport, Device, DeviceError, Poses, Row};
use noli_robot::cell::Cell;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Device that computes a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Cpu,
    Gpu,
}

impl On {
    /// Parses the keyword; the CPU by default.
    pub(crate) fn new(word: Option<&str>) -> PyResult<Self> {
        match word {
            None | Some("cpu") => Ok(Self::Cpu),
            Some("cuda") => Ok(Self::Gpu),
            Some(other) => Err(PyValueError::new_err(format!("device: {other:?}; use \"cpu\" or \"cuda\""))),
        }
    }
}

/// The GPU, opened once by each process: a forked one inherits the number, but not the GPU.
static GPU: Mutex<Option<(u32, Device)>> = Mutex::new(None);

fn gpu() -> Device {
    let process = std::process::id();
    let mut opened = GPU.lock().unwrap_or_else(PoisonError::into_inner);
    match &*opened {
        Some((owner, device)) if *owner == process => device.clone(),
        _ => {
            let device = Device::best();
            *opened = Some((process, device.clone()));
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

/// Queries in a chunk, between which Ctrl-C is checked.
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

/// Tests if two bodies collide, or are closer than a margin, at poses of the second.
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
    let device = py.detach(gpu);
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

/// Tests configurations for collision, one after the other.
pub(crate) fn states<'py>(
    py: Python<'py>,
    kind: &Flags,
    cell: &Arc<Cell>,
    states: &[f64],
    given: (usize, Given<'_, 'py>, Option<usize>),
) -> PyResult<Bound<'py, PyAny>> {
    let device = py.detach(gpu);
    let (cell, size) = (device.load_cell(cell.clone()).map_err(failed)?, cell.value_count());
    verdicts(py, kind, given, |range, answers| {
        device.overlap_states(&cell, &states[range.start * size..range.end * size], answers)
    })
}
