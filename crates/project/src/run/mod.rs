//! Runs of programs in cells: reports, recordings, tables and animations.

mod animation;
mod coordination;
mod deadlock;
mod poses;
mod program;
mod recording;
mod report;
mod robot_program;
mod table;
mod together;

pub use animation::{looks_gltf, meshes_gltf, run_gltf};
pub use coordination::{CoordinatedRobot, coordination_report};
pub use poses::{frame_poses, parts_at};
pub use program::{RunSource, read_program_text};
pub use recording::{RunInCell, recording_together, run_recording};
pub use report::run_report;
pub use robot_program::{ProgramsError, RobotProgram};
pub use table::run_csv;
pub use together::{run_programs, together_report};
