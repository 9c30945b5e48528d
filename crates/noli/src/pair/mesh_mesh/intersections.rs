//! Intersecting faces of two meshes, and their intersections.

use super::intersecting_faces::{Copies, meetings};
use super::self_pairs::self_meetings;
use super::{Pair, Side, start};
use crate::answer::{Completeness, FaceCounts, Intersection, Next, Sink};
use crate::context::QueryContext;
use crate::model::{MeshAt, MeshModel};
use crate::pair::start::Start;
use crate::parallel;
use crate::query::IntersectionsQuery;
use crate::tree::walk::Ended;
use noli_geom::{Pose, Relation, Segment};
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
            let mut report = Report::new(&pair, query, context, sink);
            let ended =
                meetings(&pair, Copies::Each, context, &mut |a, b, relation| report.add(a, b, relation));
            completeness(report.finish(ended))
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
    let mut report = Report::new(&pair, query, context, sink);
    let ended = self_meetings(&pair, Copies::Each, context, &mut |a, b, relation| report.add(a, b, relation));
    completeness(report.finish(ended))
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

/// Most pairs whose segments are computed together.
const HELD: usize = 8192;

/// Passes intersections to a sink, in the order of the given bodies. Where a query may use many threads, pairs are held
/// back and their segments computed together: one at first, then twice as many each time, so that a sink that stops early
/// costs little.
struct Report<'r, 'p> {
    pair: &'r Pair<'p>,
    query: &'r IntersectionsQuery,
    sink: &'r mut dyn Sink,
    held: Vec<(u32, u32, Relation)>,
    /// Number of pairs that are computed together next.
    room: usize,
    is_split: bool,
}

impl<'r, 'p> Report<'r, 'p> {
    fn new(
        pair: &'r Pair<'p>,
        query: &'r IntersectionsQuery,
        context: &QueryContext<'_>,
        sink: &'r mut dyn Sink,
    ) -> Self {
        let is_split = query.segments && context.may_split();
        Self { pair, query, sink, held: Vec::new(), room: 1, is_split }
    }

    fn add(&mut self, a: u32, b: u32, relation: Relation) -> ControlFlow<()> {
        if relation == Relation::Touching && !self.query.touching {
            return ControlFlow::Continue(());
        }
        if !self.is_split {
            let segment = if self.query.segments { self.pair.segment(a, b) } else { None };
            return self.pass(a, b, relation, segment);
        }
        self.held.push((a, b, relation));
        if self.held.len() < self.room { ControlFlow::Continue(()) } else { self.pass_held() }
    }

    fn pass_held(&mut self) -> ControlFlow<()> {
        let held = std::mem::take(&mut self.held);
        self.room = (2 * self.room).min(HELD);
        let pair = self.pair;
        let segments = parallel::map(&held, |&(a, b, _)| pair.segment(a, b));
        for ((a, b, relation), segment) in held.into_iter().zip(segments) {
            self.pass(a, b, relation, segment)?;
        }
        ControlFlow::Continue(())
    }

    fn pass(&mut self, a: u32, b: u32, relation: Relation, segment: Option<Segment>) -> ControlFlow<()> {
        let (triangle_a, triangle_b) = self.pair.in_given_order(a, b);
        match self.sink.hit(&Intersection { triangle_a, triangle_b, relation, segment }) {
            Next::Continue => ControlFlow::Continue(()),
            Next::Stop => ControlFlow::Break(()),
        }
    }

    /// Passes the pairs that are still held back when a search has ended.
    fn finish(mut self, ended: Ended) -> Ended {
        match ended {
            Ended::Answered => ended,
            Ended::Exhausted | Ended::OutOfBudget => match self.pass_held() {
                ControlFlow::Continue(()) => ended,
                ControlFlow::Break(()) => Ended::Answered,
            },
        }
    }
}
