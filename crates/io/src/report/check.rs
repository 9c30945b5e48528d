//! The report of a check.

use super::{Asked, NothingAsked, Outcome, Verdict, csv_line, is_default, open};
use crate::clash::{
    AgainstReport, BodyIdentity, ClashKind, ClashOptions, ClashStatus, ExclusionReport, GroupReport, Manner,
    clash_id, identities, manner,
};
use crate::{Staged, StagedBody, Units};
use noli::Guarantee;
use noli::answer::{Bracket, Nesting};
use noli::model::MeshKind;
use noli::world::{BodyId, CheckResult, FaceCrossing, Finding, Standing};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How the bodies of an assembly stand to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// What was checked.
    pub source: String,
    /// Whether anything counts as a hit.
    pub outcome: Outcome,
    /// The unit of lengths; `None` where files do not say.
    pub units: Option<Units>,
    /// The margin of pairs that no rule is about.
    pub margin: f64,
    /// What another method than the tree said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodReport>,
    /// How many of each kind.
    pub summary: CheckSummary,
    /// The bodies.
    pub bodies: Vec<BodyReport>,
    /// The pairs that were compared, the worst first.
    pub pairs: Vec<PairReport>,
    /// The clashes by groups, the worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupReport>,
    /// What is so by design, and how much of it there is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclusions: Vec<ExclusionReport>,
    /// What changed since an earlier check, where there was one to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstReport>,
    /// Clashes of the results file that are gone, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<String>,
    /// What was odd about the files.
    pub warnings: Vec<String>,
}

/// What a method said about the pairs that were compared, and what it cost on one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodReport {
    /// Its name, with its setting.
    pub name: String,
    /// What its answers promise.
    pub guarantee: Trust,
    /// Pairs that it was asked about.
    pub pairs: usize,
    /// Pairs that meet by it.
    pub hits: usize,
    /// Seconds to prepare all bodies.
    pub prepare_s: f64,
    /// Seconds to decide all pairs.
    pub decide_s: f64,
    /// Tests of volumes.
    pub volumes: u64,
    /// Tests of pairs of voxels.
    pub voxel_pairs: u64,
    /// Tests against planes.
    pub planes: u64,
    /// Cells that were looked at.
    pub cells: u64,
    /// Pairs of faces that were compared.
    pub face_pairs: u64,
    /// Exact tests.
    pub exact_tests: u64,
}

/// How many of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckSummary {
    /// Bodies.
    pub bodies: usize,
    /// Their triangles; true shapes have none.
    pub triangles: usize,
    /// Pairs that were asked about.
    pub pairs: usize,
    /// Pairs that count as hits.
    pub hits: usize,
    /// Pairs that would count, and were approved.
    #[serde(default, skip_serializing_if = "is_default")]
    pub approved: usize,
    /// Pairs that would count, and reach no farther into each other than is permitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub within_tolerance: usize,
    /// Pairs that would count, and are so by design.
    #[serde(default, skip_serializing_if = "is_default")]
    pub excluded: usize,
    /// Pairs that cross.
    pub crossing: usize,
    /// Pairs of which one lies inside the other.
    pub inside: usize,
    /// Of the pairs that meet, copies of one mesh at one place.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicates: usize,
    /// Pairs that touch.
    pub touching: usize,
    /// Pairs that are apart by no more than their margin.
    pub closer: usize,
    /// Pairs that the budget did not suffice for.
    pub undecided: usize,
    /// Pairs that are further apart.
    pub apart: usize,
    /// Of those, the ones whose boxes tell; they are not listed.
    pub apart_by_boxes: usize,
    /// Bytes of all meshes and their trees, shared ones once.
    pub model_bytes: usize,
}

/// What a body was taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TakenAs {
    /// Its faces and what they enclose.
    Solid,
    /// Its faces alone.
    Surface,
}

/// A body of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BodyReport {
    /// Its name.
    pub name: String,
    /// Who it is over reruns: the IFC GlobalId that its name ends with, or one made from its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Changes with its shape and its place, and with nothing else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// Its triangles; 0 for a true shape.
    pub triangles: usize,
    /// What it was taken for.
    pub kind: TakenAs,
    /// Why its mesh bounds no solid, if it does not.
    pub not_solid_because: Option<String>,
}

