//! Answers to single queries, as objects; batches return arrays.

use crate::array::{point, points};
use glam::DVec3;
use noli::answer::{Bracket, Complete, Completeness, Feature, Intersection, SurfacePoint, Touch};
use noli::{Clearance, Contact, Guarantee, Impact};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Two bounds of a true value.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> depth = noli.depth(cube, cube, noli.Pose([0.75, 0, 0]))
/// >>> depth.at_least <= 0.25 <= depth.at_most
/// True
#[pyclass(frozen, eq, get_all, name = "Bracket", module = "noli")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct PyBracket {
    /// Not less than this.
    at_least: f64,
    /// Not more than this; infinite if there is no upper bound.
    at_most: f64,
}

impl From<Bracket> for PyBracket {
    fn from(of: Bracket) -> Self {
        Self { at_least: of.at_least, at_most: of.at_most }
    }
}

#[pymethods]
impl PyBracket {
    #[new]
    fn new(at_least: f64, at_most: f64) -> Self {
        Self { at_least, at_most }
    }

    fn __contains__(&self, value: f64) -> bool {
        self.at_least <= value && value <= self.at_most
    }

    fn __repr__(&self) -> String {
        format!("noli.Bracket({}, {})", self.at_least, self.at_most)
    }

    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }

    fn __getnewargs__(&self) -> (f64, f64) {
        (self.at_least, self.at_most)
    }
}

/// A vertex, edge or face of a mesh: a word and its numbers.
type FeatureParts = (&'static str, Vec<u32>);

fn feature_parts(on: &SurfacePoint) -> Option<FeatureParts> {
    on.feature.map(|feature| match feature {
        Feature::Vertex(vertex) => ("vertex", vec![vertex]),
        Feature::Edge(ends) => ("edge", ends.to_vec()),
        Feature::Face(face) => ("face", vec![face]),
    })
}

/// Distance of two bodies, with witness points.
///
/// `at_most` is 0 exactly when they overlap. `on_a` and `on_b` are points at distance `at_most`, or `None`.
#[pyclass(frozen, name = "Clearance", module = "noli")]
#[derive(Clone, Copy)]
pub(crate) struct PyClearance(pub(crate) Clearance);

#[pymethods]
impl PyClearance {
    /// No two points of the bodies are closer.
    #[getter]
    fn at_least(&self) -> f64 {
        self.0.distance.at_least
    }

    /// Some two points are this close; infinite where none were found.
    #[getter]
    fn at_most(&self) -> f64 {
        self.0.distance.at_most
    }

    /// The nearest point of A in the world.
    #[getter]
    fn on_a<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.witness.map(|witness| point(py, witness.on_a.point))
    }

    /// The nearest point of B in the world.
    #[getter]
    fn on_b<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.witness.map(|witness| point(py, witness.on_b.point))
    }

    /// Feature of the mesh A on which the point lies: `("vertex", [n])`, `("edge", [n, m])` or `("face", [n])`.
    #[getter]
    fn feature_a(&self) -> Option<FeatureParts> {
        self.0.witness.and_then(|witness| feature_parts(&witness.on_a))
    }

    /// The same of B.
    #[getter]
    fn feature_b(&self) -> Option<FeatureParts> {
        self.0.witness.and_then(|witness| feature_parts(&witness.on_b))
    }

    /// Guarantee of the distinction between a positive clearance and none.
    #[getter]
    fn guarantee(&self) -> &'static str {
        guarantee(self.0.guarantee)
    }

    fn __repr__(&self) -> String {
        format!("<noli.Clearance: {} to {}>", self.0.distance.at_least, self.0.distance.at_most)
    }
}

/// A contact of two bodies: a point of each, the normal and the penetration depth.
#[pyclass(frozen, name = "Contact", module = "noli")]
#[derive(Clone, Copy)]
pub(crate) struct PyContact(pub(crate) Contact);

#[pymethods]
impl PyContact {
    /// A point of A's surface in B.
    #[getter]
    fn on_a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        point(py, self.0.on_a.point)
    }

    /// A point of B's surface in A.
    #[getter]
    fn on_b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        point(py, self.0.on_b.point)
    }

    /// Unit vector from A to B: moving B along it by `depth.at_most` separates convex bodies.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        point(py, self.0.normal)
    }

    /// Penetration depth of the bodies.
    #[getter]
    fn depth(&self) -> PyBracket {
        self.0.depth.into()
    }

    /// Guarantee of the overlap verdict.
    #[getter]
    fn guarantee(&self) -> &'static str {
        guarantee(self.0.guarantee)
    }

    fn __repr__(&self) -> String {
        let Contact { on_a, normal, depth, .. } = &self.0;
        format!(
            "<noli.Contact at {}, normal {normal}, depth {} to {}>",
            on_a.point, depth.at_least, depth.at_most
        )
    }
}

