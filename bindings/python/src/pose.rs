//! Rigid poses.

use crate::array::{floats, point, points, vector, vectors, wrong_shape};
use glam::{DMat3, DQuat, DVec3};
use noli::Pose;
use noli_geom::rotation;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The order of the numbers of a quaternion.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    Wxyz,
    Xyzw,
}

impl Order {
    pub(crate) fn named(quat: Option<&str>, name: &str) -> PyResult<Self> {
        match quat {
            Some("wxyz") => Ok(Self::Wxyz),
            Some("xyzw") => Ok(Self::Xyzw),
            Some(other) => Err(PyValueError::new_err(format!(
                "quat={other:?}: unknown order of a quaternion; give \"wxyz\" or \"xyzw\""
            ))),
            None => Err(PyValueError::new_err(format!(
                "{name} holds quaternions: give their order with quat=\"wxyz\" or quat=\"xyzw\""
            ))),
        }
    }

    pub(crate) fn read(self, q: &[f64]) -> DQuat {
        match self {
            Self::Wxyz => DQuat::from_xyzw(q[1], q[2], q[3], q[0]),
            Self::Xyzw => DQuat::from_xyzw(q[0], q[1], q[2], q[3]),
        }
    }
}

/// Maximum deviation of a matrix from a rotation: the largest entry of MᵀM − 1. It has no unit, so it means the
/// same in every unit of length. A rotation written with seven digits, or kept in `float32`, deviates by less;
/// a forgotten scale or mirror by more. Scene files use the same value.
const MATRIX_TOLERANCE: f64 = 1e-6;

/// A homogeneous matrix, row by row.
pub(crate) fn matrix(m: &[f64]) -> Result<Pose, &'static str> {
    if m[12..16] != [0.0, 0.0, 0.0, 1.0] {
        return Err("the last row of the matrix is not 0 0 0 1");
    }
    let column = |k: usize| DVec3::new(m[k], m[4 + k], m[8 + k]);
    let turn = rotation::of_matrix(&DMat3::from_cols(column(0), column(1), column(2)), MATRIX_TOLERANCE);
    let turn =
        turn.ok_or("the matrix is not a rotation; scale belongs into the mesh, and it must not mirror")?;
    checked(Pose::new(turn, column(3)))
}

pub(crate) fn quaternion(row: &[f64], order: Order) -> Result<Pose, &'static str> {
    checked(Pose::new(order.read(&row[3..7]), DVec3::new(row[0], row[1], row[2])))
}

fn checked(pose: Pose) -> Result<Pose, &'static str> {
    if pose.is_valid() {
        Ok(pose)
    } else {
        Err("invalid pose: a number is not finite, or the quaternion has zero length")
    }
}

/// A rigid pose: x ↦ R(q)·x + t, where R(q) is the rotation by the quaternion q, of any length but 0.
///
/// A pose has one exact meaning, so an answer can be rechecked by anyone.
///
/// >>> import noli
/// >>> noli.Pose([1, 0, 0]).apply([[0, 0, 0], [0, 2, 0]]).tolist()
/// [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0]]
#[pyclass(frozen, eq, name = "Pose", module = "noli", from_py_object)]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct PyPose(pub(crate) Pose);

#[pymethods]
impl PyPose {
    /// Creates a pose from a position and a rotation: a quaternion (give its order with `quat`) or a 3×3 matrix.
    #[new]
    #[pyo3(signature = (translation = None, rotation = None, *, quat = None))]
    fn new(
        translation: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        quat: Option<&str>,
    ) -> PyResult<Self> {
        let mut pose = Pose::IDENTITY;
        if let Some(translation) = translation {
            pose.translation = vector(translation, "translation")?;
        }
        if let Some(value) = rotation {
            let array = floats(value, "rotation")?;
            let numbers = array.as_slice()?;
            pose.rotation = match array.shape() {
                [4] => Order::named(quat, "rotation")?.read(numbers),
                [3, 3] => {
                    let m = [
                        &numbers[0..3],
                        &[0.0],
                        &numbers[3..6],
                        &[0.0],
                        &numbers[6..9],
                        &[0.0, 0.0, 0.0, 0.0, 1.0],
                    ];
                    matrix(&m.concat()).map_err(PyValueError::new_err)?.rotation
                }
                shape => return Err(wrong_shape("rotation", "(4,) or (3, 3)", shape)),
            };
        }
        if !pose.is_valid() {
            let text = "invalid pose: a number is not finite or too large, or the quaternion has zero length";
            return Err(PyValueError::new_err(text));
        }
        Ok(Self(pose))
    }

