//! Point clouds.

use crate::array::{points, vectors};
use crate::error::{file, value};
use noli::PointCloud;
use noli_formats::{read_points, write_points};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Points `(n, 3)` of a sensor, each with a sphere of `radius` around it.
///
/// Rows with a coordinate that is not finite are dropped and counted in `dropped`, as cameras write NaN where they
/// measure nothing; with `strict=True` they are an error.
///
/// >>> import noli, numpy
/// >>> cloud = noli.PointCloud(numpy.array([[0, 0, 0], [1, 0, 0], [numpy.nan, 0, 0]]), radius=0.25)
/// >>> cloud.points.shape, cloud.dropped
/// ((2, 3), 1)
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> round(noli.clearance(noli.Model(cloud), cube, noli.Pose([3, 0, 0])).at_most, 9)
/// 1.25
#[pyclass(frozen, name = "PointCloud", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyPointCloud {
    pub(crate) cloud: PointCloud,
    dropped: usize,
}

#[pymethods]
impl PyPointCloud {
    #[new]
    #[pyo3(signature = (points, *, radius, strict = false))]
    fn new(points: &Bound<'_, PyAny>, radius: f64, strict: bool) -> PyResult<Self> {
        let mut points = vectors(points, "points")?;
        let given = points.len();
        if !strict {
            points.retain(|point| point.is_finite());
        }
        let dropped = given - points.len();
        Ok(Self { cloud: PointCloud::new(points, radius).map_err(value)?, dropped })
    }

    /// Reads a file: PCD, PLY, XYZ, NPY, or the camera file of a depth image.
    #[staticmethod]
    #[pyo3(signature = (path, *, radius))]
    fn read(py: Python<'_>, path: PathBuf, radius: f64) -> PyResult<Self> {
        let found = py.detach(|| read_points(&path)).map_err(file)?;
        Ok(Self { cloud: PointCloud::new(found.points, radius).map_err(value)?, dropped: found.dropped })
    }

    /// Writes the points to a file, in the format that its extension names.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_points(&path, self.cloud.points())).map_err(file)
    }

    /// Returns fewer points with a larger radius that cover this cloud: every removed point lies within `distance` of
    /// a kept one, and `distance` is added to the radius.
    fn thinned(&self, py: Python<'_>, distance: f64) -> PyResult<Self> {
        let cloud = py.detach(|| self.cloud.thinned(distance)).map_err(value)?;
        Ok(Self { cloud, dropped: self.dropped })
    }

    /// Positions, `(n, 3)`; a new array each time.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        points(py, self.cloud.points().iter().copied())
    }

    /// Radius around every point.
    #[getter]
    fn radius(&self) -> f64 {
        self.cloud.radius()
    }

    /// Number of points that were dropped because a coordinate is not finite.
    #[getter]
    fn dropped(&self) -> usize {
        self.dropped
    }

    /// Bounding box of all spheres: its lowest and highest vertex, `(2, 3)`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::shape::bounds(py, self.cloud.aabb())
    }

    fn __len__(&self) -> usize {
        self.cloud.points().len()
    }

    fn __repr__(&self) -> String {
        format!("<noli.PointCloud: {} points, radius {}>", self.cloud.points().len(), self.cloud.radius())
    }

    #[expect(clippy::type_complexity, reason = "the signature of pickle")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>, f64, usize))> {
        let (py, own) = (slf.py(), slf.get());
        let make = py.import("noli._noli")?.getattr("_point_cloud")?;
        Ok((make, (own.points(py)?, own.cloud.radius(), own.dropped)))
    }
}

/// A point cloud from its parts, for pickle.
#[pyfunction(name = "_point_cloud")]
pub(crate) fn restore_cloud(
    points: &Bound<'_, PyAny>,
    radius: f64,
    dropped: usize,
) -> PyResult<PyPointCloud> {
    let points = vectors(points, "points")?;
    Ok(PyPointCloud { cloud: PointCloud::new(points, radius).map_err(value)?, dropped })
}
