//! Bodies with curved faces, from STEP files.

use crate::answer::PyBracket;
use crate::array::points;
use crate::error::{file, value};
use crate::model::one_pose;
use crate::pose::PyPose;
use glam::DVec3;
use noli_brep::{Brep, Options, PairReport, step};
use noli_geom::{Pose, Relation};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A body of a STEP file with its planes, cylinders, cones, spheres, tori and splines as they are; lengths are in
/// millimetres.
///
/// >>> import noli
/// >>> pin, bush = noli.CurvedBody.cylinder(8, 30), noli.CurvedBody.bush(8.0075, 16, 20)
/// >>> found = pin.relation(bush)
/// >>> found.relation, found.certain, found.faces
/// ('separated', True, ('shaft', 'hole'))
/// >>> round(found.clearance.at_least, 9)
/// 0.0075
#[pyclass(frozen, name = "CurvedBody", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyCurvedBody {
    body: Arc<Brep>,
    name: String,
    pose: Pose,
}

impl PyCurvedBody {
    fn made(body: Brep) -> Self {
        Self { name: body.name().to_owned(), body: Arc::new(body), pose: Pose::IDENTITY }
    }
}

/// Refuses sizes of a body that are not positive.
fn positive(sizes: &[(&str, f64)]) -> PyResult<()> {
    match sizes.iter().find(|(_, size)| !(*size > 0.0 && size.is_finite())) {
        Some((name, size)) => {
            Err(value(format!("{name}={size}: invalid length; give a finite number above 0")))
        }
        None => Ok(()),
    }
}

#[pymethods]
impl PyCurvedBody {
    /// Reads all bodies of a STEP file (AP203, AP214, AP242), placed as in its assembly. A file with anything that is
    /// not supported is refused with the line.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Vec<Self>> {
        let shown = path.display();
        let bytes =
            std::fs::read(&path).map_err(|error| file(format!("{shown}: cannot be read: {error}")))?;
        let found = py.detach(|| step::read(&bytes)).map_err(|error| file(format!("{shown}: {error}")))?;
        if let Some(step::Unread { entity, line, reason }) = found.unread.first() {
            return Err(file(format!(
                "{shown}: line {line}: {entity}: {reason}; `noli.check` reads the file by an installed kernel"
            )));
        }
        if found.parts.is_empty() {
            return Err(file(format!("{shown}: no bodies; give a STEP file with solids or surface models")));
        }
        let part = |part: step::Part| Self { body: part.body, name: part.path.join("/"), pose: part.pose };
        Ok(found.parts.into_iter().map(part).collect())
    }

    /// Creates a cylinder about z from 0 to `height`.
    #[staticmethod]
    fn cylinder(radius: f64, height: f64) -> PyResult<Self> {
        positive(&[("radius", radius), ("height", height)])?;
        Ok(Self::made(Brep::cylinder(radius, height)))
    }

    /// Creates a hollow cylinder about z from 0 to `height`, with a hole of radius `inner`.
    #[staticmethod]
    fn bush(inner: f64, outer: f64, height: f64) -> PyResult<Self> {
        positive(&[("inner", inner), ("outer - inner", outer - inner), ("height", height)])?;
        Ok(Self::made(Brep::bush(inner, outer, height)))
    }

    /// Creates a sphere about the origin.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        positive(&[("radius", radius)])?;
        Ok(Self::made(Brep::sphere(radius)))
    }

    /// Creates a block from the origin to `size`.
    #[staticmethod]
    fn block(size: [f64; 3]) -> PyResult<Self> {
        positive(&[("size[0]", size[0]), ("size[1]", size[1]), ("size[2]", size[2])])?;
        Ok(Self::made(Brep::block(DVec3::from(size))))
    }

    /// Its name: those of its assemblies and its own, joined by `/`.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Its pose: that in the assembly of its file.
    #[getter]
    fn pose(&self) -> PyPose {
        PyPose(self.pose)
    }

    /// Names of its faces: those of the file, or kind and number.
    #[getter]
    fn faces(&self) -> Vec<String> {
        (0..self.body.faces().len()).map(|face| self.body.face_name(face)).collect()
    }

    /// `True` if its faces bound a solid.
    #[getter]
    fn is_solid(&self) -> bool {
        self.body.is_solid()
    }

    /// The uncertainty that its file states.
    #[getter]
    fn uncertainty(&self) -> f64 {
        self.body.uncertainty()
    }

    /// Bounding box in its own frame: its lowest and highest vertex, `(2, 3)`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::shape::bounds(py, self.body.bounds())
    }

    /// Returns the same body at another pose: a `Pose` or a matrix `(4, 4)`.
    fn at(&self, pose: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { pose: one_pose(pose)?, ..self.clone() })
    }

    /// Computes the relation of two bodies on their curved surfaces.
    ///
    /// Surfaces within `tolerance` of each other touch; by default 1e-10 of the size of the pair, or more where the
    /// files are less certain. The clearance is a bracket of at most `precision`, by default 1e-9 of the size.
    /// `budget` is the largest number of refinements; if it does not suffice, `certain` is `False`.
    #[pyo3(signature = (other, *, tolerance = None, precision = None, budget = 200_000))]
    fn relation(
        &self,
        py: Python<'_>,
        other: &Self,
        tolerance: Option<f64>,
        precision: Option<f64>,
        budget: usize,
    ) -> PyResult<PyCurvedRelation> {
        for (name, length) in [("tolerance", tolerance), ("precision", precision)] {
            length.map(|length| crate::check::checked_length(name, length)).transpose()?;
        }
        let options = Options { tolerance, precision, budget, ..Options::default() };
        let report =
            py.detach(|| noli_brep::relation(&self.body, &other.body, &self.pose, &other.pose, &options));
        let faces = report.faces.map(|[a, b]| (self.body.face_name(a), other.body.face_name(b)));
        let fits = report
            .fits
            .iter()
            .map(|fit| (self.body.face_name(fit.face_a), other.body.face_name(fit.face_b), fit.clearance));
        Ok(PyCurvedRelation { faces, fits: fits.collect(), report })
    }

    fn __repr__(&self) -> String {
        format!("<noli.CurvedBody {:?}: {} faces>", self.name, self.body.faces().len())
    }
}

