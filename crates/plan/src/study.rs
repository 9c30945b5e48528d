//! Analysis of a known path: as given, reversed, under other test modes, and its clearance over time.

use crate::path::{Counterexample, Path, Strategy, about_origin, split};
use crate::remove::{Removal, RemovalResult};
use crate::rigid::{RigidMemory, RigidSpace};
use noli::Pose;
use noli::answer::Bracket;
use noli::motion::{Clip, Motion};
use std::sync::Arc;

/// Result of a test mode for a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// `static`, `sampled`, `mixed` or `dynamic`.
    pub mode: &'static str,
    /// Share of the path accepted by the test, from 0 to 1.
    pub free_until: f64,
    /// Frames that were played.
    pub frames: u32,
}

/// Clearance of the part from the others at a time of its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearanceSample {
    /// Time from 0 to 1, each segment taking the same time.
    pub time: f64,
    /// The smallest clearance then.
    pub clearance: Bracket,
    /// No clearance is smaller until the next time, by proof.
    pub until_next: f64,
}

/// Follows a given motion of the part: returns a path if all of it is collision-free, or the blocking body.
pub fn follow_motion(space: &RigidSpace, motion: &Arc<dyn Motion>) -> Removal {
    let mut memory = RigidMemory::default();
    let leaves = space.touches_at_start();
    let tested = if leaves { RigidSpace { ignores_touching: true, ..space.clone() } } else { space.clone() };
    let cast = tested.cast(motion, 0.0, &mut memory);
    let stopped = |share: f64, by| {
        let refuted = Counterexample { segment: 0, share, by };
        Removal { found: RemovalResult::Stopped(refuted), pulls: Vec::new(), turns: Vec::new(), steps: 1 }
    };
    if let Some((by, _)) = cast.hit {
        return stopped(cast.until, Some(by));
    }
    let poses = motion_poses(&**motion);
    let steps = poses.len() as u64;
    match space.through_origin(&poses) {
        Some(poses) => {
            let path = space.report(poses, Strategy::Given);
            Removal {
                found: RemovalResult::Path(Box::new(path)),
                pulls: Vec::new(),
                turns: Vec::new(),
                steps,
            }
        }
        None => match space.prove_path(&poses) {
            Err(refuted) => stopped((refuted.segment as f64 + refuted.share) / steps as f64, refuted.by),
            Ok(()) => Removal { found: RemovalResult::Nothing, pulls: Vec::new(), turns: Vec::new(), steps },
        },
    }
}

/// Returns poses of a motion between which a part goes straight and turns about its origin: the ends of straight
/// segments; turns about another point are divided.
pub fn motion_poses(motion: &dyn Motion) -> Vec<Pose> {
    const TURNS: u32 = 24;
    let mut poses = vec![motion.pose(0.0)];
    let mut at = 0.0;
    while at < 1.0 {
        let end = motion.next_bend(at).min(1.0);
        let turns = motion.pose(at).rotation != motion.pose(end).rotation;
        let pieces = if turns { TURNS } else { 1 };
        poses.extend((1..=pieces).map(|k| motion.pose(at + (end - at) * f64::from(k) / f64::from(pieces))));
        at = end;
    }
    poses
}

impl RigidSpace {
    /// Returns `true` if the reverse path through the same poses, from outside to the start pose, is
    /// collision-free: insertion.
    pub fn prove_path_back(&self, back: &[Pose]) -> bool {
        let mut memory = RigidMemory::default();
        let last = back.len().saturating_sub(2);
        back.windows(2).enumerate().all(|(segment, pair)| {
            if segment == last && self.touches_at_start() {
                // It ends in contact: the volume that faces sweep is the same both ways.
                return self.prove_path(&[pair[1], pair[0]]).is_ok();
            }
            self.cast(&about_origin(&pair[0], &pair[1]), 0.0, &mut memory).hit.is_none()
        })
    }

    /// Tests a path with other modes, frame by frame.
    pub fn replay(&self, path: &Path, frames: u32) -> Vec<Replay> {
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
                    (!space.is_free(&path.pose(at), &mut memory)).then_some(from)
                });
                if dynamic && (mode == "dynamic" || hit.is_some()) {
                    hit = space.until_hit(path, from, to, &mut memory);
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

    /// Returns the first time at which the part collides between two times of its path.
    fn until_hit(&self, path: &Path, from: f64, to: f64, memory: &mut RigidMemory) -> Option<f64> {
        let segments = path.poses.len().saturating_sub(1);
        let mut at = from;
        while at < to && segments > 0 {
            let (segment, share) = split(at, segments);
            let end = (((segment + 1) as f64) / segments as f64).min(to);
            let last = ((end * segments as f64) - segment as f64).clamp(0.0, 1.0);
            let whole = about_origin(&path.poses[segment], &path.poses[segment + 1]);
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

    /// Computes the clearance of the part at so many times of a path, with proven bounds between them.
    pub fn clearance_profile(&self, path: &Path, times: u32) -> Vec<ClearanceSample> {
        let mut scratch = noli::Scratch::default();
        self.clearance_profile_by(path, times, |pose| {
            let near = self.nearest(pose, f64::INFINITY, &mut scratch);
            near.map_or(Bracket::INFINITE, |(clearance, _)| clearance)
        })
    }

    /// [`clearance_profile`](Self::clearance_profile) with the clearance at a pose of the part computed by `clearance`.
    pub fn clearance_profile_by(
        &self,
        path: &Path,
        times: u32,
        mut clearance: impl FnMut(&Pose) -> Bracket,
    ) -> Vec<ClearanceSample> {
        let segments = path.poses.len().saturating_sub(1);
        if segments == 0 {
            return Vec::new();
        }
        let count = times.max(1).max(segments as u32);
        // Every pose of the way is one of the times.
        let each = count.div_ceil(segments.max(1) as u32);
        let count = each * segments.max(1) as u32;
        let times = (0..=count).map(|k| f64::from(k) / f64::from(count));
        let mut curve: Vec<ClearanceSample> = times
            .map(|time| ClearanceSample { time, clearance: clearance(&path.pose(time)), until_next: 0.0 })
            .collect();
        for k in 0..curve.len().saturating_sub(1) {
            let (segment, from) = split(curve[k].time, segments);
            let to = from + 1.0 / f64::from(each);
            let motion = about_origin(&path.poses[segment], &path.poses[segment + 1]);
            let center = self.pivot;
            let sphere = noli_geom::Sphere { center, radius: self.reach * (1.0 + 1e-12) };
            // A clearance changes by no more than points travel: the least is where what is known from both ends meets.
            let travel = motion.travel(&sphere, from, to.min(1.0)) * (1.0 + 1e-12);
            let least = 0.5 * (curve[k].clearance.at_least + curve[k + 1].clearance.at_least - travel);
            curve[k].until_next = least.max(0.0) * (1.0 - 1e-12);
        }
        if let Some(last) = curve.last_mut() {
            last.until_next = last.clearance.at_least;
        }
        curve
    }
}
