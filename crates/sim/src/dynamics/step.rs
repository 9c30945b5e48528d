//! One step: from event to event.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::bodies::{BodyState, ContactForce};
use super::response::Response;
use super::run::{Found, MOST_EVENTS, Segment, StepRun, Watched};
use crate::body::Role;
use crate::flight::Flight;
use crate::proof::{self, free_until, with_context};
use crate::relative::{Frame, Relative, Seen};
use crate::solve::Twist;
use glam::DVec3;
use noli::Pose;
use noli::contacts::FeatureContact;
use noli::motion::{Motion, Still, SweptBox};
use noli::world::BodyId;
use noli_geom::Aabb;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Contacts within so many skins are in force.
const IN_FORCE: f64 = 2.0;
/// Maximum number of times in a step that one pair may stop its bodies without any time passing.
const MOST_STALLS: u32 = 40;
impl StepRun<'_> {
    pub(super) fn run(&mut self) {
        // Bodies that a driven one comes near must be awake.
        let awake = |body: &BodyState| body.is_free() && !body.asleep;
        let all: BTreeSet<BodyId> =
            self.sim.bodies().filter(|(_, body)| awake(body)).map(|(id, _)| id).collect();
        if !all.is_empty() {
            self.respond(&all, 0.0, false);
        }
        let everyone: BTreeSet<BodyId> = self.sim.ids().collect();
        self.watch(&everyone, 0.0);
        while let Some(next) = self.earliest() {
            self.events += 1;
            let set = if next.pair[0] == next.pair[1] { self.renew(next.at) } else { self.meet(next) };
            self.watch(&set, next.at);
        }
        let forces: Vec<ContactForce> = std::mem::take(&mut self.forces).into_values().flatten().collect();
        let count = forces.iter().filter(|force| force.force != DVec3::ZERO).count();
        let summary = &mut self.sim.summary;
        summary.contacts_most = summary.contacts_most.max(count);
        if count > 0 {
            summary.contacts_least = summary.contacts_least.min(count);
        }
        // What sleeps is held as it was.
        let sleeps = |force: &ContactForce| {
            force.bodies.map(|id| self.sim.at(id)).iter().all(|body| !body.is_free() || body.asleep)
        };
        let mut kept: Vec<ContactForce> = self.sim.forces.iter().filter(|f| sleeps(f)).copied().collect();
        kept.extend(forces);
        self.sim.forces = kept;
    }

    /// Two bodies have come near each other: who responds.
    fn meet(&mut self, next: Watched) -> BTreeSet<BodyId> {
        self.sim.summary.impacts += 1;
        let [a, b] = next.pair;
        let passed = next.at - self.segment(a).from.max(self.segment(b).from);
        let stalls = self.stalls.entry(next.pair).or_default();
        *stalls = if passed > 1e-9 * self.length { 0 } else { *stalls + 1 };
        let gives_up = *stalls > MOST_STALLS || self.events > MOST_EVENTS;
        let mut set: BTreeSet<BodyId> = BTreeSet::new();
        for k in [a, b] {
            let body = self.sim.at_mut(k);
            if body.is_free() {
                body.asleep = false;
                body.calm = 0;
                set.insert(k);
            }
        }
        if gives_up {
            set.extend([a, b]);
            self.freeze(&set, next.at);
            set
        } else {
            self.respond(&set, next.at, true)
        }
    }

    /// Computes new forces at a time for all bodies tested until then, and returns those to test from there on.
    fn renew(&mut self, at: f64) -> BTreeSet<BodyId> {
        let ends =
            self.watched.values().filter(|watched| watched.pair[0] == watched.pair[1] && watched.at == at);
        let mut set: BTreeSet<BodyId> = ends.map(|watched| watched.pair[0]).collect();
        let awake = |&&k: &&BodyId| self.sim.at(k).is_free() && !self.sim.at(k).asleep;
        let free: BTreeSet<BodyId> = set.iter().filter(awake).copied().collect();
        if !free.is_empty() {
            set.extend(self.respond(&free, at, false));
        }
        set
    }

    fn earliest(&self) -> Option<Watched> {
        let ends = self.watched.values().filter(|watched| watched.at < self.length);
        ends.min_by(|x, y| x.at.total_cmp(&y.at).then(x.pair.cmp(&y.pair))).copied()
    }

    /// Tests all pairs with a body in `set`, from a time on for as long as the last forces act.
    fn watch(&mut self, set: &BTreeSet<BodyId>, t: f64) {
        let until = std::mem::replace(&mut self.until, self.length);
        self.watched.retain(|&[a, b], _| !set.contains(&a) && !set.contains(&b));
        let ids: Vec<BodyId> = self.sim.ids().collect();
        let motions: Vec<Arc<dyn Motion>> = ids.iter().map(|&id| self.clip(id, (t, until))).collect();
        let motion = |id: BodyId| &motions[id.index() as usize];
        let boxes = proof::map(&ids, |&id| {
            let (model, grown) = (self.sim.world[id].model(), self.grown(id));
            let bounds = if self.moves(id) {
                model.moving(&**motion(id)).swept_box((0.0, 1.0), SweptBox::Both)
            } else {
                model.aabb().transformed(&motion(id).pose(0.0))
            };
            (id, bounds.expanded(grown))
        });
        let mut pairs = self.candidate_pairs(&boxes);
        pairs.retain(|&[a, b]| (set.contains(&a) || set.contains(&b)) && (self.moves(a) || self.moves(b)));
        let found = proof::map(&pairs, |&pair| {
            let (skin, contacts) = (self.sim.skin(pair), self.lying.get(&pair));
            let least = |contacts: &Vec<FeatureContact>| {
                contacts.iter().map(|c| c.clearance).fold(f64::INFINITY, f64::min).max(0.0)
            };
            let seen = contacts.and_then(|contacts| self.seen(pair, contacts, (t, until)));
            let [x, y] = seen.unwrap_or_else(|| pair.map(|id| motion(id).clone()));
            let [a, b] = pair.map(|id| self.sim.world[id].model());
            free_until((a, &*x), (b, &*y), contacts.map(least), skin)
        });
        self.sim.summary.proofs += pairs.len() as u64;
        self.sim.summary.pieces += set.len() as u64;
        for (pair, free) in pairs.into_iter().zip(found) {
            let at = if free >= 1.0 {
                f64::INFINITY
            } else {
                // What is stopped within rounding of the end is not proven to the end.
                (t + (until - t) * free).min(until.next_down()).max(t)
            };
            self.watched.insert(pair, Watched { pair, at });
        }
        if until < self.length {
            self.watched.extend(set.iter().map(|&k| ([k, k], Watched { pair: [k, k], at: until })));
        }
    }

    /// Returns `true` if a body moves for the rest of the step.
    fn moves(&self, body: BodyId) -> bool {
        match (&self.segment(body).flight, &self.sim.at(body).role) {
            (Some(flight), _) => !flight.is_still(),
            (None, Role::Driven(..)) => true,
            (None, _) => false,
        }
    }

    /// Length that is added to the bounding box of a body for its skin.
    fn grown(&self, body: BodyId) -> f64 {
        let skin = 2.0 * self.sim.options.skin * self.sim.at(body).radius;
        if skin.is_finite() { skin } else { 0.0 }
    }

    /// Enabled pairs whose boxes overlap, sorted.
    fn candidate_pairs(&mut self, boxes: &[(BodyId, Aabb)]) -> Vec<[BodyId; 2]> {
        // Bodies are never removed, so that every id is known.
        self.sim.world.candidate_pairs(boxes).unwrap_or_default()
    }

    /// Returns the motions of two bodies in contact in the frame of the plane between them; `None` if that does
    /// not help.
    fn seen(
        &self,
        [a, b]: [BodyId; 2],
        contacts: &[FeatureContact],
        (t, until): (f64, f64),
    ) -> Option<[Arc<dyn Motion>; 2]> {
        let parties = [self.party(a, t)?, self.party(b, t)?];
        if parties.iter().all(|party| party.spin == DVec3::ZERO) {
            return None;
        }
        let frame = Frame::of(contacts, [&parties[0], &parties[1]])?;
        let seen = |k: BodyId| -> Option<Arc<dyn Motion>> {
            let seen = match self.segment(k) {
                Segment { flight: Some(flight), from, .. } => Seen::Flying(flight.clone(), t - from),
                _ => Seen::Moving(self.clip(k, (t, until))),
            };
            Some(Arc::new(Relative::new(frame, seen, until - t)?))
        };
        Some([seen(a)?, seen(b)?])
    }

    /// Bodies stay where they are for the rest of the step.
    fn freeze(&mut self, set: &BTreeSet<BodyId>, t: f64) {
        for &k in set {
            match self.sim.at(k).role.clone() {
                Role::Free(mass) => {
                    let state = self.state(k, t);
                    self.sim.at_mut(k).state = state;
                    let flight = Arc::new(Flight::still(&state, mass.center, self.length - t));
                    *self.segment_mut(k) = Segment {
                        motion: flight.clone(),
                        flight: Some(flight),
                        from: t,
                        lift: Twist { linear: -state.velocity, angular: -state.spin },
                    };
                    self.lost += self.length - t;
                }
                Role::Driven(..) => {
                    let pose = self.pose(k, t);
                    self.sim.at_mut(k).driven -= self.length - t;
                    *self.segment_mut(k) = Segment {
                        motion: Arc::new(Still(pose)),
                        flight: None,
                        from: t,
                        lift: Twist::default(),
                    };
                    self.lost += self.length - t;
                }
                Role::Fixed => {}
            }
        }
    }

    /// For each body, by slot, the others whose boxes are near enough for contact at these poses.
    fn neighbours(&mut self, poses: &[Pose]) -> Vec<Vec<BodyId>> {
        let sim = &*self.sim;
        let bounds = |(id, body): (BodyId, &BodyState)| {
            // Both sides together cover the skin of the pair, with room for rounding.
            let radius = if body.radius.is_finite() { body.radius } else { 0.0 };
            let far = body.state.center.length() + radius;
            let grown = 1.25 * IN_FORCE * (sim.options.skin * radius).max(1e-11 * far);
            (id, sim.world[id].model().aabb().transformed(&poses[id.index() as usize]).expanded(grown))
        };
        let boxes: Vec<(BodyId, Aabb)> = sim.bodies().map(bounds).collect();
        let mut near = vec![Vec::new(); boxes.len()];
        for [a, b] in self.candidate_pairs(&boxes) {
            near[a.index() as usize].push(b);
            near[b.index() as usize].push(a);
        }
        near
    }

    /// The contacts of one body at a time with those of its neighbours that are not known yet.
    fn contacts_of(
        &self,
        body: BodyId,
        neighbours: &[BodyId],
        poses: &[Pose],
        known: &BTreeMap<[BodyId; 2], Found>,
    ) -> Vec<Found> {
        let placed = |id: BodyId| (self.sim.world[id].model(), &poses[id.index() as usize]);
        let bounds = |id: BodyId| placed(id).0.aabb().transformed(placed(id).1);
        let own = bounds(body);
        let near = |&pair: &[BodyId; 2]| {
            let other = if pair[0] == body { pair[1] } else { pair[0] };
            own.expanded(IN_FORCE * self.sim.skin(pair)).overlaps(&bounds(other))
        };
        let pairs: Vec<[BodyId; 2]> = neighbours
            .iter()
            .map(|&other| [body.min(other), body.max(other)])
            .filter(|pair| !known.contains_key(pair) && near(pair))
            .collect();
        let found = proof::map(&pairs, |&pair| {
            let skin = self.sim.skin(pair);
            let [a, b] = pair.map(|id| placed(id).0.at(*placed(id).1));
            let mut contacts = Vec::new();
            let _ = with_context(|ask| ask.contacts(&a, &b, IN_FORCE * skin, &mut contacts));
            Found { pair, contacts, skin }
        });
        found.into_iter().filter(|found| !found.contacts.is_empty()).collect()
    }

    /// Let bodies, and all that lie against them, respond to contact at a time: who has changed.
    fn respond(&mut self, set: &BTreeSet<BodyId>, t: f64, wakes: bool) -> BTreeSet<BodyId> {
        let poses: Vec<Pose> = self.sim.ids().map(|id| self.pose(id, t)).collect();
        let neighbours = self.neighbours(&poses);
        let (mut island, mut open) = (set.clone(), set.iter().copied().collect::<Vec<_>>());
        let mut found: BTreeMap<[BodyId; 2], Found> = BTreeMap::new();
        while let Some(body) = open.pop() {
            for contacts in self.contacts_of(body, &neighbours[body.index() as usize], &poses, &found) {
                for k in contacts.pair {
                    let other = self.sim.at_mut(k);
                    if !other.is_free() || island.contains(&k) || other.asleep && !wakes {
                        continue;
                    }
                    other.asleep = false;
                    island.insert(k);
                    open.push(k);
                }
                found.insert(contacts.pair, contacts);
            }
        }
        let found: Vec<Found> = found.into_values().collect();
        Response::new(self, &island, &found, t).solve(self, &found, t);
        self.lying.extend(found.into_iter().map(|found| (found.pair, found.contacts)));
        island
    }
}
