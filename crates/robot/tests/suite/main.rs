//! The tests of the crate from outside, in one program: linking takes longer than running most of them.

mod cell;
mod dh_rows;
mod inverse;
mod kinematics;
mod motion;
mod programs;
mod runs;
mod support;
mod texts;
mod trajectories;
