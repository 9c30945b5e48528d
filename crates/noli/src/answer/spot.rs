//! Places on bodies.

use glam::DVec3;

/// A part of a mesh, by the numbers that the user gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// The edge between two vertices.
    Edge([u32; 2]),
    /// A face.
    Face(u32),
}

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfacePoint {
    /// In world coordinates, rounded.
    pub point: DVec3,
    /// Mesh feature that contains the point; `None` if the body is not a mesh.
    pub feature: Option<Feature>,
    /// Part of a compound that contains the point; `None` if the body is not a compound.
    pub part: Option<u32>,
}

impl SurfacePoint {
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
    pub on_a: SurfacePoint,
    /// On B.
    pub on_b: SurfacePoint,
}

impl Witness {
    pub(crate) fn points(on_a: DVec3, on_b: DVec3) -> Self {
        Self { on_a: SurfacePoint::at(on_a), on_b: SurfacePoint::at(on_b) }
    }

    pub(crate) fn swapped(self) -> Self {
        Self { on_a: self.on_b, on_b: self.on_a }
    }
}
