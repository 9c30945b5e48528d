//! Worlds made in Python.

use crate::answer::{PyBracket, PyImpact};
use crate::check::checked_margin;
use crate::error::{undecided, value};
use crate::model::{PyModel, PyMotion, one_pose};
use crate::pool::{on_threads, until_interrupted};
use crate::pose::PyPose;
use noli::answer::{Bracket, Overlap};
use noli::world::{BodyId, CheckOptions, Move, Pattern, Standing, StepOptions, Who};
use noli::{Budget, World};
use noli_io::report::{RemoveReport, RemoveSubject, RemoveVerdict};
use noli_plan::{Effort, RemoveOptions, RigidSpace, remove};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bodies that are asked about together: which pairs meet, how close the others are, and who may move how far.
///
/// >>> import noli
/// >>> world, ball = noli.World(), noli.Model(noli.Convex.sphere(0.5))
/// >>> for name, x in [("left", 0), ("middle", 0.75), ("right", 2)]:
/// ...     world.add(name, ball, noli.Pose([x, 0, 0]))
/// >>> world.touching()
/// [('left', 'middle')]
#[pyclass(frozen, name = "World", module = "noli")]
pub(crate) struct PyWorld(Mutex<Held>);

#[derive(Default)]
struct Held {
    world: World,
    /// What each body was made of, by name.
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
        let who = [&a, &b].map(|name| Who::Named(Pattern::new(name)));
        match margin {
            Some(margin) => self.world.rules_mut().set_margin(who, margin),
            None => self.world.rules_mut().set(who, false),
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
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (*, margin = 0.0))]
    fn new(margin: f64) -> PyResult<Self> {
        let mut held = Held { margin: checked_margin(margin)?, ..Held::default() };
        held.world.rules_mut().set_default_margin(margin);
        Ok(Self(Mutex::new(held)))
    }

    /// A new body at a place.
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
        self.with(py, |held| held.add(name, model, pose))
    }

    /// Takes a body out.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.with(py, |held| {
            let id = held.id(name)?;
            held.world.remove(id).map_err(value)?;
            held.models.retain(|(own, ..)| own != name);
            Ok(())
        })
    }

    /// Puts a body somewhere, without asking what is in the way.
    fn move_to(&self, py: Python<'_>, name: &str, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let pose = one_pose(pose)?;
        self.with(py, |held| {
            let id = held.id(name)?;
            held.world.move_to(id, pose).map_err(value)
        })
    }

    /// Where a body stands.
    fn pose(&self, py: Python<'_>, name: &str) -> PyResult<PyPose> {
        self.with(py, |held| {
            let id = held.id(name)?;
            held.world.body(id).map(|body| PyPose(body.pose())).map_err(value)
        })
    }

    /// The bodies, in the order they were added.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |held| held.models.iter().map(|(name, ..)| name.clone()).collect())
    }

    /// Pairs of an `a` and a `b` are not asked about; `*` in a name stands for any characters.
    fn exclude(&self, py: Python<'_>, a: String, b: String) {
        self.with(py, |held| held.rule(a, b, None));
    }

    /// Pairs of an `a` and a `b` count as hits where they are at most `margin` apart.
    fn set_margin(&self, py: Python<'_>, a: String, b: String, margin: f64) -> PyResult<()> {
        let margin = checked_margin(margin)?;
        self.with(py, |held| held.rule(a, b, Some(margin)));
        Ok(())
    }

    /// All pairs that meet, or are closer than their margin.
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

    /// How all pairs stand: a list of dicts with `a`, `b`, `relation` ("crossing", "inside", "touching", "closer",
    /// "apart" or "undecided"), `hit`, `gap` and `where`; the worst first. Pairs whose boxes prove them apart are left
    /// out unless `all` is true.
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
            let relation = match finding.standing {
                Standing::Crossing => "crossing",
                Standing::Inside => "inside",
                Standing::Touching => "touching",
                Standing::Closer => "closer",
                Standing::Apart => "apart",
                Standing::Undecided => "undecided",
            };
            let hit = !matches!(finding.standing, Standing::Apart | Standing::Undecided);
            found.set_item("a", a)?;
            found.set_item("b", b)?;
            found.set_item("relation", relation)?;
            found.set_item("hit", hit)?;
            let gap = finding.clearance.gap;
            found.set_item("gap", PyBracket::from(gap))?;
            found.set_item("where", finding.place.map(|place| place.to_array()))?;
            found.set_item("crossings", finding.crossing_faces)?;
            list.append(found)?;
        }
        Ok(list)
    }

    /// Moves bodies, each by its own `Motion`, until something would touch. For each: its name, until when its motion
    /// was free, and the `Impact` with the names of what it met, or `None`. No contact on the way is missed. Where
    /// `dry` is true nothing is moved.
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
            let mut asked = Vec::new();
            for (name, motion) in moves {
                let id = held.id(&name)?;
                asked.push(Move::new(name, vec![(id, motion)]));
            }
            let step = held.world.plan(asked, &StepOptions::default()).map_err(value)?;
            if !dry {
                held.world.commit(&step).map_err(value)?;
            }
            let told = step.moves().iter().zip(&step.outcomes).map(|(moved, outcome)| {
                let met = outcome.first.map(|number| {
                    let answer = &step.answers[number];
                    let parts = answer.pair.map(|id| held.name(id).to_owned());
                    PyImpact { impact: answer.impact, parts: Some(parts) }
                });
                (moved.name().to_owned(), outcome.free_until, met)
            });
            Ok(told.collect())
        })?
    }

    /// How a body comes out from between the others: a way that is proven free at all times, a proof that there is none,
    /// or neither within so many `steps`, which proves nothing. Out means that its box is clear of the box of the others
    /// by `gap`. Bodies in `along` move with it, those in `without` were taken out before. Answers with `noli.WayOut`.
    ///
    /// >>> import noli
    /// >>> world, cube = noli.World(), noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
    /// >>> plate = noli.Model(noli.Mesh.cuboid([4, 4, 1]).solid())
    /// >>> for name, model, z in [("low", plate, 0), ("peg", cube, 1.25), ("high", plate, 2.5)]:
    /// ...     world.add(name, model, noli.Pose([0, 0, z]))
    /// >>> way = world.way_out("peg")
    /// >>> way.verdict, way.how, way.poses.shape
    /// ('found', 'one straight pull', (2, 7))
    #[pyo3(signature = (
        name, *, along = Vec::new(), without = Vec::new(), gap = 0.0, widest = false, steps = 60_000, seed = 1,
        threads = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn way_out<'py>(
        &self,
        py: Python<'py>,
        name: String,
        along: Vec<String>,
        without: Vec<String>,
        gap: f64,
        widest: bool,
        steps: u64,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let gap = checked_margin(gap)?;
        let parts: Vec<String> = std::iter::once(name).chain(along).collect();
        let space = self.with(py, |held| {
            let ids = |names: &[String]| names.iter().map(|name| held.id(name)).collect::<PyResult<Vec<_>>>();
            RigidSpace::new(&held.world, &ids(&parts)?, &ids(&without)?).map_err(value)
        })?;
        let space = space.beyond(gap);
        let removal = until_interrupted(py, threads, |stop| {
            let stop = || stop.load(Ordering::Relaxed);
            let effort = Effort { steps, seed, stop: &stop, ..Effort::default() };
            remove(&space, &RemoveOptions { effort, widest, ..RemoveOptions::default() })
        })?;
        let subject = RemoveSubject { scene: "", units: None, parts: &parts, without: &without, seed };
        told(py, RemoveReport::new(&subject, &space, &removal))
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

/// `noli.WayOut`.
fn told(py: Python<'_>, report: RemoveReport) -> PyResult<Bound<'_, PyAny>> {
    let verdict = match report.verdict {
        RemoveVerdict::Found => "found",
        RemoveVerdict::Blocked => "blocked",
        RemoveVerdict::NotFound => "not-found",
    };
    let poses = PyArray1::from_slice(py, report.poses.as_flattened()).reshape([report.poses.len(), 7])?;
    let gap = report.gap.map(|gap| Bracket { at_least: gap.at_least, at_most: gap.at_most });
    let lengths = (report.length.unwrap_or(0.0), report.turned_rad.unwrap_or(0.0));
    py.import("noli._results")?.getattr("WayOut")?.call1((
        verdict,
        report.how,
        poses,
        lengths.0,
        lengths.1,
        gap.map(PyBracket::from),
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
