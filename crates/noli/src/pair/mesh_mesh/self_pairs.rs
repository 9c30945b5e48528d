//! A mesh against itself: the one walk on one tree, each pair of faces once.
//!
//! A node paired with itself is expanded into its children paired with themselves and each pair of
//! different children once; from there on the two sides are disjoint. Neighbouring faces always
//! share a point, so the packed filter leaves them open and they are settled by
//! [`TrianglePair::meets_beyond_shared`](noli_geom::TrianglePair::meets_beyond_shared). Copies of a triangle are
//! tested once for all.

use super::intersecting_faces::Copies;
use super::leaf::{self, LeafPair};
use super::shared::{self, Listener, answered};
use super::{Pair, bits};
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::simd::Supported;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Overlapping, PackedPairs};
use crate::tree::walk::{self, Block, Ended, Item, NodeTest, Visit};
use noli_geom::Relation;
use std::ops::ControlFlow;

/// Lanes `4·i + j` with `i <= j`.
const UPPER: u16 = 0b1000_1100_1110_1111;
/// Lanes `4·i + j` with `i < j`.
const STRICTLY_UPPER: u16 = 0b0000_1000_1100_1110;

/// Reports all pairs of faces that intersect beyond the vertices and edges they share to `listener`. Both
/// sides of `pair` are one mesh in one pose. With [`Copies::One`], the first and the second of some copies stand
/// for all pairs of them.
pub(super) fn self_meetings(
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
    let test = OnceEach(PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Overlapping });
    list.clear();
    list.push(Item::ROOTS);
    if may_split {
        return shared::meetings(&test, list, meter, listener, &|list, meter, listener| {
            let mut visit = LeafPairs { simd, pair, copies, listener };
            walk::walk(&test, &mut visit, list, meter, &mut NoTrace)
        });
    }
    let mut visit = LeafPairs { simd, pair, copies, listener };
    match trace {
        None => walk::walk(&test, &mut visit, list, meter, &mut NoTrace),
        Some(trace) => walk::walk(&test, &mut visit, list, meter, trace),
    }
}

/// A test of one tree against itself that keeps one of each two mirrored pairs.
struct OnceEach<P>(P);

impl<P: NodeTest> NodeTest for OnceEach<P> {
    const SORTED: bool = P::SORTED;

    #[inline(always)]
    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        self.0.is_leaf(a, b)
    }

    #[inline(always)]
    fn expand(&self, a: u32, b: u32, cutoff: f32, block: &mut Block) {
        self.0.expand(a, b, cutoff, block);
        if a == b {
            block.mask &= UPPER;
        }
    }

    #[inline(always)]
    fn prefetch(&self, a: u32, b: u32) {
        self.0.prefetch(a, b);
    }
}

struct LeafPairs<'t, 'a, 'l> {
    simd: Supported,
    pair: &'t Pair<'a>,
    copies: Copies,
    listener: &'t mut Listener<'l>,
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
        let mut leaves = LeafPair::new(self.pair, a, b);
        if a == b {
            leaves.valid &= STRICTLY_UPPER;
        }
        let sorted = leaf::sort(self.simd, &leaves, &self.pair.frames);
        // An edge that pierces the other's interior does so off every shared vertex and edge.
        for lane in bits(sorted.hit) {
            self.meet(leaves.triangles(lane), Relation::Intersecting, meter)?;
        }
        if sorted.unsure != 0 {
            trace.unsure(sorted.unsure.count_ones());
            self.settle(&leaves, sorted.unsure, meter)?;
        }
        if a == b {
            self.meet_copies(leaves.triangles(0).0, meter)?;
        }
        ControlFlow::Continue(())
    }
}

impl LeafPairs<'_, '_, '_> {
    #[inline(never)]
    fn settle(&mut self, leaves: &LeafPair<'_>, unsure: u16, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        for lane in bits(unsure) {
            if !meter.allows_costly() {
                return ControlFlow::Break(Ended::OutOfBudget);
            }
            let (a, b) = leaves.triangles(lane);
            let triangles = self.pair.triangles(a, b);
            if triangles.meets_beyond_shared() {
                self.meet((a, b), triangles.relation(), meter)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn meet(&mut self, (a, b): (u32, u32), relation: Relation, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        let tree = self.pair.a.packed;
        let (of_a, of_b) = (tree.copies(&a), tree.copies(&b));
        if self.copies == Copies::One || of_a.len() == 1 && of_b.len() == 1 {
            return self.tell(a, b, relation);
        }
        for &a in of_a {
            for &b in of_b {
                self.tell_copy(a, b, relation, meter)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The copies of a triangle among each other. They are the same triangle, so one pair decides.
    fn meet_copies(&mut self, triangle: u32, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        let all = self.pair.a.packed.copies(&triangle);
        let &[first, second, ..] = all else { return ControlFlow::Continue(()) };
        let triangles = self.pair.triangles(first, second);
        if !triangles.meets_beyond_shared() {
            return ControlFlow::Continue(());
        }
        let relation = triangles.relation();
        if self.copies == Copies::One {
            return self.tell(first, second, relation);
        }
        for (k, &a) in all.iter().enumerate() {
            for &b in &all[k + 1..] {
                self.tell_copy(a, b, relation, meter)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Copies may be many, so each pair of them is a step.
    fn tell_copy(&mut self, a: u32, b: u32, relation: Relation, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        if !meter.step() {
            return ControlFlow::Break(Ended::OutOfBudget);
        }
        self.tell(a, b, relation)
    }

    fn tell(&mut self, a: u32, b: u32, relation: Relation) -> ControlFlow<Ended> {
        (self.listener)(a.min(b), a.max(b), relation).map_break(answered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_keep_one_of_two_mirrored_lanes() {
        for i in 0..4 {
            for j in 0..4 {
                let lane = 1u16 << (4 * i + j);
                assert_eq!(UPPER & lane != 0, i <= j);
                assert_eq!(STRICTLY_UPPER & lane != 0, i < j);
            }
        }
    }
}
