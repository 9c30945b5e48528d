//! The questions: of two bodies, and of many poses at once.

use crate::answer::{PyBracket, PyClearance, PyContact, PyCrossings, PyImpact};
use crate::array::{Poses, out, outs, points, put, vector, vectors};
use crate::error::{undecided, value};
use crate::model::{PyModel, PyMoving, PyPlaced};
use crate::pool::{ask_all, on_threads};
use crate::shape::PyMesh;
use glam::DVec3;
use noli::answer::{Location, RaySide, Touch, Verdict};
use noli::motion::{Motion, RigidMotion, Still};
use noli::query::{ApproachQuery, ClearanceQuery, ImpactQuery, Ray, Tolerance};
use noli::{Ask, Impact, Model, Overlap, Placed, Pose, Relation, Scratch};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// The words of relations, by the numbers that batches answer with.
pub(crate) const RELATIONS: [&str; 5] = ["apart", "touching", "crossing", "inside", "unknown"];
/// The words of locations, by the numbers that batches answer with.
pub(crate) const LOCATIONS: [&str; 4] = ["outside", "on-surface", "inside", "unknown"];

/// A model, where it was placed.
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

/// Who is asked about, where, and how often.
enum Asked<'py> {
    One(Pose),
    Many(Poses<'py>, usize),
}

fn asked<'py>(b: &Body<'_>, poses: Option<&Bound<'py, PyAny>>, quat: Option<&str>) -> PyResult<Asked<'py>> {
    let Some(poses) = poses else { return Ok(Asked::One(b.pose.unwrap_or_default())) };
    if b.pose.is_some() {
        return Err(PyTypeError::new_err("b has a place already: give a noli.Model where poses are given"));
    }
    Ok(match Poses::new(poses, quat, "poses")? {
        Poses::One(pose) => Asked::One(pose),
        poses => {
            let count = poses.count().unwrap_or(0);
            Asked::Many(poses, count)
        }
    })
}

/// `out=` and `threads=` are for batches.
fn only_single(out: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match out {
        Some(_) => Err(PyTypeError::new_err("out: only batches fill an array; one answer is returned")),
        None => Ok(()),
    }
}

/// A verdict as yes or no; `unknown` says what stands for one that is neither.
fn decided(verdict: Overlap, unknown: Option<bool>, row: impl Fn() -> String) -> PyResult<bool> {
    match (verdict, unknown) {
        (Overlap::Hit, _) => Ok(true),
        (Overlap::Free, _) => Ok(false),
        (Overlap::Unknown, Some(unknown)) => Ok(unknown),
        (Overlap::Unknown, None) => Err(undecided(format!(
            "{}nothing is proven about this pair; unknown=True or unknown=False says what to put there",
            row()
        ))),
    }
}

/// Do the bodies share a point? Touching counts.
///
/// `a` and `b` are models, or models at a place. With `poses`, of `b`: an array `(n, 4, 4)` or `(n, 7)` (x, y, z and a
/// quaternion, whose order `quat` says) is answered with `n` bools, one pose with one.
///
/// >>> import noli, numpy
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> poses = numpy.tile(numpy.eye(4), (3, 1, 1))
/// >>> poses[:, 0, 3] = [0.5, 1.0, 1.5]
/// >>> noli.overlap(cube, cube, poses).tolist()
/// [True, True, False]
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, out = None, threads = None, unknown = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn overlap<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    quat: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    unknown: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    verdicts(py, a, b, Placing { poses, quat, out, threads }, unknown, |ask, a, b| ask.overlap(a, b))
}

/// Are the bodies at most `margin` apart? Asked and answered like `overlap`.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> [noli.closer_than(cube, cube, margin, noli.Pose([1.5, 0, 0])) for margin in (0.25, 0.5)]
/// [False, True]
#[pyfunction]
#[pyo3(signature = (a, b, margin, poses = None, *, quat = None, out = None, threads = None, unknown = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn closer_than<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    margin: f64,
    poses: Option<&Bound<'py, PyAny>>,
    quat: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    unknown: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let placing = Placing { poses, quat, out, threads };
    verdicts(py, a, b, placing, unknown, |ask, a, b| ask.closer_than(a, b, margin))
}

struct Placing<'a, 'py> {
    poses: Option<&'a Bound<'py, PyAny>>,
    quat: Option<&'a str>,
    out: Option<&'a Bound<'py, PyAny>>,
    threads: Option<usize>,
}

