//! Geometry as given: plain data in its own frame.

mod balls;
mod convex;
mod error;
mod mass;
mod voxels;

#[cfg(test)]
mod tests;

pub use balls::Balls;
pub use convex::{Convex, Core, Support, UserBody};
pub use error::ShapeError;
pub use mass::Mass;
pub use voxels::Voxels;

use crate::{Aabb, Mesh, Pose};
use glam::DVec3;

/// What a body is made of.
///
/// ```
/// use noli_geom::{Convex, Shape};
/// let ball = Shape::from(Convex::sphere(0.5)?);
/// assert_eq!(ball.aabb().size(), glam::DVec3::ONE);
/// # Ok::<(), noli_geom::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A convex body.
    Convex(Convex),
    /// All points with `z <= 0`: a floor; its pose puts it anywhere.
    HalfSpace,
    /// A surface of triangles, or the solid it bounds.
    Mesh(Mesh),
    /// Filled cells of a grid.
    Voxels(Voxels),
    /// Several shapes in one frame.
    Compound(Vec<(Pose, Shape)>),
}

impl From<Convex> for Shape {
    fn from(convex: Convex) -> Self {
        Self::Convex(convex)
    }
}

impl From<Mesh> for Shape {
    fn from(mesh: Mesh) -> Self {
        Self::Mesh(mesh)
    }
}

impl From<Voxels> for Shape {
    fn from(voxels: Voxels) -> Self {
        Self::Voxels(voxels)
    }
}

impl Shape {
    /// A box around it, rounded outward; infinite around a half-space.
    pub fn aabb(&self) -> Aabb {
        match self {
            Self::Convex(convex) => convex.aabb(),
            Self::HalfSpace => Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY.with_z(0.0) },
            Self::Mesh(mesh) => mesh.aabb(),
            Self::Voxels(voxels) => voxels.boxes().fold(Aabb::EMPTY, Aabb::union),
            Self::Compound(parts) => {
                parts.iter().map(|(pose, part)| part.aabb().moved(pose)).fold(Aabb::EMPTY, Aabb::union)
            }
        }
    }

    /// Volume, centre and inertia of it filled with density 1, rounded; `None` for a half-space, and for
    /// bodies with rounded edges other than capsules, which have no short formula.
    pub fn mass(&self) -> Option<Mass> {
        match self {
            Self::Convex(convex) => convex.mass(),
            Self::HalfSpace => None,
            Self::Mesh(mesh) => Some(Mass::of_mesh(mesh)),
            Self::Voxels(voxels) => Some(voxels.boxes().map(|b| Mass::of_box(&b)).sum()),
            Self::Compound(parts) => parts.iter().map(|(pose, part)| Some(part.mass()?.moved(pose))).sum(),
        }
    }
}
