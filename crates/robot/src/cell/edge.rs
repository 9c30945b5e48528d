//! Straight motions in joint space: collision-free by proof, or a configuration that collides.
//!
//! Sixteen segments of a motion are classified at a time. Pairs that the filter leaves unsure are resolved by the
//! exact engine with the bound on the motion of the segment; segments that stay open are halved.

use super::filter::{Request, Scope, Segments, Stop};
use super::trail::{Course, Segment, Trail};
use super::{Checker, LANES, StateStatus};
use crate::{ConfigurationError, JointMotionError};
use noli::{Impact, Overlap};

/// Status of the straight motion in joint space between two configurations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotionStatus {
    /// Collision-free, proven for every moment.
    Free,
    /// In collision: at this share of the motion a pair intersects, or is closer than its margin.
    Blocked {
        /// From 0 to 1; not the first such moment.
        at: f64,
        /// The pair of [`Cell::pairs`](super::Cell::pairs).
        pair: usize,
    },
    /// Undecided: a pair comes so close to its margin that neither is proven, about a millionth of its size.
    Close {
        /// From 0 to 1.
        at: f64,
        /// The pair of [`Cell::pairs`](super::Cell::pairs).
        pair: usize,
    },
}

/// Reason that configurations are no motion that can be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EdgeError {
    /// An end that is an invalid configuration.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// Configurations that give no motion.
    #[error(transparent)]
    Motion(#[from] JointMotionError),
}

/// Segments that are classified before the motion is left to [`Checker::edge`].
const SEGMENTS: usize = 20_000;

/// Result of a proof over some segments.
enum Settled {
    /// No configuration that collides was found.
    Open,
    Blocked(MotionStatus),
    /// Something is too close to be decided.
    Close,
}

