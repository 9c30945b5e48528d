//! Rigid bodies under gravity: from event to event, every piece of flight proven free.
//!
//! A step begins with the contacts of all bodies. Where bodies approach each other at a contact, an impulse turns that round
//! (Newton's restitution, Coulomb's friction); where they rest or slide, a force that is constant for the rest of the step
//! keeps them apart. Between events a body flies on a [`Flight`], and noli's time of impact says until when no two come
//! nearer than their skin. Whoever meets, and all that lie against them, respond then and there; the others fly on, as what
//! was proven of them still holds. After chapter 10 of Eckstein's thesis (1998) and Mirtich (1996); Drumwright (2016) has
//! the same for convex bodies.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

use crate::body::{BodySpec, Material, Role};
use crate::flight::{Flight, FlightState};
use crate::proof::{self, free_until, with_ask};
use crate::solve::{Constraint, Inert, Twist, gauss_seidel};
use crate::{MassProperties, SimError, Summary};
use glam::{DMat3, DVec3};
use noli::answer::Overlap;
use noli::contacts::{ContactId, FeatureContact};
use noli::motion::{Clip, Motion, Still, SweptBox};
use noli::{Model, Pose};
use noli_geom::Aabb;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How impulses of contacts that are hit at the same time are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactLaw {
    /// Pair of bodies by pair of bodies, the fastest approach first, until none approaches: what a row of balls does.
    #[default]
    Sequential,
    /// All at once.
    Simultaneous,
    /// All at once and again and again, also for bodies at rest, as published (Mirtich 1996): micro-impulses.
    Micro,
}

/// How a simulation is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicsOptions {
    /// Acceleration of free fall.
    pub gravity: DVec3,
    /// The longest step, in seconds: forces at contacts are constant for so long.
    pub step: f64,
    /// How far bodies stay apart, as a share of the smaller one's radius.
    pub skin: f64,
    /// How impulses are found.
    pub law: ImpactLaw,
    /// Sweeps of the solver at most.
    pub sweeps: u32,
    /// Whether bodies that rest are left alone until something meets them.
    pub sleep: bool,
}

impl Default for DynamicsOptions {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            step: 1.0 / 120.0,
            skin: 1e-4,
            law: ImpactLaw::default(),
            sweeps: 1000,
            sleep: true,
        }
    }
}

/// A body of a simulation.
#[derive(Clone, Debug)]
pub struct Body {
    name: String,
    model: Model,
    role: Role,
    material: Material,
    state: FlightState,
    /// Where it stands if it is not free.
    placed: Pose,
    /// How far along its motion a driven body is, in seconds.
    driven: f64,
    radius: f64,
    asleep: bool,
    calm: u32,
}

impl Body {
    /// How it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How it moves.
    pub fn state(&self) -> &FlightState {
        &self.state
    }

    /// Its mass; `None` if it does not give way.
    pub fn mass(&self) -> Option<&MassProperties> {
        match &self.role {
            Role::Free(mass) => Some(mass),
            _ => None,
        }
    }

    /// Whether it was left alone in the last step.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Where it stands.
    pub fn pose(&self) -> Pose {
        match &self.role {
            Role::Free(mass) => self.state.pose(mass.center),
            _ => self.placed,
        }
    }

    /// Kinetic energy.
    pub fn energy(&self) -> f64 {
        let Role::Free(mass) = &self.role else { return 0.0 };
        let own = self.state.rotation.normalize().conjugate() * self.state.spin;
        0.5 * (mass.mass * self.state.velocity.length_squared() + own.dot(mass.inertia * own))
    }

    /// Angular momentum about the centre of mass, in the world.
    pub fn angular_momentum(&self) -> DVec3 {
        let Role::Free(mass) = &self.role else { return DVec3::ZERO };
        let rotation = self.state.rotation.normalize();
        rotation * (mass.inertia * (rotation.conjugate() * self.state.spin))
    }

    fn is_free(&self) -> bool {
        matches!(self.role, Role::Free(_))
    }
}