/// The relation of two bodies on their curved surfaces, with the numbers behind it.
#[pyclass(frozen, name = "CurvedRelation", module = "noli")]
pub(crate) struct PyCurvedRelation {
    report: PairReport,
    faces: Option<(String, String)>,
    fits: Vec<(String, String, f64)>,
}

#[pymethods]
impl PyCurvedRelation {
    /// The word: "separated", "touching", "intersecting" or "inside".
    #[getter]
    fn relation(&self) -> &'static str {
        match self.report.relation {
            Relation::Separated => "separated",
            Relation::Touching => "touching",
            Relation::Intersecting => "intersecting",
            Relation::Inside => "inside",
        }
    }

    /// `False` if the budget did not suffice: "touching" then means touching or intersecting.
    #[getter]
    fn certain(&self) -> bool {
        self.report.is_certain
    }

    /// Length within which surfaces count as touching.
    #[getter]
    fn within(&self) -> f64 {
        self.report.within
    }

    /// The clearance; zero if they overlap.
    #[getter]
    fn clearance(&self) -> PyBracket {
        self.report.clearance.into()
    }

    /// Depth of the deepest point of one surface in the other solid, if they intersect.
    #[getter]
    fn interference(&self) -> Option<PyBracket> {
        self.report.interference.map(Into::into)
    }

    /// Names of the faces that touch, intersect or are closest, where known.
    #[getter]
    fn faces(&self) -> Option<(String, String)> {
        self.faces.clone()
    }

    /// Points of these faces, `(2, 3)`, about as close as the clearance.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.report.points.map(|found| points(py, found)).transpose()
    }

    /// Faces with parallel axes that enclose each other, the least clearance first: both names, and the radial clearance;
    /// negative for an interference.
    #[getter]
    fn fits(&self) -> Vec<(String, String, f64)> {
        self.fits.clone()
    }

    fn __repr__(&self) -> String {
        let certain = if self.report.is_certain { "" } else { ", not certain" };
        format!("<noli.CurvedRelation: {}{certain}>", self.relation())
    }
}
