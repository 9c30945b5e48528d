//! Many bodies: where they stand, what hangs on what, which pairs matter, and the step that moves them
//! safely.
//!
//! After chapters 7 and 8 and appendix B of Eckstein's thesis (1998). The control loop is `moves → moved
//! bodies → pair tests → earliest time of each group → commit`; [`World::plan`] does all but the last, so
//! that clients can look at a [`Step`] and change it before [`World::commit`].

mod answers;
mod body;
mod candidates;
mod carried_moves;
mod check;
mod classes;
mod contacts;
mod indicator;
mod job;
mod memory;
mod moves;
mod options;
mod pair_test;
mod passage;
mod pattern;
mod plan;
mod rules;
mod second_opinion;
mod share;
mod snapshot;
mod stop;
mod ties;

#[cfg(test)]
mod tests;

pub use answers::{AfterStart, Answer, Basis, Outcome, StepStats};
pub use body::{Body, BodyId};
pub use check::{CheckOptions, CheckResult, FaceCrossing, Finding, Standing};
pub use contacts::PairContacts;
pub use moves::Move;
pub use options::{AtStart, Cut, Fallback, Mode, Share, StepOptions};
pub use passage::{Look, Passage, PassageOptions};
pub use pattern::Pattern;
pub use plan::Step;
pub use rules::{Rules, Who};
pub use second_opinion::{Disagreement, PairTest};
pub use snapshot::{Nearest, Snapshot, SnapshotAsk};

use crate::answer::Overlap;
use crate::broad::{BroadPhase, Method};
use crate::context::with_ask;
use crate::model::Model;
use crate::{Budget, parallel};
use body::Slot;
use classes::Classes;
use memory::Memory;
use noli_geom::{Pose, ShapeError, Still};
use std::sync::OnceLock;

/// Why a world refuses something.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// The body was removed, or belongs to another world.
    #[error("there is no body {0}: it was removed, or belongs to another world")]
    NoSuchBody(BodyId),
    /// A pose is not a pose.
    #[error("body {0} would stand nowhere: a coordinate is not finite or too large, or a quaternion is zero")]
    NotAPose(BodyId),
    /// A body would hang on itself.
    #[error("body {0} cannot be attached to {1}, which hangs on it; detach that first")]
    Loop(BodyId, BodyId),
    /// Two moves of one step move the same body, and neither carries it along with what it hangs on, or one
    /// does not begin where it stands.
    #[error(
        "body {0} is moved twice in one step; join the motions into one, or let it hang on what carries it"
    )]
    MovedTwice(BodyId),
    /// A question places the same body twice.
    #[error("body {0} is placed twice in one question; list it once")]
    PlacedTwice(BodyId),
    /// A model cannot be scaled like that.
    #[error("body {0} cannot be scaled: {1}")]
    Scale(BodyId, ShapeError),
    /// A group motion has not as many members as there are bodies for it.
    #[error("{bodies} bodies cannot be moved by a group motion of {members} members; list one body for each")]
    Members {
        /// Bodies listed.
        bodies: usize,
        /// Members of the group motion.
        members: usize,
    },
    /// The world was changed after the step was planned.
    #[error("the world was changed after this step was planned; plan it again")]
    Outdated,
}

/// Bodies in motion.
///
/// ```
/// use noli::motion::RigidMotion;
/// use noli::world::StepOptions;
/// use noli::{Model, Pose, World};
/// use glam::DVec3;
/// let cube = noli_scenes::cuboid(DVec3::ONE);
/// let cube = noli::Mesh::from_triangles(cube.vertices, cube.triangles, &Default::default())?.into_solid();
/// let cube = Model::new(cube)?;
/// let mut world = World::default();
/// let wall = world.add("wall", &cube, Pose::from_translation(DVec3::X * 5.0))?;
/// let cart = world.add("cart", &cube, Pose::IDENTITY)?;
/// let cup = world.add("cup", &cube, Pose::from_translation(DVec3::Z * 2.5))?;
/// world.attach(cup, cart)?;
///
/// let ahead = |start: &Pose| RigidMotion::with_velocities(start, DVec3::X * 6.0, DVec3::ZERO, DVec3::ZERO);
/// let drive = world.carry("drive", &[cart], ahead)?;
/// let step = world.step(vec![drive], &StepOptions::default())?;
/// assert!((step.outcomes[0].free_until - 0.5).abs() < 1e-5); // stops at the wall, cup and all
/// assert!((world.body(cup)?.pose().translation.x - 3.0).abs() < 1e-4);
/// assert_eq!(step.answers[step.outcomes[0].first.unwrap()].pair, [wall, cart]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    slots: Vec<Slot>,
    free: Vec<u32>,
    rules: Rules,
    /// The rules held against the bodies; made when first asked for after the rules have changed.
    classes: OnceLock<Classes>,
    broad: BroadPhase,
    /// Numbers of bodies whose box in the broad phase is not the one they rest in.
    stale: Vec<u32>,
    memory: Memory,
    /// How much room for margins the boxes have.
    boxed_margin: f64,
    /// Changes with every edit, so that a planned step knows whether it still fits.
    edition: u64,
    boxes_made: u64,
}

