//! Points of a cloud near a body.

use crate::model::PyPlaced;
use numpy::PyArray1;
use pyo3::prelude::*;

/// Returns the numbers of the points of a placed cloud whose spheres are within `margin` of a placed body, inside of
/// solids too, in ascending order. With a margin of 0 these are the points in collision.
///
/// >>> import noli
/// >>> cloud = noli.Model(noli.PointCloud([[0, 0, 0], [1, 0, 0], [9, 0, 0]], radius=0.25))
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> noli.points_within(cloud.at(noli.Pose()), cube.at(noli.Pose())).tolist()
/// [0]
#[pyfunction]
#[pyo3(signature = (cloud, body, *, margin = 0.0))]
pub(crate) fn points_within<'py>(
    py: Python<'py>,
    cloud: &PyPlaced,
    body: &PyPlaced,
    margin: f64,
) -> Bound<'py, PyArray1<u32>> {
    let [a, b] = [cloud, body].map(|placed| placed.model.model.at(placed.pose));
    let found = py.detach(|| noli::points_within(&a, &b, margin));
    PyArray1::from_vec(py, found.items)
}
