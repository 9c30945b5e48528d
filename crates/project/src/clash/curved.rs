//! Verdicts on the curved surfaces of bodies, in place of those on their triangles.
//!
//! Triangles within a chord of the true surfaces find the pairs that may be in contact. Of those the surfaces themselves are
//! compared: a shaft with play is separated by its clearance, a pin in a hole of equal radius touches. Of a pair that the
//! budget does not suffice for, the triangles prove what holds within their error.

use super::tessellated::TessellatedPair;
use crate::data::clash::ClashKind;
use crate::report::check::ReportOptions;
use crate::report::pair::{
    ClearanceReport, CurvedReport, DepthReport, InterferenceReport, PairRelation, PairReport, Trust,
};
use crate::stage::scene::{Staged, StagedBody};
use crate::stage::surfaces::Surfaces;
use noli::world::BodyId;
use noli_brep::{Options, relation, within_distance};
use noli_formats::CurvedBody;
use noli_geom::{Aabb, Bracket, Pose, Relation};
use std::collections::{HashMap, HashSet};

/// Refinements of a pair: about a tenth of a second.
const BUDGET: usize = 100_000;
/// Width of the bracket of a clearance, relative to the size of the bodies.
const PRECISION: f64 = 1e-7;
/// Separated pairs up to this number get the clearance of their surfaces.
const FEW: usize = 500;

/// The bodies whose curved surfaces are known, and the pairs to be decided on them.
pub(super) struct CurvedPairs<'s> {
    staged: &'s Staged,
    surfaces: Surfaces,
    /// Uncertainties of the triangles of bodies that have one.
    errors: HashMap<BodyId, f64>,
    budget: noli::Budget<'s>,
    has_few: bool,
}

/// A verdict on the surfaces of two bodies, with lengths in the unit of the scene.
struct Found {
    report: noli_brep::PairReport,
    names: Option<[String; 2]>,
    /// They are no farther from each other than the margin; `None` if that is undecided.
    is_closer: Option<bool>,
    /// Length of a millimetre.
    unit: f64,
    /// Sum of the uncertainties of the triangles of both bodies.
    uncertainty: f64,
}

impl<'s> CurvedPairs<'s> {
    pub(super) fn new(staged: &'s Staged, pairs: usize, options: &ReportOptions<'s>) -> Self {
        let surfaces = Surfaces::new(staged, true);
        let ReportOptions { budget, .. } = *options;
        let errors = staged.bodies.iter().map(|body| (body.id, body.origin.uncertainty));
        let errors = errors.filter(|(_, error)| *error > 0.0).collect();
        Self { staged, surfaces, errors, budget, has_few: pairs <= FEW }
    }

    /// Decides a pair on its surfaces; else within the error of its triangles, if it has one.
    pub(super) fn decide(&self, ids: [BodyId; 2], pair: PairReport) -> PairReport {
        let error = self.error(ids);
        let is_far = pair.relation == PairRelation::Separated
            && pair.clearance.at_least > pair.margin + error
            && !self.has_few;
        let is_asked = !pair.duplicate && !is_far;
        let pair = match is_asked.then(|| self.surfaces.both(ids)).flatten() {
            Some(both) => match self.found(ids, both, pair.margin) {
                Some(found) => return found.applied(pair),
                None => PairReport { curved: Some(CurvedReport::default()), ..pair },
            },
            None => pair,
        };
        if error == 0.0 {
            return pair;
        }
        TessellatedPair { staged: self.staged, ids, error, budget: self.budget }.applied(pair)
    }

    /// Sum of the uncertainties of two bodies.
    fn error(&self, ids: [BodyId; 2]) -> f64 {
        ids.iter().map(|id| self.errors.get(id).copied().unwrap_or(0.0)).sum()
    }

    /// The certain verdict on two bodies.
    fn found(&self, ids: [BodyId; 2], [a, b]: [&CurvedBody; 2], margin: f64) -> Option<Found> {
        if !self.budget.meter().step() {
            return None;
        }
        let place = |id: BodyId, curved: &CurvedBody| {
            let pose = self.staged.world.body(id).ok()?.pose();
            let translation = if curved.millimetre == 1.0 {
                pose.translation
            } else {
                pose.translation / curved.millimetre
            };
            Some(Pose { translation, ..pose } * curved.pose)
        };
        let size = a.body.size().max(b.body.size());
        let options = Options { precision: Some(PRECISION * size), budget: BUDGET, ..Options::default() };
        let (pose_a, pose_b) = (place(ids[0], a)?, place(ids[1], b)?);
        let report = relation(&a.body, &b.body, &pose_a, &pose_b, &options);
        let are_solids = a.body.is_solid() && b.body.is_solid();
        if !report.is_certain || !(are_solids || report.relation == Relation::Separated) {
            return None;
        }
        let names = report.faces.map(|[f, g]| [a.body.face_name(f), b.body.face_name(g)]);
        let uncertainty = self.error(ids);
        let margin = margin / a.millimetre;
        let Bracket { at_least, at_most } = report.clearance;
        // Up to the length within which surfaces count as touching.
        let is_closer = if margin <= 0.0 || at_least > margin {
            Some(false)
        } else if at_most <= margin + report.within {
            Some(true)
        } else {
            within_distance(&a.body, &b.body, &pose_a, &pose_b, margin + 0.5 * report.within, &options)
        };
        Some(Found { report, names, is_closer, unit: a.millimetre, uncertainty })
    }

