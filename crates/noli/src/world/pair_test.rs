//! The test of one pair, in one turn or several.

use super::answers::{AfterStart, Answer, Basis};
use super::body::BodyId;
use super::options::{InitialContact, StepOptions};
use super::pair_job::Job;
use super::policy::{PairInMotion, TimedOut, UnfinishedPair};
use crate::answer::{Guarantee, Impact, Overlap, Relation, TimeOfImpact, Touch};
use crate::budget::Budget;
use crate::context::{QueryContext, with_context};
use crate::convex::SearchEnd;
use crate::hint::Hint;
use crate::pair::{self, ImpactFound, ImpactGiven, Limits, Parting};
use crate::query::ImpactQuery;
use noli_geom::Motion;

/// Result of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    pub(super) impact: Impact<Touch>,
    pub(super) after_start: Option<AfterStart>,
    pub(super) basis: Basis,
    pub(super) guarantee: Guarantee,
    /// Proven to be separated by more than the margin where the next turn starts.
    separated: bool,
    pub(super) found: ImpactFound,
    pub(super) hint: SearchEnd,
    /// Proven clearance at the end of the motion.
    pub(super) final_clearance: f64,
    pub(super) steps: u64,
}

impl Tested {
    /// State before any test: pairs that are far enough separated to sleep need no test.
    pub(super) fn before(job: &Job<'_>, options: &StepOptions<'_>) -> Self {
        // The sum and the bound are rounded.
        let known = job.known * (1.0 - 1e-12);
        let sleeps = options.sleep && known > job.travel + job.margin;
        Self {
            impact: if sleeps { Impact::Free } else { Impact::Unknown { safe_until: 0.0 } },
            after_start: None,
            basis: if sleeps { Basis::Asleep } else { Basis::CutShort },
            guarantee: Guarantee::Exact,
            separated: options.hints && known > job.margin,
            found: ImpactFound::default(),
            hint: job.hint.copied().unwrap_or_default(),
            final_clearance: 0.0,
            steps: 0,
        }
    }

    /// State with a known result until a time, and none after it.
    pub(super) fn free_until(job: &Job<'_>, safe_until: f64, options: &StepOptions<'_>) -> Self {
        let mut tested = Self::before(job, options);
        tested.impact = Impact::Unknown { safe_until };
        tested.basis = Basis::CutShort;
        tested.separated = false;
        tested
    }

    /// Sets the result if the budget did not suffice.
    pub(super) fn fall_back(&mut self, job: &Job<'_>, options: &StepOptions<'_>, budget: &Budget<'_>) {
        let Impact::Unknown { safe_until } = self.impact else { return };
        if self.found.clearance_at_most == f64::INFINITY {
            self.found.clearance_at_most = any_clearance(job, safe_until);
        }
        let boxes = self.found.smallest.filter(|_| !budget.is_over()).and_then(|slots| {
            let around = |k: usize| Some(job.moving[k].model.faces()?.packed.node_box(slots[k]));
            Some([around(0)?, around(1)?])
        });
        let TimedOut { impact, guarantee, steps } = options.policy.timed_out(&UnfinishedPair {
            safe_until,
            volumes_until: self.found.volumes_until,
            boxes,
            motions: job.moving.map(|moving| moving.motion),
            margin: job.margin,
            tolerance: options.tolerance,
            budget: *budget,
        });
        self.impact = impact;
        self.guarantee = self.guarantee.max(guarantee);
        self.steps += steps;
    }
}

/// The clearance is at most the distance of any two points, here of the first vertices, rounded up.
fn any_clearance(job: &Job<'_>, t: f64) -> f64 {
    let [a, b] = job.moving.map(|moving| {
        let mesh = &moving.model.faces()?.mesh;
        let vertex = mesh.triangles().first().map(|triangle| mesh.vertices()[triangle[0] as usize]);
        vertex.map(|vertex| moving.motion.pose(t).transform_point(vertex))
    });
    match (a, b) {
        (Some(a), Some(b)) => a.distance(b) + 1e-12 * (a.length() + b.length()),
        _ => f64::INFINITY,
    }
}

/// A job as policies test it.
struct JobInMotion<'s, 'a> {
    job: &'s Job<'s>,
    options: &'s StepOptions<'s>,
    context: &'s mut QueryContext<'a>,
    tested: &'s mut Tested,
}

