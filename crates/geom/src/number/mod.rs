//! Numbers that know what rounding did to them: intervals, pairs of `f64`, integers, and the words for
//! rounding outward.

pub(crate) mod double_double;
pub(crate) mod exact;
mod interval;
pub(crate) mod predicates;
pub(crate) mod real;
pub(crate) mod ring;
pub mod round;

pub use interval::{Interval, LIBRARY_ERROR};
