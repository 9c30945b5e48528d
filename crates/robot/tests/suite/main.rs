//! The tests of the crate from outside, in one program: linking takes longer than running most of them.

mod cell;
mod cloud_cases;
mod cloud_streams;
mod clouds;
mod coordination;
mod curves;
mod dh_rows;
mod domains;
mod filter;
mod inverse;
mod kinematics;
mod motion;
mod point_spheres;
mod published;
mod still;
mod support;
mod texts;
mod tool_paths;
mod tool_tube;
mod trajectories;
mod trajectory_forms;
