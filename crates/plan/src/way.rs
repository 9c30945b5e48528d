//! A way as it is reported: poses, and what is proven of the motion through them.

use crate::Space;
use crate::rigid::{RigidMemory, RigidSpace};
use glam::DVec3;
use noli::answer::Bracket;
use noli::motion::{Motion, RigidMotion};
use noli::query::ClearanceQuery;
use noli::world::BodyId;
use noli::{Ask, Pose, Scratch};
use std::sync::Arc;

/// How a way was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// The part is out where it stands.
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

/// A way out that is free at all times, by proof.
///
/// From one pose to the next, the origin of the part goes straight at even speed while the part turns about it by the
/// shorter way.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// Poses of the part from where it stands to where it is out.
    pub poses: Vec<Pose>,
    /// How it was found.
    pub how: How,
    /// How far the middle of the part goes.
    pub length: f64,
    /// How far it turns, in radians.
    pub turned: f64,
    /// The smallest gap along the way: proven to be at least, found to be at most.
    pub gap: Bracket,
    /// What it is smallest to, and after which share of the stretches.
    pub tightest: Option<(BodyId, f64)>,
    /// Whether it starts in contact: the first stretch then slides off, which is proven by what faces sweep.
    pub leaves_contact: bool,
}

/// Why a way is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Refuted {
    /// The stretch that is not free.
    pub stretch: usize,
    /// The share of it that is.
    pub share: f64,
    /// What is in the way.
    pub by: Option<BodyId>,
}

impl RigidSpace {
    /// Whether the motion through given poses is free at all times: straight on, turning about the part's origin.
    pub fn prove_way(&self, poses: &[Pose]) -> Result<(), Refuted> {
        let mut memory = RigidMemory::default();
        // The hair by which rounding is undone.
        let first = usize::from(self.given != self.start && poses.first() == Some(&self.given));
        for (stretch, pair) in poses.windows(2).enumerate().skip(first) {
            let number = stretch - first;
            self.stretch(number, &pair[0], &pair[1], &mut memory)
                .map_err(|refuted| Refuted { stretch, ..refuted })?;
        }
        Ok(())
    }

    fn stretch(&self, stretch: usize, a: &Pose, b: &Pose, memory: &mut RigidMemory) -> Result<(), Refuted> {
        let shift = b.translation - a.translation;
        let is_pull = a.rotation == b.rotation;
        if stretch == 0 && is_pull && *a == self.start && self.touches_at_start() {
            let (length, direction) = (shift.length(), shift.normalize_or_zero());
            let pull = self.pull_for(a, direction, length, memory);
            let (share, by) = (if length > 0.0 { pull.free / length } else { 1.0 }, pull.by);
            return if by.is_none() { Ok(()) } else { Err(Refuted { stretch, share, by }) };
        }
        let cast = self.cast(&about_origin(a, b), 0.0, memory);
        match cast.hit {
            None => Ok(()),
            Some((_, o, _)) => Err(Refuted { stretch, share: cast.until, by: Some(self.others[o].id) }),
        }
    }

