//! A way that is known, looked at again: as it was given, back, under other ways of testing, and how close it comes when.

use crate::remove::{Found, Removal};
use crate::rigid::{RigidMemory, RigidSpace};
use crate::way::{How, Refuted, Way, about_origin, split};
use noli::Pose;
use noli::answer::Bracket;
use noli::motion::{Clip, Motion};
use std::sync::Arc;

/// How a way is tested, and what that says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// `static`, `sampled`, `mixed` or `dynamic`.
    pub mode: &'static str,
    /// How much of the way it lets the part go, from 0 to 1.
    pub free_until: f64,
    /// Frames that were played.
    pub frames: u32,
}

/// How close the part is to the others at a time of its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness {
    /// From 0 to 1, each stretch taking the same time.
    pub time: f64,
    /// The smallest gap then.
    pub gap: Bracket,
    /// No gap is smaller until the next time, by proof.
    pub until_next: f64,
}

/// Follows a motion of the part that somebody gave: a way if all of it is free, or what stops it.
pub fn follow_motion(space: &RigidSpace, motion: &Arc<dyn Motion>) -> Removal {
    const TURNS: u32 = 24;
    let mut memory = RigidMemory::default();
    let leaves = space.touches_at_start();
    let tested = if leaves { RigidSpace { ignores_touching: true, ..space.clone() } } else { space.clone() };
    let cast = tested.cast(motion, 0.0, &mut memory);
    let stopped = |share: f64, by| {
        let refuted = Refuted { stretch: 0, share, by };
        Removal { found: Found::Stopped(refuted), pulls: Vec::new(), turns: Vec::new(), steps: 1 }
    };
    if let Some((_, o, _)) = cast.hit {
        return stopped(cast.until, Some(space.others[o].id));
    }
    // Between bends straight pieces are one stretch; turns about another point than the origin are cut small.
    let mut poses = vec![motion.pose(0.0)];
    let mut at = 0.0;
    while at < 1.0 {
        let end = motion.next_bend(at).min(1.0);
        let turns = motion.pose(at).rotation != motion.pose(end).rotation;
        let pieces = if turns { TURNS } else { 1 };
        poses.extend((1..=pieces).map(|k| motion.pose(at + (end - at) * f64::from(k) / f64::from(pieces))));
        at = end;
    }
    let steps = poses.len() as u64;
    match space.through_origin(&poses) {
        Some(poses) => {
            let way = space.report(poses, How::Given);
            Removal { found: Found::Way(Box::new(way)), pulls: Vec::new(), turns: Vec::new(), steps }
        }
        None => match space.prove_way(&poses) {
            Err(refuted) => stopped((refuted.stretch as f64 + refuted.share) / steps as f64, refuted.by),
            Ok(()) => Removal { found: Found::Nothing, pulls: Vec::new(), turns: Vec::new(), steps },
        },
    }
}

impl RigidSpace {
    /// Whether the way back through the same poses, from outside to where the part stands, is free: insertion.
    pub fn prove_way_back(&self, back: &[Pose]) -> bool {
        let mut memory = RigidMemory::default();
        let last = back.len().saturating_sub(2);
        back.windows(2).enumerate().all(|(stretch, pair)| {
            if stretch == last && self.touches_at_start() {
                // It ends in contact: the volume that faces sweep is the same both ways.
                return self.prove_way(&[pair[1], pair[0]]).is_ok();
            }
            self.cast(&about_origin(&pair[0], &pair[1]), 0.0, &mut memory).hit.is_none()
        })
    }

    /// What other ways of testing say of a way, frame by frame.
    pub fn replay(&self, way: &Way, frames: u32) -> Vec<Replay> {
        let space = Self { ignores_touching: self.touches_at_start(), ..self.clone() };
        let mut memory = RigidMemory::default();
        let frames = frames.max(1);
        let time = |frame: u32| f64::from(frame) / f64::from(frames);
        let mut all = Vec::new();
        for (mode, between, dynamic) in
            [("static", 0, false), ("sampled", 4, false), ("mixed", 0, true), ("dynamic", 0, true)]
        {
            let (mut free_until, mut played) = (1.0, 0);
            for frame in 0..frames {
                played += 1;
                let (from, to) = (time(frame), time(frame + 1));
                let mut hit = (1..=between + 1).find_map(|k| {
                    let at = from + (to - from) * f64::from(k) / f64::from(between + 1);
                    (!space.is_free(&way.pose(at), &mut memory)).then_some(from)
                });
                if dynamic && (mode == "dynamic" || hit.is_some()) {
                    hit = space.until_hit(way, from, to, &mut memory);
                }
                if let Some(at) = hit {
                    free_until = at;
                    break;
                }
            }
            all.push(Replay { mode, free_until, frames: played });
        }
        all
    }

    /// When the part first meets something between two times of its way.
    fn until_hit(&self, way: &Way, from: f64, to: f64, memory: &mut RigidMemory) -> Option<f64> {
        let stretches = way.poses.len().saturating_sub(1);
        let mut at = from;
        while at < to && stretches > 0 {
            let (stretch, share) = split(at, stretches);
            let end = (((stretch + 1) as f64) / stretches as f64).min(to);
            let last = ((end * stretches as f64) - stretch as f64).clamp(0.0, 1.0);
            let whole = about_origin(&way.poses[stretch], &way.poses[stretch + 1]);
            let piece = Arc::new(Clip::new(whole, share, last)) as Arc<dyn Motion>;
            let cast = self.cast(&piece, 0.0, memory);
            if cast.hit.is_some() {
                return Some(at + (end - at) * cast.until);
            }
            if end <= at {
                break;
            }
            at = end;
        }
        None
    }

    /// How close the part comes along a way, at so many times, with what is proven between them.
    pub fn curve(&self, way: &Way, times: u32) -> Vec<Nearness> {
        let stretches = way.poses.len().saturating_sub(1);
        if stretches == 0 {
            return Vec::new();
        }
        let count = times.max(1).max(stretches as u32);
        // Every pose of the way is one of the times.
        let each = count.div_ceil(stretches.max(1) as u32);
        let count = each * stretches.max(1) as u32;
        let mut scratch = noli::Scratch::default();
        let mut curve: Vec<Nearness> = (0..=count)
            .map(|k| {
                let time = f64::from(k) / f64::from(count);
                let near = self.nearest(&way.pose(time), f64::INFINITY, &mut scratch);
                let gap = near.map_or(Bracket::INFINITE, |(gap, _)| gap);
                Nearness { time, gap, until_next: 0.0 }
            })
            .collect();
        for k in 0..curve.len().saturating_sub(1) {
            let (stretch, from) = split(curve[k].time, stretches);
            let to = from + 1.0 / f64::from(each);
            let motion = about_origin(&way.poses[stretch], &way.poses[stretch + 1]);
            let center = self.pivot;
            let ball = noli_geom::Sphere { center, radius: self.reach * (1.0 + 1e-12) };
            // A gap changes by no more than points travel: the least is where what is known from both ends meets.
            let travel = motion.travel(&ball, from, to.min(1.0)) * (1.0 + 1e-12);
            let least = 0.5 * (curve[k].gap.at_least + curve[k + 1].gap.at_least - travel);
            curve[k].until_next = least.max(0.0) * (1.0 - 1e-12);
        }
        if let Some(last) = curve.last_mut() {
            last.until_next = last.gap.at_least;
        }
        curve
    }
}
