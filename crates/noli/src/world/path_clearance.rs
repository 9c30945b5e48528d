//! Feasibility and clearance of a path of one body.
//!
//! One step of the world computes the collision-free part. The clearance is first sampled along the path. A
//! step with nearly that margin then proves it between the samples too.

use super::answers::Answer;
use super::body::BodyId;
use super::moves::Move;
use super::options::StepOptions;
use super::policy::{PairTestMode, StepPolicy};
use super::{World, WorldError};
use crate::answer::Clearance;
use crate::parallel;
use crate::query::ClearanceQuery;
use noli_geom::{Clip, Motion};
use std::sync::Arc;

/// Effort limits of [`World::path_clearance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageOptions {
    /// Number of samples along the path before any clearance is proven.
    pub looks: u32,
    /// Clearance to be proven, as a share of the smallest sampled clearance; less where that is not proven.
    pub proven_share: f64,
    /// Maximum number of attempts in which a smaller clearance is found, or a smaller share of it is to be proven.
    pub attempts: u32,
}

impl Default for PassageOptions {
    fn default() -> Self {
        Self { looks: 60, proven_share: 0.98, attempts: 8 }
    }
}

/// A sample of the body along its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathSample {
    /// Time, from 0 to 1.
    pub time: f64,
    /// Distance to the nearest other body.
    pub clearance: Clearance,
    /// The body at that distance.
    pub to: BodyId,
}

/// Result of a path clearance query.
#[derive(Clone, Debug, PartialEq)]
pub struct PathClearance {
    /// The path is proven free until this time, 1 for all of it.
    pub free_until: f64,
    /// The pair that stops it there.
    pub stopped_by: Option<Answer>,
    /// Along the free path the clearance to anything is at least this, proven between the looks too.
    pub room_at_least: f64,
    /// And at one place at most this; infinite where there is nothing else.
    pub room_at_most: f64,
    /// The tightest place that was found.
    pub tightest: Option<PathSample>,
    /// All looks, in order of time.
    pub looks: Vec<PathSample>,
}

/// A body, its path, and who decides its pairs.
#[derive(Clone, Copy)]
struct Passage<'p> {
    body: BodyId,
    motion: &'p Arc<dyn Motion>,
    policy: &'p dyn StepPolicy,
}

impl World {
    /// Follows one body along a path among fixed bodies. Computes the time until which it is collision-free, the
    /// pair that stops it, and its clearance. Nothing moves, and margins of the rules do not count.
    pub fn path_clearance(
        &mut self,
        body: BodyId,
        motion: &Arc<dyn Motion>,
        options: &PassageOptions,
    ) -> Result<PathClearance, WorldError> {
        self.path_clearance_by(body, motion, options, &PairTestMode::Dynamic)
    }

    /// [`path_clearance`](Self::path_clearance) with pairs tested, and their clearances computed, by a policy of steps:
    /// of bodies whose curved surfaces are known, on these.
    pub fn path_clearance_by(
        &mut self,
        body: BodyId,
        motion: &Arc<dyn Motion>,
        options: &PassageOptions,
        policy: &dyn StepPolicy,
    ) -> Result<PathClearance, WorldError> {
        let before = self.rules.clone();
        let path_clearance = self.follow(Passage { body, motion, policy }, options);
        *self.rules_mut() = before;
        path_clearance
    }

    fn follow(
        &mut self,
        passage: Passage<'_>,
        options: &PassageOptions,
    ) -> Result<PathClearance, WorldError> {
        self.rules_mut().margins.clear();
        let (free_until, stopped_by) = self.advance(passage, 0.0, 1.0)?;
        let last = f64::from(options.looks.max(1));
        let times: Vec<f64> = (0..=options.looks).map(|k| free_until * f64::from(k) / last).collect();
        let looks = parallel::map_few(&times, |&time| self.look(passage, time));
        let looks = looks.into_iter().collect::<Result<Vec<Option<PathSample>>, WorldError>>()?;
        let looks: Vec<PathSample> = looks.into_iter().flatten().collect();
        let room = |look: &PathSample| look.clearance.distance.at_most;
        let mut tightest = looks.iter().min_by(|x, y| room(x).total_cmp(&room(y))).copied();
        let (mut room_at_least, mut share) = (0.0, options.proven_share);
        for _ in 0..options.attempts {
            let Some(clearance) = tightest.as_ref().map(room).filter(|&clearance| clearance > 0.0) else {
                break;
            };
            let margin = share * clearance;
            let (reached, _) = self.advance(passage, margin, free_until)?;
            if reached >= free_until {
                room_at_least = margin;
                break;
            }
            let closer = self.look(passage, reached)?.filter(|look| room(look) < clearance);
            // No place is closer than that; less room takes fewer steps to prove.
            match closer {
                Some(_) => tightest = closer,
                None => share *= 0.5,
            }
        }
        let room_at_most = tightest.as_ref().map_or(f64::INFINITY, room);
        Ok(PathClearance { free_until, stopped_by, room_at_least, room_at_most, tightest, looks })
    }

    /// Until when the body may go with at least this much room, and what stops it.
    fn advance(
        &mut self,
        Passage { body, motion, policy }: Passage<'_>,
        margin: f64,
        until: f64,
    ) -> Result<(f64, Option<Answer>), WorldError> {
        self.rules_mut().set_default_margin(margin);
        let clip = Clip::new(motion.clone(), 0.0, until);
        let going = Move::rigid("passage", vec![(body, Arc::new(clip) as Arc<dyn Motion>)]);
        let step = self.plan(vec![going], &StepOptions { policy, sleep: false, ..Default::default() })?;
        let outcome = step.outcomes[0];
        Ok((outcome.free_until * until, outcome.first.map(|first| step.answers[first])))
    }

    /// The nearest other body at a time.
    fn look(
        &self,
        Passage { body, motion, policy }: Passage<'_>,
        time: f64,
    ) -> Result<Option<PathSample>, WorldError> {
        let here = self.body(body)?.model().at(motion.pose(time));
        let mut best: Option<PathSample> = None;
        for (id, other) in self.bodies().filter(|(id, _)| *id != body) {
            let nearest = best.as_ref().map_or(f64::INFINITY, |look| look.clearance.distance.at_most);
            let query = ClearanceQuery { max_distance: nearest, ..Default::default() };
            let there = other.model().at(other.pose());
            let clearance = policy.clearance([body, id], [&here, &there], &query);
            if clearance.distance.at_most < nearest {
                best = Some(PathSample { time, clearance, to: id });
            }
        }
        Ok(best)
    }
}
