//! Two meshes during a step of a motion: the fraction of the step that is proven collision-free.
//!
//! The common tree traversal, ordered by the free fraction of node pairs. Pairs of triangles are measured
//! sixteen at a time as for distances. The direction between the nearest points of a pair then proves its
//! fraction in `f64`.

use super::leaf::LeafPair;
use super::leaf_distance::Batch;
use super::{Pair, bits};
use crate::budget::Meter;
use crate::context::QueryContext;
use crate::simd::Supported;
use crate::trace::{NoTrace, Trace};
use crate::tree::packed::{self, Drift, PackedPairs, Step};
use crate::tree::walk::{self, Candidate, Ended, Item, Visit};
use glam::DVec3;
use noli_geom::UNIT_ROUNDOFF;
use std::ops::ControlFlow;

/// A step of a motion, seen from the pair's A at its start.
pub(super) struct StepMotion {
    /// Drift of points of the pair's A, and of its B, in A's frame.
    pub(super) drift: [Drift; 2],
    /// Largest deviation of points from their drift, both bodies together, rounding included.
    pub(super) deviation: f64,
    /// Largest approach of any two points during the step.
    pub(super) approach: f64,
    /// A clearance that counts as contact.
    pub(super) margin: f64,
}

/// The pair of triangles that limits a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) a: u32,
    pub(super) b: u32,
    /// The share of the step in which it is proven free; beyond 1 where it limits nothing.
    pub(super) free: f64,
    /// Fraction after which the pair would touch if it kept its chords and its direction.
    pub(super) expected: f64,
    /// Bound from above on its clearance at the start of the step.
    pub(super) clearance: f64,
}

impl Limit {
    pub(super) const NONE: Self =
        Self { a: 0, b: 0, free: f64::INFINITY, expected: f64::INFINITY, clearance: f64::INFINITY };
}

/// Result of a step.
pub(super) struct Advanced {
    pub(super) ended: Ended,
    /// The triangles that are free for the shortest share, if any for less than the whole step.
    pub(super) limit: Limit,
}

/// Computes the largest safe fraction of a step. `hint` is a pair of triangles that is likely to limit it.
pub(super) fn advance(
    pair: &Pair<'_>,
    motion: &StepMotion,
    hint: Option<(u32, u32)>,
    context: &mut QueryContext<'_>,
) -> Advanced {
    let QueryContext { scratch, meter, trace, .. } = context;
    let (simd, list) = (scratch.simd(), scratch.list());
    list.clear();
    list.push(Item::ROOTS);
    let earliest = Earliest { pair, motion, limit: Limit::NONE, cut_short: false };
    let mut visit = Steps { simd, batch: Batch::default(), earliest };
    if let Some((a, b)) = hint {
        visit.earliest.measure_closely(a, b);
    }
    match trace {
        None => visit.walk(list, meter, &mut NoTrace),
        Some(trace) => visit.walk(list, meter, trace),
    }
}

/// The first colliding triangles found so far.
struct Earliest<'t, 'a> {
    pair: &'t Pair<'a>,
    motion: &'t StepMotion,
    limit: Limit,
    /// `true` if time ran out before all triangles were measured accurately enough.
    cut_short: bool,
}

impl Earliest<'_, '_> {
    /// Returns the fraction below which a pair is worth finding. It is less than the best known by as much as is
    /// lost to the deviation anyway. In a long step many pairs are nearly as good as the best, and distinguishing
    /// them costs more than another step.
    #[inline(always)]
    fn worth_finding(&self) -> f64 {
        let Limit { free, clearance, .. } = self.limit;
        // Never 0/0: a share that is no number would stop nothing.
        let left = (clearance - self.motion.margin).max(f64::MIN_POSITIVE);
        let given_up = (self.motion.deviation / left).min(0.3);
        if free > 1.0 { 1.0 } else { free * (1.0 - given_up) }
    }

    /// Returns the distance beyond which triangles cannot be the first to collide.
    fn reach(&self) -> f64 {
        let StepMotion { approach, deviation, margin, .. } = self.motion;
        self.worth_finding() * approach * (1.0 + 1e-9) + deviation + margin
    }

    /// By the direction in which packed arithmetic found them nearest, or more closely where what is left of the clearance beyond
    /// the margin is little more than noise: a direction that is off by that much would make no progress.
    #[inline(always)]
    fn consider(&mut self, candidate: &Candidate, vector: DVec3, meter: &mut Meter<'_>) -> f64 {
        let Candidate { at_least, at_most, a, b } = *candidate;
        let is_clear = at_most - at_least <= 0.125 * (at_least - self.motion.margin);
        match vector.try_normalize() {
            Some(direction) if is_clear => self.keep(a, b, direction, at_most),
            _ if meter.allows_costly() => self.measure_closely(a, b),
            _ => self.pass_over(candidate),
        }
        self.reach()
    }

    /// All that is known of triangles for which no time is left: nothing closes their clearance faster than the bodies approach.
    #[cold]
    fn pass_over(&mut self, candidate: &Candidate) {
        let StepMotion { approach, deviation, margin, .. } = self.motion;
        let free = (candidate.at_least - deviation - margin) / (approach * (1.0 + 1e-9));
        // A share that is no number is none.
        if free < self.limit.free || free.is_nan() {
            let Candidate { a, b, at_most, .. } = *candidate;
            self.limit = Limit { a, b, free: free.max(0.0), expected: 0.0, clearance: at_most };
        }
        self.cut_short = true;
    }

