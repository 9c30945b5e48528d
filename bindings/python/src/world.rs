//! Worlds made in Python.

use crate::answer::{PyBracket, PyImpact};
use crate::check::checked_length;
use crate::error::{undecided, value};
use crate::model::{PyModel, PyMotion, one_pose};
use crate::pool::{on_threads, until_interrupted};
use crate::pose::PyPose;
use noli::answer::{Bracket, Overlap};
use noli::world::{BodyId, BodySelector, CheckOptions, Move, PairStatus, Pattern, StepOptions};
use noli::{Budget, World};
use noli_certificate::WorldStatements;
use noli_plan::{Effort, RemoveOptions, RigidSpace, remove};
use noli_project::report::{RemoveReport, RemoveSubject, RemoveVerdict};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bodies that are queried together: colliding pairs, clearances of the others, and permitted motions.
///
/// >>> import noli
/// >>> world, sphere = noli.World(), noli.Model(noli.Convex.sphere(0.5))
/// >>> for name, x in [("left", 0), ("middle", 0.75), ("right", 2)]:
/// ...     world.add(name, sphere, noli.Pose([x, 0, 0]))
/// >>> world.touching()
/// [('left', 'middle')]
#[pyclass(frozen, name = "World", module = "noli")]
pub(crate) struct PyWorld(Mutex<Held>);

#[derive(Default)]
struct Held {
    world: World,
    /// The model of each body, by name.
    models: Vec<(String, BodyId, PyModel)>,
    /// Rules as they were given, for pickle.
    rules: Vec<(String, String, Option<f64>)>,
    margin: f64,
}

impl Held {
    fn id(&self, name: &str) -> PyResult<BodyId> {
        let found = self.models.iter().find(|(own, ..)| own == name);
        found.map(|&(_, id, _)| id).ok_or_else(|| value(format!("there is no body `{name}`")))
    }

    fn name(&self, id: BodyId) -> &str {
        self.world.body(id).map_or("", |body| body.name())
    }

    fn add(&mut self, name: String, model: PyModel, pose: noli::Pose) -> PyResult<()> {
        if self.models.iter().any(|(own, ..)| *own == name) {
            return Err(value(format!("there is a body `{name}` already")));
        }
        let id = self.world.add(name.clone(), &model.model, pose).map_err(value)?;
        self.models.push((name, id, model));
        Ok(())
    }

    fn rule(&mut self, a: String, b: String, margin: Option<f64>) {
        let pair = [&a, &b].map(|name| BodySelector::Named(Pattern::new(name)));
        match margin {
            Some(margin) => self.world.rules_mut().set_margin(pair, margin),
            None => self.world.rules_mut().set(pair, false),
        }
        self.rules.push((a, b, margin));
    }
}

