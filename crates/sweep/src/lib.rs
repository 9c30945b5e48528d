//! Swept volumes of moving bodies, proven.
//!
//! [`sweep`] divides space into an octree. A cell is left out where every body is proven to stay outside of it during all
//! of the time: its distance from the cell at one time exceeds its travel until another. A cell that one body contains at
//! some time is an inner one. The other cells are halved, down to the size that the error needs.
//!
//! | task | item |
//! |---|---|
//! | swept volume of bodies in motion | [`sweep`], [`sweep_watched`] with progress |
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
pub use cells::{sweep, sweep_watched};
#[doc(hidden)]
pub use plain::sweep_plain;
pub use volume::SweptVolume;

use noli::Model;
use noli_geom::{Aabb, Motion};
use std::sync::atomic::AtomicBool;

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

    /// The error is a fiftieth of the extent of the motion, and twice a deviation; `None` for bodies without extent or
    /// bounds.
    pub fn fitting(bodies: &[SweptBody<'_>], deviation: f64) -> Option<Self> {
        let extent = extent(bodies)?;
        Some(Self { deviation, ..Self::new(extent / 50.0 + 2.0 * deviation) })
    }
}

/// The extent of the bodies at a few times; `None` without bounds.
fn extent(bodies: &[SweptBody<'_>]) -> Option<f64> {
    let mut all: Option<Aabb> = None;
    for body in bodies {
        for k in 0..=8 {
            let aabb = body.model.aabb().transformed(&body.motion.pose(f64::from(k) / 8.0));
            let (min, max) =
                all.map_or((aabb.min, aabb.max), |all| (all.min.min(aabb.min), all.max.max(aabb.max)));
            all = Some(Aabb { min, max });
        }
    }
    all.map(|all| (all.max - all.min).max_element()).filter(|extent| extent.is_finite() && *extent > 0.0)
}

/// Cancellation and progress of a sweep.
#[derive(Clone, Copy)]
pub struct SweepWatch<'a> {
    /// Ends the sweep with [`SweepError::Cancelled`] once it is set.
    pub cancel: &'a AtomicBool,
    /// Receives the share of the space that is searched, from 0 to 1, on any thread.
    pub progress: &'a (dyn Fn(f64) + Sync),
}

impl std::fmt::Debug for SweepWatch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SweepWatch").field("cancel", &self.cancel).finish_non_exhaustive()
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
    /// The sweep was cancelled.
    #[error("cancelled")]
    Cancelled,
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
