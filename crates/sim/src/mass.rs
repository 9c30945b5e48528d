//! Mass and inertia of bodies.

use crate::error::SimError;
use glam::{DMat3, DVec3};
use noli::Shape;
use noli::model::{Mass, MeshKind};
use noli_geom::Pose;

/// Mass, centre and inertia of a body, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// More than zero.
    pub mass: f64,
    /// The centre of mass.
    pub center: DVec3,
    /// About the centre, in the axes of the body's frame.
    pub inertia: DMat3,
}

impl MassProperties {
    /// A body of even density that has this mass.
    pub fn with_mass(body: &str, shape: &Shape, mass: f64) -> Result<Self, SimError> {
        let unit = mass_of(body, shape)?;
        Self::of_volume(body, &unit, mass / unit.volume)
    }

    /// A body of even density.
    pub fn with_density(body: &str, shape: &Shape, density: f64) -> Result<Self, SimError> {
        Self::of_volume(body, &mass_of(body, shape)?, density)
    }

    fn of_volume(body: &str, unit: &Mass, density: f64) -> Result<Self, SimError> {
        let found =
            Self { mass: unit.volume * density, center: unit.center, inertia: unit.inertia * density };
        found.check(body)?;
        Ok(found)
    }

    /// Refuses what no body can have.
    pub fn check(&self, body: &str) -> Result<(), SimError> {
        let name = || body.to_owned();
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Err(SimError::Mass { body: name(), mass: self.mass });
        }
        if !self.center.is_finite() {
            return Err(SimError::NotFinite { body: name(), what: "centre of mass" });
        }
        let m = &self.inertia;
        let largest = m.to_cols_array().iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let slack = 1e-9 * largest;
        let symmetric = (*m - m.transpose()).to_cols_array().iter().all(|x| x.abs() <= slack);
        // ∫ x xᵀ = ½ tr(I) − I must be positive semidefinite, and I definite: by leading minors, up to rounding.
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let spread = DMat3::IDENTITY * (0.5 * trace) - *m;
        let minors = |m: &DMat3| {
            let two = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
            [m.x_axis.x / largest, two / largest.powi(2), m.determinant() / largest.powi(3)]
        };
        let possible = largest.is_finite()
            && largest > 0.0
            && symmetric
            && minors(m).iter().all(|&x| x > 0.0)
            && minors(&spread).iter().all(|&x| x > -1e-6);
        if possible { Ok(()) } else { Err(SimError::Inertia { body: name() }) }
    }
}

/// Volume, centre and inertia of a shape at density 1.
pub fn mass_of(body: &str, shape: &Shape) -> Result<Mass, SimError> {
    let refused = |reason| Err(SimError::NoMass { body: body.to_owned(), reason });
    let found = match shape {
        Shape::Mesh(mesh) => {
            let mass = mesh.mass();
            // Inside out is the same body.
            if mass.volume < 0.0 {
                Mass { volume: -mass.volume, inertia: mass.inertia * -1.0, ..mass }
            } else if mesh.kind() == MeshKind::Surface && !mesh.is_closed() {
                return refused("it is an open surface");
            } else {
                mass
            }
        }
        Shape::Convex(convex) => match convex.mass() {
            Some(mass) => mass,
            None => return refused("it has rounded edges or is a user's own"),
        },
        Shape::Voxels(voxels) => voxels.mass(),
        Shape::Compound(parts) => {
            let mut all = Vec::with_capacity(parts.len());
            for (pose, part) in parts {
                let pose: &Pose = pose;
                all.push(mass_of(body, part)?.transformed(pose));
            }
            all.into_iter().sum()
        }
        Shape::HalfSpace => return refused("a half-space has no end"),
        _ => return refused("it is given by a formula"),
    };
    if found.volume > 0.0 && found.volume.is_finite() { Ok(found) } else { refused("it has no volume") }
}
