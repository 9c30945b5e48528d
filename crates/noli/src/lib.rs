//! noli tells whether, where, when and how closely bodies meet, and how far each answer can be trusted.

pub mod answer;
mod ask;
mod broad;
mod budget;
pub mod classics;
mod context;
mod convex;
mod deforming;
mod model;
mod pair;
mod parallel;
pub mod query;
mod scratch;
mod simd;
pub mod trace;
pub mod tree;
mod world;

/// Bodies in motion: a pose for every time, and proven bounds on what happens in between.
pub mod motion {
    pub use noli_geom::{Carried, KeyFrames, Motion, Pace, RigidMotion, Still, Window};
}

pub use answer::*;
pub use query::*;
pub use ask::*;
pub use context::Ask;
pub use broad::{BroadPhase, Changes, Method};
pub use budget::{Budget, Clock, SteadyClock};
pub use convex::Hint;
pub use deforming::{
    Deforming, DeformingQuery, deforming_impacts, first_deforming_impact, first_deforming_impact_in,
    first_self_impact, first_self_impact_in, self_impacts,
};
pub use model::{Model, ModelOptions, Moving, Placed, Shape, StoredTreeError};
pub use tree::Effort;
pub use noli_geom::{
    Aabb, Carried, Convex, Core, Features, Hull, HullError, KeyFrames, Mass, Mesh, MeshError,
    MeshKind, MeshOptions, Motion, Pace, Pattern, Pose, RigidMotion, Segment, ShapeError,
    Still, Support, Triangle, Voxels, Window,
};
pub use noli_implicit::{Field, FormulaError, Inclusion};
pub use scratch::Scratch;
pub use simd::Instructions;
pub use trace::{NoTrace, Reason, Stats, Trace};
pub use world::{
    Answer, AtStart, Basis, Body, BodyId, Cut, Fallback, Mode, Move, Outcome, Rules, Share, Step,
    StepOptions, StepStats, SweptBox, Who, World, WorldError, swept_box,
};
