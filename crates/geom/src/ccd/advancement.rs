//! Two classic conservative methods on features, kept for comparison with inclusion.
//!
//! Conservative advancement (Mirtich 1996) steps by the distance over a bound on the speed. Additive CCD
//! (Li, Kaufman & Jiang 2021) does so with the common motion removed. It stops once the distance is a tenth
//! of its initial value. A lower bound on the distance, proven along a direction, makes both safe against
//! rounding.

use super::FeaturePair;
use super::inclusion::{FINEST, FeatureQuery};
use super::patch::Patch;
use crate::number::round;
use crate::{Impact, TimeOfImpact};

/// Fraction of the initial distance at which additive CCD stops.
const KEPT: f64 = 0.1;

impl FeaturePair {
    /// Computes the first time at which the distance falls to the margin, by conservative advancement.
    /// **Conservative**, like [`FeaturePair::impact_by_inclusion`]; grazing contacts take many more steps.
    pub fn impact_by_advancement(&self, query: &FeatureQuery) -> Impact {
        let Some((patch, near)) = self.prepared(query) else { return Impact::Unknown { safe_until: 0.0 } };
        let speed = patch.speed();
        let mut time = 0.0;
        for _ in 0..query.steps {
            let nearest = patch.nearest(time);
            if nearest.length() <= patch.margin() + near {
                return stopped(time, (time + query.tolerance).min(1.0));
            }
            let step = (patch.proven_distance(nearest, time) - patch.margin()) / speed;
            if step.is_nan() || step <= 0.0 {
                break;
            }
            let next = time + round::down(step, 4);
            if next > 1.0 {
                return Impact::Free;
            }
            if next <= time {
                break;
            }
            time = next;
        }
        Impact::Unknown { safe_until: time }
    }

    /// Computes the first time at which the distance falls to the margin, by additive CCD. **Conservative** and
    /// coarse: it stops once the distance beyond the margin is below a tenth of its initial value. So
    /// `touching_by` is always the end.
    pub fn impact_by_additive(&self, query: &FeatureQuery) -> Impact {
        let Some((patch, _)) = self.prepared(query) else { return Impact::Unknown { safe_until: 0.0 } };
        let speed = self.relative_speed() * patch.scale();
        let distance = |time: f64| patch.proven_distance(patch.nearest(time), time) - patch.margin();
        let enough = KEPT * distance(0.0);
        if enough.is_nan() || enough <= 0.0 {
            return Impact::AtStart(());
        }
        let mut time = 0.0;
        for _ in 0..query.steps {
            let left = distance(time);
            if left < enough {
                return stopped(time, 1.0);
            }
            let next = time + (1.0 - KEPT) * left / speed;
            if next > 1.0 || speed == 0.0 {
                return Impact::Free;
            }
            time = next;
        }
        Impact::Unknown { safe_until: time }
    }

    /// The patch and what is near, for a pair and a query that make sense.
    fn prepared(&self, query: &FeatureQuery) -> Option<(Patch, f64)> {
        if !self.is_valid() || !query.is_valid() {
            return None;
        }
        let patch = Patch::new(self, query.margin);
        let near = query.tolerance.max(FINEST) * patch.size();
        Some((patch, near))
    }

    /// A bound on the speed at which the features approach: the fastest point of each after their mean motion
    /// is taken off.
    fn relative_speed(&self) -> f64 {
        let paths: [glam::DVec3; 4] = std::array::from_fn(|k| self.end[k] - self.start[k]);
        let mean = paths.iter().fold(glam::DVec3::ZERO, |sum, p| sum + *p * 0.25);
        let fastest = |part: &[glam::DVec3]| part.iter().map(|p| (*p - mean).length()).fold(0.0, f64::max);
        let (first, second) = paths.split_at(self.first());
        let largest = paths.iter().fold(0.0, |m: f64, p| m.max(p.length()));
        // The differences may have cancelled.
        fastest(first) + fastest(second) + round::off(largest, 32)
    }
}

fn stopped(safe_until: f64, touching_by: f64) -> Impact {
    if safe_until == 0.0 {
        return Impact::AtStart(());
    }
    Impact::At { time: TimeOfImpact { safe_until, touching_by }, touch: () }
}
