//! How far apart are two bodies?

use super::overlap::{general_closer_than, overlap_metered};
use super::point::contained;
use super::{Overlap, Start, start, with_scratch};
use crate::budget::{Budget, Meter};
use crate::convex::Hint;
use crate::model::{Model, Placed};
use crate::pair::general::{self, Limits, Means};
use crate::pair::mesh_distance::{self, Candidate, Search};
use crate::pair::mesh_mesh::{self, Meetings, Pair};
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::Relation;
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// A bracket on the gap between two bodies: `at_least <= gap <= at_most`, all rounding included.
///
/// `at_most == 0` exactly when the bodies overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// No two points of the bodies are closer than this.
    pub at_least: f64,
    /// Some two points are at most this far apart; infinite where nothing was found within
    /// [`ClearanceQuery::max_distance`] or the budget.
    pub at_most: f64,
    /// The points that are this close, in world coordinates, if any were found.
    pub witness: Option<Witness>,
}

impl Clearance {
    pub(crate) const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY, witness: None };
    pub(crate) const INFINITE: Self = Self { at_least: f64::INFINITY, ..Self::UNKNOWN };

    /// The same with the bodies in the other order.
    pub(crate) fn swapped(self) -> Self {
        let turn = |w: Witness| Witness {
            on_a: w.on_b,
            on_b: w.on_a,
            triangle_a: w.triangle_b,
            triangle_b: w.triangle_a,
        };
        Self { witness: self.witness.map(turn), ..self }
    }

    /// The gap where B reaches `radius` beyond what was measured; `hit` says whether that closes it.
    pub(crate) fn less(self, radius: f64, hit: bool) -> Self {
        if hit || self.at_most == 0.0 {
            return Self { at_least: 0.0, at_most: 0.0, ..self };
        }
        if radius == 0.0 {
            return self;
        }
        let at_least = (self.at_least - radius).next_down().max(0.0);
        let witness = self.witness.map(|w| {
            let back = (w.on_a - w.on_b).normalize_or_zero() * radius;
            Witness { on_b: w.on_b + back, ..w }
        });
        Self { witness, at_least, at_most: (self.at_most - radius).next_up().max(f64::MIN_POSITIVE) }
    }
}

/// The two points that realise an answer, rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Witness {
    /// On A.
    pub on_a: DVec3,
    /// On B.
    pub on_b: DVec3,
    /// The triangle of A it lies on; 0 where A is no mesh.
    pub triangle_a: u32,
    /// The triangle of B it lies on; 0 where B is no mesh.
    pub triangle_b: u32,
}

/// Promised accuracy of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// A share of the larger body's size.
    Relative(f64),
    /// A length.
    Length(f64),
}

/// How to ask for [`Clearance`].
#[derive(Clone, Copy, Debug)]
pub struct ClearanceQuery<'a> {
    /// Bodies further apart need no exact answer: the bracket then starts here and has no end.
    pub max_distance: f64,
    /// How wide the bracket may be beyond the rounding of coordinates. Zero by default, which for a field means a
    /// millionth of the smaller body.
    pub tolerance: Tolerance,
    /// When to give up: the bracket is then wider, never wrong.
    pub budget: Budget<'a>,
}

impl Default for ClearanceQuery<'_> {
    fn default() -> Self {
        Self { max_distance: f64::INFINITY, tolerance: Tolerance::Length(0.0), budget: Budget::default() }
    }
}

/// How far the bodies are apart: 0 where they overlap, infinitely far where one is empty.
pub fn clearance(a: &Placed<'_>, b: &Placed<'_>) -> Clearance {
    with_scratch(|scratch| clearance_in(a, b, &ClearanceQuery::default(), scratch))
}

/// [`clearance`] with options, budget and lent memory.
pub fn clearance_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &ClearanceQuery<'_>,
    scratch: &mut Scratch,
) -> Clearance {
    clearance_traced(a, b, query, scratch, &mut NoTrace)
}

/// [`clearance_in`] that tells what it looked at.
pub fn clearance_traced(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &ClearanceQuery<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Clearance {
    let mut meter = query.budget.meter();
    let limits = query.limits(a, b);
    if !(a.model.is_mesh() && b.model.is_mesh()) {
        return general::clearance(
            a,
            b,
            &limits,
            &mut Means { meter: &mut meter, scratch, hint: &mut Hint::default() },
        );
    }
    clearance_metered(a, b, &limits, &mut meter, scratch, trace)
}

impl ClearanceQuery<'_> {
    pub(super) fn limits(&self, a: &Placed<'_>, b: &Placed<'_>) -> Limits {
        let tolerance = match self.tolerance {
            Tolerance::Length(length) => length,
            Tolerance::Relative(share) => share * size(a.model).max(size(b.model)),
        };
        Limits { max_distance: self.max_distance.max(0.0), tolerance: tolerance.max(0.0), advance: None }
    }
}

/// What a relative tolerance is relative to: the unit of the packed tree of a mesh, else the longest edge
/// of the box; nothing for a half-space.
fn size(model: &Model) -> f64 {
    if model.is_mesh() {
        return model.faces().packed.unit;
    }
    let size = model.aabb().size().max_element();
    if size.is_finite() { size.max(0.0) } else { 0.0 }
}

