//! Values of expressions at points and bounds on boxes: tapes over several kinds of numbers. Knows
//! expressions, not where they are asked.

pub(crate) mod affine;
mod graph;
pub(crate) mod lanes;
pub mod noise;
pub(crate) mod number;
mod skin;
pub(crate) mod slopes;
pub(crate) mod tape;