    #[cold]
    fn measure_closely(&mut self, a: u32, b: u32) {
        let distance = self.pair.triangles(a, b).distance();
        let separated = distance.witness_b - distance.witness_a;
        match separated.try_normalize() {
            Some(direction) if distance.at_least > 0.0 => self.keep(a, b, direction, distance.at_most),
            _ => self.limit = Limit { a, b, free: 0.0, expected: 0.0, clearance: distance.at_most },
        }
    }

    /// Updates the limit with two triangles on their chords. Along a fixed direction the clearance of the chords is
    /// a concave function of time. So the smaller of its end values bounds it from below.
    #[inline(always)]
    fn keep(&mut self, a: u32, b: u32, direction: DVec3, clearance: f64) {
        let [start, end] = self.clearances(a, b, direction);
        let StepMotion { deviation, margin, .. } = self.motion;
        let reserve = deviation + margin;
        if end > reserve && start > reserve {
            return;
        }
        let closing = start - end;
        let share = |clearance: f64| if closing > 0.0 { (clearance / closing).max(0.0) } else { 0.0 };
        let free = share(start - reserve) * (1.0 - 8.0 * UNIT_ROUNDOFF);
        if free < self.limit.free {
            self.limit = Limit { a, b, free, expected: share(start - margin), clearance };
        }
    }

    /// Lower bounds on the clearance along a unit direction at both ends of the step. Vertices err by the rounding
    /// of the pose (`point_error` and the drift's own, which is part of the deviation); products by `4u` of
    /// the coordinates.
    #[inline(always)]
    fn clearances(&self, a: u32, b: u32, direction: DVec3) -> [f64; 2] {
        let pose = self.pair.frame.pose();
        let a = self.pair.a.triangle(a).vertices;
        let b = self.pair.b.triangle(b).vertices;
        let [drift_a, drift_b] = &self.motion.drift;
        let (mut start, mut end) = ([f64::NEG_INFINITY, f64::INFINITY], [f64::NEG_INFINITY, f64::INFINITY]);
        let mut size = 0.0f64;
        for p in a {
            let (x, drift) = (direction.dot(p), direction.dot(drift_a.of(p)));
            start[0] = start[0].max(x);
            end[0] = end[0].max(x + drift);
            size = size.max(p.abs().element_sum());
        }
        for p in b {
            let placed = pose.transform_point(p);
            let (x, drift) = (direction.dot(placed), direction.dot(drift_b.of(p)));
            start[1] = start[1].min(x);
            end[1] = end[1].min(x + drift);
            size = size.max(placed.abs().element_sum());
        }
        let error = 16.0 * UNIT_ROUNDOFF * size;
        [start, end].map(|[high_a, low_b]| low_b - high_a - error)
    }
}

struct Steps<'t, 'a> {
    simd: Supported,
    batch: Batch,
    earliest: Earliest<'t, 'a>,
}

impl Steps<'_, '_> {
    /// Dives for a first limit where there is none, then visits all that may be lower.
    fn walk<T: Trace>(&mut self, list: &mut Vec<Item>, meter: &mut Meter<'_>, trace: &mut T) -> Advanced {
        let Earliest { pair, motion, .. } = self.earliest;
        let Pair { a, b, frames, .. } = pair;
        let [drift_a, drift_b] = &motion.drift;
        let reserve = motion.deviation + motion.margin;
        let step = Step::new((a.packed, drift_a), (b.packed, drift_b), reserve);
        let kernel = packed::Steps(&step);
        let test = PackedPairs { simd: self.simd, a: a.packed, b: b.packed, frames, kernel };
        let mut ended = Ended::Exhausted;
        if self.earliest.limit.free > 1.0 {
            ended = walk::dive(&test, self, list, meter, trace);
            self.measure(meter);
        }
        if ended == Ended::Exhausted {
            ended = walk::walk(&test, self, list, meter, trace);
        }
        self.measure(meter);
        if self.earliest.cut_short {
            ended = Ended::OutOfBudget;
        }
        let mut limit = self.earliest.limit;
        limit.free = self.earliest.worth_finding();
        if ended == Ended::OutOfBudget {
            // What was not visited is free for as long as its boxes are.
            limit.free = list.iter().map(|item| f64::from(item.key).max(0.0)).fold(limit.free, f64::min);
        }
        Advanced { ended, limit }
    }

    #[inline(always)]
    fn measure(&mut self, meter: &mut Meter<'_>) {
        let earliest = &mut self.earliest;
        self.batch.measure(self.simd, &mut |candidate, vector| earliest.consider(candidate, vector, meter));
    }
}

impl Visit for Steps<'_, '_> {
    /// Rounded up, so that no pair is lost to the conversion.
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.earliest.worth_finding() as f32 * (1.0 + 1e-6)
    }

    #[inline(always)]
    fn leaves(&mut self, a: u32, b: u32, meter: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let pair = self.earliest.pair;
        let leaves = LeafPair::new(pair, a, b);
        let earliest = &mut self.earliest;
        let reach = earliest.reach();
        let mut consider = |candidate: &Candidate, vector| earliest.consider(candidate, vector, meter);
        if self.batch.add(self.simd, &leaves, &pair.frames, reach, &mut consider).is_err() {
            for lane in bits(leaves.valid) {
                if !meter.allows_costly() {
                    return ControlFlow::Break(Ended::OutOfBudget);
                }
                let (a, b) = leaves.triangles(lane);
                self.earliest.measure_closely(a, b);
            }
        }
        // Nothing can be worse than no progress at all.
        if self.earliest.limit.free == 0.0 {
            ControlFlow::Break(Ended::Answered)
        } else {
            ControlFlow::Continue(())
        }
    }
}
