//! How do two bodies stand to each other?

use super::point::contained;
use super::{Start, start, with_scratch};
use crate::budget::Budget;
use crate::model::Placed;
use crate::pair::mesh_mesh::{self, Meetings};
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::Ended;
use noli_geom::Relation;
use std::ops::ControlFlow;

/// How to ask for a [`Relation`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RelationQuery<'a> {
    /// When to give up.
    pub budget: Budget<'a>,
}

/// How the bodies stand to each other. Exact; nothing only where a pose is not a pose.
///
/// `Crossing` where two faces pass through each other; `Touching` where faces share points but none
/// passes through another: walls that share a plane are not a clash. `Inside` where surfaces do not meet
/// and a part of one body lies in the interior of the other, which must be a solid.
pub fn relation(a: &Placed<'_>, b: &Placed<'_>) -> Option<Relation> {
    with_scratch(|scratch| relation_in(a, b, &RelationQuery::default(), scratch))
}

/// [`relation`] with a budget and lent memory; nothing where the budget ran out.
pub fn relation_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &RelationQuery<'_>,
    scratch: &mut Scratch,
) -> Option<Relation> {
    relation_traced(a, b, query, scratch, &mut NoTrace)
}

/// [`relation_in`] that tells what it looked at.
pub fn relation_traced(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &RelationQuery<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Option<Relation> {
    let pair = match start(a, b) {
        Start::Empty => return Some(Relation::Apart),
        Start::BadPose => return None,
        Start::Ready(pair) => pair,
    };
    let mut worst = Worst(Relation::Apart);
    match mesh_mesh::meetings(&pair, &mut worst, &query.budget, scratch, trace) {
        Ended::OutOfBudget => None,
        Ended::Exhausted if worst.0 == Relation::Apart && contained(a, b, scratch) => Some(Relation::Inside),
        Ended::Answered | Ended::Exhausted => Some(worst.0),
    }
}

/// Remembers touching, stops at crossing.
struct Worst(Relation);

impl Meetings for Worst {
    #[inline(always)]
    fn meet(&mut self, _: u32, _: u32, relation: Relation) -> ControlFlow<()> {
        self.0 = self.0.max(relation);
        if relation == Relation::Crossing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
