//! One step: from event to event.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use super::response::Response;
use super::{Body, ContactForce, Dynamics};
use crate::body::Role;
use crate::flight::{Flight, FlightState, Rates};
use crate::proof::{self, free_until, with_ask};
use crate::relative::{Frame, Party, Relative, Seen};
use crate::solve::Twist;
use glam::DVec3;
use noli::Pose;
use noli::contacts::FeatureContact;
use noli::motion::{Clip, Motion, Still, SweptBox};
use noli_geom::rotation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Contacts within so many skins are in force.
const IN_FORCE: f64 = 2.0;
/// Events in one step at most; from half of them on nothing bounces.
pub(super) const MOST_EVENTS: usize = 4000;
/// How often in a step the same pair may stop its bodies without any time passing.
const MOST_STALLS: u32 = 40;
pub(super) struct Found {
    pub(super) pair: (usize, usize),
    pub(super) contacts: Vec<FeatureContact>,
    pub(super) skin: f64,
}

/// What a body does for the rest of a step.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) motion: Arc<dyn Motion>,
    pub(super) flight: Option<Arc<Flight>>,
    /// When in the step it begins.
    pub(super) from: f64,
    /// What is added to the path alone, to keep bodies apart, and taken off the velocity at its end.
    pub(super) lift: Twist,
}

/// A pair whose motions were looked at: when it must be looked at again.
#[derive(Clone, Copy, Debug)]
struct Watched {
    pair: (usize, usize),
    /// In the step; infinite where nothing happens.
    at: f64,
}

/// A step on its way.
pub(super) struct StepRun<'d> {
    pub(super) sim: &'d mut Dynamics,
    pub(super) length: f64,
    pub(super) segments: Vec<Segment>,
    watched: BTreeMap<(usize, usize), Watched>,
    stalls: HashMap<(usize, usize), u32>,
    /// Until when in the step the forces found last may act; then all that was looked at with them is looked at again.
    pub(super) until: f64,
    /// The contacts of pairs, when they were last looked at.
    lying: HashMap<(usize, usize), Vec<FeatureContact>>,
    pub(super) lost: f64,
    pub(super) events: usize,
    pub(super) forces: BTreeMap<(usize, usize), Vec<ContactForce>>,
}

impl<'d> StepRun<'d> {
    pub(super) fn new(sim: &'d mut Dynamics, length: f64) -> Self {
        let segments = (0..sim.bodies.len())
            .map(|k| {
                let body = &mut sim.bodies[k];
                let (motion, flight): (Arc<dyn Motion>, _) = match &body.role {
                    Role::Fixed => (Arc::new(Still(body.placed)), None),
                    Role::Driven(motion, seconds) => {
                        let (from, to) = (body.driven, body.driven + length);
                        body.driven = to;
                        (Arc::new(Clip::new(motion.clone(), from / seconds, to / seconds)), None)
                    }
                    Role::Free(mass) => {
                        let flight = Arc::new(Flight::still(&body.state, mass.center, length));
                        (flight.clone(), Some(flight))
                    }
                };
                Segment { motion, flight, from: 0.0, lift: Twist::default() }
            })
            .collect();
        Self {
            sim,
            length,
            segments,
            watched: BTreeMap::new(),
            stalls: HashMap::new(),
            until: length,
            lying: HashMap::new(),
            lost: 0.0,
            events: 0,
            forces: BTreeMap::new(),
        }
    }

