//! Two meshes: every query on them is the one walk with another visitor.

use super::bits;
use super::leaf::{self, LeafPair};
use crate::budget::Meter;
use crate::model::MeshModel;
use crate::scratch::Scratch;
use crate::simd::{self, Simd, Task};
use crate::trace::Trace;
use crate::tree::packed::{Frames, Overlapping, PackedPairs, PackedTree};
use crate::tree::walk::{self, Ended, Item, Visit};
use noli_geom::ExactDistance;
use noli_geom::{Mesh, PairFrame, Pose, Relation, RelativePose, Segment, Triangle, TrianglePair};
use std::ops::ControlFlow;

/// One side of a pair: packed boxes and the triangles they stand for.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) packed: &'a PackedTree,
    triangles: Triangles<'a>,
}

#[derive(Clone, Copy)]
enum Triangles<'a> {
    Mesh(&'a Mesh),
    /// A point or segment, as a triangle without area.
    Probe(&'a Triangle),
}

impl<'a> Side<'a> {
    pub(crate) fn mesh(model: &'a MeshModel) -> Self {
        Self { packed: &model.packed, triangles: Triangles::Mesh(&model.mesh) }
    }

    /// A tree of one triangle.
    pub(crate) fn probe(packed: &'a PackedTree, triangle: &'a Triangle) -> Self {
        Self { packed, triangles: Triangles::Probe(triangle) }
    }

    pub(crate) fn triangle(&self, index: u32) -> Triangle {
        match self.triangles {
            Triangles::Mesh(mesh) => mesh.triangle(index),
            Triangles::Probe(triangle) => *triangle,
        }
    }
}

/// Two meshes and the pose between them. The one with the larger unit comes first, which is what
/// packed tests need; answers are turned round where that swapped them.
pub(crate) struct Pair<'a> {
    pub(crate) a: Side<'a>,
    pub(crate) b: Side<'a>,
    pub(crate) frame: PairFrame,
    pub(crate) frames: Frames,
    pub(crate) world_from_a: Pose,
    /// Whether `a` is the second of the bodies given.
    pub(crate) swapped: bool,
}

impl<'a> Pair<'a> {
    /// Nothing for a pose that is none. Both sides must have faces.
    pub(crate) fn new(a: (Side<'a>, &Pose), b: (Side<'a>, &Pose)) -> Option<Self> {
        if !a.1.is_valid() || !b.1.is_valid() {
            return None;
        }
        let swapped = b.0.packed.unit > a.0.packed.unit;
        let ((a, world_from_a), (b, world_from_b)) = if swapped { (b, a) } else { (a, b) };
        let a_from_b = RelativePose::new(world_from_a, world_from_b);
        let frames = Frames::new(a.packed, b.packed, &a_from_b);
        Some(Self { a, b, frame: PairFrame::new(&a_from_b), frames, world_from_a: *world_from_a, swapped })
    }

    /// The exact test of a triangle of `a` and one of `b`.
    pub(crate) fn triangles(&self, a: u32, b: u32) -> TrianglePair<'_> {
        TrianglePair::new(&self.a.triangle(a), &self.b.triangle(b), &self.frame)
    }

    /// The distance of a triangle of `a` and one of `b`, to be compared exactly.
    pub(crate) fn exact_distance(&self, a: u32, b: u32) -> ExactDistance {
        let pose = self.frame.pose();
        let (a, b) = (self.a.triangle(a), self.b.triangle(b));
        ExactDistance::new(&a, &b, &pose.world_from_a, &pose.world_from_b)
    }

    /// The common segment of two triangles that meet, in world coordinates: its ends are the two points of
    /// their common part that are furthest apart.
    pub(crate) fn segment(&self, a: u32, b: u32) -> Option<Segment> {
        let shared = self.triangles(a, b).intersection();
        let points = shared.points();
        let pairs = points.iter().flat_map(|&p| points.iter().map(move |&q| (p, q)));
        let (start, end) =
            pairs.max_by(|x, y| x.0.distance_squared(x.1).total_cmp(&y.0.distance_squared(y.1)))?;
        let [start, end] = [start, end].map(|p| self.world_from_a.transform_point(p));
        Some(Segment { start, end })
    }

    /// Where two faces share a region of one plane: 1 if they wind the same way in it, -1 if not.
    pub(crate) fn coincidence(&self, a: u32, b: u32) -> Option<f64> {
        let normal_a = self.a.triangle(a).doubled_area_vector();
        let normal_b = self.frame.pose().rotation * self.b.triangle(b).doubled_area_vector();
        let region = self.triangles(a, b).intersection().points().len() > 2;
        region.then_some(normal_a.dot(normal_b).signum())
    }

    /// A pair of numbers in the order in which the bodies were given.
    pub(crate) fn in_given_order<N>(&self, a: N, b: N) -> (N, N) {
        if self.swapped { (b, a) } else { (a, b) }
    }
}

