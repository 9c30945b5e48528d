//! The questions, one file each.

pub(crate) mod clearance;
pub(crate) mod overlap;
pub(crate) mod pieces;
pub(crate) mod ray;
pub(crate) mod region;
pub(crate) mod surface;
