//! Certificates: proofs of collision statements that independent programs check.

use crate::check::checked_length;
use crate::error::{file, undecided, value};
use crate::model::{PyModel, one_pose};
use crate::pool::{detached, on_threads};
use crate::poses::Poses;
use crate::robot::PyRobot;
use crate::world::PyWorld;
use noli::{Overlap, Pose};
use noli_certificate::{
    CellScene, Certificate, CertificateOptions, ProofError, Region, Scene, Statement, WorldStatements,
};
use noli_robot::cell::ProofOptions;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;

/// A proof of collision statements, which `noli.verify`, `noli-verify` and `python3 -m noli_checker` check.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> proof = noli.prove_pair(cube, cube, noli.Pose([1.5, 0, 0]), clearance=0.25)
/// >>> proof.statements[0]["claim"], bool(noli.verify(bytes(proof)))
/// ('separated', True)
#[pyclass(frozen, name = "Certificate", module = "noli")]
pub(crate) struct PyCertificate {
    bytes: Vec<u8>,
    statements: Vec<Statement>,
    bodies: Vec<String>,
    unproven: Vec<(String, String)>,
}

/// The verdict of the independent checker on a certificate; true if it is valid.
#[pyclass(frozen, name = "Verification", module = "noli")]
pub(crate) struct PyVerification(noli_verify::Report);

/// A false statement is a `ValueError`, one without a proof an `UndecidedError`.
fn failure(error: &ProofError) -> PyErr {
    match error {
        ProofError::TooClose { .. } | ProofError::Budget { .. } => undecided(error.to_string()),
        _ => value(error),
    }
}

/// A certificate in the making.
struct Maker {
    certificate: Certificate,
    unproven: Vec<(String, String)>,
}

impl Maker {
    fn new(certificate: Certificate) -> Self {
        Self { certificate, unproven: Vec::new() }
    }

    /// Proves a statement; one without a proof is listed.
    fn prove_or_list(&mut self, statement: Statement) {
        let title = statement.title.clone();
        if let Err(error) = self.certificate.prove(statement) {
            self.unproven.push((title, error.to_string()));
        }
    }

    fn prove_all(&mut self, statements: Vec<Statement>) -> Result<(), ProofError> {
        statements.into_iter().try_for_each(|statement| self.certificate.prove(statement).map(drop))
    }

    fn finish(self) -> PyCertificate {
        let Self { certificate, unproven } = self;
        let scene = certificate.scene();
        PyCertificate {
            bytes: certificate.to_bytes(),
            bodies: (0..scene.body_count()).map(|body| scene.body_name(body).to_owned()).collect(),
            statements: certificate.statements().to_vec(),
            unproven,
        }
    }
}

#[pymethods]
impl PyCertificate {
    /// Its statements, each as a dict with `title`, `claim`, `pairs` (names of bodies), `disabled` (names and the reason),
    /// `clearance` and `complete`.
    #[getter]
    fn statements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let names = |pair: &[usize; 2]| pair.map(|body| self.bodies[body].clone());
        let mut all = Vec::new();
        for statement in &self.statements {
            let dict = PyDict::new(py);
            dict.set_item("title", &statement.title)?;
            dict.set_item("claim", statement.claim.name())?;
            let pairs: Vec<(String, String)> =
                statement.pairs.iter().map(names).map(<[_; 2]>::into).collect();
            dict.set_item("pairs", pairs)?;
            let disabled = statement.disabled.iter().map(|(pair, reason)| {
                let [a, b] = names(pair);
                (a, b, reason.clone())
            });
            dict.set_item("disabled", disabled.collect::<Vec<_>>())?;
            dict.set_item("clearance", statement.clearance)?;
            dict.set_item("complete", statement.complete)?;
            all.push(dict);
        }
        Ok(all)
    }

    /// Statements without a proof, as pairs of a title and the reason; only of `prove_pairs` and `prove_removal`.
    #[getter]
    fn unproven(&self) -> Vec<(String, String)> {
        self.unproven.clone()
    }

    /// Writes the certificate to a file, compressed.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let (bytes, shown) = (&self.bytes, path.display().to_string());
        let written = detached(py, || {
            noli_certificate::compressed(bytes).and_then(|data| std::fs::write(&path, data))
        })?;
        written.map_err(|error| file(format!("{shown}: cannot be written: {error}")))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __len__(&self) -> usize {
        self.statements.len()
    }

    fn __repr__(&self) -> String {
        format!("<noli.Certificate: {} statements, {} bytes>", self.statements.len(), self.bytes.len())
    }
}

