//! Exceptions, with the texts of the library.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

create_exception!(noli, FileError, PyValueError, "A file cannot be read, or its content is invalid.");
create_exception!(
    noli,
    UndecidedError,
    PyRuntimeError,
    "No verdict is proven: the budget ran out, or a field is neither provably in collision nor provably separated."
);

create_exception!(
    noli,
    InternalError,
    PyRuntimeError,
    "A defect of the library. The objects involved stay valid; please report it with the message."
);

/// Work of the library; a panic becomes an exception that `except Exception` catches.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> PyResult<R> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text =
            text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        InternalError::new_err(format!("internal error, please report it: {text}"))
    })
}

/// A remark on an answer, as a `UserWarning`.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text.replace('\0', " ")).map_err(value)?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

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
