//! Swept volumes of moving bodies, proven.
//!
//! [`sweep`] divides space into an octree. A cell is left out where every body is proven to stay outside of it during all
//! of the time: its distance from the cell at one time exceeds its travel until another. A cell that one body contains at
//! some time is an inner one. The other cells are halved, down to the size that the error needs.
//!
//! | task | item |
//! |---|---|
//! | swept volume of bodies in motion | [`sweep`] |
//! | bodies of a robot on a joint curve | [`ArmSweep`] |
//! | closed meshes | [`SweptVolume::outer_mesh`], [`SweptVolume::inner_mesh`] |
//! | few boxes that enclose it | [`SweptVolume::boxes`] |

mod arm;
mod boxes;
mod cells;
mod distances;
mod grid;
mod hash;
mod near;
mod parallel;
mod plain;
mod setup;
mod solid;
mod surface;
mod times;
mod triangles;
mod volume;

pub use arm::ArmSweep;
pub use cells::sweep;
#[doc(hidden)]
pub use plain::sweep_plain;
pub use volume::SweptVolume;

use noli::Model;
use noli_geom::Motion;

/// A body and its motion over times from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct SweptBody<'a> {
    /// The shape.
    pub model: &'a Model,
    /// The motion of its frame.
    pub motion: &'a dyn Motion,
}

/// Options of [`sweep`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepOptions {
    /// No point of the outer mesh is further from the swept volume, in the unit of the bodies.
    pub error: f64,
    /// Cells visited at most.
    pub cells: usize,
    /// Bound on the distance between the surfaces of the models and those of the true bodies, such as the chordal deviation
    /// of triangles: the outer mesh encloses the true bodies, and the inner one is within their swept volume. The error
    /// includes it, and must be greater than twice this bound.
    pub deviation: f64,
}

impl SweepOptions {
    /// An error, at most fifty million cells, and models that are the true bodies.
    pub const fn new(error: f64) -> Self {
        Self { error, cells: 50_000_000, deviation: 0.0 }
    }
}

/// Reason that there is no swept volume.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// No body, or only empty ones.
    #[error("no body is swept; give at least one with a bounded shape")]
    Empty,
    /// A body without bounds, or a motion without.
    #[error("body {0} or its motion has no bounds; half-spaces cannot be swept")]
    Unbounded(usize),
    /// An error that is not positive, or too small for the size.
    #[error("error {error}: give one from {least:.3e} on, for a motion of extent {extent:.3}")]
    Error {
        /// As given.
        error: f64,
        /// The smallest possible.
        least: f64,
        /// The extent of the motion.
        extent: f64,
    },
    /// A deviation of the models that is negative or without bound.
    #[error("deviation {0} of the surfaces: give a finite one that is not negative")]
    Deviation(f64),
    /// The limit of cells was reached.
    #[error("more than {0} cells are needed; give a larger error, or allow more cells")]
    TooManyCells(usize),
    /// No mesh could be made.
    #[error(transparent)]
    Mesh(#[from] noli_geom::MeshError),
    /// No motion of a robot.
    #[error(transparent)]
    Motion(#[from] noli_robot::JointMotionError),
    /// No shape.
    #[error(transparent)]
    Shape(#[from] noli_geom::ShapeError),
}
