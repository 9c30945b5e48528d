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

/// How late a step may be.
const LATE_MS: f64 = 0.1;
/// How far times may differ by the way they were found.
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
    let (mut timed, mut counted) = (by(&config.budgets_ms), by(&config.step_budgets));
    let mut wider = 0;
    for number in 0..config.steps {
        let stage = &mut stages[number % 6];
        if number % 100 == 0 {
            session.step(&format!("step {number}, {}", stage.name));
        }
        let from = random.unit() * (stage.until - config.piece);
        let (times, counts) = pool.install(|| step(stage, from, &config))?;
        wider += counts.windows(2).map(|pair| narrower(&pair[0], &pair[1])).sum::<usize>();
        timed.iter_mut().zip(times).for_each(|(runs, run)| runs.push(run));
        counted.iter_mut().zip(counts).for_each(|(runs, run)| runs.push(run));
    }
    report(session, &config, &goal, &timed, &counted, wider);
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

fn report(
    session: &mut Session<'_>,
    config: &Config,
    goal: &Printed,
    timed: &[Vec<Run>],
    counted: &[Vec<Run>],
    wider: usize,
) {
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
    for (budget, runs) in config.budgets_ms.iter().zip(timed) {
        let share =
            |of: &dyn Fn(&Run) -> bool| runs.iter().filter(|run| of(run)).count() as f64 / runs.len() as f64;
        let in_time = share(&|run| run.cpu_ms <= budget + LATE_MS);
        worst = worst.min(in_time);
        let latest = runs.iter().map(|run| run.cpu_ms - budget).fold(f64::NEG_INFINITY, f64::max);
        table.row(
            budget.to_string(),
            [
                Cell::Ours(runs.len() as f64),
                Cell::Ours(100.0 * in_time),
                Cell::Ours(100.0 * share(&|run| run.wall_ms <= budget + LATE_MS)),
                Cell::Ours(latest),
                Cell::Ours(100.0 * share(&|run| run.cut_short)),
                Cell::Ours(100.0 * mean(runs, |run| run.lost)),
                Cell::Ours(runs.iter().map(|run| run.wrong).sum::<usize>() as f64),
            ],
        );
    }
    session.table(table);
    let mut table = Table::new(
        "Budgets in steps",
        ["steps allowed", "cut short, % of steps", "given up, % of the motion", "wrong brackets", "CPU, ms"],
    );
    for (budget, runs) in config.step_budgets.iter().zip(counted) {
        table.row(
            budget.to_string(),
            [
                Cell::Ours(100.0 * mean(runs, |run| f64::from(u8::from(run.cut_short)))),
                Cell::Ours(100.0 * mean(runs, |run| run.lost)),
                Cell::Ours(runs.iter().map(|run| run.wrong).sum::<usize>() as f64),
                Cell::Ours(mean(runs, |run| run.cpu_ms)),
            ],
        );
    }
    session.table(table);
    let lost =
        config.budgets_ms.iter().zip(timed).map(|(ms, runs)| [*ms, 100.0 * mean(runs, |run| run.lost)]);
    session.plot(Plot {
        title: "What a budget costs".into(),
        x: "budget, ms".into(),
        y: "given up, % of the motion".into(),
        shape: Shape::Lines,
        series: vec![Series { name: "mean over steps".into(), points: lost.collect() }],
        ..Default::default()
    });
    let wrong: usize = timed.iter().chain(counted).flatten().map(|run| run.wrong).sum();
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
        Verdict::of(wider == 0),
        format!("{wider} pairs about which it did."),
    );
}

fn mean(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64
}
