//! From the findings of a check to its report.

use super::curved::CurvedPairs;
use super::lifecycle::ClashOptions;
use crate::data::clash::ClashKind;
use crate::parallel::map;
use crate::report::check::{BodyReport, CheckReport, CheckSummary, ReportOptions, TakenAs};
use crate::report::outcome::Outcome;
use crate::report::pair::{
    ClearanceReport, DepthReport, InterferenceReport, IntersectionReport, PairRelation, PairReport, Trust,
    VolumeReport, WhichInside,
};
use crate::stage::body_identity::{BodyIdentity, clash_id, identities};
use crate::stage::interference::interference;
use crate::stage::penetration_kind::manner;
use crate::stage::scene::{Staged, StagedBody};
use noli::Budget;
use noli::answer::Bracket;
use noli::model::MeshKind;
use noli::world::{BodyId, CheckResult, FaceIntersection, Finding, PairStatus};
use std::collections::{HashMap, HashSet};

impl CheckReport {
    /// Creates the report of a staged scene: relations of its pairs, and what of them counts as a hit.
    ///
    /// Pairs of bodies with curved surfaces that are in contact or near it are decided on these surfaces. Pairs that only
    /// these find in contact come last.
    pub fn new(
        staged: &Staged,
        result: &CheckResult,
        options: &ReportOptions<'_>,
        clashes: &ClashOptions<'_>,
    ) -> Self {
        let identities = identities(staged);
        let ids: HashMap<BodyId, &str> =
            staged.bodies.iter().zip(&identities).map(|(body, own)| (body.id, own.id.as_str())).collect();
        let id = |pair: &[BodyId; 2]| {
            let [a, b] = pair.map(|id| ids.get(&id).copied().unwrap_or_default());
            clash_id(a, b)
        };
        let curved = CurvedPairs::new(staged, result.findings.len(), options);
        let pair = |finding: &Finding| {
            let pair = PairReport { id: id(&finding.pair), ..pair(staged, finding, options) };
            curved.decide(finding.pair, pair)
        };
        let mut pairs: Vec<PairReport> = map(&result.findings, pair);
        let known: HashSet<[BodyId; 2]> = result.findings.iter().map(|finding| finding.pair).collect();
        let missed = curved.missed(&known).into_iter();
        pairs.extend(missed.map(|(ids, pair)| PairReport { id: id(&ids), ..pair }));
        let bodies = staged.bodies.iter().zip(&identities);
        let bodies: Vec<BodyReport> = bodies.map(|(body, own)| self::body(staged, body, own)).collect();
        let count = |status: PairStatus| pairs.iter().filter(|pair| pair.status() == status).count();
        let by_boxes = result.pairs.saturating_sub(pairs.len());
        let summary = CheckSummary {
            bodies: bodies.len(),
            triangles: bodies.iter().map(|body| body.triangles).sum(),
            pairs: result.pairs,
            hits: 0,
            approved: 0,
            within_tolerance: 0,
            excluded: 0,
            intersecting: count(PairStatus::Intersecting),
            inside: count(PairStatus::Inside),
            duplicates: pairs.iter().filter(|pair| pair.duplicate).count(),
            touching: count(PairStatus::Touching),
            closer: count(PairStatus::Closer),
            undecided: count(PairStatus::Undecided),
            separated: count(PairStatus::Separated).saturating_add(by_boxes),
            separated_by_boxes: by_boxes,
            model_bytes: staged.model_bytes(),
        };
        let mut warnings = staged.warnings.clone();
        warnings.extend(undecided(&pairs));
        let mut report = Self {
            source: options.source.to_owned(),
            outcome: Outcome::Undecided,
            units: options.units,
            margin: staged.world.rules().default_margin(),
            tolerance: Default::default(),
            method: None,
            summary,
            bodies,
            pairs,
            groups: Vec::new(),
            exclusions: Vec::new(),
            against: None,
            resolved: Vec::new(),
            warnings,
        };
        report.settle(staged, clashes);
        report
    }
}

