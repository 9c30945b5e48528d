//! Verdicts on triangles in place of curved surfaces: only what holds for the surfaces too.
//!
//! Points of the triangles are no farther from the surfaces than the uncertainties of both bodies together, and the other
//! way round. The distance of the surfaces therefore differs from that of the triangles by no more, and a point of one body
//! deeper in the other than that proves an intersection.

use crate::data::clash::ClashKind;
use crate::report::pair::{
    ClearanceReport, DepthReport, InterferenceReport, PairRelation, PairReport, Trust,
};
use crate::stage::interference::penetration_within;
use crate::stage::scene::Staged;
use noli::Budget;
use noli::world::BodyId;

/// A pair of bodies of which one has triangles in place of its surface.
pub(super) struct TessellatedPair<'s> {
    pub(super) staged: &'s Staged,
    pub(super) ids: [BodyId; 2],
    /// Sum of the uncertainties of both.
    pub(super) error: f64,
    pub(super) budget: Budget<'s>,
}

impl TessellatedPair<'_> {
    /// Returns what a report on the triangles proves for the surfaces. Bodies whose surfaces are known, and did not decide,
    /// are undecided unless that proves more; other bodies in contact keep the relation of their triangles.
    pub(super) fn applied(&self, pair: PairReport) -> PairReport {
        let guarantee = match pair.guarantee {
            Trust::Exact | Trust::Conservative => Trust::Tessellated,
            other => other,
        };
        let triangles = pair.clearance;
        let clearance = ClearanceReport {
            at_least: (triangles.at_least - self.error).max(0.0),
            at_most: triangles.at_most + self.error,
        };
        let pair = PairReport { guarantee, clearance, ..pair };
        match pair.relation {
            PairRelation::Undecided => pair,
            PairRelation::Separated if clearance.at_least > pair.margin => PairReport { kind: None, ..pair },
            PairRelation::Separated if pair.margin > 0.0 && clearance.at_most <= pair.margin => {
                PairReport { kind: Some(ClashKind::Clearance), ..pair }
            }
            PairRelation::Separated => undecided(pair, (self.error - triangles.at_least).max(0.0)),
            _ if pair.curved.is_none() || pair.duplicate => pair,
            _ => self.in_contact(pair),
        }
    }

    /// Bodies whose triangles share points: they intersect if some point is deep enough inside.
    fn in_contact(&self, pair: PairReport) -> PairReport {
        let InterferenceReport { mut at_least, mut at_most } =
            pair.interference.unwrap_or(InterferenceReport { at_least: 0.0, at_most: f64::INFINITY });
        if pair.relation == PairRelation::Touching {
            at_most = 0.0;
        } else if at_least <= self.error
            && let Some(found) = penetration_within(self.staged, self.ids, self.error, self.budget)
        {
            (at_least, at_most) = (at_least.max(found.at_least), at_most.min(found.at_most));
        }
        if at_least <= self.error {
            return undecided(pair, at_most + self.error);
        }
        let interference =
            InterferenceReport { at_least: at_least - self.error, at_most: at_most + self.error };
        PairReport {
            clearance: ClearanceReport { at_least: 0.0, at_most: 0.0 },
            interference: Some(interference).filter(|_| pair.interference.is_some()),
            depth: pair.depth.map(|depth| DepthReport {
                at_least: (depth.at_least - self.error).max(0.0),
                at_most: depth.at_most + self.error,
                ..depth
            }),
            ..pair
        }
    }
}

/// The report of a pair that is undecided within tessellation error, and overlaps by so much at most.
fn undecided(pair: PairReport, overlap: f64) -> PairReport {
    PairReport {
        relation: PairRelation::Undecided,
        which_inside: None,
        depth: None,
        volume: None,
        interference: overlap.is_finite().then_some(InterferenceReport { at_least: 0.0, at_most: overlap }),
        kind: None,
        manner: None,
        ..pair
    }
}
