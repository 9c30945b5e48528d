//! What went wrong, in the library's words.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(noli, FileError, PyValueError, "A file cannot be read or is not what it should be.");
create_exception!(
    noli,
    Undecided,
    PyRuntimeError,
    "Nothing is proven: a budget ran out, or a field is neither provably hit nor provably free."
);

/// Input that the library refuses, with its text.
pub(crate) fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn file(error: impl std::fmt::Display) -> PyErr {
    FileError::new_err(error.to_string())
}

pub(crate) fn undecided(text: impl Into<String>) -> PyErr {
    Undecided::new_err(text.into())
}