impl PairInMotion for JobInMotion<'_, '_> {
    fn over_time(&mut self) -> Impact<Touch> {
        dynamic(self.job, self.options, self.context, self.tested)
    }

    fn at_end_of(&mut self, start: f64, end: f64) -> Impact<Touch> {
        sampled(self.job, [start, end], self.context)
    }

    fn over_time_within(&mut self, margin: f64) -> Impact<Touch> {
        let [a, b] = &self.job.moving;
        let query = ImpactQuery { span: (0.0, 1.0), margin, tolerance: self.options.tolerance };
        let given = given(self.options, false);
        pair::time_of_impact(a, b, &query, &given, self.context, &mut ImpactFound::default())
    }

    fn bodies(&self) -> [BodyId; 2] {
        self.job.pair
    }

    fn motions(&self) -> [&dyn Motion; 2] {
        self.job.moving.map(|moving| moving.motion)
    }

    fn margin(&self) -> f64 {
        self.job.margin
    }

    fn safe_until(&self) -> f64 {
        self.tested.impact.safe_until()
    }

    fn budget(&self) -> Budget<'_> {
        self.context.meter.budget()
    }

    fn set_after_start(&mut self, after: AfterStart) {
        self.tested.after_start = Some(after);
    }
}

/// One test, or another turn of it: of what happens after the time that is known.
pub(super) fn test(job: &Job<'_>, before: &Tested, options: &StepOptions<'_>, budget: &Budget<'_>) -> Tested {
    // Faces found in an earlier turn would make a bracket depend on how turns were cut.
    let mut hint = Hint::from(before.hint);
    let mut tested = Tested { basis: Basis::Tested, ..*before };
    with_context(|context| {
        let mut context = context.reborrow().with_budget(*budget).with_hint(&mut hint);
        let mut pair = JobInMotion { job, options, context: &mut context, tested: &mut tested };
        let impact = options.policy.test(&mut pair);
        tested.impact = impact;
        if matches!(tested.impact, Impact::Unknown { .. }) {
            tested.basis = Basis::CutShort;
        }
        let worth = options.sleep && options.proves_motion() && job.travel > 0.0;
        if worth && tested.impact == Impact::Free {
            tested.final_clearance = final_clearance(job, &mut context) - options.policy.reach();
        }
        tested.steps += context.steps();
    });
    tested.hint = hint.convex;
    tested
}

/// Tests again from a time on.
pub(super) fn test_from(job: &Job<'_>, from: f64, options: &StepOptions<'_>, budget: &Budget<'_>) -> Tested {
    let before = Tested::free_until(job, from, options);
    let mut tested = test(job, &before, options, budget);
    tested.fall_back(job, options, &budget.without(tested.steps));
    tested
}

impl Tested {
    /// Returns `true` if its test began with the last result.
    pub(super) fn is_hinted(&self, job: &Job<'_>, options: &StepOptions<'_>) -> bool {
        self.basis != Basis::Asleep && (job.hint.is_some() || Self::before(job, options).separated)
    }

    /// Returns the result for clients.
    pub(super) fn answer(&self, job: &Job<'_>, options: &StepOptions<'_>) -> Answer {
        Answer {
            pair: job.pair,
            impact: self.impact,
            after_start: self.after_start,
            guarantee: options.policy.guarantee().max(self.guarantee),
            basis: self.basis,
            clearance_at_most: (self.basis == Basis::CutShort).then_some(self.found.clearance_at_most),
            steps: self.steps,
            final_clearance: self.final_clearance,
        }
    }
}

/// Lower bound on the clearance of a collision-free pair at the end: approximate, and only if near.
fn final_clearance(job: &Job<'_>, context: &mut QueryContext<'_>) -> f64 {
    let max_distance = job.margin + LONG_SLEEP * job.travel;
    let limits = Limits { max_distance, tolerance: job.travel, advance: None };
    let [a, b] = job.moving.map(|moving| moving.at(1.0));
    pair::clearance(&a, &b, &limits, context).distance.at_least
}

/// Pairs that can sleep for so many steps like this one need not be measured more closely.
const LONG_SLEEP: f64 = 16.0;

