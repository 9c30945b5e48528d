//! Bodies as they are given to a simulation.

use crate::{MassProperties, SimError};
use glam::DVec3;
use noli::motion::Motion;
use noli::{Model, Pose};
use std::sync::Arc;

/// How a surface meets another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient; of two bodies the geometric mean counts.
    pub friction: f64,
    /// How much of the speed of approach comes back, from 0 to 1; of two bodies the larger counts.
    pub restitution: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self { friction: 0.5, restitution: 0.0 }
    }
}

impl Material {
    /// No friction, and no bounce.
    pub const SMOOTH: Self = Self { friction: 0.0, restitution: 0.0 };

    pub(crate) fn between(&self, other: &Self) -> Self {
        Self {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
        }
    }

    pub(crate) fn check(&self, body: &str) -> Result<(), SimError> {
        let wrong = |what, value, range| SimError::Coefficient { body: body.to_owned(), what, value, range };
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(wrong("friction", self.friction, "of 0 or more"));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(wrong("restitution", self.restitution, "from 0 to 1"));
        }
        Ok(())
    }
}

/// What moves a body.
#[derive(Clone, Debug)]
pub enum Role {
    /// Nothing.
    Fixed,
    /// A motion over a number of seconds, whatever is in its way; it waits where a proof fails.
    Driven(Arc<dyn Motion>, f64),
    /// Gravity and contact.
    Free(MassProperties),
}

/// A body as it is given.
#[derive(Clone, Debug)]
pub struct BodySpec {
    /// How it is called.
    pub name: String,
    /// What it is.
    pub model: Model,
    /// Where it stands.
    pub pose: Pose,
    /// What moves it.
    pub role: Role,
    /// How its surface meets others.
    pub material: Material,
    /// The velocity of its centre of mass.
    pub velocity: DVec3,
    /// Its angular velocity, in the world.
    pub spin: DVec3,
}

impl BodySpec {
    fn new(name: &str, model: Model, pose: Pose, role: Role) -> Self {
        let (velocity, spin) = (DVec3::ZERO, DVec3::ZERO);
        Self { name: name.to_owned(), model, pose, role, material: Material::default(), velocity, spin }
    }

    /// A body that stays.
    pub fn fixed(name: &str, model: Model, pose: Pose) -> Self {
        Self::new(name, model, pose, Role::Fixed)
    }

    /// A body that follows a motion for so many seconds, and then stays.
    pub fn driven(name: &str, model: Model, motion: Arc<dyn Motion>, seconds: f64) -> Self {
        let start = motion.pose(0.0);
        Self::new(name, model, start, Role::Driven(motion, seconds))
    }

    /// A body that falls, of density 1 if its model tells its volume; else of mass 1, as a ball would have it. Give it
    /// other [`weighing`](Self::weighing) where that matters.
    pub fn free(name: &str, model: Model, pose: Pose) -> Self {
        let role = Role::Free(guess(name, &model));
        Self::new(name, model, pose, role)
    }

    /// The same with this mass.
    pub fn weighing(self, mass: MassProperties) -> Self {
        Self { role: Role::Free(mass), ..self }
    }

    /// The same with this surface.
    pub fn of(self, material: Material) -> Self {
        Self { material, ..self }
    }

    /// The same, moving at the start.
    pub fn moving(self, velocity: DVec3, spin: DVec3) -> Self {
        Self { velocity, spin, ..self }
    }
}

fn guess(name: &str, model: &Model) -> MassProperties {
    let shape = match (model.mesh(), model.convex()) {
        (Some(mesh), _) => Some(noli::Shape::from(mesh)),
        (_, Some(convex)) => Some(noli::Shape::from(convex.clone())),
        _ => None,
    };
    let known = shape.and_then(|shape| MassProperties::with_density(name, &shape, 1.0).ok());
    known.unwrap_or_else(|| {
        let bounds = model.aabb();
        let radius = 0.5 * bounds.size().length();
        let radius = if radius > 0.0 && radius.is_finite() { radius } else { 1.0 };
        let center = if bounds.center().is_finite() { bounds.center() } else { DVec3::ZERO };
        MassProperties { mass: 1.0, center, inertia: glam::DMat3::IDENTITY * (0.4 * radius * radius) }
    })
}