/// How two bodies stand to each other. Bodies closer than the margin are apart, and hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairRelation {
    /// Faces pass through each other, or solids reach into each other.
    Crossing,
    /// One lies within the other.
    Inside,
    /// They share points, but neither passes through the other.
    Touching,
    /// They share no point.
    Apart,
    /// The budget did not suffice.
    Undecided,
}

/// Which of two bodies that are inside lies in which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhichInside {
    /// All of A lies in B.
    AInB,
    /// All of B lies in A.
    BInA,
    /// Both fill the same space.
    Same,
    /// Only some parts lie in the other body.
    Parts,
}

impl From<Nesting> for WhichInside {
    fn from(nesting: Nesting) -> Self {
        match nesting {
            Nesting::AInB => Self::AInB,
            Nesting::BInA => Self::BInA,
            Nesting::Same => Self::Same,
            Nesting::Parts => Self::Parts,
        }
    }
}

/// How far an answer can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// It is that of real arithmetic on the numbers given.
    Exact,
    /// No contact is missed.
    Conservative,
    /// It may be wrong.
    Approximate,
    /// Nothing is said.
    Undecided,
}

impl From<Guarantee> for Trust {
    fn from(guarantee: Guarantee) -> Self {
        match guarantee {
            Guarantee::Exact => Self::Exact,
            Guarantee::Conservative => Self::Conservative,
            Guarantee::Approximate => Self::Approximate,
        }
    }
}

impl Trust {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Conservative => "conservative",
            Self::Approximate => "approximate",
            Self::Undecided => "undecided",
        }
    }
}

/// A pair of bodies that was compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairReport {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// How they stand to each other.
    pub relation: PairRelation,
    /// Which lies in which, where one is inside and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which_inside: Option<WhichInside>,
    /// Whether they are copies of one mesh at one place.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicate: bool,
    /// Whether that counts: they meet, or are apart by no more than the margin.
    pub hit: bool,
    /// How far the relation can be trusted.
    pub guarantee: Trust,
    /// How close they may come.
    pub margin: f64,
    /// How far apart they are.
    pub gap: GapReport,
    /// How far B must be moved to share no volume with A, where they meet and it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<DepthReport>,
    /// How much volume they share, of solids that meet, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<VolumeReport>,
    /// No point that they share lies deeper than this in either; where a tolerance was asked about, and that is proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immersion_at_most: Option<f64>,
    /// Pairs of triangles that pass through each other; `None` if not counted.
    pub crossings: Option<u64>,
    /// Pairs of triangles that only touch; `None` if not counted.
    pub touches: Option<u64>,
    /// Where they meet, or the middle of the gap.
    #[serde(rename = "where")]
    pub place: Option<[f64; 3]>,
    /// The faces of A and B there, by the numbers of their files, from 0.
    pub faces: Option<[u32; 2]>,
    /// What kind of clash it is; `None` if it is none, or not known.
    #[serde(default)]
    pub kind: Option<ClashKind>,
    /// How solids that share volume go into each other, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manner: Option<Manner>,
    /// Who it is over reruns.
    #[serde(default)]
    pub id: String,
    /// The group of clashes that it belongs to, if it is one.
    #[serde(default)]
    pub group: Option<String>,
    /// What became of it, if it is a clash.
    #[serde(default)]
    pub status: Option<ClashStatus>,
    /// What people said about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Whether it had been approved or gone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reopened: bool,
    /// Whether they are proven to reach no farther into each other than is permitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub within_tolerance: bool,
    /// Number of the exclusion by which it is as it should be, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<usize>,
    /// Crossings one by one, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<CrossingReport>,
}

impl PairReport {
    /// A length that is proven to be no less than how far they reach into each other; `None` if there is none, or
    /// they are apart.
    pub(crate) fn overlap_at_most(&self) -> Option<f64> {
        match self.relation {
            PairRelation::Touching => Some(0.0),
            PairRelation::Crossing | PairRelation::Inside => {
                let ends = [self.depth.map(|depth| depth.at_most), self.immersion_at_most];
                ends.into_iter().flatten().min_by(f64::total_cmp)
            }
            PairRelation::Apart | PairRelation::Undecided => None,
        }
    }

    /// How they stand to each other, margin and all.
    pub fn standing(&self) -> Standing {
        match self.relation {
            PairRelation::Crossing => Standing::Crossing,
            PairRelation::Inside => Standing::Inside,
            PairRelation::Touching => Standing::Touching,
            PairRelation::Apart if self.hit || self.kind == Some(ClashKind::Clearance) => Standing::Closer,
            PairRelation::Apart => Standing::Apart,
            PairRelation::Undecided => Standing::Undecided,
        }
    }
}

