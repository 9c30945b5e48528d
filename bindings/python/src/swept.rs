//! Swept volumes of rigid bodies.

use crate::error::value;
use crate::model::PyMoving;
use crate::pool::until_interrupted;
use crate::shape::PyMesh;
use noli_sweep::{SweepOptions, SweepWatch, SweptBody, SweptVolume, sweep_watched};
use pyo3::prelude::*;

/// The volume that bodies sweep, created by `noli.swept_volume`.
#[pyclass(frozen, name = "SweptVolume", module = "noli")]
pub(crate) struct PySweptVolume {
    volume: SweptVolume,
    outer: Py<PyMesh>,
    inner: Option<Py<PyMesh>>,
}

#[pymethods]
impl PySweptVolume {
    /// Closed mesh that encloses every body at every moment.
    #[getter]
    fn outer(&self, py: Python<'_>) -> Py<PyMesh> {
        self.outer.clone_ref(py)
    }

    /// Closed mesh within the swept volume; `None` if no cell is proven inside, as for thin bodies.
    #[getter]
    fn inner(&self, py: Python<'_>) -> Option<Py<PyMesh>> {
        self.inner.as_ref().map(|mesh| mesh.clone_ref(py))
    }

    /// No point of the outer mesh is farther from the swept volume.
    #[getter]
    fn error(&self) -> f64 {
        self.volume.error()
    }

    /// Lower and upper bound on the volume, proven.
    #[getter]
    fn bounds(&self) -> (f64, f64) {
        (self.volume.inner_volume(), self.volume.outer_volume())
    }

    /// Returns at most `most` boxes that enclose the outer mesh, as pairs of their lowest and highest vertex.
    fn boxes(&self, most: usize) -> Vec<([f64; 3], [f64; 3])> {
        self.volume.boxes(most).iter().map(|aabb| (aabb.min.to_array(), aabb.max.to_array())).collect()
    }

    fn __repr__(&self) -> String {
        let (low, high) = self.bounds();
        format!("<noli.SweptVolume: from {low:.6} to {high:.6}, error {}>", self.error())
    }
}

/// Computes the volume that bodies sweep while time goes from 0 to 1: one `Moving`, or several. No point of its outer mesh
/// is farther than `error` from the volume, in the unit of the bodies. `deviation` bounds the distance between the models
/// and the true bodies, such as the chordal deviation of triangles; the error is more than twice that.
///
/// >>> import noli
/// >>> box = noli.Model(noli.Convex.cuboid([1, 1, 1]))
/// >>> slide = noli.Motion.between(noli.Pose([0, 0, 0]), noli.Pose([3, 0, 0]))
/// >>> swept = noli.swept_volume(box.moving(slide), error=0.2)
/// >>> low, high = swept.bounds
/// >>> low < 4 < high, swept.outer.is_closed
/// (True, True)
#[pyfunction]
#[pyo3(signature = (bodies, *, error, deviation = 0.0, cells = 20_000_000, threads = None))]
pub(crate) fn swept_volume(
    py: Python<'_>,
    bodies: &Bound<'_, PyAny>,
    error: f64,
    deviation: f64,
    cells: usize,
    threads: Option<usize>,
) -> PyResult<PySweptVolume> {
    let moving: Vec<PyMoving> = match bodies.cast::<PyMoving>() {
        Ok(one) => vec![one.get().clone()],
        Err(_) => {
            let all = bodies.try_iter()?;
            all.map(|one| Ok(one?.cast::<PyMoving>()?.get().clone())).collect::<PyResult<_>>()?
        }
    };
    let mut options = SweepOptions::new(error);
    (options.deviation, options.cells) = (deviation, cells);
    let found = until_interrupted(py, threads, |cancel| {
        let body = |one: &'_ PyMoving| (one.model.model.clone(), one.motion.motion.clone());
        let own: Vec<_> = moving.iter().map(body).collect();
        let bodies: Vec<SweptBody<'_>> =
            own.iter().map(|(model, motion)| SweptBody { model, motion: &**motion }).collect();
        let volume = sweep_watched(&bodies, &options, &SweepWatch { cancel, progress: &|_| {} })?;
        let (outer, inner) = (volume.outer_mesh()?, volume.inner_mesh()?);
        Ok::<_, noli_sweep::SweepError>((volume, outer, inner))
    })?;
    let (volume, outer, inner) = found.map_err(value)?;
    let inner = inner.map(|mesh| Py::new(py, PyMesh(mesh))).transpose()?;
    Ok(PySweptVolume { volume, outer: Py::new(py, PyMesh(outer))?, inner })
}