impl Checker<'_> {
    /// Proves the straight motion in joint space collision-free, or returns a moment at which it is not.
    ///
    /// Quicker than [`first_contact_on_edge`](Self::first_contact_on_edge), which returns the first contact.
    #[doc(alias("checkMotion", "validate_motion", "isPathValid"))]
    pub fn check_motion(&mut self, from: &[f64], to: &[f64]) -> Result<MotionStatus, EdgeError> {
        self.cell.check_values(from)?;
        self.cell.check_values(to)?;
        self.prepare(LANES);
        if let Some(found) = self.try_connect(from, to) {
            return Ok(found);
        }
        Ok(match self.first_contact_on_edge(from, to)? {
            Impact::Free => MotionStatus::Free,
            Impact::AtStart(touch) => MotionStatus::Blocked { at: 0.0, pair: touch.pair },
            Impact::At { time, touch } => {
                let values: Vec<f64> =
                    from.iter().zip(to).map(|(a, b)| a + (b - a) * time.touching_by).collect();
                let (at, pair) = (time.touching_by, touch.pair);
                match self.check_state(&values)? {
                    StateStatus::Hit(pair) => MotionStatus::Blocked { at, pair },
                    _ => MotionStatus::Close { at, pair },
                }
            }
            Impact::Unknown { safe_until } => MotionStatus::Close { at: safe_until, pair: 0 },
        })
    }

    /// Sixteen segments at a time; `None` where that does not answer.
    pub(super) fn try_connect(&mut self, from: &[f64], to: &[f64]) -> Option<MotionStatus> {
        let mut trail = std::mem::take(&mut self.trail);
        trail.start(&self.cell.filter, from, to);
        let found = self.connect(&mut trail, &Course::Straight(from));
        self.trail = trail;
        found
    }

    /// Classifies the segments of a started trail; `None` where that does not answer.
    pub(super) fn connect(&mut self, trail: &mut Trail, course: &Course<'_>) -> Option<MotionStatus> {
        let (mut all, mut classified) = (true, 0);
        let most = SEGMENTS.max(64 * course.pieces());
        while !trail.now.segments.is_empty() {
            trail.next.segments.clear();
            trail.next.open.clear();
            for start in (0..trail.now.segments.len()).step_by(LANES) {
                let count = (trail.now.segments.len() - start).min(LANES);
                let mut taken = [Segment::default(); LANES];
                taken[..count].copy_from_slice(&trail.now.segments[start..][..count]);
                let taken = &taken[..count];
                classified += count;
                if classified > most {
                    return None;
                }
                match self.classify_segments(trail, course, taken, all) {
                    Settled::Open => {}
                    Settled::Blocked(found) => return Some(found),
                    Settled::Close => return None,
                }
            }
            all = false;
            std::mem::swap(&mut trail.now, &mut trail.next);
        }
        Some(MotionStatus::Free)
    }

    /// Up to sixteen segments, with all pairs or those that are open.
    fn classify_segments(
        &mut self,
        trail: &mut Trail,
        course: &Course<'_>,
        taken: &[Segment],
        all: bool,
    ) -> Settled {
        trail.fill(course, taken);
        let Trail { states, candidates, .. } = &*trail;
        let candidates = if all { None } else { Some(&candidates[..]) };
        let segments = Segments { spread: trail.spread(course), candidates };
        let (tables, count) = (self.cell.tables(), taken.len());
        let scope = Scope::Segments(&segments);
        let request = Request { states, count, tables, stop: Stop::Anywhere, scope };
        self.cell.filter.classify(&mut self.batch, request);
        if (0..count).any(|lane| self.batch.is_out_of_range(lane)) {
            return Settled::Close;
        }
        if let Some((lane, pair)) = self.batch.first_collision() {
            let pair = self.cell.filter.pairs[pair as usize].pair as usize;
            return Settled::Blocked(MotionStatus::Blocked { at: course.time(&taken[lane]), pair });
        }
        self.settle(trail, course, taken)
    }

    /// Exact queries on unsure pairs, and the halves of segments in which some stay open.
    fn settle(&mut self, trail: &mut Trail, course: &Course<'_>, taken: &[Segment]) -> Settled {
        let size = self.cell.data.values;
        for (lane, segment) in taken.iter().enumerate() {
            self.forget_poses();
            let first = trail.next.open.len();
            let values = &trail.states[lane * size..][..size];
            let mut next = self.batch.first_unsure(lane);
            while let Some(number) = self.batch.unsure_pair(next, lane) {
                next += 1;
                match self.settle_pair(values, lane, number, trail.sum) {
                    PairSettled::Separated => {}
                    PairSettled::Open => trail.next.open.push(number),
                    PairSettled::Close => return Settled::Close,
                    PairSettled::Collision => {
                        let pair = self.cell.filter.pairs[number as usize].pair as usize;
                        return Settled::Blocked(MotionStatus::Blocked { at: course.time(segment), pair });
                    }
                }
            }
            let open = [first, trail.next.open.len()];
            if trail.within_tolerance[lane] {
                // Halves have the same tolerance.
                trail.kept.extend(trail.next.open.drain(first..).map(|number| (*segment, number)));
            } else if open[0] < open[1] {
                let half = 0.5 * segment.half;
                let halves = [segment.middle - half, segment.middle + half];
                trail.next.segments.extend(halves.map(|middle| Segment { middle, half, open, ..*segment }));
            }
        }
        Settled::Open
    }

    /// A pair in a segment: separated in all of it, in collision in its middle, or neither.
    fn settle_pair(&mut self, values: &[f64], lane: usize, number: u32, sum: f64) -> PairSettled {
        let filter = &self.cell.filter;
        let pair = &filter.pairs[number as usize];
        let more = filter.length(self.batch.path(filter.route(number), lane));
        let sizes = pair.pieces.map(|piece| filter.radius(piece));
        let smaller = sizes[0].min(sizes[1]);
        // A query that is bound to be answered with yes is not worth its time; NaN is without bounds.
        if more.is_nan() || more > 0.3 * smaller {
            return PairSettled::Open;
        }
        self.pose(values, pair);
        let far = sizes[0] + sizes[1] + filter.reach() + self.cell.data.origin().length();
        let error = 1e-12 * far * (1.0 + sum);
        if self.within_distance(pair, pair.margin + more + error) == Overlap::Free {
            return PairSettled::Separated;
        }
        if self.within_distance(pair, pair.margin) == Overlap::Hit {
            return PairSettled::Collision;
        }
        if more < 1e-5 * smaller { PairSettled::Close } else { PairSettled::Open }
    }
}

/// Result of one pair in a segment.
enum PairSettled {
    Separated,
    Collision,
    Open,
    /// Too close to be decided.
    Close,
}
