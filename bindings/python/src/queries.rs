//! Queries on two bodies, for one pose or for a batch of poses.

pub(crate) mod motion;

use crate::array::{vector, vectors};
use crate::device::On;
use crate::error::value;
use crate::kind::{Brackets, Clearances, Flags, Given, Kind, Words};
use crate::model::{PyModel, PyPlaced};
use crate::pool::{Rows, alone, ask_all, detached};
use crate::poses::Poses;
use crate::shape::PyMesh;
use noli::answer::{Location, RaySide};
use noli::penetration::PenetrationQuery;
use noli::query::{ClearanceQuery, Ray, Tolerance};
use noli::{Model, Placed, Pose, QueryContext, Relation};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The words of relations, by the codes that batches return.
pub(crate) const RELATIONS: [&str; 5] = ["separated", "touching", "intersecting", "inside", "unknown"];
/// The words of locations, by the codes that batches return.
pub(crate) const LOCATIONS: [&str; 4] = ["outside", "on surface", "inside", "unknown"];

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

/// Returns the location of a point of the world: "outside", "on surface", "inside" or "unknown". Exact for
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
