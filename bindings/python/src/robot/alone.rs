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
    fn none() -> Self {
        Self { all: [0.0; MOST], count: 0 }
    }

    fn as_slice(&self) -> &[f64] {
        &self.all[..self.count]
    }

    /// Reads an array of `float64` or a list of floats; `None` for anything else, and for too many.
    #[inline]
    fn read(&mut self, given: &Bound<'_, PyAny>) -> Option<()> {
        if let Ok(array) = given.cast::<PyArray1<f64>>() {
            self.count = array.len();
            for (k, to) in self.all.get_mut(..self.count)?.iter_mut().enumerate() {
                *to = array.get_owned(k)?;
            }
            return Some(());
        }
        let list = given.cast_exact::<PyList>().ok()?;
        self.count = list.len();
        for (to, item) in self.all.get_mut(..self.count)?.iter_mut().zip(list) {
            *to = item.cast_exact::<PyFloat>().ok()?.value();
        }
        Some(())
    }

    /// Moves the values of the independent joints, which ascend, to the places of their variables.
    #[inline]
    fn spread(&mut self, free: &[usize], all: usize) -> Option<()> {
        if self.count != free.len() || all > MOST {
            return None;
        }
        if free.len() < all {
            for (k, &variable) in free.iter().enumerate().rev() {
                let value = std::mem::take(&mut self.all[k]);
                self.all[variable] = value;
            }
        }
        self.count = all;
        Some(())
    }
}

impl PyRobot {
    /// Reads the values of all variables, from those of the independent joints or of all; `None` if they take another
    /// path.
    #[inline]
    pub(super) fn read_values(&self, given: &Bound<'_, PyAny>, values: &mut Numbers) -> Option<()> {
        values.read(given)?;
        let all = self.robot.variables().len();
        if values.count == all { Some(()) } else { values.spread(&self.free, all) }
    }

    /// Reads the values of all variables, from those of some independent joints by their numbers; the others are at
    /// `default`.
    #[inline]
    pub(super) fn read_joints(
        &self,
        given: &Bound<'_, PyAny>,
        (columns, default): (&Bound<'_, PyTuple>, &Bound<'_, PyAny>),
        values: &mut Numbers,
    ) -> Option<()> {
        values.read(given)?;
        let all = self.robot.variables().len();
        if values.count == self.free.len() {
            return values.spread(&self.free, all);
        }
        if values.count != columns.len() {
            return None;
        }
        let mut joints = Numbers::none();
        joints.read(default)?;
        for (column, value) in columns.iter_borrowed().zip(values.as_slice()) {
            *joints.all.get_mut(column.extract::<usize>().ok()?)? = *value;
        }
        *values = joints;
        values.spread(&self.free, all)
    }

    /// The verdict on one configuration; `None` if it is invalid, for an error with its place.
    ///
    /// The lock of the interpreter is released for exact queries only: the filter takes about as long as releasing it
    /// and waiting for it again.
    pub(super) fn check_alone<'py>(
        &self,
        py: Python<'py>,
        read: impl FnOnce(&mut Numbers) -> Option<()>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut state = Numbers::none();
        if read(&mut state).is_none() {
            return Ok(None);
        }
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
