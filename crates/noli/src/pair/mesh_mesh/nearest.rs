//! Distance of two meshes: the common tree traversal, searching the nearest triangles.
//!
//! Packed brackets keep a proven upper bound and the few triangle pairs that may realise the distance. Those
//! are resolved in `f64` or beyond at the end.

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::shared::{self, Rest};
use super::{Pair, bits};
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::simd::Supported;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{Distances, PackedPairs};
use crate::tree::walk::{self, Candidate, Ended, Item, Visit};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

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
    let may_split = context.may_split();
    let QueryContext { scratch, meter, trace, .. } = context;
    let simd = scratch.simd();
    let (list, candidates) = scratch.lists();
    list.clear();
    list.push(Item::ROOTS);
    let best = Best::new(pair, search, candidates);
    let mut visit = Nearest { simd, pair, search, batch: Batch::default(), best };
    match trace {
        None => visit.walk(list, meter, may_split, &mut NoTrace),
        Some(trace) => visit.walk(list, meter, false, trace),
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
pub(super) struct Best<'t> {
    candidates: &'t mut Vec<Candidate>,
    per_unit: f64,
    pub(super) tolerance: f64,
    /// Proven upper bound, infinite until a pair is found.
    proven: f64,
    /// Bound that a pair must beat: the proven distance, or the range of the search.
    pub(super) at_most: f64,
    /// Square of what a pair must beat, in units of A.
    cutoff: f32,
}

impl<'t> Best<'t> {
    /// Begins with a pair that is likely to be near, if one is known; it need not be.
    pub(super) fn new(pair: &Pair<'_>, search: &Search, candidates: &'t mut Vec<Candidate>) -> Self {
        candidates.clear();
        let mut best = Self {
            candidates,
            per_unit: pair.a.packed.unit.recip(),
            tolerance: search.tolerance,
            proven: f64::INFINITY,
            at_most: search.within,
            cutoff: f32::INFINITY,
        };
        best.lower_cutoff();
        if let Some((a, b)) = search.seed {
            let distance = pair.triangles(a, b).distance();
            best.keep(&Candidate { at_least: distance.at_least, at_most: distance.at_most, a, b });
        }
        best
    }

    fn lower_cutoff(&mut self) {
        let goal = (self.at_most - self.tolerance).max(0.0) * self.per_unit;
        // Rounded up, so that no pair is lost to the conversion.
        self.cutoff = (goal * goal * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE;
    }

    /// Keep a candidate if it may be the nearest; the bound that others must beat now.
    #[inline(always)]
    pub(super) fn keep(&mut self, candidate: &Candidate) -> f64 {
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
    fn walk<T: Trace>(
        &mut self,
        list: &mut Vec<Item>,
        meter: &mut Meter<'_>,
        may_split: bool,
        trace: &mut T,
    ) -> Found {
        let (pair, search) = (self.pair, self.search);
        let Pair { a, b, frames, .. } = pair;
        let test = PackedPairs { simd: self.simd, a: a.packed, b: b.packed, frames, kernel: Distances };
        let mut ended = Ended::Exhausted;
        if self.best.proven == f64::INFINITY {
            ended = walk::dive(&test, self, list, meter, trace);
            self.measure();
            list.retain(|item| item.key <= self.best.cutoff);
        }
        if ended == Ended::Exhausted && may_split {
            let begun = shared::begin(meter, |few| walk::walk(&test, self, list, few, trace));
            self.measure();
            ended = begun.unwrap_or_else(|| self.share_out(&test, list, meter));
        } else if ended == Ended::Exhausted {
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

    /// Searches the rest on many threads. Each node pair starts with the bound known when its turn came, on any
    /// thread.
    #[cold]
    fn share_out(
        &mut self,
        test: &PackedPairs<'_, Distances>,
        list: &mut Vec<Item>,
        meter: &mut Meter<'_>,
    ) -> Ended {
        let Self { simd, pair, search, best, .. } = self;
        let (simd, pair, search, budget) = (*simd, *pair, *search, meter.budget());
        let known = AtomicU64::new(best.at_most.to_bits());
        let run = |item: &Item| {
            let (mut list, mut candidates, mut meter) = (vec![*item], Vec::new(), budget.meter());
            // Changed only between windows.
            let within = f64::from_bits(known.load(Ordering::Relaxed));
            let search = Search { within, seed: None, ..*search };
            let best = Best::new(pair, &search, &mut candidates);
            let mut visit = Nearest { simd, pair, search: &search, batch: Batch::default(), best };
            let ended = walk::walk(test, &mut visit, &mut list, &mut meter, &mut NoTrace);
            visit.measure();
            (ended, candidates, meter.taken())
        };
        let rest = Rest { test, list, cutoff: best.cutoff };
        rest.finish(meter, run, |_, (ended, candidates, steps), meter| {
            meter.spend(steps);
            for candidate in &candidates {
                best.keep(candidate);
            }
            known.store(best.at_most.to_bits(), Ordering::Relaxed);
            match ended {
                _ if best.proven <= search.enough => ControlFlow::Break(Ended::Answered),
                Ended::OutOfBudget => ControlFlow::Break(Ended::OutOfBudget),
                _ => ControlFlow::Continue(()),
            }
        })
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
