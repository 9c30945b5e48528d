//! Exceptions, with the texts of the library.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(noli, FileError, PyValueError, "A file cannot be read, or its content is invalid.");
create_exception!(
    noli,
    UndecidedError,
    PyRuntimeError,
    "No verdict is proven: the budget ran out, or a field is neither provably in collision nor provably separated."
);

/// Input that the library rejects, with its text.
pub(crate) fn value(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn file(error: impl std::fmt::Display) -> PyErr {
    FileError::new_err(error.to_string())
}

pub(crate) fn undecided(text: impl Into<String>) -> PyErr {
    UndecidedError::new_err(text.into())
}
