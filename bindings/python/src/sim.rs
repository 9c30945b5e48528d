//! Bodies that fall, hit, slide and rest.

use crate::array::vector;
use crate::error::value;
use crate::model::{PyModel, PyMotion, one_pose};
use crate::pose::PyPose;
use glam::DVec3;
use noli::Shape;
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, MassProperties, Material};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rigid bodies under gravity, in seconds and in whatever units of length and mass: they fall, hit, slide and rest, and
/// every piece of their motion is proven free of penetration before it is made.
///
/// >>> import noli
/// >>> sim = noli.Dynamics()
/// >>> sim.add_fixed("floor", noli.Model("half-space"))
/// >>> sim.add("ball", noli.Model(noli.Convex.sphere(0.1)), noli.Pose([0, 0, 1.1]), restitution=1.0)
/// >>> sim.advance(2 * (2 / 9.81) ** 0.5)  # down and up again
/// >>> round(float(sim.pose("ball").translation[2]), 3), sim.summary()["penetrations"]
/// (1.1, 0)
#[pyclass(frozen, name = "Dynamics", module = "noli")]
pub(crate) struct PyDynamics {
    held: Mutex<Dynamics>,
    step: f64,
}

/// How long a simulation goes on before Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(100);

fn given(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<DVec3> {
    value.map_or(Ok(DVec3::ZERO), |value| vector(value, name))
}

impl PyDynamics {
    fn held(&self) -> MutexGuard<'_, Dynamics> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for other threads without the interpreter, so that none waits for the other.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Dynamics) -> R + Send) -> R {
        py.detach(|| work(&mut self.held()))
    }

    fn body<R: Send>(
        &self,
        py: Python<'_>,
        name: &str,
        of: impl FnOnce(&Dynamics, usize) -> R + Send,
    ) -> PyResult<R> {
        self.with(py, |sim| Ok(of(sim, number(sim, name)?)))
    }

    fn insert(&self, py: Python<'_>, spec: BodySpec) -> PyResult<()> {
        self.with(py, |sim| {
            if sim.bodies().iter().any(|body| body.name() == spec.name) {
                return Err(value(format!("there is a body `{}` already", spec.name)));
            }
            sim.add(spec).map(drop).map_err(value)
        })
    }
}

fn number(sim: &Dynamics, name: &str) -> PyResult<usize> {
    let found = sim.bodies().iter().position(|body| body.name() == name);
    found.ok_or_else(|| value(format!("there is no body `{name}`")))
}

#[pymethods]
impl PyDynamics {
    /// `gravity` is the acceleration of free fall, `step` the longest time for which forces at contacts are constant,
    /// `skin` how far bodies stay apart, as a share of the smaller one's radius.
    #[new]
    #[pyo3(signature = (*, gravity = None, step = 1.0 / 120.0, skin = 1e-4))]
    fn new(gravity: Option<&Bound<'_, PyAny>>, step: f64, skin: f64) -> PyResult<Self> {
        for (name, number) in [("step", step), ("skin", skin)] {
            if !(number > 0.0 && number.is_finite()) {
                return Err(value(format!("{name}={number}: give a number above 0")));
            }
        }
        let mut options = DynamicsOptions { step, skin, ..DynamicsOptions::default() };
        if let Some(gravity) = gravity {
            options.gravity = vector(gravity, "gravity")?;
        }
        Ok(Self { held: Mutex::new(Dynamics::new(options)), step })
    }

    /// A body that falls. Without `mass` its density is 1. Of two bodies that meet, the geometric mean of `friction` and
    /// the larger `restitution` count; `velocity` is that of its centre of mass, `spin` in radians a second.
    #[pyo3(signature = (
        name, model, pose = None, *, mass = None, friction = 0.5, restitution = 0.0, velocity = None, spin = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add(
        &self,
        py: Python<'_>,
        name: &str,
        model: &Bound<'_, PyModel>,
        pose: Option<&Bound<'_, PyAny>>,
        mass: Option<f64>,
        friction: f64,
        restitution: f64,
        velocity: Option<&Bound<'_, PyAny>>,
        spin: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let model = &model.get().model;
        let pose = pose.map(one_pose).transpose()?.unwrap_or_default();
        let mut spec = BodySpec::free(name, model.clone(), pose).of(Material { friction, restitution });
        if let Some(mass) = mass {
            let shape = match (model.mesh(), model.convex()) {
                (Some(mesh), _) => Shape::from(mesh),
                (_, Some(convex)) => Shape::from(convex.clone()),
                _ => return Err(value(format!("mass={mass}: `{name}` is no mesh and no convex body"))),
            };
            spec = spec.weighing(MassProperties::with_mass(name, &shape, mass).map_err(value)?);
        }
        self.insert(py, spec.moving(given(velocity, "velocity")?, given(spin, "spin")?))
    }