/// The question about the faces of two models.
pub(crate) fn mesh_clearance(
    a: &Placed<'_>,
    b: &Placed<'_>,
    limits: &Limits,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Clearance {
    clearance_metered(a, b, limits, meter, scratch, &mut NoTrace)
}

fn clearance_metered(
    a: &Placed<'_>,
    b: &Placed<'_>,
    limits: &Limits,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Clearance {
    let pair = match start(a, b) {
        Start::Empty => return Clearance::INFINITE,
        Start::BadPose => return Clearance::UNKNOWN,
        Start::Ready(pair) => pair,
    };
    let mut meeting = Meeting(None);
    let ended = mesh_mesh::meetings(&pair, &mut meeting, meter, scratch, trace);
    if ended == Ended::OutOfBudget {
        return Clearance::UNKNOWN;
    }
    if let Some((a, b)) = meeting.0 {
        return Clearance { at_least: 0.0, at_most: 0.0, witness: Some(common_point(&pair, a, b)) };
    }
    match contained(a, b, meter, scratch) {
        None => return Clearance::UNKNOWN,
        Some(true) => return Clearance { at_least: 0.0, at_most: 0.0, witness: None },
        Some(false) => {}
    }
    let search = Search { within: limits.max_distance, enough: 0.0, tolerance: limits.tolerance };
    let found = mesh_distance::nearest(&pair, &search, meter, scratch, trace);
    settle(&pair, found.rest_at_least, scratch.candidates(), meter)
}

/// Whether the bodies are at most `margin` apart. Exact: `Hit` where the gap is at most `margin`.
pub fn closer_than(a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Overlap {
    with_scratch(|scratch| closer_than_in(a, b, margin, &Budget::default(), scratch))
}

/// [`closer_than`] with a budget and lent memory.
pub fn closer_than_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    budget: &Budget<'_>,
    scratch: &mut Scratch,
) -> Overlap {
    closer_than_metered(a, b, margin, &mut budget.meter(), scratch)
}

/// The question itself, as part of one that goes on.
pub(crate) fn closer_than_metered(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Overlap {
    if a.model.is_mesh() && b.model.is_mesh() {
        mesh_closer_than(a, b, margin, meter, scratch)
    } else {
        general_closer_than(a, b, margin, meter, scratch)
    }
}

/// The question about the faces of two models.
pub(crate) fn mesh_closer_than(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Overlap {
    let pair = match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready(_) if margin.is_nan() => return Overlap::Unknown,
        Start::Ready(_) if margin < 0.0 => return Overlap::Free,
        Start::Ready(pair) => pair,
    };
    match overlap_metered(&pair, a, b, meter, scratch, &mut NoTrace) {
        Overlap::Free if margin > 0.0 => {}
        decided => return decided,
    }
    let search = Search { within: margin, enough: margin, tolerance: 0.0 };
    let found = mesh_distance::nearest(&pair, &search, meter, scratch, &mut NoTrace);
    match found.ended {
        Ended::Answered => return Overlap::Hit,
        Ended::OutOfBudget => return Overlap::Unknown,
        Ended::Exhausted => {}
    }
    // Only pairs that bracket the margin within rounding are left.
    for candidate in scratch.candidates() {
        if !meter.allows_costly() {
            return Overlap::Unknown;
        }
        if pair.exact_distance(candidate.a, candidate.b).compare(margin) != Ordering::Greater {
            return Overlap::Hit;
        }
    }
    Overlap::Free
}

/// Settle candidates, nearest first, until none is left that could be nearer; those that the budget does not suffice for keep
/// their brackets.
fn settle(
    pair: &Pair<'_>,
    rest_at_least: f64,
    candidates: &mut [Candidate],
    meter: &mut Meter<'_>,
) -> Clearance {
    candidates.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut answer = Clearance { at_least: rest_at_least, ..Clearance::UNKNOWN };
    for candidate in &*candidates {
        if candidate.at_least > answer.at_most {
            break;
        }
        if !meter.allows_costly() {
            answer.at_least = answer.at_least.min(candidate.at_least);
            break;
        }
        let distance = pair.triangles(candidate.a, candidate.b).distance();
        answer.at_least = answer.at_least.min(distance.at_least);
        if distance.at_most < answer.at_most {
            answer.at_most = distance.at_most;
            answer.witness = Some(witness(pair, candidate, distance.witness_a, distance.witness_b));
        }
    }
    answer
}

fn witness(pair: &Pair<'_>, candidate: &Candidate, on_a: DVec3, on_b: DVec3) -> Witness {
    let points = [on_a, on_b].map(|p| pair.world_from_a.transform_point(p));
    let (on_a, on_b) = pair.in_given_order(points[0], points[1]);
    let (triangle_a, triangle_b) = pair.in_given_order(candidate.a, candidate.b);
    Witness { on_a, on_b, triangle_a, triangle_b }
}

/// A point that two triangles share.
fn common_point(pair: &Pair<'_>, a: u32, b: u32) -> Witness {
    let shared = pair.triangles(a, b).intersection();
    let point = shared.points().first().copied().unwrap_or(pair.a.triangle(a).corners[0]);
    let candidate = Candidate { at_least: 0.0, at_most: 0.0, a, b };
    witness(pair, &candidate, point, point)
}

/// The first triangles that meet.
struct Meeting(Option<(u32, u32)>);

impl Meetings for Meeting {
    const EVERY_COPY: bool = false;

    #[inline(always)]
    fn meet(&mut self, a: u32, b: u32, _: Relation) -> ControlFlow<()> {
        self.0 = Some((a, b));
        ControlFlow::Break(())
    }
}
