//! How close do two moving bodies come, and when do they touch at all?

use super::time_of_impact::{ImpactQuery, Touch, time_of_impact_in};
use super::{Clearance, Overlap, Tolerance, closer_than_in, with_scratch};
use crate::budget::Budget;
use crate::convex::Hint;
use crate::model::Moving;
use crate::pair::general::{self, Advance, Limits, Means};
use crate::scratch::Scratch;
use noli_geom::{Impact, TimeOfImpact};

/// A bracket on the smallest gap of two moving bodies, and when they come that close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestApproach {
    /// The bracket, with witnesses at [`time`](Self::time).
    pub clearance: Clearance,
    /// When the gap is `clearance.at_most`.
    pub time: f64,
}

/// How to ask for the [`closest_approach`].
#[derive(Clone, Copy, Debug)]
pub struct ApproachQuery<'a> {
    /// The span of time asked about, within [0, 1].
    pub span: (f64, f64),
    /// How wide the bracket may be, as a share of the gap. A hundredth by default.
    pub accuracy: f64,
    /// When to give up: the bracket is then wider, never wrong.
    pub budget: Budget<'a>,
}

impl Default for ApproachQuery<'_> {
    fn default() -> Self {
        Self { span: (0.0, 1.0), accuracy: 0.01, budget: Budget::default() }
    }
}

/// The smallest gap of two moving bodies. The lower end is proven for the whole time, between samples too.
///
/// A gap is proposed and the bodies are asked when they first come closer than that, which is answered
/// by [`time_of_impact_in`] with a margin; if never, the proposal is the lower end.
pub fn closest_approach(a: &Moving<'_>, b: &Moving<'_>, query: &ApproachQuery<'_>) -> ClosestApproach {
    with_scratch(|scratch| closest_approach_in(a, b, query, scratch))
}

/// [`closest_approach`] with lent memory.
pub fn closest_approach_in(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ApproachQuery<'_>,
    scratch: &mut Scratch,
) -> ClosestApproach {
    let (from, until) = query.span;
    let accuracy = query.accuracy.clamp(1e-9, 0.5);
    let mut search = Approach { a, b, accuracy, budget: query.budget, scratch };
    let mut best = search.at(from);
    for k in 1..=SAMPLES {
        best.improve(search.at(from + (until - from) * f64::from(k) / f64::from(SAMPLES)));
    }
    let mut proven = 0.0;
    let mut step = (until - from) / f64::from(SAMPLES);
    while best.clearance.at_most > 0.0 && best.clearance.at_most.is_finite() {
        let gap = best.clearance.at_most;
        let proposed = gap * (1.0 - accuracy);
        let tolerance = Tolerance::Length(0.25 * (gap - proposed));
        let ask = ImpactQuery { span: query.span, margin: proposed, tolerance, budget: query.budget };
        let time = match time_of_impact_in(a, b, &ask, search.scratch) {
            Impact::Free => {
                proven = proposed;
                break;
            }
            Impact::AtStart(_) => from,
            Impact::At { time, .. } => time.touching_by,
            Impact::Unknown { .. } => break,
        };
        let before = best.clearance.at_most;
        best.improve(search.at(time));
        search.descend(&mut best, &mut step, query.span);
        if best.clearance.at_most >= before {
            break;
        }
    }
    best.clearance.at_least = proven.min(best.clearance.at_least);
    best
}

/// Looks at the motion before anything is proven.
const SAMPLES: u32 = 8;

struct Approach<'q, 'm, 'b> {
    a: &'q Moving<'m>,
    b: &'q Moving<'m>,
    accuracy: f64,
    budget: Budget<'b>,
    scratch: &'q mut Scratch,
}

impl Approach<'_, '_, '_> {
    fn at(&mut self, time: f64) -> ClosestApproach {
        let advance = Some(Advance { margin: 0.0, tolerance: 0.0, share: self.accuracy });
        let limits = Limits { max_distance: f64::INFINITY, tolerance: 0.0, advance };
        let (mut meter, mut hint) = (self.budget.meter(), Hint::default());
        let mut means = Means { meter: &mut meter, scratch: self.scratch, hint: &mut hint };
        let clearance = general::clearance(&self.a.at(time), &self.b.at(time), &limits, &mut means);
        ClosestApproach { clearance, time }
    }

    /// Follow the gap downhill, by steps that shrink where it rises on both sides.
    fn descend(&mut self, best: &mut ClosestApproach, step: &mut f64, (from, until): (f64, f64)) {
        for _ in 0..12 {
            let (time, before) = (best.time, best.clearance.at_most);
            for side in [*step, -*step] {
                best.improve(self.at((time + side).clamp(from, until)));
            }
            *step *= if best.clearance.at_most < before { 1.5 } else { 0.25 };
        }
    }
}

impl ClosestApproach {
    fn improve(&mut self, other: Self) {
        let least = self.clearance.at_least.min(other.clearance.at_least);
        if other.clearance.at_most < self.clearance.at_most {
            *self = other;
        }
        self.clearance.at_least = least;
    }
}

/// A span of time in which two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSpan {
    /// When it begins.
    pub begins: TimeOfImpact,
    /// When the bodies are proven apart again, or the end of the time asked about.
    pub ends_by: f64,
    /// What touches first.
    pub touch: Touch,
}

/// All spans of time in which two moving bodies touch, in order. No contact is missed; spans that are
/// separated by less than `resolution` may be told as one. The flag is false where the budget ran out
/// before the end.
pub fn contact_spans(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery<'_>,
    resolution: f64,
    scratch: &mut Scratch,
) -> (Vec<ContactSpan>, bool) {
    let resolution = resolution.max(1e-6);
    let mut spans: Vec<ContactSpan> = Vec::new();
    let (mut from, until) = query.span;
    loop {
        let ask = ImpactQuery { span: (from, until), ..*query };
        let (begins, touch) = match time_of_impact_in(a, b, &ask, scratch) {
            Impact::Free => return (spans, true),
            Impact::Unknown { .. } => return (spans, false),
            Impact::AtStart(touch) => (TimeOfImpact { safe_until: from, touching_by: from }, touch),
            Impact::At { time, touch } => (time, touch),
        };
        let mut ends_by = begins.touching_by;
        loop {
            ends_by = (ends_by + resolution).min(until);
            match closer_than_in(
                &a.at(ends_by),
                &b.at(ends_by),
                query.margin.max(0.0),
                &query.budget,
                scratch,
            ) {
                Overlap::Free => break,
                Overlap::Unknown => return (spans, false),
                Overlap::Hit if ends_by >= until => break,
                Overlap::Hit => {}
            }
        }
        match spans.last_mut() {
            Some(last) if begins.safe_until <= last.ends_by => last.ends_by = ends_by,
            _ => spans.push(ContactSpan { begins, ends_by, touch }),
        }
        if ends_by >= until {
            return (spans, true);
        }
        from = ends_by;
    }
}