/// A bracket; what has no end is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapReport {
    /// No two points are closer.
    #[serde(with = "open")]
    pub at_least: f64,
    /// Some two points are this close.
    #[serde(with = "open")]
    pub at_most: f64,
}

/// The shortest translation that takes two bodies apart, as a bracket; what has no end is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthReport {
    /// No shorter translation takes them apart.
    #[serde(with = "open")]
    pub at_least: f64,
    /// A translation of B of this length along the direction does.
    #[serde(with = "open")]
    pub at_most: f64,
    /// Unit vector; `None` where no way out was found, or none is needed.
    pub direction: Option<[f64; 3]>,
}

/// A bracket on a volume, in the unit of lengths cubed; what has no end is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeReport {
    /// They share at least this.
    #[serde(with = "open")]
    pub at_least: f64,
    /// They share at most this.
    #[serde(with = "open")]
    pub at_most: f64,
}

/// Two faces that pass through each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossingReport {
    /// The faces of A and B.
    pub faces: [u32; 2],
    /// Where the segment they share begins.
    pub start: [f64; 3],
    /// Where it ends.
    pub end: [f64; 3],
}

/// What a report is to say beyond what was found.
#[derive(Clone, Copy, Debug)]
pub struct ReportOptions<'a> {
    /// What was checked.
    pub source: &'a str,
    /// The unit of lengths, where it is known.
    pub units: Option<Units>,
    /// Whether bodies that touch without passing through each other count as hits.
    pub touching_counts: bool,
    /// How many crossings of each pair are listed.
    pub segments: usize,
}

impl CheckReport {
    /// What was found in a staged scene.
    pub fn new(staged: &Staged, result: &CheckResult, options: &ReportOptions<'_>) -> Self {
        let identities = identities(staged);
        let ids: HashMap<BodyId, &str> =
            staged.bodies.iter().zip(&identities).map(|(body, own)| (body.id, own.id.as_str())).collect();
        let id = |finding: &Finding| {
            let [a, b] = finding.pair.map(|id| ids.get(&id).copied().unwrap_or_default());
            clash_id(a, b)
        };
        let pair = |finding: &Finding| PairReport { id: id(finding), ..pair(staged, finding, options) };
        let pairs: Vec<PairReport> = result.findings.iter().map(pair).collect();
        let bodies = staged.bodies.iter().zip(&identities);
        let bodies: Vec<BodyReport> = bodies.map(|(body, own)| self::body(staged, body, own)).collect();
        let hits = pairs.iter().filter(|pair| pair.hit).count();
        let outcome = match (hits, result.count(Standing::Undecided)) {
            (0, 0) => Outcome::Free,
            (0, _) => Outcome::Undecided,
            _ => Outcome::Touching,
        };
        let summary = CheckSummary {
            bodies: bodies.len(),
            triangles: bodies.iter().map(|body| body.triangles).sum(),
            pairs: result.pairs,
            hits,
            approved: 0,
            within_tolerance: 0,
            excluded: 0,
            crossing: result.count(Standing::Crossing),
            inside: result.count(Standing::Inside),
            duplicates: pairs.iter().filter(|pair| pair.duplicate).count(),
            touching: result.count(Standing::Touching),
            closer: result.count(Standing::Closer),
            undecided: result.count(Standing::Undecided),
            apart: result.count(Standing::Apart) + result.apart_by_boxes(),
            apart_by_boxes: result.apart_by_boxes(),
            model_bytes: staged.model_bytes(),
        };
        let mut report = Self {
            source: options.source.to_owned(),
            outcome,
            units: options.units,
            margin: staged.world.rules().default_margin(),
            method: None,
            summary,
            bodies,
            pairs,
            groups: Vec::new(),
            exclusions: Vec::new(),
            against: None,
            resolved: Vec::new(),
            warnings: staged.warnings.clone(),
        };
        report.settle(staged, &ClashOptions::default());
        report
    }

