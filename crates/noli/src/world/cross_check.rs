//! Cross-check: other methods, run on the pairs of a check.

use super::findings::{Finding, PairStatus};
use super::{BodyId, World};
use crate::answer::{Guarantee, Overlap};
use crate::budget::Budget;
use noli_geom::Pose;
use noli_geom::internals::sort_by;

/// Another method to test whether two bodies of a world share a point, prepared for its bodies.
#[doc(alias = "narrow phase")]
pub trait PairTest {
    /// Returns the guarantee of its answers; exact ones must agree with the trees.
    fn guarantee(&self) -> Guarantee;

    /// Tests whether two bodies share a point.
    fn overlap(&mut self, pair: [BodyId; 2], poses: [&Pose; 2], budget: &Budget<'_>) -> Overlap;
}

/// A method and the trees contradict each other, and both promise not to be wrong: one of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the method and the trees disagree about bodies {} and {}", .0[0], .0[1])]
pub struct Mismatch(pub [BodyId; 2]);

impl World {
    /// Runs a method on every pair of a check and adopts its verdict. Pairs that only a conservative method
    /// reports count as closer than the margin. Pairs it could not decide count as undecided. Returns the number
    /// of pairs that share a point by the method.
    pub fn cross_check(
        &self,
        findings: &mut [Finding],
        test: &mut dyn PairTest,
        budget: &Budget<'_>,
    ) -> Result<usize, Mismatch> {
        let exact = test.guarantee() == Guarantee::Exact;
        let mut hits = 0;
        for finding in &mut *findings {
            // Of a body that was removed since there is nothing to be asked.
            let Ok(bodies) = self.pair(finding.pair) else { continue };
            let [pose_a, pose_b] = bodies.map(|(_, body)| body.pose());
            let answer = test.overlap(finding.pair, [&pose_a, &pose_b], budget);
            let (hit, meets) = (answer == Overlap::Hit, finding.status.meets());
            hits += usize::from(hit);
            let known = finding.status != PairStatus::Undecided
                && finding.guarantee != Guarantee::Approximate
                && answer != Overlap::Unknown;
            // A conservative method may report what is apart, never the reverse.
            if known && meets != hit && (exact || meets) {
                return Err(Mismatch(finding.pair));
            }
            match answer {
                Overlap::Unknown => finding.status = PairStatus::Undecided,
                Overlap::Hit if finding.status == PairStatus::Separated => {
                    finding.status = PairStatus::Closer;
                    finding.guarantee = Guarantee::Conservative;
                }
                Overlap::Hit | Overlap::Free => {}
            }
        }
        sort_by(findings, Finding::by_severity);
        Ok(hits)
    }
}