/// Describes the pairs that are undecided within tessellation error.
fn undecided(pairs: &[PairReport]) -> Option<String> {
    let is_left = |pair: &&PairReport| pair.is_within_error();
    let count = pairs.iter().filter(is_left).count();
    let first = pairs.iter().find(is_left)?;
    let more = if count > 1 { format!(" and {} more pairs", count.saturating_sub(1)) } else { String::new() };
    let why = if first.curved.is_some() {
        "not decided on their curved surfaces within the budget, and "
    } else {
        ""
    };
    Some(format!(
        "{} and {}{more}: {why}undecided within tessellation error; a smaller --chord narrows it",
        first.a, first.b
    ))
}

fn body(staged: &Staged, body: &StagedBody, own: &BodyIdentity) -> BodyReport {
    BodyReport {
        name: staged.name(body.id).to_owned(),
        id: own.id.clone(),
        fingerprint: own.fingerprint.clone(),
        triangles: body.triangles(),
        kind: if body.kind == MeshKind::Solid { TakenAs::Solid } else { TakenAs::Surface },
        not_solid_because: body.flaw.map(|flaw| flaw.to_string()),
    }
}

fn pair(staged: &Staged, finding: &Finding, options: &ReportOptions<'_>) -> PairReport {
    let [a, b] = finding.pair.map(|id| staged.name(id).to_owned());
    let intersection = |intersection: &FaceIntersection| IntersectionReport {
        faces: intersection.faces,
        start: intersection.segment.start.to_array(),
        end: intersection.segment.end.to_array(),
    };
    let relation = match finding.status {
        PairStatus::Intersecting => PairRelation::Intersecting,
        PairStatus::Inside => PairRelation::Inside,
        PairStatus::Touching => PairRelation::Touching,
        PairStatus::Closer | PairStatus::Separated => PairRelation::Separated,
        PairStatus::Undecided => PairRelation::Undecided,
    };
    let duplicate = finding.status.meets() && staged.is_duplicate(finding.pair);
    PairReport {
        a,
        b,
        relation,
        which_inside: finding.containment.hit().map(WhichInside::from),
        duplicate,
        hit: false,
        guarantee: match relation {
            PairRelation::Undecided => Trust::Undecided,
            _ => finding.guarantee.into(),
        },
        margin: finding.margin,
        clearance: ClearanceReport {
            at_least: finding.clearance.distance.at_least,
            at_most: finding.clearance.distance.at_most,
        },
        depth: finding.penetration.map(|found| DepthReport {
            at_least: found.depth.at_least,
            at_most: found.depth.at_most,
            direction: found.direction.map(|direction| direction.to_array()),
        }),
        volume: finding.volume.map(|Bracket { at_least, at_most }| VolumeReport { at_least, at_most }),
        interference: interference_of(staged, finding, options.budget),
        tolerance: 0.0,
        intersections: finding.intersecting_faces,
        touches: finding.touching_faces,
        place: finding.place.map(|place| place.to_array()),
        faces: finding.faces,
        curved: None,
        kind: match finding.status {
            _ if duplicate => Some(ClashKind::Duplicate),
            PairStatus::Intersecting => Some(ClashKind::Hard),
            PairStatus::Inside => Some(ClashKind::Inside),
            PairStatus::Touching => Some(ClashKind::Touching),
            PairStatus::Closer => Some(ClashKind::Clearance),
            PairStatus::Separated | PairStatus::Undecided => None,
        },
        manner: (relation == PairRelation::Intersecting && !duplicate)
            .then(|| manner(staged, finding.pair))
            .flatten(),
        id: String::new(),
        group: None,
        status: None,
        note: String::new(),
        reopened: false,
        within_tolerance: false,
        excluded_by: None,
        segments: finding.intersections.iter().take(options.segments).map(intersection).collect(),
    }
}

/// Returns the interference of solids that share volume, if their depth was requested too.
fn interference_of(staged: &Staged, finding: &Finding, budget: Budget<'_>) -> Option<InterferenceReport> {
    let penetration = finding.penetration.filter(|_| finding.status == PairStatus::Intersecting)?;
    let Bracket { at_least, at_most } = interference(staged, finding.pair, penetration.depth, budget)?;
    Some(InterferenceReport { at_least, at_most })
}