/// A force between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactForce {
    /// Numbers of A and B.
    pub bodies: [usize; 2],
    /// The contact.
    pub contact: FeatureContact,
    /// On B, the opposite on A; the mean over the last step.
    pub force: DVec3,
}

/// What a body does for the rest of a step.
#[derive(Clone, Debug)]
struct Segment {
    motion: Arc<dyn Motion>,
    flight: Option<Arc<Flight>>,
    /// When in the step it begins.
    from: f64,
    /// What is added to the path alone, to keep bodies apart, and taken off the velocity at its end.
    lift: Twist,
}

/// A pair whose motions were looked at: when it must be looked at again.
#[derive(Clone, Copy, Debug)]
struct Watched {
    pair: (usize, usize),
    /// In the step; infinite where nothing happens.
    at: f64,
}

/// Rigid bodies that fall, hit, slide and rest.
///
/// The same bodies give the same motion to the last bit, on any number of threads.
#[derive(Debug)]
pub struct Dynamics {
    options: DynamicsOptions,
    bodies: Vec<Body>,
    excluded: BTreeSet<(usize, usize)>,
    time: f64,
    lost: f64,
    summary: Summary,
    forces: Vec<ContactForce>,
    remembered: HashMap<(usize, usize, ContactId), DVec3>,
    checked: bool,
    energy_lost: f64,
}

/// Contacts within so many skins are in force.
const IN_FORCE: f64 = 2.0;
/// Events in one step at most; from half of them on nothing bounces.
const MOST_EVENTS: usize = 4000;
/// How often in a step the same pair may stop its bodies without any time passing.
const MOST_STALLS: u32 = 40;
/// Steps of rest after which a body sleeps.
const CALM: u32 = 12;

struct Found {
    pair: (usize, usize),
    contacts: Vec<FeatureContact>,
    skin: f64,
}

impl Dynamics {
    /// Nothing yet.
    pub fn new(options: DynamicsOptions) -> Self {
        Self {
            options,
            bodies: Vec::new(),
            excluded: BTreeSet::new(),
            time: 0.0,
            lost: 0.0,
            summary: Summary { contacts_least: usize::MAX, ..Default::default() },
            forces: Vec::new(),
            remembered: HashMap::new(),
            checked: false,
            energy_lost: 0.0,
        }
    }

    /// A new body; its number.
    pub fn add(&mut self, spec: BodySpec) -> Result<usize, SimError> {
        let BodySpec { name, model, pose, role, material, velocity, spin } = spec;
        let named = || name.clone();
        if !pose.is_valid() {
            return Err(SimError::Pose { body: named() });
        }
        for (what, vector) in [("velocity", velocity), ("angular velocity", spin)] {
            if !vector.is_finite() {
                return Err(SimError::NotFinite { body: named(), what });
            }
        }
        material.check(&name)?;
        let center = match &role {
            Role::Free(mass) => {
                mass.check(&name)?;
                mass.center
            }
            Role::Driven(_, seconds) if !(*seconds > 0.0 && seconds.is_finite()) => {
                return Err(SimError::NotFinite { body: named(), what: "time of its motion" });
            }
            _ => DVec3::ZERO,
        };
        let state = FlightState {
            center: pose.transform_point(center),
            rotation: pose.rotation.normalize(),
            velocity,
            spin,
        };
        let bounds = model.aabb();
        let radius = 0.5 * bounds.size().length();
        let (driven, asleep, calm) = (0.0, false, 0);
        self.bodies.push(Body {
            name,
            model,
            role,
            material,
            state,
            placed: pose,
            driven,
            radius,
            asleep,
            calm,
        });
        self.checked = false;
        Ok(self.bodies.len() - 1)
    }

    /// Let two bodies pass through each other.
    pub fn exclude(&mut self, a: usize, b: usize) {
        self.excluded.insert((a.min(b), a.max(b)));
    }

