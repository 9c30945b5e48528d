//! Rigid bodies under gravity: from event to event, every piece of flight proven free.
//!
//! A step begins with the contacts of all bodies. Where bodies approach each other at a contact, an impulse turns that round
//! (Newton's restitution, Coulomb's friction); where they rest or slide, a force that is constant for the rest of the step
//! keeps them apart. Between events a body flies on a [`Flight`], and noli's time of impact says until when no two come
//! nearer than their skin. Whoever meets, and all that lie against them, respond then and there; the others fly on, as what
//! was proven of them still holds. After chapter 10 of Eckstein's thesis (1998) and Mirtich (1996); Drumwright (2016) has
//! the same for convex bodies.
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is no number must not pass")]

mod response;
mod step;

use crate::body::{BodySpec, Material, Role};
use crate::flight::FlightState;
use crate::proof::{self, with_ask};
use crate::{MassProperties, SimError, Summary};
use glam::DVec3;
use noli::answer::Overlap;
use noli::contacts::{ContactId, FeatureContact};
use noli::{Model, Pose};
use noli_geom::Aabb;
use std::collections::{BTreeSet, HashMap};
use step::StepRun;

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

/// Steps of rest after which a body sleeps.
const CALM: u32 = 12;

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
