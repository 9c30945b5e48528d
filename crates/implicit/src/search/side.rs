//! The other body of a search.

use glam::DVec3;
use noli_geom::Aabb;

/// The body an object is compared with: parts by number, 0 being all of it.
pub(crate) trait Side {
    /// A box around the part.
    fn bounds(&self, part: u32) -> Aabb;
    /// Returns the subparts of the part; empty if it cannot be divided.
    fn parts(&mut self, part: u32) -> Vec<u32>;
    /// At least the greatest `direction·x` on the part.
    fn support(&self, part: u32, direction: DVec3) -> f64;
    /// A point of it, if known, near the target, and how far rounding may have taken it.
    fn point_near(&mut self, part: u32, target: DVec3) -> Option<(DVec3, f64)>;
}
