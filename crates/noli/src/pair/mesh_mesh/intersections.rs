//! Intersecting faces of two meshes, and their intersections.

use super::intersecting_faces::{Copies, meetings};
use super::self_pairs::self_meetings;
use super::{Pair, Side, start};
use crate::answer::{Completeness, Intersection, Next, Sink};
use crate::context::QueryContext;
use crate::model::{MeshAt, MeshModel};
use crate::pair::start::Start;
use crate::query::IntersectionsQuery;
use crate::tree::walk::Ended;
use noli_geom::{Pose, Relation};
use std::ops::ControlFlow;

/// Passes every pair of intersecting faces to `sink`.
pub(crate) fn intersections(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    query: &IntersectionsQuery,
    context: &mut QueryContext<'_>,
    sink: &mut dyn Sink,
) -> Completeness {
    match start(a, b) {
        Start::Empty => Completeness::Complete,
        Start::BadPose => Completeness::Partial,
        Start::Ready(pair) => {
            completeness(meetings(&pair, Copies::Each, context, &mut reporting(&pair, query, sink)))
        }
    }
}

/// The same for one mesh against itself, in its own frame.
pub(crate) fn self_intersections(
    mesh: &MeshModel,
    query: &IntersectionsQuery,
    context: &mut QueryContext<'_>,
    sink: &mut dyn Sink,
) -> Completeness {
    if mesh.mesh.is_empty() {
        return Completeness::Complete;
    }
    let side = (Side::mesh(mesh), &Pose::IDENTITY);
    let Some(pair) = Pair::new(side, side) else { return Completeness::Partial };
    completeness(self_meetings(&pair, context, &mut reporting(&pair, query, sink)))
}

fn completeness(ended: Ended) -> Completeness {
    match ended {
        Ended::Exhausted => Completeness::Complete,
        Ended::Answered => Completeness::Enough,
        Ended::OutOfBudget => Completeness::Partial,
    }
}

/// Returns a callback that passes intersections to a sink, in the order of the given bodies.
fn reporting<'r>(
    pair: &'r Pair<'_>,
    query: &'r IntersectionsQuery,
    sink: &'r mut dyn Sink,
) -> impl FnMut(u32, u32, Relation) -> ControlFlow<()> + 'r {
    move |a, b, relation| {
        if relation == Relation::Touching && !query.touching {
            return ControlFlow::Continue(());
        }
        let segment = if query.segments { pair.segment(a, b) } else { None };
        let (triangle_a, triangle_b) = pair.in_given_order(a, b);
        match sink.hit(&Intersection { triangle_a, triangle_b, relation, segment }) {
            Next::Continue => ControlFlow::Continue(()),
            Next::Stop => ControlFlow::Break(()),
        }
    }
}
