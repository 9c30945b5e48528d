//! Queries on two bodies, for one pose or for a batch of poses.

use crate::answer::PyClearance;
use crate::array::{vector, vectors};
use crate::device::On;
use crate::error::{undecided, value};
use crate::kind::{Brackets, Clearances, Flags, Given, Impacts, Kind, Words};
use crate::model::{PyModel, PyMoving, PyPlaced};
use crate::pool::{Rows, alone, ask_all, detached, on_threads};
use crate::poses::Poses;
use crate::shape::PyMesh;
use glam::DVec3;
use noli::answer::{Location, RaySide};
use noli::motion::{Motion, RigidMotion, Still};
use noli::penetration::PenetrationQuery;
use noli::query::{ApproachQuery, ClearanceQuery, ImpactQuery, Ray, Tolerance};
use noli::{Model, Placed, Pose, QueryContext, Relation};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ops::Range;

/// The words of relations, by the codes that batches return.
pub(crate) const RELATIONS: [&str; 5] = ["separated", "touching", "intersecting", "inside", "unknown"];
/// The words of locations, by the codes that batches return.
pub(crate) const LOCATIONS: [&str; 4] = ["outside", "on-surface", "inside", "unknown"];

/// A model and its pose, if it has one.
struct Body<'a> {
    model: &'a Model,
    pose: Option<Pose>,
}

impl<'a> Body<'a> {
    fn new(given: &'a Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        if let Ok(model) = given.cast::<PyModel>() {
            return Ok(Self { model: &model.get().model, pose: None });
        }
        if let Ok(placed) = given.cast::<PyPlaced>() {
            let placed = placed.get();
            return Ok(Self { model: &placed.model.model, pose: Some(placed.pose) });
        }
        let found = given.get_type().name()?;
        let hint = if given.is_instance_of::<PyMesh>() || given.hasattr("vertices")? {
            "; prepare it once with noli.Model"
        } else {
            ""
        };
        Err(PyTypeError::new_err(format!(
            "{name}: expected a noli.Model, or model.at(pose), got {found}{hint}"
        )))
    }

    fn placed(&self) -> Placed<'a> {
        self.model.at(self.pose.unwrap_or_default())
    }
}

/// The arguments of a query on two bodies: the second at one pose, or at many in turn.
struct Pair<'a, 'py> {
    a: &'a Bound<'py, PyAny>,
    b: &'a Bound<'py, PyAny>,
    poses: Given<'a, 'py>,
    quat: Option<&'a str>,
}

impl<'py> Pair<'_, 'py> {
    /// Runs the query for one pose, or for all of them.
    fn ask<K: Kind<'py>>(
        self,
        kind: &K,
        out: Given<'_, 'py>,
        threads: Option<usize>,
        question: impl Fn(&mut QueryContext<'_>, &Placed<'_>, &Placed<'_>) -> K::Answer + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.a.py();
        let (a, b) = (Body::new(self.a, "a")?, Body::new(self.b, "b")?);
        let (at_a, model) = (a.placed(), b.model);
        let poses = match (self.poses, b.pose) {
            (None, pose) => Poses::One(pose.unwrap_or_default()),
            (Some(poses), None) => Poses::new(poses, self.quat, "poses")?,
            (Some(_), Some(_)) => return Err(placed_twice("poses are")),
        };
        if let Poses::One(pose) = poses {
            return kind.alone(py, out, || alone(py, |ask| question(ask, &at_a, &model.at(pose))));
        }
        let rows = Rows { count: poses.count().unwrap_or(1), out, threads };
        let read = |range| poses.rows(range);
        ask_all(py, kind, &rows, read, |pose, ask| question(ask, &at_a, &model.at(*pose)))
    }
}

/// Verdicts on the GPU or the CPU, as given by `device`.
struct Verdicts<'a, 'py> {
    pair: Pair<'a, 'py>,
    margin: Option<f64>,
    kind: Flags,
    device: On,
}

