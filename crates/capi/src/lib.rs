//! C interface of noli; `include/noli.h` is its reference.
//!
//! Objects are numbers in a table, each with a generation: a handle that was freed, or never given out, is an error and
//! never a dangling pointer. Every exported function returns a status, catches panics, and keeps a message of its last
//! error for the calling thread. Layout and names are those of the header; tests compare the two.
#![allow(
    unsafe_code,
    reason = "exported symbols are unsafe attributes; raw pointers become slices in `border` alone"
)]

mod batch;
mod border;
mod clock;
mod context;
mod error;
#[cfg(feature = "files")]
mod files;
mod lists;
mod model;
mod motion;
mod queries;
#[cfg(feature = "robot")]
mod robot;
mod table;
mod values;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod world;

pub use batch::noli_overlap_batch;
pub use border::{In, Out};
pub use context::{
    noli_context_cancel, noli_context_free, noli_context_new, noli_context_set_seconds,
    noli_context_set_steps, noli_context_steps,
};
pub use error::{ErrorCode, noli_abi_version, noli_last_error_code, noli_last_error_message, noli_version};
#[cfg(feature = "files")]
pub use files::{noli_model_bytes, noli_model_file};
pub use lists::{
    IntersectionList, IntersectionRecord, RayHitList, RayHitRecord, RayRecord, noli_intersections,
    noli_locate_point, noli_ray_cast,
};
pub use model::{
    Bounds, MeshBuffer, MeshData, noli_model_bounds, noli_model_box, noli_model_capsule, noli_model_compound,
    noli_model_cone, noli_model_convex, noli_model_cylinder, noli_model_ellipsoid, noli_model_free,
    noli_model_guarantee, noli_model_half_space, noli_model_mesh, noli_model_points, noli_model_sphere,
    noli_model_triangles,
};
pub use motion::{ImpactOptions, ImpactRecord, MotionRecord, MovingRecord, noli_time_of_impact};
pub use queries::{
    ClearanceRecord, ContactList, ContactRecord, PenetrationRecord, noli_clearance, noli_contact,
    noli_manifold, noli_overlap, noli_penetration, noli_relation, noli_within_distance,
};
#[cfg(feature = "robot")]
pub use robot::{
    EdgeRecord, RobotFiles, RobotTexts, noli_robot_attach, noli_robot_check_edges, noli_robot_check_states,
    noli_robot_clearance, noli_robot_disable_pair, noli_robot_dof, noli_robot_free, noli_robot_from_text,
    noli_robot_joint_name, noli_robot_limits, noli_robot_load, noli_robot_pair_names, noli_robot_remove_body,
    noli_robot_set_obstacle,
};
pub use table::noli_live_handles;
pub use values::{ContextHandle, ModelHandle, PlacedRecord, PoseRecord, RobotHandle, WorldHandle};
#[cfg(target_arch = "wasm32")]
pub use wasm::{wasm_alloc, wasm_free};
pub use world::{
    FindingList, FindingRecord, noli_world_add, noli_world_check, noli_world_colliding_pairs,
    noli_world_free, noli_world_move, noli_world_new, noli_world_remove, noli_world_set_margin,
    noli_world_set_pair,
};
