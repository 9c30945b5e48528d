//! Pairs of triangles that are near each other.

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::{Pair, bits, start};
use crate::answer::Completeness;
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::pair::start::Start;
use crate::simd::Supported;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Distances, PackedPairs};
use crate::tree::walk::{self, Candidate, Ended, Item, Visit};
use std::ops::ControlFlow;

/// Visits all pairs of triangles, of A and B, that may be within a distance; returns the completeness.
pub(crate) fn near_faces(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    within: f64,
    context: &mut QueryContext<'_>,
    listener: &mut dyn FnMut(u32, u32),
) -> Completeness {
    let pair = match start(a, b) {
        Start::Empty => return Completeness::Complete,
        Start::BadPose => return Completeness::Partial,
        Start::Ready(pair) => pair,
    };
    let ended = near_triangles(&pair, within, context, &mut |x, y| {
        let (x, y) = pair.in_given_order(x, y);
        listener(x, y);
    });
    if ended == Ended::Exhausted { Completeness::Complete } else { Completeness::Partial }
}

/// The same in the order of the pair.
fn near_triangles(
    pair: &Pair<'_>,
    within: f64,
    context: &mut QueryContext<'_>,
    listener: &mut dyn FnMut(u32, u32),
) -> Ended {
    let QueryContext { scratch, meter, .. } = context;
    let (simd, list) = (scratch.simd(), scratch.list());
    list.clear();
    list.push(Item::ROOTS);
    let Pair { a, b, frames, .. } = pair;
    let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Distances };
    let goal = within / a.packed.unit;
    // Rounded up, so that no pair is lost to the conversion.
    let cutoff = (goal * goal * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE;
    let mut visit =
        NearPairs { simd, cutoff, batch: Batch::default(), heard: Heard { pair, within, listener } };
    let ended = walk::walk(&test, &mut visit, list, meter, &mut NoTrace);
    let NearPairs { batch, heard, .. } = &mut visit;
    batch.measure(simd, &mut |candidate, _| heard.tell(candidate));
    ended
}

struct Heard<'t, 'a> {
    pair: &'t Pair<'a>,
    within: f64,
    listener: &'t mut dyn FnMut(u32, u32),
}

impl Heard<'_, '_> {
    #[inline(always)]
    fn tell(&mut self, candidate: &Candidate) -> f64 {
        if candidate.at_least <= self.within {
            for &a in self.pair.a.packed.copies(&candidate.a) {
                for &b in self.pair.b.packed.copies(&candidate.b) {
                    (self.listener)(a, b);
                }
            }
        }
        self.within
    }
}

struct NearPairs<'t, 'a> {
    simd: Supported,
    cutoff: f32,
    batch: Batch,
    heard: Heard<'t, 'a>,
}

impl Visit for NearPairs<'_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn leaves(&mut self, a: u32, b: u32, meter: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let heard = &mut self.heard;
        let (pair, within) = (heard.pair, heard.within);
        let leaves = LeafPair::new(pair, a, b);
        let mut tell = |candidate: &Candidate, _| heard.tell(candidate);
        if self.batch.add(self.simd, &leaves, &pair.frames, within, &mut tell).is_err() {
            for lane in bits(leaves.valid) {
                if !meter.allows_costly() {
                    return ControlFlow::Break(Ended::OutOfBudget);
                }
                let (a, b) = leaves.triangles(lane);
                let distance = pair.triangles(a, b).distance();
                self.heard.tell(&Candidate { at_least: distance.at_least, at_most: distance.at_most, a, b });
            }
        }
        ControlFlow::Continue(())
    }
}
