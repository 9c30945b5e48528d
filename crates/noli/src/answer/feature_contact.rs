//! Contacts of bodies that are close but do not overlap.

use super::{Feature, SurfacePoint};
use glam::DVec3;

/// A vertex near a face, or an edge near an edge: where one body would keep the other from coming nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeatureContact {
    /// The point of A.
    pub on_a: SurfacePoint,
    /// The point of B.
    pub on_b: SurfacePoint,
    /// Unit vector from A to B, from the features: the normal of a face, or square to both edges. It is there where
    /// the points coincide, too.
    pub normal: DVec3,
    /// Distance between the points along the normal; rounded.
    pub clearance: f64,
}

/// Features of a contact: the same from step to step as long as the same features are near. Contacts of bodies
/// without faces cannot be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactId {
    /// The part and feature of A, the part and feature of B.
    pub of: [(Option<u32>, Option<Feature>); 2],
}

impl FeatureContact {
    /// Returns the identifier of the contact.
    pub fn id(&self) -> ContactId {
        ContactId { of: [self.on_a, self.on_b].map(|spot| (spot.part, spot.feature)) }
    }

    /// The point halfway.
    pub fn middle(&self) -> DVec3 {
        0.5 * (self.on_a.point + self.on_b.point)
    }

    pub(crate) fn swapped(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a, normal: -self.normal, clearance: self.clearance }
    }
}
