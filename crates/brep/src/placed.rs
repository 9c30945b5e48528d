//! Faces where a query places them.

use crate::boundary::Edge;
use crate::face::Face;
use crate::surface::Surface;
use glam::DVec3;

/// A range of values.
pub(crate) type Range = [f64; 2];

/// Takes points from the common frame to that of a body, and back.
pub(crate) trait Placement {
    fn in_body(&self, point: DVec3) -> DVec3;
    fn in_common(&self, point: DVec3) -> DVec3;
}

/// A face with its surface where it is placed.
pub(crate) struct PlacedFace<'f> {
    pub(crate) face: &'f Face,
    /// In the common frame.
    pub(crate) surface: &'f Surface,
    pub(crate) edges: &'f [Edge],
    pub(crate) placement: &'f dyn Placement,
    /// Error of points that were taken from one to the other.
    pub(crate) rounding: f64,
}