/// Pairs of intersecting triangles; one row for each.
#[pyclass(frozen, name = "Intersections", module = "noli")]
pub(crate) struct PyIntersections(Complete<Intersection>);

impl From<Complete<Intersection>> for PyIntersections {
    fn from(of: Complete<Intersection>) -> Self {
        Self(of)
    }
}

#[pymethods]
impl PyIntersections {
    /// Rows of `Mesh.faces` of A and of B, `(k, 2)`.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let flat: Vec<u32> = self.0.iter().flat_map(|hit| [hit.triangle_a, hit.triangle_b]).collect();
        PyArray1::from_vec(py, flat).reshape([self.0.len(), 2]).map(Bound::into_any)
    }

    /// Both ends of the segment that the triangles share, in the world, rounded: `(k, 2, 3)`.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ends = self.0.iter().flat_map(|hit| {
            let nowhere = [DVec3::NAN; 2];
            hit.segment.map_or(nowhere, |segment| [segment.start, segment.end])
        });
        points(py, ends)?.call_method1("reshape", ((self.0.len(), 2, 3),))
    }

    /// `True` if the triangles pass through each other; they only touch otherwise. `(k,)`
    #[getter]
    fn through<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let through = self.0.iter().map(|hit| hit.relation == noli_geom::Relation::Intersecting);
        PyArray1::from_vec(py, through.collect())
    }

    /// `True` if the list is complete.
    #[getter]
    fn complete(&self) -> bool {
        self.0.completeness == Completeness::Complete
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<noli.Intersections: {} pairs of triangles>", self.0.len())
    }
}

/// First contact of two moving bodies.
///
/// `kind` is "free" (they never touch), "at start", "at" or "unknown". No contact occurs before `safe_until`,
/// proven, also between samples. By `touching_by` they touch, or are within the tolerance of it.
#[pyclass(frozen, name = "Impact", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyImpact {
    pub(crate) impact: Impact<Touch>,
    pub(crate) parts: Option<[String; 2]>,
}

impl PyImpact {
    fn touch(&self) -> Option<&Touch> {
        match &self.impact {
            Impact::AtStart(touch) | Impact::At { touch, .. } => Some(touch),
            Impact::Free | Impact::Unknown { .. } => None,
        }
    }
}

#[pymethods]
impl PyImpact {
    /// "free", "at start", "at" or "unknown".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.impact {
            Impact::Free => "free",
            Impact::AtStart(_) => "at start",
            Impact::At { .. } => "at",
            Impact::Unknown { .. } => "unknown",
        }
    }

    /// `True` if a contact was found.
    #[getter]
    fn is_hit(&self) -> bool {
        self.impact.is_hit()
    }

    /// Nothing touches before; 1 if nothing touches at all.
    #[getter]
    fn safe_until(&self) -> f64 {
        self.impact.safe_until()
    }

    /// They touch by then; `None` if they do not, or if nothing is proven.
    #[getter]
    fn touching_by(&self) -> Option<f64> {
        match self.impact {
            Impact::AtStart(_) => Some(0.0),
            Impact::At { time, .. } => Some(time.touching_by),
            Impact::Free | Impact::Unknown { .. } => None,
        }
    }

    /// The nearest point of A then.
    #[getter]
    fn on_a<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.touch()?.witness.map(|witness| point(py, witness.on_a.point))
    }

    /// The nearest point of B then.
    #[getter]
    fn on_b<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.touch()?.witness.map(|witness| point(py, witness.on_b.point))
    }

    /// Unit vector from A to B.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.touch()?.normal.map(|normal| point(py, normal))
    }

    /// `True` if overlap is proven at `touching_by`; otherwise they are within the tolerance of it.
    #[getter]
    fn proven(&self) -> bool {
        self.touch().is_some_and(|touch| touch.proven)
    }

    /// Names of the touching parts, for queries on robots or worlds.
    #[getter]
    fn parts(&self) -> Option<[String; 2]> {
        self.parts.clone()
    }

    fn __repr__(&self) -> String {
        let when = match self.touching_by() {
            Some(by) => format!(" {} to {by}", self.safe_until()),
            None => String::new(),
        };
        format!("<noli.Impact: {}{when}>", self.kind())
    }
}

pub(crate) fn guarantee(of: Guarantee) -> &'static str {
    match of {
        Guarantee::Exact => "exact",
        Guarantee::Conservative => "conservative",
        Guarantee::Approximate => "approximate",
    }
}
