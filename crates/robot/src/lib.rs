//! Robots.
mod trig;
pub use trig::{MAX_ANGLE, SINE_ERROR, sin_cos};
