//! Scenes, mesh files, robots and planning problems, with the files that they name.

pub(crate) mod cloud;
mod field;
mod found;
pub(crate) mod grid;
mod planning_problems;
pub(crate) mod robot;
pub(crate) mod scene;
pub(crate) mod source;
pub(crate) mod unique_names;
#[allow(clippy::indexing_slicing, reason = "numbers of boxes of a list of its own")]
mod units_check;

pub use cloud::{CloudOptions, cloud_mesh, load_cloud};
pub use field::read_field;
pub use planning_problems::{ProblemFiles, list_problems};
pub use robot::{
    LoadedRobot, RobotOptions, load_robot, load_srdf, load_states, load_states_of, load_trajectory,
    robot_files, robot_from_urdf, srdf_from_text, srdf_warnings,
};
pub use scene::{LoadedBody, LoadedMotion, LoadedScene, load_scene, load_scene_text};
pub use source::{OpenOptions, Source, bundled_names, open_bundled, open_paths};
