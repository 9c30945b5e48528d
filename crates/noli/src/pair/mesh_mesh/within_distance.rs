//! Test whether the distance of two meshes is at most a margin. The overlap test is the same with a margin of
//! zero.

use super::inner_spheres::surely_hit;
use super::inside::{contained, locate_point, with_probe};
use super::intersecting_faces::{Copies, meetings};
use super::nearest::{Search, nearest};
use super::{Pair, coherence, start};
use crate::answer::{Location, Overlap};
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::pair::start::Start;
use crate::tree::front::Front;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{Pose, Triangle};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// Tests whether the distance of the meshes is at most `margin`.
pub(crate) fn within_distance(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let pair = match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready(_) if margin.is_nan() => return Overlap::Unknown,
        Start::Ready(_) if margin < 0.0 => return Overlap::Free,
        Start::Ready(pair) => pair,
    };
    let before = context.steps();
    let mut front = coherence::take(&pair, context);
    let verdict = match &mut front {
        Some(front) if front.is_beyond(margin) => Overlap::Free,
        Some(front) if front.is_known() => coherent(&pair, [a, b], margin, front, context),
        _ => anew(&pair, [a, b], margin, context),
    };
    if let Some(front) = &mut front {
        front.took(context.steps() - before);
    }
    coherence::keep(front, context);
    verdict
}

/// Goes on where the last query ended.
fn coherent(
    pair: &Pair<'_>,
    [a, b]: [&MeshAt<'_>; 2],
    margin: f64,
    front: &mut Front,
    context: &mut QueryContext<'_>,
) -> Overlap {
    // Surfaces that stayed separated: neither body has come to be inside the other.
    let stayed_separated = front.separated_by.take().is_some();
    if !stayed_separated && !context.faces_only && surely_hit(pair, a, b, &context.meter) {
        return Overlap::Hit;
    }
    match coherence::faces_within(pair, margin, front, context) {
        Overlap::Free => {}
        decided => return decided,
    }
    match if stayed_separated { Some(false) } else { contained(a, b, context) } {
        Some(true) => Overlap::Hit,
        Some(false) => {
            front.separated_by = Some(front.at_least());
            Overlap::Free
        }
        None => Overlap::Unknown,
    }
}

fn anew(pair: &Pair<'_>, [a, b]: [&MeshAt<'_>; 2], margin: f64, context: &mut QueryContext<'_>) -> Overlap {
    // Faces that meet are closer than any margin, so one walk finds both; but a margin of about the size of roundings
    // would leave many faces to be settled exactly.
    if margin > 1e-6 * (a.model.packed.reach + b.model.packed.reach) {
        return solids_or(pair, a, b, context, |context| faces_closer_than(pair, margin, context));
    }
    match overlap_of(pair, a, b, context) {
        Overlap::Free if margin > 0.0 => faces_closer_than(pair, margin, context),
        decided => decided,
    }
}

/// Tests whether the distance of two surfaces is at most `margin`, without the interior of solids.
pub(crate) fn surfaces_within(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    match start(a, b) {
        Start::Empty => Overlap::Free,
        Start::BadPose => Overlap::Unknown,
        Start::Ready(pair) => faces_within(&pair, margin, context),
    }
}

/// Tests whether the distance of a point of the frame `world_from_point` and a mesh is at most `margin`.
pub(crate) fn point_within(
    point: DVec3,
    world_from_point: &Pose,
    body: &MeshAt<'_>,
    margin: f64,
    context: &mut QueryContext<'_>,
) -> Overlap {
    let probe = Triangle::new(point, point, point);
    let faces = with_probe(&probe, world_from_point, body, context, |pair, context| {
        faces_within(pair, margin, context)
    });
    match faces {
        Some(Overlap::Free) if body.model.is_solid() => {}
        decided => return decided.unwrap_or(Overlap::Unknown),
    }
    match locate_point(point, world_from_point, body, context) {
        Location::Outside => Overlap::Free,
        Location::Inside | Location::OnSurface => Overlap::Hit,
        Location::Unknown => Overlap::Unknown,
    }
}

fn faces_within(pair: &Pair<'_>, margin: f64, context: &mut QueryContext<'_>) -> Overlap {
    if margin > 1e-6 * (pair.a.packed.reach + pair.b.packed.reach) {
        return faces_closer_than(pair, margin, context);
    }
    match faces_meet(pair, context) {
        Overlap::Free if margin > 0.0 => faces_closer_than(pair, margin, context),
        decided => decided,
    }
}

/// Tests whether two meshes in one frame share a point; may be part of a longer query.
pub(super) fn overlap_of(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Overlap {
    solids_or(pair, a, b, context, |context| faces_meet(pair, context))
}

/// Returns the verdict of the faces or, if they do not intersect, tests whether one solid contains a part of
/// the other.
#[inline]
fn solids_or<'m>(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    context: &mut QueryContext<'m>,
    faces: impl FnOnce(&mut QueryContext<'m>) -> Overlap,
) -> Overlap {
    if !context.faces_only && surely_hit(pair, a, b, &context.meter) {
        return Overlap::Hit;
    }
    match faces(context) {
        Overlap::Free => match contained(a, b, context) {
            Some(true) => Overlap::Hit,
            Some(false) => Overlap::Free,
            None => Overlap::Unknown,
        },
        decided => decided,
    }
}

fn faces_meet(pair: &Pair<'_>, context: &mut QueryContext<'_>) -> Overlap {
    if let Some((x, y)) = pair.hinted_faces(context)
        && pair.triangles(x, y).relation().overlaps()
    {
        return Overlap::Hit;
    }
    let mut met = None;
    let ended = meetings(pair, Copies::One, context, &mut |x, y, _| {
        met = Some((x, y));
        ControlFlow::Break(())
    });
    if let Some((x, y)) = met {
        context.remember_faces(pair.in_given_order(x, y).into());
    }
    match ended {
        Ended::Answered => Overlap::Hit,
        Ended::Exhausted => Overlap::Free,
        Ended::OutOfBudget => Overlap::Unknown,
    }
}

fn faces_closer_than(pair: &Pair<'_>, margin: f64, context: &mut QueryContext<'_>) -> Overlap {
    let search = Search { seed: pair.hinted_faces(context), ..Search::any_within(margin) };
    match nearest(pair, &search, context).ended {
        Ended::Answered => return Overlap::Hit,
        Ended::OutOfBudget => return Overlap::Unknown,
        Ended::Exhausted => {}
    }
    // Only pairs that bracket the margin within rounding are left.
    for candidate in context.scratch.candidates() {
        if !context.meter.allows_costly() {
            return Overlap::Unknown;
        }
        // Single precision brackets many; double settles nearly all of them, integers the rest.
        let distance = pair.triangles(candidate.a, candidate.b).distance();
        if distance.at_least > margin {
            continue;
        }
        if distance.at_most <= margin
            || pair.exact_distance(candidate.a, candidate.b).compare(margin) != Ordering::Greater
        {
            return Overlap::Hit;
        }
    }
    Overlap::Free
}
