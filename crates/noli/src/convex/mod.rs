//! Two convex bodies: distance, verdict, depth and contacts from support functions.
//!
//! All computations use the *cores* (see [`noli_geom::Convex`]) in A's frame, through the difference of the
//! bodies `B − A`. Its distance from the origin is the clearance; radii are added at the end. Floating point
//! finds an answer, and support functions then prove a bracket on it. A direction bounds the clearance from
//! below, two points bound it from above, all rounding included.

mod bodies;
mod bound;
mod depth;
mod gjk;
mod manifold;
mod refine;
mod simplex;

pub(crate) use bodies::Bodies;
pub(crate) use bound::{CoreDistance, Goal};
pub(crate) use depth::{Depth, Polytope, depth};
pub(crate) use gjk::SearchEnd;
pub(crate) use gjk::core_distance;
pub(crate) use manifold::{clip, features, four_of};
pub(crate) use simplex::Simplex;
