//! Answers to single questions, as objects; batches answer with arrays.

use crate::array::{point, points};
use crate::model::guarantee;
use glam::DVec3;
use noli::answer::{Bracket, Coverage, Crossing, Feature, Listed, Spot, Touch};
use noli::{Clearance, Contact, Impact};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Two numbers that the true value lies between.
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
    /// Not more than this; infinite where nothing is known.
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

fn feature_parts(spot: &Spot) -> Option<FeatureParts> {
    spot.feature.map(|feature| match feature {
        Feature::Vertex(vertex) => ("vertex", vec![vertex]),
        Feature::Edge(ends) => ("edge", ends.to_vec()),
        Feature::Face(face) => ("face", vec![face]),
    })
}

/// How far two bodies are apart, and where.
///
/// `at_most` is 0 exactly when they overlap. `on_a` and `on_b` are points that are `at_most` apart, or `None`.
#[pyclass(frozen, name = "Clearance", module = "noli")]
#[derive(Clone, Copy)]
pub(crate) struct PyClearance(pub(crate) Clearance);

#[pymethods]
impl PyClearance {
    /// No two points of the bodies are closer.
    #[getter]
    fn at_least(&self) -> f64 {
        self.0.gap.at_least
    }

    /// Some two points are this close; infinite where none were found.
    #[getter]
    fn at_most(&self) -> f64 {
        self.0.gap.at_most
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

    /// What of the mesh A the point lies on: `("vertex", [n])`, `("edge", [n, m])` or `("face", [n])`.
    #[getter]
    fn feature_a(&self) -> Option<FeatureParts> {
        self.0.witness.and_then(|witness| feature_parts(&witness.on_a))
    }

    /// The same of B.
    #[getter]
    fn feature_b(&self) -> Option<FeatureParts> {
        self.0.witness.and_then(|witness| feature_parts(&witness.on_b))
    }

    /// What the difference between a gap and none promises.
    #[getter]
    fn guarantee(&self) -> &'static str {
        guarantee(self.0.guarantee)
    }

    fn __repr__(&self) -> String {
        format!("<noli.Clearance: {} to {}>", self.0.gap.at_least, self.0.gap.at_most)
    }
}

/// Two points that must part, the direction in which, and how far.
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

    /// Unit vector from A to B: moving B along it by `depth.at_most` takes convex bodies apart.
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        point(py, self.0.normal)
    }

    /// How far the bodies reach into each other.
    #[getter]
    fn depth(&self) -> PyBracket {
        self.0.depth.into()
    }

    /// What it promises that the bodies overlap.
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

/// Pairs of triangles that meet; one row for each.
#[pyclass(frozen, name = "Crossings", module = "noli")]
pub(crate) struct PyCrossings(Listed<Crossing>);

impl From<Listed<Crossing>> for PyCrossings {
    fn from(of: Listed<Crossing>) -> Self {
        Self(of)
    }
}

#[pymethods]
impl PyCrossings {
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

    /// Whether the triangles pass through each other; they only touch otherwise. `(k,)`
    #[getter]
    fn through<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let through = self.0.iter().map(|hit| hit.relation == noli_geom::Relation::Crossing);
        PyArray1::from_vec(py, through.collect())
    }

    /// Whether these are all.
    #[getter]
    fn complete(&self) -> bool {
        self.0.coverage == Coverage::Whole
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<noli.Crossings: {} pairs of triangles>", self.0.len())
    }
}

/// When two moving bodies first touch.
///
/// `kind` is "free" (they never do), "at-start", "at" or "unknown". Nothing touches before `safe_until`, proven, also
/// between samples; by `touching_by` they touch, or are within the tolerance of it.
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
    /// "free", "at-start", "at" or "unknown".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.impact {
            Impact::Free => "free",
            Impact::AtStart(_) => "at-start",
            Impact::At { .. } => "at",
            Impact::Unknown { .. } => "unknown",
        }
    }

    /// Whether a contact was found.
    #[getter]
    fn is_hit(&self) -> bool {
        self.impact.is_hit()
    }

    /// Nothing touches before; 1 if nothing touches at all.
    #[getter]
    fn safe_until(&self) -> f64 {
        self.impact.safe_until()
    }

    /// They touch by then; `None` if they do not, or nothing is known.
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

    /// Whether overlap is proven at `touching_by`; else they are within the tolerance of it.
    #[getter]
    fn proven(&self) -> bool {
        self.touch().is_some_and(|touch| touch.proven)
    }

    /// The names of what touches, where robots or worlds were asked.
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
