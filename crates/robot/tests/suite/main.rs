//! The tests of the crate from outside, in one program: linking takes longer than running most of them.

mod cell;
mod clouds;
mod coordination;
mod curves;
mod dh_rows;
mod filter;
mod inverse;
mod kinematics;
mod motion;
mod published;
mod still;
mod support;
mod texts;
mod trajectories;
