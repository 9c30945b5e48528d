//! Answers on time: how many steps keep to their budget, and what that costs in answers.

use crate::bay::{Bay, Stage};
use crate::timing::ThreadClock;
use crate::{Cell, Plot, Series, Session, Shape, Table, Verdict};
use anyhow::Result;
use noli::answer::Touch;
use noli::query::Clock;
use noli::world::{Basis, Step, StepOptions};
use noli::{Budget, Impact};
use noli_scenes::SplitMix64;
use serde::Deserialize;
use std::time::{Duration, Instant};

#[derive(Deserialize)]
struct Config {
    triangles: usize,
    steps: usize,
    piece: f64,
    seed: u64,
    budgets_ms: Vec<f64>,
    step_budgets: Vec<u64>,
}

#[derive(Deserialize)]
struct Printed {
    within: f64,
}

/// Largest permitted delay of a step.
const LATE_MS: f64 = 0.1;
/// Largest permitted difference of times between methods.
const TOLERANCE: f64 = 1e-6;

/// One step under one budget.
struct Run {
    cpu_ms: f64,
    wall_ms: f64,
    cut_short: bool,
    /// Share of the motion that was given up for want of time.
    lost: f64,
    /// Brackets that do not hold the unlimited answer.
    wrong: usize,
    /// Until when each pair is safe.
    safe: Vec<f64>,
}

pub(super) fn run(session: &mut Session<'_>) -> Result<()> {
    let (config, goal): (Config, Printed) = (session.config()?, session.printed()?);
    session.step("meshing the bay");
    let bay = Bay::with_triangles(config.triangles);
    let mut stages = bay.stages()?;
    // One thread, so that its clock tells the time of all work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut random = SplitMix64::new(config.seed);
    let mut runs = Runs { timed: by(&config.budgets_ms), counted: by(&config.step_budgets), wider: 0 };
    for number in 0..config.steps {
        let stage = &mut stages[number % 6];
        if number % 100 == 0 {
            session.step(&format!("step {number}, {}", stage.name));
        }
        let from = random.unit() * (stage.until - config.piece);
        let (times, counts) = pool.install(|| step(stage, from, &config))?;
        runs.wider += counts.windows(2).map(|pair| narrower(&pair[0], &pair[1])).sum::<usize>();
        runs.timed.iter_mut().zip(times).for_each(|(runs, run)| runs.push(run));
        runs.counted.iter_mut().zip(counts).for_each(|(runs, run)| runs.push(run));
    }
    runs.report(session, &config, &goal);
    session.note(format!(
        "Engine bay of {} triangles, one thread. Each step is {} of a removal from a random time on, without anything remembered; the \
         budget is of CPU time of the thread and covers the whole of `World::plan`.",
        bay.triangle_count(),
        config.piece
    ));
    Ok(())
}

fn by<T>(budgets: &[T]) -> Vec<Vec<Run>> {
    budgets.iter().map(|_| Vec::new()).collect()
}

/// The same step under all budgets.
fn step(stage: &mut Stage, from: f64, config: &Config) -> Result<(Vec<Run>, Vec<Run>)> {
    stage.put(from)?;
    let Stage { world, part, motion, .. } = stage;
    let moves = || Stage::piece(motion, *part, from, from + config.piece);
    let truth = world.plan(moves(), &StepOptions::default())?;
    let clock = ThreadClock;
    let mut plan = |budget: &dyn Fn() -> Budget<'static>| -> Result<Run> {
        let asked = moves();
        let (wall, cpu) = (Instant::now(), clock.now());
        let step = world.plan(asked, &StepOptions { budget: budget(), ..Default::default() })?;
        let (cpu, wall) = (clock.now() - cpu, wall.elapsed());
        Ok(Run::new(&step, &truth, cpu, wall))
    };
    let within = |&ms: &f64| {
        plan(&|| {
            Budget::UNLIMITED.until(ThreadClock.now() + Duration::from_secs_f64(1e-3 * ms), &ThreadClock)
        })
    };
    let times = config.budgets_ms.iter().map(within).collect::<Result<_>>()?;
    let counts = config
        .step_budgets
        .iter()
        .map(|&steps| plan(&|| Budget::UNLIMITED.steps(steps)))
        .collect::<Result<_>>()?;
    Ok((times, counts))
}

impl Run {
    fn new(step: &Step, truth: &Step, cpu: Duration, wall: Duration) -> Self {
        let pairs = || step.answers.iter().zip(&truth.answers);
        let holds = |answer: &noli::world::Answer, truth: &noli::world::Answer| match answer.basis {
            Basis::CutShort => answer.impact.safe_until() <= latest(&truth.impact) + TOLERANCE,
            _ => answer.impact.is_hit() == truth.impact.is_hit(),
        };
        let free = |step: &Step| step.outcomes[0].free_until;
        Self {
            cpu_ms: 1e3 * cpu.as_secs_f64(),
            wall_ms: 1e3 * wall.as_secs_f64(),
            cut_short: step.stats.cut_short > 0,
            lost: (free(truth) - free(step)).max(0.0),
            wrong: pairs().filter(|(answer, truth)| !holds(answer, truth)).count(),
            safe: step.answers.iter().map(|answer| answer.impact.safe_until()).collect(),
        }
    }
}