    /// The same way through poses between which the part may turn about its origin instead of its middle; `None` if
    /// no number of poses between was found with which that is free.
    pub(crate) fn through_origin(&self, poses: &[Pose]) -> Option<Vec<Pose>> {
        let mut memory = RigidMemory::default();
        let mut out = vec![poses[0]];
        for (stretch, pair) in poses.windows(2).enumerate() {
            // Later poses first, so that the last of the list is next.
            let mut ahead = vec![(pair[1], 0u32)];
            let mut at = pair[0];
            while let Some((to, depth)) = ahead.pop() {
                let number = if stretch == 0 && out.len() == 1 { 0 } else { 1 };
                if self.stretch(number, &at, &to, &mut memory).is_ok() {
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
    ) -> Option<(Bracket, usize)> {
        let mut ask = Ask::new(scratch);
        let mut best: Option<(Bracket, usize)> = None;
        for (m, member) in self.members.iter().enumerate() {
            let here = self.member_pose(m, pose);
            let bounds = member.model.aabb().moved(&here);
            for (o, other) in self.others.iter().enumerate() {
                let max_distance = best.map_or(within, |(gap, _)| gap.at_most);
                if member.margins[o].is_none() || bounds.distance(&other.bounds) > max_distance {
                    continue;
                }
                let query = ClearanceQuery { max_distance, ..Default::default() };
                let gap = ask.clearance(&member.model.at(here), &other.model.at(other.pose), &query).gap;
                if gap.at_most < max_distance {
                    best = Some((gap, o));
                }
            }
        }
        best
    }

    /// How far the nearest body is at a pose, and in which direction the part gets away from it; `None` if nothing is
    /// within its reach, or it touches.
    pub(crate) fn nearest_way(&self, pose: &Pose, scratch: &mut Scratch) -> Option<(f64, DVec3)> {
        let (_, o) = self.nearest(pose, self.reach, scratch)?;
        let mut best: Option<(f64, DVec3)> = None;
        for (m, member) in self.members.iter().enumerate().filter(|(_, member)| member.margins[o].is_some()) {
            let here = member.model.at(self.member_pose(m, pose));
            let other = &self.others[o];
            let query = ClearanceQuery { max_distance: self.reach, ..Default::default() };
            let found = Ask::new(scratch).clearance(&here, &other.model.at(other.pose), &query);
            let Some(witness) = found.witness else { continue };
            let away = (witness.on_a.point - witness.on_b.point).try_normalize();
            if let Some(away) = away.filter(|_| best.is_none_or(|(gap, _)| found.gap.at_most < gap)) {
                best = Some((found.gap.at_most, away));
            }
        }
        best
    }

    /// The smallest gap along a way that is free: what it is to, and when.
    pub(crate) fn room(&self, poses: &[Pose]) -> (Bracket, Option<(BodyId, f64)>) {
        const LOOKS: usize = 6;
        let mut scratch = Scratch::default();
        let stretches = poses.len().saturating_sub(1);
        let mut best: Option<(f64, usize, f64)> = None;
        let mut look = |time: f64, best: &mut Option<(f64, usize, f64)>| {
            let (stretch, share) = split(time, stretches);
            let pose = match poses.get(stretch + 1) {
                Some(next) => about_origin(&poses[stretch], next).pose(share),
                None => poses[stretch],
            };
            let within = best.map_or(f64::INFINITY, |found| found.0);
            if let Some((gap, o)) = self.nearest(&pose, within, &mut scratch) {
                *best = Some((gap.at_most, o, time));
            }
        };
        for k in 0..=LOOKS * stretches {
            look(k as f64 / (LOOKS * stretches).max(1) as f64, &mut best);
        }
        let Some((mut gap, ..)) = best else { return (Bracket::INFINITE, None) };
        let mut at_least = 0.0;
        let mut memory = RigidMemory::default();
        for attempt in 0..8 {
            if gap == 0.0 {
                break;
            }
            let room = gap * (0.98 - 0.02 * f64::from(attempt));
            let finer = Self { tolerance: self.tolerance.min(0.005 * gap), ..self.without_margins() };
            let refuted = poses.windows(2).enumerate().find_map(|(stretch, pair)| {
                let cast = finer.cast(&about_origin(&pair[0], &pair[1]), room, &mut memory);
                cast.hit.map(|_| (stretch as f64 + cast.until) / stretches as f64)
            });
            match refuted {
                None => {
                    at_least = room;
                    break;
                }
                Some(time) => look(time, &mut best),
            }
            gap = best.map_or(gap, |found| found.0);
        }
        let found = best.map(|(_, o, time)| (self.others[o].id, time));
        (Bracket { at_least, at_most: gap }, found)
    }

    fn without_margins(&self) -> Self {
        let mut plain = self.clone();
        for member in &mut plain.members {
            member.margins.iter_mut().flatten().for_each(|margin| *margin = 0.0);
        }
        plain
    }

    /// What is to be said of a way that is free.
    pub(crate) fn report(&self, mut poses: Vec<Pose>, how: How) -> Way {
        let middle = |pose: &Pose| pose.transform_point(self.pivot);
        // An empty sum is -0.
        let length = 0.0 + poses.windows(2).map(|w| middle(&w[0]).distance(middle(&w[1]))).sum::<f64>();
        let turned = 0.0 + poses.windows(2).map(|w| self.twist(&w[0], &w[1]).1.length()).sum::<f64>();
        let leaves_contact = self.touches_at_start() || self.given != self.start;
        let (gap, tightest) = if leaves_contact {
            let by = self.members.iter().find_map(|m| m.touches.iter().position(|&touches| touches));
            (Bracket::ZERO, by.map(|o| (self.others[o].id, 0.0)))
        } else {
            self.room(&poses)
        };
        if self.given != self.start && poses.first() == Some(&self.start) {
            poses.insert(0, self.given);
        }
        Way { poses, how, length, turned, gap, tightest, leaves_contact }
    }
}

/// The motion that a reported way has between two poses.
pub(crate) fn about_origin(a: &Pose, b: &Pose) -> Arc<dyn Motion> {
    Arc::new(RigidMotion::between(a, b, DVec3::ZERO))
}

/// A time of the whole as a stretch and a share of it.
pub(crate) fn split(time: f64, stretches: usize) -> (usize, f64) {
    let at = time * stretches as f64;
    let stretch = (at.floor() as usize).min(stretches.saturating_sub(1));
    (stretch, (at - stretch as f64).clamp(0.0, 1.0))
}

impl Way {
    /// Where the part is at a share of the stretches, from 0 to 1.
    pub fn pose(&self, time: f64) -> Pose {
        let (stretch, share) = split(time, self.poses.len().saturating_sub(1));
        match self.poses.get(stretch + 1) {
            Some(next) => about_origin(&self.poses[stretch], next).pose(share),
            None => self.poses[stretch],
        }
    }
}
