//! noli tells whether, where and how closely bodies meet, and how far each answer can be trusted.
//!
//! Prepare a [`Mesh`] once as a [`Model`], place it with a [`Pose`], ask often:
//!
//! ```
//! use noli::{Model, Overlap, Pose, overlap};
//! let cube = noli_scenes::cuboid(glam::DVec3::ONE);
//! let cube = noli::Mesh::from_triangles(cube.vertices, cube.triangles, &Default::default())?;
//! let cube = Model::new(&cube, &Default::default());
//! let shifted = |x| Pose::from_translation(glam::dvec3(x, 0.0, 0.0));
//! assert_eq!(overlap(&cube.at(Pose::IDENTITY), &cube.at(shifted(2.0))), Overlap::Hit); // they touch
//! assert_eq!(overlap(&cube.at(Pose::IDENTITY), &cube.at(shifted(2.0 + 1e-15))), Overlap::Free);
//! # Ok::<(), noli::MeshError>(())
//! ```

mod broad;
mod budget;
pub mod classics;
mod convex;
mod deforming;
mod model;
mod pair;
mod parallel;
mod query;
mod scratch;
mod simd;
mod trace;
pub mod tree;
mod world;

pub use broad::{BroadPhase, Changes, Method};
pub use budget::{Budget, Clock, SteadyClock};
pub use convex::Hint;
pub use deforming::{
    Deforming, DeformingQuery, deforming_impacts, first_deforming_impact, first_deforming_impact_in,
    first_self_impact, first_self_impact_in, self_impacts,
};
pub use model::{Effort, Model, ModelOptions, Moving, Placed, StoredTreeError};
pub use noli_geom::{
    Aabb, Carried, Convex, Core, Features, Hull, HullError, Impact, KeyFrames, Mass, Mesh, MeshError,
    MeshKind, MeshOptions, Motion, Pace, Pattern, Pose, Relation, RigidMotion, Segment, Shape, ShapeError,
    Still, Support, TimeOfImpact, Triangle, Voxels, Window,
};
pub use noli_implicit::{Field, FormulaError, Inclusion};
pub use pair::field_mesh::FieldTarget;
pub use query::*;
pub use scratch::Scratch;
pub use simd::Instructions;
pub use trace::{NoTrace, Reason, Stats, Trace};
pub use world::{
    Answer, AtStart, Basis, Body, BodyId, CheckOptions, CheckResult, Cut, Disagreement, FaceCrossing,
    Fallback, Finding, Look, Mode, Move, Outcome, PairTest, Passage, PassageOptions, Rules, Share, Standing,
    Step, StepOptions, StepStats, SweptBox, Who, World, WorldError, swept_box,
};
