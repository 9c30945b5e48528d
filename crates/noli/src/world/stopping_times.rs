//! From the times of pairs to the times of groups.

use super::answers::{Answer, Outcome};
use super::options::{InitialContact, StepOptions, StopPolicy};
use super::pair_job::Job;
use super::pair_test;
use super::stop_groups::Ties;
use noli_geom::{Clip, Impact, Motion};

/// Distance from a contact at which a group stops, as a share of the size of the bodies. Large enough that
/// rounding of its final poses cannot make it touch.
const CLOSE: f64 = 1e-6;

/// Computes the time until which a pair lets its bodies move.
fn limit(job: &Job<'_>, answer: &Answer, at_start: InitialContact) -> f64 {
    match answer.impact {
        Impact::Free => f64::INFINITY,
        Impact::AtStart(_) if at_start == InitialContact::Refuse => 0.0,
        Impact::AtStart(_) => f64::INFINITY,
        Impact::Unknown { safe_until } => safe_until,
        Impact::At { time, .. } => {
            let size = job
                .moving
                .iter()
                .map(|moving| moving.sphere().radius)
                .filter(|size| size.is_finite())
                .fold(0.0, f64::max);
            let back =
                if job.travel > 0.0 && job.travel.is_finite() { CLOSE * size / job.travel } else { 0.0 };
            (time.safe_until - back).max(0.0)
        }
    }
}

/// Computes the permitted motion of each group.
pub(super) fn outcomes(
    jobs: &[Job<'_>],
    answers: &mut [Answer],
    ties: &Ties,
    options: &StepOptions<'_>,
) -> Vec<Outcome> {
    let limits: Vec<f64> =
        jobs.iter().zip(&*answers).map(|(job, answer)| limit(job, answer, options.at_start)).collect();
    match options.cut {
        StopPolicy::Islands if options.policy.stops_together() => {
            earliest(jobs, &limits, &islands(jobs, ties))
        }
        StopPolicy::Islands => earliest(jobs, &limits, &ties.sets()),
        StopPolicy::InOrder => in_order(jobs, answers, limits, &ties.sets(), options),
    }
}

/// Assigns the earliest limit of each set of groups to all its members.
fn earliest(jobs: &[Job<'_>], limits: &[f64], set_of: &[usize]) -> Vec<Outcome> {
    let mut best = vec![Outcome { free_until: 1.0, first: None }; set_of.len()];
    for (number, (job, &limit)) in jobs.iter().zip(limits).enumerate() {
        for group in job.by.into_iter().flatten() {
            let outcome = &mut best[set_of[group]];
            if limit < outcome.free_until {
                *outcome = Outcome { free_until: limit, first: Some(number) };
            }
        }
    }
    set_of.iter().map(|&set| best[set]).collect()
}

/// Returns for each group the first group of its island. Groups of an island may collide, or are tied.
fn islands(jobs: &[Job<'_>], ties: &Ties) -> Vec<usize> {
    let mut islands = ties.clone();
    for job in jobs {
        if let [Some(a), Some(b)] = job.by {
            islands.tie(a, b);
        }
    }
    islands.sets()
}

/// Stops the group that collides first, tests all its pairs again, and so on. Every turn stops a group, so
/// there are at most as many turns as groups.
fn in_order(
    jobs: &[Job<'_>],
    answers: &mut [Answer],
    mut limits: Vec<f64>,
    set_of: &[usize],
    options: &StepOptions<'_>,
) -> Vec<Outcome> {
    let count = set_of.len();
    let mut budget = options.budget.without(answers.iter().map(|answer| answer.steps).sum());
    let mut outcomes = vec![Outcome { free_until: 1.0, first: None }; count];
    let mut halted = vec![false; count];
    loop {
        let goes_on = |number: &usize| jobs[*number].by.iter().flatten().any(|&group| !halted[group]);
        let next = (0..jobs.len()).filter(goes_on).min_by(|&x, &y| limits[x].total_cmp(&limits[y]));
        let Some(first) = next.filter(|&number| limits[number] < 1.0) else { return outcomes };
        let time = limits[first];
        let hit = |group: usize| jobs[first].by.into_iter().flatten().any(|hit| set_of[hit] == set_of[group]);
        let stopped: Vec<usize> = (0..count).filter(|&group| !halted[group] && hit(group)).collect();
        for &group in &stopped {
            outcomes[group] = Outcome { free_until: time, first: Some(first) };
            halted[group] = true;
        }
        for (number, job) in jobs.iter().enumerate() {
            let is_concerned = job.by.iter().flatten().any(|group| stopped.contains(group));
            if number == first || !is_concerned || limits[number] == f64::INFINITY && job.by.contains(&None) {
                continue;
            }
            let at = job.by.map(|by| by.map_or(1.0, |group| outcomes[group].free_until));
            let halts: [Option<Clip>; 2] =
                std::array::from_fn(|k| Some(Clip::held(job.motions[k]?.clone(), at[k])));
            let moving = std::array::from_fn(|k| {
                let motion = halts[k].as_ref().map_or(job.moving[k].motion, |clip| clip as &dyn Motion);
                job.moving[k].model.moving(motion)
            });
            let again = Job { moving, ..*job };
            let tested = pair_test::test_from(&again, time, options, &budget);
            budget = budget.without(tested.steps);
            answers[number].impact = tested.impact;
            answers[number].steps += tested.steps;
            answers[number].final_clearance = 0.0;
            limits[number] = limit(job, &answers[number], options.at_start);
        }
    }
}
