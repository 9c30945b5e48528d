//! Are two meshes at most so far apart? Whether they share a point is the same question with a margin of nothing.

use super::inner_balls::surely_hit;
use super::inside::contained;
use super::meetings::{Copies, meetings};
use super::nearest::{Search, nearest};
use super::{Pair, Start, start};
use crate::answer::Overlap;
use crate::context::Ask;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// Whether the meshes are at most `margin` apart.
pub(crate) fn closer_than(a: &MeshAt<'_>, b: &MeshAt<'_>, margin: f64, ask: &mut Ask<'_>) -> Overlap {
    let pair = match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready(_) if margin.is_nan() => return Overlap::Unknown,
        Start::Ready(_) if margin < 0.0 => return Overlap::Free,
        Start::Ready(pair) => pair,
    };
    // Faces that meet are closer than any margin, so one walk finds both; but a margin of about the size of roundings
    // would leave many faces to be settled exactly.
    if margin > 1e-6 * (a.model.packed.reach + b.model.packed.reach) {
        return solids_or(&pair, a, b, ask, |ask| faces_closer_than(&pair, margin, ask));
    }
    match overlap_of(&pair, a, b, ask) {
        Overlap::Free if margin > 0.0 => faces_closer_than(&pair, margin, ask),
        decided => decided,
    }
}

/// Whether two meshes in one frame share a point, which may be part of a question that goes on.
pub(super) fn overlap_of(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Overlap {
    solids_or(pair, a, b, ask, |ask| faces_meet(pair, ask))
}

/// What is known of faces, and where they say no, whether one solid holds a part of the other.
#[inline]
fn solids_or<'m>(
    pair: &Pair<'_>,
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    ask: &mut Ask<'m>,
    faces: impl FnOnce(&mut Ask<'m>) -> Overlap,
) -> Overlap {
    if !ask.faces_only && surely_hit(pair, a, b, &ask.meter) {
        return Overlap::Hit;
    }
    match faces(ask) {
        Overlap::Free => match contained(a, b, ask) {
            Some(true) => Overlap::Hit,
            Some(false) => Overlap::Free,
            None => Overlap::Unknown,
        },
        decided => decided,
    }
}

fn faces_meet(pair: &Pair<'_>, ask: &mut Ask<'_>) -> Overlap {
    if let Some((x, y)) = pair.hinted_faces(ask)
        && pair.triangles(x, y).relation().overlaps()
    {
        return Overlap::Hit;
    }
    let mut met = None;
    let ended = meetings(pair, Copies::One, ask, &mut |x, y, _| {
        met = Some((x, y));
        ControlFlow::Break(())
    });
    if let Some((x, y)) = met {
        ask.remember_faces(pair.in_given_order(x, y).into());
    }
    match ended {
        Ended::Answered => Overlap::Hit,
        Ended::Exhausted => Overlap::Free,
        Ended::OutOfBudget => Overlap::Unknown,
    }
}

fn faces_closer_than(pair: &Pair<'_>, margin: f64, ask: &mut Ask<'_>) -> Overlap {
    let search = Search { seed: pair.hinted_faces(ask), ..Search::any_within(margin) };
    match nearest(pair, &search, ask).ended {
        Ended::Answered => return Overlap::Hit,
        Ended::OutOfBudget => return Overlap::Unknown,
        Ended::Exhausted => {}
    }
    // Only pairs that bracket the margin within rounding are left.
    for candidate in ask.scratch.candidates() {
        if !ask.meter.allows_costly() {
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
