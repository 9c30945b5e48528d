//! Distance of two meshes.

use super::inside::contained;
use super::intersecting_faces::{Copies, meetings};
use super::nearest::{Search, nearest};
use super::{Pair, coherence, start};
use crate::answer::{Clearance, Feature, Overlap, SurfacePoint, Witness};
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::pair::Limits;
use crate::pair::start::Start;
use crate::tree::front::Front;
use crate::tree::walk::{Candidate, Ended};
use glam::DVec3;
use std::ops::ControlFlow;

pub(crate) fn clearance(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let pair = match start(a, b) {
        Start::Empty => return Clearance::INFINITE,
        Start::BadPose => return Clearance::UNKNOWN,
        Start::Ready(pair) => pair,
    };
    let before = context.steps();
    let mut front = coherence::take(&pair, context);
    let clearance = match &mut front {
        Some(front) if front.is_known() => coherent(&pair, [a, b], limits, front, context),
        _ => anew(&pair, [a, b], limits, context),
    };
    if let Some(front) = &mut front {
        front.took(context.steps() - before);
        front.separated_by = Some(clearance.distance.at_least).filter(|&distance| distance > 0.0);
    }
    coherence::keep(front, context);
    clearance
}

/// Goes on where the last query ended.
fn coherent(
    pair: &Pair<'_>,
    [a, b]: [&MeshAt<'_>; 2],
    limits: &Limits,
    front: &mut Front,
    context: &mut QueryContext<'_>,
) -> Clearance {
    // Surfaces that stayed separated: neither body has come to be inside the other.
    if front.separated_by.is_none() {
        match coherence::faces_within(pair, 0.0, front, context) {
            Overlap::Hit => {
                let witness = pair.hinted_faces(context).map(|faces| common_point(pair, a, b, faces));
                return Clearance { witness, ..Clearance::NONE };
            }
            Overlap::Unknown => return Clearance::UNKNOWN,
            Overlap::Free => {}
        }
        match contained(a, b, context) {
            None => return Clearance::UNKNOWN,
            Some(true) => return Clearance::NONE,
            Some(false) => {}
        }
    }
    let Some(seed) = pair.hinted_faces(context) else { return nearest_of(pair, a, b, limits, context) };
    let search = Search {
        within: limits.max_distance,
        tolerance: limits.tolerance,
        seed: Some(seed),
        ..Search::NEAREST
    };
    let rest_at_least = coherence::nearest(pair, &search, front, context);
    settle(pair, a, b, rest_at_least, context)
}

fn anew(
    pair: &Pair<'_>,
    [a, b]: [&MeshAt<'_>; 2],
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let mut met = None;
    let ended = meetings(pair, Copies::One, context, &mut |x, y, _| {
        met = Some((x, y));
        ControlFlow::Break(())
    });
    if ended == Ended::OutOfBudget {
        return Clearance::UNKNOWN;
    }
    if let Some((x, y)) = met {
        context.remember_faces(pair.in_given_order(x, y).into());
        return Clearance { witness: Some(common_point(pair, a, b, (x, y))), ..Clearance::NONE };
    }
    match contained(a, b, context) {
        None => return Clearance::UNKNOWN,
        Some(true) => return Clearance::NONE,
        Some(false) => {}
    }
    nearest_of(pair, a, b, limits, context)
}

/// The distance of separated surfaces.
fn nearest_of(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    limits: &Limits,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let seed = pair.hinted_faces(context);
    let search = Search { within: limits.max_distance, tolerance: limits.tolerance, seed, ..Search::NEAREST };
    let found = nearest(pair, &search, context);
    settle(pair, a, b, found.rest_at_least, context)
}

/// Settle candidates, nearest first, until none is left that could be nearer; those that the budget does not suffice
/// for keep their brackets.
fn settle(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    rest_at_least: f64,
    context: &mut QueryContext<'_>,
) -> Clearance {
    let candidates = context.scratch.candidates();
    candidates.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least).then((x.a, x.b).cmp(&(y.a, y.b))));
    let mut answer = Clearance::UNKNOWN;
    let clearance = &mut answer.distance;
    clearance.at_least = rest_at_least;
    let mut nearest = None;
    for candidate in &*candidates {
        if candidate.at_least > clearance.at_most {
            break;
        }
        if !context.meter.allows_costly() {
            clearance.at_least = clearance.at_least.min(candidate.at_least);
            break;
        }
        let distance = pair.triangles(candidate.a, candidate.b).distance();
        clearance.at_least = clearance.at_least.min(distance.at_least);
        if distance.at_most < clearance.at_most {
            clearance.at_most = distance.at_most;
            nearest = Some((*candidate, distance.witness_a, distance.witness_b));
        }
    }
    if let Some((candidate, on_a, on_b)) = nearest {
        let Candidate { a: x, b: y, .. } = candidate;
        context.remember_faces(pair.in_given_order(x, y).into());
        answer.witness = Some(witness(pair, a, b, (x, y), [on_a, on_b]));
    }
    answer
}

/// Points on two faces, in the order of the bodies given.
fn witness(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    faces: (u32, u32),
    points: [DVec3; 2],
) -> Witness {
    let [p, q] = points.map(|p| pair.world_from_a.transform_point(p));
    let (p, q) = pair.in_given_order(p, q);
    let (x, y) = pair.in_given_order(faces.0, faces.1);
    let spot = |mesh: &MeshAt<'_>, p, triangle| {
        SurfacePoint::on(p, Feature::Face(mesh.model.mesh.user_face(triangle)))
    };
    Witness { on_a: spot(a, p, x), on_b: spot(b, q, y) }
}

/// A point that two triangles share.
fn common_point(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>, (x, y): (u32, u32)) -> Witness {
    let shared = pair.triangles(x, y).intersection();
    let point = shared.points().first().copied().unwrap_or(pair.a.triangle(x).vertices[0]);
    witness(pair, a, b, (x, y), [point; 2])
}
