//! Convex bodies, voxels and masses: geometry as given, in its own frame.

mod balls;
mod convex;
mod error;
mod mass;
mod voxels;

#[cfg(test)]
mod tests;

pub use balls::Balls;
pub use convex::{Convex, Core, Support, UserBody};
pub use error::ShapeError;
pub use mass::Mass;
pub use voxels::Voxels;
