//! Shapes prepared for queries, placed and moving.

use crate::answer::guarantee;
use crate::array::{floats, vector, vectors};
use crate::cloud::PyPointCloud;
use crate::error::value;
use crate::pool::on_threads;
use crate::pose::PyPose;
use crate::poses::Poses;
use crate::shape::{PyConvex, PyField, PyMesh, bounds};
use glam::DVec3;
use noli::motion::{KeyFrames, Motion, RigidMotion, Still, Turning};
use noli::{Model, Pose, Shape};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::sync::Arc;

/// A shape prepared for queries. Preparation is slow compared with a query, so create it once and query it
/// often.
///
/// The shape is a `Mesh`, a `Convex`, a `Field`, the word `"half-space"` (all points with z <= 0), or anything
/// with `vertices` and `faces`. A list of `(pose, shape)` combines several of them. Any thread may query a
/// model.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> noli.relation(cube, cube, noli.Pose([1, 0, 0]))
/// 'touching'
#[pyclass(frozen, name = "Model", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyModel {
    pub(crate) model: Model,
    shape: Arc<Py<PyAny>>,
}

/// Converts a Python object into a shape; also returns the object that `Model.shape` gives.
fn shape_of(given: &Bound<'_, PyAny>) -> PyResult<(Shape, Py<PyAny>)> {
    let own = || given.clone().unbind();
    if let Ok(mesh) = given.cast::<PyMesh>() {
        return Ok((mesh.get().0.clone().into(), own()));
    }
    if let Ok(convex) = given.cast::<PyConvex>() {
        return Ok((convex.get().0.clone().into(), own()));
    }
    if let Ok(cloud) = given.cast::<PyPointCloud>() {
        return Ok((cloud.get().cloud.clone().into(), own()));
    }
    if let Ok(field) = given.cast::<PyField>() {
        return Ok((field.get().field.clone().into(), own()));
    }
    if let Ok(word) = given.extract::<String>() {
        return match word.as_str() {
            "half-space" => Ok((Shape::HalfSpace, own())),
            _ => Err(value(format!("unknown shape: {word:?}; the only named shape is \"half-space\""))),
        };
    }
    if let Ok(list) = given.cast::<PyList>() {
        let (mut parts, kept) = (Vec::new(), PyList::empty(given.py()));
        for item in list {
            let (place, part): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let pose = one_pose(&place)?;
            let (shape, part) = shape_of(&part)?;
            kept.append((PyPose(pose), part))?;
            parts.push((pose, shape));
        }
        return Ok((Shape::Compound(parts), kept.into_any().unbind()));
    }
    let mesh = PyMesh::from_any(given, None, false).map_err(|_| {
        let name = given.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "expected a Mesh, Convex, Field, \"half-space\", an object with `vertices` and `faces`, or a list of \
             (pose, shape), got {name}"
        ))
    })?;
    Ok((mesh.0.clone().into(), Py::new(given.py(), mesh)?.into_any()))
}

/// A pose: a `Pose` or a matrix `(4, 4)`.
pub(crate) fn one_pose(given: &Bound<'_, PyAny>) -> PyResult<Pose> {
    match Poses::new(given, None, "pose")? {
        Poses::One(pose) => Ok(pose),
        _ => Err(value("expected one pose, got several")),
    }
}

#[pymethods]
impl PyModel {
    #[new]
    #[pyo3(signature = (shape, *, threads = None))]
    fn new(shape: &Bound<'_, PyAny>, threads: Option<usize>) -> PyResult<Self> {
        let (given, kept) = shape_of(shape)?;
        let model = on_threads(shape.py(), threads, || Model::new(given))?.map_err(value)?;
        Ok(Self { model, shape: Arc::new(kept) })
    }

    /// The shape from which it was created.
    #[getter]
    fn shape(&self, py: Python<'_>) -> Py<PyAny> {
        self.shape.clone_ref(py)
    }

