//! The step: what moves, what that meets, and how far it may go.

use super::body::BodyId;
use super::candidates::MovedBodies;
use super::compose::{self, Ties};
use super::cut;
use super::moves::Move;
use super::run::{self, Fallback, Share};
use super::tested::{Job, Tested};
use super::{World, WorldError};
use crate::budget::Budget;
use crate::query::{Guarantee, Tolerance, Touch};
use noli_geom::{Impact, Motion, Still};
use std::collections::HashMap;

/// How a pair is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// At the end of the motion alone. Exact for that pose; what happens on the way is not looked at.
    Static,
    /// Approximate: at the start, the end, and so many poses between. May miss what happens between them.
    Sampled {
        /// Poses between start and end.
        between: u32,
    },
    /// At all times; never misses a contact.
    #[default]
    Dynamic,
    /// Approximate: at all times, but only for bodies that overlap at the end (Eckstein 1998). Misses bodies that pass through
    /// each other.
    Mixed,
}

/// How far groups may go when one of them must stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Groups that may meet each other are stopped together, at the earliest of their times, so that all have moved
    /// as was tested.
    #[default]
    Islands,
    /// In order of time: who is hit stops, and the others are asked again about what stands in their way now. Goes farther than
    /// islands, for more tests.
    InOrder,
    /// Approximate, as published: each group stops at its own earliest time. Where A stops for C, what was found about A and B
    /// no longer holds.
    EachAlone,
}

/// What to do about bodies that overlap before they move, which is usual in construction data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtStart {
    /// Report them; they do not stop anyone.
    #[default]
    Ignore,
    /// Do not move.
    Refuse,
}

/// How a step is done.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions<'a> {
    /// How pairs are tested.
    pub mode: Mode,
    /// How far groups may go.
    pub cut: Cut,
    /// What to do about overlap at the start.
    pub at_start: AtStart,
    /// How near bodies may pass, beyond their margin, and still be reported; see [`ImpactQuery`](crate::ImpactQuery).
    pub tolerance: Tolerance,
    /// Limits on all pair tests of the step together. Finding the pairs is not limited: that would lose some.
    pub budget: Budget<'a>,
    /// How pairs share the budget.
    pub share: Share<'a>,
    /// What is said about pairs that the budget did not suffice for.
    pub fallback: Fallback,
    /// Measure how far apart free pairs are, so that they need not be tested again before they have moved that far. Changes
    /// what a step costs, never its answer.
    pub sleep: bool,
    /// Start a test from what the last of the same pair found: bodies that were proven apart are not tested where they stand, and
    /// the search for the gap of convex bodies begins where it ended. Changes what a step costs, not its verdicts; times of
    /// impact of convex bodies may differ within the tolerance.
    pub hints: bool,
}

impl Default for StepOptions<'_> {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            cut: Cut::default(),
            at_start: AtStart::default(),
            tolerance: Tolerance::Relative(1e-6),
            budget: Budget::UNLIMITED,
            share: Share::default(),
            fallback: Fallback::default(),
            sleep: true,
            hints: true,
        }
    }
}

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// A test that ran to its end.
    Tested,
    /// No test: the pair was proven far apart before, and has not moved enough since.
    Asleep,
    /// A test that the budget cut short; the answer is what [`Fallback`] makes of it.
    CutShort,
}

/// What was found out about a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The bodies A and B, the smaller id first.
    pub pair: [BodyId; 2],
    /// Whether and when they touch, counting time from 0 to 1 for this step. Bodies that begin closer than their margin are followed
    /// until they really touch; `AtStart` then says that they only were too close.
    pub impact: Impact<Touch>,
    /// How far that can be trusted.
    pub guarantee: Guarantee,
    /// What it rests on.
    pub basis: Basis,
    /// Where a test was cut short: bound from above on the smallest gap until [`Impact::safe_until`]. If they do not touch after
    /// all, they come at least this close.
    pub gap_at_most: Option<f64>,
    /// Steps that the test took.
    pub steps: u64,
    /// Proven gap at the end of the motion.
    pub(super) apart: f64,
}

/// What a group may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// It may move until this time, 1 if nothing is in the way. It is this that clients change.
    pub free_until: f64,
    /// Number of the answer that stops it.
    pub first: Option<usize>,
}

/// What a step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStats {
    /// Bodies that move.
    pub moved: usize,
    /// Boxes computed, for moved bodies and for those put elsewhere since the last step.
    pub boxes: u64,
    /// Pairs of boxes that began to overlap.
    pub begun: usize,
    /// Pairs of boxes that ended to overlap.
    pub ended: usize,
    /// Pairs that may touch.
    pub candidates: usize,
    /// Pairs that were tested.
    pub tested: usize,
    /// Pairs that were asleep.
    pub asleep: usize,
    /// Pairs whose test began with what the last one found.
    pub hinted: usize,
    /// Pairs whose test was cut short.
    pub cut_short: usize,
    /// Steps of all tests.
    pub steps: u64,
}

/// A step that has been worked out and not been done.
#[derive(Debug)]
pub struct Step<'a> {
    pub(super) moves: Vec<Move<'a>>,
    ties: Ties,
    /// One for each candidate pair, sorted by pair.
    pub answers: Vec<Answer>,
    /// One for each move, in order.
    pub outcomes: Vec<Outcome>,
    /// What it cost.
    pub stats: StepStats,
    edition: u64,
}

