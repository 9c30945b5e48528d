//! Whether a body gets along a path, and with how much room.
//!
//! How far it gets is one step of the world. How much room is left is first looked at from place to place; then a step with nearly
//! that much margin proves it between the looks too.

use super::answers::Answer;
use super::body::BodyId;
use super::moves::Move;
use super::options::StepOptions;
use super::{World, WorldError};
use crate::answer::Clearance;
use crate::context::with_ask;
use crate::parallel;
use crate::query::ClearanceQuery;
use noli_geom::{Clip, Motion};
use std::sync::Arc;

/// How hard [`World::passage`] tries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassageOptions {
    /// Looks at the way before anything is proven about the room along it.
    pub looks: u32,
    /// What is to be proven, as a share of the smallest gap that was seen.
    pub proven_share: f64,
    /// How often a smaller gap may be found in the attempt.
    pub attempts: u32,
}

impl Default for PassageOptions {
    fn default() -> Self {
        Self { looks: 60, proven_share: 0.98, attempts: 8 }
    }
}

/// The body on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// When, from 0 to 1.
    pub time: f64,
    /// How far the nearest other body is.
    pub clearance: Clearance,
    /// Which that is.
    pub to: BodyId,
}

/// How a body gets along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The path is proven free until this time, 1 for all of it.
    pub free_until: f64,
    /// What stops it there.
    pub stopped_by: Option<Answer>,
    /// Along the free path the gap to anything is at least this, proven between the looks too.
    pub room_at_least: f64,
    /// And at one place at most this; infinite where there is nothing else.
    pub room_at_most: f64,
    /// The tightest place that was found.
    pub tightest: Option<Look>,
    /// All looks, in order of time.
    pub looks: Vec<Look>,
}

impl World {
    /// Follow one body along a path, all others standing: until when is it free, what stops it, and how much room does it have?
    /// Nothing moves, and margins of the rules do not count.
    pub fn passage(
        &mut self,
        body: BodyId,
        motion: &Arc<dyn Motion>,
        options: &PassageOptions,
    ) -> Result<Passage, WorldError> {
        let before = self.rules.clone();
        let passage = self.follow(body, motion, options);
        *self.rules_mut() = before;
        passage
    }

    fn follow(
        &mut self,
        body: BodyId,
        motion: &Arc<dyn Motion>,
        options: &PassageOptions,
    ) -> Result<Passage, WorldError> {
        self.rules_mut().margins.clear();
        let (free_until, stopped_by) = self.advance(body, motion, 0.0, 1.0)?;
        let last = f64::from(options.looks.max(1));
        let times: Vec<f64> = (0..=options.looks).map(|k| free_until * f64::from(k) / last).collect();
        let looks = parallel::map_few(&times, |&time| self.look(body, motion, time));
        let looks = looks.into_iter().collect::<Result<Vec<Option<Look>>, WorldError>>()?;
        let looks: Vec<Look> = looks.into_iter().flatten().collect();
        let room = |look: &Look| look.clearance.gap.at_most;
        let mut tightest = looks.iter().min_by(|x, y| room(x).total_cmp(&room(y))).copied();
        let mut room_at_least = 0.0;
        for _ in 0..options.attempts {
            let Some(gap) = tightest.as_ref().map(room).filter(|&gap| gap > 0.0) else { break };
            let margin = options.proven_share * gap;
            let (reached, _) = self.advance(body, motion, margin, free_until)?;
            if reached >= free_until {
                room_at_least = margin;
                break;
            }
            let closer = self.look(body, motion, reached)?.filter(|look| room(look) < gap);
            if closer.is_none() {
                break;
            }
            tightest = closer;
        }
        let room_at_most = tightest.as_ref().map_or(f64::INFINITY, room);
        Ok(Passage { free_until, stopped_by, room_at_least, room_at_most, tightest, looks })
    }

    /// Until when the body may go with at least this much room, and what stops it.
    fn advance(
        &mut self,
        body: BodyId,
        motion: &Arc<dyn Motion>,
        margin: f64,
        until: f64,
    ) -> Result<(f64, Option<Answer>), WorldError> {
        self.rules_mut().set_default_margin(margin);
        let clip = Clip::new(motion.clone(), 0.0, until);
        let going = Move::rigid("passage", vec![(body, Arc::new(clip) as Arc<dyn Motion>)]);
        let step = self.plan(vec![going], &StepOptions { sleep: false, ..Default::default() })?;
        let outcome = step.outcomes[0];
        Ok((outcome.free_until * until, outcome.first.map(|first| step.answers[first])))
    }

    /// The nearest other body at a time.
    fn look(&self, body: BodyId, motion: &Arc<dyn Motion>, time: f64) -> Result<Option<Look>, WorldError> {
        let here = self.body(body)?.model().at(motion.pose(time));
        let mut best: Option<Look> = None;
        for (id, other) in self.bodies().filter(|(id, _)| *id != body) {
            let nearest = best.as_ref().map_or(f64::INFINITY, |look| look.clearance.gap.at_most);
            let query = ClearanceQuery { max_distance: nearest, ..Default::default() };
            let there = other.model().at(other.pose());
            let clearance = with_ask(|ask| ask.clearance(&here, &there, &query));
            if clearance.gap.at_most < nearest {
                best = Some(Look { time, clearance, to: id });
            }
        }
        Ok(best)
    }
}
