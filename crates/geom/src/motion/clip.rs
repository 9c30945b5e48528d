//! A part of a motion, all of it at another speed, or a motion that is held.

use super::Motion;
use crate::{Pose, Sphere};
use std::sync::Arc;

/// A motion cut, shifted, stretched or held in time: at its own time `t` it is where the motion is at `from +
/// (to − from)·t`. It rests before the motion begins, and from its end on, or from the time at which it is
/// [held](Self::held).
///
/// ```
/// use noli_geom::{Clip, Motion, Pose, RigidMotion};
/// use glam::DVec3;
/// use std::sync::Arc;
/// let ahead = RigidMotion::with_velocities(&Pose::IDENTITY, DVec3::X, DVec3::ZERO, DVec3::ZERO);
/// let x = |clip: &Clip, t: f64| clip.pose(t).translation.x;
/// let ahead: Arc<dyn Motion> = Arc::new(ahead);
/// let middle = Clip::new(ahead.clone(), 0.25, 0.75);
/// assert_eq!([0.0, 0.5, 1.0].map(|t| x(&middle, t)), [0.25, 0.5, 0.75]);
/// let hurried = Clip::within(ahead.clone(), 0.5);
/// assert_eq!([0.25, 0.5, 1.0].map(|t| x(&hurried, t)), [0.5, 1.0, 1.0]);
/// let stopped = Clip::held(ahead, 0.75);
/// assert_eq!([0.5, 0.75, 1.0].map(|t| x(&stopped, t)), [0.5, 0.75, 0.75]);
/// ```
#[derive(Clone, Debug)]
pub struct Clip {
    motion: Arc<dyn Motion>,
    /// The time of the motion when the clip is at 0.
    from: f64,
    /// The time of the motion when the clip is at 1; not before `from`.
    to: f64,
    /// The time of the motion from which on it is held, in [0, 1].
    hold: f64,
}

impl Clip {
    /// The part of a motion between two of its times. Beyond its ends a motion rests, so `from` may be before
    /// 0 and `to` after 1. If `to` is before `from`, or NaN, the clip rests at `from`.
    pub fn new(motion: Arc<dyn Motion>, from: f64, to: f64) -> Self {
        Self { motion, from, to: to.max(from), hold: 1.0 }
    }

    /// The whole motion within a share of the time, and rest for the remainder.
    pub fn within(motion: Arc<dyn Motion>, share: f64) -> Self {
        Self::new(motion, 0.0, 1.0 / share)
    }

    /// The motion as it is until a time, from which on it is held. NaN counts as 0.
    pub fn held(motion: Arc<dyn Motion>, at: f64) -> Self {
        let hold = if at.is_nan() { 0.0 } else { at.clamp(0.0, 1.0) };
        Self { hold, ..Self::new(motion, 0.0, 1.0) }
    }

    /// The motion it is part of.
    pub fn motion(&self) -> &Arc<dyn Motion> {
        &self.motion
    }

    /// The time of the motion at a time of the clip. Never falls as `t` rises, whatever the rounding: bounds
    /// over inner times are bounds over outer ones.
    pub fn inner(&self, t: f64) -> f64 {
        let time = if t >= 1.0 { self.to } else { self.from + (self.to - self.from) * t };
        time.min(self.to).clamp(0.0, self.hold)
    }

    /// Returns the clip time of a time of the motion.
    fn outer(&self, time: f64) -> f64 {
        (time - self.from) / (self.to - self.from)
    }

    /// Returns the unevenness of inner times between two of them, as a fraction of the whole path. Its cause is
    /// the rounding of times.
    ///
    /// With `S` the largest of `|from|`, `|to|` and `to − from`, an inner time errs by `3u·S`. It errs by as
    /// much again where the rounded time of rest replaces the true one. A fraction of the path consists of two
    /// differences of such times, so it errs by less than `24u·S = 12ε·S` of their distance. We state `16ε`; it
    /// never exceeds 1.
    fn unevenness(&self, s0: f64, s1: f64) -> f64 {
        if (self.from, self.to) == (0.0, 1.0) {
            return 0.0;
        }
        let size = self.from.abs().max(self.to.abs()).max(self.to - self.from).max(1.0);
        (16.0 * f64::EPSILON * size / (s1 - s0).max(f64::MIN_POSITIVE)).min(1.0)
    }
}

impl Motion for Clip {
    fn pose(&self, t: f64) -> Pose {
        self.motion.pose(self.inner(t))
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motion.travel(sphere, self.inner(t0), self.inner(t1))
    }

    /// Across the begin or end of rest, twice the travel: the point and its chord both stay that near to the
    /// start. Else a little more than the motion's own, because rounded times are not quite even.
    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let (s0, s1) = (self.inner(t0), self.inner(t1));
        let rests = |t: f64| t > self.outer(self.hold) || t < self.outer(0.0);
        if s0 < s1 && (rests(t0) || rests(t1)) {
            return 2.0 * self.motion.travel(sphere, s0, s1);
        }
        let own = self.motion.chord_deviation(sphere, s0, s1);
        match self.unevenness(s0, s1) {
            0.0 => own,
            uneven => (own + uneven * self.motion.travel(sphere, s0, s1)).next_up(),
        }
    }

    fn next_bend(&self, t: f64) -> f64 {
        let (begin, end) = (self.outer(0.0), self.outer(self.hold));
        if t >= end {
            return 1.0;
        }
        let bend = self.outer(self.motion.next_bend(self.inner(t)));
        [begin, bend, end].into_iter().filter(|&at| at > t).fold(1.0, f64::min)
    }
}
