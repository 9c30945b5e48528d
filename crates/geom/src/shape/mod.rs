//! Convex bodies, voxels and masses: geometry as given, in its own frame.

mod convex;
mod error;
mod mass;
mod spheres;
mod voxels;

#[cfg(test)]
mod tests;

pub use convex::{Convex, Core, Support, UserBody};
pub use error::ShapeError;
pub use mass::Mass;
pub use spheres::Spheres;
pub use voxels::Voxels;
