//! Which faces of two bodies meet, and where?

use super::{Start, start, with_scratch};
use crate::budget::Budget;
use crate::model::Placed;
use crate::pair::mesh_mesh::{self, Meetings, Pair};
use crate::scratch::Scratch;
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::Ended;
use noli_geom::{Relation, Segment};
use std::ops::ControlFlow;

/// Two faces that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Triangle of A; [`Mesh::user_face`](noli_geom::Mesh::user_face) gives the face as it was given.
    pub triangle_a: u32,
    /// Triangle of B.
    pub triangle_b: u32,
    /// `Crossing` where they pass through each other, `Touching` where they only share points.
    pub relation: Relation,
    /// Where they meet, in world coordinates, if asked for: the common segment, for coplanar faces the
    /// longest diagonal of the common region, for a point twice that point. Its kind is exact, its
    /// coordinates are rounded.
    pub segment: Option<Segment>,
}

/// Whether a [`Sink`] wants more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Yes.
    Continue,
    /// No.
    Stop,
}

/// Where crossings go.
pub trait Sink {
    /// Two faces meet.
    fn hit(&mut self, crossing: &Crossing) -> Next;
}

/// Keeps all.
impl Sink for Vec<Crossing> {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        self.push(*crossing);
        Next::Continue
    }
}

/// Keeps the first and stops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct First(pub Option<Crossing>);

impl Sink for First {
    fn hit(&mut self, crossing: &Crossing) -> Next {
        self.0 = Some(*crossing);
        Next::Stop
    }
}

/// Counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub u64);

impl Sink for Count {
    fn hit(&mut self, _: &Crossing) -> Next {
        self.0 += 1;
        Next::Continue
    }
}

/// How to ask for crossings.
#[derive(Clone, Copy, Debug)]
pub struct CrossingsQuery<'a> {
    /// Whether faces that only touch are reported too.
    pub touching: bool,
    /// Whether the common segments are computed.
    pub segments: bool,
    /// When to give up.
    pub budget: Budget<'a>,
}

impl Default for CrossingsQuery<'_> {
    fn default() -> Self {
        Self { touching: true, segments: true, budget: Budget::default() }
    }
}

/// All pairs of faces that meet, always in the same order.
pub fn crossings(a: &Placed<'_>, b: &Placed<'_>) -> Vec<Crossing> {
    let mut all = Vec::new();
    with_scratch(|scratch| crossings_in(a, b, &CrossingsQuery::default(), scratch, &mut all));
    all
}

/// Some pair of faces that meets.
pub fn first_crossing(a: &Placed<'_>, b: &Placed<'_>) -> Option<Crossing> {
    let mut first = First::default();
    with_scratch(|scratch| crossings_in(a, b, &CrossingsQuery::default(), scratch, &mut first));
    first.0
}

/// How many pairs of faces meet.
pub fn count_crossings(a: &Placed<'_>, b: &Placed<'_>) -> u64 {
    let mut count = Count::default();
    let query = CrossingsQuery { segments: false, ..Default::default() };
    with_scratch(|scratch| crossings_in(a, b, &query, scratch, &mut count));
    count.0
}

/// Hand every pair of faces that meets to `sink`. True when all were looked at or the sink had enough,
/// false when the budget ran out first or a pose was not a pose.
pub fn crossings_in(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &CrossingsQuery<'_>,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) -> bool {
    crossings_traced(a, b, query, scratch, sink, &mut NoTrace)
}

/// [`crossings_in`] that tells what it looked at.
pub fn crossings_traced(
    a: &Placed<'_>,
    b: &Placed<'_>,
    query: &CrossingsQuery<'_>,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
    trace: &mut impl Trace,
) -> bool {
    match start(a, b) {
        Start::Empty => true,
        Start::BadPose => false,
        Start::Ready(pair) => {
            let mut report = Report { pair: &pair, query, sink };
            mesh_mesh::meetings(&pair, &mut report, &mut query.budget.meter(), scratch, trace)
                != Ended::OutOfBudget
        }
    }
}

pub(super) struct Report<'q, 'a, S> {
    pub(super) pair: &'q Pair<'a>,
    pub(super) query: &'q CrossingsQuery<'q>,
    pub(super) sink: &'q mut S,
}

impl<S: Sink> Meetings for Report<'_, '_, S> {
    #[inline(always)]
    fn meet(&mut self, a: u32, b: u32, relation: Relation) -> ControlFlow<()> {
        if relation == Relation::Touching && !self.query.touching {
            return ControlFlow::Continue(());
        }
        let segment = if self.query.segments { self.pair.segment(a, b) } else { None };
        let (triangle_a, triangle_b) = self.pair.in_given_order(a, b);
        match self.sink.hit(&Crossing { triangle_a, triangle_b, relation, segment }) {
            Next::Continue => ControlFlow::Continue(()),
            Next::Stop => ControlFlow::Break(()),
        }
    }
}
