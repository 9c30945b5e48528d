//! Verdicts on the curved surfaces of bodies, in place of those on their triangles.
//!
//! Triangles within a chord of the true surfaces find the pairs that may be in contact. Of those the surfaces themselves are
//! compared: a shaft with play is separated by its clearance, a pin in a hole of equal radius touches. A pair that the
//! budget does not suffice for keeps the verdict on its triangles.

use crate::data::clash::{ClashKind, ClashStatus};
use crate::report::check::ReportOptions;
use crate::report::pair::{
    ClearanceReport, CurvedReport, DepthReport, InterferenceReport, PairRelation, PairReport, Trust,
};
use crate::stage::scene::{Staged, StagedBody};
use noli::model::MeshKind;
use noli::world::BodyId;
use noli_brep::{Options, relation};
use noli_formats::CurvedBody;
use noli_geom::{Aabb, Pose, Relation};
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
    bodies: HashMap<BodyId, &'s StagedBody>,
    touching_counts: bool,
    budget: noli::Budget<'s>,
    has_few: bool,
}

/// A verdict on the surfaces of two bodies, with lengths in the unit of the scene.
struct Found {
    report: noli_brep::PairReport,
    names: Option<[String; 2]>,
    /// Length of a millimetre.
    unit: f64,
    /// Sum of the uncertainties of the triangles of both bodies.
    uncertainty: f64,
}

impl<'s> CurvedPairs<'s> {
    pub(super) fn new(staged: &'s Staged, pairs: usize, options: &ReportOptions<'s>) -> Self {
        // A body that the user takes as its faces alone is no solid, whatever its file says; triangles are not curved.
        let is_given = |body: &&StagedBody| {
            let is_curved = body.origin.curved.as_ref().is_some_and(|found| !found.body.is_tessellated());
            is_curved && (body.kind == MeshKind::Solid || body.flaw.is_some())
        };
        let bodies = staged.bodies.iter().filter(is_given).map(|body| (body.id, body)).collect();
        let ReportOptions { touching_counts, budget, .. } = *options;
        Self { staged, bodies, touching_counts, budget, has_few: pairs <= FEW }
    }

    /// Decides a pair on its surfaces. Returns its report, and `true` if the surfaces decided it.
    pub(super) fn decide(&self, ids: [BodyId; 2], pair: PairReport) -> (PairReport, bool) {
        let [Some(a), Some(b)] = ids.map(|id| self.bodies.get(&id)) else { return (pair, false) };
        let uncertainty = a.origin.uncertainty + b.origin.uncertainty;
        let is_far = pair.relation == PairRelation::Separated
            && pair.clearance.at_least > pair.margin + uncertainty
            && !self.has_few;
        if pair.duplicate || is_far {
            return (pair, false);
        }
        match self.found([a, b]) {
            Some(found) => (found.applied(pair, self.touching_counts), true),
            None => (PairReport { curved: Some(CurvedReport::default()), ..pair }, false),
        }
    }

    /// The certain verdict on two bodies.
    fn found(&self, bodies: [&StagedBody; 2]) -> Option<Found> {
        if !self.budget.meter().step() {
            return None;
        }
        let [a, b] = [bodies[0].origin.curved.as_ref()?, bodies[1].origin.curved.as_ref()?];
        if a.millimetre != b.millimetre {
            return None;
        }
        let place = |body: &StagedBody, curved: &CurvedBody| {
            let pose = self.staged.world.body(body.id).ok()?.pose();
            let translation = if curved.millimetre == 1.0 {
                pose.translation
            } else {
                pose.translation / curved.millimetre
            };
            Some(Pose { translation, ..pose } * curved.pose)
        };
        let size = a.body.size().max(b.body.size());
        let options = Options { precision: Some(PRECISION * size), budget: BUDGET, ..Options::default() };
        let (pose_a, pose_b) = (place(bodies[0], a)?, place(bodies[1], b)?);
        let report = relation(&a.body, &b.body, &pose_a, &pose_b, &options);
        let are_solids = a.body.is_solid() && b.body.is_solid();
        if !report.is_certain || !(are_solids || report.relation == Relation::Separated) {
            return None;
        }
        let names = report.faces.map(|[f, g]| [a.body.face_name(f), b.body.face_name(g)]);
        let uncertainty = bodies[0].origin.uncertainty + bodies[1].origin.uncertainty;
        Some(Found { report, names, unit: a.millimetre, uncertainty })
    }

    /// Pairs whose triangles are separated by their boxes, and whose surfaces are in contact or closer than the margin.
    pub(super) fn missed(&self, known: &HashSet<[BodyId; 2]>) -> Vec<([BodyId; 2], PairReport)> {
        let world = &self.staged.world;
        let mut boxes: Vec<(Aabb, &StagedBody)> = Vec::new();
        for body in self.bodies.values() {
            let Ok(placed) = world.body(body.id) else { continue };
            boxes.push((placed.bounds().expanded(body.origin.uncertainty), *body));
        }
        boxes.sort_by(|x, y| x.0.min.x.total_cmp(&y.0.min.x).then(x.1.id.cmp(&y.1.id)));
        let mut found = Vec::new();
        for (i, (bounds, a)) in boxes.iter().enumerate() {
            let others = boxes.iter().skip(i).skip(1).take_while(|(other, _)| other.min.x <= bounds.max.x);
            for (_, b) in others.filter(|(other, _)| other.overlaps(bounds)) {
                let (a, b) = if a.id < b.id { (a, b) } else { (b, a) };
                let ids = [a.id, b.id];
                let Ok(Some(margin)) = world.margin_between(a.id, b.id) else { continue };
                if known.contains(&ids) {
                    continue;
                }
                let Some(verdict) = self.found([a, b]) else { continue };
                let names = ids.map(|id| self.staged.name(id).to_owned());
                let pair = verdict.applied(PairReport::separated(names, margin), self.touching_counts);
                if pair.relation != PairRelation::Separated || pair.hit {
                    found.push((ids, pair));
                }
            }
        }
        found
    }
}

impl Found {
    /// The report of a pair with the verdict on its surfaces.
    fn applied(&self, pair: PairReport, touching_counts: bool) -> PairReport {
        let is_closer = pair.margin > 0.0 && self.report.clearance.at_least * self.unit <= pair.margin;
        let (relation, kind, hit) = match self.report.relation {
            Relation::Intersecting => (PairRelation::Intersecting, Some(ClashKind::Hard), true),
            Relation::Inside => (PairRelation::Inside, Some(ClashKind::Inside), true),
            Relation::Touching => (PairRelation::Touching, Some(ClashKind::Touching), touching_counts),
            Relation::Separated => {
                (PairRelation::Separated, is_closer.then_some(ClashKind::Clearance), is_closer)
            }
        };
        let scaled = |length: f64| length * self.unit;
        let clearance = match relation {
            PairRelation::Separated => ClearanceReport {
                at_least: scaled(self.report.clearance.at_least),
                at_most: scaled(self.report.clearance.at_most),
            },
            _ => ClearanceReport { at_least: 0.0, at_most: 0.0 },
        };
        let middle = self.report.points.map(|[p, q]| ((p + q) * (0.5 * self.unit)).to_array());
        let curved = CurvedReport {
            faces: self.names.clone(),
            fit: self.report.fits.first().map(|fit| scaled(fit.clearance)),
            within: scaled(self.report.within),
        };
        let is_same = relation == pair.relation;
        let decided = PairReport {
            relation,
            kind,
            hit,
            status: hit.then_some(ClashStatus::New),
            guarantee: Trust::Curved,
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
