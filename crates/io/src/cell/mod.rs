//! Cell files: a scene, and what programs find in it.
//!
//! A cell is a scene file with more tables: robots, a gripper, locations, parts that can be taken, signals and
//! what drives them, rules for pairs. `docs/cells.md` is its reference. [`load_cell`] reads one with all files
//! it names and gives the [`Workplace`](noli_robot::run::Workplace) that programs run in.

mod animate;
mod compose;
mod frames;
mod load;
mod read;
mod record;
mod run;

pub use animate::{looks_gltf, meshes_gltf, run_gltf};
pub use compose::parse_composition;
pub use frames::{FrameOptions, four_step_frames, frame_count, frame_pairs, frame_poses, parts_at};
pub use load::{
    CellLook, LoadedCell, OpenStored, StoredArm, bundled_cells, is_cell_file, load_cell, load_cell_text,
    load_cell_with, look, open_bundled_cell,
};
pub use read::{
    CellFile, CellGripper, CellLocation, CellPart, CellRobot, CellRule, CellSignal, Fingers, JointList,
    LocationPlace, RobotSource, SignalDrive, parse_cell,
};
pub use record::{run_csv, run_page, run_recording};
pub use run::{RunSource, read_program_text, run_report};
