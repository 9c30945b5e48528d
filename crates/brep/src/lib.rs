//! Bodies with curved faces: a STEP reader, trimmed surfaces with proven enclosures, and certified queries.
//!
//! [`step::read`] reads the solids of a STEP file; [`Brep`] has constructors for common bodies. [`relation`],
//! [`overlap`], [`clearance`] and [`within_distance`] answer about two bodies. Nothing is triangulated once and for
//! all: every face is covered by triangles with a proven deviation that are split where a query needs it, and coaxial
//! faces are compared in closed form.

mod body;
mod boundary;
mod bounds;
mod bow;
mod bulge;
mod candidate;
mod chord;
mod constant;
mod covering;
mod curve;
mod delaunay;
mod distance;
mod face;
mod facet;
mod frame;
mod hull;
mod impact;
mod inner;
mod lens;
mod locate;
mod outline;
mod pair;
mod patch;
mod placed;
mod polyhedron;
mod polylines;
mod primitives;
mod profile;
mod ranges;
mod ray;
mod recognize;
mod region;
mod rim;
mod seam;
mod shell;
mod spline;
// Numbers of a file are not to be cut, to wrap or to be looked up unchecked.
#[cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
pub mod step;
mod surface;
mod tessellate;
mod trace;
mod triangulate;
mod trim;
mod turning;

pub use body::{Brep, FaceError};
pub use boundary::{Edge, OrientedEdge};
pub use curve::Curve;
pub use face::Face;
pub use face::FaceSpec;
pub use frame::Frame;
pub use impact::{Impact, time_of_impact};
pub use locate::Location;
pub use pair::{Fit, Options, PairReport, Volumes, clearance, overlap, relation, within_distance};
pub use primitives::ProfilePiece;
pub use ray::RayHit;
pub use region::FaceFault;
pub use shell::ShellReport;
pub use spline::{KnotSequence, SplineCurve, SplineSurface};
pub use surface::{Surface, SurfaceKind};

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
