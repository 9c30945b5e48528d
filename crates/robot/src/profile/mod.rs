//! Speed of joints along straight segments, within limits of velocity, acceleration and jerk.

mod limits;
mod path;
mod straight;

pub use limits::DriveLimits;
pub use path::{PathLimits, Profile};
pub use straight::drive_straight;