impl<'py> Verdicts<'_, 'py> {
    fn ask(self, out: Given<'_, 'py>, threads: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        let Self { pair, margin, kind, device } = self;
        if let (On::Gpu, Some(given)) = (device, pair.poses)
            && let (a, b) = (Body::new(pair.a, "a")?, Body::new(pair.b, "b")?)
            && b.pose.is_none()
            && let poses = Poses::new(given, pair.quat, "poses")?
            && let Some(count) = poses.count()
        {
            let (at, poses) = (a.pose.unwrap_or_default(), poses.rows(0..count)?);
            return crate::device::poses(
                pair.a.py(),
                &kind,
                ((a.model, at), b.model),
                &poses,
                margin,
                (out, threads),
            );
        }
        pair.ask(&kind, out, threads, |ask, a, b| match margin {
            Some(margin) => ask.within_distance(a, b, margin),
            None => ask.overlap(a, b),
        })
    }
}

fn placed_twice(given: &str) -> PyErr {
    PyTypeError::new_err(format!("b has a pose already: give a noli.Model where {given} given"))
}

/// Returns `True` if the bodies share a point. Touching counts.
///
/// `a` and `b` are models, or models at a pose. `poses` are poses of `b`: an array `(n, 4, 4)` or `(n, 7)`
/// returns `n` bools, one pose returns one. Rows of 7 are x, y, z and a quaternion in the order `quat`.
/// `device="cuda"` computes a batch on a GPU if there is one, with the same answers.
///
/// >>> import noli, numpy
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> poses = numpy.tile(numpy.eye(4), (3, 1, 1))
/// >>> poses[:, 0, 3] = [0.5, 1.0, 1.5]
/// >>> noli.overlap(cube, cube, poses).tolist()
/// [True, True, False]
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, out = None, threads = None, unknown = None, device = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn overlap<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Given<'_, 'py>,
    quat: Option<&str>,
    out: Given<'_, 'py>,
    threads: Option<usize>,
    unknown: Option<bool>,
    device: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = Flags { unknown, rows: "poses" };
    let (pair, device) = (Pair { a, b, poses, quat }, On::new(device)?);
    Verdicts { pair, margin: None, kind, device }.ask(out, threads)
}

/// Returns `True` if the distance of the bodies is at most `margin`. Arguments and results as for `overlap`.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> [noli.within_distance(cube, cube, margin, noli.Pose([1.5, 0, 0])) for margin in (0.25, 0.5)]
/// [False, True]
#[pyfunction]
#[pyo3(signature = (a, b, margin, poses = None, *, quat = None, out = None, threads = None, unknown = None, device = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn within_distance<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    margin: f64,
    poses: Given<'_, 'py>,
    quat: Option<&str>,
    out: Given<'_, 'py>,
    threads: Option<usize>,
    unknown: Option<bool>,
    device: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = Flags { unknown, rows: "poses" };
    let (pair, device) = (Pair { a, b, poses, quat }, On::new(device)?);
    Verdicts { pair, margin: Some(margin), kind, device }.ask(out, threads)
}

/// Returns the relation of the bodies: "separated", "touching", "intersecting", "inside" or "unknown".
///
/// Solids touch where they share points but no volume. A batch returns codes, `uint8`: `noli.Relation(code)`.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> [noli.relation(cube, cube, noli.Pose([x, 0, 0])) for x in (0, 0.5, 1, 2)]
/// ['inside', 'intersecting', 'touching', 'separated']
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, out = None, threads = None))]
pub(crate) fn relation<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Given<'_, 'py>,
    quat: Option<&str>,
    out: Given<'_, 'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let number = |relation| match relation {
        Relation::Separated => 0,
        Relation::Touching => 1,
        Relation::Intersecting => 2,
        Relation::Inside => 3,
        Relation::Unknown => 4,
    };
    let kind = Words { words: &RELATIONS, number, blank: Relation::Unknown };
    Pair { a, b, poses, quat }.ask(&kind, out, threads, |ask, a, b| ask.relation(a, b))
}

/// Computes the distance of the bodies; 0 where they overlap.
///
/// A batch returns arrays `at_least` and `at_most`, which bound the clearances. `witness=True` adds the nearest
/// points `on_a` and `on_b`, `(n, 3)`. `out` is the pair of the first two. Beyond `max_distance` the bracket
/// starts there and has no end; such distant bodies take less time.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> round(noli.clearance(cube, cube, noli.Pose([1.25, 0, 0])).at_most, 9)
/// 0.25
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, max_distance = f64::INFINITY, tolerance = 0.0, witness = false, out = None, threads = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn clearance<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Given<'_, 'py>,
    quat: Option<&str>,
    max_distance: f64,
    tolerance: f64,
    witness: bool,
    out: Given<'_, 'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let query = ClearanceQuery { max_distance, tolerance: Tolerance::Length(tolerance) };
    let kind = Clearances { witness };
    Pair { a, b, poses, quat }.ask(&kind, out, threads, |ask, a, b| ask.clearance(a, b, &query))
}

