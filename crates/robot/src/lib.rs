//! Robots: kinematic trees, URDF, SRDF and DH descriptions, forward and inverse kinematics, certified joint motions,
//! and exact self-collision and obstacle checking on the true meshes.
//!
//! This crate parses text and computes; it opens no files. Meshes come from a loader given by the caller. Angles are
//! radians and lengths metres, except in files, where the key of an angle states its unit.
//!
//! | task | item |
//! |---|---|
//! | robot descriptions | [`Robot::from_urdf_str`], [`Srdf`], [`Robot::from_dh_str`], [`puma560`], [`Robot::to_urdf`] |
//! | forward kinematics | [`Robot::link_poses`], [`Robot::jacobian`] |
//! | inverse kinematics | [`SphericalWrist`] in closed form, [`solve_ik`] for any chain |
//! | bounds on link displacement along a motion | [`JointMotion`], [`CurveMotion`], [`StraightLine`], proven |
//! | polynomial and B-spline curves of joints | [`JointCurve`] |
//! | trapezoidal and S-curve profiles of speed | [`profile::drive_straight`] |
//! | self-collision, collision with obstacles, reachability of pairs | [`cell`], proven on the true shapes |
//! | planning problems | [`Problem::from_yaml_str`] |
//! | obstacles around the robot | [`Obstacle::from_planning_scene_str`] |
//! | joint trajectories | [`JointTable::from_csv_str`], [`JointTable::from_trajectory_str`] |
//!
//! VAL-II programs and their execution are in `noli-program`.

// Modules that read: numbers of a text are not to wrap or to be looked up unchecked. `Place` holds lines and columns of
// texts of at most 64 MiB.
pub mod cell;
mod curve;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod dh;
mod dh_derived;
mod error;
mod geometry;
mod inverse;
mod kinematics;
mod line;
pub mod message;
mod motion;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod package;
mod parallel;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod planning_scene;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod problem;
pub mod profile;
mod puma;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod srdf;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod text;
mod tool_path;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod trajectory;
mod tree;
mod trig;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod urdf;
mod urdf_write;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod xml;
#[cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
mod yaml;

pub use curve::{JointCurve, JointCurveError};
pub use dh::{Convention, DhRow, DhTable};
pub use dh_derived::{ChainError, DerivedDh};
pub use error::{ConfigurationError, Fault, Place, RobotError};
pub use geometry::{Geometry, GeometryKind, GeometrySource, LinkGeometry, LinkShape, LoadError};
/// Vectors, matrices and quaternions of the public signatures.
pub use glam;
pub use inverse::{
    Branch, Elbow, GoalOptions, IkError, IkOptions, IkSolution, Manipulability, PoseGoal, Redundancy,
    Residual, Shoulder, Solution, SphericalWrist, SphericalWristError, Wrist, solve_goal, solve_ik,
};
pub use kinematics::Column;
pub use line::{Followed, Inverse, LineError, LineFault, StraightLine};
pub use motion::{CurveMotion, JointMotion, JointMotionError};
pub use package::{guess_package_path, named_package, package_of, resolve_package_uri};
pub use planning_scene::Obstacle;
pub use problem::Problem;
pub use puma::{PumaSet, puma560, with_stand_ins};
pub use srdf::{Chain, DisabledPair, EndEffector, Group, GroupState, Srdf, VirtualJoint};
pub use tool_path::{
    BlendRadius, FollowOptions, FollowedPath, PathError, PathFault, ToolPath, ToolPathError,
};
pub use trajectory::{Form, Interpolation, JointTable};
pub use tree::{
    Configuration, Inertial, Joint, JointAxisKind, JointKind, Limb, Limits, Link, Mimic, MimicRelation,
    Parts, Robot, Step, Variable,
};
pub use trig::{MAX_ANGLE, SINE_ERROR, sin_cos};
#[doc(hidden)]
pub use xml::escaped;
