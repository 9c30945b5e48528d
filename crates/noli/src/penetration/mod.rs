//! Penetration measures of solids as brackets: depth, depth along a direction, protrusion, immersion and
//! common volume.
//!
//! The *depth* of two bodies is the length of the shortest translation after which they share no volume.
//! Translations after which they still share volume form an open set `K`, the Minkowski difference of the
//! interiors. The depth is the distance of the origin from the boundary of `K`.
//!
//! Any translation outside `K` is an upper bound. It is returned and can be rechecked with
//! [`overlap`](crate::overlap). For a lower bound, take a point that lies `x` deep in A and `y` deep in B.
//! All translations shorter than `x + y` are then in `K`. One such point proves a sphere of translations;
//! spheres that cover the sphere of a radius prove that radius. Convex bodies use the expanding polytope
//! algorithm, which closes the bracket.
//!
//! More work narrows a bracket and never moves an end outward: the search is the same up to where it is
//! stopped.
//!
//! ```
//! use noli::penetration::{self, PenetrationQuery};
//! use noli::{Mesh, Model, Overlap, Pose, overlap};
//! // Two rings, one tube running through the other: it is removed sideways, not along a hull axis.
//! let ring = Model::new(Mesh::torus(1.0, 0.2, 48, 24)?.into_solid())?;
//! let here = ring.at(Pose::IDENTITY);
//! let pose = Pose::from_translation(glam::dvec3(1.9, 0.0, 0.0));
//! let found = penetration::penetration(&here, &ring.at(pose), &PenetrationQuery::default());
//! assert!(found.depth.at_least > 0.0 && found.depth.at_most < 0.45);
//! let apart = Pose { translation: pose.translation + found.translation().expect("a way out"), ..pose };
//! assert_eq!(overlap(&here, &ring.at(apart)), Overlap::Free);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod along_direction;
mod depth_at_point;
mod hull_shape;
mod max_penetration;
mod search;
mod vertex_depth;
mod volume;

pub(crate) use depth_at_point::{Place, Room};
pub(crate) use hull_shape::{HullFaces, hull_volume};
pub(crate) use search::{both_solid, halves, of_overlapping as depth_of_overlapping};
pub(crate) use volume::of_overlapping as volume_of_overlapping;

use crate::answer::{Bracket, Penetration};
use crate::context::{QueryContext, with_context};
use crate::model::Placed;
use glam::DVec3;

/// Accuracy and effort limits for a bracket on a depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenetrationQuery {
    /// The search ends once the ends of the bracket differ by no more than this share of the upper one.
    pub tolerance: f64,
    /// It also ends after so many looks: placements that were tried and points whose place in a body was found. Each
    /// takes some microseconds.
    pub looks: u64,
}

impl PenetrationQuery {
    /// Some milliseconds at most, for a report about many pairs.
    pub const FAST: Self = Self { tolerance: 0.2, looks: 1_500 };
    /// As far as it goes in seconds.
    pub const THOROUGH: Self = Self { tolerance: 0.01, looks: 300_000 };
}

impl Default for PenetrationQuery {
    fn default() -> Self {
        Self { tolerance: 0.1, looks: 3_000 }
    }
}

/// Accuracy and effort limits for a bracket on a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeQuery {
    /// The search ends once the ends of the bracket differ by no more than this share of the upper one.
    pub tolerance: f64,
    /// It also ends after so many looks: pairs of faces that lie over each other, or cells of space.
    pub looks: u64,
}

impl VolumeQuery {
    /// Some milliseconds at most, for a report about many pairs.
    pub const FAST: Self = Self { tolerance: 0.1, looks: 300_000 };
    /// As far as it goes in seconds.
    pub const THOROUGH: Self = Self { tolerance: 1e-3, looks: 50_000_000 };
}

impl Default for VolumeQuery {
    fn default() -> Self {
        Self { tolerance: 0.01, looks: 3_000_000 }
    }
}