    /// The bodies, by number.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Where a body stands.
    pub fn pose(&self, body: usize) -> Pose {
        self.bodies[body].pose()
    }

    /// Seconds simulated.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Forces of the last step.
    pub fn forces(&self) -> &[ContactForce] {
        &self.forces
    }

    /// Kinetic and potential energy of all that may move.
    pub fn energy(&self) -> f64 {
        let potential = |body: &Body| {
            body.mass().map_or(0.0, |mass| -mass.mass * self.options.gravity.dot(body.state.center))
        };
        self.bodies.iter().map(|body| body.energy() + potential(body)).sum()
    }

    /// Energy that impacts and friction have taken so far.
    pub fn energy_lost(&self) -> f64 {
        self.energy_lost
    }

    /// Figures so far.
    pub fn summary(&self) -> Summary {
        let time_lost = if self.time > 0.0 { self.lost / self.time } else { 0.0 };
        let contacts_least =
            if self.summary.contacts_least == usize::MAX { 0 } else { self.summary.contacts_least };
        Summary { time_lost, contacts_least, ..self.summary }
    }

    /// How far two bodies stay apart.
    fn skin(&self, a: usize, b: usize) -> f64 {
        let finite = |k: usize| Some(self.bodies[k].radius).filter(|radius| radius.is_finite());
        let size = match (finite(a), finite(b)) {
            (Some(x), Some(y)) => x.min(y),
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => 0.0,
        };
        let far = [a, b].map(|k| self.bodies[k].state.center.length()).into_iter().fold(0.0, f64::max);
        (self.options.skin * size).max(1e-11 * (far + size))
    }

    /// The speed below which an approach is rest: that of a fall through the skin.
    fn rest_speed(&self, skin: f64) -> f64 {
        (2.0 * self.options.gravity.length() * skin).sqrt()
    }

    fn matters(&self, (a, b): (usize, usize)) -> bool {
        (self.bodies[a].is_free() || self.bodies[b].is_free()) && !self.excluded.contains(&(a, b))
    }

    fn boxes(&self) -> Vec<Aabb> {
        let grown = |body: &Body| {
            let skin = 2.0 * self.options.skin * body.radius;
            body.model.aabb().moved(&body.pose()).grown(if skin.is_finite() { skin } else { 0.0 })
        };
        self.bodies.iter().map(grown).collect()
    }

    /// Pairs of bodies that overlap now, by the exact test; of those, how many are new is added to the summary.
    pub fn check(&mut self) -> Vec<(usize, usize)> {
        let pairs: Vec<_> =
            proof::overlapping(&self.boxes()).into_iter().filter(|&pair| self.matters(pair)).collect();
        let hits = proof::map(&pairs, |&(a, b)| {
            let [a, b] = [a, b].map(|k| self.bodies[k].model.at(self.bodies[k].pose()));
            with_ask(|ask| ask.overlap(&a, &b)) != Overlap::Free
        });
        let hit: Vec<_> = pairs.into_iter().zip(hits).filter(|(_, hit)| *hit).map(|(pair, _)| pair).collect();
        self.summary.penetrations += hit.len() as u64;
        hit
    }

    fn refuse_overlap(&mut self) -> Result<(), SimError> {
        if self.checked {
            return Ok(());
        }
        let before = self.summary.penetrations;
        let hit = self.check();
        self.summary.penetrations = before;
        if let Some(&(a, b)) = hit.first() {
            let [a, b] = [a, b].map(|k| self.bodies[k].name.clone());
            return Err(SimError::Overlap { a, b });
        }
        self.checked = true;
        Ok(())
    }

    /// Go on for so many seconds, in steps.
    pub fn advance(&mut self, seconds: f64) -> Result<(), SimError> {
        if !(seconds >= 0.0 && seconds.is_finite()) {
            return Err(SimError::Time(seconds));
        }
        self.refuse_overlap()?;
        let count = (seconds / self.options.step * (1.0 - 1e-12)).ceil().max(1.0);
        let step = seconds / count;
        if step > 0.0 {
            (0..count as u64).for_each(|_| self.step(step));
        }
        Ok(())
    }

