//! Robots among other bodies.

mod alone;
mod driven;
mod forms;
mod gradient;
mod held;
mod queries;
mod several;
mod source;

use crate::answer::PyImpact;
use crate::error::value;
use crate::kind::Given;
use crate::model::{PyModel, one_pose};
use crate::pool::{detached, on_threads};
use noli_project::RobotOptions;
use noli_robot::Robot;
use noli_robot::cell::{Cell, CellBuilder, CheckerMemory, PairRule};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use source::{Extra, Source, Text, kind_of, load, load_text};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

pub(crate) use driven::{PyTrajectory, drive, follow_path, plan_to_pose};
pub(crate) use several::{coordinate, programs};
pub(crate) use source::restore_robot;

/// A robot, alone or among other bodies.
///
/// Configurations are arrays `(n, dof)`, or `(dof,)` for one, in radians and metres, columns as in
/// `joint_names`. A column for every joint of `all_joint_names` is accepted too; mimic joints still follow
/// their joint. Adjacent links are disabled pairs; with an SRDF, the pairs that it disables.
///
/// >>> import noli, numpy
/// >>> robot = noli.Robot.puma560()
/// >>> robot.dof, robot.check(numpy.zeros((2, 6))).shape
/// (6, (2,))
#[pyclass(frozen, name = "Robot", module = "noli")]
#[derive(Clone)]
pub(crate) struct PyRobot {
    source: Arc<Source>,
    robot: Arc<Robot>,
    extras: Vec<Extra>,
    plan: Arc<CellBuilder>,
    /// Built of the plan when first needed.
    built: Arc<OnceLock<Arc<Cell>>>,
    /// The variables that move by themselves.
    free: Arc<[usize]>,
    /// Memory of checkers between queries: making it costs more than one answer.
    kept: Arc<Mutex<Vec<CheckerMemory>>>,
    warnings: Arc<Vec<String>>,
}

#[pymethods]
impl PyRobot {
    /// Reads a URDF file with the meshes it names, and an SRDF file. `packages` are folders that contain packages, or
    /// `"NAME=FOLDER"` for one package; `kind` selects the interpretation of meshes: "surface", "solid", or "auto",
    /// which takes closed ones as solids. Links without collision geometry do not collide; with `visual=True` they
    /// collide by their visual geometry.
    #[staticmethod]
    #[pyo3(signature = (path, *, srdf = None, packages = Vec::new(), kind = "auto", visual = false, pose = None))]
    fn from_urdf(
        py: Python<'_>,
        path: PathBuf,
        srdf: Option<PathBuf>,
        packages: Vec<PathBuf>,
        kind: &str,
        visual: bool,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        load(py, path, srdf, RobotOptions { packages, kind: kind_of(kind)?, visual }, pose)
    }

    /// Reads a table of Denavit-Hartenberg parameters (TOML).
    #[staticmethod]
    #[pyo3(signature = (path, *, packages = Vec::new(), kind = "auto", pose = None))]
    fn from_dh(
        py: Python<'_>,
        path: PathBuf,
        packages: Vec<PathBuf>,
        kind: &str,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = RobotOptions { packages, kind: kind_of(kind)?, ..RobotOptions::default() };
        load(py, path, None, options, pose)
    }

    /// Creates a robot from the text of a URDF file. `load_mesh` is called with the file name of each mesh and returns
    /// an object with `vertices` and `faces`.
    #[staticmethod]
    #[pyo3(signature = (text, *, srdf = None, load_mesh = None, kind = "auto", visual = false, pose = None))]
    fn from_urdf_text(
        py: Python<'_>,
        text: String,
        srdf: Option<String>,
        load_mesh: Option<&Bound<'_, PyAny>>,
        kind: &str,
        visual: bool,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = RobotOptions { packages: Vec::new(), kind: kind_of(kind)?, visual };
        load_text(py, (text, srdf), load_mesh, &options, pose)
    }

    /// Creates the PUMA 560 with its links as primitives, from the table of Fu, González and Lee. Bodies that
    /// collide in every configuration, at the elbow and at the wrist, are disabled pairs.
    #[staticmethod]
    #[pyo3(signature = (*, pose = None))]
    fn puma560(py: Python<'_>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let place = pose.map(one_pose).transpose()?.unwrap_or_default();
        let robot = Text::Puma560.robot()?;
        let shapes = robot.shapes(|file| Err(format!("{file} cannot be read"))).map_err(value)?;
        let source = Source { text: Text::Puma560, srdf: None, shapes, visual: false, place };
        let always = [("link2", "link4"), ("link4", "link6")];
        let extras = always.map(|(a, b)| Extra::Disabled { a: a.to_owned(), b: b.to_owned() }).to_vec();
        on_threads(py, None, || Self::build(Arc::new(source), Arc::new(robot), extras, Arc::default()))?
    }

