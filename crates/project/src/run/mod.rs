//! Runs of programs in cells: reports, recordings, tables and animations.

mod animation;
mod poses;
mod program;
mod recording;
mod report;
mod table;

pub use animation::{looks_gltf, meshes_gltf, run_gltf};
pub use poses::{frame_poses, parts_at};
pub use program::{RunSource, read_program_text};
pub use recording::{RunInCell, recording_together, run_recording};
pub use report::run_report;
pub use table::run_csv;
