//! One configuration at a time, as planners test them: nothing is allocated, and arrays are not locked.

use super::PyRobot;
use super::queries::{HITS, verdict};
use crate::error::caught;
use crate::kind::Kind;
use crate::pool::detached;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyTuple};

/// Variables of a configuration, at most; larger ones take the path of batches.
const MOST: usize = 64;

/// Numbers of one dimension.
pub(super) struct Numbers {
    all: [f64; MOST],
    count: usize,
}

impl Numbers {
    fn zeros(count: usize) -> Option<Self> {
        (count <= MOST).then_some(Self { all: [0.0; MOST], count })
    }

    fn as_slice(&self) -> &[f64] {
        &self.all[..self.count]
    }

    /// Of an array of `float64` or a list of floats; `None` for anything else.
    #[inline]
    fn of(given: &Bound<'_, PyAny>) -> Option<Self> {
        if let Ok(array) = given.cast::<PyArray1<f64>>() {
            let mut numbers = Self::zeros(array.len())?;
            for k in 0..numbers.count {
                numbers.all[k] = array.get_owned(k)?;
            }
            return Some(numbers);
        }
        let list = given.cast_exact::<PyList>().ok()?;
        let mut numbers = Self::zeros(list.len())?;
        for (to, item) in numbers.all.iter_mut().zip(list) {
            *to = item.cast_exact::<PyFloat>().ok()?.value();
        }
        Some(numbers)
    }
}

impl PyRobot {
    /// Values of all variables, from those of the independent joints or of all; `None` if it takes another path.
    #[inline]
    pub(super) fn one_array(&self, given: &Bound<'_, PyAny>) -> Option<Numbers> {
        let given = Numbers::of(given)?;
        let all = self.robot.variables().len();
        if given.count == all { Some(given) } else { self.spread(&given, all) }
    }

    /// Values of all variables, from those of some independent joints by their numbers; the others are at `default`.
    #[inline]
    pub(super) fn joints_array(
        &self,
        given: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyTuple>,
        default: &Bound<'_, PyAny>,
    ) -> Option<Numbers> {
        let given = Numbers::of(given)?;
        let all = self.robot.variables().len();
        if given.count == self.free.len() {
            return if given.count == all { Some(given) } else { self.spread(&given, all) };
        }
        let mut joints = Numbers::of(default)?;
        if given.count != columns.len() {
            return None;
        }
        for (column, value) in columns.iter_borrowed().zip(given.as_slice()) {
            *joints.all.get_mut(column.extract::<usize>().ok()?)? = *value;
        }
        self.spread(&joints, all)
    }

    /// Values of all variables, from those of the independent joints.
    fn spread(&self, joints: &Numbers, all: usize) -> Option<Numbers> {
        if joints.count != self.free.len() {
            return None;
        }
        let mut state = Numbers::zeros(all)?;
        for (&variable, &value) in self.free.iter().zip(joints.as_slice()) {
            state.all[variable] = value;
        }
        Some(state)
    }

    /// The verdict on one configuration; `None` if it is invalid, for an error with its place.
    ///
    /// The lock of the interpreter is released for exact queries only: the filter takes about as long as releasing it
    /// and waiting for it again.
    pub(super) fn check_alone<'py>(
        &self,
        py: Python<'py>,
        given: Option<Numbers>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(mut state) = given else { return Ok(None) };
        self.robot.apply_laws(&mut state.all[..state.count]);
        let state = state.as_slice();
        let status = match caught(|| self.ask(|checker| checker.try_check_state(state)))? {
            Ok(None) => detached(py, || self.ask(|checker| checker.check_state(state)))?.map(Some),
            decided => decided,
        };
        match status {
            Ok(Some(status)) => HITS.one(py, verdict(status)).map(Some),
            Ok(None) | Err(_) => Ok(None),
        }
    }
}