    /// Bounding box: its lowest and highest vertex, `(2, 3)`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bounds(py, self.model.aabb())
    }

    /// Memory of its tree and its mesh, in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.model.bytes()
    }

    /// Places the model at a pose: a `Pose` or a matrix `(4, 4)`.
    fn at(&self, pose: &Bound<'_, PyAny>) -> PyResult<PyPlaced> {
        Ok(PyPlaced { model: self.clone(), pose: one_pose(pose)? })
    }

    /// Pairs the model with a motion.
    fn moving(&self, motion: &PyMotion) -> PyMoving {
        PyMoving { model: self.clone(), motion: motion.clone() }
    }

    /// Returns the guarantee of verdicts about two models: "exact", "conservative" or "approximate".
    fn guarantee(&self, other: &Self) -> &'static str {
        guarantee(self.model.guarantee(&other.model))
    }

    /// Returns a model of the same faces with other vertices `(n, 3)`; faster than a new model.
    fn refit(&self, vertices: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = vertices.py();
        let vertices = vectors(vertices, "vertices")?;
        let model = on_threads(py, None, || self.model.refit(vertices))?.map_err(value)?;
        Self::of_mesh(py, model)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<noli.Model of {}>", self.shape.bind(py).repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, model) = (slf.py(), slf.get());
        let tree = model.model.mesh().map(|_| PyBytes::new(py, &model.model.store_tree()));
        let make = py.import("noli._noli")?.getattr("_model")?;
        Ok((make, (model.shape(py), tree).into_pyobject(py)?.into_any()))
    }
}

impl PyModel {
    fn of_mesh(py: Python<'_>, model: Model) -> PyResult<Self> {
        let mesh = model.mesh().ok_or_else(|| value("the model has no mesh"))?.clone();
        Ok(Self { model, shape: Arc::new(Py::new(py, PyMesh(mesh))?.into_any()) })
    }
}

/// A model from its shape and the tree that it had, for pickle.
#[pyfunction(name = "_model")]
pub(crate) fn restore_model(shape: &Bound<'_, PyAny>, tree: Option<Vec<u8>>) -> PyResult<PyModel> {
    if let (Ok(mesh), Some(tree)) = (shape.cast::<PyMesh>(), tree)
        && let Ok(model) = Model::with_stored_tree(&mesh.get().0, &tree)
    {
        return Ok(PyModel { model, shape: Arc::new(shape.clone().unbind()) });
    }
    PyModel::new(shape, None)
}

/// A model at a pose, created by `Model.at`.
#[pyclass(frozen, name = "Placed", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyPlaced {
    pub(crate) model: PyModel,
    pub(crate) pose: Pose,
}

#[pymethods]
impl PyPlaced {
    /// The placed model.
    #[getter]
    fn model(&self) -> PyModel {
        self.model.clone()
    }

    /// Its pose.
    #[getter]
    fn pose(&self) -> PyPose {
        PyPose(self.pose)
    }

    fn __repr__(&self) -> String {
        format!("<noli.Placed at {}>", self.pose.translation)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (PyModel, PyPose))> {
        let placed = slf.get();
        let make = slf.py().get_type::<PyModel>().getattr("at")?;
        Ok((make, (placed.model.clone(), PyPose(placed.pose))))
    }
}

/// Motion of a body while time goes from 0 to 1.
///
/// >>> import noli
/// >>> sphere = noli.Model(noli.Convex.sphere(0.5))
/// >>> shot = noli.Motion.between(noli.Pose([-10, 0, 0]), noli.Pose([10, 0, 0]))
/// >>> round(noli.time_of_impact(sphere, sphere.moving(shot)).safe_until, 4)
/// 0.45
#[pyclass(frozen, name = "Motion", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyMotion {
    pub(crate) motion: Arc<dyn Motion>,
    word: &'static str,
    numbers: Arc<Vec<f64>>,
}

#[pymethods]
impl PyMotion {
    /// Creates a motion that rests at a pose.
    #[staticmethod]
    fn still(pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::make("still", one_pose(pose)?.to_array().to_vec())
    }

    /// Creates a motion from one pose to another. The pivot, a point of the body, moves in a straight line; the body
    /// rotates uniformly about it.
    #[staticmethod]
    #[pyo3(signature = (start, end, *, pivot = None))]
    fn between(
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        pivot: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (start, end) = (one_pose(start)?.to_array(), one_pose(end)?.to_array());
        Self::make("between", [&start[..], &end, &optional(pivot, "pivot")?].concat())
    }

    /// Creates a screw motion: a rotation by `angle_rad` about an axis through a point of the world, and an advance
    /// along it.
    #[staticmethod]
    #[pyo3(signature = (start, point, axis, angle_rad, advance = 0.0))]
    fn screw(
        start: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        axis: &Bound<'_, PyAny>,
        angle_rad: f64,
        advance: f64,
    ) -> PyResult<Self> {
        let start = one_pose(start)?.to_array();
        let (point, axis) = (vector(point, "point")?.to_array(), vector(axis, "axis")?.to_array());
        Self::make("screw", [&start[..], &point, &axis, &[angle_rad, advance]].concat())
    }

