//! Point clouds.

use crate::array::{floats, points, vectors, wrong_shape};
use crate::error::{file, value};
use glam::DVec3;
use noli::{PointCloud, ShapeError};
use noli_formats::{read_points, write_points};
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Points `(n, 3)` of a sensor, each with a sphere of `radius` around it: one number, or `(n,)` for one each.
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
/// >>> noli.PointCloud([[0, 0, 0], [1, 0, 0]], radius=[0.25, 0.5]).bounds.round(9).tolist()
/// [[-0.25, -0.5, -0.5], [1.5, 0.5, 0.5]]
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
    fn new(points: &Bound<'_, PyAny>, radius: &Bound<'_, PyAny>, strict: bool) -> PyResult<Self> {
        with_radius(vectors(points, "points")?, radius, strict)
    }

    /// Reads a file: PCD, PLY, XYZ, NPY, or the camera file of a depth image. Without `radius`, the file must have
    /// radii: a property or column `radius`, or the last of four columns.
    #[staticmethod]
    #[pyo3(signature = (path, *, radius = None))]
    fn read(py: Python<'_>, path: PathBuf, radius: Option<f64>) -> PyResult<Self> {
        let found = py.detach(|| read_points(&path)).map_err(file)?;
        let cloud = PointCloud::new(found.points, radius.unwrap_or_default());
        let cloud = match (radius, found.radii) {
            (None, None) => return Err(value("the file has no radii; give the radius of its points")),
            (None, Some(radii)) => cloud.and_then(|cloud| cloud.with_radii(radii)),
            (Some(_), _) => cloud,
        };
        Ok(Self { cloud: cloud.map_err(value)?, dropped: found.dropped })
    }

    /// Writes the points without their radii to a file, in the format that its extension names.
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

    /// Radius around every point; the largest where they differ.
    #[getter]
    fn radius(&self) -> f64 {
        self.cloud.radius()
    }

    /// Radius of each point, `(n,)`; a new array each time.
    #[getter]
    fn radii<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let points = 0..self.cloud.points().len();
        PyArray1::from_vec(py, points.map(|point| self.cloud.radius_of(point)).collect())
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
        let (count, radius) = (self.cloud.points().len(), self.cloud.radius());
        match self.cloud.radii() {
            None => format!("<noli.PointCloud: {count} points, radius {radius}>"),
            Some(_) => {
                format!("<noli.PointCloud: {count} points, radii {} to {radius}>", self.cloud.least_radius())
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "the signature of pickle")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>, Bound<'py, PyAny>, usize))> {
        let (py, own) = (slf.py(), slf.get());
        let make = py.import("noli._noli")?.getattr("_point_cloud")?;
        let radius = match own.cloud.radii() {
            None => own.cloud.radius().into_pyobject(py)?.into_any(),
            Some(_) => own.radii(py).into_any(),
        };
        Ok((make, (own.points(py)?, radius, own.dropped)))
    }
}

/// A cloud of points with one radius or one each; those that are not finite are dropped unless `strict`.
fn with_radius(mut points: Vec<DVec3>, radius: &Bound<'_, PyAny>, strict: bool) -> PyResult<PyPointCloud> {
    let given = points.len();
    let kept: Vec<bool> = points.iter().map(|point| strict || point.is_finite()).collect();
    let mut left = kept.iter();
    points.retain(|_| left.next().is_some_and(|kept| *kept));
    let dropped = given - points.len();
    if !radius.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() > 0)
        && let Ok(one) = radius.extract::<f64>()
    {
        return Ok(PyPointCloud { cloud: PointCloud::new(points, one).map_err(value)?, dropped });
    }
    let radii = floats(radius, "radius")?;
    let cloud = match (radii.shape(), radii.as_slice()?) {
        ([_], all) if all.len() == given => {
            let radii = all.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(radius, _)| *radius).collect();
            PointCloud::new(points, 0.0).and_then(|cloud| cloud.with_radii(radii))
        }
        ([_], all) => Err(ShapeError::RadiusCount { found: all.len(), wanted: given }),
        (shape, _) => return Err(wrong_shape("radius", "(n,)", shape)),
    };
    Ok(PyPointCloud { cloud: cloud.map_err(value)?, dropped })
}

/// A point cloud from its parts, for pickle.
#[pyfunction(name = "_point_cloud")]
pub(crate) fn restore_cloud(
    points: &Bound<'_, PyAny>,
    radius: &Bound<'_, PyAny>,
    dropped: usize,
) -> PyResult<PyPointCloud> {
    let restored = with_radius(vectors(points, "points")?, radius, true)?;
    Ok(PyPointCloud { dropped, ..restored })
}