fn dynamic(
    job: &Job<'_>,
    options: &StepOptions<'_>,
    context: &mut QueryContext<'_>,
    tested: &mut Tested,
) -> Impact<Touch> {
    let ([a, b], from) = (&job.moving, tested.impact.safe_until());
    let query = ImpactQuery { span: (from, 1.0), margin: job.margin, tolerance: options.tolerance };
    let given = given(options, tested.separated);
    let impact = pair::time_of_impact(a, b, &query, &given, context, &mut tested.found);
    tested.separated = tested.found.separated;
    match impact {
        Impact::AtStart(touch) if from > 0.0 => at(from, touch),
        // Found out in an earlier turn: they touched, and parted.
        Impact::Free if tested.after_start.is_some() => Impact::AtStart(pair::touch_at(a, b, 0.0, context)),
        Impact::AtStart(_) if job.margin > 0.0 => {
            // Closer than the margin from the start, but separated: a body must not pass through one that it
            // does not touch yet.
            let query = ImpactQuery { margin: 0.0, ..query };
            let given = ImpactGiven { separated: false, ..given };
            let touching = pair::time_of_impact(a, b, &query, &given, context, &mut tested.found);
            // A later turn begins with the margin again.
            tested.separated = false;
            match touching {
                Impact::Free => impact,
                Impact::AtStart(touch) => leaving(job, options, (touch, &query), context, tested),
                other => other,
            }
        }
        Impact::AtStart(touch) => leaving(job, options, (touch, &query), context, tested),
        other => other,
    }
}

/// Conditions of a search in a step.
fn given(options: &StepOptions<'_>, separated: bool) -> ImpactGiven {
    ImpactGiven { separated, only_free: false, wants_smallest: options.policy.reserve() > 0.0 }
}

fn at(t: f64, touch: Touch) -> Impact<Touch> {
    Impact::At { time: TimeOfImpact { safe_until: t, touching_by: t }, touch }
}

/// Classifies the motion of bodies that share a point at the start; `AtStart` if it does not stop them.
fn leaving(
    job: &Job<'_>,
    options: &StepOptions<'_>,
    (touch, query): (Touch, &ImpactQuery),
    context: &mut QueryContext<'_>,
    tested: &mut Tested,
) -> Impact<Touch> {
    let [a, b] = &job.moving;
    if options.at_start != InitialContact::Leave {
        return Impact::AtStart(touch);
    }
    let parting = pair::parting(a, b, query.span, context);
    tested.after_start = match parting {
        Parting::Within => Some(AfterStart::Within),
        Parting::Slide => Some(AfterStart::Slides),
        Parting::Separated(_) => Some(AfterStart::Leaves),
        Parting::Held(t) if goes_in(job, t, context) => Some(AfterStart::GoesIn),
        Parting::Held(_) => Some(AfterStart::Unproven),
        Parting::Untold | Parting::CutShort => None,
    };
    let from = match parting {
        Parting::Within | Parting::Untold | Parting::Slide => return Impact::AtStart(touch),
        Parting::Held(t) => return at(t, touch),
        // Not let go: they may touch only.
        Parting::CutShort => return Impact::Unknown { safe_until: query.span.0 },
        Parting::Separated(t) => t,
    };
    let query = ImpactQuery { span: (from, query.span.1), margin: 0.0, ..*query };
    let later = pair::time_of_impact(a, b, &query, &given(options, false), context, &mut tested.found);
    tested.separated = false;
    match later {
        Impact::Free => Impact::AtStart(touch),
        Impact::AtStart(again) => at(from, again),
        other => other,
    }
}

/// Returns `true` if bodies that touch at a time are soon found to penetrate.
fn goes_in(job: &Job<'_>, t: f64, context: &mut QueryContext<'_>) -> bool {
    /// Shares of the time that is left.
    const SOON: [f64; 3] = [1e-6, 1e-4, 1e-2];
    SOON.iter().any(|share| {
        let [a, b] = job.moving.map(|moving| moving.at(t + share * (1.0 - t)));
        matches!(pair::relation(&a, &b, context), Relation::Intersecting | Relation::Inside)
    })
}

/// At the last of some times.
fn sampled(job: &Job<'_>, times: [f64; 2], context: &mut QueryContext<'_>) -> Impact<Touch> {
    let [a, b] = &job.moving;
    let [safe_until, touching_by] = times;
    match context.within_distance(&a.at(touching_by), &b.at(touching_by), job.margin) {
        Overlap::Free => Impact::Free,
        Overlap::Unknown => Impact::Unknown { safe_until },
        Overlap::Hit => Impact::At {
            time: TimeOfImpact { safe_until, touching_by },
            touch: pair::touch_at(a, b, touching_by, context),
        },
    }
}
