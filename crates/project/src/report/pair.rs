//! Pairs of bodies in the report of a check.

use super::json::{is_default, open};
use crate::data::clash::{ClashKind, ClashStatus};
use crate::stage::penetration_kind::Manner;
use noli::Guarantee;
use noli::answer::Containment;
use noli::world::PairStatus;
use serde::{Deserialize, Serialize};

/// Relation of two bodies. Bodies closer than the margin are separated, and hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairRelation {
    /// Faces pass through each other, or solids reach into each other.
    Intersecting,
    /// One lies within the other.
    Inside,
    /// They share points, but neither passes through the other.
    Touching,
    /// They share no point.
    Separated,
    /// The budget did not suffice.
    Undecided,
}

/// Containment of two bodies of which one is inside.
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

impl From<Containment> for WhichInside {
    fn from(containment: Containment) -> Self {
        match containment {
            Containment::AInB => Self::AInB,
            Containment::BInA => Self::BInA,
            Containment::Same => Self::Same,
            Containment::Parts => Self::Parts,
        }
    }
}

/// Guarantee of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// It is that of real arithmetic on the numbers given.
    Exact,
    /// No contact is missed.
    Conservative,
    /// It may be wrong.
    Approximate,
    /// It is that of triangles within tessellation error of a true surface. With the relation `undecided`, the surfaces may
    /// be in contact or not.
    Tessellated,
    /// It is proven for the curved surfaces that the files give.
    Curved,
    /// No answer.
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
            Self::Tessellated => "tessellated",
            Self::Curved => "curved",
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
    /// Their relation.
    pub relation: PairRelation,
    /// Containment, if one is inside and this is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub which_inside: Option<WhichInside>,
    /// `true` if they are copies of one mesh at one place.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicate: bool,
    /// `true` if the pair counts: in collision, or separated by at most the margin.
    pub hit: bool,
    /// Guarantee of the relation.
    pub guarantee: Trust,
    /// Required clearance.
    pub margin: f64,
    /// Their clearance.
    pub clearance: ClearanceReport,
    /// Penetration depth: translation of B that leaves no volume shared with A; of colliding pairs, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<DepthReport>,
    /// Shared volume of colliding solids, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<VolumeReport>,
    /// Interference of colliding solids: depth of the deepest point of one in the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interference: Option<InterferenceReport>,
    /// Permitted overlap.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tolerance: f64,
    /// Pairs of triangles that pass through each other; `None` if not counted.
    pub intersections: Option<u64>,
    /// Pairs of triangles that only touch; `None` if not counted.
    pub touches: Option<u64>,
    /// Point of collision, or midpoint of the clearance.
    #[serde(rename = "where")]
    pub place: Option<[f64; 3]>,
    /// The faces of A and B there, by the numbers of their files, from 0.
    pub faces: Option<[u32; 2]>,
    /// Details of a verdict on curved surfaces; without any if these did not decide the pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curved: Option<CurvedReport>,
    /// Kind of clash; `None` if there is none, or if it is unknown.
    #[serde(default)]
    pub kind: Option<ClashKind>,
    /// Kind of penetration of solids that share volume, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manner: Option<Manner>,
    /// Identity across reruns.
    #[serde(default)]
    pub id: String,
    /// The group of clashes that it belongs to, if it is one.
    #[serde(default)]
    pub group: Option<String>,
    /// Its status, if it is a clash.
    #[serde(default)]
    pub status: Option<ClashStatus>,
    /// Users' note.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// `true` if it had been approved or gone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reopened: bool,
    /// `true` if their overlap is proven to be within the permitted tolerance.
    #[serde(default, skip_serializing_if = "is_default")]
    pub within_tolerance: bool,
    /// Number of the exclusion by which it is as it should be, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded_by: Option<usize>,
    /// Individual intersections, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<IntersectionReport>,
}

/// Details of a verdict on the curved surfaces of two bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvedReport {
    /// Names of the faces of A and B that touch, intersect or are closest.
    pub faces: Option<[String; 2]>,
    /// Radial clearance of the faces with parallel axes of which one encloses the other with the least clearance: half the
    /// difference of their diameters; negative for an interference.
    pub fit: Option<f64>,
    /// Distance of their axes, at most: the least clearance is the radial one less this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Length within which the surfaces count as touching; 0 if they did not decide the pair.
    pub within: f64,
}

