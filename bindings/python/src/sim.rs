//! Rigid-body dynamics.

use crate::array::vector;
use crate::error::value;
use crate::model::{PyModel, PyMotion, one_pose};
use crate::pose::PyPose;
use glam::DVec3;
use noli::world::BodyId;
use noli::{Model, Pose, Shape};
use noli_sim::{BodySpec, Dynamics, DynamicsOptions, MassProperties, Material};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rigid bodies under gravity, in seconds and any units of length and mass. They fall, collide, slide and rest.
/// Every segment of their motion is proven free of penetration before it is made.
///
/// >>> import noli
/// >>> sim = noli.Dynamics()
/// >>> sim.add_fixed("floor", noli.Model("half-space"))
/// >>> sim.add("sphere", noli.Model(noli.Convex.sphere(0.1)), noli.Pose([0, 0, 1.1]), restitution=1.0)
/// >>> sim.advance(2 * (2 / 9.81) ** 0.5)  # down and up again
/// >>> round(float(sim.pose("sphere").translation[2]), 3), sim.summary()["penetrations"]
/// (1.1, 0)
#[pyclass(frozen, name = "Dynamics", module = "noli")]
pub(crate) struct PyDynamics {
    held: Mutex<Dynamics>,
    step: f64,
}

/// Duration of simulation between checks for Ctrl-C.
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

    /// The same for work that may fail, or panic.
    fn try_with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Dynamics) -> PyResult<R> + Send,
    ) -> PyResult<R> {
        crate::pool::detached(py, || work(&mut self.held()))?
    }

    fn body<R: Send>(
        &self,
        py: Python<'_>,
        name: &str,
        of: impl FnOnce(&Dynamics, BodyId) -> R + Send,
    ) -> PyResult<R> {
        self.try_with(py, |sim| Ok(of(sim, body(sim, name)?)))
    }

    fn insert(&self, py: Python<'_>, name: &str, model: &Model, pose: Pose, spec: BodySpec) -> PyResult<()> {
        self.try_with(py, |sim| {
            if sim.world().find(name).is_some() {
                return Err(value(format!("there is a body `{name}` already")));
            }
            sim.add(name, model, pose, spec).map(drop).map_err(value)
        })
    }
}

fn body(sim: &Dynamics, name: &str) -> PyResult<BodyId> {
    sim.world().find(name).ok_or_else(|| value(format!("there is no body `{name}`")))
}

#[pymethods]
impl PyDynamics {
    /// `gravity` is the acceleration of free fall, `step` the longest time for which contact forces are constant.
    /// `skin` is the clearance that bodies keep, as a share of the smaller one's radius.
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

    /// Adds a falling body. Without `mass` its density is 1. For two colliding bodies, the geometric mean of
    /// `friction` and the larger `restitution` count. `velocity` is that of its centre of mass, `spin` in radians a
    /// second.
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
        let mut spec = BodySpec::free(model).with_material(Material { friction, restitution });
        if let Some(mass) = mass {
            let shape = match (model.mesh(), model.convex()) {
                (Some(mesh), _) => Shape::from(mesh),
                (_, Some(convex)) => Shape::from(convex.clone()),
                _ => return Err(value(format!("mass={mass}: `{name}` is neither a mesh nor a convex body"))),
            };
            spec = spec.with_mass(MassProperties::with_mass(name, &shape, mass).map_err(value)?);
        }
        let spec = spec.with_velocity(given(velocity, "velocity")?, given(spin, "spin")?);
        self.insert(py, name, model, pose, spec)
    }

    /// Adds a fixed body.
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
        let spec = BodySpec::fixed().with_material(Material { friction, restitution });
        self.insert(py, name, &model.get().model, pose, spec)
    }

    /// Adds a body that follows a motion for so many seconds and then rests.
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
        let start = motion.pose(0.0);
        let spec = BodySpec::driven(motion, seconds).with_material(Material { friction, restitution });
        self.insert(py, name, &model.get().model, start, spec)
    }

    /// Disables the pair of two bodies: they pass through each other.
    fn exclude(&self, py: Python<'_>, a: &str, b: &str) -> PyResult<()> {
        self.try_with(py, |sim| {
            let [a, b] = [body(sim, a)?, body(sim, b)?];
            sim.exclude(a, b);
            Ok(())
        })
    }

    /// Simulates so many seconds. Initial overlap is an error; after Ctrl-C the simulation can be continued.
    fn advance(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        // As many equal steps as the library would make in one go, so that the motion is the same to the last bit.
        let count = (seconds / self.step * (1.0 - 1e-12)).ceil().max(1.0);
        let mut left = if count.is_finite() { count as u64 } else { 1 };
        while left > 0 {
            left = self.try_with(py, |sim| {
                let begun = Instant::now();
                while left > 0 && begun.elapsed() < PATIENCE {
                    sim.advance(seconds / count).map_err(value)?;
                    left -= 1;
                }
                Ok(left)
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Simulated time, in seconds.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.with(py, |sim| sim.time())
    }

    /// Names of the bodies, in the order they were added.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |sim| sim.world().bodies().map(|(_, body)| body.name().to_owned()).collect())
    }

    /// Returns the pose of a body.
    fn pose(&self, py: Python<'_>, name: &str) -> PyResult<PyPose> {
        self.body(py, name, |sim, id| PyPose(sim.pose(id)))
    }

    /// Returns the velocity of a body's centre of mass.
    fn velocity<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.body(py, name, |sim, id| sim[id].state().velocity)?;
        Ok(crate::array::point(py, found))
    }

    /// Returns `True` if a body rests and is skipped until it is touched.
    fn is_asleep(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        self.body(py, name, |sim, id| sim[id].is_asleep())
    }

    /// Returns the contact forces of the last step: `(a, b, point, force)` for each contact, with the force on B.
    #[expect(clippy::type_complexity, reason = "the signature that Python sees")]
    fn forces<'py>(
        &self,
        py: Python<'py>,
    ) -> Vec<(String, String, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
        let found = self.with(py, |sim| {
            let name = |id: BodyId| sim.world()[id].name().to_owned();
            let one = |force: &noli_sim::ContactForce| {
                (force.bodies.map(name), force.contact.on_b.point, force.force)
            };
            sim.forces().iter().map(one).collect::<Vec<_>>()
        });
        let point = crate::array::point;
        found.into_iter().map(|([a, b], at, force)| (a, b, point(py, at), point(py, force))).collect()
    }

    /// Kinetic and potential energy of all movable bodies.
    #[getter]
    fn energy(&self, py: Python<'_>) -> f64 {
        self.with(py, |sim| sim.energy())
    }

    /// Returns the figures so far: `penetrations` (0 unless a proof failed), `time_lost` (share of time without proven
    /// motion), `pieces` (proven motion segments), `proofs`, `impacts` and `contacts_most`.
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let summary = self.with(py, |sim| {
            sim.check();
            sim.summary()
        });
        let figures = PyDict::new(py);
        figures.set_item("penetrations", summary.penetrations)?;
        figures.set_item("time_lost", summary.time_lost)?;
        figures.set_item("pieces", summary.pieces)?;
        figures.set_item("proofs", summary.proofs)?;
        figures.set_item("impacts", summary.impacts)?;
        figures.set_item("contacts_most", summary.contacts_most)?;
        Ok(figures)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |sim| sim.bodies().count())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<noli.Dynamics: {} bodies, {} s>", self.__len__(py), self.time(py))
    }
}
