//! Errors in shape construction.

use crate::{HullError, MAX_COORDINATE, MeshError};

/// Errors in shape construction.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length is negative, not finite, or larger than [`MAX_COORDINATE`].
    #[error("the {what} is {value}; give a length from 0 to {MAX_COORDINATE:e}")]
    BadLength {
        /// Name of the length.
        what: &'static str,
        /// Value given.
        value: f64,
    },
    /// The points do not make a hull.
    #[error(transparent)]
    Hull(#[from] HullError),
    /// The vertices and faces do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A part of a compound has an invalid pose.
    #[error("part {part} of the compound has an invalid pose: it is not finite or has no rotation")]
    BadPose {
        /// The part, counted from 0.
        part: usize,
    },
    /// A functionally defined object that was not proven to end.
    #[error("the object is not proven to end; cut it off with bounds")]
    Unbounded,
    /// Vertices were given for a shape that has none.
    #[error("only a mesh or a polyhedron can be given other vertices")]
    NoFaces,
    /// Radii of points that are more or fewer than the points.
    #[error("there are {found} radii for {wanted} points; give one radius, or one for each point")]
    RadiusCount {
        /// Number of radii.
        found: usize,
        /// Number of points.
        wanted: usize,
    },
    /// A scale that is not a positive finite number.
    #[error("a shape cannot be scaled by {factor}; give a positive finite factor")]
    BadScale {
        /// The factor.
        factor: f64,
    },
}
