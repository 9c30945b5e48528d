//! Ray-cast answers.

/// From where a ray comes to a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum RaySide {
    /// From the side its vertices turn counter-clockwise about: the outside of a solid.
    Front,
    /// From the other side.
    Back,
    /// Along its plane, or the face has no area.
    Grazing,
}

/// A face, or the surface of a body without faces, that a ray intersects.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The triangle of a mesh or polyhedron; [`Mesh::user_face`](noli_geom::Mesh::user_face) gives the face as it was
    /// given. `None` if the body has no faces.
    pub triangle: Option<u32>,
    /// Intersected part of a compound; `None` if the body is not a compound.
    pub part: Option<u32>,
    /// Parameter of the first intersection, in lengths of the direction, to a relative error of `2^-40`. For a
    /// [grazing](RaySide::Grazing) hit the point is within `2^-40` of the largest coordinate.
    pub t: f64,
    /// From where the ray comes. Exact.
    pub side: RaySide,
}

impl RayHit {
    pub(crate) fn surface(t: f64, side: RaySide) -> Self {
        Self { triangle: None, part: None, t, side }
    }
}
