//! Which faces of two meshes share a point.

use super::leaf::{self, LeafPair};
use super::{Pair, bits};
use crate::budget::Meter;
use crate::context::Ask;
use crate::simd::{self, Simd, Task};
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Overlapping, PackedPairs};
use crate::tree::walk::{self, Ended, Item, Visit};
use noli_geom::Relation;
use std::ops::ControlFlow;

/// Whether each copy of a triangle is heard of, or one that stands for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    Each,
    One,
}

/// Someone who hears of a triangle of the pair's `a` and one of its `b` that share a point; the relation is `Touching`
/// or `Crossing`. Hits are rare, so this is a call and not another copy of the walk.
pub(super) type Listener<'l> = dyn FnMut(u32, u32, Relation) -> ControlFlow<()> + 'l;

/// Tell `listener` of all pairs of triangles that share a point.
pub(super) fn meetings(
    pair: &Pair<'_>,
    copies: Copies,
    ask: &mut Ask<'_>,
    listener: &mut Listener<'_>,
) -> Ended {
    let Ask { scratch, meter, trace, .. } = ask;
    let (instructions, list) = (scratch.instructions(), scratch.list());
    let heard = Heard { pair, copies, listener };
    match trace {
        None => simd::dispatch(instructions, Meetings { heard, meter, list, trace: &mut NoTrace }),
        Some(trace) => simd::dispatch(instructions, Meetings { heard, meter, list, trace }),
    }
}

struct Meetings<'t, 'a, 'l, 'b, T> {
    heard: Heard<'t, 'a, 'l>,
    meter: &'t mut Meter<'b>,
    list: &'t mut Vec<Item>,
    trace: &'t mut T,
}

impl<T: Trace> Task for Meetings<'_, '_, '_, '_, T> {
    type Output = Ended;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Ended {
        let Pair { a, b, frames, .. } = self.heard.pair;
        let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Overlapping };
        let mut visit = LeafPairs { simd, heard: self.heard };
        self.list.clear();
        self.list.push(Item { key: 0.0, a: 0, b: 0 });
        walk::walk(&test, &mut visit, self.list, self.meter, self.trace)
    }
}

/// Who listens, and to what.
struct Heard<'t, 'a, 'l> {
    pair: &'t Pair<'a>,
    copies: Copies,
    listener: &'t mut Listener<'l>,
}

impl Heard<'_, '_, '_> {
    /// Tell of a meeting of two triangles and, where wanted, of their copies.
    #[inline(always)]
    fn tell(&mut self, (a, b): (u32, u32), relation: Relation) -> ControlFlow<Ended> {
        if self.copies == Copies::One {
            return (self.listener)(a, b, relation).map_break(answered);
        }
        for &a in self.pair.a.packed.copies(&a) {
            for &b in self.pair.b.packed.copies(&b) {
                (self.listener)(a, b, relation).map_break(answered)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Ask the exact test about the lanes that the filter left open.
    #[cold]
    #[inline(never)]
    fn settle(&mut self, leaves: &LeafPair<'_>, unsure: u16, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        for lane in bits(unsure) {
            if !meter.allows_costly() {
                return ControlFlow::Break(Ended::OutOfBudget);
            }
            let (a, b) = leaves.triangles(lane);
            let relation = self.pair.triangles(a, b).relation();
            if relation.overlaps() {
                self.tell((a, b), relation)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Who listens has heard enough.
pub(super) fn answered((): ()) -> Ended {
    Ended::Answered
}

struct LeafPairs<'t, 'a, 'l, S> {
    simd: S,
    heard: Heard<'t, 'a, 'l>,
}

impl<S: Simd> Visit for LeafPairs<'_, '_, '_, S> {
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
        let pair = self.heard.pair;
        let leaves = LeafPair::new(pair, a, b);
        let sorted = leaf::sort(self.simd, &leaves, &pair.frames);
        for lane in bits(sorted.hit) {
            self.heard.tell(leaves.triangles(lane), Relation::Crossing)?;
        }
        if sorted.unsure != 0 {
            trace.unsure(sorted.unsure.count_ones());
            self.heard.settle(&leaves, sorted.unsure, meter)?;
        }
        ControlFlow::Continue(())
    }
}
