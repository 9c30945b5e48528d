//! Size of a volume.

use super::{Kdop, Sphere, length};
use glam::DVec3;
use std::f64::consts::PI;

/// By what volumes are compared; smaller is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Content. All flat volumes look perfect.
    Volume,
    /// Area of the surface.
    #[default]
    Surface,
    /// Largest distance of two points.
    Diameter,
    /// Largest distance of a point of the volume to what it holds
    /// ([`hausdorff`](crate::internals::hausdorff)). Fits go by the surface and are measured afterwards: one
    /// evaluation costs as much as many fits.
    Hausdorff,
}

impl Measure {
    /// Returns the measure that fits minimise: the measure itself, or its substitute.
    pub fn fitted(self) -> Self {
        if self == Self::Hausdorff { Self::Surface } else { self }
    }

    /// Of a box with these edges.
    pub fn of_box(self, edges: DVec3) -> f64 {
        match self {
            Self::Volume => edges.element_product(),
            Self::Surface => 2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x),
            Self::Diameter => length(edges),
            Self::Hausdorff => 0.0,
        }
    }

    pub(super) fn of_sphere(self, sphere: &Sphere) -> f64 {
        let r = sphere.radius;
        match self {
            Self::Volume => 4.0 / 3.0 * PI * r * r * r,
            Self::Surface => 4.0 * PI * r * r,
            Self::Diameter => 2.0 * r,
            Self::Hausdorff => 0.0,
        }
    }

    /// A flat k-DOP counts as the box around it.
    pub(super) fn of_kdop(self, dop: &Kdop) -> f64 {
        let Some(body) = dop.polytope() else { return self.of_box(dop.aabb().size()) };
        match self {
            Self::Volume => body.volume(),
            Self::Surface => body.area(),
            Self::Diameter => body.diameter(),
            Self::Hausdorff => 0.0,
        }
    }
}
