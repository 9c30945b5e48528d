//! Questions about bodies that move.

use super::{Body, placed_twice};
use crate::answer::PyClearance;
use crate::error::undecided;
use crate::kind::{Given, Impacts, Kind};
use crate::model::PyMoving;
use crate::pool::{Rows, alone, ask_all, on_threads};
use crate::poses::Poses;
use glam::DVec3;
use noli::motion::{Motion, RigidMotion, Still};
use noli::query::{ApproachQuery, ClearanceQuery, ImpactQuery, Tolerance};
use noli::{Model, Pose, QueryContext};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ops::Range;

/// A body with its motion.
enum Mover<'a> {
    Still(&'a Model, Still),
    Moving(&'a Model, &'a dyn Motion),
}

impl<'a> Mover<'a> {
    fn new(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if let Ok(moving) = given.cast::<PyMoving>() {
            let moving = moving.get();
            return Ok(Self::Moving(&moving.model.model, &*moving.motion.motion));
        }
        let body = Body::new(given, name)?;
        Ok(Self::Still(body.model, Still(body.pose.unwrap_or_default())))
    }

    fn moving(&self) -> noli::Moving<'_> {
        match self {
            Self::Still(model, still) => model.moving(still),
            Self::Moving(model, motion) => model.moving(*motion),
        }
    }
}

fn impact_query(margin: f64, tolerance: Option<f64>) -> ImpactQuery {
    let default = ImpactQuery::default();
    ImpactQuery { margin, tolerance: tolerance.map_or(default.tolerance, Tolerance::Length), ..default }
}

/// Computes the first contact of the bodies, while time goes from 0 to 1. Never misses a contact, at any speed.
///
/// Either body may be a `model.moving(motion)`. Or `b` is a model and moves from pose `start` to pose `end`,
/// its origin straight, rotating uniformly. Arrays of poses return an answer for every row: `safe_until` (1
/// where free) and `touching_by` (infinite where free or unknown). `out` may give both. The uint8 `kind` is
/// that of `noli.IMPACTS`.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> first = noli.time_of_impact(cube, cube, noli.Pose([-9, 0, 0]), noli.Pose([11, 0, 0]))
/// >>> first.kind, round(first.safe_until, 4), first.safe_until <= 0.4 <= first.touching_by + 1e-6
/// ('at', 0.4, True)
#[pyfunction]
#[pyo3(signature = (a, b, start = None, end = None, *, quat = None, margin = 0.0, tolerance = None, out = None, threads = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn time_of_impact<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    start: Given<'_, 'py>,
    end: Given<'_, 'py>,
    quat: Option<&str>,
    margin: f64,
    tolerance: Option<f64>,
    out: Given<'_, 'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let query = impact_query(margin, tolerance);
    let a = Mover::new(a, "a")?;
    let (start, end) = match (start, end) {
        (None, None) => {
            let b = Mover::new(b, "b")?;
            let ask_one = |ask: &mut QueryContext<'_>| ask.time_of_impact(&a.moving(), &b.moving(), &query);
            return Impacts.alone(py, out, || alone(py, ask_one));
        }
        (Some(start), Some(end)) => (Poses::new(start, quat, "start")?, Poses::new(end, quat, "end")?),
        _ => return Err(PyTypeError::new_err("give both start and end, or neither")),
    };
    let model = match Body::new(b, "b")? {
        Body { model, pose: None } => model,
        _ => return Err(placed_twice("start and end are")),
    };
    let ask_one = |ask: &mut QueryContext<'_>, start: &Pose, end: &Pose| {
        let motion = RigidMotion::between(start, end, DVec3::ZERO);
        ask.time_of_impact(&a.moving(), &model.moving(&motion), &query)
    };
    let count = match (&start, &end) {
        (Poses::One(start), Poses::One(end)) => {
            return Impacts.alone(py, out, || alone(py, |ask| ask_one(ask, start, end)));
        }
        _ => match (start.count(), end.count()) {
            (Some(a), Some(b)) if a != b => {
                return Err(PyValueError::new_err(format!("start has {a} poses, end has {b}")));
            }
            (Some(count), _) | (_, Some(count)) => count,
            (None, None) => 1,
        },
    };
    let read = |range: Range<usize>| {
        Ok(start.rows(range.clone())?.into_iter().zip(end.rows(range)?).collect::<Vec<_>>())
    };
    let rows = Rows { count, out, threads };
    ask_all(py, &Impacts, &rows, read, |(start, end), ask| ask_one(ask, start, end))
}

/// Computes all contact intervals of the moving bodies as `(safe_until, touching_by, ends_by)`, in order.
/// Intervals separated by less than `resolution` may be merged.
#[pyfunction]
#[pyo3(signature = (a, b, resolution = 0.001, *, margin = 0.0, tolerance = None))]
pub(crate) fn contact_intervals(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    resolution: f64,
    margin: f64,
    tolerance: Option<f64>,
) -> PyResult<Vec<(f64, f64, f64)>> {
    let query = impact_query(margin, tolerance);
    let (a, b) = (Mover::new(a, "a")?, Mover::new(b, "b")?);
    let intervals = alone(py, |ask| ask.contact_intervals(&a.moving(), &b.moving(), &query, resolution))?;
    if intervals.completeness != noli::answer::Completeness::Complete {
        return Err(undecided("nothing is proven about this pair"));
    }
    Ok(intervals.iter().map(|s| (s.begins.safe_until, s.begins.touching_by, s.ends_by)).collect())
}

/// Computes the closest approach of the moving bodies, and its time. The lower end of the returned `Clearance`
/// is proven for all times.
#[pyfunction]
#[pyo3(signature = (a, b, *, accuracy = 0.01))]
pub(crate) fn closest_approach(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    accuracy: f64,
) -> PyResult<(PyClearance, f64)> {
    let query = ApproachQuery { accuracy, ..ApproachQuery::default() };
    let (a, b) = (Mover::new(a, "a")?, Mover::new(b, "b")?);
    let found = alone(py, |ask| ask.closest_approach(&a.moving(), &b.moving(), &query))?;
    Ok((PyClearance(found.clearance), found.time))
}

/// Computes the clearance along a motion: times `(n,)` from 0 to 1, and a bracket on the clearance at each. For
/// plots; between the samples only `closest_approach` is proven.
#[pyfunction]
#[pyo3(signature = (a, b, samples = 200, *, threads = None))]
pub(crate) fn clearance_profile<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    samples: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    if samples < 2 {
        return Err(PyValueError::new_err("samples must be at least 2"));
    }
    let (a, b) = (Mover::new(a, "a")?, Mover::new(b, "b")?);
    let times: Vec<f64> = (0..samples).map(|k| k as f64 / (samples - 1) as f64).collect();
    let clearances = on_threads(py, threads, || {
        let mut clearances = vec![noli::answer::Bracket::OPEN; samples];
        let done = noli::batch(&times, &mut clearances, |&t, ask| {
            ask.clearance(&a.moving().at(t), &b.moving().at(t), &ClearanceQuery::default()).distance
        });
        debug_assert!(done.is_ok(), "as many answers as times");
        clearances
    })?;
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    let at_least = array(clearances.iter().map(|clearance| clearance.at_least).collect());
    let at_most = array(clearances.iter().map(|clearance| clearance.at_most).collect());
    py.import("noli._results")?.getattr("Profile")?.call1((array(times), at_least, at_most))
}
