//! The test of one pair, in one turn or several.

use super::answers::{AfterStart, Answer, Basis};
use super::indicator;
use super::job::Job;
use super::options::{AtStart, Fallback, Mode, StepOptions};
use crate::answer::{Guarantee, Impact, Overlap, Relation, TimeOfImpact, Touch};
use crate::budget::Budget;
use crate::context::{Ask, with_ask};
use crate::convex::Hint;
use crate::pair::{self, Limits, Parting, Progress};
use crate::query::ImpactQuery;

/// What came of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    pub(super) impact: Impact<Touch>,
    pub(super) after_start: Option<AfterStart>,
    pub(super) basis: Basis,
    pub(super) guarantee: Guarantee,
    pub(super) known: Progress,
    pub(super) hint: Hint,
    /// Proven gap at the end of the motion.
    pub(super) apart: f64,
    pub(super) steps: u64,
}

impl Tested {
    /// Before anything is tested: pairs that are far enough apart to sleep need no test.
    pub(super) fn before(job: &Job<'_>, options: &StepOptions<'_>) -> Self {
        // The sum and the bound are rounded.
        let known = job.known * (1.0 - 1e-12);
        let sleeps = options.sleep && known > job.travel + job.margin;
        Self {
            impact: if sleeps { Impact::Free } else { Impact::Unknown { safe_until: 0.0 } },
            after_start: None,
            basis: if sleeps { Basis::Asleep } else { Basis::CutShort },
            guarantee: Guarantee::Exact,
            known: Progress {
                apart: options.hints && known > job.margin,
                wants_smallest: options.fallback == Fallback::Faces,
                ..Progress::default()
            },
            hint: job.hint.copied().unwrap_or_default(),
            apart: 0.0,
            steps: 0,
        }
    }

    /// What happens until a time is known, and nothing of what follows.
    pub(super) fn free_until(job: &Job<'_>, safe_until: f64, options: &StepOptions<'_>) -> Self {
        let mut tested = Self::before(job, options);
        tested.impact = Impact::Unknown { safe_until };
        tested.basis = Basis::CutShort;
        tested.known.apart = false;
        tested
    }

    /// What is said where the budget did not suffice.
    pub(super) fn fall_back(&mut self, job: &Job<'_>, options: &StepOptions<'_>, budget: &Budget<'_>) {
        let Impact::Unknown { safe_until } = self.impact else { return };
        if self.known.gap_at_most == f64::INFINITY {
            self.known.gap_at_most = any_gap(job, safe_until);
        }
        match (options.fallback, self.known.smallest) {
            (Fallback::Volumes, _) => {
                self.impact = Impact::Unknown { safe_until: safe_until.max(self.known.volumes_until) };
            }
            (Fallback::Faces, Some(slots)) if !budget.is_over() => {
                let (impact, steps) = indicator::time_of_impact(job, slots, safe_until, options, budget);
                self.steps += steps;
                if let Some(impact) = impact {
                    self.impact = impact;
                    self.guarantee = Guarantee::Approximate;
                }
            }
            _ => {}
        }
    }
}

/// The gap is at most the distance of any two points, here of the first corners, rounded up.
fn any_gap(job: &Job<'_>, t: f64) -> f64 {
    let [a, b] = job.moving.map(|moving| {
        let mesh = &moving.model.faces()?.mesh;
        let corner = mesh.triangles().first().map(|triangle| mesh.vertices()[triangle[0] as usize]);
        corner.map(|corner| moving.motion.pose(t).transform_point(corner))
    });
    match (a, b) {
        (Some(a), Some(b)) => a.distance(b) + 1e-12 * (a.length() + b.length()),
        _ => f64::INFINITY,
    }
}

