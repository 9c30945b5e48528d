//! Dynamic properties that a simulation adds to the bodies of its world.

use crate::error::SimError;
use crate::mass::MassProperties;
use glam::DVec3;
use noli::Model;
use noli::motion::Motion;
use std::sync::Arc;

/// Contact properties of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient; of two bodies the geometric mean counts.
    pub friction: f64,
    /// Coefficient of restitution, from 0 to 1; of two bodies the larger counts.
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

/// Cause of a body's motion.
#[derive(Clone, Debug)]
pub enum Role {
    /// Nothing.
    Fixed,
    /// A motion over a number of seconds, regardless of obstacles; it waits where a proof fails.
    Driven(Arc<dyn Motion>, f64),
    /// Gravity and contact.
    Free(MassProperties),
}

/// Role of a body of the world in a simulation.
#[derive(Clone, Debug)]
#[must_use]
pub struct BodySpec {
    /// Cause of its motion.
    pub role: Role,
    /// Contact properties of its surface.
    pub material: Material,
    /// The velocity of its centre of mass.
    pub velocity: DVec3,
    /// Its angular velocity, in the world.
    pub spin: DVec3,
}

impl BodySpec {
    fn new(role: Role) -> Self {
        Self { role, material: Material::default(), velocity: DVec3::ZERO, spin: DVec3::ZERO }
    }

    /// A body that stays.
    pub fn fixed() -> Self {
        Self::new(Role::Fixed)
    }

    /// A body that follows a motion for so many seconds, and then stays. It starts where the motion does.
    pub fn driven(motion: Arc<dyn Motion>, seconds: f64) -> Self {
        Self::new(Role::Driven(motion, seconds))
    }

    /// A body under gravity. Its mass is that of the model at density 1. For models without volume it is 1,
    /// spread as in a sphere; set another by [`with_mass`](Self::with_mass).
    pub fn free(model: &Model) -> Self {
        Self::new(Role::Free(guess(model)))
    }

    /// The same with this mass.
    pub fn with_mass(self, mass: MassProperties) -> Self {
        Self { role: Role::Free(mass), ..self }
    }

    /// The same with this surface.
    pub fn with_material(self, material: Material) -> Self {
        Self { material, ..self }
    }

    /// The same with these velocities at the start, linear and angular.
    pub fn with_velocity(self, velocity: DVec3, spin: DVec3) -> Self {
        Self { velocity, spin, ..self }
    }

    /// Refuses what no body can have.
    pub(crate) fn check(&self, body: &str) -> Result<(), SimError> {
        let not_finite = |what| Err(SimError::NotFinite { body: body.to_owned(), what });
        for (what, vector) in [("velocity", self.velocity), ("angular velocity", self.spin)] {
            if !vector.is_finite() {
                return not_finite(what);
            }
        }
        self.material.check(body)?;
        match &self.role {
            Role::Free(mass) => mass.check(body),
            Role::Driven(_, seconds) if !(*seconds > 0.0 && seconds.is_finite()) => {
                not_finite("time of its motion")
            }
            Role::Driven(..) | Role::Fixed => Ok(()),
        }
    }
}

fn guess(model: &Model) -> MassProperties {
    let shape = match (model.mesh(), model.convex()) {
        (Some(mesh), _) => Some(noli::Shape::from(mesh)),
        (_, Some(convex)) => Some(noli::Shape::from(convex.clone())),
        _ => None,
    };
    let known = shape.and_then(|shape| MassProperties::with_density("", &shape, 1.0).ok());
    known.unwrap_or_else(|| {
        let bounds = model.aabb();
        let radius = 0.5 * bounds.size().length();
        let radius = if radius > 0.0 && radius.is_finite() { radius } else { 1.0 };
        let center = if bounds.center().is_finite() { bounds.center() } else { DVec3::ZERO };
        MassProperties { mass: 1.0, center, inertia: glam::DMat3::IDENTITY * (0.4 * radius * radius) }
    })
}
