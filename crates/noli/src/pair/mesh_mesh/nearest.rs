//! Distance of two meshes: the common tree traversal, searching the nearest triangles.
//!
//! Packed brackets keep a proven upper bound and the few triangle pairs that may realise the distance. Those
//! are resolved in `f64` or beyond at the end.

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::{Pair, bits};
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::simd::Supported;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Distances, PackedPairs};
use crate::tree::walk::{self, Candidate, Ended, Item, Visit};
use std::ops::ControlFlow;

/// Goal of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Largest distance of interest.
    pub(super) within: f64,
    /// Stop as soon as a pair is proven to be this close.
    pub(super) enough: f64,
    /// Pairs that could improve the answer by no more than this may be passed over.
    pub(super) tolerance: f64,
    /// Triangles of the pair's `a` and `b` that are likely to be near.
    pub(super) seed: Option<(u32, u32)>,
}

impl Search {
    /// The nearest of all.
    pub(super) const NEAREST: Self = Self { within: f64::INFINITY, enough: 0.0, tolerance: 0.0, seed: None };

    /// Any pair that is this close.
    pub(super) fn any_within(margin: f64) -> Self {
        Self { within: margin, enough: margin, ..Self::NEAREST }
    }
}

/// Result.
pub(super) struct Found {
    pub(super) ended: Ended,
    /// Lower bound on the distance of all pairs that were culled or not visited.
    pub(super) rest_at_least: f64,
}

/// Fill `scratch.candidates` with the pairs that may be nearest.
pub(super) fn nearest(pair: &Pair<'_>, search: &Search, context: &mut QueryContext<'_>) -> Found {
    let QueryContext { scratch, meter, trace, .. } = context;
    let simd = scratch.simd();
    let (list, candidates) = scratch.lists();
    list.clear();
    candidates.clear();
    list.push(Item::ROOTS);
    let mut visit = Nearest {
        simd,
        pair,
        search,
        batch: Batch::default(),
        best: Best {
            candidates,
            per_unit: pair.a.packed.unit.recip(),
            tolerance: search.tolerance,
            proven: f64::INFINITY,
            at_most: search.within,
            cutoff: f32::INFINITY,
        },
    };
    visit.best.lower_cutoff();
    visit.seed();
    match trace {
        None => visit.walk(list, meter, &mut NoTrace),
        Some(trace) => visit.walk(list, meter, trace),
    }
}

struct Nearest<'t, 'a> {
    simd: Supported,
    pair: &'t Pair<'a>,
    search: &'t Search,
    batch: Batch,
    best: Best<'t>,
}

/// The best answer so far and the pairs that may still be it.
struct Best<'t> {
    candidates: &'t mut Vec<Candidate>,
    per_unit: f64,
    tolerance: f64,
    /// Proven upper bound, infinite until a pair is found.
    proven: f64,
    /// Bound that a pair must beat: the proven distance, or the range of the search.
    at_most: f64,
    /// Square of what a pair must beat, in units of A.
    cutoff: f32,
}

impl Best<'_> {
    fn lower_cutoff(&mut self) {
        let goal = (self.at_most - self.tolerance).max(0.0) * self.per_unit;
        // Rounded up, so that no pair is lost to the conversion.
        self.cutoff = (goal * goal * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE;
    }

    /// Keep a candidate if it may be the nearest; the bound that others must beat now.
    #[inline(always)]
    fn keep(&mut self, candidate: &Candidate) -> f64 {
        if candidate.at_least <= self.at_most {
            self.candidates.push(*candidate);
            self.proven = self.proven.min(candidate.at_most);
            if candidate.at_most < self.at_most {
                self.at_most = candidate.at_most;
                self.lower_cutoff();
            }
        }
        self.at_most
    }
}

impl Nearest<'_, '_> {
    /// Dives for a first bound where there is none, then visits all that may beat it.
    fn walk<T: Trace>(&mut self, list: &mut Vec<Item>, meter: &mut Meter<'_>, trace: &mut T) -> Found {
        let (pair, search) = (self.pair, self.search);
        let Pair { a, b, frames, .. } = pair;
        let test = PackedPairs { simd: self.simd, a: a.packed, b: b.packed, frames, kernel: Distances };
        let mut ended = Ended::Exhausted;
        if self.best.proven == f64::INFINITY {
            ended = walk::dive(&test, self, list, meter, trace);
            self.measure();
            list.retain(|item| item.key <= self.best.cutoff);
        }
        if ended == Ended::Exhausted {
            ended = walk::walk(&test, self, list, meter, trace);
        }
        self.measure();
        if ended == Ended::Exhausted && self.best.proven <= search.enough {
            ended = Ended::Answered;
        }
        let passed_over = (self.best.at_most - search.tolerance).max(0.0);
        let left = list.iter().map(|item| f64::from(item.key).sqrt() * a.packed.unit);
        Found { ended, rest_at_least: left.fold(passed_over, f64::min) }
    }

    /// Begin with a pair that is likely to be near; it need not be.
    fn seed(&mut self) {
        if let Some((a, b)) = self.search.seed {
            let distance = self.pair.triangles(a, b).distance();
            self.best.keep(&Candidate { at_least: distance.at_least, at_most: distance.at_most, a, b });
        }
    }

    #[inline(always)]
    fn measure(&mut self) {
        let best = &mut self.best;
        self.batch.measure(self.simd, &mut |candidate, _| best.keep(candidate));
    }

    /// For leaves that packed arithmetic cannot compare.
    #[cold]
    fn settle_now(&mut self, leaves: &LeafPair<'_>, meter: &mut Meter<'_>) -> ControlFlow<Ended> {
        for lane in bits(leaves.valid) {
            if !meter.allows_costly() {
                return ControlFlow::Break(Ended::OutOfBudget);
            }
            let (a, b) = leaves.triangles(lane);
            let distance = self.pair.triangles(a, b).distance();
            self.best.keep(&Candidate { at_least: distance.at_least, at_most: distance.at_most, a, b });
        }
        ControlFlow::Continue(())
    }
}

impl Visit for Nearest<'_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.best.cutoff
    }

    #[inline(always)]
    fn leaves(&mut self, a: u32, b: u32, meter: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let leaves = LeafPair::new(self.pair, a, b);
        let best = &mut self.best;
        let limit = best.at_most;
        let mut keep = |candidate: &Candidate, _| best.keep(candidate);
        if self.batch.add(self.simd, &leaves, &self.pair.frames, limit, &mut keep).is_err() {
            self.settle_now(&leaves, meter)?;
        }
        if self.best.proven <= self.search.enough {
            ControlFlow::Break(Ended::Answered)
        } else {
            ControlFlow::Continue(())
        }
    }
}
