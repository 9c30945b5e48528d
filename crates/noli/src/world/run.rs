//! Pair tests within a budget.

use super::body::BodyId;
use super::step::{Basis, Mode, StepOptions};
use crate::budget::{Budget, Meter};
use crate::model::Moving;
use crate::parallel;
use crate::query::{
    ClearanceQuery, Guarantee, ImpactQuery, Overlap, Tolerance, Touch, clearance_traced, closer_than_metered,
    time_of_impact_metered, touch_at, with_scratch,
};
use crate::scratch::Scratch;
use crate::trace::Stats;
use noli_geom::{Impact, TimeOfImpact};
use std::time::Duration;

/// How the pairs of a step share its budget.
#[derive(Clone, Copy, Default)]
pub enum Share<'a> {
    /// All pairs take turns on one list: those that have had least come first, among them the one that is safe for the
    /// shortest time, and each turn is twice as long as the one before. What an easy pair leaves over goes to the others.
    #[default]
    Together,
    /// The same for every pair, whether it needs it or not.
    Uniform,
    /// One pair after the other; what is left over is divided among the rest.
    CarryOver,
    /// In proportion to weights, such as nearness to a viewer.
    Weighted(&'a (dyn Fn([BodyId; 2]) -> f64 + Sync)),
}

impl std::fmt::Debug for Share<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Together => "Together",
            Self::Uniform => "Uniform",
            Self::CarryOver => "CarryOver",
            Self::Weighted(_) => "Weighted",
        })
    }
}

/// What is said about a pair that the budget did not suffice for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// They may touch from the time on until which a finished part of the test proved them free. More budget never gives an
    /// earlier time.
    #[default]
    AssumeContact,
    /// They may touch from the time on at which volumes that were not looked into yet may. Never earlier than the former.
    Volumes,
}

/// A pair to be tested.
#[derive(Clone, Copy)]
pub(super) struct Job<'w> {
    pub(super) pair: [BodyId; 2],
    pub(super) moving: [Moving<'w>; 2],
    /// The moves that move each, if any.
    pub(super) by: [Option<usize>; 2],
    pub(super) margin: f64,
    /// How far points of both go during the step, together.
    pub(super) travel: f64,
    /// A gap at the start that is known.
    pub(super) known: f64,
    pub(super) weight: f64,
}

/// What came of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    pub(super) impact: Impact<Touch>,
    pub(super) basis: Basis,
    pub(super) guarantee: Guarantee,
    pub(super) gap_at_most: f64,
    pub(super) volumes_until: f64,
    /// Proven gap at the end of the motion.
    pub(super) apart: f64,
    pub(super) steps: u64,
}

/// Steps of a pair's first turn.
const FIRST_TURN: u64 = 128;
/// Pairs that have their turns at once. Not the number of threads, on which no answer may depend.
const AT_ONCE: usize = 8;

/// Test all pairs; answers in order.
pub(super) fn run(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    let mut tested: Vec<Tested> = jobs.iter().map(Tested::before).collect();
    let awake: Vec<usize> = (0..jobs.len()).filter(|&job| tested[job].basis != Basis::Asleep).collect();
    let awake_jobs: Vec<Job<'_>> = awake.iter().map(|&job| jobs[job]).collect();
    let budget = &options.budget;
    let results = if !budget.is_limited() {
        parallel::map_few(&awake_jobs, |job| test(job, 0.0, options, &Budget::UNLIMITED))
    } else {
        match options.share {
            Share::Together => together(&awake_jobs, options),
            Share::CarryOver => one_by_one(&awake_jobs, options, true),
            Share::Uniform | Share::Weighted(_) if budget.deadline().is_some() => {
                one_by_one(&awake_jobs, options, false)
            }
            Share::Uniform | Share::Weighted(_) => in_shares(&awake_jobs, options),
        }
    };
    for (job, mut result) in awake.into_iter().zip(results) {
        result.fall_back(&jobs[job], options.fallback);
        tested[job] = result;
    }
    tested
}

/// Ask again from a time on.
pub(super) fn test_from(job: &Job<'_>, from: f64, options: &StepOptions<'_>) -> Tested {
    let mut tested = test(job, from, options, &options.budget);
    tested.fall_back(job, options.fallback);
    tested
}

/// Steps in fixed shares.
fn in_shares(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    let (budget, weights) = (options.budget, total_weight(jobs));
    let steps = budget.step_limit().unwrap_or(u64::MAX) as f64;
    parallel::map_few(jobs, |job| {
        let share = if weights > 0.0 { steps * (job.weight / weights) } else { 0.0 };
        test(job, 0.0, options, &budget.steps(share as u64))
    })
}