#[pymethods]
impl PyVerification {
    /// "valid", "invalid", or "unreadable" if it is no certificate of this format.
    #[getter]
    fn verdict(&self) -> &'static str {
        match &self.0.error {
            None => "valid",
            Some(error) if error.is_unreadable() => "unreadable",
            Some(_) => "invalid",
        }
    }

    /// The code and the text of the first fault, such as "E-PLANE: ..."; `None` if the certificate is valid.
    #[getter]
    fn error(&self) -> Option<String> {
        self.0.error.as_ref().map(ToString::to_string)
    }

    /// Proven statements, each as a dict with `title` (words that the proof does not cover), `claim`, `over` (the
    /// configurations that it holds for), `pairs` and `disabled` (numbers of pairs), and
    /// `clearance_at_least`, a proven lower bound of the distance of separated pairs.
    #[getter]
    fn statements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut all = Vec::new();
        for statement in &self.0.statements {
            let dict = PyDict::new(py);
            dict.set_item("title", &statement.title)?;
            dict.set_item("claim", statement.claim)?;
            dict.set_item("over", &statement.over)?;
            dict.set_item("pairs", statement.pairs)?;
            dict.set_item("disabled", statement.disabled)?;
            dict.set_item("clearance_at_least", statement.clearance_at_least)?;
            all.push(dict);
        }
        Ok(all)
    }

    /// State of each source file compared with `files`: "bound", "same bytes", "absent" or "not bound".
    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, state) in &self.0.sources {
            dict.set_item(name, state.words())?;
        }
        Ok(dict)
    }

    /// Parts that were not compared with the description of the robot; empty if all was, `None` without `urdf`.
    #[getter]
    fn not_compared(&self) -> Option<Vec<String>> {
        self.0.not_compared.clone()
    }

    fn __bool__(&self) -> bool {
        self.0.error.is_none()
    }

    fn __repr__(&self) -> String {
        let error = self.error().map_or(String::new(), |error| format!(": {error}"));
        format!("<noli.Verification: {}{error}>", self.verdict())
    }
}

fn in_units(units: &str) -> CertificateOptions {
    CertificateOptions { units: units.to_owned(), ..CertificateOptions::default() }
}

/// Proves that two models are separated by more than `clearance`, or that they collide.
///
/// `pose_b` and `pose_a` are their poses. `units` names the unit of length for readers; models leave it open, as files
/// without units do on the command line. A false statement, closer than `clearance`, is a `ValueError`; bodies too close
/// to a contact for a proof are an `UndecidedError`.
#[pyfunction]
#[pyo3(signature = (a, b, pose_b = None, pose_a = None, *, clearance = 0.0, names = ("a".to_owned(), "b".to_owned()), units = ""))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn prove_pair(
    py: Python<'_>,
    a: &Bound<'_, PyModel>,
    b: &Bound<'_, PyModel>,
    pose_b: Option<&Bound<'_, PyAny>>,
    pose_a: Option<&Bound<'_, PyAny>>,
    clearance: f64,
    names: (String, String),
    units: &str,
) -> PyResult<PyCertificate> {
    let clearance = checked_length("clearance", clearance)?;
    let place =
        |pose: Option<&Bound<'_, PyAny>>| Ok::<_, PyErr>(pose.map(one_pose).transpose()?.unwrap_or_default());
    let (a, b) = ((a.get().model.clone(), place(pose_a)?), (b.get().model.clone(), place(pose_b)?));
    let proven = detached(py, || -> Result<PyCertificate, ProofError> {
        let mut scene = Scene::default();
        scene.add_body(&names.0, 0, &a.0, a.1, 0.0)?;
        scene.add_body(&names.1, 0, &b.0, b.1, 0.0)?;
        let hit = noli::overlap(&a.0.at(a.1), &b.0.at(b.1)) == Overlap::Hit;
        let (pairs, region) = (vec![[0, 1]], Region::At(Vec::new()));
        let statement = if hit && clearance == 0.0 {
            Statement::colliding(pairs, region)
        } else {
            Statement { clearance, ..Statement::separated(pairs, region) }
        };
        let title = format!("{} and {}", names.0, names.1);
        let mut maker = Maker::new(Certificate::with_options(scene, in_units(units)));
        maker.prove_all(vec![Statement { title, ..statement }])?;
        Ok(maker.finish())
    })?;
    proven.map_err(|error| failure(&error))
}

/// Proves that a robot path is collision-free at every instant, with all disabled pairs listed.
///
/// `q` is `(n, dof)`; motions between configurations are straight in joint space. With `each=True` only the
/// configurations are proven. A path that collides is a `ValueError`, one too close to a contact an `UndecidedError`.
#[pyfunction]
#[pyo3(signature = (robot, q, *, each = false))]
pub(crate) fn prove_path(
    py: Python<'_>,
    robot: &Bound<'_, PyRobot>,
    q: &Bound<'_, PyAny>,
    each: bool,
) -> PyResult<PyCertificate> {
    let robot = robot.get();
    robot.prepare(py)?;
    let (states, count) = robot.states(q, "q")?;
    let count = count.unwrap_or(1);
    if count < if each { 1 } else { 2 } {
        return Err(value("q: invalid path; give at least two configurations, or each=True"));
    }
    let proven = detached(py, || -> Result<PyCertificate, ProofError> {
        let cell = &**robot.cell();
        let described = CellScene::new(cell)?;
        let rows: Vec<Vec<f64>> =
            robot.rows(&states, count).into_iter().map(|row| described.values(row)).collect();
        let regions: Vec<(String, Region)> = if each {
            let at =
                |(number, row): (usize, Vec<f64>)| (format!("configuration {}", number + 1), Region::At(row));
            rows.into_iter().enumerate().map(at).collect()
        } else {
            vec![(format!("path of {count} configurations"), Region::Along(rows))]
        };
        let statements = regions
            .iter()
            .flat_map(|(title, region)| described.collision_free(cell, title, region))
            .collect();
        let mut maker = Maker::new(Certificate::new(described.scene));
        maker.prove_all(statements)?;
        Ok(maker.finish())
    })?;
    proven.map_err(|error| failure(&error))
}

