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
    pub use noli_geom::{
        Carried, Clip, GroupMember, GroupMotion, KeyFrames, Motion, RigidGroup, RigidMotion, Still, SweptBox,
        Turning,
    };
}

pub use answer::*;
pub use ask::*;
pub use broad::{BroadPhase, Changes, Method};
pub use budget::{Budget, Clock, SteadyClock};
pub use context::Ask;
pub use convex::Hint;
pub use deforming::{
    Deforming, DeformingQuery, deforming_impacts, first_deforming_impact, first_deforming_impact_in,
    first_self_impact, first_self_impact_in, self_impacts,
};
pub use model::{Model, ModelOptions, Moving, Placed, Shape, StoredTreeError};
pub use noli_geom::{
    Aabb, Carried, Clip, Convex, Core, Features, GroupMember, GroupMotion, Hull, HullError, KeyFrames, Mass,
    Mesh, MeshError, MeshKind, MeshOptions, Motion, Pose, RigidGroup, RigidMotion, Segment, ShapeError,
    Still, Support, SweptBox, Triangle, Turning, Voxels,
};
pub use noli_implicit::{Field, FormulaError, Inclusion};
pub use query::*;
pub use scratch::Scratch;
pub use simd::Instructions;
pub use trace::{NoTrace, Reason, Stats, Trace};
pub use tree::Effort;
pub use world::{
    Answer, AtStart, Basis, Body, BodyId, CheckOptions, CheckResult, Cut, Disagreement, FaceCrossing,
    Fallback, Finding, Look, Mode, Move, Nearest, Outcome, PairTest, Passage, PassageOptions, Pattern, Rules,
    Share, Snapshot, SnapshotAsk, Standing, Step, StepOptions, StepStats, Who, World, WorldError,
};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
