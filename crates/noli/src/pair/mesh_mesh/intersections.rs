//! Intersecting faces of two meshes, and their intersections.

use super::intersecting_faces::{Copies, meetings};
use super::self_pairs::self_meetings;
use super::{Pair, Side, start};
use crate::answer::{Completeness, FaceCounts, Intersection, Next, Sink};
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
    completeness(self_meetings(&pair, Copies::Each, context, &mut reporting(&pair, query, sink)))
}

/// Counts the pairs of intersecting faces, up to `at_most`. Copies of a triangle are counted without being visited.
pub(crate) fn count_intersections(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    at_most: u64,
    context: &mut QueryContext<'_>,
) -> FaceCounts {
    let mut counts = FaceCounts::NONE;
    counts.completeness = match start(a, b) {
        Start::Empty => Completeness::Complete,
        Start::BadPose => Completeness::Partial,
        Start::Ready(pair) => completeness(meetings(&pair, Copies::One, context, &mut |x, y, relation| {
            let times = pair.a.packed.copies(&x).len() as u64 * pair.b.packed.copies(&y).len() as u64;
            let (x, y) = pair.in_given_order(x, y);
            counts.add([x, y], relation, times, at_most)
        })),
    };
    counts
}

/// The same for one mesh against itself.
pub(crate) fn count_self_intersections(
    mesh: &MeshModel,
    at_most: u64,
    context: &mut QueryContext<'_>,
) -> FaceCounts {
    let mut counts = FaceCounts::NONE;
    if mesh.mesh.is_empty() {
        return counts;
    }
    let side = (Side::mesh(mesh), &Pose::IDENTITY);
    let Some(pair) = Pair::new(side, side) else {
        return FaceCounts { completeness: Completeness::Partial, ..counts };
    };
    let ended = self_meetings(&pair, Copies::One, context, &mut |x, y, relation| {
        let [of_x, of_y] = [&x, &y].map(|face| mesh.packed.copies(face));
        let of_both = [(of_x, y), (of_y, x)].into_iter().find(|(of, other)| of.get(1) == Some(other));
        let times = match of_both {
            Some((all, _)) => all.len() as u64 * (all.len() as u64 - 1) / 2,
            None => of_x.len() as u64 * of_y.len() as u64,
        };
        counts.add([x, y], relation, times, at_most)
    });
    counts.completeness = completeness(ended);
    counts
}

impl FaceCounts {
    fn add(&mut self, faces: [u32; 2], relation: Relation, times: u64, at_most: u64) -> ControlFlow<()> {
        self.first.get_or_insert(faces);
        let count =
            if relation == Relation::Intersecting { &mut self.intersecting } else { &mut self.touching };
        *count = count.saturating_add(times);
        let enough = self.intersecting.saturating_add(self.touching) >= at_most;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
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