/// One test, or another turn of it: of what happens after the time that is known.
pub(super) fn test(job: &Job<'_>, before: &Tested, options: &StepOptions<'_>, budget: &Budget<'_>) -> Tested {
    // Faces found in an earlier turn would make a bracket depend on how turns were cut.
    let mut hint = before.hint;
    hint.faces = None;
    let mut tested = Tested { basis: Basis::Tested, ..*before };
    with_ask(|ask| {
        let mut ask = ask.anew().within(*budget).hinted(&mut hint);
        tested.impact = match options.mode {
            Mode::Dynamic => dynamic(job, options, &mut ask, &mut tested),
            Mode::Static => sampled(job, &[0.0, 1.0], &mut ask),
            Mode::Sampled { between } => {
                let last = f64::from(between) + 1.0;
                let times: Vec<f64> = (0..=between + 1).map(|k| f64::from(k) / last).collect();
                at_times(job, &times, &mut ask)
            }
            Mode::Mixed => match sampled(job, &[0.0, 1.0], &mut ask) {
                Impact::At { .. } => dynamic(job, options, &mut ask, &mut tested),
                other => other,
            },
        };
        if matches!(tested.impact, Impact::Unknown { .. }) {
            tested.basis = Basis::CutShort;
        }
        let worth = options.sleep && options.mode == Mode::Dynamic && job.travel > 0.0;
        if worth && tested.impact == Impact::Free {
            tested.apart = apart(job, &mut ask);
        }
        tested.steps += ask.steps();
    });
    tested.hint = hint;
    tested
}

/// Ask again from a time on.
pub(super) fn test_from(job: &Job<'_>, from: f64, options: &StepOptions<'_>, budget: &Budget<'_>) -> Tested {
    let before = Tested::free_until(job, from, options);
    let mut tested = test(job, &before, options, budget);
    tested.fall_back(job, options, &budget.without(tested.steps));
    tested
}

impl Tested {
    /// Whether its test began with what the last one found.
    pub(super) fn is_hinted(&self, job: &Job<'_>, options: &StepOptions<'_>) -> bool {
        self.basis != Basis::Asleep && (job.hint.is_some() || Self::before(job, options).known.apart)
    }

    /// What a client is told of it.
    pub(super) fn answer(&self, job: &Job<'_>, options: &StepOptions<'_>) -> Answer {
        let guarantee = match options.mode {
            Mode::Static => Guarantee::Exact,
            Mode::Dynamic => Guarantee::Conservative,
            Mode::Sampled { .. } | Mode::Mixed => Guarantee::Approximate,
        };
        Answer {
            pair: job.pair,
            impact: self.impact,
            after_start: self.after_start,
            guarantee: guarantee.max(self.guarantee),
            basis: self.basis,
            gap_at_most: (self.basis == Basis::CutShort).then_some(self.known.gap_at_most),
            steps: self.steps,
            apart: self.apart,
        }
    }
}

/// How far apart a free pair is at the end: roughly, and only if near.
fn apart(job: &Job<'_>, ask: &mut Ask<'_>) -> f64 {
    let max_distance = job.margin + LONG_SLEEP * job.travel;
    let limits = Limits { max_distance, tolerance: job.travel, advance: None };
    let [a, b] = job.moving.map(|moving| moving.at(1.0));
    pair::clearance(&a, &b, &limits, ask).gap.at_least
}

/// Pairs that can sleep for so many steps like this one need not be measured more closely.
const LONG_SLEEP: f64 = 16.0;

fn dynamic(
    job: &Job<'_>,
    options: &StepOptions<'_>,
    ask: &mut Ask<'_>,
    tested: &mut Tested,
) -> Impact<Touch> {
    let ([a, b], from) = (&job.moving, tested.impact.safe_until());
    let query = ImpactQuery { span: (from, 1.0), margin: job.margin, tolerance: options.tolerance };
    let impact = pair::time_of_impact(a, b, &query, ask, &mut tested.known);
    match impact {
        Impact::AtStart(touch) if from > 0.0 => at(from, touch),
        // Found out in an earlier turn: they touched, and parted.
        Impact::Free if tested.after_start.is_some() => Impact::AtStart(pair::touch_at(a, b, 0.0, ask)),
        Impact::AtStart(_) if job.margin > 0.0 => {
            // Closer than the margin from the start, but apart: nobody is let through what it does not touch yet.
            let query = ImpactQuery { margin: 0.0, ..query };
            tested.known.apart = false;
            let touching = pair::time_of_impact(a, b, &query, ask, &mut tested.known);
            // A later turn begins with the margin again.
            tested.known.apart = false;
            match touching {
                Impact::Free => impact,
                Impact::AtStart(touch) => leaving(job, options, (touch, &query), ask, tested),
                other => other,
            }
        }
        Impact::AtStart(touch) => leaving(job, options, (touch, &query), ask, tested),
        other => other,
    }
}