/// Two bodies of a query that has no batches.
pub(crate) fn placed_pair<'a>(
    a: &'a Bound<'_, PyAny>,
    b: &'a Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Placed<'a>, Placed<'a>)> {
    let (a, b) = (Body::new(a, "a")?, Body::new(b, "b")?);
    let Some(pose) = pose else { return Ok((a.placed(), b.placed())) };
    match Poses::new(pose, None, "pose")? {
        _ if b.pose.is_some() => Err(placed_twice("a pose is")),
        Poses::One(pose) => Ok((a.placed(), b.model.at(pose))),
        _ => Err(PyValueError::new_err("pose: this query takes one pose, not a batch")),
    }
}

/// Computes the penetration depth: the translation that separates the bodies. A bracket; 0 where they do not
/// overlap.
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, out = None, threads = None))]
pub(crate) fn depth<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Given<'_, 'py>,
    quat: Option<&str>,
    out: Given<'_, 'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    Pair { a, b, poses, quat }
        .ask(&Brackets, out, threads, |ask, a, b| ask.penetration(a, b, &PenetrationQuery::FAST).depth)
}

/// Returns the location of a point of the world: "outside", "on-surface", "inside" or "unknown". Exact for
/// closed meshes.
///
/// Points `(n, 3)` return codes, `uint8`: `noli.Location(code)`.
#[pyfunction]
#[pyo3(signature = (body, points, *, out = None, threads = None))]
pub(crate) fn locate_point<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    out: Given<'_, 'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let body = Body::new(body, "body")?.placed();
    let number = |location| match location {
        Location::Outside => 0,
        Location::OnSurface => 1,
        Location::Inside => 2,
        Location::Unknown => 3,
    };
    let kind = Words { words: &LOCATIONS, number, blank: Location::Unknown };
    if let Ok(point) = vector(points, "points") {
        return kind.alone(py, out, || alone(py, |ask| ask.locate_point(&body, point)));
    }
    let all = vectors(points, "points")?;
    let rows = Rows { count: all.len(), out, threads };
    ask_all(py, &kind, &rows, |range| Ok(all[range].to_vec()), |point, ask| ask.locate_point(&body, *point))
}

/// Computes the intersections of a ray, in order, as `(t, triangle, side)`. `t` is in lengths of the direction,
/// `triangle` a row of `Mesh.faces` (`None` for round bodies), `side` "front", "back" or "grazing".
#[pyfunction]
pub(crate) fn ray_cast(
    py: Python<'_>,
    body: &Bound<'_, PyAny>,
    origin: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
) -> PyResult<Vec<(f64, Option<u32>, &'static str)>> {
    let body = Body::new(body, "body")?.placed();
    let ray = Ray { origin: vector(origin, "origin")?, direction: vector(direction, "direction")? };
    let hits = detached(py, || noli::ray_cast(&body, &ray))?.map_err(value)?;
    let side = |side| match side {
        RaySide::Front => "front",
        RaySide::Back => "back",
        RaySide::Grazing => "grazing",
    };
    Ok(hits.iter().map(|hit| (hit.t, hit.triangle, side(hit.side))).collect())
}

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

/// Returns the numbers of the points of a placed cloud whose spheres are within `margin` of a placed body, inside of
/// solids too, in ascending order. With a margin of 0 these are the points in collision.
///
/// >>> import noli
/// >>> cloud = noli.Model(noli.PointCloud([[0, 0, 0], [1, 0, 0], [9, 0, 0]], radius=0.25))
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> noli.points_within(cloud.at(noli.Pose()), cube.at(noli.Pose())).tolist()
/// [0]
#[pyfunction]
#[pyo3(signature = (cloud, body, *, margin = 0.0))]
pub(crate) fn points_within<'py>(
    py: Python<'py>,
    cloud: &PyPlaced,
    body: &PyPlaced,
    margin: f64,
) -> Bound<'py, PyArray1<u32>> {
    let [a, b] = [cloud, body].map(|placed| placed.model.model.at(placed.pose));
    let found = py.detach(|| noli::points_within(&a, &b, margin));
    PyArray1::from_vec(py, found.items)
}
