//! Conservative time of impact by inclusion, with a minimum separation.
//!
//! Tight-Inclusion (Wang et al. 2021) bisects boxes of (t, u, v). It discards those whose vertices lie on
//! one side of the origin along a coordinate axis. Here u and v are never subdivided. At each instant the
//! patch of differences is convex, so some direction separates it if separation is possible. Along a fixed
//! direction, separation ends at the root of a linear function. Iterating with the direction of the nearest
//! point contracts the front of the time span. Convergence is quadratic near a transversal contact. Near a
//! grazing contact it is by halves, where boxes multiply by the million.
//!
//! The remaining case is a near contact. Without a margin the coplanarity cubic then distinguishes it from
//! a contact where that can be proven in `f64`. So false positives remain only among degenerate near
//! misses.

use super::patch::Patch;
use super::{FeaturePair, filter};
use crate::{Impact, TimeOfImpact};

/// Parameters of a conservative [`Impact`] query for two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureQuery {
    /// The distance, a length, at or below which they count as touching.
    pub margin: f64,
    /// Distance, as a fraction of the size of the pair, at which a near miss may be reported as a contact. Also
    /// the widest bracket in time.
    pub tolerance: f64,
    /// At most so many steps; a step takes about 50 nanoseconds.
    pub steps: u32,
}

impl Default for FeatureQuery {
    fn default() -> Self {
        Self { margin: 0.0, tolerance: 1e-6, steps: 10_000 }
    }
}

impl FeatureQuery {
    /// The same, asking for contact alone.
    pub fn without_margin(self) -> Self {
        Self { margin: 0.0, ..self }
    }

    /// Returns `true` if margin and tolerance are numbers of at least 0.
    pub fn is_valid(&self) -> bool {
        self.margin >= 0.0 && self.tolerance >= 0.0
    }
}

/// After so many steps being within the tolerance is enough, however much time there is to gain.
const PATIENCE: u32 = 48;

/// A smaller tolerance counts as this: directions of thin triangles are not known better.
pub(super) const FINEST: f64 = 1.0 / (1u64 << 32) as f64;

impl FeaturePair {
    /// Computes the first time at which the distance falls to the margin. **Conservative**: never late, and a
    /// reported near miss is within margin and tolerance.
    ///
    /// A simple root of the coplanarity condition is bracketed like the exact one. Otherwise the distance at
    /// `safe_until` is already within margin and tolerance. If the steps run out, the answer is `Unknown` from
    /// that time on.
    pub fn impact_by_inclusion(&self, query: &FeatureQuery) -> Impact {
        if !self.is_valid() || !query.is_valid() {
            return Impact::Unknown { safe_until: 0.0 };
        }
        if query.margin == 0.0 && self.separated_along_an_axis() {
            return Impact::Free;
        }
        let patch = Patch::new(self, query.margin);
        let near = query.tolerance.max(FINEST) * patch.size();
        match patch.advance(near, query.tolerance, &mut { query.steps }) {
            Advance::Free => Impact::Free,
            Advance::Near(time) => self.settled(time, query),
            Advance::OutOfSteps(time) => Impact::Unknown { safe_until: time },
        }
    }

    /// Returns the answer when the features are collision-free until `time` and hard to separate then.
    fn settled(&self, time: f64, query: &FeatureQuery) -> Impact {
        let proven = if query.margin == 0.0 { filter::impact_after(self, time) } else { None };
        proven.unwrap_or_else(|| {
            if time == 0.0 {
                return Impact::AtStart(());
            }
            let touching_by = (time + query.tolerance).min(1.0);
            Impact::At { time: TimeOfImpact { safe_until: time, touching_by }, touch: () }
        })
    }
}

/// Progress in following a patch.
pub(super) enum Advance {
    /// It keeps more than the margin to the end.
    Free,
    /// It does so up to a time at which it is near.
    Near(f64),
    /// Out of steps at this time.
    OutOfSteps(f64),
}

impl Patch {
    /// Follow the patch while it surely keeps more than its margin. Near is a distance of at most `near` beyond
    /// the margin, once a step gains no more than `least` time.
    #[inline]
    pub(super) fn advance(&self, near: f64, least: f64, steps: &mut u32) -> Advance {
        let near = self.margin() + near;
        let mut time = 0.0;
        for step in 0.. {
            if *steps == 0 {
                break;
            }
            *steps -= 1;
            let nearest = self.nearest(time);
            let close = nearest.length() <= near;
            let mut next = self.free_until(nearest, time);
            if next == time && !close {
                next = self.free_until(self.best_direction(time), time);
                if next == time {
                    break;
                }
            }
            if next == f64::INFINITY {
                return Advance::Free;
            }
            let gained = next - time;
            time = next;
            if close && (gained <= least || step >= PATIENCE) {
                // The nearest point of a patch closing to a line is mere rounding: others have a say.
                let rescued = self.free_until(self.best_direction(time), time);
                if rescued == f64::INFINITY {
                    return Advance::Free;
                }
                if step >= PATIENCE || rescued - time <= least {
                    return Advance::Near(rescued);
                }
                time = rescued;
            }
        }
        Advance::OutOfSteps(time)
    }
}