    /// One step.
    fn step(&mut self, length: f64) {
        let mut step = StepRun::new(self, length);
        step.run();
        let StepRun { segments, lost, .. } = step;
        for (number, segment) in segments.iter().enumerate() {
            let body = &mut self.bodies[number];
            match (&segment.flight, &body.role) {
                (Some(flight), Role::Free(_)) => {
                    let mut state = flight.state(length - segment.from);
                    state.velocity -= segment.lift.linear;
                    state.spin -= segment.lift.angular;
                    body.state = state;
                }
                (_, Role::Driven(..)) => body.placed = segment.motion.pose(1.0),
                _ => {}
            }
        }
        let free = self.bodies.iter().filter(|body| body.is_free()).count().max(1) as f64;
        self.lost += lost / free;
        self.time += length;
        self.settle();
    }

    /// Bodies that do not move fall asleep.
    fn settle(&mut self) {
        let gravity = self.options.gravity.length();
        let touching: BTreeSet<usize> = self.forces.iter().flat_map(|force| force.bodies).collect();
        for (number, body) in self.bodies.iter_mut().enumerate() {
            if !body.is_free() || body.asleep {
                continue;
            }
            let slow = 2e-5 * (gravity * body.radius).sqrt();
            let speed = body.state.velocity.length() + body.state.spin.length() * body.radius;
            let calm = self.options.sleep && touching.contains(&number) && speed <= slow;
            body.calm = if calm { body.calm + 1 } else { 0 };
        }
        // All that lie against each other sleep together or not at all.
        let ready = |body: &Body| !body.is_free() || body.asleep || body.calm >= CALM;
        let mut wakeful: BTreeSet<usize> =
            (0..self.bodies.len()).filter(|&k| !ready(&self.bodies[k])).collect();
        loop {
            let spread: Vec<usize> = self
                .forces
                .iter()
                .filter(|force| force.bodies.iter().any(|k| wakeful.contains(k)))
                .flat_map(|force| force.bodies)
                .filter(|&k| self.bodies[k].is_free() && !wakeful.contains(&k))
                .collect();
            if spread.is_empty() {
                break;
            }
            wakeful.extend(spread);
        }
        for (number, body) in self.bodies.iter_mut().enumerate() {
            let is_driven = matches!(body.role, Role::Driven(..));
            if body.is_free() && !is_driven && !wakeful.contains(&number) && body.calm >= CALM {
                body.asleep = true;
                body.state.velocity = DVec3::ZERO;
                body.state.spin = DVec3::ZERO;
            }
        }
    }
}

/// A step on its way.
struct StepRun<'d> {
    sim: &'d mut Dynamics,
    length: f64,
    segments: Vec<Segment>,
    watched: BTreeMap<(usize, usize), Watched>,
    stalls: HashMap<(usize, usize), u32>,
    /// The gap of pairs in contact, when they were last looked at.
    gaps: HashMap<(usize, usize), f64>,
    lost: f64,
    events: usize,
    forces: BTreeMap<(usize, usize), Vec<ContactForce>>,
}

