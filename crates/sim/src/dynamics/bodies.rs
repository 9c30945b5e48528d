//! The world of a simulation, with the dynamic state of its bodies.

use crate::body::{BodySpec, Material, Role};
use crate::error::SimError;
use crate::flight::FlightState;
use crate::mass::MassProperties;
use crate::summary::Summary;
use glam::DVec3;
use noli::contacts::{ContactId, FeatureContact};
use noli::world::{BodyId, BodySelector};
use noli::{Budget, Model, Pose, World};
use std::collections::HashMap;

/// Method for the impulses of simultaneous contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactLaw {
    /// Pair of bodies by pair of bodies, the fastest approach first, until none approaches: what a row of spheres does.
    #[default]
    Sequential,
    /// All at once.
    Simultaneous,
    /// All at once and again and again, also for bodies at rest, as published (Mirtich 1996): micro-impulses.
    Micro,
}

/// Options of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicsOptions {
    /// Acceleration of free fall.
    pub gravity: DVec3,
    /// The longest step, in seconds: forces at contacts are constant for so long.
    pub step: f64,
    /// Distance that bodies keep, as a share of the smaller one's radius.
    pub skin: f64,
    /// Method for the impulses.
    pub law: ImpactLaw,
    /// Sweeps of the solver at most.
    pub sweeps: u32,
    /// `true` if resting bodies are not simulated until another body collides with them.
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

/// Data that a simulation adds to a body of its world: its drive, surface and velocities.
#[derive(Clone, Debug)]
pub struct BodyState {
    pub(super) role: Role,
    pub(super) material: Material,
    pub(super) state: FlightState,
    /// Progress of a driven body along its motion, in seconds.
    pub(super) driven: f64,
    pub(super) radius: f64,
    pub(super) asleep: bool,
    pub(super) calm: u32,
}

impl BodyState {
    /// Its motion.
    pub fn state(&self) -> &FlightState {
        &self.state
    }

    /// Returns its mass; `None` if it is immovable by contact.
    pub fn mass(&self) -> Option<&MassProperties> {
        match &self.role {
            Role::Free(mass) => Some(mass),
            _ => None,
        }
    }

    /// Returns `true` if it was not simulated in the last step.
    pub fn is_asleep(&self) -> bool {
        self.asleep
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

    pub(super) fn is_free(&self) -> bool {
        matches!(self.role, Role::Free(_))
    }
}

/// A force between two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactForce {
    /// A and B.
    pub bodies: [BodyId; 2],
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
    pub(super) options: DynamicsOptions,
    /// Bodies where they stand at the end of a step. Those that do not give way are one group of it; pairs within are
    /// disabled.
    pub(super) world: World,
    /// By slot of the world: bodies are never removed.
    states: Vec<BodyState>,
    pub(super) time: f64,
    pub(super) lost: f64,
    pub(super) summary: Summary,
    pub(super) forces: Vec<ContactForce>,
    pub(super) remembered: HashMap<([BodyId; 2], ContactId), DVec3>,
    pub(super) checked: bool,
    pub(super) energy_lost: f64,
}

impl std::ops::Index<BodyId> for Dynamics {
    type Output = BodyState;

    /// Panics if the body is of another simulation.
    fn index(&self, id: BodyId) -> &BodyState {
        assert!(self.world.body(id).is_ok(), "there is no body {id} in this simulation");
        self.at(id)
    }
}

/// The group, in the world, of bodies that do not give way.
const HELD: &str = "held";

impl Dynamics {
    /// Nothing yet.
    pub fn new(options: DynamicsOptions) -> Self {
        let mut world = World::default();
        world.rules_mut().set_within_groups(false);
        Self {
            options,
            world,
            states: Vec::new(),
            time: 0.0,
            lost: 0.0,
            summary: Summary { contacts_least: usize::MAX, ..Default::default() },
            forces: Vec::new(),
            remembered: HashMap::new(),
            checked: false,
            energy_lost: 0.0,
        }
    }

    /// A new body at a place in the world; a driven one is placed where its motion starts.
    pub fn add(&mut self, name: &str, model: &Model, pose: Pose, spec: BodySpec) -> Result<BodyId, SimError> {
        let pose = match &spec.role {
            Role::Driven(motion, _) => motion.pose(0.0),
            Role::Fixed | Role::Free(_) => pose,
        };
        if !pose.is_valid() {
            return Err(SimError::Pose { body: name.to_owned() });
        }
        spec.check(name)?;
        let BodySpec { role, material, velocity, spin } = spec;
        let center = if let Role::Free(mass) = &role { mass.center } else { DVec3::ZERO };
        let state = FlightState {
            center: pose.transform_point(center),
            rotation: pose.rotation.normalize(),
            velocity,
            spin,
        };
        let radius = 0.5 * model.aabb().size().length();
        let body = BodyState { role, material, state, driven: 0.0, radius, asleep: false, calm: 0 };
        let pose = if body.is_free() { state.pose(center) } else { pose };
        let id = self.world.add(name, model, pose).map_err(|_| SimError::Pose { body: name.to_owned() })?;
        if !body.is_free() {
            self.world.set_group(id, HELD)?;
        }
        self.states.push(body);
        self.checked = false;
        Ok(id)
    }

    /// Let two bodies pass through each other.
    pub fn exclude(&mut self, a: BodyId, b: BodyId) {
        self.world.rules_mut().set([BodySelector::Body(a), BodySelector::Body(b)], false);
    }

    /// The bodies where they stand, and which pairs of them matter.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All bodies, in the order in which they were added.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &BodyState)> {
        self.world.bodies().map(|(id, _)| id).zip(&self.states)
    }

    pub(super) fn at(&self, id: BodyId) -> &BodyState {
        &self.states[id.index() as usize]
    }

    pub(super) fn at_mut(&mut self, id: BodyId) -> &mut BodyState {
        &mut self.states[id.index() as usize]
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = BodyId> {
        self.world.bodies().map(|(id, _)| id)
    }

    /// Returns the pose of a body. Panics if it is of another simulation.
    pub fn pose(&self, id: BodyId) -> Pose {
        self.world[id].pose()
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
        let potential = |body: &BodyState| {
            body.mass().map_or(0.0, |mass| -mass.mass * self.options.gravity.dot(body.state.center))
        };
        self.states.iter().map(|body| body.energy() + potential(body)).sum()
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

    /// Distance that two bodies keep.
    pub(super) fn skin(&self, pair: [BodyId; 2]) -> f64 {
        let [a, b] = pair.map(|id| self.at(id));
        let finite = |body: &BodyState| Some(body.radius).filter(|radius| radius.is_finite());
        let size = match (finite(a), finite(b)) {
            (Some(x), Some(y)) => x.min(y),
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => 0.0,
        };
        let far = [a, b].map(|body| body.state.center.length()).into_iter().fold(0.0, f64::max);
        (self.options.skin * size).max(1e-11 * (far + size))
    }

    /// The speed below which an approach is rest: that of a fall through the skin.
    pub(super) fn rest_speed(&self, skin: f64) -> f64 {
        (2.0 * self.options.gravity.length() * skin).sqrt()
    }

    /// Pairs of bodies that overlap now, by the exact test; of those, how many are new is added to the summary.
    pub fn check(&mut self) -> Vec<[BodyId; 2]> {
        let hit = self.overlapping();
        self.summary.penetrations += hit.len() as u64;
        hit
    }

    pub(super) fn overlapping(&mut self) -> Vec<[BodyId; 2]> {
        self.world.touching(&Budget::default()).into_iter().map(|(pair, _)| pair).collect()
    }
}
