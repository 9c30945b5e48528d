//! Values of expressions at points and bounds on boxes: tapes over several kinds of numbers. Depends on
//! expressions only, not on the queries.

pub(crate) mod affine;
mod graph;
pub(crate) mod lanes;
pub mod noise;
pub(crate) mod number;
mod skin;
pub(crate) mod slopes;
pub(crate) mod tape;
