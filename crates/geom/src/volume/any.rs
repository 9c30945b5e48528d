//! Volumes of mixed kinds.

use super::extent::Extent;
use super::{Kdop, Obb, Sphere};
use crate::Aabb;
use glam::DVec3;

/// Kinds of volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VolumeKind {
    /// [`Sphere`].
    Sphere,
    /// [`Aabb`], aligned with the axes of its body.
    Aabb,
    /// [`Obb`].
    #[default]
    Obb,
    /// [`Kdop`].
    Kdop,
}

impl VolumeKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Sphere, Self::Aabb, Self::Obb, Self::Kdop];
}

/// A volume of any kind: what a node of a mixed tree holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyVolume {
    /// A sphere.
    Sphere(Sphere),
    /// A box along the axes of the body.
    Aabb(Aabb),
    /// A box.
    Obb(Obb),
    /// A box with cut edges and vertices.
    Kdop(Kdop),
}

impl AnyVolume {
    /// The largest of `direction · x` over the volume, from above.
    pub fn support(&self, direction: DVec3) -> f64 {
        match self {
            Self::Sphere(volume) => volume.extent(direction)[1],
            Self::Aabb(volume) => Obb::from(*volume).extent(direction)[1],
            Self::Obb(volume) => volume.extent(direction)[1],
            Self::Kdop(volume) => volume.extent(direction)[1],
        }
    }

    /// A point of the volume, about its middle.
    pub fn center(&self) -> DVec3 {
        match self {
            Self::Sphere(volume) => volume.center,
            Self::Aabb(volume) => volume.center(),
            Self::Obb(volume) => volume.center,
            Self::Kdop(volume) => volume.aabb().center(),
        }
    }
}
