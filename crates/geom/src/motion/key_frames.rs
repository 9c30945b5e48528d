//! Poses at times, joined by even motions.

use super::{Motion, RigidMotion, Turning};
use crate::{Pose, Sphere};
use glam::DVec3;

/// A motion through given poses.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyFrames {
    /// Times from 0 to 1, increasing; one more than there are segments.
    times: Vec<f64>,
    pieces: Vec<RigidMotion>,
}

/// Reason why a list of poses is not a motion.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KeyFramesError {
    /// Fewer than two poses.
    #[error("a motion through poses needs at least two of them, not {0}")]
    TooFew(usize),
    /// A time is not later than the one before.
    #[error(
        "time {1} of pose {0} does not come after the time of the pose before it; list poses in order of time"
    )]
    NotIncreasing(usize, f64),
    /// The first time is not 0 or the last is not 1.
    #[error("times must run from 0 to 1, not from {0} to {1}")]
    NotFromZeroToOne(f64, f64),
    /// A pose is not a pose.
    #[error("pose {0} is not a placement: a coordinate is not finite, or its quaternion is zero")]
    NotAPose(usize),
}

impl KeyFrames {
    /// Through poses at times that run from 0 to 1, turning about `pivot`, a point of the body.
    pub fn new(keys: &[(f64, Pose)], pivot: DVec3, turning: Turning) -> Result<Self, KeyFramesError> {
        let ([(first, _), .., (last, _)], true) = (keys, keys.len() >= 2) else {
            return Err(KeyFramesError::TooFew(keys.len()));
        };
        if let Some(i) = keys.iter().position(|(_, pose)| !pose.is_valid()) {
            return Err(KeyFramesError::NotAPose(i));
        }
        if (*first, *last) != (0.0, 1.0) {
            return Err(KeyFramesError::NotFromZeroToOne(*first, *last));
        }
        let in_order = |pair: &[(f64, Pose)]| pair[0].0 < pair[1].0;
        if let Some(i) = keys.windows(2).position(|pair| !in_order(pair)) {
            return Err(KeyFramesError::NotIncreasing(i + 1, keys[i + 1].0));
        }
        let piece = |pair: &[(f64, Pose)]| RigidMotion::interpolated(&pair[0].1, &pair[1].1, pivot, turning);
        Ok(Self {
            times: keys.iter().map(|key| key.0).collect(),
            pieces: keys.windows(2).map(piece).collect(),
        })
    }

    /// The times of the poses.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Returns the segment that contains a time; at a joint, the later one.
    fn piece_at(&self, t: f64) -> usize {
        self.times[1..self.pieces.len()].partition_point(|&joint| joint <= t)
    }

    /// Returns a time in the local time of its segment.
    fn local(&self, piece: usize, t: f64) -> f64 {
        let (start, end) = (self.times[piece], self.times[piece + 1]);
        ((t - start) / (end - start)).clamp(0.0, 1.0)
    }

    /// Returns the part of [t0, t1] in each segment it overlaps, in local times, widened slightly for the
    /// rounding.
    fn spans(&self, t0: f64, t1: f64) -> impl Iterator<Item = (&RigidMotion, f64, f64)> {
        let first = self.piece_at(t0);
        let last = self.times[1..self.pieces.len()].partition_point(|&joint| joint < t1).max(first);
        (first..=last).map(move |i| {
            let (s0, s1) = (self.local(i, t0), self.local(i, t1));
            (&self.pieces[i], (s0 - f64::EPSILON).max(0.0), (s1 + f64::EPSILON).min(1.0))
        })
    }
}

impl Motion for KeyFrames {
    fn pose(&self, t: f64) -> Pose {
        let piece = self.piece_at(t);
        self.pieces[piece].pose(self.local(piece, t))
    }

    fn travel(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        self.spans(t0, t1).map(|(piece, s0, s1)| piece.travel(sphere, s0, s1)).sum()
    }

    /// Across joints, twice the travel: the point and its chord both stay that near to the start.
    fn chord_deviation(&self, sphere: &Sphere, t0: f64, t1: f64) -> f64 {
        let mut spans = self.spans(t0, t1);
        match (spans.next(), spans.next()) {
            (Some((piece, s0, s1)), None) => piece.chord_deviation(sphere, s0, s1),
            _ => 2.0 * self.travel(sphere, t0, t1),
        }
    }

    fn next_bend(&self, t: f64) -> f64 {
        self.times[self.piece_at(t) + 1]
    }
}
