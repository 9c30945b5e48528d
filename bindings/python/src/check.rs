//! Checks of whole assemblies: scenes, files and folders.

use crate::error::value;
use crate::pool::on_threads;
use noli_ask::{AskError, Check, Context};
use noli_project::bundled_names;
use pyo3::prelude::*;

/// Returns a length given as a keyword; an error if it is negative or not finite.
pub(crate) fn checked_length(name: &str, length: f64) -> PyResult<f64> {
    if length >= 0.0 && length.is_finite() {
        return Ok(length);
    }
    Err(value(format!("{name}={length}: invalid length; give a finite number of at least 0")))
}

/// Returns the report of a check as the JSON of the command line. `options` is the question as JSON; `noli.check` writes it.
#[pyfunction(name = "_check")]
pub(crate) fn check(py: Python<'_>, options: &str, threads: Option<usize>) -> PyResult<String> {
    let options = serde_json::from_str(options).map_err(value)?;
    let question: Check = noli_ask::parse(options).map_err(value)?;
    on_threads(py, threads, || -> PyResult<String> {
        let answer = question.answer(&Context::default()).and_then(|answer| answer.into_pairs());
        serde_json::to_string(&answer.map_err(asked)?.report).map_err(value)
    })?
}

/// An error of a question as an exception.
fn asked(error: AskError) -> PyErr {
    match error {
        AskError::File(error) => crate::error::file(error),
        other => value(other),
    }
}

/// Returns the names of the scenes and assemblies that come with noli, for `noli.check(demo=...)`.
#[pyfunction]
pub(crate) fn demos() -> Vec<&'static str> {
    bundled_names()
}