    /// Name of the robot.
    #[getter]
    fn name(&self) -> &str {
        self.robot.name()
    }

    /// Number of independent joints: the columns of configurations.
    #[getter]
    fn dof(&self) -> usize {
        self.free.len()
    }

    /// Names of the independent joints, in the order of the columns.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.independent().map(|variable| self.robot.variables()[variable].name.clone()).collect()
    }

    /// Names of all movable joints, mimic joints included.
    #[getter]
    fn all_joint_names(&self) -> Vec<String> {
        self.robot.variables().iter().map(|variable| variable.name.clone()).collect()
    }

    /// Names of the links, the root first.
    #[getter]
    fn link_names(&self) -> Vec<String> {
        self.robot.links().iter().map(|link| link.name.clone()).collect()
    }

    /// Text of its SRDF; `None` without one.
    #[getter]
    fn srdf(&self) -> Option<&str> {
        self.source.srdf.as_deref()
    }

    /// Joint limits, lower and upper, `(dof, 2)`; infinite for joints without a limit.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let range = |variable: usize| {
            let range = self.robot.variables()[variable].limits.range;
            range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY])
        };
        let flat: Vec<f64> = self.independent().flat_map(range).collect();
        let count = flat.len() / 2;
        PyArray1::from_vec(py, flat).reshape([count, 2]).map(Bound::into_any)
    }

    /// A configuration within the limits: 0 where permitted, else the middle of the range.
    #[getter]
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.narrowed(&self.robot.neutral().0))
    }

    /// Warnings about the files.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.to_vec()
    }

    /// Tests configurations for collision: one bool for `(dof,)`, `n` for `(n, dof)`; `True` if in collision.
    ///
    /// Exact on the true shapes. `device="cuda"` computes a batch on a GPU if there is one, with the same answers.
    #[pyo3(signature = (q, *, out = None, threads = None, device = None))]
    fn check<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        out: Given<'_, 'py>,
        threads: Option<usize>,
        device: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.require_pairs(py)?;
        if out.is_none()
            && threads.is_none()
            && device.is_none()
            && let Some(verdict) = self.check_alone(py, |values| self.read_values(q, values))?
        {
            return Ok(verdict);
        }
        self.ask_check(py, self.states(q, "q")?, out, threads, crate::device::On::new(device)?)
    }

    /// Tests one configuration of some joints, the others at `default`; `None` for input that `check` takes.
    fn _check_joints<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        columns: &Bound<'py, PyTuple>,
        default: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.require_pairs(py)?;
        self.check_alone(py, |values| self.read_joints(q, (columns, default), values))
    }

    /// Returns all pairs that collide in one configuration, by name.
    fn colliding_pairs(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<Vec<[String; 2]>> {
        self.require_pairs(py)?;
        let state = self.one_state(q, "q")?;
        let cell = self.cell();
        let mut found = Vec::new();
        detached(py, || self.ask(|checker| checker.colliding_pairs(&state, &mut found)))?.map_err(value)?;
        Ok(found.iter().map(|hit| cell.pair_names(hit.pair).map(str::to_owned)).collect())
    }

    /// Computes the smallest clearance of all checked pairs: arrays `at_least` and `at_most` for `(n, dof)`. For
    /// one configuration, returns a `Clearance` and the names of the nearest pair.
    #[pyo3(signature = (q, *, out = None, threads = None))]
    fn clearance<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        out: Given<'_, 'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.require_pairs(py)?;
        self.ask_clearance(py, self.states(q, "q")?, out, threads)
    }

    /// Computes the first contact on the piecewise linear path through configurations, proven between samples too.
    /// `q` is `(2, dof)` or longer; each segment takes the same share of the time from 0 to 1.
    fn check_path(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<PyImpact> {
        self.require_pairs(py)?;
        let (states, count) = self.states(q, "q")?;
        let Some(count) = count.filter(|count| *count > 1) else {
            return Err(value("q: invalid path; give at least two configurations"));
        };
        self.follow(py, &states, count)
    }

    /// Computes the first contact on the straight segment between two configurations, as `check_path`.
    fn check_edge(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
    ) -> PyResult<PyImpact> {
        self.require_pairs(py)?;
        let mut states = self.one_state(start, "start")?;
        states.extend(self.one_state(end, "end")?);
        self.follow(py, &states, 2)
    }

    /// Tests many segments for collision, `(n, dof)` to `(n, dof)`: `n` bools, `True` if a contact lies on the segment.
    /// A segment is left at any configuration that collides; `check_edge` computes the first contact.
    #[pyo3(signature = (start, end, *, out = None, threads = None))]
    fn check_edges<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        end: &Bound<'py, PyAny>,
        out: Given<'_, 'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.require_pairs(py)?;
        let ((from, count), (to, other)) = (self.states(start, "start")?, self.states(end, "end")?);
        let Some(count) = count.filter(|count| Some(*count) == other) else {
            return Err(value("start and end must be arrays (n, dof) of the same length"));
        };
        self.ask_edges(py, (&from, &to), count, (out, threads))
    }

    /// Determines the pairs that can collide within the limits, by proof: a list of `(a, b, word, witness)`. The
    /// word is "never", "always", "can" (with a colliding configuration) or "undecided". Joints without limits are searched
    /// as far as they go. `every` includes disabled pairs.
    ///
    /// `assume` limits joints, `{"rail": (-2, 3)}`. A claim that rests on it is no claim about the robot, and its word
    /// says so: "never within rail in [-2, 3]".
    #[pyo3(signature = (*, samples = 20_000, cells = 200_000, every = false, assume = None, threads = None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        samples: usize,
        cells: usize,
        every: bool,
        assume: Option<HashMap<String, [f64; 2]>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.prepare(py)?;
        let assumed = self.assumed(&assume.unwrap_or_default())?;
        let list = PyList::empty(py);
        for (pair, word, witness) in self.prove_pairs(py, samples, cells, (every, &assumed), threads)? {
            let [a, b] = self.cell().pair_names(pair);
            let witness = witness.map(|values| PyArray1::from_vec(py, self.narrowed(&values)));
            list.append((a, b, word, witness))?;
        }
        Ok(list)
    }

    /// Returns the disabled pairs (the allowed collision matrix) as `(a, b, reason)`.
    fn disabled_pairs(&self) -> Vec<(String, String, String)> {
        let parts = self.plan.parts();
        let pairs = self.plan.pairs().into_iter().filter_map(|pair| match &pair.rule {
            PairRule::Disabled(reason) => {
                let [a, b] = pair.parts.map(|part| parts[part].name.clone());
                Some((a, b, reason.to_string()))
            }
            PairRule::Checked { .. } => None,
        });
        pairs.collect()
    }

    /// Solves inverse kinematics: configurations `(k, dof)` within limits that place a link (by default the tip of the longest chain, before its gripper) at a
    /// pose in the frame of the root. The nearest to `near` comes first. Arms with a spherical wrist have all solutions
    /// in closed form, others one.
    #[pyo3(signature = (pose, *, link = None, near = None, seed = 1))]
    fn ik<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        link: Option<&str>,
        near: Option<&Bound<'py, PyAny>>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (target, tip) = (one_pose(pose)?, self.link(link)?);
        let near = match near {
            Some(near) => self.one_state(near, "near")?,
            None => self.robot.neutral().0,
        };
        let found = self.solve_ik(py, (tip, target), &near, seed)?;
        self.configurations(py, &found)
    }

    /// Plans a path between two configurations, proven collision-free at all times on the true shapes:
    /// configurations `(k, dof)`, joined by straight lines in joint space. `None` if none was found within so many
    /// steps, which proves nothing; a warning says how much was tried. The same seed gives the same path on any number of threads. The search ends after
    /// `time_limit` seconds; which paths it finds by then depends on the machine.
    ///
    /// >>> import noli, numpy
    /// >>> robot = noli.Robot.puma560()
    /// >>> path = robot.plan(robot.neutral, robot.neutral + 0.2)
    /// >>> path.shape[1], robot.check_path(path).kind
    /// (6, 'free')
    #[pyo3(signature = (start, goal, *, steps = 400_000, seed = 1, threads = None, time_limit = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
        steps: u64,
        seed: u64,
        threads: Option<usize>,
        time_limit: Option<f64>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.require_pairs(py)?;
        let end = queries::end_of(time_limit)?;
        let (from, to) = (self.one_state(start, "start")?, self.one_state(goal, "goal")?);
        let found = self.find_path(py, (&from, &to), (steps, seed, end), threads)?;
        found.map(|path| self.configurations(py, &path)).transpose()
    }

    /// Computes the link poses in the frame of the root: matrices `(links, 4, 4)`, or `(n, links, 4, 4)`.
    fn link_poses<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.poses_of_links(py, q)
    }

    /// Names of the two parts of every pair, by the numbers of `nearest` and `collisions`.
    #[getter]
    fn pair_names(&self) -> Vec<[String; 2]> {
        self.names_of_pairs()
    }

    /// Planning groups of the SRDF: for each name the independent joints, from the root outwards.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.planning_groups(py)
    }

    /// Computes the Jacobian of a point on a link in the world: `(6, dof)`, three rows of linear and three of angular
    /// velocity. Without `point`, of the origin of the link. Mimic joints are part of the columns of their joints.
    #[pyo3(signature = (q, link = None, point = None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: Option<&str>,
        point: Option<[f64; 3]>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.jacobian_at(py, q, link, point)
    }

    /// Computes for configurations `(n, dof)` the nearest checked pair, its nearest points and the gradient of the
    /// clearance in joint space, as a dict of arrays: `at_least`, `at_most`, `pair` (a row of `pair_names`, -1 for none),
    /// `points` `(n, 2, 3)` in the world, `gradient` `(n, dof)`. Points and gradient are NaN where a pair collides.
    ///
    /// Where several pairs or points are equally near, the gradient is that of the reported one: the clearance has only
    /// one-sided derivatives there, at most this gradient in every direction.
    #[pyo3(signature = (q, *, threads = None))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.nearest_pairs(py, q, threads)
    }

    /// Computes all colliding pairs of configurations `(n, dof)`, with a common point of each, as a dict of arrays with a
    /// row for each: `state`, `pair` (a row of `pair_names`), `point` `(k, 3)` in the world.
    fn collisions<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        self.all_collisions(py, q)
    }

    /// Returns the robot with an added fixed obstacle.
    #[pyo3(signature = (name, model, pose = None))]
    fn with_body(
        &self,
        py: Python<'_>,
        name: String,
        model: &Bound<'_, PyModel>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let pose = pose.map(one_pose).transpose()?.unwrap_or_default();
        self.with(py, Extra::Body { name, model: model.get().clone(), pose })
    }

    /// Returns the robot with the shape and pose of an obstacle replaced, as a sensor sends a new cloud at every
    /// frame: nothing else is prepared again.
    ///
    /// >>> import noli, numpy
    /// >>> robot = noli.Robot.puma560().with_body("camera", noli.Model(noli.PointCloud(numpy.zeros((0, 3)), radius=0.1)))
    /// >>> robot.check(numpy.zeros(6))
    /// False
    /// >>> cloud = noli.PointCloud(numpy.array([[0.4, 0.1, 0.0]]), radius=0.1)
    /// >>> robot.with_replaced("camera", noli.Model(cloud)).check(numpy.zeros(6))
    /// True
    #[pyo3(signature = (name, model, pose = None))]
    fn with_replaced(
        &self,
        py: Python<'_>,
        name: String,
        model: &Bound<'_, PyModel>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let pose = pose.map(one_pose).transpose()?.unwrap_or_default();
        self.replaced(py, name, model.get().clone(), pose)
    }

    /// Returns the robot with an object attached to a link; it may touch the parts in `may_touch`.
    #[pyo3(signature = (link, name, model, pose = None, *, may_touch = Vec::new()))]
    fn with_carried(
        &self,
        py: Python<'_>,
        link: String,
        name: String,
        model: &Bound<'_, PyModel>,
        pose: Option<&Bound<'_, PyAny>>,
        may_touch: Vec<String>,
    ) -> PyResult<Self> {
        let pose = pose.map(one_pose).transpose()?.unwrap_or_default();
        self.with(py, Extra::Carried { link, name, model: model.get().clone(), pose, may_touch })
    }

    /// Returns the robot with this pair disabled: added to its allowed collision matrix.
    fn disable_pair(&self, py: Python<'_>, a: String, b: String) -> PyResult<Self> {
        self.with(py, Extra::Disabled { a, b })
    }

    /// Returns the robot with this pair checked; it counts as colliding within `margin`.
    fn with_margin(&self, py: Python<'_>, a: String, b: String, margin: f64) -> PyResult<Self> {
        self.with(py, Extra::Margin { a, b, margin })
    }

    /// Returns the robot with padding about one link or body, added to the margins of all its pairs.
    fn with_padding(&self, py: Python<'_>, name: String, margin: f64) -> PyResult<Self> {
        self.with(py, Extra::Padding { name, margin })
    }

    fn __repr__(&self) -> String {
        format!("<noli.Robot {:?}: {} joints, {} links>", self.name(), self.dof(), self.robot.links().len())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        Ok((py.import("noli._noli")?.getattr("_robot")?, slf.get().parts(py)?))
    }
}
