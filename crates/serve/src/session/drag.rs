//! A body on the pointer: it goes as far towards it as is proven free.
//!
//! Every accepted pose lies at the end of a motion that was tested at all times, from the pose that was accepted
//! before. Pairs that passed through each other when the body was taken up do not stop it, so that a clash can be pulled
//! apart; once they are apart they do. Pairs that only touched may part or slide, and are never let through.

use super::{Answer, Edit, Session, To, Trouble, numbers_of};
use crate::protocol::{Drag, Event, GapView, StopView};
use glam::DVec3;
use noli::motion::{GroupMotion, RigidGroup, RigidMotion};
use noli::query::Clock;
use noli::world::{BodyId, Move, Nearest, Snapshot, StepOptions};
use noli::{Budget, Impact, Pose, Relation};
use noli_pages::words;
use std::sync::Arc;
use std::time::Duration;

/// How long the pair tests of one pull may take; what is not finished then counts as contact.
const FOR_TESTS: Duration = Duration::from_millis(12);
/// And how long the search for the nearest body.
const FOR_GAP: Duration = Duration::from_millis(6);
/// Pieces of the way of a body that slides.
const SLIDES: usize = 4;

/// A pull that is going on.
#[derive(Debug)]
pub(super) struct Dragging {
    body: usize,
    from: Pose,
    /// Everything that stands still.
    still: Snapshot,
    /// Pairs that passed through each other from the start, and still do.
    crossing: Vec<[BodyId; 2]>,
}

/// What stopped a body.
struct Stop {
    other: BodyId,
    place: Option<DVec3>,
    normal: Option<DVec3>,
}

impl Session {
    pub(super) fn drag(
        &mut self,
        client: u64,
        body: usize,
        (at, turn): ([f64; 3], [f64; 4]),
        mode: Drag,
        seq: u64,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let start = self.clock.now();
        let (id, target) = (self.id(body)?, self.pose_from_page(body, at, turn)?);
        if self.dragging.as_ref().is_none_or(|dragging| dragging.body != body) {
            self.take_up(body, answer)?;
        }
        let stop = match mode {
            Drag::Ghost => {
                self.staged.world.move_to(id, target)?;
                None
            }
            Drag::Stop => self.go(id, target)?,
            Drag::Slide => self.slide(id, target)?,
        };
        let gap = self.gap_of(id)?;
        let (at, turn) = self.place_of(body)?;
        let stopped = stop.and_then(|stop| {
            let by = *self.numbers.get(&stop.other)?;
            let text = format!("{} stops at {}", self.entries[body].name, self.entries[by].name);
            Some(StopView { by, place: stop.place.map(|place| self.view.point(place)), text })
        });
        let micros = (self.clock.now() - start).as_micros() as u64;
        for moved in self.staged.world.with_descendants(id)? {
            if let Some(&number) = self.numbers.get(&moved) {
                let (at, turn) = self.place_of(number)?;
                let to = if moved == id { To::Others(client) } else { To::All };
                answer.tell(to, Event::Moved { body: number, at, turn, by: client });
            }
        }
        answer.tell(To::One(client), Event::Dragged { body, seq, at, turn, stopped, gap, micros });
        Ok(())
    }

    /// Begins a pull. One of another body that was not let go of ends here.
    fn take_up(&mut self, body: usize, answer: &mut Answer) -> Result<(), Trouble> {
        if let Some(open) = self.dragging.as_ref().map(|dragging| dragging.body) {
            self.drop_body(0, open, answer)?;
        }
        let id = self.id(body)?;
        let members = self.staged.world.with_descendants(id)?;
        let still = self.staged.world.snapshot();
        let poses = members.iter().map(|&id| Ok((id, self.staged.world.body(id)?.pose())));
        let poses = poses.collect::<Result<Vec<_>, Trouble>>()?;
        let touching = still.touching(&poses, &mut self.ask)?.to_vec();
        let mut crossing = Vec::new();
        for (pair, _) in touching {
            if matches!(self.relation(pair)?, Relation::Crossing | Relation::Inside) {
                crossing.push(pair);
            }
        }
        self.dragging = Some(Dragging { body, from: self.pose_of(body)?, still, crossing });
        Ok(())
    }

    fn relation(&self, pair: [BodyId; 2]) -> Result<Relation, Trouble> {
        let [a, b] = [self.staged.world.body(pair[0])?, self.staged.world.body(pair[1])?];
        Ok(noli::relation(&a.model().at(a.pose()), &b.model().at(b.pose())))
    }

