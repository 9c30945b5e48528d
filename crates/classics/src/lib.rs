//! The historical methods, corrected so that they keep what their papers promise.
//!
//! | method | guarantee |
//! |---|---|
//! | four steps (Garcia-Alonso 1994): [`VoxelBody`], [`detect`], [`Participation`] | exact |
//! | edges against faces (Boyse 1979): [`interference`] | exact |
//! | straight and circular paths (Boyse 1979): [`translation_contact`], [`rotation_contact`] | approximate, by rounding |
//! | edges against half-spaces (Moore and Wilhelms 1988): [`HalfSpaceBody`] | exact |
//! | going back to the contact (Moore and Wilhelms 1988): [`backtracked_contact`] | approximate: misses between frames |
//! | space occupancy (Uchiki 1983): [`OccupancySpace`] | conservative, to a cell's diagonal |
//! | closest features (Lin and Canny 1991): [`closest_features`], and trees of hulls | exact |
//! | pairs that sleep until they could collide (Lin and Canny 1992): [`WakeQueue`] | conservative, by bounds on speeds |
//! | an edge and a face (Goldman 1990): [`edge_meets_face`] | exact |
//!
//! [`PairMethod`] chooses among those that answer for a pair of meshes. [`tree`] holds the hierarchies of the
//! literature, [`double`] those with a volume inside each piece too,
//! [`fields`] searches for functionally defined objects, [`step`] the policies of published steps of a world. The engine is faster than all of them; the classics
//! are here to be compared with, and [`printed`] holds what their sources got wrong.

mod boyse;
mod broad;
pub mod double;
mod edge_face;
pub mod fields;
mod four_step;
mod goldman;
mod grid;
mod hull_tree;
mod interval_tree;
mod lin_canny;
mod method;
mod moore;
mod occupancy;
mod of_world;
mod polyhedron;
pub mod printed;
mod schedule;
pub mod step;
pub mod tree;
mod work;

pub use boyse::{
    BodyKind, FaceLoops, Interference, LoopError, Trajectory, interference, mesh_of_loops, rotation_contact,
    translation_contact,
};
pub use broad::{AxisLists, Partition};
pub use edge_face::{EdgeFace, edge_face, faces_by_edges};
pub use four_step::{
    Collision, MAX_HALVINGS, Participation, StepCounts, VoxelBody, VoxelScratch, detect, halvings,
    suited_halvings,
};
pub use goldman::{edge_meets_face, nearest_on_lines};
pub use lin_canny::{ClosestFeatures, Feature, FeatureHint, FeatureHull, closest_features, feature_path};
pub use method::{MethodAnswer, MethodScratch, PairMethod, Prepared, UnknownMethod};
pub use moore::{Backtracked, HalfSpaceBody, backtracked_contact};
pub use occupancy::{MAX_CELLS, MAX_RESOLUTION, Message, OccupancyError, OccupancySpace, Occupant};
pub use of_world::MethodTest;
pub use polyhedron::Polyhedron;
pub use schedule::{ApproachBounds, WakeQueue};
pub use work::Work;

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