fn verdicts<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    placing: Placing<'_, 'py>,
    unknown: Option<bool>,
    question: impl Fn(&mut Ask<'_>, &Placed<'_>, &Placed<'_>) -> Overlap + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = (Body::new(a, "a")?, Body::new(b, "b")?);
    let (at_a, model) = (a.placed(), b.model);
    let (poses, count) = match asked(&b, placing.poses, placing.quat)? {
        Asked::One(pose) => {
            only_single(placing.out)?;
            let verdict = alone(py, |ask| question(ask, &at_a, &model.at(pose)));
            let answer = decided(verdict, unknown, String::new)?;
            return Ok(PyBool::new(py, answer).to_owned().into_any());
        }
        Asked::Many(poses, count) => (poses, count),
    };
    let answers = out::<bool>(py, placing.out, count, "out")?;
    ask_all(
        py,
        placing.threads,
        count,
        |range| poses.rows(range),
        Overlap::Unknown,
        |pose, ask| question(ask, &at_a, &model.at(*pose)),
        |start, verdicts| {
            let mut row = start;
            let decided = verdicts.iter().map(|&verdict| {
                row += 1;
                decided(verdict, unknown, || format!("poses[{}]: ", row - 1))
            });
            let decided = decided.collect::<PyResult<Vec<bool>>>()?;
            put(&answers, start, decided.into_iter())
        },
    )?;
    Ok(answers.into_any())
}

/// One question, without the interpreter.
fn alone<R: Send>(py: Python<'_>, question: impl FnOnce(&mut Ask<'_>) -> R + Send) -> R {
    thread_local! {
        static SCRATCH: std::cell::RefCell<Scratch> = std::cell::RefCell::new(Scratch::default());
    }
    py.detach(|| SCRATCH.with_borrow_mut(|scratch| question(&mut Ask::new(scratch))))
}

/// How do the bodies stand to each other: "apart", "touching", "crossing", "inside" or "unknown"?
///
/// Solids touch where they share points but no volume. A batch answers with numbers of `noli.RELATIONS`, `uint8`.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]).solid())
/// >>> [noli.relation(cube, cube, noli.Pose([x, 0, 0])) for x in (0, 0.5, 1, 2)]
/// ['inside', 'crossing', 'touching', 'apart']
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, out = None, threads = None))]
pub(crate) fn relation<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    quat: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = (Body::new(a, "a")?, Body::new(b, "b")?);
    let (at_a, model) = (a.placed(), b.model);
    let number = |relation: Relation| match relation {
        Relation::Apart => 0u8,
        Relation::Touching => 1,
        Relation::Crossing => 2,
        Relation::Inside => 3,
        Relation::Unknown => 4,
    };
    let (poses, count) = match asked(&b, poses, quat)? {
        Asked::One(pose) => {
            only_single(out)?;
            let relation = alone(py, |ask| ask.relation(&at_a, &model.at(pose)));
            return Ok(RELATIONS[usize::from(number(relation))].into_pyobject(py)?.into_any());
        }
        Asked::Many(poses, count) => (poses, count),
    };
    let answers = self::out::<u8>(py, out, count, "out")?;
    ask_all(
        py,
        threads,
        count,
        |range| poses.rows(range),
        Relation::Unknown,
        |pose, ask| ask.relation(&at_a, &model.at(*pose)),
        |start, found| put(&answers, start, found.iter().map(|&relation| number(relation))),
    )?;
    Ok(answers.into_any())
}

