//! One pose or many, from arrays and objects.

use crate::array::{floats, wrong_shape};
use crate::pose::{Order, PyPose, matrix, quaternion};
use noli::Pose;
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::ops::Range;

enum RowFormat {
    Matrix,
    Quaternion(Order),
}

/// One pose or many, as matrices, as positions with quaternions, or as `Pose` objects.
pub(crate) enum Poses<'py> {
    One(Pose),
    List(Vec<Pose>),
    Array { array: PyReadonlyArrayDyn<'py, f64>, form: RowForm, name: &'static str },
}

/// Row format of an array of poses.
pub(crate) struct RowForm(RowFormat);

impl<'py> Poses<'py> {
    pub(crate) fn new(value: &Bound<'py, PyAny>, quat: Option<&str>, name: &'static str) -> PyResult<Self> {
        if let Ok(pose) = value.cast::<PyPose>() {
            return Ok(Self::One(pose.get().0));
        }
        if (value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>())
            && value.len()? > 0
            && value.get_item(0)?.is_instance_of::<PyPose>()
        {
            let poses = value.try_iter()?.map(|item| Ok(item?.cast::<PyPose>()?.get().0));
            return poses.collect::<PyResult<Vec<_>>>().map(Self::List);
        }
        let array = floats(value, name)?;
        let shape = array.shape().to_vec();
        let (form, many) = match shape[..] {
            [4, 4] => (RowFormat::Matrix, false),
            [_, 4, 4] => (RowFormat::Matrix, true),
            [7] => (RowFormat::Quaternion(Order::named(quat, name)?), false),
            [_, 7] => (RowFormat::Quaternion(Order::named(quat, name)?), true),
            _ => return Err(wrong_shape(name, "(n, 4, 4), (n, 7), (4, 4) or (7,)", &shape)),
        };
        let poses = Self::Array { array, form: RowForm(form), name };
        if many { Ok(poses) } else { Ok(Self::One(poses.row(0)?)) }
    }

    /// Returns the number of poses; `None` for one that is not in an array.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::List(poses) => Some(poses.len()),
            Self::Array { array, .. } => Some(array.shape()[0]),
        }
    }

    pub(crate) fn rows(&self, range: Range<usize>) -> PyResult<Vec<Pose>> {
        match self {
            Self::One(pose) => Ok(vec![*pose; range.len()]),
            Self::List(poses) => Ok(poses[range].to_vec()),
            Self::Array { .. } => range.map(|row| self.row(row)).collect(),
        }
    }

    fn row(&self, row: usize) -> PyResult<Pose> {
        let Self::Array { array, form, name } = self else { return Ok(self.rows(row..row + 1)?[0]) };
        let numbers = array.as_slice()?;
        let read = match form.0 {
            RowFormat::Matrix => matrix(&numbers[16 * row..][..16]),
            RowFormat::Quaternion(order) => quaternion(&numbers[7 * row..][..7], order),
        };
        read.map_err(|text| PyValueError::new_err(format!("{name}[{row}]: {text}")))
    }
}
