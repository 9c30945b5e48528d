//! A body and its name.

use crate::model::Model;
use noli_geom::{Pose, Sphere, Still};

/// Names a body for good: the id of a removed body never names another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl BodyId {
    /// The place of the body among all, which is used again after it was removed.
    pub fn index(self) -> u32 {
        self.index
    }
}

impl std::fmt::Display for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}

/// A model with a name and a place.
#[derive(Clone, Debug)]
pub struct Body {
    pub(super) name: String,
    pub(super) model: Model,
    pub(super) still: Still,
    pub(super) parent: Option<BodyId>,
    pub(super) children: Vec<BodyId>,
    pub(super) group: Option<String>,
    pub(super) layers: u32,
    pub(super) user: u64,
    /// `true` if its mesh bounds a solid; `None` if unknown.
    pub(super) bounds_solid: Option<bool>,
    /// Epoch of the last placement without a motion.
    pub(super) epoch: u64,
    /// Bound on how far its points have moved since then.
    pub(super) travelled: f64,
}

impl Body {
    pub(super) fn new(name: String, model: Model, pose: Pose) -> Self {
        Self {
            name,
            model,
            still: Still(pose),
            parent: None,
            children: Vec::new(),
            group: None,
            layers: 1,
            user: 0,
            bounds_solid: None,
            epoch: 0,
            travelled: 0.0,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shape.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns its pose: `world_from_body`.
    pub fn pose(&self) -> Pose {
        self.still.0
    }

    /// Returns the parent body.
    pub fn parent(&self) -> Option<BodyId> {
        self.parent
    }

    /// Returns the child bodies.
    pub fn children(&self) -> &[BodyId] {
        &self.children
    }

    /// The group it was put to.
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// The layers it is on, as bits.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// The caller's own number for it; see [`World::set_user_data`](super::World::set_user_data).
    pub fn user(&self) -> u64 {
        self.user
    }

    pub(super) fn sphere(&self) -> Sphere {
        self.model.moving(&self.still).sphere()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    pub(super) generation: u32,
    pub(super) body: Option<Body>,
}

impl Slot {
    /// The body of an id; `None` if it was removed, or belongs to others than these.
    pub(super) fn find(slots: &[Self], id: BodyId) -> Option<&Body> {
        let slot = slots.get(id.index as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.body.as_ref())
    }

    /// All bodies, in order of their ids.
    pub(super) fn bodies(slots: &[Self]) -> impl Iterator<Item = (BodyId, &Body)> {
        slots.iter().enumerate().filter_map(|(index, slot)| {
            let id = BodyId { index: index as u32, generation: slot.generation };
            Some((id, slot.body.as_ref()?))
        })
    }

    /// The body of an id; panics if it was removed, or belongs to others than these.
    pub(super) fn get(slots: &[Self], id: BodyId) -> &Body {
        let found = Self::find(slots, id);
        found.unwrap_or_else(|| panic!("there is no body {id}: it was removed, or belongs to another world"))
    }
}