/// How far are the bodies apart? 0 where they overlap.
///
/// A batch answers with arrays `at_least` and `at_most`, between which the gaps lie, and with `witness=True` also with
/// the nearest points `on_a` and `on_b`, `(n, 3)`. `out` is the pair of the first two. Beyond `max_distance` the
/// bracket starts there and has no end; bodies that far apart take less time.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> round(noli.clearance(cube, cube, noli.Pose([1.25, 0, 0])).at_most, 9)
/// 0.25
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, max_distance = f64::INFINITY, tolerance = 0.0, witness = false, out = None, threads = None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn clearance<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    quat: Option<&str>,
    max_distance: f64,
    tolerance: f64,
    witness: bool,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let query = ClearanceQuery { max_distance, tolerance: Tolerance::Length(tolerance) };
    let (a, b) = (Body::new(a, "a")?, Body::new(b, "b")?);
    let (at_a, model) = (a.placed(), b.model);
    let (poses, count) = match asked(&b, poses, quat)? {
        Asked::One(pose) => {
            only_single(out)?;
            let found = alone(py, |ask| ask.clearance(&at_a, &model.at(pose), &query));
            return Ok(Bound::new(py, PyClearance(found))?.into_any());
        }
        Asked::Many(poses, count) => (poses, count),
    };
    let [at_least, at_most] = outs::<f64, 2>(py, out, count)?;
    let mut nearest: Vec<[DVec3; 2]> = Vec::with_capacity(if witness { count } else { 0 });
    ask_all(
        py,
        threads,
        count,
        |range| poses.rows(range),
        None,
        |pose, ask| Some(ask.clearance(&at_a, &model.at(*pose), &query)),
        |start, found| {
            let gap = |end: fn(&noli::Clearance) -> f64| {
                found.iter().map(move |one| one.as_ref().map_or(f64::NAN, end))
            };
            put(&at_least, start, gap(|one| one.gap.at_least))?;
            put(&at_most, start, gap(|one| one.gap.at_most))?;
            if witness {
                nearest.extend(found.iter().map(|one| {
                    let points = one.as_ref().and_then(|one| one.witness);
                    points.map_or([DVec3::NAN; 2], |w| [w.on_a.point, w.on_b.point])
                }));
            }
            Ok(())
        },
    )?;
    let [on_a, on_b] = match witness {
        true => [0, 1].map(|side| points(py, nearest.iter().map(|pair| pair[side])).map(Some)),
        false => [Ok(None), Ok(None)],
    };
    py.import("noli._results")?.getattr("Clearances")?.call1((at_least, at_most, on_a?, on_b?))
}

/// Where do the bodies overlap, and how deep? `None` if they do not.
///
/// For meshes, which need not be convex, `depth.at_most` is that of their convex hulls; `noli.depth` says more.
///
/// >>> import noli
/// >>> ball = noli.Model(noli.Convex.sphere(0.5))
/// >>> noli.contact(ball, ball, noli.Pose([0.75, 0, 0])).normal.round(6).tolist()
/// [1.0, 0.0, 0.0]
#[pyfunction]
#[pyo3(signature = (a, b, pose = None))]
pub(crate) fn contact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<PyContact>> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    match alone(py, |ask| ask.contact(&at_a, &at_b)) {
        Verdict::Free => Ok(None),
        Verdict::Hit(contact) => Ok(Some(PyContact(contact))),
        Verdict::Unknown => Err(undecided("nothing is proven about this pair")),
    }
}

/// Where do the bodies lie against each other: up to four contacts that share a normal, the deepest first.
#[pyfunction]
#[pyo3(signature = (a, b, pose = None))]
pub(crate) fn manifold(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyContact>> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    match alone(py, |ask| ask.manifold(&at_a, &at_b)) {
        Verdict::Free => Ok(Vec::new()),
        Verdict::Hit(manifold) => Ok(manifold.contacts.into_iter().map(PyContact).collect()),
        Verdict::Unknown => Err(undecided("nothing is proven about this pair")),
    }
}

fn placed_pair<'a>(
    a: &'a Bound<'_, PyAny>,
    b: &'a Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Placed<'a>, Placed<'a>)> {
    let (a, b) = (Body::new(a, "a")?, Body::new(b, "b")?);
    match asked(&b, pose, None)? {
        Asked::One(pose) => Ok((a.placed(), b.model.at(pose))),
        Asked::Many(..) => Err(PyValueError::new_err("pose: this question takes one pose, not a batch")),
    }
}

/// How far must the bodies be moved to come apart? A bracket; 0 where they do not overlap.
#[pyfunction]
#[pyo3(signature = (a, b, poses = None, *, quat = None, out = None, threads = None))]
pub(crate) fn depth<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    poses: Option<&Bound<'py, PyAny>>,
    quat: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = (Body::new(a, "a")?, Body::new(b, "b")?);
    let (at_a, model) = (a.placed(), b.model);
    let (poses, count) = match asked(&b, poses, quat)? {
        Asked::One(pose) => {
            only_single(out)?;
            let found = alone(py, |ask| ask.depth(&at_a, &model.at(pose)));
            return Ok(Bound::new(py, PyBracket::from(found))?.into_any());
        }
        Asked::Many(poses, count) => (poses, count),
    };
    let [at_least, at_most] = outs::<f64, 2>(py, out, count)?;
    ask_all(
        py,
        threads,
        count,
        |range| poses.rows(range),
        noli::answer::Bracket::OPEN,
        |pose, ask| ask.depth(&at_a, &model.at(*pose)),
        |start, found| {
            put(&at_least, start, found.iter().map(|one| one.at_least))?;
            put(&at_most, start, found.iter().map(|one| one.at_most))
        },
    )?;
    py.import("noli._results")?.getattr("Brackets")?.call1((at_least, at_most))
}

