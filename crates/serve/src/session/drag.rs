//! Dragging: a body moves towards the pointer as far as is proven collision-free.
//!
//! Every accepted pose is the end of a motion tested at all times, starting at the previously accepted pose.
//! Pairs that intersected when the drag began do not stop the body, so that a clash can be resolved; once
//! separated, they do. Pairs that only touched may separate or slide, and never pass through each other.
//!
//! A plane separates many touching bodies: one lies behind it, the other in front. If this holds at both ends
//! of a straight path without rotation, it holds in between, and the pair needs no other test. This is fast
//! regardless of the number of faces in contact.
//!
//! Dragging is interactive: every query gets a share of the time of one pull. If it is not answered in time,
//! the body stays where it is proven collision-free.

use super::dragging::{Dragging, Stop, other_of};
use super::{Answer, Edit, Session, To, Trouble, numbers_of};
use crate::number::micros;
use crate::protocol::{ClearanceView, Drag, Event, Pull, StopView};
use glam::DVec3;
use noli::motion::{GroupMotion, RigidGroup, RigidMotion};
use noli::query::Clock;
use noli::world::{BodyId, InitialContact, Move, Nearest, PairStatus, Step, StepOptions};
use noli::{Budget, Impact, Overlap, Pose, QueryContext, Relation, Scratch};
use noli_pages::words;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for classifying the contacts of a body when a drag begins: once, and only if something has
/// changed since all pairs were compared.
const FOR_TAKING: Duration = Duration::from_millis(100);
/// Time limit for computing the motion of a pull.
const FOR_PULL: Duration = Duration::from_millis(12);
/// Share of that limit for the motion; unfinished tests count as contact. The rest is for colliding pairs.
const FOR_MOTION: Duration = Duration::from_millis(8);
/// Time limit for the search for the nearest body.
const FOR_GAP: Duration = Duration::from_millis(3);
/// Number of path segments of a sliding body.
const SLIDES: usize = 4;

/// Pulls that are answered without asking where the one before took long and came to nothing, and what is long.
const UNASKED: u32 = 3;
const LONG: Duration = Duration::from_millis(4);

impl Session {
    pub(super) fn drag(
        &mut self,
        client: u64,
        &Pull { body, ref with, seq, at, turn, mode }: &Pull,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        let start = self.clock.now();
        let (id, target) = (self.id(body)?, self.pose_from_page(body, at, turn)?);
        let with = self.carried(body, with)?;
        let is_same = |dragging: &Dragging| {
            dragging.body == body && dragging.with.iter().map(|(body, _)| body).eq(&with)
        };
        if !self.dragging.as_ref().is_some_and(is_same) {
            self.take_up(body, &with, start.saturating_add(FOR_TAKING), answer)?;
            self.settle(start.saturating_add(FOR_TAKING))?;
        }
        self.dragging.iter_mut().for_each(|dragging| dragging.pairs = [0; 2]);
        let until = self.clock.now().saturating_add(FOR_PULL);
        let stop = match mode {
            Drag::Ghost => {
                self.place_group(id, &target)?;
                None
            }
            _ if !self.settle(until)? => {
                let pair = self.dragging.as_ref().and_then(|dragging| dragging.unsettled.first().copied());
                let members = self.members(id)?;
                pair.map(|pair| Stop::at(other_of(pair, &members), false))
            }
            _ if self.is_held(id)? => {
                self.dragging.as_ref().and_then(|dragging| dragging.held).map(|(_, stop, _)| stop)
            }
            Drag::Stop | Drag::Slide => {
                let (asked, before) = (self.clock.now(), self.staged.world.body(id)?.pose());
                let stop = match mode {
                    Drag::Slide => self.slide(id, target, until)?,
                    _ => self.go(id, target, until)?,
                };
                let stays = self.staged.world.body(id)?.pose() == before;
                let slow = stop.filter(|_| stays && self.clock.now().saturating_sub(asked) > LONG);
                let held = slow.map(|stop| (before, stop, UNASKED));
                self.dragging.iter_mut().for_each(|dragging| dragging.held = held);
                stop
            }
        };
        let clearance = self.clearance_of(id)?;
        let (at, turn) = self.place_of(body)?;
        let stopped = stop.and_then(|stop| {
            let by = *self.numbers.get(&stop.other)?;
            let [own, other] = [body, by].map(|number| self.entries[number].name.as_str());
            let text = match (stop.touches, self.touched_at_start(stop.other)) {
                (true, true) => format!("{own} is blocked by {other}, which it touches"),
                (true, false) => format!("{own} stops at {other}"),
                (false, true) => {
                    format!("{own} is held by {other}, which it touches: no motion away from it was proven in time")
                }
                (false, false) => format!("{own} is held: nothing was proven about {other} in time"),
            };
            let place = stop.place.map(|place| self.view.point(place));
            Some(StopView { by, place, text, proven: stop.touches })
        });
        let micros = micros(self.clock.now().saturating_sub(start));
        for moved in self.members(id)? {
            if let Some(&number) = self.numbers.get(&moved) {
                let (at, turn) = self.place_of(number)?;
                let to = if moved == id { To::Others(client) } else { To::All };
                answer.tell(to, Event::Moved { body: number, at, turn, by: client });
            }
        }
        let pairs = self.dragging.as_ref().map_or([0; 2], |dragging| dragging.pairs);
        let dragged = Event::Dragged { body, seq, at, turn, stopped, clearance, pairs, micros };
        answer.tell(To::One(client), dragged);
        Ok(())
    }

