//! noli tells whether, where, when and how closely bodies meet, and how far each answer can be trusted.
//!
//! # A tour
//!
//! **Shapes become models.** A [`Shape`] is geometry as given: a [`Mesh`], a [`Convex`] body, a half-space, voxels, a
//! [`Field`] given by a formula, or several of them. [`Model::new`] prepares it, once; a model is cheap to clone, and
//! any thread may ask about it.
//!
//! ```
//! use noli::{Convex, Field, Mesh, Model};
//! let crate_ = Model::new(Mesh::cuboid(glam::dvec3(1.0, 2.0, 0.5))?.into_solid())?; // edges of 1, 2 and 0.5
//! let ball = Model::new(Convex::sphere(0.5)?)?;
//! let ring = Model::new(Field::parse("torus(2, 0.5)")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Place two of them and ask.** Every question is asked of every pair of shapes in the same words. A pose is exact: its
//! quaternion means the rotation by its normalised value, so a verdict has one true value, and for meshes it is found.
//!
//! ```
//! # use noli::{Mesh, Model};
//! use noli::{Overlap, Pose, Relation, clearance, overlap, relation};
//! # let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
//! let here = cube.at(Pose::IDENTITY);
//! let at = |x| cube.at(Pose::from_translation(glam::dvec3(x, 0.0, 0.0)));
//! assert_eq!(relation(&here, &at(1.0)), Relation::Touching); // a wall in common is no clash
//! assert_eq!(overlap(&here, &at(1.0f64.next_up())), Overlap::Free);
//! assert!(clearance(&here, &at(1.25)).gap.contains(0.25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Ask on your own terms.** An [`Ask`] carries memory, a [`Budget`], a [`Hint`] from the last time and a
//! [listener](trace::Trace). Being stopped is a normal answer: what is known is kept, what is not known says so.
//!
//! ```
//! # use noli::{Convex, Model, Pose};
//! use noli::{Ask, Budget, Hint, Overlap, Scratch};
//! # let ball = Model::new(Convex::sphere(0.5)?)?;
//! let (mut scratch, mut hint) = (Scratch::default(), Hint::default());
//! let mut ask = Ask::new(&mut scratch).within(Budget::default().steps(1000)).hinted(&mut hint);
//! let near = ball.at(Pose::from_translation(glam::dvec3(0.9, 0.0, 0.0)));
//! assert_eq!(ask.overlap(&ball.at(Pose::IDENTITY), &near), Overlap::Hit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Let them move.** A [`Motion`](motion::Motion) is a pose for every time with proven bounds on what happens in
//! between, so [`time_of_impact`] misses nothing, however fast bodies fly or turn.
//!
//! ```
//! # use noli::{Convex, Model, Pose};
//! use noli::motion::{RigidMotion, Still};
//! use noli::{Impact, time_of_impact};
//! # let ball = Model::new(Convex::sphere(0.5)?)?;
//! let start = Pose::from_translation(glam::dvec3(-1000.0, 0.0, 0.0));
//! let shot = RigidMotion::with_velocities(&start, glam::dvec3(2000.0, 0.0, 0.0), glam::DVec3::ZERO, glam::DVec3::ZERO);
//! let first = time_of_impact(&ball.moving(&Still::default()), &ball.moving(&shot));
//! assert!(matches!(first, Impact::At { time, .. } if (time.safe_until - 0.4995).abs() < 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Many bodies are a [`World`]**: which pairs matter, how all of them stand ([`World::check`]), the step that moves
//! them until something would touch ([`World::step`]), and snapshots that many threads ask at poses of their own.
//!
//! ```
//! # use noli::{Convex, Model, Pose, World};
//! use noli::world::{CheckOptions, Standing};
//! # let ball = Model::new(Convex::sphere(0.5)?)?;
//! let mut world = World::default();
//! for (name, x) in [("left", 0.0), ("right", 0.75)] {
//!     world.add(name, &ball, Pose::from_translation(glam::dvec3(x, 0.0, 0.0)))?;
//! }
//! let result = world.check(&CheckOptions::default())?;
//! assert_eq!(result.findings[0].standing, Standing::Crossing);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The questions, and what their answers promise
//!
//! | question | answer | promise |
//! |---|---|---|
//! | [`overlap`] | do they share a point? | exact for meshes, polyhedra, balls and capsules; others never miss |
//! | [`closer_than`] | are they at most so far apart? | the same |
//! | [`relation`] | apart, touching, crossing, one inside the other? | the same; only what is proven |
//! | [`clearance`] | how far apart, and where? | a bracket that holds, all rounding included |
//! | [`contact`], [`manifold`] | where, in which direction, how deep? | a bracket; further points of a manifold are approximate |
//! | [`depth`] | how far must they be moved to come apart? | a bracket |
//! | [`crossings`], [`self_crossings`] | which faces meet, and where? | exact and complete |
//! | [`locate`], [`ray_hits`] | where does a point lie, what does a ray meet? | exact for meshes |
//! | [`time_of_impact`] | when do moving bodies first touch? | never late; a bracket |
//! | [`closest_approach`], [`contact_spans`] | how close do they come, when do they touch at all? | proven between samples too |
//!
//! [`Model::guarantee`] says what verdicts about two models promise, and answers carry their [`Guarantee`]. What is
//! not known is never `None`, `false` or 0: it is `Unknown`, an open [`Bracket`](answer::Bracket), or
//! [`Coverage::Part`](answer::Coverage::Part). [`batch`] asks many questions at once, on all threads.

pub mod answer;
mod ask;
pub mod broad;
mod budget;
pub mod contacts;
mod context;
mod convex;
pub mod deforming;
pub mod model;
mod pair;
mod parallel;
pub mod penetration;
pub mod pieces;
pub mod query;
mod scratch;
#[doc(hidden)]
pub mod seams;
mod simd;
pub mod trace;
pub mod tree;
pub mod world;

/// For the other crates of the project; no part of the interface.
#[doc(hidden)]
pub mod internals {
    pub use crate::model::tree_checksum;
    pub use crate::simd::{Instructions, Simd, Task, Work, dispatch, vectorised};
    pub use crate::world::{Kept, kept};
}

/// Bodies in motion: a pose for every time, and proven bounds on what happens in between.
///
/// Straight lines with a turn, screws, velocities and key frames are here; so are motions cut in time ([`Clip`](motion::Clip)), carried
/// by another ([`Carried`](motion::Carried)) or evaluated once for many bodies ([`GroupMotion`](motion::GroupMotion)). A motion of your own is trusted to keep its bounds.
pub mod motion {
    pub use noli_geom::{
        Carried, Clip, GroupMember, GroupMotion, KeyFrames, KeyFramesError, Motion, RigidGroup, RigidMotion,
        Still, SweptBox, Turning,
    };
}

pub use answer::{Clearance, Contact, Guarantee, Impact, Overlap, Relation};
pub use ask::{
    batch, clearance, closer_than, closest_approach, contact, contact_spans, crossings, depth, locate,
    manifold, overlap, ray_hits, relation, self_crossings, time_of_impact,
};
pub use budget::Budget;
pub use context::Ask;
pub use convex::Hint;
pub use model::{Model, Moving, Placed, Shape};
pub use noli_geom::{Convex, Mesh, MeshError, Pose, ShapeError};
pub use noli_implicit::Field;
pub use scratch::Scratch;
pub use world::World;

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
