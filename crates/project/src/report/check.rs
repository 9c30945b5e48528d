//! The report of a check.

use super::clash::{AgainstReport, ExclusionReport, GroupReport};
use super::json::is_default;
use super::outcome::Outcome;
use super::pair::{PairReport, Trust};
use super::verdict::{Asked, NothingAsked, Verdict};
use noli::world::PairStatus;
use noli_formats::Units;
use serde::{Deserialize, Serialize};

/// Relations of the bodies of an assembly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The checked source.
    pub source: String,
    /// Outcome, by the pairs that count as hits.
    pub outcome: Outcome,
    /// Unit of lengths; `None` if the files do not define it.
    pub units: Option<Units>,
    /// The margin of pairs that no rule is about.
    pub margin: f64,
    /// Permitted overlap of pairs that no rule is about.
    #[serde(default)]
    pub tolerance: ToleranceReport,
    /// Result of a method other than the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodReport>,
    /// Counts of each kind.
    pub summary: CheckSummary,
    /// The bodies.
    pub bodies: Vec<BodyReport>,
    /// The pairs that were compared, the worst first.
    pub pairs: Vec<PairReport>,
    /// The clashes by groups, the worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupReport>,
    /// Exclusions, and the number of clashes they cover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclusions: Vec<ExclusionReport>,
    /// Changes since an earlier check, if one was given for comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstReport>,
    /// Clashes of the results file that are gone, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<String>,
    /// Warnings about the files.
    pub warnings: Vec<String>,
}

impl CheckReport {
    /// Returns the verdict of the check; an error if no pair was checked.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        Ok(Verdict::new(self.outcome, Asked::new(self.summary.pairs)?))
    }

    /// Returns the number of pairs with this status; pairs separated by boxes count as separated.
    pub fn count(&self, status: PairStatus) -> usize {
        let of = &self.summary;
        match status {
            PairStatus::Intersecting => of.intersecting,
            PairStatus::Inside => of.inside,
            PairStatus::Touching => of.touching,
            PairStatus::Closer => of.closer,
            PairStatus::Undecided => of.undecided,
            PairStatus::Separated => of.separated,
        }
    }
}

/// Permitted overlap of pairs that no rule is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToleranceReport {
    /// The length. By tessellation, that of the two least certain bodies; pairs may have less.
    pub length: f64,
    /// Reason of the length.
    pub by: ToleranceBy,
}

/// Reason of a tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToleranceBy {
    /// Requested by the user or the scene, or 0 because all bodies are taken as given.
    #[default]
    Request,
    /// The sum of the uncertainties of two triangulated bodies.
    Tessellation,
}

/// Result of a method for the compared pairs, and its cost on one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodReport {
    /// Its name, with its setting.
    pub name: String,
    /// Returns the guarantee of its answers.
    pub guarantee: Trust,
    /// Pairs tested by it.
    pub pairs: usize,
    /// Pairs in collision by this method.
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
    /// Visited cells.
    pub cells: u64,
    /// Pairs of faces that were compared.
    pub face_pairs: u64,
    /// Exact tests.
    pub exact_tests: u64,
}

/// Counts of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckSummary {
    /// Bodies.
    pub bodies: usize,
    /// Their triangles; true shapes have none.
    pub triangles: usize,
    /// Checked pairs.
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
    pub intersecting: usize,
    /// Pairs of which one lies inside the other.
    pub inside: usize,
    /// Of the colliding pairs, copies of one mesh at one place.
    #[serde(default, skip_serializing_if = "is_default")]
    pub duplicates: usize,
    /// Pairs that touch.
    pub touching: usize,
    /// Separated pairs whose distance is at most their margin.
    pub closer: usize,
    /// Pairs that the budget did not suffice for.
    pub undecided: usize,
    /// Pairs beyond their margin.
    pub separated: usize,
    /// Of those, the ones separated by bounding boxes; they are not listed.
    pub separated_by_boxes: usize,
    /// Bytes of all meshes and their trees, shared ones once.
    pub model_bytes: usize,
}

/// Interpretation of a body.
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
    /// Identity across reruns: the IFC GlobalId at the end of its name, or one derived from its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Changes with its shape and its place, and with nothing else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// Its triangles; 0 for a true shape.
    pub triangles: usize,
    /// Its interpretation.
    pub kind: TakenAs,
    /// Reason why its mesh does not bound a solid, if so.
    pub not_solid_because: Option<String>,
}

/// Options for additional content of a report.
#[derive(Clone, Copy, Debug)]
pub struct ReportOptions<'a> {
    /// The checked source.
    pub source: &'a str,
    /// The unit of lengths, where it is known.
    pub units: Option<Units>,
    /// Number of listed intersections of each pair.
    pub segments: usize,
    /// Limit of the interference of clashes, which is computed for the report.
    pub budget: noli::Budget<'a>,
}
