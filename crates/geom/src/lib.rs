//! Geometry under noli: poses, volumes, triangles, meshes, and the exact tests on them.
//!
//! Everything is 3D and `f64`. Where a function promises an *exact* verdict it means: equal to the
//! verdict of real arithmetic on the numbers given, poses included (see [`Pose`]).

mod bracket;
mod ccd;
mod display;
mod hausdorff;
mod hull;
mod impact;
pub mod internals;
mod mesh;
mod motion;
pub mod naive;
pub mod number;
mod polytope;
mod pose;
#[doc(hidden)]
pub mod random;
mod rank;
mod relation;
pub mod rotation;
mod shape;
mod sort;
mod triangle;
#[cfg(feature = "serde")]
pub mod unbounded;
mod volume;

pub use bracket::Bracket;
pub use ccd::{
    ApproximateQuery, FeatureKind, FeaturePair, FeatureQuery, Finder, InsideTest, MixedImpact, RigidFeatures,
    TurningVertex, approximate_impact, mixed_impact,
};
/// The vectors, quaternions and matrices of all signatures.
pub use glam;
pub use hull::{HalfSpace, HalfSpaceError, Hull, HullError, half_space_intersection};
pub use impact::{Features, Impact, TimeOfImpact};
pub use mesh::{
    Adjacency, HalfEdge, Mesh, MeshError, MeshKind, MeshOptions, MeshReport, Parts, Polygons, SolidFlaw,
    TriangulationNotes, WarpedFace,
};
pub use motion::{
    Carried, Clip, GroupMember, GroupMotion, KeyFrames, KeyFramesError, Motion, RigidGroup, RigidMotion,
    Still, SweptBox, Turning,
};
pub use number::Interval;
pub use polytope::{Polytope, PolytopeFace};
pub use pose::{Pose, RelativePose};
pub use relation::{Distance, Relation};
pub use shape::{Convex, Core, Mass, PointCloud, ShapeError, Support, Voxels};
pub use triangle::{
    CommonPoint, CommonVertices, ExactDistance, Intersection, PairFrame, Passage, Segment, Shares, Triangle,
    TrianglePair, VertexNeighborhood,
};
pub use volume::{Aabb, AnyVolume, Directions, Kdop, Measure, Obb, Sphere, Volume, VolumeKind};

/// Half the distance from 1 to the next `f64`: the relative error of one rounding.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Largest magnitude of a coordinate that models and poses may hold; products of three such
/// coordinates stay finite, so no filter can be fooled by an infinity.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 300) << 52);

/// The examples of the readme are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
