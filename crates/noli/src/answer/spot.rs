//! Places on bodies.

use glam::DVec3;

/// A part of a mesh, by the numbers that the user gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Feature {
    /// A corner.
    Vertex(u32),
    /// The edge between two corners.
    Edge([u32; 2]),
    /// A face.
    Face(u32),
}

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Spot {
    /// In world coordinates, rounded.
    pub point: DVec3,
    /// What of a mesh it lies on; `None` if the body is no mesh.
    pub feature: Option<Feature>,
    /// Which part of a compound it lies on; `None` if the body is no compound.
    pub part: Option<u32>,
}

impl Spot {
    /// A place on a body that has no faces.
    pub const fn at(point: DVec3) -> Self {
        Self { point, feature: None, part: None }
    }

    /// A place on a feature of a mesh.
    pub const fn on(point: DVec3, feature: Feature) -> Self {
        Self { point, feature: Some(feature), part: None }
    }

    pub(crate) fn of_part(self, part: u32) -> Self {
        Self { part: Some(part), ..self }
    }

    /// The face, if it lies on one.
    pub fn face(&self) -> Option<u32> {
        match self.feature {
            Some(Feature::Face(face)) => Some(face),
            _ => None,
        }
    }
}

/// The two points that realise an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Witness {
    /// On A.
    pub on_a: Spot,
    /// On B.
    pub on_b: Spot,
}

impl Witness {
    pub(crate) fn points(on_a: DVec3, on_b: DVec3) -> Self {
        Self { on_a: Spot::at(on_a), on_b: Spot::at(on_b) }
    }

    pub(crate) fn swapped(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a }
    }
}