    /// Pairs whose triangles are separated by their boxes, and whose surfaces are in contact, closer than the margin, or
    /// undecided.
    pub(super) fn missed(&self, known: &HashSet<[BodyId; 2]>) -> Vec<([BodyId; 2], PairReport)> {
        if self.errors.is_empty() {
            return Vec::new();
        }
        let world = &self.staged.world;
        let margin = 0.5 * world.rules().largest_margin();
        let mut boxes: Vec<(Aabb, &StagedBody)> = Vec::new();
        for body in &self.staged.bodies {
            let Ok(placed) = world.body(body.id) else { continue };
            boxes.push((placed.bounds().expanded(body.origin.uncertainty + margin), body));
        }
        boxes.sort_by(|x, y| x.0.min.x.total_cmp(&y.0.min.x).then(x.1.id.cmp(&y.1.id)));
        let mut found = Vec::new();
        for (i, (bounds, a)) in boxes.iter().enumerate() {
            let others = boxes.iter().skip(i).skip(1).take_while(|(other, _)| other.min.x <= bounds.max.x);
            for (_, b) in others.filter(|(other, _)| other.overlaps(bounds)) {
                let ids = [a.id.min(b.id), a.id.max(b.id)];
                let Ok(Some(margin)) = world.margin_between(ids[0], ids[1]) else { continue };
                if known.contains(&ids) || self.error(ids) == 0.0 {
                    continue;
                }
                let names = ids.map(|id| self.staged.name(id).to_owned());
                let Some(clearance) = self.of_triangles(ids) else { continue };
                let pair = self.decide(ids, PairReport { clearance, ..PairReport::separated(names, margin) });
                if pair.relation != PairRelation::Separated || pair.kind.is_some() {
                    found.push((ids, pair));
                }
            }
        }
        found
    }

    /// The clearance of the triangles of two bodies.
    fn of_triangles(&self, ids: [BodyId; 2]) -> Option<ClearanceReport> {
        let [a, b] = ids.map(|id| self.staged.world.body(id).ok());
        let (a, b) = a.zip(b)?;
        let Bracket { at_least, at_most } =
            noli::clearance(&a.model().at(a.pose()), &b.model().at(b.pose())).distance;
        Some(ClearanceReport { at_least, at_most })
    }
}

impl Found {
    /// The report of a pair with the verdict on its surfaces.
    fn applied(&self, pair: PairReport) -> PairReport {
        let (relation, kind) = match self.report.relation {
            Relation::Intersecting => (PairRelation::Intersecting, Some(ClashKind::Hard)),
            Relation::Inside => (PairRelation::Inside, Some(ClashKind::Inside)),
            Relation::Touching => (PairRelation::Touching, Some(ClashKind::Touching)),
            Relation::Separated => match self.is_closer {
                Some(true) => (PairRelation::Separated, Some(ClashKind::Clearance)),
                Some(false) => (PairRelation::Separated, None),
                None => (PairRelation::Undecided, None),
            },
        };
        let scaled = |length: f64| length * self.unit;
        let clearance = match relation {
            PairRelation::Separated | PairRelation::Undecided => ClearanceReport {
                at_least: scaled(self.report.clearance.at_least),
                at_most: scaled(self.report.clearance.at_most),
            },
            _ => ClearanceReport { at_least: 0.0, at_most: 0.0 },
        };
        let middle = self.report.points.map(|[p, q]| ((p + q) * (0.5 * self.unit)).to_array());
        let curved = CurvedReport {
            faces: self.names.clone(),
            fit: self.report.fits.first().map(|fit| scaled(fit.clearance)),
            offset: self.report.fits.first().map(|fit| scaled(fit.offset)),
            within: scaled(self.report.within),
        };
        let is_same = relation == pair.relation;
        let decided = PairReport {
            relation,
            kind,
            guarantee: if relation == PairRelation::Undecided { Trust::Undecided } else { Trust::Curved },
            clearance,
            place: if is_same { pair.place.or(middle) } else { middle.or(pair.place) },
            curved: Some(curved),
            ..pair
        };
        if relation == PairRelation::Intersecting {
            return PairReport {
                interference: self.interference(&decided),
                depth: decided.depth.map(|depth| self.widened(depth)),
                volume: decided.volume.filter(|_| is_same),
                which_inside: None,
                ..decided
            };
        }
        let is_inside = relation == PairRelation::Inside && is_same;
        PairReport {
            which_inside: decided.which_inside.filter(|_| is_inside),
            depth: decided.depth.filter(|_| is_inside).map(|depth| self.widened(depth)),
            volume: decided.volume.filter(|_| is_inside),
            interference: None,
            intersections: None,
            touches: None,
            faces: None,
            manner: None,
            segments: Vec::new(),
            ..decided
        }
    }

    /// The penetration depth of triangles as a bracket for the surfaces.
    fn widened(&self, depth: DepthReport) -> DepthReport {
        DepthReport {
            at_least: (depth.at_least - self.uncertainty).max(0.0),
            at_most: depth.at_most + self.uncertainty,
            ..depth
        }
    }

    /// The interference, from the surfaces and from the triangles.
    fn interference(&self, pair: &PairReport) -> Option<InterferenceReport> {
        let own = self.report.interference?;
        let by_triangles = pair.interference.map_or((0.0, f64::INFINITY), |found| {
            (found.at_least - self.uncertainty, found.at_most + self.uncertainty)
        });
        let at_least = (own.at_least * self.unit).max(by_triangles.0);
        let at_most = (own.at_most * self.unit).min(by_triangles.1).max(at_least);
        Some(InterferenceReport { at_least, at_most })
    }
}
