//! Numbers with tracked rounding: intervals, pairs of `f64`, integers, and functions for rounding outward.

pub(crate) mod double_double;
pub(crate) mod exact;
mod interval;
pub(crate) mod predicates;
pub(crate) mod real;
pub(crate) mod ring;
pub mod round;

pub use interval::{Interval, LIBRARY_ERROR};