fn total_weight(jobs: &[Job<'_>]) -> f64 {
    jobs.iter().map(|job| job.weight).sum()
}

/// Shares of steps and time, one pair after the other; `carry` shares out anew what is left.
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
        let tested = test(job, 0.0, options, &own);
        steps_left = steps_left.map(|left| left.saturating_sub(tested.steps));
        weight_left -= job.weight;
        results.push(tested);
    }
    results
}

/// Turns on one list. With a step budget, more budget only makes the last turns longer or adds some, so no bracket gets wider.
fn together(jobs: &[Job<'_>], options: &StepOptions<'_>) -> Vec<Tested> {
    let budget = options.budget;
    let mut tested: Vec<Tested> = jobs.iter().map(Tested::before).collect();
    let mut turn = vec![FIRST_TURN; jobs.len()];
    let mut open: Vec<usize> = (0..jobs.len()).collect();
    let mut left = budget.step_limit().unwrap_or(u64::MAX);
    while !open.is_empty() && left > 0 && !budget.is_over() {
        let safe = |job: usize| tested[job].impact.safe_until();
        open.sort_by(|&x, &y| turn[x].cmp(&turn[y]).then(safe(x).total_cmp(&safe(y))).then(x.cmp(&y)));
        let mut turns = Vec::with_capacity(AT_ONCE);
        for &job in open.iter().take(AT_ONCE) {
            let steps = turn[job].min(left);
            left -= steps;
            turns.push((job, steps));
        }
        let is_last = turns.iter().any(|&(job, steps)| steps < turn[job]);
        let results = parallel::map_few(&turns, |&(job, steps)| {
            test(&jobs[job], safe(job), options, &budget.steps(steps))
        });
        for (&(job, steps), result) in turns.iter().zip(results) {
            left += steps.saturating_sub(result.steps);
            turn[job] *= 2;
            tested[job].go_on(result);
        }
        if is_last {
            break;
        }
        open.retain(|&job| tested[job].basis == Basis::CutShort);
    }
    tested
}

impl Tested {
    /// Before anything is tested: pairs that are far enough apart to sleep need no test.
    fn before(job: &Job<'_>) -> Self {
        // The sum and the bound are rounded.
        let sleeps = job.known * (1.0 - 1e-12) > job.travel + job.margin;
        Self {
            impact: if sleeps { Impact::Free } else { Impact::Unknown { safe_until: 0.0 } },
            basis: if sleeps { Basis::Asleep } else { Basis::CutShort },
            guarantee: Guarantee::Exact,
            gap_at_most: f64::INFINITY,
            volumes_until: 0.0,
            apart: 0.0,
            steps: 0,
        }
    }

    /// What a later turn adds.
    fn go_on(&mut self, later: Self) {
        let before = *self;
        *self = later;
        self.steps += before.steps;
        self.gap_at_most = before.gap_at_most.min(later.gap_at_most);
        self.volumes_until = before.volumes_until.max(later.volumes_until);
    }

    fn fall_back(&mut self, job: &Job<'_>, fallback: Fallback) {
        let Impact::Unknown { safe_until } = self.impact else { return };
        if fallback == Fallback::Volumes {
            self.impact = Impact::Unknown { safe_until: safe_until.max(self.volumes_until) };
        }
        if self.gap_at_most == f64::INFINITY {
            self.gap_at_most = any_gap(job, safe_until);
        }
    }
}

/// The gap is at most the distance of any two points, here of the first corners, rounded up.
fn any_gap(job: &Job<'_>, t: f64) -> f64 {
    let [a, b] = job.moving.map(|moving| {
        let mesh = moving.model.mesh();
        let corner = mesh.triangles().first().map(|triangle| mesh.vertices()[triangle[0] as usize]);
        corner.map(|corner| moving.motion.pose(t).transform_point(corner))
    });
    match (a, b) {
        (Some(a), Some(b)) => a.distance(b) + 1e-12 * (a.length() + b.length()),
        _ => f64::INFINITY,
    }
}

/// One test, of what happens from a time on.
fn test(job: &Job<'_>, from: f64, options: &StepOptions<'_>, budget: &Budget<'_>) -> Tested {
    with_scratch(|scratch| {
        let mut meter = budget.meter();
        let mut tested = Tested { basis: Basis::Tested, ..Tested::before(job) };
        tested.impact = match options.mode {
            Mode::Dynamic => dynamic(job, from, options, &mut meter, scratch, &mut tested),
            Mode::Static => sampled(job, &[0.0, 1.0], &mut meter, scratch),
            Mode::Sampled { between } => {
                let last = f64::from(between) + 1.0;
                let times: Vec<f64> = (0..=between + 1).map(|k| f64::from(k) / last).collect();
                at_times(job, &times, &mut meter, scratch)
            }
            Mode::Mixed => match sampled(job, &[0.0, 1.0], &mut meter, scratch) {
                Impact::At { .. } => dynamic(job, from, options, &mut meter, scratch, &mut tested),
                other => other,
            },
        };
        tested.steps += meter.taken();
        if matches!(tested.impact, Impact::Unknown { .. }) {
            tested.basis = Basis::CutShort;
        }
        let left = budget.step_limit().map(|steps| steps.saturating_sub(tested.steps));
        let worth = options.sleep && options.mode == Mode::Dynamic && job.travel > 0.0;
        if worth && tested.impact == Impact::Free {
            let budget = left.map_or(*budget, |left| budget.steps(left));
            tested.measure(job, budget, scratch);
        }
        tested
    })
}

impl Tested {
    /// How far apart a free pair is at the end: roughly, and only if near.
    fn measure(&mut self, job: &Job<'_>, budget: Budget<'_>, scratch: &mut Scratch) {
        let query = ClearanceQuery {
            max_distance: job.margin + LONG_SLEEP * job.travel,
            tolerance: Tolerance::Length(job.travel),
            budget,
        };
        let [a, b] = job.moving.map(|moving| moving.at(1.0));
        let mut stats = Stats::default();
        self.apart = clearance_traced(&a, &b, &query, scratch, &mut stats).at_least;
        self.steps += stats.blocks + stats.leaf_pairs;
    }
}

/// Pairs that can sleep for so many steps like this one need not be measured more closely.
const LONG_SLEEP: f64 = 16.0;

fn dynamic(
    job: &Job<'_>,
    from: f64,
    options: &StepOptions<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    tested: &mut Tested,
) -> Impact<Touch> {
    let [a, b] = &job.moving;
    let query = ImpactQuery {
        span: (from, 1.0),
        margin: job.margin,
        tolerance: options.tolerance,
        budget: meter.budget(),
    };
    let (impact, unfinished) = time_of_impact_metered(a, b, &query, meter, scratch);
    tested.gap_at_most = unfinished.gap_at_most;
    tested.volumes_until = unfinished.volumes_until;
    match impact {
        // Closer than the margin from the start, but apart: nobody is let through what it does not touch yet.
        Impact::AtStart(_) if from == 0.0 && job.margin > 0.0 => {
            let query = ImpactQuery { margin: 0.0, ..query };
            let (touching, unfinished) = time_of_impact_metered(a, b, &query, meter, scratch);
            tested.volumes_until = unfinished.volumes_until;
            if touching == Impact::Free { impact } else { touching }
        }
        // What was free before is not in contact from the start.
        Impact::AtStart(features) if from > 0.0 => {
            Impact::At { time: TimeOfImpact { safe_until: from, touching_by: from }, features }
        }
        other => other,
    }
}

/// At the last of some times.
fn sampled(job: &Job<'_>, times: &[f64; 2], meter: &mut Meter<'_>, scratch: &mut Scratch) -> Impact<Touch> {
    let [a, b] = &job.moving;
    let [safe_until, touching_by] = *times;
    match closer_than_metered(&a.at(touching_by), &b.at(touching_by), job.margin, meter, scratch) {
        Overlap::Free => Impact::Free,
        Overlap::Unknown => Impact::Unknown { safe_until },
        Overlap::Hit => Impact::At {
            time: TimeOfImpact { safe_until, touching_by },
            features: touch_at(a, b, touching_by, scratch),
        },
    }
}

/// At all of some times, in order.
fn at_times(job: &Job<'_>, times: &[f64], meter: &mut Meter<'_>, scratch: &mut Scratch) -> Impact<Touch> {
    if let Impact::At { features, .. } = sampled(job, &[0.0, 0.0], meter, scratch) {
        return Impact::AtStart(features);
    }
    let pairs = times.windows(2).map(|pair| sampled(job, &[pair[0], pair[1]], meter, scratch));
    pairs.into_iter().find(|impact| *impact != Impact::Free).unwrap_or(Impact::Free)
}