/// The latest time at which bodies may first touch.
fn latest(impact: &Impact<Touch>) -> f64 {
    match impact {
        Impact::Free | Impact::Unknown { .. } => 1.0,
        Impact::AtStart(_) => 0.0,
        Impact::At { time, .. } => time.touching_by,
    }
}

/// Pairs about which more budget said less.
fn narrower(less: &Run, more: &Run) -> usize {
    less.safe.iter().zip(&more.safe).filter(|(less, more)| **more < **less - TOLERANCE).count()
}

/// The steps under every budget.
struct Runs {
    /// By budgets of time.
    timed: Vec<Vec<Run>>,
    /// By budgets of steps.
    counted: Vec<Vec<Run>>,
    /// Pairs about which more steps allowed said less.
    wider: usize,
}

impl Runs {
    fn report(&self, session: &mut Session<'_>, config: &Config, goal: &Printed) {
        let worst = self.time_table(session, &config.budgets_ms);
        self.step_table(session, &config.step_budgets);
        let lost = config.budgets_ms.iter().zip(&self.timed);
        let lost = lost.map(|(ms, runs)| [*ms, 100.0 * mean(runs, |run| run.lost)]);
        session.plot(Plot {
            title: "What a budget costs".into(),
            x: "budget, ms".into(),
            y: "given up, % of the motion".into(),
            shape: Shape::Lines,
            series: vec![Series { name: "mean over steps".into(), points: lost.collect() }],
            ..Default::default()
        });
        let wrong: usize = self.timed.iter().chain(&self.counted).flatten().map(|run| run.wrong).sum();
        session.finding(
            format!("At least {} % of the steps are in time", 100.0 * goal.within),
            Verdict::of(worst >= goal.within),
            format!("{:.2} % under the budget that is missed most.", 100.0 * worst),
        );
        session.finding(
            "Brackets hold the unlimited answer, however short the time",
            Verdict::of(wrong == 0),
            format!("{wrong} wrong ones."),
        );
        session.finding(
            "With budgets in steps, more budget never tells less",
            Verdict::of(self.wider == 0),
            format!("{} pairs about which it did.", self.wider),
        );
    }

    /// Returns the share of steps in time under the budget that is missed most.
    fn time_table(&self, session: &mut Session<'_>, budgets_ms: &[f64]) -> f64 {
        let columns = [
            "budget, ms",
            "steps",
            "in time, % of steps (CPU)",
            "(wall)",
            "latest, ms over (CPU)",
            "cut short, % of steps",
            "given up, % of the motion",
            "wrong brackets",
        ];
        let mut table = Table::new("Steps within their budget and 0.1 ms", columns);
        let mut worst = 1.0f64;
        for (budget, runs) in budgets_ms.iter().zip(&self.timed) {
            let share = |of: &dyn Fn(&Run) -> bool| mean(runs, |run| f64::from(u8::from(of(run))));
            let in_time = share(&|run| run.cpu_ms <= budget + LATE_MS);
            worst = worst.min(in_time);
            let latest = runs.iter().map(|run| run.cpu_ms - budget).fold(f64::NEG_INFINITY, f64::max);
            let figures = [
                runs.len() as f64,
                100.0 * in_time,
                100.0 * share(&|run| run.wall_ms <= budget + LATE_MS),
                latest,
                100.0 * share(&|run| run.cut_short),
                100.0 * mean(runs, |run| run.lost),
                runs.iter().map(|run| run.wrong).sum::<usize>() as f64,
            ];
            table.row(budget.to_string(), figures.map(Cell::Ours));
        }
        session.table(table);
        worst
    }

    fn step_table(&self, session: &mut Session<'_>, budgets: &[u64]) {
        let columns = [
            "steps allowed",
            "cut short, % of steps",
            "given up, % of the motion",
            "wrong brackets",
            "CPU, ms",
        ];
        let mut table = Table::new("Budgets in steps", columns);
        for (budget, runs) in budgets.iter().zip(&self.counted) {
            let figures = [
                100.0 * mean(runs, |run| f64::from(u8::from(run.cut_short))),
                100.0 * mean(runs, |run| run.lost),
                runs.iter().map(|run| run.wrong).sum::<usize>() as f64,
                mean(runs, |run| run.cpu_ms),
            ];
            table.row(budget.to_string(), figures.map(Cell::Ours));
        }
        session.table(table);
    }
}

fn mean(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64
}
