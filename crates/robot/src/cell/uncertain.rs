//! Obstacles of which only a part is certain, as a distance grid bounds them: a collision with the rest is unknown.

use super::Checker;
use super::data::BodyPair;
use noli::answer::Clearance;
use noli::query::ClearanceQuery;
use noli::{Overlap, Placed, QueryContext};

impl<'c> Checker<'c> {
    /// The certain parts of two bodies at the poses of their links; `None` if both are certain as a whole.
    fn certain(&self, pair: &BodyPair) -> Option<[Placed<'c>; 2]> {
        let bodies = pair.bodies.map(|body| &self.cell.data.bodies[body as usize]);
        if bodies.iter().all(|body| body.certain.is_none()) {
            return None;
        }
        let placed = self.placed(pair);
        Some([0, 1].map(|k| {
            let model = bodies[k].certain.as_ref().unwrap_or(placed[k].model);
            Placed { model, ..placed[k] }
        }))
    }

    /// Returns `true` if a collision of two bodies, or one within a margin, is one of their certain parts.
    pub(super) fn is_certain(&mut self, pair: &BodyPair, margin: f64) -> bool {
        let Some([a, b]) = self.certain(pair) else { return true };
        let mut context = QueryContext::new(&mut self.scratch);
        let found =
            if margin > 0.0 { context.within_distance(&a, &b, margin) } else { context.overlap(&a, &b) };
        found == Overlap::Hit
    }

    /// Replaces the upper bound of a clearance by that of the certain parts.
    pub(super) fn widen_uncertain(&mut self, pair: &BodyPair, found: &mut Clearance) {
        let Some([a, b]) = self.certain(pair) else { return };
        let certain = QueryContext::new(&mut self.scratch).clearance(&a, &b, &ClearanceQuery::default());
        found.distance.at_most = certain.distance.at_most.max(found.distance.at_least);
        if found.witness.is_none() {
            found.witness = certain.witness;
        }
    }
}
