//! Errors in mesh construction.

use crate::MAX_COORDINATE;

/// DisableReason some vertices and faces do not make a [`Mesh`](crate::Mesh). Vertices, faces and vertices are
/// counted from 0.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A face names a vertex that does not exist.
    #[error(
        "face {face} names vertex {vertex}, but there are {count} vertices, counted from 0; correct the index"
    )]
    IndexOutOfRange {
        /// The face.
        face: usize,
        /// Index given.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not finite; remove it or give it a position")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A coordinate exceeds [`MAX_COORDINATE`].
    #[error("vertex {vertex} lies further out than {MAX_COORDINATE:e}; use a larger unit of length")]
    TooFar {
        /// The vertex.
        vertex: usize,
    },
    /// A face has no vertex at all.
    #[error("face {face} has no vertices; remove it")]
    EmptyFace {
        /// The face.
        face: usize,
    },
    /// More than fit the numbering.
    #[error("{count} {what} are more than the {limit} one mesh can hold; split it into several")]
    TooMany {
        /// Vertices, vertices or triangles.
        what: &'static str,
        /// Number given.
        count: usize,
        /// Largest number allowed.
        limit: u32,
    },
    /// New positions or numbers that do not fit the mesh.
    #[error("{found} {what} were given for a mesh of {expected}; give one for each, in the mesh's order")]
    WrongCount {
        /// Vertices or faces.
        what: &'static str,
        /// Number in the mesh.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// A scale that is not a positive finite number.
    #[error("a mesh cannot be scaled by {factor}; give a positive finite factor")]
    BadScale {
        /// The factor.
        factor: f64,
    },
    /// A length that is not positive or too large.
    #[error("the {what} is {value}; give a length greater than 0 and at most {:e}", 0.5 * MAX_COORDINATE)]
    BadLength {
        /// Name of the length.
        what: &'static str,
        /// Value given.
        value: f64,
    },
}