impl Default for World {
    fn default() -> Self {
        Self::new(Method::default())
    }
}

impl World {
    /// Nothing yet; candidates will be found by this method.
    pub fn new(method: Method) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            rules: Rules::default(),
            classes: OnceLock::new(),
            broad: BroadPhase::new(method),
            stale: Vec::new(),
            memory: Memory::default(),
            boxed_margin: 0.0,
            edition: 0,
            boxes_made: 0,
        }
    }

    /// A new body at a place in the world. Models are shared: adding the same one again costs no memory.
    pub fn add(&mut self, name: impl Into<String>, model: &Model, pose: Pose) -> Result<BodyId, WorldError> {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        let id = BodyId { index, generation: slot.generation };
        if !pose.is_valid() {
            self.free.push(index);
            return Err(WorldError::NotAPose(id));
        }
        slot.body = Some(Body::new(name.into(), model.clone(), pose));
        self.changed(index);
        self.classify(id);
        Ok(id)
    }

    /// Take a body out. What hangs on it stays where it is and hangs on nothing.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.detach(id)?;
        for child in self.body(id)?.children.clone() {
            self.detach(child)?;
        }
        let slot = &mut self.slots[id.index as usize];
        slot.body = None;
        // A slot whose generations are used up is never used again, so that no two bodies share an id.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.index);
        }
        if self.rules.forget(id) {
            self.classes.take();
        }
        self.broad.remove(id.index);
        self.edition += 1;
        Ok(())
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> Result<&Body, WorldError> {
        Slot::find(&self.slots, id).ok_or(WorldError::NoSuchBody(id))
    }

    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body, WorldError> {
        let slot = self.slots.get_mut(id.index as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.body.as_mut()).ok_or(WorldError::NoSuchBody(id))
    }

    /// All bodies, in order of their ids.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        let id = |index: usize| BodyId { index: index as u32, generation: self.slots[index].generation };
        let body = move |(index, slot): (usize, &'_ Slot)| slot.body.is_some().then(|| id(index));
        let ids: Vec<BodyId> = self.slots.iter().enumerate().filter_map(body).collect();
        ids.into_iter().filter_map(|id| Some((id, self.body(id).ok()?)))
    }

    /// The first body of this name.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.bodies().find(|(_, body)| body.name == name).map(|(id, _)| id)
    }

    /// The body in a slot that is known to hold one.
    fn at(&self, index: u32) -> Option<(BodyId, &Body)> {
        let slot = &self.slots[index as usize];
        Some((BodyId { index, generation: slot.generation }, slot.body.as_ref()?))
    }

    /// Put a body to a group, by name; rules may speak of groups.
    pub fn set_group(&mut self, id: BodyId, group: impl Into<String>) -> Result<(), WorldError> {
        self.body_mut(id)?.group = Some(group.into());
        self.classify(id);
        self.edition += 1;
        Ok(())
    }

    /// Put a body on some layers, as bits; rules may speak of layers. All bodies start on layer 0.
    pub fn set_layers(&mut self, id: BodyId, layers: u32) -> Result<(), WorldError> {
        self.body_mut(id)?.layers = layers;
        self.classify(id);
        self.edition += 1;
        Ok(())
    }

    /// Give a body a number of the caller's choice, such as an index into a list of its own; 0 at first.
    pub fn set_user(&mut self, id: BodyId, user: u64) -> Result<(), WorldError> {
        self.body_mut(id)?.user = user;
        Ok(())
    }

    /// Tell whether the mesh of a solid is known to bound one: closed, and its faces agree about which side is out.
    /// Where nobody tells, [`check`](World::check) finds out. What is inside a solid with holes is a guess.
    pub fn set_bounds_solid(&mut self, id: BodyId, does: bool) -> Result<(), WorldError> {
        self.body_mut(id)?.bounds_solid = Some(does);
        Ok(())
    }

    /// Give a body another model, in the same place.
    pub fn set_model(&mut self, id: BodyId, model: &Model) -> Result<(), WorldError> {
        let body = self.body_mut(id)?;
        (body.model, body.bounds_solid) = (model.clone(), None);
        self.changed(id.index);
        Ok(())
    }

    /// Make a body larger or smaller about its own origin.
    pub fn scale(&mut self, id: BodyId, factor: f64) -> Result<(), WorldError> {
        let scaled = self.body(id)?.model.scaled(factor).map_err(|error| WorldError::Scale(id, error))?;
        self.set_model(id, &scaled)
    }

    /// Which pairs matter.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Change which pairs matter, at any time.
    pub fn rules_mut(&mut self) -> &mut Rules {
        self.edition += 1;
        self.classes.take();
        &mut self.rules
    }

    /// A body looks different to the rules.
    fn classify(&mut self, id: BodyId) {
        if let (Some(classes), Some(body)) = (self.classes.get_mut(), &self.slots[id.index as usize].body) {
            classes.put(&self.rules, id, body);
        }
    }

    /// How candidate pairs are found.
    pub fn method(&self) -> Method {
        self.broad.method()
    }

    /// A body and all that hang on it, directly or not; itself first.
    pub fn with_descendants(&self, id: BodyId) -> Result<Vec<BodyId>, WorldError> {
        self.body(id)?;
        let mut all = vec![id];
        let mut next = 0;
        while next < all.len() {
            all.extend_from_slice(&self.body(all[next])?.children);
            next += 1;
        }
        Ok(all)
    }

    /// Let a body hang on another: it stays where it is, and goes along from now on.
    pub fn attach(&mut self, id: BodyId, parent: BodyId) -> Result<(), WorldError> {
        self.body(parent)?;
        if self.with_descendants(id)?.contains(&parent) {
            return Err(WorldError::Loop(id, parent));
        }
        self.detach(id)?;
        self.body_mut(id)?.parent = Some(parent);
        self.body_mut(parent)?.children.push(id);
        Ok(())
    }

    /// Let a body hang on nothing; it stays where it is.
    pub fn detach(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.edition += 1;
        if let Some(parent) = self.body_mut(id)?.parent.take() {
            self.body_mut(parent)?.children.retain(|&child| child != id);
        }
        Ok(())
    }

    /// Put a body somewhere, without asking what is in the way. What hangs on it goes along.
    pub fn move_to(&mut self, id: BodyId, pose: Pose) -> Result<(), WorldError> {
        let there_from_here = pose * self.body(id)?.pose().inverse();
        self.place(id, &there_from_here, Some(pose))
    }

    /// Move a body by a change of world coordinates, without asking what is in the way. What hangs on it goes
    /// along.
    pub fn move_by(&mut self, id: BodyId, there_from_here: Pose) -> Result<(), WorldError> {
        self.place(id, &there_from_here, None)
    }

    /// All or nothing; `own` is met exactly.
    fn place(&mut self, id: BodyId, there_from_here: &Pose, own: Option<Pose>) -> Result<(), WorldError> {
        let mut placed = Vec::new();
        for member in self.with_descendants(id)? {
            let pose = own.filter(|_| member == id).unwrap_or(*there_from_here * self.body(member)?.pose());
            if !pose.is_valid() {
                return Err(WorldError::NotAPose(member));
            }
            placed.push((member, pose));
        }
        for (member, pose) in placed {
            self.body_mut(member)?.still = Still(pose);
            self.changed(member.index);
        }
        Ok(())
    }

    /// A body is new, was put elsewhere or looks different: nothing that is remembered about it counts any
    /// more.
    fn changed(&mut self, index: u32) {
        self.edition += 1;
        if let Some(body) = &mut self.slots[index as usize].body {
            body.epoch = self.edition;
        }
        self.stale.push(index);
    }

    /// All pairs of bodies that overlap where they rest, or are closer than their margin; exact, sorted.
    /// `Unknown` where a budget, which counts for each pair alone, ran out.
    pub fn touching(&mut self, budget: &Budget<'_>) -> Vec<([BodyId; 2], Overlap)> {
        self.rest_all();
        let pairs: Vec<[BodyId; 2]> = self.broad.pairs().filter_map(|(a, b)| self.included(a, b)).collect();
        let ask = |&[a, b]: &[BodyId; 2]| {
            let (Ok(body_a), Ok(body_b)) = (self.body(a), self.body(b)) else { return Overlap::Free };
            let Some(margin) = self.asked_margin([a, b]) else { return Overlap::Free };
            let [at_a, at_b] = [body_a, body_b].map(|body| body.model.at(body.pose()));
            with_ask(|ask| ask.anew().within(*budget).closer_than(&at_a, &at_b, margin))
        };
        let answers = parallel::map_few(&pairs, ask);
        pairs.into_iter().zip(answers).filter(|(_, answer)| *answer != Overlap::Free).collect()
    }
}

/// What a world has in memory.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Places for bodies.
    pub slots: usize,
    /// Answers about pairs.
    pub answers: usize,
    /// Pairs of boxes that meet.
    pub pairs: usize,
    /// Bodies whose box is to be made.
    pub stale: usize,
    /// How many boxes were made since there is the world.
    pub boxes_made: u64,
}

/// For tests of what comes and goes.
#[doc(hidden)]
pub fn kept(world: &World) -> Kept {
    Kept {
        slots: world.slots.len(),
        answers: world.memory.len(),
        pairs: world.broad.pairs().count(),
        stale: world.stale.len(),
        boxes_made: world.boxes_made,
    }
}
