//! Every question about two bodies, and what can be compared of its answers.

use glam::dvec3;
use noli::answer::{Bracket, Completeness, Location, Verdict};
use noli::penetration::PenetrationQuery;
use noli::query::{ApproachQuery, ClearanceQuery, ImpactQuery, IntersectionsQuery, Ray, RayQuery, Tolerance};
use noli::{Impact, Moving, Overlap, QueryContext, Relation};

/// Brackets may be wide: the tests are about hints and budgets, and depths of fields take long.
pub(super) const DEPTH: PenetrationQuery = PenetrationQuery { tolerance: 0.2, looks: 150 };

pub(super) const QUESTIONS: [Question; 15] = [
    Question::Overlap,
    Question::WithinDistance(0.25),
    Question::WithinDistance(3.0),
    Question::Clearance,
    Question::Relation,
    Question::Contact,
    Question::Manifold,
    Question::Depth,
    Question::Intersections,
    Question::SelfIntersections,
    Question::Locate,
    Question::RayHits,
    Question::TimeOfImpact,
    Question::ClosestApproach,
    Question::ContactSpans,
];

#[derive(Clone, Copy, Debug)]
pub(super) enum Question {
    Overlap,
    WithinDistance(f64),
    Clearance,
    Relation,
    Contact,
    Manifold,
    Depth,
    Intersections,
    SelfIntersections,
    Locate,
    RayHits,
    TimeOfImpact,
    ClosestApproach,
    ContactSpans,
}

/// Comparable part of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Said {
    Overlap(Overlap),
    Relation(Relation),
    Location(Location),
    Clearance(Bracket),
    Contact(Verdict<Bracket>),
    Complete(usize, Completeness),
    /// With whether an overlap proves it.
    Impact(Impact<bool>),
}

impl Question {
    /// Asked of the bodies where they are at a time, or of all their motion.
    pub(super) fn context(
        self,
        a: &Moving<'_>,
        b: &Moving<'_>,
        t: f64,
        context: &mut QueryContext<'_>,
    ) -> Said {
        let (here, there) = (a.at(t), b.at(t));
        // As narrow as pairs of cells are quick to find.
        let tolerance = Tolerance::Length(1e-3);
        let impact = ImpactQuery { tolerance, ..Default::default() };
        match self {
            Self::Overlap => Said::Overlap(context.overlap(&here, &there)),
            Self::WithinDistance(margin) => Said::Overlap(context.within_distance(&here, &there, margin)),
            Self::Clearance => {
                let query = ClearanceQuery { tolerance, ..Default::default() };
                Said::Clearance(context.clearance(&here, &there, &query).distance)
            }
            Self::Relation => Said::Relation(context.relation(&here, &there)),
            Self::Contact => Said::Contact(context.contact(&here, &there).map(|contact| contact.depth)),
            Self::Manifold => {
                Said::Contact(context.manifold(&here, &there).map(|manifold| manifold.contacts[0].depth))
            }
            Self::Depth => Said::Clearance(context.penetration(&here, &there, &DEPTH).depth),
            Self::Intersections => {
                let mut found = Vec::new();
                let completeness =
                    context.intersections(&here, &there, &IntersectionsQuery::default(), &mut found);
                Said::Complete(found.len(), completeness)
            }
            Self::SelfIntersections => {
                let mut found = Vec::new();
                let completeness =
                    context.self_intersections(b.model, &IntersectionsQuery::default(), &mut found);
                Said::Complete(found.len(), completeness)
            }
            Self::Locate => Said::Location(context.locate_point(&there, dvec3(0.1, 0.2, 0.3))),
            Self::RayHits => {
                let ray = Ray { origin: dvec3(-4.0, 0.1, 3.0), direction: dvec3(4.2, 0.0, -2.5) };
                let mut hits = Vec::new();
                let completeness = context.ray_cast(&there, &ray, &RayQuery::default(), &mut hits).unwrap();
                Said::Complete(hits.len(), completeness)
            }
            Self::TimeOfImpact => Said::Impact(match context.time_of_impact(a, b, &impact) {
                Impact::Free => Impact::Free,
                Impact::AtStart(touch) => Impact::AtStart(touch.proven),
                Impact::At { time, touch } => Impact::At { time, touch: touch.proven },
                Impact::Unknown { safe_until } => Impact::Unknown { safe_until },
            }),
            Self::ClosestApproach => {
                Said::Clearance(context.closest_approach(a, b, &ApproachQuery::default()).clearance.distance)
            }
            Self::ContactSpans => {
                let spans = context.contact_intervals(a, b, &impact, 0.05);
                Said::Complete(spans.len(), spans.completeness)
            }
        }
    }

    /// Returns `true` if it is about the motion, so that time does not matter.
    pub(super) fn is_about_motion(self) -> bool {
        matches!(self, Self::TimeOfImpact | Self::ClosestApproach | Self::ContactSpans)
    }
}

impl Said {
    /// Returns `true` if an answer that was stopped early is a weaker form of the full one.
    pub(super) fn is_weaker(&self, full: &Self) -> bool {
        match (self, full) {
            (Self::Overlap(found), Self::Overlap(full)) => found == full || *found == Overlap::Unknown,
            (Self::Relation(found), Self::Relation(full)) => found == full || *found == Relation::Unknown,
            (Self::Location(found), Self::Location(full)) => found == full || *found == Location::Unknown,
            (Self::Clearance(found), Self::Clearance(full)) => {
                let zero = found.at_most == 0.0 && full.at_most > 0.0;
                found.at_least <= full.at_most && full.at_least <= found.at_most && !zero
            }
            (Self::Contact(found), Self::Contact(full)) => match (found, full) {
                (Verdict::Unknown, _) | (Verdict::Free, Verdict::Free) => true,
                (Verdict::Hit(x), Verdict::Hit(y)) => x.at_least <= y.at_most && y.at_least <= x.at_most,
                _ => false,
            },
            (Self::Complete(found, completeness), Self::Complete(full, _)) => {
                if *completeness == Completeness::Partial { found <= full } else { found == full }
            }
            (Self::Impact(found), Self::Impact(full)) => match (found, full) {
                (Impact::Unknown { safe_until }, full) => *safe_until <= full.safe_until(),
                (Impact::Free, Impact::Free) | (Impact::AtStart(_), Impact::AtStart(_)) => true,
                // Within the tolerance they may be told to touch before they do, if nothing proves it.
                (Impact::At { time: x, touch: proven }, Impact::At { time: y, .. }) => {
                    x.safe_until <= y.touching_by && (!proven || y.safe_until <= x.touching_by)
                }
                _ => false,
            },
            _ => false,
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        match self {
            Self::Overlap(found) => *found == Overlap::Unknown,
            Self::Relation(found) => *found == Relation::Unknown,
            Self::Location(found) => *found == Location::Unknown,
            Self::Clearance(found) => *found == Bracket::OPEN,
            Self::Contact(found) => matches!(found, Verdict::Unknown),
            Self::Complete(_, completeness) => *completeness == Completeness::Partial,
            Self::Impact(found) => matches!(found, Impact::Unknown { .. }),
        }
    }
}
