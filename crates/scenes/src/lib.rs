//! Generated meshes, poses and motions: deterministic, any size, no files.
//!
//! Tests, benchmarks, the command line and the lab all draw on these, so a number measured in one
//! place is about the same bodies everywhere. Random choices come from [`SplitMix64`] alone.
//!
//! ```
//! use noli_scenes::{W1_SEED, bumpy_sphere, w1_poses};
//!
//! let body = bumpy_sphere(59, 0.3);
//! assert_eq!((body.vertices.len(), body.triangles.len()), (34_812, 69_620));
//! assert_eq!(w1_poses(W1_SEED, 1000).len(), 1000);
//! ```

mod assembly;
mod cell;
mod didactic;
mod engine_bay;
mod gearbox;
mod job;
mod mesh;
mod motion;
mod polyhedra;
mod puzzles;
mod registry;
mod simulated;
mod slide;
mod solid;
mod w1;
mod w4;
mod w5;
mod written;

pub use assembly::{Assembly, Part, Planted};
pub use cell::{WrittenCell, cells};
pub use didactic::{intersection_boxes, linked_tori, nested_spheres, peg_in_hole, touching_boxes};
pub use engine_bay::{Removal, engine_bay, engine_bay_removals, engine_bay_sealed, engine_bay_turned};
pub use gearbox::gearbox;
pub use job::{pose_table, raw_mesh};
pub use mesh::{
    TriangleSet, bumpy_sphere, cuboid, geodesic, grid_plane, icosphere, tetrahedron, torus, uv_sphere,
};
pub use motion::random_motion;
#[doc(inline)]
pub use noli_geom::random::SplitMix64;
pub use polyhedra::{Polyhedron, polyhedra};
pub use puzzles::{
    alpha_puzzle, alpha_tight, bayonet, bugtrap, bugtrap_shut, double_l, flange, knotted_tube, past_bracket,
    threaded,
};
pub use registry::{Listed, assembly, list};
pub use simulated::{SIMULATED, Simulated, SimulatedBody, SimulatedRole, SimulatedShape, Thread, simulated};
pub use slide::slide_to_distance;
pub use solid::cylinder;
pub use w1::{
    W1_FREQUENCY, W1_GAPS, W1_MOTION_SEED, W1_PHASES, W1_SEED, w1_deep_poses, w1_meshes, w1_motion_starts,
    w1_paths, w1_poses,
};
pub use w4::{W4_POINTS, W4_SEED, W4_SQUEEZES, w4_paths, w4_points, w4_poses};
pub use w5::{Crowd, W5_SEED};
pub use written::{Written, written};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
