//! Relation of two meshes.
//!
//! If a face passes through another, they intersect. If no faces intersect, the relation depends on whether one
//! body contains the other. If faces only touch, the volume shared around the contact decides.

use super::inside::contained;
use super::intersecting_faces::{Copies, meetings};
use super::passing_parts::passes_through;
use super::touch::Touch;
use super::{separating_plane, start};
use crate::answer::{Containment, Relation, Verdict};
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::pair::start::Start;
use crate::tree::walk::Ended;
use noli_geom::{Relation as FaceRelation, Shares};
use std::ops::ControlFlow;

pub(crate) fn relation(a: &MeshAt<'_>, b: &MeshAt<'_>, context: &mut QueryContext<'_>) -> Relation {
    stand(a, b, false, context).0
}

/// Computes which body lies in which.
pub(crate) fn containment(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    context: &mut QueryContext<'_>,
) -> Verdict<Containment> {
    stand(a, b, true, context).1
}

const UNKNOWN: (Relation, Verdict<Containment>) = (Relation::Unknown, Verdict::Unknown);

/// Computes the relation and, where `nested` is set, which body lies in which.
fn stand(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    nested: bool,
    context: &mut QueryContext<'_>,
) -> (Relation, Verdict<Containment>) {
    let pair = match start(a, b) {
        Start::Empty => return (Relation::Separated, Verdict::Free),
        Start::BadPose => return UNKNOWN,
        Start::Ready(pair) => pair,
    };
    // Then nothing can pass through anything: whether they touch at all is left.
    let parted = separating_plane::by_their_boxes(&pair, a, b);
    let (mut worst, mut touching) = (FaceRelation::Separated, context.scratch.take_pairs());
    let (budget, mut is_full) = (context.meter.budget(), false);
    let ended = meetings(&pair, Copies::One, context, &mut |x, y, relation| {
        worst = worst.max(relation);
        touching.push((x, y));
        let decided = parted || relation == FaceRelation::Intersecting;
        is_full = !decided && !budget.has_room_for::<(u32, u32)>(touching.len());
        if decided || is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let ended = if is_full { Ended::OutOfBudget } else { ended };
    let some_solid = a.model.is_solid() || b.model.is_solid();
    let found = match (ended, worst) {
        (Ended::OutOfBudget, _) => UNKNOWN,
        (_, FaceRelation::Separated) => match contained(a, b, context) {
            Some(true) if nested => {
                let shares = Touch::new(&pair, a, b, &touching, context).shares(context);
                let containment = shares.and_then(|shares| containment_by(&shares, a, b));
                (Relation::Inside, containment.map_or(Verdict::Unknown, Verdict::Hit))
            }
            Some(true) => (Relation::Inside, Verdict::Unknown),
            Some(false) => (Relation::Separated, Verdict::Free),
            None => UNKNOWN,
        },
        (_, FaceRelation::Touching)
            if parted || some_solid && separating_plane::by_a_face(&pair, &touching) =>
        {
            (Relation::Touching, Verdict::Free)
        }
        (_, FaceRelation::Touching) if some_solid => {
            match Touch::new(&pair, a, b, &touching, context).shares(context) {
                None => UNKNOWN,
                Some(Shares { both: false, .. }) => (Relation::Touching, Verdict::Free),
                Some(shares) => match containment_by(&shares, a, b) {
                    None => (Relation::Intersecting, Verdict::Free),
                    Some(Containment::Parts) => match passes_through(&pair, [a, b], &touching, context) {
                        None => UNKNOWN,
                        Some(true) => (Relation::Intersecting, Verdict::Free),
                        Some(false) => (Relation::Inside, Verdict::Hit(Containment::Parts)),
                    },
                    Some(containment) => (Relation::Inside, Verdict::Hit(containment)),
                },
            }
        }
        (_, relation) => (relation.into(), Verdict::Free),
    };
    context.scratch.put_pairs(touching);
    found
}

/// Returns the containment of the bodies; `None` if they share no volume.
fn containment_by(shares: &Shares, a: &MeshAt<'_>, b: &MeshAt<'_>) -> Option<Containment> {
    if !shares.both {
        return None;
    }
    // What a surface does not hold is not asked: it holds nothing.
    let out_of_a = shares.only_b || !a.model.is_solid();
    let out_of_b = shares.only_a || !b.model.is_solid();
    Some(match (out_of_b, out_of_a) {
        (false, false) => Containment::Same,
        (false, true) => Containment::AInB,
        (true, false) => Containment::BInA,
        (true, true) => Containment::Parts,
    })
}
