//! Contact points and penetration depth.

use super::{Bracket, Guarantee, SurfacePoint};
use glam::DVec3;
use noli_geom::Pose;

/// Two contact points, the separating direction, and the penetration depth.
///
/// The depth is the length of the shortest separating translation. The points are its witnesses:
/// `on_a - on_b` is `normal` times the depth, up to rounding (sideways on round surfaces, up to its square root).
/// Deep in each other, neither point need lie in the other body.
///
/// For a mesh, which need not be convex, `depth.at_most` and the points are those of its convex hull, and
/// `depth.at_least` is 0. For a compound all are those of the deepest part. For a field, `depth.at_most` is that
/// of its bounding box (except against a half-space), and both points are the same common point.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// A point of A's surface.
    pub on_a: SurfacePoint,
    /// A point of B's surface.
    pub on_b: SurfacePoint,
    /// Unit vector from A to B: moving B along it by `depth.at_most` separates convex bodies.
    pub normal: DVec3,
    /// Penetration depth of the bodies.
    pub depth: Bracket,
    /// Guarantee on the overlap itself; the bracket always holds.
    pub guarantee: Guarantee,
}

/// Contacts that share a normal: what a physics engine needs to keep a body from tipping.
#[doc(alias = "contact manifold")]
#[must_use]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    /// One to four contacts; the first is the deepest. Depths are measured along the normal: a bracket for the
    /// first, rounded values for the others, which are approximate.
    pub contacts: Vec<Contact>,
}

impl Contact {
    pub(crate) fn new(on_a: DVec3, on_b: DVec3, normal: DVec3, depth: Bracket) -> Self {
        let [on_a, on_b] = [on_a, on_b].map(SurfacePoint::at);
        Self { on_a, on_b, normal, depth, guarantee: Guarantee::Exact }
    }

    pub(crate) fn swapped(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a, normal: -self.normal, ..self }
    }

    /// From the frame of a body to the world.
    pub(crate) fn placed(mut self, pose: &Pose) -> Self {
        self.on_a.point = pose.transform_point(self.on_a.point);
        self.on_b.point = pose.transform_point(self.on_b.point);
        self.normal = pose.transform_vector(self.normal);
        self
    }

    /// The same, where rounding may have moved a body.
    pub(crate) fn loosened(mut self, by: f64) -> Self {
        self.depth.at_least = (self.depth.at_least - by).max(0.0);
        self.depth.at_most += by;
        self
    }
}
