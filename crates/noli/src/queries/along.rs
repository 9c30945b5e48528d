//! Closest approach and contact intervals of two moving bodies.
//!
//! Both run many queries at instants and over intervals of time, which share one budget.

use crate::answer::{
    ClosestApproach, Complete, Completeness, ContactSpan, Guarantee, Impact, Overlap, TimeOfImpact,
};
use crate::context::QueryContext;
use crate::model::Moving;
use crate::pair::{self, Advance, Limits};
use crate::query::{ApproachQuery, ImpactQuery, Tolerance};

/// Proposes a clearance and computes when the bodies first come closer, by the time of impact with a margin.
/// If they never do, the proposal is the lower end.
pub(super) fn closest_approach(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ApproachQuery,
    context: &mut QueryContext<'_>,
) -> ClosestApproach {
    let (from, until) = query.span;
    let accuracy = query.accuracy.clamp(1e-9, 0.5);
    let mut search = Approach { a, b, accuracy, context };
    let mut best = search.at(from);
    for k in 1..=SAMPLES {
        best.improve(search.at(from + (until - from) * f64::from(k) / f64::from(SAMPLES)));
    }
    let mut proven = 0.0;
    let mut step = (until - from) / f64::from(SAMPLES);
    while best.clearance.distance.at_most > 0.0 && best.clearance.distance.at_most.is_finite() {
        let clearance = best.clearance.distance.at_most;
        let proposed = clearance * (1.0 - accuracy);
        let tolerance = Tolerance::Length(0.25 * (clearance - proposed));
        let question = ImpactQuery { span: query.span, margin: proposed, tolerance };
        let time = match search.context.time_of_impact(a, b, &question) {
            Impact::Free => {
                proven = proposed;
                break;
            }
            Impact::AtStart(_) => from,
            Impact::At { time, .. } => time.touching_by,
            Impact::Unknown { .. } => break,
        };
        best.improve(search.at(time));
        search.descend(&mut best, &mut step, query.span);
        if best.clearance.distance.at_most >= clearance {
            break;
        }
    }
    best.clearance.distance.at_least = proven.min(best.clearance.distance.at_least);
    best
}

/// Samples of the motion before anything is proven.
const SAMPLES: u32 = 8;

struct Approach<'q, 'm, 'a> {
    a: &'q Moving<'m>,
    b: &'q Moving<'m>,
    accuracy: f64,
    context: &'q mut QueryContext<'a>,
}

impl Approach<'_, '_, '_> {
    fn at(&mut self, time: f64) -> ClosestApproach {
        let advance = Some(Advance { margin: 0.0, tolerance: 0.0, share: self.accuracy });
        let limits = Limits { advance, ..Limits::NARROW };
        let clearance = pair::clearance(&self.a.at(time), &self.b.at(time), &limits, self.context);
        ClosestApproach { clearance, time }
    }

    /// Follow the clearance downhill, by steps that shrink where it rises on both sides.
    fn descend(&mut self, best: &mut ClosestApproach, step: &mut f64, (from, until): (f64, f64)) {
        for _ in 0..12 {
            let (time, before) = (best.time, best.clearance.distance.at_most);
            for side in [*step, -*step] {
                best.improve(self.at((time + side).clamp(from, until)));
            }
            *step *= if best.clearance.distance.at_most < before { 1.5 } else { 0.25 };
        }
    }
}

impl ClosestApproach {
    fn improve(&mut self, other: Self) {
        let least = self.clearance.distance.at_least.min(other.clearance.distance.at_least);
        if other.clearance.distance.at_most < self.clearance.distance.at_most {
            *self = other;
        }
        self.clearance.distance.at_least = least;
    }
}

/// Advances from one impact to the next; an interval ends at the first sample at which the bodies are
/// separated.
pub(super) fn contact_intervals(
    a: &Moving<'_>,
    b: &Moving<'_>,
    query: &ImpactQuery,
    resolution: f64,
    context: &mut QueryContext<'_>,
) -> Complete<ContactSpan> {
    let mut spans: Vec<ContactSpan> = Vec::new();
    let resolution = resolution.max(1e-6);
    let (mut from, until) = (query.span.0.max(0.0), query.span.1.min(1.0));
    let completeness = loop {
        let question = ImpactQuery { span: (from, until), ..*query };
        let (begins, touch) = match context.time_of_impact(a, b, &question) {
            Impact::Free => break Completeness::Complete,
            Impact::Unknown { .. } => break Completeness::Partial,
            Impact::AtStart(touch) => (TimeOfImpact { safe_until: from, touching_by: from }, touch),
            Impact::At { time, touch } => (time, touch),
        };
        let (mut ends_by, mut known) = (begins.touching_by, true);
        loop {
            ends_by = (ends_by + resolution).min(until);
            match context.within_distance(&a.at(ends_by), &b.at(ends_by), query.margin.max(0.0)) {
                Overlap::Free => break,
                // When it ends is not known, but that it begins is.
                Overlap::Unknown => {
                    (ends_by, known) = (until, false);
                    break;
                }
                Overlap::Hit if ends_by >= until => break,
                Overlap::Hit => {}
            }
        }
        match spans.last_mut() {
            Some(last) if begins.safe_until <= last.ends_by => last.ends_by = ends_by,
            _ => spans.push(ContactSpan { begins, ends_by, touch }),
        }
        if ends_by >= until {
            break if known { Completeness::Complete } else { Completeness::Partial };
        }
        from = ends_by;
    };
    Complete { items: spans, completeness, guarantee: Guarantee::Conservative }
}