/// Proves which pairs of a robot's links and obstacles never collide, always collide, or can collide within the joint
/// limits. Pairs without a proof within `cells` cells of joint space are in `unproven`.
#[pyfunction]
#[pyo3(signature = (robot, *, cells = 400_000, threads = None))]
pub(crate) fn prove_pairs(
    py: Python<'_>,
    robot: &Bound<'_, PyRobot>,
    cells: usize,
    threads: Option<usize>,
) -> PyResult<PyCertificate> {
    let robot = robot.get();
    robot.prepare(py)?;
    let proven = on_threads(py, threads, || -> Result<PyCertificate, ProofError> {
        let cell = &**robot.cell();
        let all: Vec<usize> = (0..cell.pairs().len()).collect();
        let proofs = cell.prove_all(&all, &ProofOptions { cells, ..ProofOptions::default() });
        let described = CellScene::new(cell)?;
        let statements = described.reachability(cell, &proofs);
        // The bounds of the format are simpler than the engine's, and take more cells.
        let options = CertificateOptions { cells: cells.saturating_mul(8), ..CertificateOptions::default() };
        let mut maker = Maker::new(Certificate::with_options(described.scene, options));
        for (title, statement) in statements {
            match statement {
                Some(statement) => maker.prove_or_list(statement),
                None => maker.unproven.push((title, "neither a proof nor a collision was found".to_owned())),
            }
        }
        Ok(maker.finish())
    })?;
    proven.map_err(|error| failure(&error))
}

/// Proves that a removal path of a world's body is collision-free at every instant.
///
/// `poses` are those of `World.plan_removal`. A pair in contact at the start is claimed to be separated from an instant on
/// that the title gives; pairs that stay in contact are in `unproven`. `with_bodies` move along, `without` are not there.
#[pyfunction]
#[pyo3(signature = (world, name, poses, *, with_bodies = Vec::new(), without = Vec::new(), quat = None))]
pub(crate) fn prove_removal(
    py: Python<'_>,
    world: &Bound<'_, PyWorld>,
    name: String,
    poses: &Bound<'_, PyAny>,
    with_bodies: Vec<String>,
    without: Vec<String>,
    quat: Option<&str>,
) -> PyResult<PyCertificate> {
    let poses = Poses::new(poses, quat, "poses")?;
    let poses: Vec<Pose> = poses.rows(0..poses.count().unwrap_or(1))?;
    let parts: Vec<String> = std::iter::once(name).chain(with_bodies).collect();
    let found: WorldStatements = world.get().removal(py, &parts, &without, &poses)?;
    let proven = detached(py, || -> Result<PyCertificate, ProofError> {
        let mut maker = Maker::new(Certificate::with_options(found.scene, in_units("")));
        for [a, b] in found.in_contact {
            maker.unproven.push((format!("{a} and {b}"), "in contact to the end of a motion".to_owned()));
        }
        maker.prove_all(found.statements)?;
        Ok(maker.finish())
    })?;
    proven.map_err(|error| failure(&error))
}

/// Checks a certificate, a file or bytes, with the independent checker: its statements are proven if the result is true.
///
/// `files` is a folder whose source files are compared with those that the certificate names, `urdf` the description of
/// the robot that links, joints, limits and collision shapes are compared with. With `exact=True`
/// everything is decided in exact arithmetic, also where doubles with proven bounds suffice.
#[pyfunction]
#[pyo3(signature = (certificate, *, files = None, urdf = None, threads = 0, exact = false))]
pub(crate) fn verify(
    py: Python<'_>,
    certificate: &Bound<'_, PyAny>,
    files: Option<PathBuf>,
    urdf: Option<PathBuf>,
    threads: usize,
    exact: bool,
) -> PyResult<PyVerification> {
    let bytes = if let Ok(bytes) = certificate.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(own) = certificate.cast::<PyCertificate>() {
        own.get().bytes.clone()
    } else {
        let path: PathBuf = certificate.extract()?;
        std::fs::read(&path).map_err(|error| file(format!("{}: cannot be read: {error}", path.display())))?
    };
    let mut options = noli_verify::Options::default().with_threads(threads.min(256));
    options = if exact { options.with_exact() } else { options };
    options.files = files;
    options.urdf = urdf;
    Ok(PyVerification(detached(py, || noli_verify::check(&bytes, &options))?))
}
