//! Which faces of two meshes meet, and where?

use super::meetings::{Copies, meetings};
use super::one_mesh::self_meetings;
use super::{Pair, Side, Start, start};
use crate::answer::{Coverage, Crossing, Next, Sink};
use crate::context::Ask;
use crate::model::{MeshAt, MeshModel};
use crate::query::CrossingsQuery;
use crate::tree::walk::Ended;
use noli_geom::{Pose, Relation};
use std::ops::ControlFlow;

/// Hand every pair of faces that meets to `sink`.
pub(crate) fn crossings(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    query: &CrossingsQuery,
    ask: &mut Ask<'_>,
    sink: &mut dyn Sink,
) -> Coverage {
    match start(a, b) {
        Start::Empty => Coverage::Whole,
        Start::BadPose => Coverage::Part,
        Start::Ready(pair) => {
            coverage(meetings(&pair, Copies::Each, ask, &mut reporting(&pair, query, sink)))
        }
    }
}

/// The same for one mesh against itself, in its own frame.
pub(crate) fn self_crossings(
    mesh: &MeshModel,
    query: &CrossingsQuery,
    ask: &mut Ask<'_>,
    sink: &mut dyn Sink,
) -> Coverage {
    if mesh.mesh.is_empty() {
        return Coverage::Whole;
    }
    let side = (Side::mesh(mesh), &Pose::IDENTITY);
    let Some(pair) = Pair::new(side, side) else { return Coverage::Part };
    coverage(self_meetings(&pair, ask, &mut reporting(&pair, query, sink)))
}

fn coverage(ended: Ended) -> Coverage {
    match ended {
        Ended::Exhausted => Coverage::Whole,
        Ended::Answered => Coverage::Enough,
        Ended::OutOfBudget => Coverage::Part,
    }
}

/// Tells a sink, in the order in which the bodies were given.
fn reporting<'r>(
    pair: &'r Pair<'_>,
    query: &'r CrossingsQuery,
    sink: &'r mut dyn Sink,
) -> impl FnMut(u32, u32, Relation) -> ControlFlow<()> + 'r {
    move |a, b, relation| {
        if relation == Relation::Touching && !query.touching {
            return ControlFlow::Continue(());
        }
        let segment = if query.segments { pair.segment(a, b) } else { None };
        let (triangle_a, triangle_b) = pair.in_given_order(a, b);
        match sink.hit(&Crossing { triangle_a, triangle_b, relation, segment }) {
            Next::Continue => ControlFlow::Continue(()),
            Next::Stop => ControlFlow::Break(()),
        }
    }
}
