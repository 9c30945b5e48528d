//! Exact collision, distance and continuous-collision queries for meshes, convex shapes and implicit surfaces.
//! Every answer states its guarantee.
//!
//! # A tour
//!
//! **Shapes become models.** A [`Shape`] is input geometry: a [`Mesh`], a [`Convex`] body, a half-space,
//! voxels, a [`Field`] given by a formula, or several. [`Model::new`] prepares it, once. A model is cheap to
//! clone, and any thread may query it.
//!
//! ```
//! use noli::{Convex, Field, Mesh, Model};
//! let crate_ = Model::new(Mesh::cuboid(glam::dvec3(1.0, 2.0, 0.5))?.into_solid())?; // edges of 1, 2 and 0.5
//! let sphere = Model::new(Convex::sphere(0.5)?)?;
//! let ring = Model::new(Field::parse("torus(2, 0.5)")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Place two models and query them.** Every query has the same signature for every pair of shapes. A pose is
//! exact: its quaternion means the rotation by its normalised value. So a verdict has one true value, and for
//! meshes it is found.
//!
//! ```
//! # use noli::{Mesh, Model};
//! use noli::{Overlap, Pose, Relation, clearance, overlap, relation};
//! # let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
//! let here = cube.at(Pose::IDENTITY);
//! let at = |x| cube.at(Pose::from_translation(glam::dvec3(x, 0.0, 0.0)));
//! assert_eq!(relation(&here, &at(1.0)), Relation::Touching); // a common wall is not a clash
//! assert_eq!(overlap(&here, &at(1.0f64.next_up())), Overlap::Free);
//! assert!(clearance(&here, &at(1.25)).distance.contains(0.25));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Control the cost.** A [`QueryContext`] holds scratch memory, a [`Budget`], a [`Hint`] from the last query
//! and a [trace](trace::Trace). A query that runs out of budget returns its partial result and marks it as
//! undecided.
//!
//! ```
//! # use noli::{Convex, Model, Pose};
//! use noli::{QueryContext, Budget, Hint, Overlap, Scratch};
//! # let sphere = Model::new(Convex::sphere(0.5)?)?;
//! let (mut scratch, mut hint) = (Scratch::default(), Hint::default());
//! let mut ask = QueryContext::new(&mut scratch).with_budget(Budget::default().steps(1000)).with_hint(&mut hint);
//! let near = sphere.at(Pose::from_translation(glam::dvec3(0.9, 0.0, 0.0)));
//! assert_eq!(ask.overlap(&sphere.at(Pose::IDENTITY), &near), Overlap::Hit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Query moving bodies.** A [`Motion`](motion::Motion) is a pose for every time with proven bounds on the
//! motion in between. So [`time_of_impact`] misses no contact, at any linear or angular velocity.
//!
//! ```
//! # use noli::{Convex, Model, Pose};
//! use noli::motion::{RigidMotion, Still};
//! use noli::{Impact, time_of_impact};
//! # let sphere = Model::new(Convex::sphere(0.5)?)?;
//! let start = Pose::from_translation(glam::dvec3(-1000.0, 0.0, 0.0));
//! let shot = RigidMotion::with_velocities(&start, glam::dvec3(2000.0, 0.0, 0.0), glam::DVec3::ZERO, glam::DVec3::ZERO);
//! let first = time_of_impact(&sphere.moving(&Still::default()), &sphere.moving(&shot));
//! assert!(matches!(first, Impact::At { time, .. } if (time.safe_until - 0.4995).abs() < 1e-6));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Many bodies form a [`World`]**: the pairs to check, the status of all pairs ([`World::check`]), and a step
//! that stops at the first contact ([`World::step`]). Many threads can query its snapshots at poses of their
//! own.
//!
//! ```
//! # use noli::{Convex, Model, Pose, World};
//! use noli::world::{CheckOptions, PairStatus};
//! # let sphere = Model::new(Convex::sphere(0.5)?)?;
//! let mut world = World::default();
//! for (name, x) in [("left", 0.0), ("right", 0.75)] {
//!     world.add(name, &sphere, Pose::from_translation(glam::dvec3(x, 0.0, 0.0)))?;
//! }
//! let result = world.check(&CheckOptions::default())?;
//! assert_eq!(result.findings[0].status, PairStatus::Intersecting);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Queries and their guarantees
//!
//! | query | answer | guarantee |
//! |---|---|---|
//! | [`overlap`] | do the bodies share a point? | exact for meshes, polyhedra, spheres and capsules; others never miss |
//! | [`within_distance`] | is their distance at most a given value? | the same |
//! | [`relation`] | separated, touching, intersecting, one inside the other? | the same; only proven relations |
//! | [`clearance`] | distance and witness points | a bracket that holds, all rounding included |
//! | [`contact`], [`manifold`] | points, normal, depth | a bracket; further points of a manifold are approximate |
//! | [`penetration`](fn@penetration) | penetration depth: the shortest separating translation | a bracket |
//! | [`intersections`], [`self_intersections`] | intersecting faces and their segments | exact and complete |
//! | [`locate_point`], [`ray_cast`] | location of a point, intersections of a ray | exact for meshes |
//! | [`time_of_impact`] | first contact of moving bodies | never late; a bracket |
//! | [`closest_approach`], [`contact_intervals`] | smallest clearance, times of contact | proven between samples too |
//!
//! [`Model::guarantee`] returns the guarantee of verdicts about two models, and answers contain their
//! [`Guarantee`]. An undecided result is never `None`, `false` or 0. It is `Unknown`, an open
//! [`Bracket`](answer::Bracket), or [`Completeness::Partial`](answer::Completeness::Partial). [`batch`] runs many
//! queries at once, on all threads.

pub mod answer;
pub mod broad;
mod budget;
pub mod contacts;
mod context;
mod convex;
pub mod deforming;
mod hint;
pub mod model;
mod pair;
mod parallel;
pub mod penetration;
pub mod pieces;
mod queries;
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
}

/// Bodies in motion: a pose for every time, and proven bounds on the motion in between.
///
/// Straight lines with a rotation, screws, velocities and keyframes are provided. So are motions cut in time
/// ([`Clip`](motion::Clip)), relative to another ([`Carried`](motion::Carried)) or evaluated once for many
/// bodies ([`GroupMotion`](motion::GroupMotion)). A user-defined motion is trusted to keep its bounds.
pub mod motion {
    pub use noli_geom::{
        Carried, Clip, GroupMember, GroupMotion, KeyFrames, KeyFramesError, Motion, RigidGroup, RigidMotion,
        Still, SweptBox, Turning,
    };
}

pub use answer::{Clearance, Contact, Guarantee, Impact, Overlap, Relation};
pub use budget::Budget;
pub use context::QueryContext;
/// The vectors, quaternions and matrices of all signatures.
pub use glam;
pub use hint::Hint;
pub use model::{Model, Moving, Placed, Shape};
pub use noli_geom::{Convex, Mesh, MeshError, PointCloud, Pose, ShapeError};
pub use noli_implicit::Field;
pub use queries::{
    batch, clearance, closest_approach, contact, contact_intervals, intersections, locate_point, manifold,
    overlap, penetration, points_within, ray_cast, relation, self_intersections, time_of_impact,
    within_distance,
};
pub use scratch::Scratch;
pub use world::World;

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
