//! A path as it is reported: poses, and proven properties of the motion through them.

use crate::rigid::{RigidMemory, RigidSpace};
use crate::space::Space;
use glam::DVec3;
use noli::answer::Bracket;
use noli::motion::{Motion, RigidMotion};
use noli::query::ClearanceQuery;
use noli::world::BodyId;
use noli::{Pose, QueryContext, Scratch};
use std::sync::Arc;

/// Strategy by which a path was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Strategy {
    /// The part is already removed at its start pose.
    Out,
    /// One straight pull.
    Pull,
    /// Several straight pulls.
    Pulls,
    /// A turn or a screw, guided by contact, and a pull.
    Screw,
    /// Random trees.
    Search,
    /// It was given.
    Given,
}

/// A removal path that is collision-free at all times, by proof.
///
/// From one pose to the next, the origin of the part moves straight at constant speed. The part rotates about
/// it by the smaller angle.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// Poses of the part from its start to its removal.
    pub poses: Vec<Pose>,
    /// Strategy by which it was found.
    pub how: Strategy,
    /// Path length of the centre of the part.
    pub length: f64,
    /// Total rotation, in radians.
    pub turned: f64,
    /// The smallest clearance along the path: a proven lower bound and a found upper bound.
    pub clearance: Bracket,
    /// The body with the smallest clearance, and its time as a share of the segments.
    pub tightest: Option<(BodyId, f64)>,
    /// `true` if it starts in contact. The first segment then slides off, proven by the swept volumes of faces.
    pub leaves_contact: bool,
}

/// Reason that a path is invalid.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counterexample {
    /// The colliding segment.
    pub segment: usize,
    /// The share of it that is.
    pub share: f64,
    /// Blocking obstacles.
    pub by: Option<BodyId>,
}

impl RigidSpace {
    /// Proves that the motion through given poses is collision-free at all times: straight, rotating about the
    /// part's origin.
    pub fn prove_path(&self, poses: &[Pose]) -> Result<(), Counterexample> {
        let mut memory = RigidMemory::default();
        // The hair by which rounding is undone.
        let first = usize::from(self.given != self.start && poses.first() == Some(&self.given));
        for (segment, pair) in poses.windows(2).enumerate().skip(first) {
            let number = segment - first;
            self.segment(number, &pair[0], &pair[1], &mut memory)
                .map_err(|refuted| Counterexample { segment, ..refuted })?;
        }
        Ok(())
    }

    fn segment(
        &self,
        segment: usize,
        a: &Pose,
        b: &Pose,
        memory: &mut RigidMemory,
    ) -> Result<(), Counterexample> {
        let shift = b.translation - a.translation;
        let is_pull = a.rotation == b.rotation;
        if segment == 0 && is_pull && *a == self.start && self.touches_at_start() {
            let (length, direction) = (shift.length(), shift.normalize_or_zero());
            let pull = self.pull_for(a, direction, length, memory);
            let (share, by) = (if length > 0.0 { pull.free / length } else { 1.0 }, pull.by);
            return if by.is_none() { Ok(()) } else { Err(Counterexample { segment, share, by }) };
        }
        let cast = self.cast(&about_origin(a, b), 0.0, memory);
        match cast.hit {
            None => Ok(()),
            Some((by, _)) => Err(Counterexample { segment, share: cast.until, by: Some(by) }),
        }
    }

    /// Returns the same path with poses between which the part may rotate about its origin instead of its centre.
    /// `None` if no tried number of intermediate poses makes that collision-free.
    pub(crate) fn through_origin(&self, poses: &[Pose]) -> Option<Vec<Pose>> {
        let mut memory = RigidMemory::default();
        let mut out = vec![poses[0]];
        for (segment, pair) in poses.windows(2).enumerate() {
            // Later poses first, so that the last of the list is next.
            let mut ahead = vec![(pair[1], 0u32)];
            let mut at = pair[0];
            while let Some((to, depth)) = ahead.pop() {
                let number = if segment == 0 && out.len() == 1 { 0 } else { 1 };
                if self.segment(number, &at, &to, &mut memory).is_ok() {
                    out.push(to);
                    at = to;
                } else if depth < 8 {
                    ahead.push((to, depth + 1));
                    ahead.push((self.between(&at, &to, 0.5), depth + 1));
                } else {
                    return None;
                }
            }
        }
        Some(out)
    }

    /// The nearest body at a pose, if it is nearer than this.
    pub(crate) fn nearest(
        &self,
        pose: &Pose,
        within: f64,
        scratch: &mut Scratch,
    ) -> Option<(Bracket, BodyId)> {
        let mut context = QueryContext::new(scratch);
        let mut best: Option<(Bracket, BodyId)> = None;
        for member in &self.members {
            let here = self.placed(member, pose);
            let bounds = self.model(member).aabb().transformed(&member.pose(pose));
            for pair in &member.pairs {
                let other = self.obstacle(pair.other);
                let max_distance = best.map_or(within, |(clearance, _)| clearance.at_most);
                if bounds.distance(&other.bounds) > max_distance {
                    continue;
                }
                let query = ClearanceQuery { max_distance, ..Default::default() };
                let clearance = context.clearance(&here, &other.placed(), &query).distance;
                if clearance.at_most < max_distance {
                    best = Some((clearance, pair.other));
                }
            }
        }
        best
    }