/// Which triangles of the bodies meet, and where? All of them, exactly, always in the same order.
///
/// >>> import noli
/// >>> cube = noli.Model(noli.Mesh.cuboid([1, 1, 1]))
/// >>> found = noli.crossings(cube, cube, noli.Pose([0.5, 0.25, 0.125]))
/// >>> found.faces.shape[1], found.segments.shape[1:], bool(found.through.any())
/// (2, (2, 3), True)
#[pyfunction]
#[pyo3(signature = (a, b, pose = None))]
pub(crate) fn crossings(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    pose: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyCrossings> {
    let (at_a, at_b) = placed_pair(a, b, pose)?;
    Ok(py.detach(|| noli::crossings(&at_a, &at_b)).into())
}

/// Which triangles of one mesh meet where they should not?
#[pyfunction]
pub(crate) fn self_crossings(py: Python<'_>, model: &Bound<'_, PyModel>) -> PyCrossings {
    let model = &model.get().model;
    py.detach(|| noli::self_crossings(model)).into()
}

/// Where does a point of the world lie: "outside", "on-surface", "inside" or "unknown"? Exact for closed meshes.
///
/// Points `(n, 3)` are answered with numbers of `noli.LOCATIONS`, `uint8`.
#[pyfunction]
#[pyo3(signature = (body, points, *, out = None, threads = None))]
pub(crate) fn locate<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyAny>,
    points: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let body = Body::new(body, "body")?.placed();
    let number = |location: Location| match location {
        Location::Outside => 0u8,
        Location::OnSurface => 1,
        Location::Inside => 2,
        Location::Unknown => 3,
    };
    if points.len().is_ok_and(|len| len == 3) && vector(points, "points").is_ok() {
        only_single(out)?;
        let point = vector(points, "points")?;
        let location = alone(py, |ask| ask.locate(&body, point));
        return Ok(LOCATIONS[usize::from(number(location))].into_pyobject(py)?.into_any());
    }
    let all = vectors(points, "points")?;
    let answers = self::out::<u8>(py, out, all.len(), "out")?;
    ask_all(
        py,
        threads,
        all.len(),
        |range| Ok(all[range].to_vec()),
        Location::Unknown,
        |point, ask| ask.locate(&body, *point),
        |start, found| put(&answers, start, found.iter().map(|&location| number(location))),
    )?;
    Ok(answers.into_any())
}