    /// Creates a pose from a homogeneous 4×4 matrix.
    #[staticmethod]
    fn from_matrix(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = floats(value, "matrix")?;
        if array.shape() != [4, 4] {
            return Err(wrong_shape("matrix", "(4, 4)", array.shape()));
        }
        matrix(array.as_slice()?).map(Self).map_err(PyValueError::new_err)
    }

    /// Creates a rotation by an angle in radians about an axis through the origin, followed by a translation.
    #[staticmethod]
    #[pyo3(signature = (axis, angle_rad, translation = None))]
    fn from_axis_angle(
        axis: &Bound<'_, PyAny>,
        angle_rad: f64,
        translation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let turn = rotation::from_axis_angle(vector(axis, "axis")?, angle_rad);
        let shift = translation.map(|shift| vector(shift, "translation")).transpose()?;
        let pose = Pose::new(turn, shift.unwrap_or_default());
        if pose.is_valid() {
            Ok(Self(pose))
        } else {
            Err(PyValueError::new_err("invalid pose: a number is not finite"))
        }
    }

    /// Position of the origin.
    #[getter]
    fn translation<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        point(py, self.0.translation)
    }

    /// The quaternion, its real part first, as it was given.
    #[getter]
    fn wxyz<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let DQuat { x, y, z, w } = self.0.rotation;
        PyArray1::from_slice(py, &[w, x, y, z])
    }

    /// The quaternion, its real part last, as it was given.
    #[getter]
    fn xyzw<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.rotation.to_array())
    }

    /// The homogeneous matrix, rounded.
    #[getter]
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        PyArray1::from_slice(py, &rows(&self.0)).reshape([4, 4]).map(Bound::into_any)
    }

    /// Returns the inverse pose, rounded.
    fn inverse(&self) -> Self {
        Self(self.0.inverse())
    }

    /// Transforms points `(n, 3)` or one point `(3,)`, rounded.
    fn apply<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        if floats(value, "points")?.shape() == [3] {
            return Ok(point(py, self.0.transform_point(vector(value, "points")?)).into_any());
        }
        points(py, vectors(value, "points")?.into_iter().map(|x| self.0.transform_point(x)))
    }

    fn __mul__(&self, other: &Self) -> Self {
        Self(self.0 * other.0)
    }

    fn __repr__(&self) -> String {
        let (t, q) = (self.0.translation, self.0.rotation);
        let rotation = match q == DQuat::IDENTITY {
            true => String::new(),
            false => format!(", [{}, {}, {}, {}], quat=\"wxyz\"", q.w, q.x, q.y, q.z),
        };
        format!("noli.Pose([{}, {}, {}]{rotation})", t.x, t.y, t.z)
    }

    fn __hash__(&self) -> u64 {
        let numbers = self.0.rotation.to_array().into_iter().chain(self.0.translation.to_array());
        // Adding 0 makes one of both zeros, which are equal.
        numbers.fold(17, |hash: u64, x| {
            (hash.rotate_left(7) ^ (x + 0.0).to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, ([f64; 7],))> {
        let make = slf.py().import("noli._noli")?.getattr("_pose")?;
        Ok((make, (slf.get().0.to_array(),)))
    }
}

/// A pose from its seven numbers, for pickle.
#[pyfunction(name = "_pose")]
pub(crate) fn restore(numbers: [f64; 7]) -> PyPose {
    PyPose(Pose::from_array(numbers))
}

/// The homogeneous matrix of a pose, row by row.
pub(crate) fn rows(pose: &Pose) -> [f64; 16] {
    let (m, t) = (pose.rotation_matrix(), pose.translation);
    let (a, b, c) = (m.x_axis, m.y_axis, m.z_axis);
    [a.x, b.x, c.x, t.x, a.y, b.y, c.y, t.y, a.z, b.z, c.z, t.z, 0.0, 0.0, 0.0, 1.0]
}
