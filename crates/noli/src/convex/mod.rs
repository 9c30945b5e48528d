//! Two convex bodies: distance, verdict, depth and contacts from support functions.
//!
//! Everything is asked of the *cores* (see [`noli_geom::Convex`]) in A's frame, through the difference of the bodies
//! `B − A`, whose distance from the origin is the gap; radii come in at the end. Floating point finds an
//! answer, and support functions then prove a bracket on it: a direction bounds the gap from below, two
//! points bound it from above, all rounding included.

mod bodies;
mod depth;
mod gjk;
mod manifold;
mod refine;
mod simplex;

pub(crate) use bodies::Bodies;
pub(crate) use depth::{Depth, Polytope, depth};
pub use gjk::Hint;
pub(crate) use gjk::{Gap, Goal, gap};
pub(crate) use manifold::{clip, features, four_of};
pub(crate) use simplex::Simplex;