/// What does a ray meet? Its hits in order, as `(t, triangle, side)`: where on the ray in lengths of the direction,
/// which row of `Mesh.faces` (`None` for round bodies), and "front", "back" or "grazing".
#[pyfunction]
pub(crate) fn ray_hits(
    py: Python<'_>,
    body: &Bound<'_, PyAny>,
    origin: &Bound<'_, PyAny>,
    direction: &Bound<'_, PyAny>,
) -> PyResult<Vec<(f64, Option<u32>, &'static str)>> {
    let body = Body::new(body, "body")?.placed();
    let ray = Ray { origin: vector(origin, "origin")?, direction: vector(direction, "direction")? };
    let hits = py.detach(|| noli::ray_hits(&body, &ray)).map_err(value)?;
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

/// When do the bodies first touch, while time goes from 0 to 1? Never misses a contact, however fast they are.
///
/// Either body may be a `model.moving(motion)`. Or `b` is a model and goes from pose `start` to pose `end`, its origin
/// straight, turning evenly; with arrays of poses there is an answer for every row: `safe_until` (1 where free) and
/// `touching_by` (infinite where free or unknown), which `out` may give, and the uint8 `kind` of `noli.IMPACTS`.
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
    start: Option<&Bound<'py, PyAny>>,
    end: Option<&Bound<'py, PyAny>>,
    quat: Option<&str>,
    margin: f64,
    tolerance: Option<f64>,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let query = impact_query(margin, tolerance);
    let a = Mover::new(a, "a")?;
    let single = |found: Impact<Touch>| {
        only_single(out)?;
        Ok(Bound::new(py, PyImpact { impact: found, parts: None })?.into_any())
    };
    let (start, end) = match (start, end) {
        (None, None) => {
            let b = Mover::new(b, "b")?;
            return single(alone(py, |ask| ask.time_of_impact(&a.moving(), &b.moving(), &query)));
        }
        (Some(start), Some(end)) => (Poses::new(start, quat, "start")?, Poses::new(end, quat, "end")?),
        _ => return Err(PyTypeError::new_err("give both start and end, or neither")),
    };
    let model = match Body::new(b, "b")? {
        Body { model, pose: None } => model,
        _ => return Err(PyTypeError::new_err("b has a place already: give a noli.Model with start and end")),
    };
    let ask_one = |ask: &mut Ask<'_>, start: &Pose, end: &Pose| {
        let motion = RigidMotion::between(start, end, DVec3::ZERO);
        ask.time_of_impact(&a.moving(), &model.moving(&motion), &query)
    };
    let count = match (&start, &end) {
        (Poses::One(start), Poses::One(end)) => return single(alone(py, |ask| ask_one(ask, start, end))),
        _ => match (start.count(), end.count()) {
            (Some(a), Some(b)) if a != b => {
                return Err(PyValueError::new_err(format!("start has {a} poses, end has {b}")));
            }
            (Some(count), _) | (_, Some(count)) => count,
            (None, None) => 1,
        },
    };
    let [safe_until, touching_by] = outs::<f64, 2>(py, out, count)?;
    let kind = self::out::<u8>(py, None, count, "kind")?;
    ask_all(
        py,
        threads,
        count,
        |range| Ok(start.rows(range.clone())?.into_iter().zip(end.rows(range)?).collect()),
        Impact::Unknown { safe_until: 0.0 },
        |(start, end), ask| ask_one(ask, start, end).with_touch(()),
        |first, found: &[Impact<()>]| {
            put(&safe_until, first, found.iter().map(Impact::safe_until))?;
            let by = |impact: &Impact<()>| match impact {
                Impact::AtStart(()) => 0.0,
                Impact::At { time, .. } => time.touching_by,
                Impact::Free | Impact::Unknown { .. } => f64::INFINITY,
            };
            put(&touching_by, first, found.iter().map(by))?;
            let word = |impact: &Impact<()>| match impact {
                Impact::Free => 0,
                Impact::AtStart(()) => 1,
                Impact::At { .. } => 2,
                Impact::Unknown { .. } => 3,
            };
            put(&kind, first, found.iter().map(word))
        },
    )?;
    py.import("noli._results")?.getattr("Impacts")?.call1((safe_until, touching_by, kind))
}

/// The words of impacts, by the numbers that batches answer with.
pub(crate) const IMPACTS: [&str; 4] = ["free", "at-start", "at", "unknown"];

/// When do the moving bodies touch at all? All spans of time as `(safe_until, touching_by, ends_by)`, in order, and
/// whether that is all. Spans separated by less than `resolution` may be told as one.
#[pyfunction]
#[pyo3(signature = (a, b, resolution = 0.001, *, margin = 0.0, tolerance = None))]
pub(crate) fn contact_spans(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    resolution: f64,
    margin: f64,
    tolerance: Option<f64>,
) -> PyResult<Vec<(f64, f64, f64)>> {
    let query = impact_query(margin, tolerance);
    let (a, b) = (Mover::new(a, "a")?, Mover::new(b, "b")?);
    let spans = alone(py, |ask| ask.contact_spans(&a.moving(), &b.moving(), &query, resolution));
    if spans.coverage != noli::answer::Coverage::Whole {
        return Err(undecided("nothing is proven about this pair"));
    }
    Ok(spans.iter().map(|s| (s.begins.safe_until, s.begins.touching_by, s.ends_by)).collect())
}

/// How close do the moving bodies come, and when? The `Clearance` at the closest, whose lower end is proven for all
/// times, and the time.
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
    let found = alone(py, |ask| ask.closest_approach(&a.moving(), &b.moving(), &query));
    Ok((PyClearance(found.clearance), found.time))
}

/// The gap along a motion: times `(n,)` from 0 to 1, and the bracket of the gap at each. For plots; between the
/// samples only `closest_approach` proves.
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
    let gaps = on_threads(py, threads, || {
        let mut gaps = vec![noli::answer::Bracket::OPEN; samples];
        let asked = noli::batch(&times, &mut gaps, |&t, ask| {
            ask.clearance(&a.moving().at(t), &b.moving().at(t), &ClearanceQuery::default()).gap
        });
        debug_assert!(asked.is_ok(), "as many answers as times");
        gaps
    })?;
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    let at_least = array(gaps.iter().map(|gap| gap.at_least).collect());
    let at_most = array(gaps.iter().map(|gap| gap.at_most).collect());
    py.import("noli._results")?.getattr("Profile")?.call1((array(times), at_least, at_most))
}
