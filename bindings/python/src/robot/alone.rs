//! One configuration at a time, as planners test them: nothing is allocated, and arrays are not locked.

use super::PyRobot;
use super::queries::{HITS, verdict};
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
    fn as_slice(&self) -> &[f64] {
        &self.all[..self.count]
    }

    /// Of an array of `float64` or a list of floats; `None` for anything else.
    fn of(given: &Bound<'_, PyAny>) -> Option<Self> {
        let mut all = [0.0; MOST];
        if let Ok(array) = given.cast::<PyArray1<f64>>() {
            let count = array.len();
            for (k, to) in all.get_mut(..count)?.iter_mut().enumerate() {
                *to = array.get_owned(k)?;
            }
            return Some(Self { all, count });
        }
        let list = given.cast_exact::<PyList>().ok()?;
        let count = list.len();
        for (to, item) in all.get_mut(..count)?.iter_mut().zip(list) {
            *to = item.cast_exact::<PyFloat>().ok()?.value();
        }
        Some(Self { all, count })
    }
}

impl PyRobot {
    /// Values of all variables, from those of the independent joints or of all; `None` if it takes another path.
    pub(super) fn one_array(&self, given: &Bound<'_, PyAny>) -> Option<Numbers> {
        let given = Numbers::of(given)?;
        let all = self.robot.variables().len();
        if given.count == all {
            return Some(given);
        }
        let mut state = Numbers { all: [0.0; MOST], count: all };
        if given.count != self.free.len() || all > MOST {
            return None;
        }
        self.free.iter().zip(given.as_slice()).for_each(|(&variable, &value)| state.all[variable] = value);
        Some(state)
    }

    /// Values of all variables, from those of some independent joints by their numbers; the others are at `default`.
    pub(super) fn joints_array(
        &self,
        given: &Bound<'_, PyAny>,
        columns: &Bound<'_, PyTuple>,
        default: &Bound<'_, PyAny>,
    ) -> Option<Numbers> {
        let given = Numbers::of(given)?;
        let mut joints = Numbers::of(default)?;
        let all = self.robot.variables().len();
        if joints.count != self.free.len() || all > MOST {
            return None;
        }
        if given.count == joints.count {
            joints = given;
        } else if given.count == columns.len() {
            for (column, value) in columns.iter_borrowed().zip(given.as_slice()) {
                *joints.all.get_mut(column.extract::<usize>().ok()?)? = *value;
            }
        } else {
            return None;
        }
        let mut state = Numbers { all: [0.0; MOST], count: all };
        self.free.iter().zip(joints.as_slice()).for_each(|(&variable, &value)| state.all[variable] = value);
        Some(state)
    }

    /// The verdict on one configuration; `None` if it is invalid, for an error with its place.
    pub(super) fn check_alone<'py>(
        &self,
        py: Python<'py>,
        given: Option<Numbers>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(mut state) = given else { return Ok(None) };
        self.robot.apply_laws(&mut state.all[..state.count]);
        match detached(py, || self.ask(|checker| checker.check_state(state.as_slice())))? {
            Ok(status) => HITS.one(py, verdict(status)).map(Some),
            Err(_) => Ok(None),
        }
    }
}