    /// Creates a motion with constant velocities: `linear` of the pivot, a point of the body, `angular` in radians.
    #[staticmethod]
    #[pyo3(signature = (start, linear, angular = None, *, pivot = None))]
    fn velocities(
        start: &Bound<'_, PyAny>,
        linear: &Bound<'_, PyAny>,
        angular: Option<&Bound<'_, PyAny>>,
        pivot: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let start = one_pose(start)?.to_array();
        let linear = vector(linear, "linear")?.to_array();
        let (angular, pivot) = (optional(angular, "angular")?, optional(pivot, "pivot")?);
        Self::make("velocities", [&start[..], &linear, &angular, &pivot].concat())
    }

    /// Creates a motion that interpolates poses at increasing times from 0 to 1.
    #[staticmethod]
    #[pyo3(signature = (times, poses, *, quat = None, pivot = None))]
    fn keyframes(
        times: &Bound<'_, PyAny>,
        poses: &Bound<'_, PyAny>,
        quat: Option<&str>,
        pivot: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let poses = Poses::new(poses, quat, "poses")?;
        let count = poses.count().ok_or_else(|| value("keyframes: give at least two poses"))?;
        let times = floats(times, "times")?;
        let times = times.as_slice()?;
        if times.len() != count {
            return Err(value(format!("{} times for {count} poses", times.len())));
        }
        let mut numbers = optional(pivot, "pivot")?.to_vec();
        for (time, pose) in times.iter().zip(poses.rows(0..count)?) {
            numbers.push(*time);
            numbers.extend(pose.to_array());
        }
        Self::make("keyframes", numbers)
    }

    /// Returns the pose at a time.
    fn pose(&self, t: f64) -> PyPose {
        PyPose(self.motion.pose(t))
    }

    fn __repr__(&self) -> String {
        format!("<noli.Motion: {}>", self.word)
    }

    #[allow(clippy::type_complexity, reason = "the signature that Python sees")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (&'static str, Vec<f64>))> {
        let make = slf.py().import("noli._noli")?.getattr("_motion")?;
        Ok((make, (slf.get().word, slf.get().numbers.to_vec())))
    }
}

fn optional(given: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<[f64; 3]> {
    Ok(given.map(|given| vector(given, name)).transpose()?.unwrap_or_default().to_array())
}

impl PyMotion {
    /// Creates a motion from a word and numbers, as pickled.
    fn make(word: &str, numbers: Vec<f64>) -> PyResult<Self> {
        let three = |from: usize| DVec3::from_slice(&numbers[from..from + 3]);
        let pose = |from: usize| {
            let mut seven = [0.0; 7];
            seven.copy_from_slice(&numbers[from..from + 7]);
            Pose::from_array(seven)
        };
        let (word, motion): (&'static str, Arc<dyn Motion>) = match (word, numbers.len()) {
            ("still", 7) => ("still", Arc::new(Still(pose(0)))),
            ("between", 17) => ("between", Arc::new(RigidMotion::between(&pose(0), &pose(7), three(14)))),
            ("screw", 15) => (
                "screw",
                Arc::new(RigidMotion::screw(&pose(0), three(7), three(10), numbers[13], numbers[14])),
            ),
            ("velocities", 16) => (
                "velocities",
                Arc::new(RigidMotion::with_velocities(&pose(0), three(7), three(10), three(13))),
            ),
            ("keyframes", count) if count >= 3 && (count - 3).is_multiple_of(8) => {
                let frames: Vec<(f64, Pose)> =
                    (3..count).step_by(8).map(|from| (numbers[from], pose(from + 1))).collect();
                ("keyframes", Arc::new(KeyFrames::new(&frames, three(0), Turning::default()).map_err(value)?))
            }
            _ => return Err(value(format!("invalid motion: {word} with {} numbers", numbers.len()))),
        };
        Ok(Self { motion, word, numbers: Arc::new(numbers) })
    }
}

/// A motion from its parts, for pickle.
#[pyfunction(name = "_motion")]
pub(crate) fn restore_motion(word: &str, numbers: Vec<f64>) -> PyResult<PyMotion> {
    PyMotion::make(word, numbers)
}

/// A model in motion, created by `Model.moving`.
#[pyclass(frozen, name = "Moving", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyMoving {
    pub(crate) model: PyModel,
    pub(crate) motion: PyMotion,
}

#[pymethods]
impl PyMoving {
    /// Returns the model at its pose at a time.
    fn at(&self, t: f64) -> PyPlaced {
        PyPlaced { model: self.model.clone(), pose: self.motion.motion.pose(t) }
    }

    fn __repr__(&self) -> String {
        format!("<noli.Moving: {}>", self.motion.word)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (PyModel, PyMotion))> {
        let moving = slf.get();
        let make = slf.py().get_type::<PyModel>().getattr("moving")?;
        Ok((make, (moving.model.clone(), moving.motion.clone())))
    }
}
