//! Robots: trees of links and joints, the texts that describe them, where their links are, and how they move.
//!
//! This crate reads text and computes; it opens no files. Meshes come from a loader it is given. Angles are
//! radians and lengths metres, except in texts, where an angle's key says its unit.
//!
//! | question | where |
//! |---|---|
//! | what is this robot? | [`Robot`], [`read_urdf`], [`read_srdf`], [`read_dh`], [`puma560`], [`write_urdf`] |
//! | where are its links? | [`Robot::link_poses`], [`Robot::link_frames`] in lanes, [`Robot::jacobian`] |
//! | which configuration reaches a pose? | [`SphericalWrist`] in closed form, [`solve`] for any chain |
//! | how far does a link move on the way? | [`JointMotion`], [`StraightLine`], proven |
//! | what does it meet, and can it ever? | [`cell`], proven on the true shapes |
//! | where is it to go, among what? | [`read_problem`] |
//! | what stands around it? | [`read_planning_scene`] |
//! | what is it told to do? | [`read_joint_csv`], [`read_trajectory`], [`program`] |
//! | does it get through its program? | [`run`], every motion proven before it is driven |

pub mod cell;
mod dh;
mod dh_derived;
mod error;
mod geometry;
mod inverse;
mod kinematics;
mod line;
mod motion;
mod package;
mod parallel;
mod planning_scene;
mod problem;
pub mod program;
mod puma;
pub mod run;
mod srdf;
mod text;
mod trajectory;
mod tree;
mod trig;
mod urdf;
mod urdf_write;
mod xml;

pub use dh::{Convention, DhRow, DhTable, read_dh};
pub use dh_derived::{DerivedDh, NotAChain};
pub use error::{Fault, Place, RobotError};
pub use geometry::{Form, Geometry, GeometrySource, LinkShape, LoadError, Solid};
pub use inverse::{
    Branch, Elbow, IkOptions, Mobility, NoSolution, NotSpherical, Prefer, Reached, Residual, Shoulder,
    Solution, SphericalWrist, Wrist, solve,
};
pub use kinematics::{Column, LANES, LaneFrame, Lanes};
pub use line::{Followed, Inverse, LineError, LineFault, StraightLine};
pub use motion::{JointMotion, JointMotionError};
pub use package::{file_candidates, file_guesses};
pub use planning_scene::{Obstacle, read_planning_scene};
pub use problem::{Problem, read_problem};
pub use puma::{PumaSet, puma560, with_stand_ins};
pub use srdf::{
    Chain, DisabledPair, EndEffector, Group, GroupState, Srdf, VirtualJoint, read_srdf, write_srdf,
};
pub use trajectory::{JointTable, read_joint_csv, read_trajectory};
pub use tree::{
    Configuration, ConfigurationError, Inertial, Joint, JointKind, Law, Limits, Link, Mimic, Movement, Parts,
    Robot, Variable,
};
pub use trig::{MAX_ANGLE, SINE_ERROR, sin_cos};
pub use urdf::{read_urdf, read_urdf_parts};
pub use urdf_write::write_urdf;