    /// A body that stays.
    #[pyo3(signature = (name, model, pose = None, *, friction = 0.5, restitution = 0.0))]
    fn add_fixed(
        &self,
        py: Python<'_>,
        name: &str,
        model: &Bound<'_, PyModel>,
        pose: Option<&Bound<'_, PyAny>>,
        friction: f64,
        restitution: f64,
    ) -> PyResult<()> {
        let pose = pose.map(one_pose).transpose()?.unwrap_or_default();
        let spec = BodySpec::fixed(name, model.get().model.clone(), pose);
        self.insert(py, spec.of(Material { friction, restitution }))
    }

    /// A body that follows a motion for so many seconds, and then stays.
    #[pyo3(signature = (name, model, motion, seconds, *, friction = 0.5, restitution = 0.0))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn add_driven(
        &self,
        py: Python<'_>,
        name: &str,
        model: &Bound<'_, PyModel>,
        motion: &Bound<'_, PyMotion>,
        seconds: f64,
        friction: f64,
        restitution: f64,
    ) -> PyResult<()> {
        let motion = motion.get().motion.clone();
        let spec = BodySpec::driven(name, model.get().model.clone(), motion, seconds);
        self.insert(py, spec.of(Material { friction, restitution }))
    }

    /// Lets two bodies pass through each other.
    fn exclude(&self, py: Python<'_>, a: &str, b: &str) -> PyResult<()> {
        self.with(py, |sim| {
            let [a, b] = [number(sim, a)?, number(sim, b)?];
            sim.exclude(a, b);
            Ok(())
        })
    }

    /// Goes on for so many seconds. Bodies that overlap at the start are an error; after Ctrl-C it can go on from where
    /// it is.
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        // As many equal steps as the library would make in one go, so that the motion is the same to the last bit.
        let count = (seconds / self.step * (1.0 - 1e-12)).ceil().max(1.0);
        let mut left = if count.is_finite() { count as u64 } else { 1 };
        while left > 0 {
            left = self.with(py, |sim| {
                let begun = Instant::now();
                while left > 0 && begun.elapsed() < PATIENCE {
                    sim.advance(seconds / count).map_err(value)?;
                    left -= 1;
                }
                Ok::<_, PyErr>(left)
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Seconds simulated.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.with(py, |sim| sim.time())
    }

    /// The bodies, in the order they were added.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |sim| sim.bodies().iter().map(|body| body.name().to_owned()).collect())
    }

    /// Where a body stands.
    fn pose(&self, py: Python<'_>, name: &str) -> PyResult<PyPose> {
        self.body(py, name, |sim, number| PyPose(sim.pose(number)))
    }

    /// The velocity of a body's centre of mass.
    fn velocity<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.body(py, name, |sim, number| sim.bodies()[number].state().velocity)?;
        Ok(crate::array::point(py, found))
    }

    /// Whether a body rests and is left alone until something meets it.
    fn is_asleep(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        self.body(py, name, |sim, number| sim.bodies()[number].is_asleep())
    }

    /// Forces of the last step: `(a, b, point, force)` for each contact, the force on B; points and forces `(3,)`.
    #[expect(clippy::type_complexity, reason = "the signature that Python sees")]
    fn forces<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(String, String, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let found = self.with(py, |sim| {
            let name = |number: usize| sim.bodies()[number].name().to_owned();
            let one = |force: &noli_sim::ContactForce| {
                (force.bodies.map(name), force.contact.on_b.point, force.force)
            };
            sim.forces().iter().map(one).collect::<Vec<_>>()
        });
        let point = crate::array::point;
        found.into_iter().map(|([a, b], at, force)| (a, b, point(py, at), point(py, force))).collect()
    }

    /// Kinetic and potential energy of all that may move.
    #[getter]
    fn energy(&self, py: Python<'_>) -> f64 {
        self.with(py, |sim| sim.energy())
    }

    /// Figures so far: `penetrations` (never above 0 knowingly), `time_lost` (the share of time in which nothing was
    /// moved because nothing could be proven), `pieces` of motion proven, `proofs`, `impacts`, `contacts_most`.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let summary = self.with(py, |sim| {
            sim.check();
            sim.summary()
        });
        let told = PyDict::new(py);
        told.set_item("penetrations", summary.penetrations)?;
        told.set_item("time_lost", summary.time_lost)?;
        told.set_item("pieces", summary.pieces)?;
        told.set_item("proofs", summary.proofs)?;
        told.set_item("impacts", summary.impacts)?;
        told.set_item("contacts_most", summary.contacts_most)?;
        Ok(told)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |sim| sim.bodies().len())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<noli.Dynamics: {} bodies, {} s>", self.__len__(py), self.time(py))
    }
}