/// Penetration queries.
impl QueryContext<'_> {
    /// Computes the shortest translation after which the bodies share no volume; see
    /// [`penetration`](fn@penetration).
    pub fn penetration(&mut self, a: &Placed<'_>, b: &Placed<'_>, query: &PenetrationQuery) -> Penetration {
        search::penetration(a, b, query, self)
    }

    /// Computes the distance B must move along a direction until it first shares no volume with A; see
    /// [`penetration_along`].
    pub fn penetration_along(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        direction: DVec3,
        query: &PenetrationQuery,
    ) -> Bracket {
        along_direction::penetration_along(a, b, direction, query, self)
    }

    /// Computes the depth of the deepest vertex of one body in the other; see [`max_vertex_depth`].
    pub fn max_vertex_depth(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Bracket {
        vertex_depth::max_vertex_depth(a, b, self)
    }

    /// Tests that no point of one body lies deeper in the other than `within`; see [`max_penetration_within`].
    pub fn max_penetration_within(&mut self, a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Bracket {
        max_penetration::max_penetration_within(a, b, within, self)
    }

    /// Computes the volume that the bodies share; see [`overlap_volume`].
    pub fn overlap_volume(&mut self, a: &Placed<'_>, b: &Placed<'_>, query: &VolumeQuery) -> Bracket {
        volume::overlap_volume(a, b, query, self)
    }
}

/// Computes the length and direction of the shortest translation after which the bodies share no volume. The
/// bracket always holds. Surfaces have no interior, so their depth is bounded from above only.
pub fn penetration(a: &Placed<'_>, b: &Placed<'_>, query: &PenetrationQuery) -> Penetration {
    with_context(|context| context.penetration(a, b, query))
}

/// Computes the distance B must move along a direction (of any length) until it first shares no volume with
/// A. The result is a proven bracket: 0 for bodies that share no volume, open for a direction of zero length.
///
/// ```
/// use noli::penetration::{PenetrationQuery, penetration_along};
/// use noli::{Mesh, Model, Pose};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
/// let near = cube.at(Pose::from_translation(glam::dvec3(0.75, 0.5, 0.0)));
/// let along = |direction| penetration_along(&cube.at(Pose::IDENTITY), &near, direction, &PenetrationQuery::default());
/// assert!(along(glam::DVec3::X).contains(0.25) && along(glam::DVec3::X).width() < 1e-6);
/// assert!(along(glam::DVec3::Y).contains(0.5) && along(-glam::DVec3::X).contains(1.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn penetration_along(
    a: &Placed<'_>,
    b: &Placed<'_>,
    direction: DVec3,
    query: &PenetrationQuery,
) -> Bracket {
    with_context(|context| context.penetration_along(a, b, direction, query))
}

/// Computes the depth of the deepest vertex of one body in the other, as a bracket. Many tools call this
/// depth. It depends on the placement of vertices, and is 0 where only edges pass through faces. It is not
/// the minimal translation distance. Bodies without vertices give 0.
pub fn max_vertex_depth(a: &Placed<'_>, b: &Placed<'_>) -> Bracket {
    with_context(|context| context.max_vertex_depth(a, b))
}

/// Tests the depth of any point of one body in the other, up to `within`. The upper end is `within` if that
/// is proven for every shared point of the solids, in both of them; otherwise it is infinite. The lower end
/// is above `within` if a deeper point was found. Unlike the [penetration depth](fn@penetration), this is small for a shaft that fills
/// its hole: the removal path may be long where the common volume is thin. It never exceeds the depth.
///
/// ```
/// use noli::penetration::max_penetration_within;
/// use noli::{Mesh, Model, Pose};
/// let plate = Model::new(Mesh::cuboid(glam::dvec3(4.0, 4.0, 1.0))?.into_solid())?;
/// let block = Model::new(Mesh::cuboid(glam::dvec3(1.0, 1.0, 1.0))?.into_solid())?;
/// let sunk = block.at(Pose::from_translation(glam::dvec3(0.0, 0.0, 0.99)));
/// assert_eq!(max_penetration_within(&plate.at(Pose::IDENTITY), &sunk, 0.02).at_most, 0.02);
/// assert!(max_penetration_within(&plate.at(Pose::IDENTITY), &sunk, 0.005).at_least > 0.005);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn max_penetration_within(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Bracket {
    with_context(|context| context.max_penetration_within(a, b, within))
}

/// Computes the volume that the bodies share. The bracket holds, rounding included. Closed meshes without
/// self-intersections are summed face by face, and spheres have a closed form. All other bodies are
/// subdivided into cells, which gives a wider bracket.
///
/// ```
/// use noli::penetration::{VolumeQuery, overlap_volume};
/// use noli::{Mesh, Model, Pose};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
/// let near = cube.at(Pose::from_translation(glam::dvec3(0.75, 0.5, 0.25)));
/// let volume = overlap_volume(&cube.at(Pose::IDENTITY), &near, &VolumeQuery::default());
/// assert!(volume.contains(0.09375) && volume.width() < 1e-9);
/// let flush = cube.at(Pose::from_translation(glam::dvec3(0.75, 0.5, 0.0)));
/// let volume = overlap_volume(&cube.at(Pose::IDENTITY), &flush, &VolumeQuery::default());
/// assert!(volume.contains(0.125) && volume.width() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap_volume(a: &Placed<'_>, b: &Placed<'_>, query: &VolumeQuery) -> Bracket {
    with_context(|context| context.overlap_volume(a, b, query))
}
