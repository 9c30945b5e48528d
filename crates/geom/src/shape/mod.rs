//! Convex bodies, point clouds, voxels and masses: geometry as given, in its own frame.

mod convex;
mod error;
mod mass;
mod points;
mod spheres;
mod voxels;

#[cfg(test)]
mod tests;

pub use convex::{Convex, Core, Support, UserBody};
pub use error::ShapeError;
pub use mass::Mass;
pub use points::PointCloud;
pub use spheres::Spheres;
pub use voxels::Voxels;
