//! Geometry under noli: poses, volumes, triangles, meshes, and the exact tests on them.
//!
//! Everything is 3D and `f64`. Where a function promises an *exact* verdict it means: equal to the
//! verdict of real arithmetic on the numbers given, poses included (see [`Pose`]).

mod ccd;
mod double_double;
mod exact;
mod fine;
mod hausdorff;
mod hull;
mod impact;
mod interval;
mod mesh;
mod motion;
pub mod naive;
mod pattern;
mod polytope;
mod pose;
mod predicates;
mod real;
mod relation;
pub mod rotation;
mod shape;
mod triangle;
mod volume;

pub use ccd::{
    ApproximateQuery, FeatureKind, FeaturePair, FeatureQuery, Finder, InsideTest, MixedImpact, RigidFeatures,
    TurningVertex, approximate_impact, mixed_impact,
};
pub use hausdorff::{Bracket, Faces, HausdorffQuery, Part, hausdorff};
pub use hull::{Eight, HalfSpace, HalfSpaceError, Hull, HullError, half_space_intersection};
pub use impact::{Features, Impact, TimeOfImpact};
pub use interval::{Interval, LIBRARY_ERROR};
pub use mesh::{
    Adjacency, HalfEdge, Mesh, MeshError, MeshKind, MeshOptions, MeshReport, Parts, Polygons, SolidFlaw,
    TriangulationNotes, WarpedFace,
};
pub use motion::{Carried, KeyFrames, KeyFramesError, Motion, Pace, RigidMotion, Still, Window};
pub use pattern::Pattern;
pub use polytope::{Polytope, PolytopeFace};
pub use pose::{Pose, RelativePose};
pub use relation::{Distance, Relation};
pub use shape::{Balls, Convex, Core, Mass, Shape, ShapeError, Support, UserBody, Voxels};
pub use triangle::{Intersection, PairFrame, Passage, Segment, Triangle, TrianglePair};
pub use volume::{
    Aabb, AnyVolume, Directions, Kdop, Measure, Minimum, Obb, Sphere, Volume, VolumeKind, inscribed_ball,
    inscribed_box, nelder_mead,
};

/// Half the distance from 1 to the next `f64`: the relative error of one rounding.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Largest magnitude of a coordinate that models and poses may hold; products of three such
/// coordinates stay finite, so no filter can be fooled by an infinity.
pub const MAX_COORDINATE: f64 = f64::from_bits((1023 + 300) << 52);
