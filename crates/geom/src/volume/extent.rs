//! Extents of convex sets along a direction.

use super::{Obb, Sphere};
use glam::DVec3;

/// A convex set by its extent in every direction.
pub(super) trait Extent {
    /// A lower and an upper bound of `direction · x` over the set, up to a few roundings of
    /// [`Extent::bounding_radius`].
    fn extent(&self, direction: DVec3) -> [f64; 2];
    /// A bound on the magnitude of its coordinates.
    fn bounding_radius(&self) -> f64;
}

impl Extent for Sphere {
    fn extent(&self, direction: DVec3) -> [f64; 2] {
        let (middle, half) = (self.center.dot(direction), self.radius * direction.length());
        [middle - half, middle + half]
    }
    fn bounding_radius(&self) -> f64 {
        self.center.abs().max_element() + self.radius
    }
}

impl Extent for Obb {
    fn extent(&self, direction: DVec3) -> [f64; 2] {
        let half = (self.axes.transpose() * direction).abs().dot(self.half_extents);
        let middle = self.center.dot(direction);
        [middle - half, middle + half]
    }
    fn bounding_radius(&self) -> f64 {
        self.center.abs().max_element() + self.half_extents.element_sum()
    }
}
