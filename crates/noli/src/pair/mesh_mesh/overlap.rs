//! Do two meshes share a point?

use super::inner_balls::surely_hit;
use super::inside::contained;
use super::meetings::{Copies, meetings};
use super::{Pair, Start, start};
use crate::answer::Overlap;
use crate::context::Ask;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use std::ops::ControlFlow;

pub(crate) fn overlap(a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Overlap {
    match start(a, b) {
        Start::Empty => Overlap::Free,
        Start::BadPose => Overlap::Unknown,
        Start::Ready(pair) => overlap_of(&pair, a, b, ask),
    }
}

/// The question about two meshes in one frame, which may be part of one that goes on.
pub(super) fn overlap_of(pair: &Pair<'_>, a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Overlap {
    if !ask.faces_only && surely_hit(pair, a, b, &ask.meter) {
        return Overlap::Hit;
    }
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
        Ended::OutOfBudget => Overlap::Unknown,
        Ended::Exhausted => match contained(a, b, ask) {
            Some(true) => Overlap::Hit,
            Some(false) => Overlap::Free,
            None => Overlap::Unknown,
        },
    }
}
