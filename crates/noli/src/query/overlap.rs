//! Do two bodies share a point?

use super::inner::surely_hit;
use super::point::contained;
use super::{Start, start, with_scratch};
use crate::budget::{Budget, Meter};
use crate::convex::Hint;
use crate::model::Placed;
use crate::pair::general::{self, Means};
use crate::pair::mesh_mesh::{self, Meetings, Pair};
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::Ended;
use noli_geom::Relation;
use std::ops::ControlFlow;

/// Whether two bodies share a point. Touching counts. Exact for meshes and polyhedra, balls and capsules around them: no
/// rounding of poses or coordinates can change the verdict. Cylinders, cones and ellipsoids are hit also where they are within rounding of
/// contact (see [`Guarantee`](crate::Guarantee)). Verdicts about fields are proven, or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overlap {
    /// They share no point.
    Free,
    /// They share a point.
    Hit,
    /// The budget ran out first, a pose was not a pose, or a field is neither provably hit nor provably free.
    Unknown,
}

/// How to ask for [`Overlap`].
#[derive(Clone, Copy, Debug, Default)]
pub struct OverlapQuery<'a> {
    /// When to give up.
    pub budget: Budget<'a>,
    /// Look only at faces, not at balls known to be inside solids. Changes the time, never the verdict.
    pub faces_only: bool,
}

/// Do the bodies share a point? Surfaces share a point where their faces do; a solid also holds
/// everything inside it.
pub fn overlap(a: &Placed<'_>, b: &Placed<'_>) -> Overlap {
    with_scratch(|scratch| overlap_in(a, b, &OverlapQuery::default(), scratch))
}

/// [`overlap`] with a budget and lent memory.
pub fn overlap_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &OverlapQuery<'_>,
    scratch: &mut Scratch,
) -> Overlap {
    overlap_traced(a, b, query, scratch, &mut NoTrace)
}

/// [`overlap_in`] that tells what it looked at.
pub fn overlap_traced(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &OverlapQuery<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Overlap {
    if !(a.model.is_mesh() && b.model.is_mesh()) {
        return general_closer_than(a, b, 0.0, &mut query.budget.meter(), scratch);
    }
    let pair = match start(a, b) {
        Start::Empty => return Overlap::Free,
        Start::BadPose => return Overlap::Unknown,
        Start::Ready(pair) => pair,
    };
    let meter = &mut query.budget.meter();
    match query.faces_only {
        true => overlap_by_faces(&pair, a, b, meter, scratch, trace),
        false => overlap_metered(&pair, a, b, meter, scratch, trace),
    }
}

/// The question, with a margin, of bodies that are not both meshes.
pub(super) fn general_closer_than(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Overlap {
    general::closer_than(a, b, margin, &mut Means { meter, scratch, hint: &mut Hint::default() })
}

/// The question itself, as part of one that goes on.
pub(super) fn overlap_metered(
    pair: &Pair<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Overlap {
    if surely_hit(pair, a, b, meter) {
        return Overlap::Hit;
    }
    overlap_by_faces(pair, a, b, meter, scratch, trace)
}

/// The question without the early yes of balls inside.
fn overlap_by_faces(
    pair: &Pair<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    trace: &mut impl Trace,
) -> Overlap {
    match mesh_mesh::meetings(pair, &mut Any, meter, scratch, trace) {
        Ended::Answered => Overlap::Hit,
        Ended::OutOfBudget => Overlap::Unknown,
        Ended::Exhausted => match contained(a, b, meter, scratch) {
            Some(true) => Overlap::Hit,
            Some(false) => Overlap::Free,
            None => Overlap::Unknown,
        },
    }
}

/// Any meeting will do.
pub(super) struct Any;

impl Meetings for Any {
    const EVERY_COPY: bool = false;

    #[inline(always)]
    fn meet(&mut self, _: u32, _: u32, _: Relation) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
