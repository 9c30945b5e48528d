//! How far solids reach into each other: depth, depth along a direction, protrusion, immersion and common volume, as
//! brackets.
//!
//! The *depth* of two bodies is the length of the shortest translation after which they share no volume. Translations
//! after which they do share some are an open set `K` of space, the Minkowski difference of the insides, and the depth
//! is how far the origin lies from its rim. From above it is bounded by any translation outside `K`, which is returned
//! and can be rechecked by anyone with [`overlap`](crate::overlap). From below: where a point lies `x` deep in A and
//! `y` deep in B, all translations shorter than `x + y` are in `K`, so one such point proves a ball; balls that cover
//! the ball of a radius prove that radius. Convex bodies are left to the expanding polytope, which closes the bracket.
//!
//! More work narrows a bracket and never moves an end of it outward: the search is the same up to where it is stopped.
//!
//! ```
//! use noli::penetration::{self, DepthQuery};
//! use noli::{Mesh, Model, Overlap, Pose, overlap};
//! // Two rings, one tube running through the other: the way out is sideways, not along the axis of a hull.
//! let ring = Model::new(Mesh::torus(1.0, 0.2, 48, 24)?.into_solid())?;
//! let here = ring.at(Pose::IDENTITY);
//! let pose = Pose::from_translation(glam::dvec3(1.9, 0.0, 0.0));
//! let found = penetration::depth(&here, &ring.at(pose), &DepthQuery::default());
//! assert!(found.depth.at_least > 0.0 && found.depth.at_most < 0.45);
//! let apart = Pose { translation: pose.translation + found.translation().expect("a way out"), ..pose };
//! assert_eq!(overlap(&here, &ring.at(apart)), Overlap::Free);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod along;
mod form;
mod immersion;
mod protrusion;
mod room;
mod search;
mod volume;

pub(crate) use form::{HullFaces, Soundness, hull_volume};
pub(crate) use room::{Place, Room};
pub(crate) use search::{both_solid, halves, of_overlapping as depth_of_overlapping};
pub(crate) use volume::of_overlapping as volume_of_overlapping;

use crate::answer::{Bracket, Penetration};
use crate::context::{Ask, with_ask};
use crate::model::Placed;
use glam::DVec3;

/// How narrow a bracket on a depth is to be, and how long it may be sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthQuery {
    /// The search ends once the ends of the bracket differ by no more than this share of the upper one.
    pub tolerance: f64,
    /// It also ends after so many looks: placements that were tried and points whose place in a body was found. Each
    /// takes some microseconds.
    pub looks: u64,
}

impl DepthQuery {
    /// Some milliseconds at most, for a report about many pairs.
    pub const FAST: Self = Self { tolerance: 0.2, looks: 1_500 };
    /// As far as it goes in seconds.
    pub const THOROUGH: Self = Self { tolerance: 0.01, looks: 300_000 };
}

impl Default for DepthQuery {
    fn default() -> Self {
        Self { tolerance: 0.1, looks: 3_000 }
    }
}

/// How narrow a bracket on a volume is to be, and how long it may be sought.
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

/// How bodies reach into each other.
impl Ask<'_> {
    /// How far the bodies must be moved to share no volume, and which way; see [`depth`].
    pub fn penetration(&mut self, a: &Placed<'_>, b: &Placed<'_>, query: &DepthQuery) -> Penetration {
        search::penetration(a, b, query, self)
    }

    /// How far B must be moved along a direction until it first shares no volume with A; see [`depth_along`].
    pub fn depth_along(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        direction: DVec3,
        query: &DepthQuery,
    ) -> Bracket {
        along::depth_along(a, b, direction, query, self)
    }

    /// How deep the deepest vertex of one lies in the other; see [`protrusion`].
    pub fn protrusion(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Bracket {
        protrusion::protrusion(a, b, self)
    }

    /// Whether no point of one lies deeper in the other than this; see [`immersion`].
    pub fn immersion(&mut self, a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Bracket {
        immersion::immersion(a, b, within, self)
    }

    /// How much volume the bodies share; see [`overlap_volume`].
    pub fn overlap_volume(&mut self, a: &Placed<'_>, b: &Placed<'_>, query: &VolumeQuery) -> Bracket {
        volume::overlap_volume(a, b, query, self)
    }
}

/// How far must the bodies be moved to share no volume, and which way? The bracket always holds; surfaces, which have no
/// inside, are known from above only.
pub fn depth(a: &Placed<'_>, b: &Placed<'_>, query: &DepthQuery) -> Penetration {
    with_ask(|ask| ask.penetration(a, b, query))
}

/// How far must B be moved along a direction (of any length) until it first shares no volume with A? A bracket that
/// holds; 0 for bodies that share none, open for a direction without length.
///
/// ```
/// use noli::penetration::{DepthQuery, depth_along};
/// use noli::{Mesh, Model, Pose};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
/// let near = cube.at(Pose::from_translation(glam::dvec3(0.75, 0.5, 0.0)));
/// let along = |direction| depth_along(&cube.at(Pose::IDENTITY), &near, direction, &DepthQuery::default());
/// assert!(along(glam::DVec3::X).contains(0.25) && along(glam::DVec3::X).width() < 1e-6);
/// assert!(along(glam::DVec3::Y).contains(0.5) && along(-glam::DVec3::X).contains(1.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn depth_along(a: &Placed<'_>, b: &Placed<'_>, direction: DVec3, query: &DepthQuery) -> Bracket {
    with_ask(|ask| ask.depth_along(a, b, direction, query))
}

/// How deep does the deepest vertex of one lie in the other? What many tools call depth: it depends on where vertices
/// are, is 0 where only edges run through faces, and is not how far bodies must be moved. A bracket; 0 of bodies without
/// vertices.
pub fn protrusion(a: &Placed<'_>, b: &Placed<'_>) -> Bracket {
    with_ask(|ask| ask.protrusion(a, b))
}

/// How deep does any point of one body lie in the other, as far as `within`? The upper end is `within` where that is
/// proven to hold for every point that solids share, in both of them, and infinite else; the lower end is above `within`
/// where a deeper point was found. Unlike the [`depth`], this is small for a shaft that fills its hole: the way out
/// may be long where what is shared is thin. It is never more than the depth.
///
/// ```
/// use noli::penetration::immersion;
/// use noli::{Mesh, Model, Pose};
/// let plate = Model::new(Mesh::cuboid(glam::dvec3(4.0, 4.0, 1.0))?.into_solid())?;
/// let block = Model::new(Mesh::cuboid(glam::dvec3(1.0, 1.0, 1.0))?.into_solid())?;
/// let sunk = block.at(Pose::from_translation(glam::dvec3(0.0, 0.0, 0.99)));
/// assert_eq!(immersion(&plate.at(Pose::IDENTITY), &sunk, 0.02).at_most, 0.02);
/// assert!(immersion(&plate.at(Pose::IDENTITY), &sunk, 0.005).at_least > 0.005);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn immersion(a: &Placed<'_>, b: &Placed<'_>, within: f64) -> Bracket {
    with_ask(|ask| ask.immersion(a, b, within))
}

/// How much volume do the bodies share? A bracket that holds, rounding included: closed meshes that do not meet themselves
/// are summed up face by face, balls have a formula; all else is parted into cells, which is wider.
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
    with_ask(|ask| ask.overlap_volume(a, b, query))
}
