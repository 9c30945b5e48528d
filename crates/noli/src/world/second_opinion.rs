//! A second opinion: other methods, asked about the pairs of a check.

use super::check::{Finding, Standing};
use super::{BodyId, World};
use crate::answer::{Guarantee, Overlap};
use crate::budget::Budget;
use noli_geom::Pose;

/// Another way to tell whether two bodies of a world share a point, prepared for its bodies.
pub trait PairTest {
    /// What its answers promise; exact ones must agree with the trees.
    fn guarantee(&self) -> Guarantee;

    /// Whether two bodies share a point.
    fn overlap(&mut self, pair: [BodyId; 2], poses: [&Pose; 2], budget: &Budget<'_>) -> Overlap;
}

/// A method and the trees contradict each other, and both promise not to be wrong: one of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the method and the trees disagree about bodies {} and {}", .0[0], .0[1])]
pub struct Disagreement(pub [BodyId; 2]);

impl World {
    /// Asks a method about every pair of a check, and takes its verdict over: pairs that only a conservative method reports count as
    /// closer than asked for, those it could not decide as undecided. Tells how many pairs share a point by the method.
    pub fn consult(
        &self,
        findings: &mut [Finding],
        test: &mut dyn PairTest,
        budget: &Budget<'_>,
    ) -> Result<usize, Disagreement> {
        let exact = test.guarantee() == Guarantee::Exact;
        let mut hits = 0;
        for finding in &mut *findings {
            // Of a body that was removed since there is nothing to be asked.
            let Ok(bodies) = self.pair(finding.pair) else { continue };
            let [pose_a, pose_b] = bodies.map(|(_, body)| body.pose());
            let answer = test.overlap(finding.pair, [&pose_a, &pose_b], budget);
            let (hit, meets) = (answer == Overlap::Hit, finding.standing.meets());
            hits += usize::from(hit);
            let known = finding.standing != Standing::Undecided
                && finding.guarantee != Guarantee::Approximate
                && answer != Overlap::Unknown;
            // A conservative method may report what is apart, never the reverse.
            if known && meets != hit && (exact || meets) {
                return Err(Disagreement(finding.pair));
            }
            match answer {
                Overlap::Unknown => finding.standing = Standing::Undecided,
                Overlap::Hit if finding.standing == Standing::Apart => {
                    finding.standing = Standing::Closer;
                    finding.guarantee = Guarantee::Conservative;
                }
                Overlap::Hit | Overlap::Free => {}
            }
        }
        findings.sort_by(Finding::by_severity);
        Ok(hits)
    }
}
