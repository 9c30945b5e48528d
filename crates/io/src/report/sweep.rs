//! The report of a sweep.

use super::{ImpactKind, ImpactReport, Outcome};
use crate::{Staged, Units};
use noli::Step;
use serde::{Deserialize, Serialize};

/// What the motions of a scene meet, the earliest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepReport {
    /// The scene.
    pub scene: String,
    /// Whether anything touches.
    pub outcome: Outcome,
    /// The unit of lengths.
    pub units: Units,
    /// How long the motions take.
    pub seconds: f64,
    /// Pairs that were looked at closely.
    pub candidates: usize,
    /// Pairs that touch, or may.
    pub impacts: Vec<ImpactReport>,
    /// What was odd about the files.
    pub warnings: Vec<String>,
}

impl SweepReport {
    /// What a step over the whole time found.
    pub fn new(scene: &str, staged: &Staged, step: &Step) -> Self {
        let hit = |answer| ImpactReport::new(&staged.world, answer);
        let mut impacts: Vec<ImpactReport> = step.answers.iter().filter_map(hit).collect();
        impacts.sort_by(|x, y| x.safe_until.total_cmp(&y.safe_until));
        let outcome = if impacts.iter().any(|hit| hit.impact != ImpactKind::Undecided) {
            Outcome::Touching
        } else if impacts.is_empty() {
            Outcome::Free
        } else {
            Outcome::Undecided
        };
        Self {
            scene: scene.to_owned(),
            outcome,
            units: staged.units,
            seconds: staged.seconds,
            candidates: step.answers.len(),
            impacts,
            warnings: staged.warnings.clone(),
        }
    }
}
