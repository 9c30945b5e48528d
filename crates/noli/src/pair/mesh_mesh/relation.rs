//! How do two meshes stand to each other?
//!
//! Where a face passes through another, that is the answer; where none meet, it is whether one body holds the
//! other. Where faces only touch, what the bodies share around the contact decides.

use super::inside::contained;
use super::meetings::{Copies, meetings};
use super::touch::Touch;
use super::{Start, parted, start};
use crate::answer::{Nesting, Relation};
use crate::context::Ask;
use crate::model::MeshAt;
use crate::tree::walk::Ended;
use noli_geom::{Relation as FaceRelation, Shares};
use std::ops::ControlFlow;

pub(crate) fn relation(a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Relation {
    stand(a, b, false, ask).0
}

/// Which body lies in which; `None` if neither does, or the budget ran out.
pub(crate) fn nesting(a: &MeshAt<'_>, b: &MeshAt<'_>, ask: &mut Ask<'_>) -> Option<Nesting> {
    stand(a, b, true, ask).1
}

/// The relation and, where bodies are inside each other and that is asked for, which in which.
fn stand(a: &MeshAt<'_>, b: &MeshAt<'_>, nested: bool, ask: &mut Ask<'_>) -> (Relation, Option<Nesting>) {
    let pair = match start(a, b) {
        Start::Empty => return (Relation::Apart, None),
        Start::BadPose => return (Relation::Unknown, None),
        Start::Ready(pair) => pair,
    };
    // Then nothing can pass through anything: whether they touch at all is left.
    let parted = parted::by_their_boxes(&pair, a, b);
    let (mut worst, mut touching) = (FaceRelation::Apart, ask.scratch.take_pairs());
    let ended = meetings(&pair, Copies::One, ask, &mut |x, y, relation| {
        worst = worst.max(relation);
        touching.push((x, y));
        let decided = parted || relation == FaceRelation::Crossing;
        if decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let some_solid = a.model.is_solid() || b.model.is_solid();
    let found = match (ended, worst) {
        (Ended::OutOfBudget, _) => (Relation::Unknown, None),
        (_, FaceRelation::Apart) => match contained(a, b, ask) {
            Some(true) if nested => {
                let shares = Touch::new(&pair, a, b, &touching, ask).shares(ask);
                (Relation::Inside, shares.and_then(|shares| nesting_by(&shares, a, b)))
            }
            Some(true) => (Relation::Inside, None),
            Some(false) => (Relation::Apart, None),
            None => (Relation::Unknown, None),
        },
        (_, FaceRelation::Touching) if parted || some_solid && parted::by_a_face(&pair, &touching) => {
            (Relation::Touching, None)
        }
        (_, FaceRelation::Touching) if some_solid => {
            match Touch::new(&pair, a, b, &touching, ask).shares(ask) {
                None => (Relation::Unknown, None),
                Some(Shares { both: false, .. }) => (Relation::Touching, None),
                Some(shares) => match nesting_by(&shares, a, b) {
                    None | Some(Nesting::Parts) => (Relation::Crossing, None),
                    nesting => (Relation::Inside, nesting),
                },
            }
        }
        (_, relation) => (relation.into(), None),
    };
    ask.scratch.put_pairs(touching);
    found
}

/// Which body lies in which; `None` if they share nothing.
fn nesting_by(shares: &Shares, a: &MeshAt<'_>, b: &MeshAt<'_>) -> Option<Nesting> {
    if !shares.both {
        return None;
    }
    // What a surface does not hold is not asked: it holds nothing.
    let out_of_a = shares.only_b || !a.model.is_solid();
    let out_of_b = shares.only_a || !b.model.is_solid();
    Some(match (out_of_b, out_of_a) {
        (false, false) => Nesting::Same,
        (false, true) => Nesting::AInB,
        (true, false) => Nesting::BInA,
        (true, true) => Nesting::Parts,
    })
}
