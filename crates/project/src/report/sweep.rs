//! The report of a sweep.

use super::curved_motion::CurvedMotion;
use super::impact::{AfterStart, ImpactKind, ImpactReport};
use super::json::is_default;
use super::outcome::Outcome;
use super::tessellation::TessellationReport;
use super::verdict::{Asked, NothingAsked, Verdict};
use crate::stage::scene::Staged;
use noli::motion::Motion;
use noli::world::{Answer, BodyId, BodySelector, Step, WorldError};
use noli::{Impact, Relation};
use noli_formats::Units;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// Contacts of the motions of a scene, the earliest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepReport {
    /// The scene.
    pub scene: String,
    /// Outcome, by the contacts found.
    pub outcome: Outcome,
    /// The unit of lengths.
    pub units: Units,
    /// Duration of the motions, in seconds.
    pub seconds: f64,
    /// Lower bound on the checked pairs with a moving body; 0 gives no verdict.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pairs: usize,
    /// Pairs tested in detail.
    pub candidates: usize,
    /// Pairs that touch, or may.
    pub impacts: Vec<ImpactReport>,
    /// Pairs in contact at the start, disabled on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Bodies that are triangles in place of curved surfaces; `None` if all are as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tessellation: Option<TessellationReport>,
    /// Warnings about the files.
    pub warnings: Vec<String>,
}

/// A pair that touches at the start and was left out of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// `Leaves` or `Slides` if proven for the whole motion; otherwise the pair is only sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_start: Option<AfterStart>,
    /// Time of the first intersection found, from 0 to 1; `None` if there is none. Only some instants are
    /// sampled.
    pub intersection_at: Option<f64>,
}

impl SweepReport {
    /// Creates the report of a step over the whole time, decided on triangles. Nothing is left out.
    pub fn new(scene: &str, staged: &Staged, step: &Step) -> Self {
        let surfaces = staged.curved_motion();
        Self { tessellation: staged.tessellation(), ..Self::on_surfaces(scene, staged, step, &surfaces) }
    }

    /// The same for a step that curved surfaces decided where they are known.
    pub fn on_surfaces(scene: &str, staged: &Staged, step: &Step, surfaces: &CurvedMotion) -> Self {
        let hit = |answer: &Answer| {
            Some(surfaces.impact(&staged.world, answer)?.timed(answer.pair, staged, step.moves()))
        };
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
            pairs: staged.pairs_moved_by(step.moves()).map_or(0, Asked::count).max(step.answers.len()),
            candidates: step.answers.len(),
            impacts,
            left_out: Vec::new(),
            tessellation: surfaces.tessellation(),
            warnings: staged.warnings.clone(),
        }
    }

    /// The same with pairs that were left out; one that was seen to cross counts.
    pub fn with_left_out(mut self, left_out: Vec<LeftOut>) -> Self {
        if left_out.iter().any(|pair| pair.intersection_at.is_some()) {
            self.outcome = Outcome::Touching;
        }
        self.left_out = left_out;
        self
    }

    /// Returns the verdict of the sweep; an error if no moving body was checked.
    pub fn verdict(&self) -> Result<Verdict, NothingAsked> {
        Ok(Verdict::new(self.outcome, Asked::new(self.pairs)?))
    }
}

impl Staged {
    /// Disables the pairs of a step that touch at the start and do not intersect there. Pairs that the step did not
    /// prove to leave or to slide are sampled at some instants of their path, which proves nothing. Relations are those of
    /// the surfaces where these are known and decide them.
    pub fn leave_out_touching(
        &mut self,
        step: &Step,
        surfaces: &CurvedMotion,
    ) -> Result<Vec<LeftOut>, WorldError> {
        /// Number of sampled instants after the first.
        const MOMENTS: u32 = 64;
        let mut motions: HashMap<BodyId, &Arc<dyn Motion>> = HashMap::new();
        step.moves().iter().for_each(|asked| motions.extend(asked.parts()));
        let mut left_out = Vec::new();
        let may_touch = |answer: &&Answer| match answer.impact {
            Impact::AtStart(_) => true,
            Impact::Unknown { safe_until } => safe_until == 0.0,
            Impact::At { .. } | Impact::Free => answer.after_start.is_some(),
        };
        for answer in step.answers.iter().filter(may_touch) {
            let relation = |time: f64| -> Result<Relation, WorldError> {
                let [a, b] = [0, 1].map(|k| {
                    let body = self.world.body(answer.pair[k])?;
                    let moved = motions.get(&answer.pair[k]).map(|motion| motion.pose(time));
                    Ok::<_, WorldError>((body.model(), moved.unwrap_or_else(|| body.pose())))
                });
                let [(a, at_a), (b, at_b)] = [a?, b?];
                let curved = surfaces.relation(answer.pair, [at_a, at_b]);
                Ok(curved.unwrap_or_else(|| noli::relation(&a.at(at_a), &b.at(at_b))))
            };
            if relation(0.0)? != Relation::Touching {
                continue;
            }
            let parts = |after: &AfterStart| matches!(after, AfterStart::Leaves | AfterStart::Slides);
            let after_start = match answer.impact {
                Impact::AtStart(_) => answer.after_start.map(AfterStart::from).filter(parts),
                _ => None,
            };
            let mut intersection_at = None;
            for k in (1..=MOMENTS).take_while(|_| after_start.is_none()) {
                let time = f64::from(k) / f64::from(MOMENTS);
                if matches!(relation(time)?, Relation::Intersecting | Relation::Inside) {
                    intersection_at = Some(time);
                    break;
                }
            }
            let [a, b] = answer.pair.map(|id| self.name(id).to_owned());
            left_out.push((answer.pair, LeftOut { a, b, after_start, intersection_at }));
        }
        for ([a, b], _) in &left_out {
            self.world.rules_mut().set([BodySelector::Body(*a), BodySelector::Body(*b)], false);
        }
        Ok(left_out.into_iter().map(|(_, pair)| pair).collect())
    }
}
