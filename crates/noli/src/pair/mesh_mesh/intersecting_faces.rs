//! Pairs of faces of two meshes that share a point.

use super::leaf::{self, LeafPair};
use super::shared::{self, Listener, answered};
use super::{Pair, bits};
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::simd::Supported;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Overlapping, PackedPairs};
use crate::tree::walk::{self, Ended, Item, Visit};
use noli_geom::Relation;
use std::ops::ControlFlow;

/// Report each copy of a triangle, or one for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    Each,
    One,
}

/// Reports all pairs of triangles that share a point to `listener`.
pub(super) fn meetings(
    pair: &Pair<'_>,
    copies: Copies,
    context: &mut QueryContext<'_>,
    listener: &mut Listener<'_>,
) -> Ended {
    // Copies are counted as steps within a leaf, where a walk cannot be split.
    let is_plain = || copies == Copies::One || ![pair.a, pair.b].iter().any(|side| side.packed.has_copies());
    let may_split = context.may_split() && is_plain();
    let QueryContext { scratch, meter, trace, .. } = context;
    let (simd, list) = (scratch.simd(), scratch.list());
    let Pair { a, b, frames, .. } = pair;
    let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Overlapping };
    list.clear();
    list.push(Item::ROOTS);
    if may_split {
        return shared::meetings(&test, list, meter, listener, &|list, meter, listener| {
            let mut visit = LeafPairs { simd, heard: Heard { pair, copies, listener } };
            walk::walk(&test, &mut visit, list, meter, &mut NoTrace)
        });
    }
    let mut visit = LeafPairs { simd, heard: Heard { pair, copies, listener } };
    match trace {
        None => walk::walk(&test, &mut visit, list, meter, &mut NoTrace),
        Some(trace) => walk::walk(&test, &mut visit, list, meter, trace),
    }
}

/// The callback and the pairs it receives.
struct Heard<'t, 'a, 'l> {
    pair: &'t Pair<'a>,
    copies: Copies,
    listener: &'t mut Listener<'l>,
}

impl Heard<'_, '_, '_> {
    /// Reports an intersecting pair of triangles and, if requested, its copies.
    #[inline(always)]
    fn tell(&mut self, (a, b): (u32, u32), relation: Relation, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        if self.copies == Copies::One {
            return (self.listener)(a, b, relation).map_break(answered);
        }
        let (of_a, of_b) = (self.pair.a.packed.copies(&a), self.pair.b.packed.copies(&b));
        // Copies may be many, so each further pair of them is a step.
        let mut is_first = true;
        for &a in of_a {
            for &b in of_b {
                if !std::mem::take(&mut is_first) && !meter.step() {
                    return ControlFlow::Break(Ended::OutOfBudget);
                }
                (self.listener)(a, b, relation).map_break(answered)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs the exact test on the lanes that the filter left undecided.
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
                self.tell((a, b), relation, meter)?;
            }
        }
        ControlFlow::Continue(())
    }
}

struct LeafPairs<'t, 'a, 'l> {
    simd: Supported,
    heard: Heard<'t, 'a, 'l>,
}

impl Visit for LeafPairs<'_, '_, '_> {
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
            self.heard.tell(leaves.triangles(lane), Relation::Intersecting, meter)?;
        }
        if sorted.unsure != 0 {
            trace.unsure(sorted.unsure.count_ones());
            self.heard.settle(&leaves, sorted.unsure, meter)?;
        }
        ControlFlow::Continue(())
    }
}
