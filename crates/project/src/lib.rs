//! Projects of noli: scenes and cells, their staging as worlds, reports, clashes over reruns, BCF, recordings and
//! simulations.
//!
//! [`load_scene`] reads a scene and all files it names, [`stage()`] makes a [`World`](noli::World) and its
//! moves of it, and [`report`] holds what a check, a sweep or a study of it says, as JSON. [`open_paths`]
//! takes mesh files and folders for scenes too. Mesh files themselves are read by `noli-formats`.
//!
//! Folders build on each other in this order: `data` (the text of files), `load` (the files they name), `stage` (worlds
//! and workplaces), `report` (plain data), then [`clash`], `run`, `simulation` and [`bcf`].

// Modules that read: numbers of a file are not to be cut, to wrap or to be looked up unchecked.
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
pub mod bcf;
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
pub mod clash;
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
mod data;
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
mod load;
mod parallel;
mod recording;
pub mod report;
mod run;
mod simulation;
mod stage;

pub use data::link_kind::LinkKind;
pub use data::scene::{
    Body, Check, FieldSource, Group, KeyFrame, MethodName, MotionPath, Mover, Named, Pattern, Physics, Scene,
    SceneMotion, SceneRemoval, Shape, Simulation, Turning, parse_poses, parse_scene, read_scene,
};
pub use load::{
    CloudOptions, LoadedBody, LoadedMotion, LoadedRobot, LoadedScene, OpenOptions, ProblemFiles,
    RobotOptions, Source, bundled_names, cloud_mesh, list_problems, load_cloud, load_robot, load_scene,
    load_scene_text, load_srdf, load_states, load_states_of, load_trajectory, open_bundled, open_paths,
    read_field, robot_files, robot_from_urdf, srdf_from_text, srdf_warnings,
};
pub use recording::{Frame, FrameTime, GroupFrame, Recording};
pub use report::check_states;
pub use simulation::{
    ForceReport, FrameTimes, GroupSummary, SetupBody, SetupGroup, SimulationError, SimulationFrame,
    SimulationOptions, SimulationReport, SimulationSetup, SimulationSummary, Watch, simulate_contact,
    simulate_dynamics,
};
pub use stage::{
    Origin, RemovalTrial, StageError, StageOptions, Staged, StagedBody, StagedRemoval, Surrounding, TakeAs,
    TrialError, display_mesh, load_obstacles, load_surroundings, stage, stage_configuration, with_own_kind,
};

/// Cell files, the workplaces made of them, and runs of programs in those.
///
/// `docs/cells.md` is the reference of cell files. [`cell::load_cell`] reads one with all files it names and gives the
/// [`WorkCell`](noli_program::run::WorkCell) that programs run in.
pub mod cell {
    pub use noli_program::run::PartLocation;

    pub use crate::data::cell::{
        CellFile, CellGripper, CellLocation, CellPart, CellRobot, CellRule, CellSignal, Fingers, JointList,
        LocationPlace, RobotSource, SignalDrive, parse_cell, parse_composition,
    };
    pub use crate::run::{
        CoordinatedRobot, ProgramsError, RobotProgram, RunInCell, RunSource, coordination_report,
        frame_poses, looks_gltf, meshes_gltf, parts_at, read_program_text, recording_together, run_csv,
        run_gltf, run_programs, run_recording, run_report, together_report,
    };
    pub use crate::stage::cell::{
        CellLook, LoadedCell, OpenStored, StoredArm, bundled_cells, is_cell_file, load_cell, load_cell_text,
        load_cell_text_with, load_cell_with, look, open_bundled_cell,
    };
}

/// The program for beginners is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/first-program.md")]
struct FirstProgram;

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
