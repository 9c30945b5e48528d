//! Where and how deep.

use super::{Bracket, Guarantee, Spot};
use glam::DVec3;
use noli_geom::Pose;

/// Two points that must part, the direction in which, and how far.
///
/// The depth is the shortest way that takes the bodies apart. For a mesh, which need not be convex, `depth.at_most` is
/// that of its convex hull and `depth.at_least` is 0; of a compound it is the deepest part's own. For a field,
/// `depth.at_most` is that of a box around it (except against a half-space), and both points are one that the bodies
/// share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// A point of A's surface in B.
    pub on_a: Spot,
    /// A point of B's surface in A.
    pub on_b: Spot,
    /// Unit vector from A to B: moving B along it by `depth.at_most` takes convex bodies apart.
    pub normal: DVec3,
    /// How far the bodies reach into each other.
    pub depth: Bracket,
    /// What it promises that the bodies overlap; the bracket itself always holds.
    pub guarantee: Guarantee,
}

/// Contacts that share a normal: what a physics engine needs to keep a body from tipping.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Manifold {
    /// One to four contacts; the first is the deepest. Depths are measured along the normal: a bracket for the
    /// first, rounded values for the others, which are approximate.
    pub contacts: Vec<Contact>,
}

impl Contact {
    pub(crate) fn new(on_a: DVec3, on_b: DVec3, normal: DVec3, depth: Bracket) -> Self {
        let [on_a, on_b] = [on_a, on_b].map(Spot::at);
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