impl PyWorld {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for other threads without the interpreter, so that none waits for the other.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Held) -> R + Send) -> R {
        py.detach(|| work(&mut self.held()))
    }

    /// Statements about the removal of some bodies through poses of the first, without others.
    pub(crate) fn removal(
        &self,
        py: Python<'_>,
        parts: &[String],
        without: &[String],
        poses: &[noli::Pose],
    ) -> PyResult<WorldStatements> {
        self.try_with(py, |held| {
            let ids = |names: &[String]| names.iter().map(|name| held.id(name)).collect::<PyResult<Vec<_>>>();
            WorldStatements::removal(&held.world, &ids(parts)?, &ids(without)?, poses).map_err(value)
        })
    }

    /// The same for work that may fail, or panic.
    fn try_with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Held) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        crate::pool::detached(py, || work(&mut self.held()))?
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (*, margin = 0.0))]
    fn new(margin: f64) -> PyResult<Self> {
        let mut held = Held { margin: checked_length("margin", margin)?, ..Held::default() };
        held.world.rules_mut().set_default_margin(margin);
        Ok(Self(Mutex::new(held)))
    }

    /// Adds a body at a pose.
    #[pyo3(signature = (name, model, pose = None))]
    fn add(
        &self,
        py: Python<'_>,
        name: String,
        model: &Bound<'_, PyModel>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let pose = pose.map(one_pose).transpose()?.unwrap_or_default();
        let model = model.get().clone();
        self.try_with(py, |held| held.add(name, model, pose))
    }

    /// Removes a body.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.try_with(py, |held| {
            let id = held.id(name)?;
            held.world.remove(id).map_err(value)?;
            held.models.retain(|(own, ..)| own != name);
            Ok(())
        })
    }

    /// Places a body, without testing for collisions.
    fn move_to(&self, py: Python<'_>, name: &str, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = one_pose(pose)?;
        self.try_with(py, |held| {
            let id = held.id(name)?;
            held.world.move_to(id, pose).map_err(value)
        })
    }

    /// Returns the pose of a body.
    fn pose(&self, py: Python<'_>, name: &str) -> PyResult<PyPose> {
        self.try_with(py, |held| {
            let id = held.id(name)?;
            held.world.body(id).map(|body| PyPose(body.pose())).map_err(value)
        })
    }

    /// Names of the bodies, in the order they were added.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |held| held.models.iter().map(|(name, ..)| name.clone()).collect())
    }

    /// Disables pairs of an `a` and a `b`; `*` in a name matches any characters.
    fn exclude(&self, py: Python<'_>, a: String, b: String) {
        self.with(py, |held| held.rule(a, b, None));
    }

    /// Sets the margin of pairs of an `a` and a `b`: they count as hits at a distance of at most `margin`.
    fn set_margin(&self, py: Python<'_>, a: String, b: String, margin: f64) -> PyResult<()> {
        let margin = checked_length("margin", margin)?;
        self.with(py, |held| held.rule(a, b, Some(margin)));
        Ok(())
    }

    /// Returns all pairs that collide, or are closer than their margin.
    #[pyo3(signature = (*, threads = None))]
    fn touching(&self, py: Python<'_>, threads: Option<usize>) -> PyResult<Vec<(String, String)>> {
        on_threads(py, threads, || {
            let mut held = self.held();
            let pairs = held.world.touching(&Budget::default());
            let unknown = pairs.iter().find(|(_, verdict)| *verdict == Overlap::Unknown);
            if let Some(([a, b], _)) = unknown {
                let text = format!("nothing is proven about {} and {}", held.name(*a), held.name(*b));
                return Err(undecided(text));
            }
            Ok(pairs.iter().map(|([a, b], _)| (held.name(*a).to_owned(), held.name(*b).to_owned())).collect())
        })?
    }

    /// Returns the status of all pairs as dicts with `a`, `b`, `relation`, `hit`, `clearance` and `where`; the
    /// worst first. `relation` is "intersecting", "inside", "touching", "closer", "separated" or "undecided". Pairs
    /// whose boxes prove them separated are omitted unless `all` is true.
    #[pyo3(signature = (*, all = false, threads = None))]
    fn check<'py>(&self, py: Python<'py>, all: bool, threads: Option<usize>) -> PyResult<Bound<'py, PyList>> {
        let (result, names) = on_threads(py, threads, || {
            let held = self.held();
            let options = CheckOptions { far: all, count: true, place: true, ..CheckOptions::default() };
            let result = held.world.check(&options).map_err(value)?;
            let name = |id| held.name(id).to_owned();
            let names: Vec<[String; 2]> =
                result.findings.iter().map(|finding| finding.pair.map(name)).collect();
            Ok::<_, PyErr>((result, names))
        })??;
        let list = PyList::empty(py);
        for (finding, [a, b]) in result.findings.iter().zip(names) {
            let found = PyDict::new(py);
            let relation = match finding.status {
                PairStatus::Intersecting => "intersecting",
                PairStatus::Inside => "inside",
                PairStatus::Touching => "touching",
                PairStatus::Closer => "closer",
                PairStatus::Separated => "separated",
                PairStatus::Undecided => "undecided",
            };
            let hit = !matches!(finding.status, PairStatus::Separated | PairStatus::Undecided);
            found.set_item("a", a)?;
            found.set_item("b", b)?;
            found.set_item("relation", relation)?;
            found.set_item("hit", hit)?;
            let clearance = finding.clearance.distance;
            found.set_item("clearance", PyBracket::from(clearance))?;
            found.set_item("where", finding.place.map(|place| place.to_array()))?;
            found.set_item("intersections", finding.intersecting_faces)?;
            list.append(found)?;
        }
        Ok(list)
    }

    /// Moves bodies, each by its own `Motion`, until something would touch. Returns for each: its name, the time
    /// until which its motion was free, and the `Impact` with the names of the touching parts, or `None`. No
    /// contact on the path is missed. If `dry` is true nothing is moved.
    #[pyo3(signature = (motions, *, dry = false, threads = None))]
    fn step(
        &self,
        py: Python<'_>,
        motions: &Bound<'_, PyDict>,
        dry: bool,
        threads: Option<usize>,
    ) -> PyResult<Vec<(String, f64, Option<PyImpact>)>> {
        let mut moves = Vec::new();
        for (name, motion) in motions {
            let motion = motion.cast::<PyMotion>()?.get().motion.clone();
            moves.push((name.extract::<String>()?, motion));
        }
        on_threads(py, threads, || {
            let mut held = self.held();
            let mut requests = Vec::new();
            for (name, motion) in moves {
                let id = held.id(&name)?;
                requests.push(Move::new(name, vec![(id, motion)]));
            }
            let step = held.world.plan(requests, &StepOptions::default()).map_err(value)?;
            if !dry {
                held.world.commit(&step).map_err(value)?;
            }
            let results = step.moves().iter().zip(&step.outcomes).map(|(moved, outcome)| {
                let contact = outcome.first.map(|number| {
                    let answer = &step.answers[number];
                    let parts = answer.pair.map(|id| held.name(id).to_owned());
                    PyImpact { impact: answer.impact, parts: Some(parts) }
                });
                (moved.name().to_owned(), outcome.free_until, contact)
            });
            Ok(results.collect())
        })?
    }

    /// Plans a removal path for a body, proven collision-free at all times, or proves that there is none. Neither
    /// may result within so many `steps`, which proves nothing.
    ///
    /// A body is removed when the distance of its bounding box from that of the others is `exit_distance`. Bodies in
    /// `with_bodies` move with it; bodies in `without` are absent. `maximize_clearance` prefers the path of largest
    /// clearance to the shortest. Returns a `noli.RemovalResult`.
    ///
    /// >>> import noli
    /// >>> world, cube = noli.World(), noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
    /// >>> plate = noli.Model(noli.Mesh.cuboid([4, 4, 1]).solid())
    /// >>> for name, model, z in [("low", plate, 0), ("peg", cube, 1.25), ("high", plate, 2.5)]:
    /// ...     world.add(name, model, noli.Pose([0, 0, z]))
    /// >>> path = world.plan_removal("peg")
    /// >>> path.verdict, path.poses.shape
    /// ('found', (2, 7))
    #[pyo3(signature = (
        name, *, with_bodies = Vec::new(), without = Vec::new(), exit_distance = 0.0, maximize_clearance = false,
        steps = 60_000, seed = 1, threads = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn plan_removal<'py>(
        &self,
        py: Python<'py>,
        name: String,
        with_bodies: Vec<String>,
        without: Vec<String>,
        exit_distance: f64,
        maximize_clearance: bool,
        steps: u64,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let exit_distance = checked_length("exit_distance", exit_distance)?;
        let parts: Vec<String> = std::iter::once(name).chain(with_bodies).collect();
        let space = self.try_with(py, |held| {
            let ids = |names: &[String]| names.iter().map(|name| held.id(name)).collect::<PyResult<Vec<_>>>();
            RigidSpace::new(&held.world, &ids(&parts)?, &ids(&without)?).map_err(value)
        })?;
        let space = space.with_exit_distance(exit_distance);
        let removal = until_interrupted(py, threads, |stop| {
            let stop = || stop.load(Ordering::Relaxed);
            let effort = Effort { steps, seed, stop: &stop, ..Effort::default() };
            let options = RemoveOptions { effort, widest: maximize_clearance, ..RemoveOptions::default() };
            remove(&space, &options)
        })?;
        let subject = RemoveSubject {
            scene: "",
            units: None,
            parts: &parts,
            without: &without,
            seed,
            tessellation: None,
        };
        removal_result(py, RemoveReport::new(&subject, &space, &removal))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |held| held.models.len())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<noli.World: {} bodies>", self.__len__(py))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let (bodies, rules, margin) = slf.get().with(py, |held| {
            let place = |id| held.world.body(id).map_or(noli::Pose::IDENTITY, |body| body.pose());
            let bodies: Vec<(String, PyModel, PyPose)> = held
                .models
                .iter()
                .map(|(name, id, model)| (name.clone(), model.clone(), PyPose(place(*id))))
                .collect();
            (bodies, held.rules.clone(), held.margin)
        });
        let make = py.import("noli._noli")?.getattr("_world")?;
        Ok((make, (bodies, rules, margin).into_pyobject(py)?.into_any()))
    }
}