    pub(super) fn run(&mut self) {
        // Bodies that a driven one comes near must be awake.
        let awake = |body: &Body| body.is_free() && !body.asleep;
        let all: BTreeSet<usize> =
            (0..self.sim.bodies.len()).filter(|&k| awake(&self.sim.bodies[k])).collect();
        if !all.is_empty() {
            self.respond(&all, 0.0, false);
        }
        let everyone: BTreeSet<usize> = (0..self.segments.len()).collect();
        self.watch(&everyone, 0.0);
        while let Some(next) = self.earliest() {
            self.events += 1;
            let set = if next.pair.0 == next.pair.1 { self.renew(next.at) } else { self.meet(next) };
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
        let bodies = &self.sim.bodies;
        let sleeps =
            |force: &ContactForce| force.bodies.iter().all(|&k| !bodies[k].is_free() || bodies[k].asleep);
        let mut kept: Vec<ContactForce> = self.sim.forces.iter().filter(|f| sleeps(f)).copied().collect();
        kept.extend(forces);
        self.sim.forces = kept;
    }

    /// Two bodies have come near each other: who responds.
    fn meet(&mut self, next: Watched) -> BTreeSet<usize> {
        self.sim.summary.impacts += 1;
        let (a, b) = next.pair;
        let stalls = self.stalls.entry(next.pair).or_default();
        let passed = next.at - self.segments[a].from.max(self.segments[b].from);
        *stalls = if passed > 1e-9 * self.length { 0 } else { *stalls + 1 };
        let gives_up = *stalls > MOST_STALLS || self.events > MOST_EVENTS;
        let mut set: BTreeSet<usize> = BTreeSet::new();
        for k in [a, b] {
            if self.sim.bodies[k].is_free() {
                self.sim.bodies[k].asleep = false;
                self.sim.bodies[k].calm = 0;
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

    /// All that was looked at until a time is looked at from then on, with new forces.
    fn renew(&mut self, at: f64) -> BTreeSet<usize> {
        let ends =
            self.watched.values().filter(|watched| watched.pair.0 == watched.pair.1 && watched.at == at);
        let mut set: BTreeSet<usize> = ends.map(|watched| watched.pair.0).collect();
        let awake = |&&k: &&usize| self.sim.bodies[k].is_free() && !self.sim.bodies[k].asleep;
        let free: BTreeSet<usize> = set.iter().filter(awake).copied().collect();
        if !free.is_empty() {
            set.extend(self.respond(&free, at, false));
        }
        set
    }

    fn earliest(&self) -> Option<Watched> {
        let ends = self.watched.values().filter(|watched| watched.at < self.length);
        ends.min_by(|x, y| x.at.total_cmp(&y.at).then(x.pair.cmp(&y.pair))).copied()
    }

    /// The motion of a body from a time until another.
    fn clip(&self, body: usize, (t, until): (f64, f64)) -> Arc<dyn Motion> {
        let segment = &self.segments[body];
        if t <= segment.from && until >= self.length {
            return segment.motion.clone();
        }
        let share = |t: f64| ((t - segment.from) / (self.length - segment.from)).clamp(0.0, 1.0);
        Arc::new(Clip::new(segment.motion.clone(), share(t), share(until)))
    }

    fn pose(&self, body: usize, t: f64) -> Pose {
        let segment = &self.segments[body];
        let span = self.length - segment.from;
        let share = if span > 0.0 { (t - segment.from) / span } else { 1.0 };
        segment.motion.pose(share.clamp(0.0, 1.0))
    }

    /// How a free body moves at a time.
    pub(super) fn state(&self, body: usize, t: f64) -> FlightState {
        let segment = &self.segments[body];
        match &segment.flight {
            Some(flight) if t > segment.from => {
                let mut state = flight.state(t - segment.from);
                state.velocity -= segment.lift.linear;
                state.spin -= segment.lift.angular;
                state
            }
            _ => self.sim.bodies[body].state,
        }
    }

    /// Look at all pairs of which one is in `set`, from a time on for as long as the forces found last act.
    fn watch(&mut self, set: &BTreeSet<usize>, t: f64) {
        let until = std::mem::replace(&mut self.until, self.length);
        self.watched.retain(|&(a, b), _| !set.contains(&a) && !set.contains(&b));
        let motions: Vec<Arc<dyn Motion>> =
            (0..self.segments.len()).map(|k| self.clip(k, (t, until))).collect();
        let bodies = &self.sim.bodies;
        let moves = |k: usize| match (&self.segments[k].flight, &bodies[k].role) {
            (Some(flight), _) => !flight.is_still(),
            (None, Role::Driven(..)) => true,
            (None, _) => false,
        };
        let numbers: Vec<usize> = (0..self.segments.len()).collect();
        let boxes = proof::map(&numbers, |&k| {
            let skin = 2.0 * self.sim.options.skin * bodies[k].radius;
            let skin = if skin.is_finite() { skin } else { 0.0 };
            if moves(k) {
                bodies[k].model.moving(&*motions[k]).swept_box((0.0, 1.0), SweptBox::Both).grown(skin)
            } else {
                bodies[k].model.aabb().moved(&motions[k].pose(0.0)).grown(skin)
            }
        });
        let near = |&(a, b): &(usize, usize)| {
            (set.contains(&a) || set.contains(&b)) && (moves(a) || moves(b)) && self.sim.matters((a, b))
        };
        let pairs: Vec<(usize, usize)> = proof::overlapping(&boxes).into_iter().filter(near).collect();
        let found = proof::map(&pairs, |&(a, b)| {
            let (skin, contacts) = (self.sim.skin(a, b), self.lying.get(&(a, b)));
            let least = |contacts: &Vec<FeatureContact>| {
                contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min).max(0.0)
            };
            let seen = contacts.and_then(|contacts| self.seen((a, b), contacts, (t, until)));
            let [x, y] = seen.unwrap_or_else(|| [a, b].map(|k| motions[k].clone()));
            free_until((&bodies[a].model, &*x), (&bodies[b].model, &*y), contacts.map(least), skin)
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
            self.watched.extend(set.iter().map(|&k| ((k, k), Watched { pair: (k, k), at: until })));
        }
    }

    /// The motions of two bodies in contact as seen by the plane between them; `None` where that is no help.
    fn seen(
        &self,
        (a, b): (usize, usize),
        contacts: &[FeatureContact],
        (t, until): (f64, f64),
    ) -> Option<[Arc<dyn Motion>; 2]> {
        let parties = [self.party(a, t)?, self.party(b, t)?];
        if parties.iter().all(|party| party.spin == DVec3::ZERO) {
            return None;
        }
        let frame = Frame::of(contacts, [&parties[0], &parties[1]])?;
        let seen = |k: usize| -> Option<Arc<dyn Motion>> {
            let seen = match &self.segments[k] {
                Segment { flight: Some(flight), from, .. } => Seen::Flying(flight.clone(), t - from),
                _ => Seen::Moving(self.clip(k, (t, until))),
            };
            Some(Arc::new(Relative::new(frame, seen, until - t)?))
        };
        Some([seen(a)?, seen(b)?])
    }

    /// How a body moves at a time; `None` for what has no bounds.
    fn party(&self, body: usize, t: f64) -> Option<Party<'_>> {
        let model = &self.sim.bodies[body].model;
        let pose = self.pose(body, t);
        if !model.aabb().size().is_finite() {
            return None;
        }
        let still = Party { model, pose, center: pose.translation, velocity: DVec3::ZERO, spin: DVec3::ZERO };
        let segment = &self.segments[body];
        Some(match (&segment.flight, &self.sim.bodies[body].role) {
            (Some(flight), _) => {
                let Rates { center, velocity, spin, .. } = flight.rates(t - segment.from);
                Party { center, velocity, spin, ..still }
            }
            (None, Role::Driven(..)) => {
                let span = self.moment(t);
                let then = self.pose(body, t + span);
                let turn = rotation::log(then.rotation.normalize() * pose.rotation.normalize().conjugate());
                let velocity = (then.translation - pose.translation) / span;
                Party { velocity, spin: turn / span, ..still }
            }
            _ => still,
        })
    }

    /// Bodies stay where they are for the rest of the step.
    fn freeze(&mut self, set: &BTreeSet<usize>, t: f64) {
        for &k in set {
            match self.sim.bodies[k].role.clone() {
                Role::Free(mass) => {
                    let state = self.state(k, t);
                    self.sim.bodies[k].state = state;
                    let flight = Arc::new(Flight::still(&state, mass.center, self.length - t));
                    self.segments[k] = Segment {
                        motion: flight.clone(),
                        flight: Some(flight),
                        from: t,
                        lift: Twist { linear: -state.velocity, angular: -state.spin },
                    };
                    self.lost += self.length - t;
                }
                Role::Driven(..) => {
                    let pose = self.pose(k, t);
                    self.sim.bodies[k].driven -= self.length - t;
                    self.segments[k] = Segment {
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

    /// The contacts of one body with all others at a time.
    fn contacts_of(
        &self,
        body: usize,
        poses: &[Pose],
        known: &BTreeMap<(usize, usize), Found>,
    ) -> Vec<Found> {
        let bodies = &self.sim.bodies;
        let own = bodies[body].model.aabb().moved(&poses[body]);
        let others: Vec<usize> = (0..bodies.len())
            .filter(|&k| {
                let pair = (body.min(k), body.max(k));
                k != body && !known.contains_key(&pair) && self.sim.matters(pair)
            })
            .filter(|&k| {
                let within = IN_FORCE * self.sim.skin(body, k);
                own.grown(within).overlaps(&bodies[k].model.aabb().moved(&poses[k]))
            })
            .collect();
        let found = proof::map(&others, |&k| {
            let pair = (body.min(k), body.max(k));
            let skin = self.sim.skin(body, k);
            let [a, b] = [pair.0, pair.1].map(|k| bodies[k].model.at(poses[k]));
            let mut contacts = Vec::new();
            let _ = with_ask(|ask| ask.contacts(&a, &b, IN_FORCE * skin, &mut contacts));
            Found { pair, contacts, skin }
        });
        found.into_iter().filter(|found| !found.contacts.is_empty()).collect()
    }

    /// Let bodies, and all that lie against them, respond to contact at a time: who has changed.
    fn respond(&mut self, set: &BTreeSet<usize>, t: f64, wakes: bool) -> BTreeSet<usize> {
        let poses: Vec<Pose> = (0..self.segments.len()).map(|k| self.pose(k, t)).collect();
        let (mut island, mut open) = (set.clone(), set.iter().copied().collect::<Vec<_>>());
        let mut found: BTreeMap<(usize, usize), Found> = BTreeMap::new();
        while let Some(body) = open.pop() {
            for contacts in self.contacts_of(body, &poses, &found) {
                let (a, b) = contacts.pair;
                for k in [a, b] {
                    let other = &mut self.sim.bodies[k];
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

    /// The velocity of a point of a body that does not give way.
    pub(super) fn given_velocity(&self, body: usize, point: DVec3, t: f64) -> DVec3 {
        if !matches!(self.sim.bodies[body].role, Role::Driven(..)) {
            return DVec3::ZERO;
        }
        let span = self.moment(t);
        let (now, then) = (self.pose(body, t), self.pose(body, t + span));
        (then.transform_point(now.inverse().transform_point(point)) - point) / span
    }

    /// A short time, to tell velocities by.
    fn moment(&self, t: f64) -> f64 {
        (1e-3 * (self.length - t)).max(1e-9 * self.length)
    }
}
