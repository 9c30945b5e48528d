//! Contact of bodies: points, penetration depth and overlap volume. One pair at a time.

use crate::answer::{PyBracket, PyContact, PyIntersections};
use crate::array::{point, points, vector};
use crate::error::undecided;
use crate::model::PyModel;
use crate::pool::{alone, detached};
use crate::queries::placed_pair;
use noli::answer::Verdict;
use noli::contacts::FeatureContact;
use noli::penetration::{PenetrationQuery, VolumeQuery};
use numpy::PyArray1;
use pyo3::prelude::*;

/// Computes the contact point and penetration depth of the bodies. `None` if they do not overlap.
///
/// For meshes, which need not be convex, `depth.at_most` is that of their convex hulls; `noli.penetration`
/// gives more.
///
/// >>> import noli
/// >>> sphere = noli.Model(noli.Convex.sphere(0.5))
/// >>> noli.contact(sphere, sphere, noli.Pose([0.75, 0, 0])).normal.round(6).tolist()
/// [1.0, 0.0, 0.0]
#[pyfunction]
#[pyo3(signature = (a, b, pose = None))]
pub(crate) fn contact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<PyContact>> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    match alone(py, |ask| ask.contact(&at_a, &at_b))? {
        Verdict::Free => Ok(None),
        Verdict::Hit(contact) => Ok(Some(PyContact(contact))),
        Verdict::Unknown => Err(undecided("nothing is proven about this pair")),
    }
}

/// Computes the contact manifold: up to four contacts that share a normal, the deepest first.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None))]
pub(crate) fn manifold(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyContact>> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    match alone(py, |ask| ask.manifold(&at_a, &at_b))? {
        Verdict::Free => Ok(Vec::new()),
        Verdict::Hit(manifold) => Ok(manifold.contacts.into_iter().map(PyContact).collect()),
        Verdict::Unknown => Err(undecided("nothing is proven about this pair")),
    }
}

/// Computes near contacts of the bodies: every vertex near a face and every edge near an edge, at a distance of
/// at most `within`.
///
/// Arrays `on_a`, `on_b`, `normal` (from A to B, also where the points coincide), all `(k, 3)`, and `clearance`
/// `(k,)`. Complete for meshes and polyhedra; suitable for a contact solver.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> found = noli.contacts(noli.Model("half-space"), cube, 0.01, noli.Pose([0, 0, 0.501]))
/// >>> found.normal.tolist() == [[0, 0, 1]] * 4, found.clearance.round(9).tolist()
/// (True, [0.001, 0.001, 0.001, 0.001])
#[pyfunction]
#[pyo3(signature = (a, b, within, pose = None))]
pub(crate) fn contacts<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    within: f64,
    pose: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    let mut found = Vec::new();
    // The guarantee of the models covers omitted and approximate contacts.
    let _ = alone(py, |ask| ask.contacts(&at_a, &at_b, within, &mut found))?;
    let rows = |of: fn(&FeatureContact) -> glam::DVec3| points(py, found.iter().map(of));
    let clearances = PyArray1::from_vec(py, found.iter().map(|contact| contact.clearance).collect());
    py.import("noli._results")?.getattr("Contacts")?.call1((
        rows(|contact| contact.on_a.point)?,
        rows(|contact| contact.on_b.point)?,
        rows(|contact| contact.normal)?,
        clearances,
    ))
}

/// Computes the minimal translation after which the bodies share no volume. Returns a bracket on its length,
/// and the direction in which B is to be moved by its upper end. The direction is `None` where none was found
/// or needed. `exact=True` continues for seconds.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> depth, direction = noli.penetration(cube, cube, noli.Pose([0.75, 0, 0]))
/// >>> 0.25 in depth, direction.tolist()
/// (True, [1.0, 0.0, 0.0])
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, exact = false))]
pub(crate) fn penetration<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    pose: Option<&Bound<'py, PyAny>>,
    exact: bool,
) -> PyResult<(PyBracket, Option<Bound<'py, PyArray1<f64>>>)> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    let query = if exact { PenetrationQuery::THOROUGH } else { PenetrationQuery::default() };
    let found = alone(py, |ask| ask.penetration(&at_a, &at_b, &query))?;
    Ok((found.depth.into(), found.direction.map(|direction| point(py, direction))))
}

/// Computes the distance B must move along a direction until it first shares no volume with A. A bracket, in
/// lengths.
#[pyfunction]
#[pyo3(signature = (a, b, direction, pose = None))]
pub(crate) fn penetration_along(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyBracket> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    let direction = vector(direction, "direction")?;
    Ok(alone(py, |ask| ask.penetration_along(&at_a, &at_b, direction, &PenetrationQuery::default()))?.into())
}

/// Computes the volume that the bodies share. A bracket; `exact=True` continues for seconds to narrow it.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> 0.125 in noli.overlap_volume(cube, cube, noli.Pose([0.75, 0.5, 0]))
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose = None, *, exact = false))]
pub(crate) fn overlap_volume(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
    exact: bool,
) -> PyResult<PyBracket> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    let query = if exact { VolumeQuery::THOROUGH } else { VolumeQuery::default() };
    Ok(alone(py, |ask| ask.overlap_volume(&at_a, &at_b, &query))?.into())
}

/// Computes the intersecting triangles of the bodies, and their intersections. All of them, exactly, always in
/// the same order.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> found = noli.intersections(cube, cube, noli.Pose([0.5, 0.25, 0.125]))
/// >>> found.faces.shape[1], found.segments.shape[1:], bool(found.through.any())
/// (2, (2, 3), True)
#[pyfunction]
#[pyo3(signature = (a, b, pose = None))]
pub(crate) fn intersections(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyIntersections> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    Ok(detached(py, || noli::intersections(&at_a, &at_b))?.into())
}

/// Computes the self-intersecting triangles of one mesh.
#[pyfunction]
pub(crate) fn self_intersections(py: Python<'_>, model: &Bound<'_, PyModel>) -> PyResult<PyIntersections> {
    let model = &model.get().model;
    Ok(detached(py, || noli::self_intersections(model))?.into())
}