impl<'d> StepRun<'d> {
    fn new(sim: &'d mut Dynamics, length: f64) -> Self {
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
            gaps: HashMap::new(),
            lost: 0.0,
            events: 0,
            forces: BTreeMap::new(),
        }
    }

    fn run(&mut self) {
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
            } else {
                set = self.respond(&set, next.at, true);
            }
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

    fn earliest(&self) -> Option<Watched> {
        let ends = self.watched.values().filter(|watched| watched.at < self.length);
        ends.min_by(|x, y| x.at.total_cmp(&y.at).then(x.pair.cmp(&y.pair))).copied()
    }

    fn clip(&self, body: usize, t: f64) -> Arc<dyn Motion> {
        let segment = &self.segments[body];
        if t <= segment.from && segment.from > 0.0 || t == 0.0 {
            return segment.motion.clone();
        }
        let from = (t - segment.from) / (self.length - segment.from);
        Arc::new(Clip::new(segment.motion.clone(), from, 1.0))
    }

    fn pose(&self, body: usize, t: f64) -> Pose {
        let segment = &self.segments[body];
        let span = self.length - segment.from;
        let share = if span > 0.0 { (t - segment.from) / span } else { 1.0 };
        segment.motion.pose(share.clamp(0.0, 1.0))
    }

    /// How a free body moves at a time.
    fn state(&self, body: usize, t: f64) -> FlightState {
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

    /// Look at all pairs of which one is in `set`, from a time on.
    fn watch(&mut self, set: &BTreeSet<usize>, t: f64) {
        self.watched.retain(|&(a, b), _| !set.contains(&a) && !set.contains(&b));
        let motions: Vec<Arc<dyn Motion>> = (0..self.segments.len()).map(|k| self.clip(k, t)).collect();
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
            let skin = self.sim.skin(a, b);
            let margin = proof::margin(self.gaps.get(&(a, b)).copied(), skin);
            free_until((&bodies[a].model, &*motions[a]), (&bodies[b].model, &*motions[b]), margin)
        });
        self.sim.summary.proofs += pairs.len() as u64;
        self.sim.summary.pieces += set.len() as u64;
        for (pair, free) in pairs.into_iter().zip(found) {
            let at = if free.until >= 1.0 { f64::INFINITY } else { t + (self.length - t) * free.until };
            self.watched
                .insert(pair, Watched { pair, at: if at < self.length { at } else { f64::INFINITY } });
            if free.until < 1.0 && at >= self.length {
                // Stopped within rounding of the end: not proven to the end.
                self.watched.insert(pair, Watched { pair, at: self.length.next_down().max(t) });
            }
        }
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
        for contacts in &found {
            let least = contacts.contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            self.gaps.insert(contacts.pair, least.max(0.0));
        }
        Response::new(self, &island, &found, t).solve(self, &found, t);
        island
    }
}

/// Bodies and contacts that respond together.
struct Response {
    numbers: Vec<usize>,
    states: Vec<FlightState>,
    masses: Vec<MassProperties>,
    inerts: Vec<Inert>,
    twists: Vec<Twist>,
    constraints: Vec<Constraint>,
    /// The pair, restitution, gap and skin of each constraint, and its id.
    of: Vec<Of>,
}

#[derive(Clone, Copy)]
struct Of {
    found: usize,
    restitution: f64,
    gap: f64,
    skin: f64,
    rest: f64,
    id: ContactId,
}

impl Response {
    fn new(run: &StepRun<'_>, island: &BTreeSet<usize>, found: &[Found], t: f64) -> Self {
        let numbers: Vec<usize> = island.iter().copied().collect();
        let place: HashMap<usize, usize> = numbers.iter().enumerate().map(|(n, &k)| (k, n)).collect();
        let states: Vec<FlightState> = numbers.iter().map(|&k| run.state(k, t)).collect();
        let masses: Vec<MassProperties> =
            numbers.iter().filter_map(|&k| run.sim.bodies[k].mass().copied()).collect();
        let inert = |(state, mass): (&FlightState, &MassProperties)| {
            let turn = DMat3::from_quat(state.rotation.normalize());
            Inert {
                inverse_mass: 1.0 / mass.mass,
                inverse_inertia: turn * mass.inertia.inverse() * turn.transpose(),
                center: state.center,
            }
        };
        let inerts = states.iter().zip(&masses).map(inert).collect();
        let twists =
            states.iter().map(|state| Twist { linear: state.velocity, angular: state.spin }).collect();
        let (mut constraints, mut of) = (Vec::new(), Vec::new());
        for (number, found) in found.iter().enumerate() {
            let (a, b) = found.pair;
            let material = run.sim.bodies[a].material.between(&run.sim.bodies[b].material);
            for contact in &found.contacts {
                let points = [contact.on_a.point, contact.on_b.point];
                let given = run.given_velocity(b, points[1], t) - run.given_velocity(a, points[0], t);
                constraints.push(Constraint {
                    bodies: [a, b].map(|k| place.get(&k).copied()),
                    points,
                    normal: contact.normal,
                    least: 0.0,
                    friction: material.friction,
                    given,
                });
                of.push(Of {
                    found: number,
                    restitution: material.restitution,
                    gap: contact.gap,
                    skin: found.skin,
                    rest: run.sim.rest_speed(found.skin),
                    id: contact.id(),
                });
            }
        }
        Self { numbers, states, masses, inerts, twists, constraints, of }
    }

