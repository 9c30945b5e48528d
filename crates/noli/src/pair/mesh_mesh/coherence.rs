//! Queries that go on where the last query on the same two meshes ended.

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::nearest::{Best, Search};
use super::{Pair, Triangles, bits};
use crate::answer::Overlap;
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::simd::Supported;
use crate::tree::front::{Front, Near};
use crate::tree::packed::{Distances, PackedPairs};
use crate::tree::walk::{Candidate, Ended};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// The front of the last query, moved to the pose of this one; `None` if the caller gave no hint, or if the order of
/// visits matters. A front about other bodies or a pose far away starts anew: see [`Front::is_known`].
pub(super) fn take(pair: &Pair<'_>, context: &mut QueryContext<'_>) -> Option<Box<Front>> {
    let Triangles::Mesh(a) = pair.a.triangles else { return None };
    let Triangles::Mesh(b) = pair.b.triangles else { return None };
    if context.is_traced() || context.may_split() {
        return None;
    }
    let (numbers, pose) = ([a.number, b.number], pair.frame.pose());
    let hint = context.given_hint()?;
    match hint.front.take() {
        Some(mut front) => {
            front.advance(numbers, pose, &b.sphere);
            if !front.is_near() {
                // As a bound they are poor, and a search that has none begins with a better one.
                hint.faces = None;
            }
            Some(front)
        }
        None => Some(Box::new(Front::new(numbers, pose, &b.sphere))),
    }
}

/// Keeps the front for the next query.
pub(super) fn keep(front: Option<Box<Front>>, context: &mut QueryContext<'_>) {
    if let Some(hint) = context.given_hint() {
        hint.front = front;
    }
}

/// Tests whether the distance of the surfaces is at most `margin`.
pub(super) fn faces_within(
    pair: &Pair<'_>,
    margin: f64,
    front: &mut Front,
    context: &mut QueryContext<'_>,
) -> Overlap {
    if let Some((x, y)) = pair.hinted_faces(context)
        && is_within(pair, (x, y), margin)
    {
        return Overlap::Hit;
    }
    let simd = context.scratch.simd();
    let limit = if margin > 0.0 { margin.next_up() } else { 0.0 };
    let mut visit =
        Within { simd, pair, margin, limit, batch: Batch::default(), close: Vec::new(), met: None };
    let ended = search(pair, front, &mut visit, simd, &mut context.meter);
    if let Some((x, y)) = visit.met {
        context.remember_faces(pair.in_given_order(x, y).into());
    }
    match ended {
        Ended::Answered => Overlap::Hit,
        Ended::Exhausted => Overlap::Free,
        Ended::OutOfBudget => Overlap::Unknown,
    }
}

/// Fills `scratch.candidates` with the pairs that may be nearest, and returns a lower bound on all others. The search
/// begins with a pair that is near, and the surfaces must be separated.
pub(super) fn nearest(
    pair: &Pair<'_>,
    search_for: &Search,
    front: &mut Front,
    context: &mut QueryContext<'_>,
) -> f64 {
    let simd = context.scratch.simd();
    let best = Best::new(pair, search_for, context.scratch.candidates());
    let mut visit = Nearest { simd, pair, batch: Batch::default(), best };
    let ended = search(pair, front, &mut visit, simd, &mut context.meter);
    let rest = (visit.best.at_most - search_for.tolerance).max(0.0);
    if ended == Ended::Exhausted { rest } else { rest.min(front.at_least()).max(0.0) }
}

fn search(
    pair: &Pair<'_>,
    front: &mut Front,
    visit: &mut impl Near,
    simd: Supported,
    meter: &mut Meter<'_>,
) -> Ended {
    let Pair { a, b, frames, .. } = pair;
    let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Distances };
    front.search(&test, a.packed.unit, visit, meter)
}

/// Exact.
fn is_within(pair: &Pair<'_>, (x, y): (u32, u32), margin: f64) -> bool {
    if margin > 0.0 {
        pair.exact_distance(x, y).compare(margin) != Ordering::Greater
    } else {
        pair.triangles(x, y).relation().overlaps()
    }
}

/// Measures the triangles of two leaves up to a distance; a lower bound on the distance of all of them.
#[inline(always)]
fn measure(
    pair: &Pair<'_>,
    (a, b): (u32, u32),
    (simd, batch): (Supported, &mut Batch),
    limit: f64,
    found: &mut impl FnMut(&Candidate),
) -> f64 {
    let leaves = LeafPair::new(pair, a, b);
    let mut least = limit;
    let mut keep = |candidate: &Candidate, _| {
        least = least.min(candidate.at_least);
        found(candidate);
        limit
    };
    if batch.add(simd, &leaves, &pair.frames, limit, &mut keep).is_ok() {
        batch.measure(simd, &mut keep);
    } else {
        for lane in bits(leaves.valid) {
            let (a, b) = leaves.triangles(lane);
            let distance = pair.triangles(a, b).distance();
            keep(
                &Candidate { at_least: distance.at_least, at_most: distance.at_most, a, b },
                glam::DVec3::ZERO,
            );
        }
    }
    least
}

/// Any pair within a margin.
struct Within<'t, 'a> {
    simd: Supported,
    pair: &'t Pair<'a>,
    margin: f64,
    limit: f64,
    batch: Batch,
    /// Triangles that may be within the margin.
    close: Vec<Candidate>,
    met: Option<(u32, u32)>,
}

impl Near for Within<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.limit
    }

    #[inline(always)]
    fn leaves(&mut self, a: u32, b: u32, ahead: f64, meter: &mut Meter<'_>) -> ControlFlow<Ended, f64> {
        let Self { simd, pair, margin, limit, batch, close, met } = self;
        close.clear();
        let least = measure(pair, (a, b), (*simd, batch), *limit + ahead, &mut |candidate| {
            if candidate.at_least <= *margin {
                close.push(*candidate);
            }
        });
        for candidate in close.iter() {
            if !meter.allows_costly() {
                return ControlFlow::Break(Ended::OutOfBudget);
            }
            if candidate.at_most <= *margin || is_within(pair, (candidate.a, candidate.b), *margin) {
                *met = Some((candidate.a, candidate.b));
                return ControlFlow::Break(Ended::Answered);
            }
        }
        ControlFlow::Continue(least)
    }
}

/// The nearest pair.
struct Nearest<'t, 'a> {
    simd: Supported,
    pair: &'t Pair<'a>,
    batch: Batch,
    best: Best<'t>,
}

impl Near for Nearest<'_, '_> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        (self.best.at_most - self.best.tolerance).max(0.0)
    }

    #[inline(always)]
    fn leaves(&mut self, a: u32, b: u32, ahead: f64, _: &mut Meter<'_>) -> ControlFlow<Ended, f64> {
        let Self { simd, pair, batch, best } = self;
        let limit = best.at_most + ahead;
        let least = measure(pair, (a, b), (*simd, batch), limit, &mut |candidate| {
            best.keep(candidate);
        });
        ControlFlow::Continue(least)
    }
}
