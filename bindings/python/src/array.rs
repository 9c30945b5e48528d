//! Arrays in and out, with errors that name the array, its shape and what was expected.

use glam::DVec3;
use numpy::{
    Element, PyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Numbers as a C-contiguous array of `float64`; anything else that holds real numbers is converted once.
pub(crate) fn floats<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
    {
        return Ok(array.try_readonly()?);
    }
    let array = as_array(value, name, "fiub", "real numbers")?;
    let kwargs = pyo3::types::PyDict::new(value.py());
    kwargs.set_item("dtype", "float64")?;
    let array = value.py().import("numpy")?.call_method("ascontiguousarray", (array,), Some(&kwargs))?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?.try_readonly()?)
}

/// Non-negative whole numbers that fit 32 bits, as rows of three.
pub(crate) fn triangles(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[u32; 3]>> {
    let array = as_array(value, name, "iu", "whole numbers")?;
    let shape = array.shape().to_vec();
    if shape.len() != 2 || shape[1] != 3 {
        return Err(wrong_shape(name, "(n, 3)", &shape));
    }
    let kwargs = pyo3::types::PyDict::new(value.py());
    kwargs.set_item("dtype", "int64")?;
    let array = value.py().import("numpy")?.call_method("ascontiguousarray", (array,), Some(&kwargs))?;
    let array = array.cast_into::<PyArrayDyn<i64>>()?.try_readonly()?;
    let mut rows = Vec::with_capacity(shape[0]);
    for (row, vertices) in array.as_slice()?.as_chunks::<3>().0.iter().enumerate() {
        let mut triangle = [0; 3];
        for (to, &from) in triangle.iter_mut().zip(vertices) {
            *to = u32::try_from(from).map_err(|_| {
                PyValueError::new_err(format!("{name}[{row}]: invalid vertex number: {from}"))
            })?;
        }
        rows.push(triangle);
    }
    Ok(rows)
}

fn as_array<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    kinds: &str,
    what: &str,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    let dtype = array.dtype();
    let kind: String = dtype.getattr("kind")?.extract()?;
    if !kinds.contains(&kind) {
        // An empty list is an array of floats to NumPy.
        if !(array.len() == 0 && kind == "f") {
            return Err(PyTypeError::new_err(format!("{name}: expected {what}, got dtype {dtype}")));
        }
    }
    Ok(array)
}

pub(crate) fn wrong_shape(name: &str, wanted: &str, shape: &[usize]) -> PyErr {
    let found: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if found.len() == 1 { "," } else { "" };
    PyValueError::new_err(format!("{name}: expected shape {wanted}, got ({}{comma})", found.join(", ")))
}

/// Three numbers.
pub(crate) fn vector(value: &Bound<'_, PyAny>, name: &str) -> PyResult<DVec3> {
    let array = floats(value, name)?;
    match (array.shape(), array.as_slice()?) {
        ([3], &[x, y, z]) => Ok(DVec3::new(x, y, z)),
        (shape, _) => Err(wrong_shape(name, "(3,)", shape)),
    }
}

/// Rows of three numbers.
pub(crate) fn vectors(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<DVec3>> {
    let array = floats(value, name)?;
    let shape = array.shape();
    if shape.len() != 2 || shape[1] != 3 {
        return Err(wrong_shape(name, "(n, 3)", shape));
    }
    Ok(array.as_slice()?.as_chunks::<3>().0.iter().copied().map(DVec3::from_array).collect())
}

/// Returns the array for the answers: the caller's, or a new one.
pub(crate) fn out<'py, T: Element>(
    py: Python<'py>,
    given: Option<&Bound<'py, PyAny>>,
    count: usize,
    name: &str,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let Some(given) = given else { return Ok(PyArray::zeros(py, [count], false)) };
    let wanted = T::get_dtype(py);
    let wrong = |found: String| {
        PyTypeError::new_err(format!(
            "{name}: expected a writable C-contiguous array of {wanted} with shape ({count},), got {found}"
        ))
    };
    let Ok(array) = given.cast::<PyUntypedArray>() else {
        return Err(wrong(given.get_type().name()?.to_string()));
    };
    let found = || wrong(format!("{} with shape {:?}", array.dtype(), array.shape()));
    let Ok(array) = given.cast::<PyArray1<T>>() else { return Err(found()) };
    if array.len() != count || !array.is_c_contiguous() {
        return Err(found());
    }
    Ok(array.clone())
}

/// Returns several arrays for the answers, given as a tuple or list.
pub(crate) fn outs<'py, T: Element, const N: usize>(
    py: Python<'py>,
    given: Option<&Bound<'py, PyAny>>,
    count: usize,
) -> PyResult<[Bound<'py, PyArray1<T>>; N]> {
    if let Some(given) = given
        && !given.len().is_ok_and(|found| found == N)
    {
        return Err(PyTypeError::new_err(format!("out: expected {N} arrays")));
    }
    let arrays: Vec<Bound<'py, PyArray1<T>>> = (0..N)
        .map(|k| {
            let one = given.map(|given| given.get_item(k)).transpose()?;
            out(py, one.as_ref(), count, &format!("out[{k}]"))
        })
        .collect::<PyResult<_>>()?;
    arrays.try_into().map_err(|_| PyTypeError::new_err("out: wrong number of arrays"))
}

/// Puts values into an array from an index on.
pub(crate) fn put<T: Element + Copy>(
    array: &Bound<'_, PyArray1<T>>,
    start: usize,
    values: impl ExactSizeIterator<Item = T>,
) -> PyResult<()> {
    let mut array = array.try_readwrite()?;
    let slice = array.as_slice_mut()?;
    for (to, value) in slice[start..][..values.len()].iter_mut().zip(values) {
        *to = value;
    }
    Ok(())
}

/// A new array of rows of three.
pub(crate) fn points<'py>(
    py: Python<'py>,
    rows: impl IntoIterator<Item = DVec3>,
) -> PyResult<Bound<'py, PyAny>> {
    let flat: Vec<f64> = rows.into_iter().flat_map(|point| point.to_array()).collect();
    let count = flat.len() / 3;
    PyArray1::from_vec(py, flat).reshape([count, 3]).map(Bound::into_any)
}

/// A new array of three numbers.
pub(crate) fn point<'py>(py: Python<'py>, point: DVec3) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, &point.to_array())
}
