//! Pieces of removals from the engine bay: time-critical answers, modes, threads.

use super::{Config, millis};
use crate::bay::{Bay, Stage};
use crate::{Cell, Session, Table, Verdict};
use anyhow::Result;
use noli::world::StepOptions;
use noli::{Budget, Impact};
use noli_classics::step::{BudgetSharing, PublishedStep, TimeoutAnswer};
use noli_scenes::SplitMix64;

pub(super) struct Pieces {
    stages: Vec<Stage>,
    /// Stage, and the times between which its part moves.
    pieces: Vec<(usize, f64, f64)>,
    /// Proven travel of the part, and `true` if it is blocked.
    truth: Vec<(f64, bool)>,
}

/// Results of a run over all pieces.
#[derive(Default)]
struct Tally {
    missed: usize,
    invented: usize,
    /// Mean difference of how far the part may go, where it is not missed.
    error: f64,
    cut_short: usize,
    ms: f64,
}

impl Pieces {
    pub(super) fn new(bay: &Bay, config: &Config) -> Result<Self> {
        let (stages, mut random) = (bay.stages()?, SplitMix64::new(config.seed));
        let piece = |number: usize| {
            let stage = number % stages.len();
            let from = random.unit() * (stages[stage].until - config.piece);
            (stage, from, from + config.piece)
        };
        let pieces: Vec<_> = (0..config.pieces).map(piece).collect();
        let mut all = Self { stages, pieces, truth: Vec::new() };
        all.truth = all.answers(&StepOptions::default(), &mut Tally::default())?;
        Ok(all)
    }

    fn answers(&mut self, options: &StepOptions<'_>, tally: &mut Tally) -> Result<Vec<(f64, bool)>> {
        let mut answers = Vec::new();
        for &(stage, from, to) in &self.pieces {
            let stage = &mut self.stages[stage];
            stage.put(from)?;
            let moves = Stage::piece(&stage.motion, stage.part, from, to);
            let (step, ms) = millis(|| stage.world.plan(moves, options));
            let step = step?;
            tally.ms += ms / self.pieces.len() as f64;
            tally.cut_short += step.stats.cut_short;
            let blocked = step.hits().any(|answer| !matches!(answer.impact, Impact::AtStart(_)));
            answers.push((step.outcomes[0].free_until, blocked));
        }
        Ok(answers)
    }

    fn tally(&mut self, options: &StepOptions<'_>) -> Result<Tally> {
        let mut tally = Tally::default();
        let answers = self.answers(options, &mut tally)?;
        for (&(until, blocked), &(true_until, truly)) in answers.iter().zip(&self.truth) {
            tally.missed += usize::from(truly && !blocked);
            tally.invented += usize::from(blocked && !truly);
            if blocked == truly {
                tally.error += (until - true_until).abs() / answers.len() as f64;
            }
        }
        Ok(tally)
    }

    /// X1: what is said when the budget is spent, by policy and by how it is shared.
    pub(super) fn on_time(&mut self, session: &mut Session<'_>, config: &Config) -> Result<()> {
        let columns = [
            "policy, sharing, steps allowed",
            "missed",
            "invented",
            "error of the time, %",
            "pairs cut short",
            "ms / step",
        ];
        let mut table = Table::new("X1: pieces of removals under budgets", columns);
        let mut missed = 0;
        for &steps in &config.step_budgets {
            for timeout in [TimeoutAnswer::AssumeContact, TimeoutAnswer::Volumes, TimeoutAnswer::Faces] {
                for sharing in [BudgetSharing::Together, BudgetSharing::Uniform, BudgetSharing::CarryOver] {
                    let budget = Budget::UNLIMITED.steps(steps);
                    let policy = PublishedStep { sharing, timeout, ..Default::default() };
                    let tally = self.tally(&StepOptions { budget, ..policy.options() })?;
                    if timeout != TimeoutAnswer::Faces {
                        missed += tally.missed;
                    }
                    let cells = [
                        Cell::Ours(tally.missed as f64),
                        Cell::Ours(tally.invented as f64),
                        Cell::Ours(100.0 * tally.error),
                        Cell::Ours(tally.cut_short as f64),
                        Cell::Ours(tally.ms),
                    ];
                    table.row(format!("{timeout:?}, {sharing:?}, {steps}"), cells);
                }
            }
        }
        session.table(table);
        let blocked = self.truth.iter().filter(|truth| truth.1).count();
        session.finding(
            "Assumed contact and volumes miss nothing, whatever the budget",
            Verdict::of(missed == 0),
            format!("{missed} missed, of {blocked} blocked pieces among {}.", self.truth.len()),
        );
        Ok(())
    }
}