impl PairReport {
    /// Returns the report of two bodies whose boxes are separated.
    pub(crate) fn separated([a, b]: [String; 2], margin: f64) -> Self {
        Self {
            a,
            b,
            relation: PairRelation::Separated,
            which_inside: None,
            duplicate: false,
            hit: false,
            guarantee: Trust::Exact,
            margin,
            clearance: ClearanceReport { at_least: 0.0, at_most: f64::INFINITY },
            depth: None,
            volume: None,
            interference: None,
            tolerance: 0.0,
            intersections: None,
            touches: None,
            place: None,
            faces: None,
            curved: None,
            kind: None,
            manner: None,
            id: String::new(),
            group: None,
            status: None,
            note: String::new(),
            reopened: false,
            within_tolerance: false,
            excluded_by: None,
            segments: Vec::new(),
        }
    }

    /// Returns a proven upper bound on their overlap; `None` if there is none, or if they are separated.
    pub(crate) fn overlap_at_most(&self) -> Option<f64> {
        match self.relation {
            PairRelation::Touching => Some(0.0),
            PairRelation::Intersecting | PairRelation::Inside => {
                let interference = self.interference.map(|found| found.at_most);
                let ends = [self.depth.map(|depth| depth.at_most), interference];
                ends.into_iter().flatten().min_by(f64::total_cmp)
            }
            PairRelation::Undecided => self.interference.map(|found| found.at_most),
            PairRelation::Separated => None,
        }
    }

    /// Returns `true` if it is undecided because triangles stand for curved surfaces.
    pub fn is_within_error(&self) -> bool {
        self.relation == PairRelation::Undecided && self.guarantee == Trust::Tessellated
    }

    /// Returns `true` if the shared volume is a thin layer compared with the separating translation: a shaft in
    /// its hole. The interference is then the number of interest.
    pub fn is_fit(&self) -> bool {
        // That of curved surfaces is always worth a column, that of undecided pairs is only a bound.
        match self.guarantee {
            Trust::Curved => return self.interference.is_some(),
            _ if self.relation == PairRelation::Undecided => return false,
            _ => {}
        }
        let depth = self.depth.map_or(f64::INFINITY, |depth| depth.at_most);
        self.interference.is_some_and(|found| found.at_most < 0.5 * depth)
    }

    /// Returns their relation, including the margin.
    pub fn status(&self) -> PairStatus {
        match self.relation {
            PairRelation::Intersecting => PairStatus::Intersecting,
            PairRelation::Inside => PairStatus::Inside,
            PairRelation::Touching => PairStatus::Touching,
            PairRelation::Separated if self.kind == Some(ClashKind::Clearance) => PairStatus::Closer,
            PairRelation::Separated => PairStatus::Separated,
            PairRelation::Undecided => PairStatus::Undecided,
        }
    }
}

/// A bracket; what has no end is written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClearanceReport {
    /// No two points are closer.
    #[serde(with = "open")]
    pub at_least: f64,
    /// Some two points are this close.
    #[serde(with = "open")]
    pub at_most: f64,
}

/// Penetration depth: the shortest separating translation of two bodies, as a bracket; infinite bounds are
/// written as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthReport {
    /// No shorter translation separates them.
    #[serde(with = "open")]
    pub at_least: f64,
    /// A translation of B of this length along the direction does.
    #[serde(with = "open")]
    pub at_most: f64,
    /// Unit vector; `None` if no separating translation was found, or none is needed.
    pub direction: Option<[f64; 3]>,
}

/// Interference of two solids as a bracket: radial for a shaft in its hole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterferenceReport {
    /// Some point of one lies this deep in the other.
    #[serde(with = "open")]
    pub at_least: f64,
    /// No point of one lies deeper in the other.
    #[serde(with = "open")]
    pub at_most: f64,
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
pub struct IntersectionReport {
    /// The faces of A and B.
    pub faces: [u32; 2],
    /// Start of the shared segment.
    pub start: [f64; 3],
    /// Its end.
    pub end: [f64; 3],
}

impl PairRelation {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Intersecting => "intersecting",
            Self::Inside => "inside",
            Self::Touching => "touching",
            Self::Separated => "separated",
            Self::Undecided => "undecided",
        }
    }
}