/// Someone who hears of triangles that meet.
pub(crate) trait Meetings {
    /// Whether each copy of a triangle is heard of, or one that stands for all.
    const EVERY_COPY: bool = true;
    /// These triangles share a point; `relation` is `Touching` or `Crossing`.
    fn meet(&mut self, a: u32, b: u32, relation: Relation) -> ControlFlow<()>;
}

/// Tell `meetings` of all pairs of triangles that share a point.
pub(crate) fn meetings<M: Meetings, T: Trace>(
    pair: &Pair<'_>,
    meetings: &mut M,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    trace: &mut T,
) -> Ended {
    let instructions = scratch.instructions();
    simd::dispatch(instructions, MeetingsTask { pair, meetings, meter, list: scratch.list(), trace })
}

struct MeetingsTask<'t, 'a, 'b, M, T> {
    pair: &'t Pair<'a>,
    meetings: &'t mut M,
    meter: &'t mut Meter<'b>,
    list: &'t mut Vec<Item>,
    trace: &'t mut T,
}

impl<M: Meetings, T: Trace> Task for MeetingsTask<'_, '_, '_, M, T> {
    type Output = Ended;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Ended {
        let Pair { a, b, frames, .. } = self.pair;
        let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Overlapping };
        let mut visit = LeafPairs { simd, pair: self.pair, meetings: self.meetings };
        self.list.clear();
        self.list.push(Item { key: 0.0, a: 0, b: 0 });
        walk::walk(&test, &mut visit, self.list, self.meter, self.trace)
    }
}

struct LeafPairs<'t, 'a, S, M> {
    simd: S,
    pair: &'t Pair<'a>,
    meetings: &'t mut M,
}

impl<S: Simd, M: Meetings> Visit for LeafPairs<'_, '_, S, M> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        f32::INFINITY
    }

    #[inline(always)]
    fn leaves(
        &mut self,
        a: u32,
        b: u32,
        meter: &mut Meter<'_>,
        trace: &mut impl Trace,
    ) -> ControlFlow<Ended> {
        let leaves = LeafPair::new(self.pair, a, b);
        let sorted = leaf::sort(self.simd, &leaves, &self.pair.frames);
        for lane in bits(sorted.hit) {
            tell(self.pair, self.meetings, leaves.triangles(lane), Relation::Crossing).map_break(answered)?;
        }
        if sorted.unsure != 0 {
            trace.unsure(sorted.unsure.count_ones());
            settle(self.pair, self.meetings, &leaves, sorted.unsure, meter)?;
        }
        ControlFlow::Continue(())
    }
}

/// Who listens has heard enough.
pub(super) fn answered((): ()) -> Ended {
    Ended::Answered
}

/// Ask the exact test about the lanes that the filter left open.
#[cold]
#[inline(never)]
fn settle<M: Meetings>(
    pair: &Pair<'_>,
    meetings: &mut M,
    leaves: &LeafPair<'_>,
    unsure: u16,
    meter: &mut Meter<'_>,
) -> ControlFlow<Ended> {
    for lane in bits(unsure) {
        if !meter.allows_costly() {
            return ControlFlow::Break(Ended::OutOfBudget);
        }
        let (a, b) = leaves.triangles(lane);
        let relation = pair.triangles(a, b).relation();
        if relation.overlaps() {
            tell(pair, meetings, (a, b), relation).map_break(answered)?;
        }
    }
    ControlFlow::Continue(())
}

/// Tell of a meeting of two triangles and, where wanted, of their copies.
#[inline(always)]
pub(super) fn tell<M: Meetings>(
    pair: &Pair<'_>,
    meetings: &mut M,
    (a, b): (u32, u32),
    relation: Relation,
) -> ControlFlow<()> {
    if !M::EVERY_COPY {
        return meetings.meet(a, b, relation);
    }
    for &a in pair.a.packed.copies(&a) {
        for &b in pair.b.packed.copies(&b) {
            meetings.meet(a, b, relation)?;
        }
    }
    ControlFlow::Continue(())
}