    /// Towards a pose, until contact.
    fn go(&mut self, id: BodyId, target: Pose) -> Result<Option<Stop>, Trouble> {
        let before = self.staged.world.body(id)?.pose();
        if before == target {
            return Ok(None);
        }
        let pivot = self.staged.world.body(id)?.model().aabb().center();
        let motion = Arc::new(RigidMotion::between(&before, &target, pivot));
        let members = self.staged.world.with_descendants(id)?;
        let starts = members.iter().map(|&id| Ok(self.staged.world.body(id)?.pose()));
        let starts = starts.collect::<Result<Vec<_>, Trouble>>()?;
        let asked = match &members[..] {
            [only] => Move::rigid("drag", vec![(*only, motion)]),
            _ => {
                let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(motion, &starts));
                Move::group("drag", &members, &group)?
            }
        };
        let budget = Budget::UNLIMITED.until(self.clock.now() + FOR_TESTS, &self.clock);
        let options = StepOptions { budget, ..Default::default() };
        let step = self.staged.world.plan(vec![asked], &options)?;
        let first =
            step.outcomes.first().and_then(|outcome| outcome.first).map(|number| step.answers[number]);
        let at_start: Vec<[BodyId; 2]> = step
            .answers
            .iter()
            .filter(|answer| matches!(answer.impact, Impact::AtStart(_)))
            .map(|answer| answer.pair)
            .collect();
        self.staged.world.commit(&step)?;
        let crossing = self.dragging.as_ref().map_or(Vec::new(), |dragging| dragging.crossing.clone());
        for pair in at_start {
            let crosses =
                matches!(self.relation(pair)?, Relation::Crossing | Relation::Inside | Relation::Unknown);
            if crossing.contains(&pair) {
                if !crosses && let Some(dragging) = &mut self.dragging {
                    dragging.crossing.retain(|known| *known != pair);
                }
            } else if crosses {
                // It only touched before: not an inch further.
                self.staged.world.move_to(id, before)?;
                return Ok(Some(Stop { other: other_of(pair, &members), place: None, normal: None }));
            }
        }
        Ok(first.map(|answer| {
            let touch = match answer.impact {
                Impact::At { touch, .. } | Impact::AtStart(touch) => Some(touch),
                Impact::Free | Impact::Unknown { .. } => None,
            };
            // From what moves to what stands.
            let sign = if members.contains(&answer.pair[0]) { 1.0 } else { -1.0 };
            Stop {
                other: other_of(answer.pair, &members),
                place: touch.and_then(|t| t.witness).map(|w| w.on_a.point.midpoint(w.on_b.point)),
                normal: touch.and_then(|touch| touch.normal).map(|normal| sign * normal),
            }
        }))
    }

    /// Towards a pose, and where something is met along its surface.
    fn slide(&mut self, id: BodyId, mut target: Pose) -> Result<Option<Stop>, Trouble> {
        let mut last = None;
        for _ in 0..SLIDES {
            let Some(stop) = self.go(id, target)? else { break };
            let now = self.staged.world.body(id)?.pose();
            let left = target.translation - now.translation;
            let normal = stop.normal;
            last = Some(stop);
            let Some(normal) = normal.filter(|normal| left.dot(*normal) > 0.0) else { break };
            let along = left - left.dot(normal) * normal;
            // A little away from the surface, so that the next piece does not graze it.
            let away = 1e-6 * along.length() * normal;
            if along.length_squared() <= 1e-12 * left.length_squared() {
                break;
            }
            target = Pose::new(now.rotation, now.translation + along - away);
        }
        Ok(last)
    }

    /// The nearest body of one that is dragged.
    fn gap_of(&mut self, id: BodyId) -> Result<Option<GapView>, Trouble> {
        let Some(dragging) = &self.dragging else { return Ok(None) };
        let still = dragging.still.clone();
        let members = self.staged.world.with_descendants(id)?;
        let poses = members.iter().map(|&id| Ok((id, self.staged.world.body(id)?.pose())));
        let poses = poses.collect::<Result<Vec<_>, Trouble>>()?;
        let budget = Budget::UNLIMITED.until(self.clock.now() + FOR_GAP, &self.clock);
        let mut ask = std::mem::take(&mut self.ask).within(budget);
        // Twice the size of the scene, which is 100 on the page.
        let most = 200.0 / self.view.scale;
        let nearest = still.nearest(&poses, most, &mut ask);
        self.ask = ask.within(Budget::UNLIMITED);
        let Nearest { pair: Some(pair), clearance } = nearest? else { return Ok(None) };
        let other = other_of(pair, &members);
        let Some(&to) = self.numbers.get(&other) else { return Ok(None) };
        let line =
            clearance.witness.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point)));
        let text = words::bracket(clearance.gap.at_least, clearance.gap.at_most);
        Ok(Some(GapView {
            to,
            text: format!("{text} {}", self.unit).trim().to_owned(),
            at_least: clearance.gap.at_least,
            at_most: Some(clearance.gap.at_most).filter(|most| most.is_finite()),
            line: line.filter(|_| clearance.gap.at_most > 0.0),
        }))
    }

    /// The pull has ended: what it changed can be undone in one step.
    pub(super) fn drop_body(&mut self, client: u64, body: usize, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(dragging) = self.dragging.take_if(|dragging| dragging.body == body) else { return Ok(()) };
        let now = self.pose_of(body)?;
        if now != dragging.from {
            let name = self.entry(body)?.name.clone();
            let edit = Edit::Move { name, from: numbers_of(&dragging.from), to: numbers_of(&now) };
            self.keep(edit, answer)?;
        }
        let (at, turn) = self.place_of(body)?;
        answer.tell(To::All, Event::Moved { body, at, turn, by: client });
        Ok(())
    }
}

fn other_of(pair: [BodyId; 2], members: &[BodyId]) -> BodyId {
    if members.contains(&pair[0]) { pair[1] } else { pair[0] }
}
