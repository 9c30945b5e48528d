//! Distribution of a step's budget among its pair tests.

use super::answers::Basis;
use super::options::{BudgetPolicy, StepOptions};
use super::pair_job::Job;
use super::pair_test::{Tested, test};
use crate::parallel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Steps of a pair's first turn.
const FIRST_TURN: u64 = 128;
/// Pairs that have their turns at once. Not the number of threads, on which no answer may depend.
const AT_ONCE: usize = 8;

/// Test all pairs; answers in order.
pub(super) fn run(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    let mut tested: Vec<Tested> = jobs.iter().map(|job| Tested::before(job, options)).collect();
    let awake: Vec<usize> = (0..jobs.len()).filter(|&job| tested[job].basis != Basis::Asleep).collect();
    let awake_jobs: Vec<Job<'_>> = awake.iter().map(|&job| jobs[job]).collect();
    let results = run_awake(&awake_jobs, options);
    let mut budget = options.budget.without(results.iter().map(|tested| tested.steps).sum());
    for (job, mut result) in awake.into_iter().zip(results) {
        let before = result.steps;
        result.fall_back(&jobs[job], options, &budget);
        budget = budget.without(result.steps - before);
        tested[job] = result;
    }
    tested
}

fn run_awake(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    if !options.budget.is_limited() {
        return parallel::map_few(jobs, |job| {
            test(job, &Tested::before(job, options), options, &options.budget)
        });
    }
    let reserve = options.policy.reserve();
    let kept = StepOptions { budget: options.budget.share(1.0 - reserve), ..*options };
    let options = if reserve > 0.0 { &kept } else { options };
    match options.share {
        _ if options.policy.carries_over() => one_by_one(jobs, options, true),
        BudgetPolicy::Together if jobs.len() > 1 => parallel::on_pool(|| together(jobs, options)),
        BudgetPolicy::Together => together(jobs, options),
        BudgetPolicy::Weighted(_) if options.budget.deadline().is_some() => one_by_one(jobs, options, false),
        BudgetPolicy::Weighted(_) => in_shares(jobs, options),
    }
}

/// Steps in fixed shares.
fn in_shares(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    let (budget, weights) = (options.budget, total_weight(jobs));
    let steps = budget.step_limit().unwrap_or(u64::MAX) as f64;
    parallel::map_few(jobs, |job| {
        let share = if weights > 0.0 { steps * (job.weight / weights) } else { 0.0 };
        test(job, &Tested::before(job, options), options, &budget.steps(share as u64))
    })
}

fn total_weight(jobs: &[Job<'_>]) -> f64 {
    jobs.iter().map(|job| job.weight).sum()
}

/// Distributes steps and time, one pair after the other; `carry` redistributes the remainder.
fn one_by_one(jobs: &[Job<'_>], options: &StepOptions<'_>, carry: bool) -> Vec<Tested> {
    let budget = options.budget;
    let now = || budget.deadline().map(|(_, clock)| clock.now());
    let time = |at: Duration| budget.deadline().map_or(Duration::ZERO, |(until, _)| until.saturating_sub(at));
    let all = budget.step_limit();
    let whole_time = now().map(time);
    let (mut steps_left, mut weight_left) = (all, total_weight(jobs));
    let whole_weight = weight_left;
    let mut results = Vec::with_capacity(jobs.len());
    for job in jobs {
        let share = job.weight / if carry { weight_left } else { whole_weight };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let mut own = budget;
        if let Some(steps) = if carry { steps_left } else { all } {
            own = own.steps((steps as f64 * share) as u64);
        }
        if let (Some((until, clock)), Some(start)) = (budget.deadline(), now()) {
            let total = if carry { Some(time(start)) } else { whole_time }.unwrap_or_default();
            own = own.until(until.min(start + total.mul_f64(share)), clock);
        }
        let tested = test(job, &Tested::before(job, options), options, &own);
        steps_left = steps_left.map(|left| left.saturating_sub(tested.steps));
        weight_left -= job.weight;
        results.push(tested);
    }
    results
}

/// Turns on one list. With a step budget, more budget only makes the last turns longer or adds some, so no
/// bracket gets wider.
fn together(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    let budget = options.budget;
    let mut tested: Vec<Tested> = jobs.iter().map(|job| Tested::before(job, options)).collect();
    // Times are not negative, so their bits are in order.
    let turn = |tested: &Tested, length: u64, job: usize| {
        Reverse((length, tested.impact.safe_until().to_bits(), job))
    };
    let mut open: BinaryHeap<_> = (0..jobs.len()).map(|job| turn(&tested[job], FIRST_TURN, job)).collect();
    let mut left = budget.step_limit().unwrap_or(u64::MAX);
    while !open.is_empty() && left > 0 && !budget.is_over() {
        let mut turns = Vec::with_capacity(AT_ONCE);
        while turns.len() < AT_ONCE
            && let Some(Reverse((length, _, job))) = open.pop()
        {
            let steps = length.min(left);
            left -= steps;
            turns.push((job, length, steps));
        }
        let is_last = turns.iter().any(|&(_, length, steps)| steps < length);
        let results = parallel::map_few(&turns, |&(job, _, steps)| {
            test(&jobs[job], &tested[job], options, &budget.steps(steps))
        });
        for (&(job, length, steps), result) in turns.iter().zip(results) {
            left += steps.saturating_sub(result.steps - tested[job].steps);
            tested[job] = result;
            if result.basis == Basis::CutShort {
                open.push(turn(&result, 2 * length, job));
            }
        }
        if is_last {
            break;
        }
    }
    tested
}