impl<'a> Step<'a> {
    /// The moves asked for.
    pub fn moves(&self) -> &[Move<'a>] {
        &self.moves
    }

    /// What was found out about pairs that touch, or may.
    pub fn hits(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| !matches!(answer.impact, Impact::Free))
    }
}

impl World {
    /// Work out a step: test all pairs that may touch, and say how far each group may go. Nothing moves yet. To give a group
    /// another motion, plan again; to stop it earlier, lower [`Outcome::free_until`].
    pub fn plan<'a>(
        &mut self,
        moves: Vec<Move<'a>>,
        options: &StepOptions<'_>,
    ) -> Result<Step<'a>, WorldError> {
        let (moves, ties) = compose::compose(self, moves)?;
        let moved = self.moved(&moves)?;
        let made = self.boxes_made;
        let changes = self.sweep(&moved, options.mode);
        let pairs = self.pairs_of(&moved, &moves);
        let jobs =
            pairs.iter().map(|&pair| self.job(pair, &moved, options)).collect::<Result<Vec<_>, _>>()?;
        let tested = run::run(&jobs, options);
        let mut answers: Vec<Answer> =
            jobs.iter().zip(&tested).map(|(job, tested)| tested.answer(job, options)).collect();
        let outcomes = cut::outcomes(&jobs, &mut answers, &ties, options);
        let count = |basis: Basis| answers.iter().filter(|answer| answer.basis == basis).count();
        let stats = StepStats {
            moved: moved.len(),
            boxes: self.boxes_made - made,
            begun: changes.begun.len(),
            ended: changes.ended.len(),
            candidates: answers.len(),
            tested: count(Basis::Tested),
            asleep: count(Basis::Asleep),
            hinted: jobs.iter().zip(&tested).filter(|(job, tested)| tested.is_hinted(job, options)).count(),
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
        let moving = sides.map(|(id, body)| {
            let still: &dyn Motion = &body.still;
            body.model.moving(moved.get(&id.index).map_or(still, |moved| moved.motion))
        });
        let travel: f64 = moving.iter().map(|moving| moving.motion.travel(&moving.ball(), 0.0, 1.0)).sum();
        // A motion that does not begin where the body stands says nothing about the way there.
        let joins = (0..2).all(|k| moving[k].motion.pose(0.0) == sides[k].1.pose());
        let known = if joins && options.mode == Mode::Dynamic { self.memory.gap(sides) } else { 0.0 };
        let hint = if options.hints { self.memory.hint(sides) } else { None };
        let margin = self.asked_margin(pair).unwrap_or_else(|| self.rules.default_margin());
        let weight = match options.share {
            Share::Weighted(weight) => weight(pair).max(0.0),
            _ => 1.0,
        };
        Ok(Job { pair, moving, by, margin, travel, known, hint, weight })
    }

    /// Do a step: every group moves until its [`Outcome::free_until`].
    pub fn commit(&mut self, step: &Step<'_>) -> Result<(), WorldError> {
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
            let ball = body.ball();
            if motion.pose(0.0) == body.pose() {
                body.travelled += motion.travel(&ball, 0.0, until);
            } else {
                body.epoch = edition;
            }
            body.still = Still(pose);
            let rest = if until < 1.0 { motion.travel(&ball, until, 1.0) } else { 0.0 };
            left.insert(id, rest);
            self.stale.push(id.index);
        }
        let mut memory = std::mem::take(&mut self.memory);
        for answer in step.answers.iter().filter(|answer| answer.apart > 0.0) {
            let rest: f64 = answer.pair.iter().filter_map(|id| left.get(id)).sum();
            memory.keep(self.pair(answer.pair)?, answer.apart - rest * (1.0 + 1e-12));
        }
        self.memory = memory;
        self.rest_all();
        Ok(())
    }

    /// [`plan`](Self::plan) and [`commit`](Self::commit) in one.
    pub fn step<'a>(
        &mut self,
        moves: Vec<Move<'a>>,
        options: &StepOptions<'_>,
    ) -> Result<Step<'a>, WorldError> {
        let step = self.plan(moves, options)?;
        self.commit(&step)?;
        Ok(step)
    }
}

impl Tested {
    /// Whether its test began with what the last one found.
    fn is_hinted(&self, job: &Job<'_>, options: &StepOptions<'_>) -> bool {
        self.basis != Basis::Asleep && (job.hint.is_some() || Self::before(job, options).known.apart)
    }

    fn answer(&self, job: &Job<'_>, options: &StepOptions<'_>) -> Answer {
        let guarantee = match options.mode {
            Mode::Static => Guarantee::Exact,
            Mode::Dynamic => Guarantee::Conservative,
            Mode::Sampled { .. } | Mode::Mixed => Guarantee::Approximate,
        };
        Answer {
            pair: job.pair,
            impact: self.impact,
            guarantee: guarantee.max(self.guarantee),
            basis: self.basis,
            gap_at_most: (self.basis == Basis::CutShort).then_some(self.known.gap_at_most),
            steps: self.steps,
            apart: self.apart,
        }
    }
}
