//! World of many bodies: their poses, their hierarchy, the enabled pairs, and the step that moves them
//! safely.
//!
//! After chapters 7 and 8 and appendix B of Eckstein's thesis (1998). The control loop is `moves → moved
//! bodies → pair tests → earliest time of each group → commit`. [`World::plan`] does all but the last, so
//! that clients can inspect a [`Step`] and change it before [`World::commit`].

mod answers;
mod body;
mod budget_shares;
mod candidates;
mod carried_moves;
mod check;
mod classes;
mod contacts;
mod cross_check;
mod findings;
mod memory;
mod moves;
mod options;
mod pair_job;
mod pair_test;
mod path_clearance;
mod pattern;
mod plan;
mod policy;
mod rules;
mod snapshot;
mod stop_groups;
mod stopping_times;

#[cfg(test)]
mod tests;

pub use answers::{AfterStart, Answer, Basis, Outcome, StepStats};
pub use body::{Body, BodyId};
pub use check::CheckOptions;
pub use contacts::PairContacts;
pub use cross_check::{Mismatch, PairTest};
pub use findings::{CheckResult, FaceIntersection, Finding, PairStatus};
pub use moves::Move;
pub use options::{BudgetPolicy, InitialContact, StepOptions, StopPolicy};
pub use path_clearance::{PassageOptions, PathClearance, PathSample};
pub use pattern::Pattern;
pub use plan::Step;
pub use policy::{PairInMotion, PairTestMode, StepPolicy, TimedOut, UnfinishedPair};
pub use rules::{BodySelector, Rules};
pub use snapshot::{Nearest, Snapshot, SnapshotContext};

use crate::answer::Overlap;
use crate::broad::{BroadPhase, Method};
use crate::context::with_context;
use crate::model::Model;
use crate::{Budget, parallel};
use body::Slot;
use classes::Classes;
use memory::Memory;
use noli_geom::{Pose, ShapeError, Still};
use std::sync::OnceLock;

/// Reason why a world rejects an operation.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// The body was removed, or belongs to another world.
    #[error("there is no body {0}: it was removed, or belongs to another world")]
    NoSuchBody(BodyId),
    /// A pose is not a pose.
    #[error("body {0} has an invalid pose: a coordinate is not finite or too large, or a quaternion is zero")]
    NotAPose(BodyId),
    /// A body would become its own ancestor.
    #[error("body {0} cannot be attached to {1}, which is attached to it; detach that first")]
    Loop(BodyId, BodyId),
    /// Two moves of one step move the same body. Either neither of them also moves its parent, or one does not
    /// begin at its current pose.
    #[error("body {0} is moved twice in one step; join the motions into one, or attach it to its carrier")]
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
#[doc(alias("CollisionWorld", "PlanningScene", "CollisionManager"))]
#[derive(Clone, Debug)]
pub struct World {
    slots: Vec<Slot>,
    free: Vec<u32>,
    rules: Rules,
    /// The rules evaluated for the bodies; built on first use after the rules have changed.
    classes: OnceLock<Classes>,
    broad: BroadPhase,
    /// Numbers of bodies whose box in the broad phase is not the one they rest in.
    stale: Vec<u32>,
    memory: Memory,
    /// Margin included in the boxes.
    boxed_margin: f64,
    /// Length by which the bodies of a pair may reach beyond their models.
    reach: f64,
    /// Changes with every edit, to detect outdated planned steps.
    edition: u64,
    boxes_made: u64,
}

impl std::ops::Index<BodyId> for World {
    type Output = Body;

    /// Panics if there is no such body; [`World::body`] returns an error instead.
    fn index(&self, id: BodyId) -> &Body {
        Slot::get(&self.slots, id)
    }
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
            reach: 0.0,
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

    /// Removes a body. Its children keep their poses and lose their parent.
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
        Slot::bodies(&self.slots)
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
    pub fn set_user_data(&mut self, id: BodyId, user: u64) -> Result<(), WorldError> {
        self.body_mut(id)?.user = user;
        Ok(())
    }

    /// Declares whether the mesh of a solid is watertight: closed, with consistently oriented faces. If
    /// undeclared, [`check`](World::check) computes it. The interior of a solid with holes is a guess.
    pub fn set_watertight(&mut self, id: BodyId, does: bool) -> Result<(), WorldError> {
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

    /// Returns the rules that enable pairs.
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

    /// Returns the broad-phase method that finds candidate pairs.
    pub fn method(&self) -> Method {
        self.broad.method()
    }

    /// Returns a body and all its descendants; itself first.
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

    /// Attaches a body to a parent: it keeps its pose, and moves along from now on.
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

    /// Detaches a body from its parent; it keeps its pose.
    pub fn detach(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.edition += 1;
        if let Some(parent) = self.body_mut(id)?.parent.take() {
            self.body_mut(parent)?.children.retain(|&child| child != id);
        }
        Ok(())
    }

    /// Places a body at a pose without testing for obstacles. Its children move along.
    pub fn move_to(&mut self, id: BodyId, pose: Pose) -> Result<(), WorldError> {
        let there_from_here = pose * self.body(id)?.pose().inverse();
        self.place(id, &there_from_here, Some(pose))
    }

    /// Moves a body by a change of world coordinates without testing for obstacles. Its children move along.
    pub fn move_by(&mut self, id: BodyId, there_from_here: Pose) -> Result<(), WorldError> {
        self.place(id, &there_from_here, None)
    }

    /// Moves all or nothing; `own` is reached exactly.
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
            with_context(|ask| ask.reborrow().with_budget(*budget).within_distance(&at_a, &at_b, margin))
        };
        let answers = parallel::map_few(&pairs, ask);
        pairs.into_iter().zip(answers).filter(|(_, answer)| *answer != Overlap::Free).collect()
    }
}