fn at(t: f64, touch: Touch) -> Impact<Touch> {
    Impact::At { time: TimeOfImpact { safe_until: t, touching_by: t }, touch }
}

/// What bodies do that share a point at the start; `AtStart` where that stops nobody.
fn leaving(
    job: &Job<'_>,
    options: &StepOptions<'_>,
    (touch, query): (Touch, &ImpactQuery),
    ask: &mut Ask<'_>,
    tested: &mut Tested,
) -> Impact<Touch> {
    let [a, b] = &job.moving;
    if options.at_start != AtStart::Leave {
        return Impact::AtStart(touch);
    }
    let parting = pair::parting(a, b, query.span, ask);
    tested.after_start = match parting {
        Parting::Within => Some(AfterStart::Within),
        Parting::Slide => Some(AfterStart::Slides),
        Parting::Apart(_) => Some(AfterStart::Leaves),
        Parting::Held(t) if goes_in(job, t, ask) => Some(AfterStart::GoesIn),
        Parting::Held(_) => Some(AfterStart::Unproven),
        Parting::Untold | Parting::CutShort => None,
    };
    let from = match parting {
        Parting::Within | Parting::Untold | Parting::Slide => return Impact::AtStart(touch),
        Parting::Held(t) => return at(t, touch),
        // Not let go: they may touch only.
        Parting::CutShort => return Impact::Unknown { safe_until: query.span.0 },
        Parting::Apart(t) => t,
    };
    let query = ImpactQuery { span: (from, query.span.1), margin: 0.0, ..*query };
    tested.known.apart = false;
    let later = pair::time_of_impact(a, b, &query, ask, &mut tested.known);
    tested.known.apart = false;
    match later {
        Impact::Free => Impact::AtStart(touch),
        Impact::AtStart(again) => at(from, again),
        other => other,
    }
}

/// Whether bodies that touch at a time are soon seen to reach into each other.
fn goes_in(job: &Job<'_>, t: f64, ask: &mut Ask<'_>) -> bool {
    /// Shares of the time that is left.
    const SOON: [f64; 3] = [1e-6, 1e-4, 1e-2];
    SOON.iter().any(|share| {
        let [a, b] = job.moving.map(|moving| moving.at(t + share * (1.0 - t)));
        matches!(pair::relation(&a, &b, ask), Relation::Crossing | Relation::Inside)
    })
}

/// At the last of some times.
fn sampled(job: &Job<'_>, times: &[f64; 2], ask: &mut Ask<'_>) -> Impact<Touch> {
    let [a, b] = &job.moving;
    let [safe_until, touching_by] = *times;
    match ask.closer_than(&a.at(touching_by), &b.at(touching_by), job.margin) {
        Overlap::Free => Impact::Free,
        Overlap::Unknown => Impact::Unknown { safe_until },
        Overlap::Hit => Impact::At {
            time: TimeOfImpact { safe_until, touching_by },
            touch: pair::touch_at(a, b, touching_by, ask),
        },
    }
}

/// At all of some times, in order.
fn at_times(job: &Job<'_>, times: &[f64], ask: &mut Ask<'_>) -> Impact<Touch> {
    if let Impact::At { touch, .. } = sampled(job, &[0.0, 0.0], ask) {
        return Impact::AtStart(touch);
    }
    let mut pairs = times.windows(2).map(|pair| sampled(job, &[pair[0], pair[1]], ask));
    pairs.find(|impact| *impact != Impact::Free).unwrap_or(Impact::Free)
}