    /// Begins a pull. One of another body that was not let go of ends here.
    fn take_up(
        &mut self,
        body: usize,
        with: &[usize],
        until: Duration,
        answer: &mut Answer,
    ) -> Result<(), Trouble> {
        if let Some(open) = self.dragging.as_ref().map(|dragging| dragging.body) {
            self.drop_body(0, open, answer)?;
        }
        if self.cell.is_some() {
            let all: Vec<usize> = std::iter::once(body).chain(with.iter().copied()).collect();
            self.begin_cell_drag(&all)?;
        }
        let id = self.id(body)?;
        let with = with.iter().map(|&body| Ok((body, self.pose_of(body)?)));
        let with = with.collect::<Result<Vec<_>, Trouble>>()?;
        let members = self.with_all(id, &with)?;
        let still = self.staged.world.snapshot();
        let unsettled = if self.is_checked() {
            let is_of = |pair: &[BodyId; 2]| pair.iter().any(|id| members.contains(id));
            let findings = self.checked.iter().flat_map(|checked| &checked.result.findings);
            let met = findings.filter(|it| !matches!(it.status, PairStatus::Separated | PairStatus::Closer));
            met.map(|finding| finding.pair).filter(is_of).collect()
        } else {
            let poses = members.iter().map(|&id| Ok((id, self.staged.world.body(id)?.pose())));
            let poses = poses.collect::<Result<Vec<_>, Trouble>>()?;
            let budget = Budget::UNLIMITED.until(until, &self.clock);
            let mut context = std::mem::take(&mut self.context).with_budget(budget);
            let touching = still.touching(&poses, &mut context);
            let touching = touching.map(|pairs| pairs.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
            self.context = context.with_budget(Budget::UNLIMITED);
            touching?
        };
        let from = self.pose_of(body)?;
        let planes =
            if self.is_checked() { self.planes(&members)? } else { self.axis_planes(&members, &unsettled)? };
        let (intersecting, unparted) = (Vec::new(), Vec::new());
        self.dragging = Some(Dragging {
            body,
            from,
            with,
            still,
            intersecting,
            unsettled,
            planes,
            unparted,
            held: None,
            pairs: [0; 2],
        });
        Ok(())
    }

    /// Returns `true` if it is too soon to repeat the query about a body that stays in place.
    fn is_held(&mut self, id: BodyId) -> Result<bool, Trouble> {
        let now = self.staged.world.body(id)?.pose();
        let Some((pose, _, left)) = self.dragging.as_mut().and_then(|dragging| dragging.held.as_mut()) else {
            return Ok(false);
        };
        let is_held = *pose == now && *left > 0;
        *left = left.saturating_sub(1);
        Ok(is_held)
    }

    /// Determines the pairs that intersected when the drag began, from the last comparison or by queries. Returns
    /// `true` if all are decided.
    fn settle(&mut self, until: Duration) -> Result<bool, Trouble> {
        let Some(mut dragging) = self.dragging.take() else { return Ok(true) };
        let checked = self.checked.as_ref().filter(|_| !self.stale);
        let mut left = Vec::new();
        for pair in std::mem::take(&mut dragging.unsettled) {
            let finding =
                checked.and_then(|checked| checked.result.findings.iter().find(|it| it.pair == pair));
            let crosses = match finding.map(|finding| finding.status) {
                Some(PairStatus::Intersecting | PairStatus::Inside) => Some(true),
                Some(PairStatus::Separated | PairStatus::Closer | PairStatus::Touching) => Some(false),
                Some(PairStatus::Undecided) | None => self.crosses(pair, until)?,
            };
            match crosses {
                Some(true) => dragging.intersecting.push(pair),
                Some(false) if dragging.planes.iter().any(|plane| plane.pair == pair) => {}
                Some(false) => dragging.unparted.push(pair),
                None => left.push(pair),
            }
        }
        dragging.unsettled = left;
        let is_settled = dragging.unsettled.is_empty();
        self.dragging = Some(dragging);
        Ok(is_settled)
    }

    /// Tests if two bodies intersect; `None` if the time limit is reached.
    fn crosses(&self, pair: [BodyId; 2], until: Duration) -> Result<Option<bool>, Trouble> {
        let [a, b] = [self.staged.world.body(pair[0])?, self.staged.world.body(pair[1])?];
        let [a, b] = [a.model().at(a.pose()), b.model().at(b.pose())];
        let mut scratch = Scratch::default();
        let mut context =
            QueryContext::new(&mut scratch).with_budget(Budget::UNLIMITED.until(until, &self.clock));
        // Quick where they have parted, as most have after the first pull.
        if context.overlap(&a, &b) == Overlap::Free {
            return Ok(Some(false));
        }
        Ok(match context.relation(&a, &b) {
            Relation::Intersecting | Relation::Inside => Some(true),
            Relation::Separated | Relation::Touching => Some(false),
            Relation::Unknown => None,
        })
    }

    /// Towards a pose, until contact.
    fn go(&mut self, id: BodyId, target: Pose, until: Duration) -> Result<Option<Stop>, Trouble> {
        let before = self.staged.world.body(id)?.pose();
        if before == target {
            return Ok(None);
        }
        let (planes, target) = self.parted(&before, target);
        let is_parted = |pair: &[BodyId; 2]| planes.iter().any(|plane| plane.pair == *pair);
        let pivot = self.staged.world.body(id)?.model().aabb().center();
        let motion = Arc::new(RigidMotion::between(&before, &target, pivot));
        let members = self.members(id)?;
        let step = self.planned_pull(&members, motion, &is_parted, until)?;
        let first =
            step.outcomes.first().and_then(|outcome| outcome.first).map(|number| step.answers[number]);
        let intersecting =
            self.dragging.as_ref().map_or(Vec::new(), |dragging| dragging.intersecting.clone());
        let at_start = touches_at_start(&step);
        if let Some(dragging) = &mut self.dragging {
            let meets = |pair: &[BodyId; 2]| {
                step.answers.iter().any(|answer| answer.pair == *pair && answer.impact != Impact::Free)
            };
            dragging.unparted.retain(meets);
            let found = [step.stats.candidates, step.stats.tested];
            dragging.pairs.iter_mut().zip(found).for_each(|(all, more)| *all = all.saturating_add(more));
        }
        self.staged.world.commit(&step)?;
        let shift = self.staged.world.body(id)?.pose().translation
            - self.dragging.as_ref().map_or(DVec3::ZERO, |dragging| dragging.from.translation);
        let is_clear = |pair: &[BodyId; 2]| {
            planes.iter().any(|plane| plane.pair == *pair && plane.separated(shift) >= 0.25 * plane.slack)
        };
        for pair in at_start.into_iter().filter(|pair| !is_clear(pair)) {
            let crosses = self.crosses(pair, until)?;
            if intersecting.contains(&pair) {
                if crosses == Some(false)
                    && let Some(dragging) = &mut self.dragging
                {
                    dragging.intersecting.retain(|known| *known != pair);
                }
            } else if crosses != Some(false) {
                // It only touched before: not an inch further.
                self.place_group(id, &before)?;
                let other = self.blocking_plane(&target, &members).unwrap_or(other_of(pair, &members));
                return Ok(Some(Stop::at(other, crosses.is_some())));
            }
        }
        Ok(first.map(|answer| {
            let touch = match answer.impact {
                Impact::At { touch, .. } | Impact::AtStart(touch) => Some(touch),
                Impact::Free | Impact::Unknown { .. } => None,
            };
            let stays = self.staged.world.body(id).is_ok_and(|body| body.pose() == before);
            if let Some(other) = self.blocking_plane(&target, &members).filter(|_| stays && touch.is_none()) {
                return Stop::at(other, true);
            }
            // From what moves to what stands.
            let sign = if members.contains(&answer.pair[0]) { 1.0 } else { -1.0 };
            Stop {
                other: other_of(answer.pair, &members),
                place: touch.and_then(|t| t.witness).map(|w| w.on_a.point.midpoint(w.on_b.point)),
                normal: touch.and_then(|touch| touch.normal).map(|normal| sign * normal),
                touches: touch.is_some(),
            }
        }))
    }

    /// Plans the motion of a pull. Pairs that intersect already and those separated by a plane do not stop it.
    fn planned_pull(
        &mut self,
        members: &[BodyId],
        motion: Arc<RigidMotion>,
        is_parted: &dyn Fn(&[BodyId; 2]) -> bool,
        until: Duration,
    ) -> Result<Step, Trouble> {
        let asked = match members {
            [only] => Move::rigid("drag", vec![(*only, motion)]),
            _ => {
                let starts = members.iter().map(|&id| Ok(self.staged.world.body(id)?.pose()));
                let starts = starts.collect::<Result<Vec<_>, Trouble>>()?;
                let group: Arc<dyn GroupMotion> = Arc::new(RigidGroup::new(motion, &starts));
                Move::group("drag", members, &group)?
            }
        };
        let for_motion = until.saturating_sub(FOR_PULL.saturating_sub(FOR_MOTION));
        let budget = Budget::UNLIMITED.until(for_motion, &self.clock);
        let mut options = StepOptions { budget, ..Default::default() };
        let known = self.dragging.as_ref().filter(|dragging| dragging.unparted.is_empty());
        let Some(intersecting) = known.map(|dragging| dragging.intersecting.clone()) else {
            return Ok(self.staged.world.plan(vec![asked], &options)?);
        };
        // Nothing more is to be known of pairs that intersect and of pairs that a plane separates.
        options.at_start = InitialContact::Ignore;
        let step = self.staged.world.plan(vec![asked.clone()], &options)?;
        let is_settled = |pair: &[BodyId; 2]| intersecting.contains(pair) || is_parted(pair);
        if touches_at_start(&step).iter().all(is_settled) {
            return Ok(step);
        }
        options.at_start = InitialContact::Leave;
        Ok(self.staged.world.plan(vec![asked], &options)?)
    }

    /// Moves towards a pose, sliding along the surface at contact.
    fn slide(&mut self, id: BodyId, mut target: Pose, until: Duration) -> Result<Option<Stop>, Trouble> {
        let mut last = None;
        for _ in 0..SLIDES {
            let Some(stop) = self.go(id, target, until)? else { break };
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
    fn clearance_of(&mut self, id: BodyId) -> Result<Option<ClearanceView>, Trouble> {
        let Some(dragging) = &self.dragging else { return Ok(None) };
        let still = dragging.still.clone();
        let members = self.members(id)?;
        let poses = members.iter().map(|&id| Ok((id, self.staged.world.body(id)?.pose())));
        let poses = poses.collect::<Result<Vec<_>, Trouble>>()?;
        let budget = Budget::UNLIMITED.until(self.clock.now().saturating_add(FOR_GAP), &self.clock);
        let mut context = std::mem::take(&mut self.context).with_budget(budget);
        // Twice the size of the scene, which is 100 on the page.
        let most = 200.0 / self.view.scale;
        let nearest = still.nearest(&poses, most, &mut context);
        self.context = context.with_budget(Budget::UNLIMITED);
        let Nearest { pair: Some(pair), clearance } = nearest? else { return Ok(None) };
        let other = other_of(pair, &members);
        let Some(&to) = self.numbers.get(&other) else { return Ok(None) };
        let line =
            clearance.witness.map(|w| [w.on_a.point, w.on_b.point].map(|point| self.view.point(point)));
        Ok(Some(ClearanceView {
            to,
            text: words::reading(clearance.distance.at_least, clearance.distance.at_most, self.unit),
            at_least: clearance.distance.at_least,
            at_most: Some(clearance.distance.at_most).filter(|most| most.is_finite()),
            line: line.filter(|_| clearance.distance.at_most > 0.0),
        }))
    }

    /// The pull has ended: what it changed can be undone in one step.
    pub(super) fn drop_body(&mut self, client: u64, body: usize, answer: &mut Answer) -> Result<(), Trouble> {
        let Some(dragging) = self.dragging.take_if(|dragging| dragging.body == body) else { return Ok(()) };
        if self.cell.is_some() {
            return self.end_cell_drag(client, dragging, answer);
        }
        let now = self.pose_of(body)?;
        let mut moves = vec![(self.entry(body)?.name.clone(), numbers_of(&dragging.from), numbers_of(&now))];
        for (other, first) in &dragging.with {
            let to = numbers_of(&self.pose_of(*other)?);
            moves.push((self.entry(*other)?.name.clone(), numbers_of(first), to));
        }
        if now != dragging.from {
            let edit = match &moves[..] {
                [(name, from, to)] => Edit::Move { name: name.clone(), from: *from, to: *to },
                _ => Edit::MoveGroup { moves },
            };
            self.keep(edit, answer)?;
        }
        let (at, turn) = self.place_of(body)?;
        answer.tell(To::All, Event::Moved { body, at, turn, by: client });
        Ok(())
    }
}

/// Returns the pairs that touch before the motion begins.
fn touches_at_start(step: &Step) -> Vec<[BodyId; 2]> {
    let at_start = step.answers.iter().filter(|answer| matches!(answer.impact, Impact::AtStart(_)));
    at_start.map(|answer| answer.pair).collect()
}
