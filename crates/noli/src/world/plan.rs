//! The step: moved bodies, their obstacles, and their permitted motion.

use super::answers::{Answer, Basis, Outcome, StepStats};
use super::body::BodyId;
use super::candidates::MovedBodies;
use super::carried_moves;
use super::moves::Move;
use super::options::{BudgetPolicy, StepOptions};
use super::pair_job::Job;
use super::pair_test::Tested;
use super::stop_groups::Ties;
use super::{World, WorldError, budget_shares, stopping_times};
use crate::model::Moving;
use noli_geom::{Impact, Motion, Still};
use std::collections::HashMap;

/// A step that has been worked out and not been done.
#[derive(Clone, Debug)]
pub struct Step {
    pub(super) moves: Vec<Move>,
    ties: Ties,
    /// One for each candidate pair, sorted by pair.
    pub answers: Vec<Answer>,
    /// One for each move, in order.
    pub outcomes: Vec<Outcome>,
    /// Cost of the answer.
    pub stats: StepStats,
    edition: u64,
}

impl Step {
    /// Returns the requested moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the results of pairs that touch, or may.
    pub fn hits(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| !matches!(answer.impact, Impact::Free))
    }
}

impl World {
    /// Plans a step: tests all pairs that may touch, and computes how far each group may go. Nothing moves yet.
    /// To give a group another motion, plan again; to stop it earlier, lower [`Outcome::free_until`].
    pub fn plan(&mut self, moves: Vec<Move>, options: &StepOptions<'_>) -> Result<Step, WorldError> {
        let (moves, ties) = carried_moves::compose(self, moves)?;
        let moved = self.moved(&moves)?;
        let made = self.boxes_made;
        self.reach = options.policy.reach().max(0.0);
        let changes = self.sweep(&moved, options.policy.span());
        let pairs = self.pairs_of(&moved, &moves);
        let jobs =
            pairs.iter().map(|&pair| self.job(pair, &moved, options)).collect::<Result<Vec<_>, _>>()?;
        let tested = budget_shares::run(&jobs, options);
        let mut answers: Vec<Answer> =
            jobs.iter().zip(&tested).map(|(job, tested)| tested.answer(job, options)).collect();
        let outcomes = stopping_times::outcomes(&jobs, &mut answers, &ties, options);
        let count = |basis: Basis| answers.iter().filter(|answer| answer.basis == basis).count();
        let stats = StepStats {
            moved: moved.len(),
            boxes: self.boxes_made - made,
            begun: changes.begun.len(),
            ended: changes.ended.len(),
            candidates: answers.len(),
            tested: count(Basis::Tested),
            asleep: count(Basis::Asleep),
            with_hint: jobs
                .iter()
                .zip(&tested)
                .filter(|(job, tested)| tested.is_hinted(job, options))
                .count(),
            cut_short: count(Basis::CutShort),
            steps: answers.iter().map(|answer| answer.steps).sum(),
        };
        drop(jobs);
        drop(moved);
        if options.hints {
            self.keep_hints(&answers, &tested)?;
        }
        Ok(Step { moves, ties, answers, outcomes, stats, edition: self.edition })
    }

    /// Remember where searches ended.
    fn keep_hints(&mut self, answers: &[Answer], tested: &[Tested]) -> Result<(), WorldError> {
        let mut memory = std::mem::take(&mut self.memory);
        for (answer, tested) in answers.iter().zip(tested).filter(|(_, tested)| tested.hint.steps() > 0) {
            memory.keep_hint(self.pair(answer.pair)?, tested.hint);
        }
        self.memory = memory;
        Ok(())
    }

    fn job<'w>(
        &'w self,
        pair: [BodyId; 2],
        moved: &MovedBodies<'w>,
        options: &StepOptions<'_>,
    ) -> Result<Job<'w>, WorldError> {
        let sides = self.pair(pair)?;
        let by = pair.map(|id| moved.get(&id.index).map(|moved| moved.by));
        let motions = pair.map(|id| moved.get(&id.index).map(|moved| moved.motion));
        let moving = std::array::from_fn(|k| {
            let body = sides[k].1;
            body.model.moving(motions[k].map_or(&body.still as &dyn Motion, |motion| &**motion))
        });
        let travel: f64 =
            moving.iter().map(|moving: &Moving<'_>| moving.motion.travel(&moving.sphere(), 0.0, 1.0)).sum();
        // The known clearance is that of the present poses: it holds only for motions that begin there.
        let joins = (0..2).all(|k| moving[k].motion.pose(0.0) == sides[k].1.pose());
        let known = if joins && options.proves_motion() { self.memory.clearance(sides) } else { 0.0 };
        let hint = if options.hints { self.memory.hint(sides) } else { None };
        let margin = self.asked_margin(pair).unwrap_or_else(|| self.rules.default_margin());
        let weight = match options.share {
            BudgetPolicy::Weighted(weight) => weight(pair).max(0.0),
            _ => 1.0,
        };
        Ok(Job { pair, moving, motions, by, margin, travel, known, hint, weight })
    }

    /// Do a step: every group moves until its [`Outcome::free_until`].
    pub fn commit(&mut self, step: &Step) -> Result<(), WorldError> {
        if step.edition != self.edition {
            return Err(WorldError::Outdated);
        }
        let mut stops = Vec::new();
        let set_of = step.ties.sets();
        for (number, asked) in step.moves.iter().enumerate() {
            let tied = (0..set_of.len()).filter(|&other| set_of[other] == set_of[number]);
            let until = tied.map(|other| step.outcomes[other].free_until).fold(1.0, f64::min).max(0.0);
            for (id, motion) in &asked.parts {
                let pose = motion.pose(until);
                if !pose.is_valid() {
                    return Err(WorldError::NotAPose(*id));
                }
                stops.push((*id, &**motion, until, pose));
            }
        }
        self.edition += 1;
        // How far each body stopped from its end.
        let mut left = HashMap::new();
        for (id, motion, until, pose) in stops {
            let edition = self.edition;
            let body = self.body_mut(id)?;
            let sphere = body.sphere();
            if motion.pose(0.0) == body.pose() {
                body.travelled += motion.travel(&sphere, 0.0, until);
            } else {
                body.epoch = edition;
            }
            body.still = Still(pose);
            let rest = if until < 1.0 { motion.travel(&sphere, until, 1.0) } else { 0.0 };
            left.insert(id, rest);
            self.stale.push(id.index);
        }
        let mut memory = std::mem::take(&mut self.memory);
        for answer in step.answers.iter().filter(|answer| answer.final_clearance > 0.0) {
            let rest: f64 = answer.pair.iter().filter_map(|id| left.get(id)).sum();
            memory.keep(self.pair(answer.pair)?, answer.final_clearance - rest * (1.0 + 1e-12));
        }
        self.memory = memory;
        self.rest_all();
        Ok(())
    }

    /// [`plan`](Self::plan) and [`commit`](Self::commit) in one.
    pub fn step(&mut self, moves: Vec<Move>, options: &StepOptions<'_>) -> Result<Step, WorldError> {
        let step = self.plan(moves, options)?;
        self.commit(&step)?;
        Ok(step)
    }
}
