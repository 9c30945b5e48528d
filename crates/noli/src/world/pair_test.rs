//! The test of one pair, in one turn or several.

use super::answers::{Answer, Basis};
use super::indicator;
use super::job::Job;
use super::options::{Fallback, Mode, StepOptions};
use crate::budget::{Budget, Meter};
use crate::convex::Hint;
use crate::pair::general::{self, Limits, Means};
use crate::query::{
    Guarantee, ImpactQuery, Known, Overlap, Touch, closer_than_metered, time_of_impact_metered, touch_at,
    with_scratch,
};
use crate::scratch::Scratch;
use noli_geom::{Impact, TimeOfImpact};

/// What came of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    pub(super) impact: Impact<Touch>,
    pub(super) basis: Basis,
    pub(super) guarantee: Guarantee,
    pub(super) known: Known,
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
            basis: if sleeps { Basis::Asleep } else { Basis::CutShort },
            guarantee: Guarantee::Exact,
            known: Known {
                apart: options.hints && known > job.margin,
                wants_smallest: options.fallback == Fallback::Faces,
                ..Known::default()
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
        let mesh = moving.model.mesh();
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
    with_scratch(|scratch| {
        let mut meter = budget.meter();
        let mut tested = Tested { basis: Basis::Tested, ..*before };
        tested.impact = match options.mode {
            Mode::Dynamic => dynamic(job, options, &mut meter, scratch, &mut tested),
            Mode::Static => sampled(job, &[0.0, 1.0], &mut meter, scratch),
            Mode::Sampled { between } => {
                let last = f64::from(between) + 1.0;
                let times: Vec<f64> = (0..=between + 1).map(|k| f64::from(k) / last).collect();
                at_times(job, &times, &mut meter, scratch)
            }
            Mode::Mixed => match sampled(job, &[0.0, 1.0], &mut meter, scratch) {
                Impact::At { .. } => dynamic(job, options, &mut meter, scratch, &mut tested),
                other => other,
            },
        };
        tested.steps += meter.taken();
        if matches!(tested.impact, Impact::Unknown { .. }) {
            tested.basis = Basis::CutShort;
        }
        let worth = options.sleep && options.mode == Mode::Dynamic && job.travel > 0.0;
        if worth && tested.impact == Impact::Free {
            tested.measure(job, budget.without(meter.taken()), scratch);
        }
        tested
    })
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
            guarantee: guarantee.max(self.guarantee),
            basis: self.basis,
            gap_at_most: (self.basis == Basis::CutShort).then_some(self.known.gap_at_most),
            steps: self.steps,
            apart: self.apart,
        }
    }
}

impl Tested {
    /// How far apart a free pair is at the end: roughly, and only if near.
    fn measure(&mut self, job: &Job<'_>, budget: Budget<'_>, scratch: &mut Scratch) {
        let max_distance = job.margin + LONG_SLEEP * job.travel;
        let limits = Limits { max_distance, tolerance: job.travel, advance: None };
        let [a, b] = job.moving.map(|moving| moving.at(1.0));
        let mut meter = budget.meter();
        let mut means = Means { meter: &mut meter, scratch, hint: &mut self.hint };
        self.apart = general::clearance(&a, &b, &limits, &mut means).at_least;
        self.steps += meter.taken();
    }
}

/// Pairs that can sleep for so many steps like this one need not be measured more closely.
const LONG_SLEEP: f64 = 16.0;

fn dynamic(
    job: &Job<'_>,
    options: &StepOptions<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
    tested: &mut Tested,
) -> Impact<Touch> {
    let ([a, b], from) = (&job.moving, tested.impact.safe_until());
    let query = ImpactQuery {
        span: (from, 1.0),
        margin: job.margin,
        tolerance: options.tolerance,
        budget: Budget::UNLIMITED,
    };
    let mut means = Means { meter, scratch, hint: &mut tested.hint };
    let impact = time_of_impact_metered(a, b, &query, &mut means, &mut tested.known);
    match impact {
        // Closer than the margin from the start, but apart: nobody is let through what it does not touch yet.
        Impact::AtStart(_) if from == 0.0 && job.margin > 0.0 => {
            let query = ImpactQuery { margin: 0.0, ..query };
            tested.known.apart = false;
            let touching = time_of_impact_metered(a, b, &query, &mut means, &mut tested.known);
            // A later turn begins with the margin again.
            tested.known.apart = false;
            if touching == Impact::Free { impact } else { touching }
        }
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
            features: touch_at(a, b, touching_by, meter, scratch),
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