    fn speed(&self, number: usize, twists: &[Twist]) -> f64 {
        let constraint = &self.constraints[number];
        constraint.relative(&self.inerts, twists).dot(constraint.normal)
    }

    fn energy(&self, twists: &[Twist]) -> f64 {
        self.inerts.iter().zip(twists).map(|(inert, twist)| inert.energy(twist)).sum()
    }

    /// Impulses for some constraints, with restitution; never more energy than before.
    fn hit(&self, which: &[usize], twists: &mut Vec<Twist>, bounces: bool, sweeps: u32) {
        let before = self.energy(twists);
        let speeds: Vec<f64> = which.iter().map(|&k| self.speed(k, twists)).collect();
        let scale = speeds.iter().fold(0.0f64, |most, speed| most.max(speed.abs()));
        let solve = |restitution: bool| {
            let constraints: Vec<Constraint> = which
                .iter()
                .zip(&speeds)
                .map(|(&k, &speed)| {
                    let of = &self.of[k];
                    let back = if restitution && speed < -of.rest { -of.restitution * speed } else { 0.0 };
                    Constraint { least: back, ..self.constraints[k] }
                })
                .collect();
            let (mut after, mut impulses) = (twists.clone(), vec![DVec3::ZERO; which.len()]);
            gauss_seidel(&self.inerts, &constraints, &mut after, &mut impulses, sweeps, 1e-13 * scale);
            after
        };
        let mut after = solve(bounces);
        let moved_by_others = which.iter().any(|&k| self.constraints[k].given != DVec3::ZERO);
        if bounces && !moved_by_others && self.energy(&after) > before * (1.0 + 1e-12) {
            // As much of the bounce as the energy there is allows.
            let plain = solve(false);
            let mix = |share: f64| -> Vec<Twist> {
                let mix = |(x, y): (&Twist, &Twist)| Twist {
                    linear: x.linear + (y.linear - x.linear) * share,
                    angular: x.angular + (y.angular - x.angular) * share,
                };
                plain.iter().zip(&after).map(mix).collect()
            };
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if self.energy(&mix(middle)) > before { high = middle } else { low = middle }
            }
            after = mix(low);
        }
        *twists = after;
    }

    fn impacts(&self, twists: &mut Vec<Twist>, law: ImpactLaw, bounces: bool, sweeps: u32) {
        let all: Vec<usize> = (0..self.constraints.len()).collect();
        let approaching = |twists: &[Twist], fast: bool| {
            let hit = |&k: &usize| {
                let least = if fast { -self.of[k].rest } else { 0.0 };
                self.speed(k, twists) < least
            };
            all.iter().copied().filter(hit).collect::<Vec<usize>>()
        };
        if law == ImpactLaw::Sequential {
            for _ in 0..200 + 20 * self.constraints.len() {
                let fast = approaching(twists, true);
                let speed = |k: &usize| self.speed(*k, twists);
                let worst = fast.iter().min_by(|x, y| speed(x).total_cmp(&speed(y)).then(x.cmp(y)));
                let Some(&worst) = worst else { break };
                let pair = self.of[worst].found;
                let which: Vec<usize> = all.iter().copied().filter(|&k| self.of[k].found == pair).collect();
                self.hit(&which, twists, bounces, sweeps);
            }
        } else {
            for _ in 0..50 {
                if approaching(twists, true).is_empty() {
                    break;
                }
                self.hit(&all, twists, bounces, sweeps);
            }
        }
        if !approaching(twists, false).is_empty() {
            self.hit(&all, twists, false, sweeps);
        }
    }

    fn solve(mut self, run: &mut StepRun<'_>, found: &[Found], t: f64) {
        let (options, rest) = (run.sim.options, run.length - t);
        let bounces = run.events < MOST_EVENTS / 2;
        let before = self.energy(&self.twists);
        let mut twists = std::mem::take(&mut self.twists);
        self.impacts(&mut twists, options.law, bounces, options.sweeps);
        run.sim.energy_lost += before - self.energy(&twists);

        // Forces that are constant for the rest of the step.
        let mut ends: Vec<Twist> = Vec::with_capacity(twists.len());
        for (k, twist) in twists.iter().enumerate() {
            let state = FlightState { velocity: twist.linear, spin: twist.angular, ..self.states[k] };
            let own = state.rotation.normalize().conjugate() * state.spin;
            let mass = &self.masses[k];
            let momentum = mass.inertia * own;
            let steady = own.cross(momentum).length() <= 1e-15 * momentum.length() * own.length();
            let spin = if steady {
                state.spin
            } else {
                Flight::new(&state, mass, DVec3::ZERO, DVec3::ZERO, rest).state(rest).spin
            };
            ends.push(Twist { linear: twist.linear + options.gravity * rest, angular: spin });
        }
        let free_ends = ends.clone();
        let slow: Vec<usize> =
            (0..self.constraints.len()).filter(|&k| self.speed(k, &twists) <= self.of[k].rest).collect();
        let constraints: Vec<Constraint> = slow
            .iter()
            .map(|&k| {
                let room = (self.of[k].gap - self.of[k].skin).max(0.0);
                // What parts slowly may come back as far: else it would float off on the force that keeps it.
                let parting = self.speed(k, &twists).max(0.0);
                let least = if rest > 0.0 { -parting - 2.0 * room / rest } else { 0.0 };
                Constraint { least, ..self.constraints[k] }
            })
            .collect();
        let mut impulses: Vec<DVec3> = slow
            .iter()
            .map(|&k| {
                let (a, b) = found[self.of[k].found].pair;
                let known = run.sim.remembered.get(&(a, b, self.of[k].id)).copied().unwrap_or(DVec3::ZERO);
                let normal = self.constraints[k].normal;
                let along = known.dot(normal).max(0.0);
                let (across, limit) =
                    (known - normal * known.dot(normal), self.constraints[k].friction * along);
                (normal * along + across.clamp_length_max(limit)) * rest
            })
            .collect();
        for (constraint, impulse) in constraints.iter().zip(&impulses) {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(k) = constraint.bodies[side] {
                    let inert = &self.inerts[k];
                    ends[k].linear += *impulse * (sign * inert.inverse_mass);
                    let arm = (constraint.points[side] - inert.center).cross(*impulse * sign);
                    ends[k].angular += inert.inverse_inertia * arm;
                }
            }
        }
        let scale = options.gravity.length() * rest
            + twists.iter().map(|twist| twist.linear.length()).fold(0.0, f64::max);
        let sweeps = options.sweeps;
        let left = gauss_seidel(&self.inerts, &constraints, &mut ends, &mut impulses, sweeps, 1e-13 * scale);
        if scale > 0.0 && !slow.is_empty() {
            run.sim.summary.residual_most = run.sim.summary.residual_most.max(left / scale);
        }
        // In the last moments of a step there is no time to lift without haste.
        let lifts = self.lifts(if rest >= 1e-3 * run.length { rest } else { 0.0 });
        self.remember(run, found, &slow, &impulses, rest);
        for (k, &number) in self.numbers.iter().enumerate() {
            let (twist, end, lift) = (&twists[k], &ends[k], &lifts[k]);
            let mut state = FlightState { velocity: twist.linear, spin: twist.angular, ..self.states[k] };
            run.sim.bodies[number].state = state;
            let mass = &self.masses[k];
            state.velocity += lift.linear;
            state.spin += lift.angular;
            let (acceleration, torque) = if rest > 0.0 {
                let own = state.rotation.normalize().conjugate();
                let torque = mass.inertia * (own * ((end.angular - free_ends[k].angular) / rest));
                ((end.linear - twist.linear) / rest, torque)
            } else {
                (DVec3::ZERO, DVec3::ZERO)
            };
            let torque = if torque.length() * rest * rest <= 1e-18 { DVec3::ZERO } else { torque };
            let flight = Arc::new(Flight::new(&state, mass, acceleration, torque, rest));
            run.segments[number] =
                Segment { motion: flight.clone(), flight: Some(flight), from: t, lift: *lift };
        }
    }

    /// Small displacements that bring bodies back to their skin where they have come nearer, as velocities for the rest of
    /// the step; they move bodies and give them no speed.
    fn lifts(&self, rest: f64) -> Vec<Twist> {
        let mut lifts = vec![Twist::default(); self.inerts.len()];
        let near = self.of.iter().any(|of| of.gap < 0.9 * of.skin);
        if !near || !(rest > 0.0) {
            return lifts;
        }
        let constraints: Vec<Constraint> = self
            .constraints
            .iter()
            .zip(&self.of)
            .map(|(constraint, of)| Constraint {
                least: (of.skin - of.gap).max(-of.skin) / rest,
                friction: 0.0,
                given: DVec3::ZERO,
                ..*constraint
            })
            .collect();
        let mut impulses = vec![DVec3::ZERO; constraints.len()];
        let scale = self.of.iter().map(|of| of.skin).fold(0.0, f64::max) / rest;
        gauss_seidel(&self.inerts, &constraints, &mut lifts, &mut impulses, 60, 1e-3 * scale);
        // Never further than a few skins: where walls contradict each other, it is no use to push.
        lifts.iter_mut().for_each(|lift| lift.linear = lift.linear.clamp_length_max(4.0 * scale));
        lifts
    }

    fn remember(
        &self,
        run: &mut StepRun<'_>,
        found: &[Found],
        slow: &[usize],
        impulses: &[DVec3],
        rest: f64,
    ) {
        let concerned: BTreeSet<usize> = self.numbers.iter().copied().collect();
        run.sim.remembered.retain(|(a, b, _), _| !concerned.contains(a) && !concerned.contains(b));
        run.forces.retain(|(a, b), _| !concerned.contains(a) && !concerned.contains(b));
        if rest < 1e-3 * run.length {
            return;
        }
        let mut by_number = vec![DVec3::ZERO; self.constraints.len()];
        for (&k, impulse) in slow.iter().zip(impulses) {
            let force = if rest > 0.0 { *impulse / rest } else { DVec3::ZERO };
            by_number[k] = force;
            let (a, b) = found[self.of[k].found].pair;
            run.sim.remembered.insert((a, b, self.of[k].id), force);
        }
        let mut next = 0;
        for found in found {
            let (a, b) = found.pair;
            let list = run.forces.entry((a, b)).or_default();
            for contact in &found.contacts {
                list.push(ContactForce { bodies: [a, b], contact: *contact, force: by_number[next] });
                next += 1;
            }
        }
    }
}

impl StepRun<'_> {
    /// The velocity of a point of a body that does not give way.
    fn given_velocity(&self, body: usize, point: DVec3, t: f64) -> DVec3 {
        if !matches!(self.sim.bodies[body].role, Role::Driven(..)) {
            return DVec3::ZERO;
        }
        let span = (1e-3 * (self.length - t)).max(1e-9 * self.length);
        let (now, then) = (self.pose(body, t), self.pose(body, t + span));
        (then.transform_point(now.inverse().transform_point(point)) - point) / span
    }
}