    /// Returns the distance of the nearest body at a pose, and the direction away from it. `None` if no body is
    /// within the part's radius, or it touches.
    pub(crate) fn nearest_path(&self, pose: &Pose, scratch: &mut Scratch) -> Option<(f64, DVec3)> {
        let (_, by) = self.nearest(pose, self.reach, scratch)?;
        let there = self.obstacle(by).placed();
        let mut best: Option<(f64, DVec3)> = None;
        for member in self.members.iter().filter(|member| member.pair(by).is_some()) {
            let here = self.placed(member, pose);
            let query = ClearanceQuery { max_distance: self.reach, ..Default::default() };
            let found = QueryContext::new(scratch).clearance(&here, &there, &query);
            let Some(witness) = found.witness else { continue };
            let away = (witness.on_a.point - witness.on_b.point).try_normalize();
            if let Some(away) =
                away.filter(|_| best.is_none_or(|(clearance, _)| found.distance.at_most < clearance))
            {
                best = Some((found.distance.at_most, away));
            }
        }
        best
    }

    /// Computes the smallest clearance along a collision-free path, with its body and time.
    pub(crate) fn room(&self, poses: &[Pose]) -> (Bracket, Option<(BodyId, f64)>) {
        const LOOKS: usize = 6;
        let mut scratch = Scratch::default();
        let segments = poses.len().saturating_sub(1);
        let mut best: Option<(f64, BodyId, f64)> = None;
        let mut look = |time: f64, best: &mut Option<(f64, BodyId, f64)>| {
            let (segment, share) = split(time, segments);
            let pose = match poses.get(segment + 1) {
                Some(next) => about_origin(&poses[segment], next).pose(share),
                None => poses[segment],
            };
            let within = best.map_or(f64::INFINITY, |found| found.0);
            if let Some((clearance, by)) = self.nearest(&pose, within, &mut scratch) {
                *best = Some((clearance.at_most, by, time));
            }
        };
        for k in 0..=LOOKS * segments {
            look(k as f64 / (LOOKS * segments).max(1) as f64, &mut best);
        }
        let Some((mut clearance, ..)) = best else { return (Bracket::INFINITE, None) };
        let mut at_least = 0.0;
        let mut memory = RigidMemory::default();
        for attempt in 0..8 {
            if clearance == 0.0 {
                break;
            }
            let room = clearance * (0.98 - 0.02 * f64::from(attempt));
            let finer = Self { tolerance: self.tolerance.min(0.005 * clearance), ..self.without_margins() };
            let refuted = poses.windows(2).enumerate().find_map(|(segment, pair)| {
                let cast = finer.cast(&about_origin(&pair[0], &pair[1]), room, &mut memory);
                cast.hit.map(|_| (segment as f64 + cast.until) / segments as f64)
            });
            match refuted {
                None => {
                    at_least = room;
                    break;
                }
                Some(time) => look(time, &mut best),
            }
            clearance = best.map_or(clearance, |found| found.0);
        }
        let found = best.map(|(_, by, time)| (by, time));
        (Bracket { at_least, at_most: clearance }, found)
    }

    fn without_margins(&self) -> Self {
        let mut plain = self.clone();
        for member in &mut plain.members {
            member.widest = 0.0;
            member.pairs.iter_mut().for_each(|pair| pair.margin = 0.0);
        }
        plain
    }

    /// Creates the report of a collision-free path.
    pub(crate) fn report(&self, mut poses: Vec<Pose>, how: Strategy) -> Path {
        let middle = |pose: &Pose| pose.transform_point(self.pivot);
        // An empty sum is -0.
        let length = 0.0 + poses.windows(2).map(|w| middle(&w[0]).distance(middle(&w[1]))).sum::<f64>();
        let turned = 0.0 + poses.windows(2).map(|w| self.twist(&w[0], &w[1]).1.length()).sum::<f64>();
        let leaves_contact = self.touches_at_start() || self.given != self.start;
        let (clearance, tightest) = if leaves_contact {
            let by = self.members.iter().find_map(|member| member.touching().next());
            (Bracket::ZERO, by.map(|pair| (pair.other, 0.0)))
        } else {
            self.room(&poses)
        };
        if self.given != self.start && poses.first() == Some(&self.start) {
            poses.insert(0, self.given);
        }
        Path { poses, how, length, turned, clearance, tightest, leaves_contact }
    }
}

/// Returns the motion of a reported path between two poses.
pub(crate) fn about_origin(a: &Pose, b: &Pose) -> Arc<dyn Motion> {
    Arc::new(RigidMotion::between(a, b, DVec3::ZERO))
}

/// Splits a time of the whole into a segment and a share of it.
pub(crate) fn split(time: f64, segments: usize) -> (usize, f64) {
    let at = time * segments as f64;
    let segment = (at.floor() as usize).min(segments.saturating_sub(1));
    (segment, (at - segment as f64).clamp(0.0, 1.0))
}

impl Path {
    /// Returns the pose of the part at a share of the segments, from 0 to 1.
    pub fn pose(&self, time: f64) -> Pose {
        let (segment, share) = split(time, self.poses.len().saturating_sub(1));
        match self.poses.get(segment + 1) {
            Some(next) => about_origin(&self.poses[segment], next).pose(share),
            None => self.poses[segment],
        }
    }
}
