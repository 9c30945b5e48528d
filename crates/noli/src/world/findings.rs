//! Results of a static check: the status of pairs and what was found about each.

use super::body::BodyId;
use crate::answer::{Bracket, Clearance, Contact, Containment, Guarantee, Penetration, Verdict};
use glam::DVec3;
use noli_geom::Segment;
use std::cmp::Ordering;

/// Status of two bodies, the worst first.
#[doc(alias("clash", "hard clash", "clearance clash"))]
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairStatus {
    /// Faces pass through each other, or solids reach into each other.
    Intersecting,
    /// One lies in the other.
    Inside,
    /// They share points, but neither passes through the other.
    Touching,
    /// Separated, but by no more than the margin.
    Closer,
    /// The budget ran out.
    Undecided,
    /// They share no point, and their distance exceeds the margin.
    Separated,
}

impl std::fmt::Display for PairStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Intersecting => "intersecting",
            Self::Inside => "inside",
            Self::Touching => "touching",
            Self::Closer => "within margin",
            Self::Undecided => "unknown",
            Self::Separated => "separated",
        })
    }
}

impl PairStatus {
    /// All of them, the worst first.
    pub const ALL: [Self; 6] =
        [Self::Intersecting, Self::Inside, Self::Touching, Self::Closer, Self::Undecided, Self::Separated];

    /// Returns whether the bodies share a point.
    pub fn meets(self) -> bool {
        matches!(self, Self::Intersecting | Self::Inside | Self::Touching)
    }
}

/// Result of a check.
#[must_use]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckResult {
    /// Number of pairs enabled by the rules.
    pub pairs: usize,
    /// The tested pairs, the worst first. The distance of all others exceeds their margin.
    pub findings: Vec<Finding>,
}

impl CheckResult {
    /// Returns the number of pairs proven separated by their boxes alone.
    pub fn separated_by_boxes(&self) -> usize {
        self.pairs - self.findings.len()
    }

    /// Returns the number of tested pairs with this status.
    pub fn count(&self, status: PairStatus) -> usize {
        self.findings.iter().filter(|finding| finding.status == status).count()
    }
}

/// Two faces that pass through each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceIntersection {
    /// The faces of A and B, by the user's numbers.
    pub faces: [u32; 2],
    /// Their intersection, in world coordinates, rounded.
    pub segment: Segment,
}

/// Result for a pair of bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The bodies A and B, the smaller id first.
    pub pair: [BodyId; 2],
    /// Required clearance.
    pub margin: f64,
    /// Their relation.
    pub status: PairStatus,
    /// Order of containment; `Free` if neither body lies in the other.
    pub containment: Verdict<Containment>,
    /// Guarantee of the status. It is approximate for a mesh with holes that is used as a solid. The clearance is
    /// always a proven bracket.
    pub guarantee: Guarantee,
    /// Their clearance.
    pub clearance: Clearance,
    /// Pairs of triangles that pass through each other; `None` if they were not counted.
    pub intersecting_faces: Option<u64>,
    /// Pairs of triangles that only touch; `None` if they were not counted.
    pub touching_faces: Option<u64>,
    /// The intersecting faces, up to the requested number.
    pub intersections: Vec<FaceIntersection>,
    /// Contact point and depth, if requested or if it determined the place.
    pub contact: Option<Contact>,
    /// Shortest translation after which they share no volume, if requested and they collide; `None` for surfaces
    /// that only touch.
    pub penetration: Option<Penetration>,
    /// Common volume, if requested and they are colliding solids.
    pub volume: Option<Bracket>,
    /// A common point or, for separated bodies, the midpoint of the witness points.
    pub place: Option<DVec3>,
    /// The faces there, by the user's numbers.
    pub faces: Option<[u32; 2]>,
}

impl Finding {
    /// Orders findings by severity, the worst first: contained bodies or common volume, then intersecting bodies.
    /// Both are ordered by depth where measured, otherwise by their number of intersecting faces. Touching and
    /// separated bodies follow, ordered by clearance, then by body.
    pub fn by_severity(&self, other: &Self) -> Ordering {
        let rank = |f: &Self| (f.status != PairStatus::Inside, f.status);
        let known = |depth: Bracket| if depth.at_most.is_finite() { depth.at_most } else { depth.at_least };
        let deep = |f: &Self| f.penetration.as_ref().map_or(0.0, |found| known(found.depth));
        let clearance = |f: &Self| f.clearance.distance.at_least;
        rank(self)
            .cmp(&rank(other))
            .then(deep(other).total_cmp(&deep(self)))
            .then(other.intersecting_faces.cmp(&self.intersecting_faces))
            .then(clearance(self).total_cmp(&clearance(other)))
            .then(self.pair.cmp(&other.pair))
    }
}
