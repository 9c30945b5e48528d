//! A part of a motion, or all of it at another speed.

use super::Motion;
use crate::{Pose, Sphere};

/// The part of a motion between two of its times, over the time from 0 to 1. Beyond its own end a motion
/// rests, so a window that reaches past 1 is the whole motion, done early.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// What moves.
    pub motion: &'a dyn Motion,
    /// The time of the motion when the window is at 0.
    pub from: f64,
    /// The time of the motion when the window is at 1; later than `from`.
    pub to: f64,
}

impl Window<'_> {
    /// Never falls as `t` rises, whatever the rounding: bounds over inner times are bounds over outer ones.
    fn inner(&self, t: f64) -> f64 {
        let time = if t >= 1.0 { self.to } else { self.from + (self.to - self.from) * t };
        time.min(self.to).clamp(0.0, 1.0)
    }

    /// When the window is at a time of the motion.
    fn outer(&self, time: f64) -> f64 {
        (time - self.from) / (self.to - self.from)
    }
}

impl Motion for Window<'_> {
    fn pose(&self, t: f64) -> Pose {
        self.motion.pose(self.inner(t))
    }

    fn travel(&self, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        self.motion.travel(ball, self.inner(t0), self.inner(t1))
    }

    /// Across the motion's end, twice the travel: the point and its chord both stay that near to the start.
    /// Before it, a little more than the motion's own, because rounded times are not quite even.
    fn chord_deviation(&self, ball: &Sphere, t0: f64, t1: f64) -> f64 {
        let (s0, s1) = (self.inner(t0), self.inner(t1));
        let rests = |t: f64| t > self.outer(1.0) || t < self.outer(0.0);
        if s0 < s1 && (rests(t0) || rests(t1)) {
            return 2.0 * self.motion.travel(ball, s0, s1);
        }
        let uneven = f64::EPSILON / (s1 - s0).max(f64::EPSILON);
        self.motion.chord_deviation(ball, s0, s1) + 8.0 * uneven.min(1.0) * self.motion.travel(ball, s0, s1)
    }

    fn next_bend(&self, t: f64) -> f64 {
        let inner = self.inner(t);
        let bend = self.outer(self.motion.next_bend(inner));
        let end = self.outer(1.0);
        [bend, end].into_iter().filter(|&at| at > t).fold(1.0, f64::min)
    }
}
