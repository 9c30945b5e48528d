//! Pairs of triangles that are near each other.

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::{Pair, Start, bits, start};
use crate::answer::Coverage;
use crate::budget::Meter;
use crate::context::Ask;
use crate::model::MeshAt;
use crate::simd::{self, Simd, Task};
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Distances, PackedPairs};
use crate::tree::walk::{self, Candidate, Ended, Item, Visit};
use std::ops::ControlFlow;

/// Tell of all pairs of triangles, of A and B, that may be within a distance; whether these are all.
pub(crate) fn near_faces(
    a: &MeshAt<'_>,
    b: &MeshAt<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    listener: &mut dyn FnMut(u32, u32),
) -> Coverage {
    let pair = match start(a, b) {
        Start::Empty => return Coverage::Whole,
        Start::BadPose => return Coverage::Part,
        Start::Ready(pair) => pair,
    };
    let ended = near_triangles(&pair, within, ask, &mut |x, y| {
        let (x, y) = pair.in_given_order(x, y);
        listener(x, y);
    });
    if ended == Ended::Exhausted { Coverage::Whole } else { Coverage::Part }
}

/// The same in the order of the pair.
fn near_triangles(
    pair: &Pair<'_>,
    within: f64,
    ask: &mut Ask<'_>,
    listener: &mut dyn FnMut(u32, u32),
) -> Ended {
    let Ask { scratch, meter, .. } = ask;
    let (instructions, list) = (scratch.instructions(), scratch.list());
    list.clear();
    list.push(Item { key: 0.0, a: 0, b: 0 });
    simd::dispatch(instructions, NearTask { pair, within, meter, list, listener })
}

struct NearTask<'t, 'a, 'b> {
    pair: &'t Pair<'a>,
    within: f64,
    meter: &'t mut Meter<'b>,
    list: &'t mut Vec<Item>,
    listener: &'t mut dyn FnMut(u32, u32),
}

impl Task for NearTask<'_, '_, '_> {
    type Output = Ended;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Ended {
        let Pair { a, b, frames, .. } = self.pair;
        let test = PackedPairs { simd, a: a.packed, b: b.packed, frames, kernel: Distances };
        let goal = self.within / a.packed.unit;
        // Rounded up, so that no pair is lost to the conversion.
        let cutoff = (goal * goal * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE;
        let heard = Heard { pair: self.pair, within: self.within, listener: self.listener };
        let mut visit = NearPairs { simd, cutoff, batch: Batch::default(), heard };
        let ended = walk::walk(&test, &mut visit, self.list, self.meter, &mut NoTrace);
        let NearPairs { batch, heard, .. } = &mut visit;
        batch.measure(simd, &mut |candidate, _| heard.tell(candidate));
        ended
    }
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

struct NearPairs<'t, 'a, S> {
    simd: S,
    cutoff: f32,
    batch: Batch,
    heard: Heard<'t, 'a>,
}

impl<S: Simd> Visit for NearPairs<'_, '_, S> {
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
