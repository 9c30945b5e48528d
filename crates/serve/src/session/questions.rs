//! Questions about two bodies that are answered at once.

use super::{Answer, Session, To, Trouble};
use crate::protocol::Event;
use glam::DVec3;
use noli::penetration::DepthQuery;
use noli::query::Clock;
use noli::world::BodyId;
use noli_pages::words;
use std::time::Duration;

/// How long somebody waits for a depth while nobody else is answered.
const FOR_DEPTH: Duration = Duration::from_millis(60);
/// The same where that did not suffice for any way out, as on a busy machine.
const FOR_DEPTH_AT_MOST: Duration = Duration::from_millis(1000);

impl Session {
    /// How far apart two bodies are.
    pub(super) fn measure(
        &mut self,
        client: u64,
        a: usize,
        b: usize,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let [ia, ib] = [self.id(a)?, self.id(b)?];
        if ia == ib {
            return Err(Trouble::new("these are one body", "choose another one to measure to"));
        }
        let [x, y] = self.placed([ia, ib])?;
        let (clearance, relation) = (noli::clearance(&x, &y), noli::relation(&x, &y));
        let line =
            clearance.witness.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point)));
        let text = words::bracket(clearance.gap.at_least, clearance.gap.at_most);
        answer.tell(
            To::One(client),
            Event::Measured {
                a,
                b,
                text: format!("{text} {}", self.unit).trim().to_owned(),
                line: line.filter(|_| clearance.gap.at_most > 0.0),
                relation: match relation {
                    noli::Relation::Apart => "apart",
                    noli::Relation::Touching => "touching",
                    noli::Relation::Crossing => "crossing",
                    noli::Relation::Inside => "inside",
                    noli::Relation::Unknown => "undecided",
                },
            },
        );
        Ok(())
    }

    /// How far two bodies reach into each other, and which way leads out.
    pub(super) fn depth(
        &mut self,
        client: u64,
        a: usize,
        b: usize,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let [ia, ib] = [self.id(a)?, self.id(b)?];
        let [x, y] = self.placed([ia, ib])?;
        let mut scratch = noli::Scratch::default();
        let mut within = |time: Duration| {
            let budget = noli::Budget::UNLIMITED.until(self.clock.now() + time, &self.clock);
            noli::Ask::new(&mut scratch).within(budget).penetration(&x, &y, &DepthQuery::FAST)
        };
        let mut found = within(FOR_DEPTH);
        if found.direction.is_none() {
            found = within(FOR_DEPTH_AT_MOST);
        }
        let place = self.checked.as_ref().and_then(|checked| {
            let is_pair = |pair: &[BodyId; 2]| *pair == [ia, ib] || *pair == [ib, ia];
            let at = checked.result.findings.iter().position(|finding| is_pair(&finding.pair))?;
            checked.report.pairs.get(at)?.place
        });
        let way = found.direction.map(|direction| direction * found.depth.at_most);
        let arrow = place.zip(way).map(|(from, way)| {
            let from = DVec3::from(from);
            [from, from + way].map(|point| self.view.point(point))
        });
        let depth = words::bracket(found.depth.at_least, found.depth.at_most);
        let leads = if arrow.is_some() { "; the arrow leads out" } else { "" };
        let text = format!("{depth} {}", self.unit).trim().to_owned() + leads;
        answer.tell(To::One(client), Event::Depth { a, b, text, arrow });
        Ok(())
    }

    fn placed(&self, pair: [BodyId; 2]) -> Result<[noli::Placed<'_>; 2], Trouble> {
        let [a, b] = pair.map(|id| self.staged.world.body(id));
        let [a, b] = [a?, b?];
        Ok([a.model().at(a.pose()), b.model().at(b.pose())])
    }
}
