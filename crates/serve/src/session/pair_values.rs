//! Penetration depths and overlap volumes of pairs for the list of clashes: computed when they are shown.

use super::{Answer, Session, To, Trouble};
use crate::protocol::{Event, PairValues};
use noli::penetration::{PenetrationQuery, VolumeQuery};
use noli::query::Clock;
use noli_geom::Bracket;
use std::time::Duration;

/// Time of one answer, during which other tabs wait. A pair that was begun is finished.
const FOR_ALL: Duration = Duration::from_millis(12);
/// Time limit of each query of a pair in the list. Their steps end them in some milliseconds, unless the machine is busy.
const FOR_EACH: Duration = Duration::from_millis(120);
/// Time limit of each query of one pair that is requested exactly.
const FOR_EXACT: Duration = Duration::from_millis(400);
/// Pairs of one command, at most.
const MOST_PAIRS: usize = 200;

impl Session {
    /// Computes the values of the first pairs of a list, as many as the time allows; the page requests the others
    /// again.
    pub(super) fn pair_values(
        &self,
        client: u64,
        pairs: &[[usize; 2]],
        is_exact: bool,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if pairs.len() > MOST_PAIRS {
            let text = format!("values of {} pairs at once", pairs.len());
            return Err(Trouble::new(text, format!("give at most {MOST_PAIRS}")));
        }
        if self.cell.is_some() {
            // The world of a cell has the meshes that are drawn, not those that are checked.
            return Err(Trouble::new("depths in a cell are not measured", "select the pair for its point"));
        }
        let start = self.clock.now();
        let mut values = Vec::new();
        for &pair in pairs {
            let is_over = self.clock.now().saturating_sub(start) >= FOR_ALL;
            if is_over && !values.is_empty() {
                break;
            }
            values.push(self.values_of(pair, is_exact)?);
        }
        answer.tell(To::One(client), Event::Values { values, is_exact });
        Ok(())
    }

    fn values_of(&self, [a, b]: [usize; 2], is_exact: bool) -> Result<PairValues, Trouble> {
        // A pair of a removed body has no values.
        let ids = [self.entry(a)?.id, self.entry(b)?.id];
        let [Some(id_a), Some(id_b)] = ids else { return Ok(PairValues { a, b, depth: None, volume: None }) };
        // Boxes of a grid are many, and points have no volume: their colliding ones are counted instead.
        let is_sensed = |body: usize| {
            let entry = &self.entries[body];
            entry.body.cells.is_some() || entry.model.point_cloud().is_some()
        };
        if is_sensed(a) || is_sensed(b) {
            return Ok(PairValues { a, b, depth: None, volume: None });
        }
        let [x, y] = [self.staged.world.body(id_a)?, self.staged.world.body(id_b)?];
        let [x, y] = [x.model().at(x.pose()), y.model().at(y.pose())];
        let mut scratch = noli::Scratch::default();
        let limit = || {
            let time = if is_exact { FOR_EXACT } else { FOR_EACH };
            noli::Budget::UNLIMITED.until(self.clock.now().saturating_add(time), &self.clock)
        };
        let depths = if is_exact { PenetrationQuery::THOROUGH } else { PenetrationQuery::FAST };
        let depth =
            noli::QueryContext::new(&mut scratch).with_budget(limit()).penetration(&x, &y, &depths).depth;
        let volumes = if is_exact { VolumeQuery::THOROUGH } else { VolumeQuery::FAST };
        let volume =
            noli::QueryContext::new(&mut scratch).with_budget(limit()).overlap_volume(&x, &y, &volumes);
        Ok(PairValues { a, b, depth: Some(bounds_of(depth)), volume: Some(bounds_of(volume)) })
    }
}

/// Both bounds; no upper one if it is infinite.
fn bounds_of(bracket: Bracket) -> (f64, Option<f64>) {
    (bracket.at_least, Some(bracket.at_most).filter(|at_most| at_most.is_finite()))
}
