//! The distance of two parts.

use crate::context::Context;
use crate::opened::Opened;
use crate::part::parts;
use crate::{AskError, Check, CheckedPairs, Subject};
use noli::world::{BodyId, BodySelector, Finding, PairStatus, Rules};
use noli_project::report::PairReport;
use serde::{Deserialize, Serialize};

/// Distance of two parts, or of all parts of two files or groups, with the nearest points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clearance {
    #[allow(missing_docs, reason = "its fields are options of the question")]
    #[serde(flatten)]
    pub subject: Subject,
    /// A part, group or file, by name.
    pub a: String,
    /// Another one.
    pub b: String,
    /// Keep so many segments of intersecting faces, for a picture.
    #[serde(skip)]
    pub pictured: usize,
}

/// Answer to [`Clearance`].
#[derive(Debug)]
pub struct ClearanceAnswer {
    /// The pairs of a part on one side with a part on the other.
    pub checked: CheckedPairs,
    /// Number of the nearest pair in the report: colliding pairs first, then undecided ones, then the nearest.
    pub nearest: usize,
    /// `true` if the first body of that pair is on the other side.
    pub is_swapped: bool,
}

impl Clearance {
    /// Opens the subject and measures the distance.
    pub fn answer(&self, context: &Context<'_>) -> Result<ClearanceAnswer, AskError> {
        self.about(self.subject.open(context)?, context)
    }

    /// Measures the distance of two parts of an opened scene.
    pub fn about(&self, mut opened: Opened, context: &Context<'_>) -> Result<ClearanceAnswer, AskError> {
        let world = &mut opened.staged.world;
        let (ours, theirs) = (parts(world, &self.a)?, parts(world, &self.b)?);
        if let Some(&both) = ours.iter().find(|id| theirs.contains(id)) {
            let name = opened.staged.name(both);
            return Err(AskError::option(format!("`{name}` is on both sides; name two different parts")));
        }
        *world.rules_mut() = between(&ours, &theirs);
        opened.check = Default::default();
        let question = Check { all: true, within: true, pictured: self.pictured, ..Check::default() };
        let checked = question.compare(opened, context)?;
        let nearest =
            nearest(&checked.result.findings).ok_or_else(|| AskError::option("no pair was compared"))?;
        let first = checked.result.findings.get(nearest).map(|finding| finding.pair[0]);
        let is_swapped = first.is_some_and(|first| !ours.contains(&first));
        Ok(ClearanceAnswer { checked, nearest, is_swapped })
    }
}

impl ClearanceAnswer {
    /// Returns the nearest pair, as the engine found it and in the report.
    pub fn pair(&self) -> Option<(&Finding, &PairReport)> {
        let CheckedPairs { result, report, .. } = &self.checked;
        result.findings.get(self.nearest).zip(report.pairs.get(self.nearest))
    }
}

/// Rules that leave the pairs of two sides.
fn between(ours: &[BodyId], theirs: &[BodyId]) -> Rules {
    let mut rules = Rules::default();
    let pairs = ours.iter().flat_map(|&a| theirs.iter().map(move |&b| [a, b].map(BodySelector::Body)));
    rules.keep_only(pairs.collect());
    rules
}

/// Returns the number of the worst finding.
fn nearest(findings: &[Finding]) -> Option<usize> {
    let rank = |finding: &Finding| match finding.status {
        status if status.meets() => 0,
        PairStatus::Undecided => 1,
        _ => 2,
    };
    let key = |finding: &Finding| (rank(finding), finding.clearance.distance.at_most);
    let worst = findings.iter().enumerate().min_by(|(_, x), (_, y)| {
        let ((rank_x, x), (rank_y, y)) = (key(x), key(y));
        rank_x.cmp(&rank_y).then(x.total_cmp(&y))
    });
    worst.map(|(number, _)| number)
}