/// Converts the report into a `noli.RemovalResult`.
fn removal_result(py: Python<'_>, report: RemoveReport) -> PyResult<Bound<'_, PyAny>> {
    let verdict = match report.verdict {
        RemoveVerdict::Found => "found",
        RemoveVerdict::Blocked => "blocked",
        RemoveVerdict::NotFound => "not-found",
    };
    let poses = PyArray1::from_slice(py, report.poses.as_flattened()).reshape([report.poses.len(), 7])?;
    let clearance = report
        .clearance
        .map(|clearance| Bracket { at_least: clearance.at_least, at_most: clearance.at_most });
    let lengths = (report.length.unwrap_or(0.0), report.turned_rad.unwrap_or(0.0));
    py.import("noli._results")?.getattr("RemovalResult")?.call1((
        verdict,
        report.how,
        poses,
        lengths.0,
        lengths.1,
        clearance.map(PyBracket::from),
        report.blocked_by,
        report.steps,
    ))
}

/// A world from its parts, for pickle.
#[pyfunction(name = "_world")]
pub(crate) fn restore_world(
    bodies: Vec<(String, Bound<'_, PyModel>, PyPose)>,
    rules: Vec<(String, String, Option<f64>)>,
    margin: f64,
) -> PyResult<PyWorld> {
    let world = PyWorld::new(margin)?;
    {
        let mut held = world.held();
        for (name, model, pose) in bodies {
            held.add(name, model.get().clone(), pose.0)?;
        }
        for (a, b, margin) in rules {
            held.rule(a, b, margin);
        }
    }
    Ok(world)
}