    /// What the check comes to; an error if no pair was asked about.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        Ok(Verdict::new(self.outcome, Asked::new(self.summary.pairs)?))
    }

    /// How many pairs stand like this; those that boxes prove apart count among those apart.
    pub fn count(&self, standing: Standing) -> usize {
        let of = &self.summary;
        match standing {
            Standing::Crossing => of.crossing,
            Standing::Inside => of.inside,
            Standing::Touching => of.touching,
            Standing::Closer => of.closer,
            Standing::Undecided => of.undecided,
            Standing::Apart => of.apart,
        }
    }

    /// One line for each pair under a line of names; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut text =
            "relation,a,b,hit,guarantee,margin,gap_at_least,gap_at_most,crossings,touches,x,y,z,duplicate,\
             kind,id,group,status,depth_at_least,depth_at_most,volume_at_least,volume_at_most\n"
                .to_owned();
        let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
        let number = |x: f64| if x.is_finite() { format!("{x:?}") } else { String::new() };
        for pair in &self.pairs {
            let place = |axis: usize| pair.place.map_or(String::new(), |place| number(place[axis]));
            text += &csv_line([
                pair.relation.word(),
                &pair.a,
                &pair.b,
                if pair.hit { "yes" } else { "no" },
                pair.guarantee.word(),
                &number(pair.margin),
                &number(pair.gap.at_least),
                &number(pair.gap.at_most),
                &count(pair.crossings),
                &count(pair.touches),
                &place(0),
                &place(1),
                &place(2),
                if pair.duplicate { "yes" } else { "no" },
                pair.kind.map_or("", ClashKind::word),
                &pair.id,
                pair.group.as_deref().unwrap_or_default(),
                pair.status.map_or("", ClashStatus::word),
                &pair.depth.map_or(String::new(), |depth| number(depth.at_least)),
                &pair.depth.map_or(String::new(), |depth| number(depth.at_most)),
                &pair.volume.map_or(String::new(), |volume| number(volume.at_least)),
                &pair.volume.map_or(String::new(), |volume| number(volume.at_most)),
            ]);
        }
        text
    }
}

impl PairRelation {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Crossing => "crossing",
            Self::Inside => "inside",
            Self::Touching => "touching",
            Self::Apart => "apart",
            Self::Undecided => "undecided",
        }
    }
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
    let crossing = |crossing: &FaceCrossing| CrossingReport {
        faces: crossing.faces,
        start: crossing.segment.start.to_array(),
        end: crossing.segment.end.to_array(),
    };
    let (relation, hit) = match finding.standing {
        Standing::Crossing => (PairRelation::Crossing, true),
        Standing::Inside => (PairRelation::Inside, true),
        Standing::Touching => (PairRelation::Touching, options.touching_counts),
        Standing::Closer => (PairRelation::Apart, true),
        Standing::Apart => (PairRelation::Apart, false),
        Standing::Undecided => (PairRelation::Undecided, false),
    };
    let duplicate = finding.standing.meets() && staged.is_duplicate(finding.pair);
    PairReport {
        a,
        b,
        relation,
        which_inside: finding.nesting.map(WhichInside::from),
        duplicate,
        hit,
        guarantee: match relation {
            PairRelation::Undecided => Trust::Undecided,
            _ => finding.guarantee.into(),
        },
        margin: finding.margin,
        gap: GapReport { at_least: finding.clearance.gap.at_least, at_most: finding.clearance.gap.at_most },
        depth: finding.penetration.map(|found| DepthReport {
            at_least: found.depth.at_least,
            at_most: found.depth.at_most,
            direction: found.direction.map(|direction| direction.to_array()),
        }),
        volume: finding.volume.map(|Bracket { at_least, at_most }| VolumeReport { at_least, at_most }),
        immersion_at_most: None,
        crossings: finding.crossing_faces,
        touches: finding.touching_faces,
        place: finding.place.map(|place| place.to_array()),
        faces: finding.faces,
        kind: match finding.standing {
            _ if duplicate => Some(ClashKind::Duplicate),
            Standing::Crossing => Some(ClashKind::Hard),
            Standing::Inside => Some(ClashKind::Inside),
            Standing::Touching => Some(ClashKind::Touching),
            Standing::Closer => Some(ClashKind::Clearance),
            Standing::Apart | Standing::Undecided => None,
        },
        manner: (relation == PairRelation::Crossing && !duplicate)
            .then(|| manner(staged, finding.pair))
            .flatten(),
        id: String::new(),
        group: None,
        status: hit.then_some(ClashStatus::New),
        note: String::new(),
        reopened: false,
        within_tolerance: false,
        excluded_by: None,
        segments: finding.crossings.iter().take(options.segments).map(crossing).collect(),
    }
}
