//! Queries: the methods of [`QueryContext`], and plain functions with defaults.

mod along;
mod batch;
mod points;

pub use batch::batch;
pub use points::points_within;

use crate::answer::{
    Clearance, ClosestApproach, Complete, Completeness, Contact, ContactSpan, Containment, FaceCounts,
    Guarantee, Impact, Intersection, Location, Manifold, Overlap, Penetration, RayHit, Relation, Sink, Touch,
    Verdict,
};
use crate::context::{QueryContext, with_context};
use crate::model::{Form, Model, Moving, Placed};
use crate::pair::{self, ImpactFound, ImpactGiven, Limits, mesh_mesh};
use crate::penetration::PenetrationQuery;
use crate::query::{ApproachQuery, ClearanceQuery, ImpactQuery, IntersectionsQuery, Ray, RayError, RayQuery};
use glam::DVec3;
use noli_geom::{MAX_COORDINATE, Pose, Sphere};

/// Two bodies at rest.
impl QueryContext<'_> {
    /// Tests whether the bodies share a point; see [`overlap`].
    #[doc(alias("collide", "intersects", "intersection_test"))]
    #[inline]
    pub fn overlap(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Overlap {
        pair::within_distance(a, b, 0.0, self)
    }

    /// Tests whether the distance of the bodies is at most `margin`; see [`within_distance`].
    #[doc(alias = "distance_tolerance")]
    pub fn within_distance(&mut self, a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Overlap {
        pair::within_distance(a, b, margin, self)
    }

    /// Computes the distance of the bodies; see [`clearance`].
    #[doc(alias("distance", "closest_points", "signed_distance"))]
    pub fn clearance(&mut self, a: &Placed<'_>, b: &Placed<'_>, query: &ClearanceQuery) -> Clearance {
        pair::clearance(a, b, &Limits::new(query, a.model, b.model), self)
    }

    /// Classifies the relation of the bodies; see [`relation`].
    pub fn relation(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Relation {
        pair::relation(a, b, self)
    }

    /// Computes which of two bodies that are [`Relation::Inside`] lies in which. Exact for closed meshes; `Free` if neither
    /// does, `Unknown` if the budget ran out or nothing is proven about a field.
    ///
    /// ```
    /// use noli::answer::{Containment, Verdict};
    /// use noli::{QueryContext, Mesh, Model, Pose, Scratch};
    /// let cube = |size: f64| Mesh::cuboid(glam::DVec3::splat(size)).map(|mesh| Model::from(mesh.into_solid()));
    /// let (box_, lid) = (cube(2.0)?, cube(1.0)?);
    /// // Flush with a wall, from within.
    /// let place = Pose::from_translation(glam::dvec3(0.5, 0.0, 0.0));
    /// let mut scratch = Scratch::default();
    /// let found = QueryContext::new(&mut scratch).containment(&box_.at(Pose::IDENTITY), &lid.at(place));
    /// assert_eq!(found, Verdict::Hit(Containment::BInA));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn containment(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Containment> {
        pair::containment(a, b, self)
    }

    /// Computes where and how deep the bodies overlap; see [`contact`].
    pub fn contact(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Contact> {
        pair::contact(a, b, self)
    }

    /// Computes the contact manifold of the bodies; see [`manifold`].
    pub fn manifold(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Manifold> {
        pair::manifold(a, b, self)
    }

    /// Passes every intersecting pair of faces to `sink`, always in the same order; see [`intersections`].
    pub fn intersections(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        query: &IntersectionsQuery,
        sink: &mut dyn Sink,
    ) -> Completeness {
        pair::intersections(a, b, query, self, sink)
    }

    /// Passes every pair of faces of one mesh that intersects improperly to `sink`. Segments are in the model's
    /// frame; see [`self_intersections`].
    pub fn self_intersections(
        &mut self,
        model: &Model,
        query: &IntersectionsQuery,
        sink: &mut dyn Sink,
    ) -> Completeness {
        match model.faces() {
            Some(faces) => mesh_mesh::self_intersections(faces, query, self, sink),
            None => Completeness::Complete,
        }
    }

    /// Counts the intersecting pairs of faces of two bodies, touching ones included; stops once there are
    /// `at_most`. Copies of a triangle are counted without visiting each.
    pub fn count_intersections(&mut self, a: &Placed<'_>, b: &Placed<'_>, at_most: u64) -> FaceCounts {
        match (a.core_faces(), b.core_faces()) {
            (Some(a), Some(b)) => mesh_mesh::count_intersections(&a, &b, at_most, self),
            _ => FaceCounts::NONE,
        }
    }

    /// Counts the pairs of faces of one mesh that intersect improperly; see [`self_intersections`]. Stops once
    /// there are `at_most`. Copies of a triangle are counted without visiting each.
    ///
    /// ```
    /// use noli::{Mesh, Model, QueryContext, Scratch};
    /// // A hundred times the same triangle.
    /// let vertices = vec![glam::DVec3::ZERO, glam::DVec3::X, glam::DVec3::Y];
    /// let model = Model::new(Mesh::from_triangles(vertices, vec![[0, 1, 2]; 100], &Default::default())?)?;
    /// let found = QueryContext::new(&mut Scratch::default()).count_self_intersections(&model, u64::MAX);
    /// assert_eq!(found.touching, 100 * 99 / 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count_self_intersections(&mut self, model: &Model, at_most: u64) -> FaceCounts {
        match model.faces() {
            Some(faces) => mesh_mesh::count_self_intersections(faces, at_most, self),
            None => FaceCounts::NONE,
        }
    }
}

/// A point or a ray.
impl QueryContext<'_> {
    /// Classifies a point given in world coordinates; see [`locate_point`].
    #[doc(alias("contains", "point_in_mesh"))]
    pub fn locate_point(&mut self, body: &Placed<'_>, point: DVec3) -> Location {
        let in_range = point.abs().max_element() <= MAX_COORDINATE && !point.is_nan();
        if !in_range || !body.world_from_self.is_valid() {
            return Location::Unknown;
        }
        pair::locate_point(point, body, self)
    }

    /// Writes the intersections of a ray into `hits`, which is cleared first; see [`ray_cast`].
    pub fn ray_cast(
        &mut self,
        body: &Placed<'_>,
        ray: &Ray,
        query: &RayQuery,
        hits: &mut Vec<RayHit>,
    ) -> Result<Completeness, RayError> {
        hits.clear();
        if !body.world_from_self.is_valid() {
            return Err(RayError::Pose);
        }
        ray.check()?;
        let completeness = pair::ray_cast(body, ray, query.until, self, hits);
        // By `t`, then as found: by number within a mesh.
        hits.sort_by(|x, y| x.t.total_cmp(&y.t));
        Ok(completeness)
    }
}

/// Two bodies in motion.
impl QueryContext<'_> {
    /// Computes when the bodies first touch; see [`time_of_impact`].
    #[doc(alias("ccd", "shape_cast", "continuous_collide"))]
    pub fn time_of_impact(&mut self, a: &Moving<'_>, b: &Moving<'_>, query: &ImpactQuery) -> Impact<Touch> {
        pair::time_of_impact(a, b, query, &ImpactGiven::default(), self, &mut ImpactFound::default())
    }

    /// Computes the time until which bodies that are separated at the start are proven to stay beyond the margin.
    ///
    /// The same search as [`time_of_impact`](Self::time_of_impact) at lower cost, for advancing from pose to
    /// proven pose. It assumes that neither body is inside the other at the start. The event that ends the
    /// collision-free interval is neither proven nor reported. Bodies nearer than the margin at the start are
    /// free until the start.
    ///
    /// ```
    /// use noli::motion::{RigidMotion, Still};
    /// use noli::{QueryContext, Mesh, Model, Pose, Scratch};
    /// use glam::DVec3;
    /// let cube = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
    /// let start = Pose::from_translation(DVec3::X * 3.0);
    /// let way = RigidMotion::with_velocities(&start, DVec3::X * -4.0, DVec3::ZERO, DVec3::ZERO);
    /// let mut scratch = Scratch::default();
    /// let (a, still) = (cube.moving(&way), Still(Pose::IDENTITY));
    /// let free = QueryContext::new(&mut scratch).free_until(&a, &cube.moving(&still), &Default::default());
    /// assert!(free <= 0.5 && free > 0.499_999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn free_until(&mut self, a: &Moving<'_>, b: &Moving<'_>, query: &ImpactQuery) -> f64 {
        let given = ImpactGiven { separated: true, only_free: true, wants_smallest: false };
        match pair::time_of_impact(a, b, query, &given, self, &mut ImpactFound::default()) {
            Impact::Free => query.span.1.min(1.0),
            Impact::At { time, .. } => time.safe_until,
            Impact::Unknown { safe_until } => safe_until,
            Impact::AtStart(_) => query.span.0.max(0.0),
        }
    }

    /// The smallest clearance during the motion; see [`closest_approach`].
    pub fn closest_approach(
        &mut self,
        a: &Moving<'_>,
        b: &Moving<'_>,
        query: &ApproachQuery,
    ) -> ClosestApproach {
        along::closest_approach(a, b, query, self)
    }

    /// All spans of time in which the bodies touch; see [`contact_intervals`].
    pub fn contact_intervals(
        &mut self,
        a: &Moving<'_>,
        b: &Moving<'_>,
        query: &ImpactQuery,
        resolution: f64,
    ) -> Complete<ContactSpan> {
        along::contact_intervals(a, b, query, resolution, self)
    }
}

/// Do the bodies share a point? Surfaces share a point where their faces do; a solid also holds
/// everything inside it.
#[doc(alias("collide", "intersects", "intersection_test", "collision detection", "narrow phase"))]
#[inline]
pub fn overlap(a: &Placed<'_>, b: &Placed<'_>) -> Overlap {
    with_context(|context| context.overlap(a, b))
}

/// Tests whether the distance of the bodies is at most `margin`. Exact: `Hit` if the clearance is at most
/// `margin`.
#[doc(alias("distance_tolerance", "security margin"))]
pub fn within_distance(a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Overlap {
    with_context(|context| context.within_distance(a, b, margin))
}

/// Computes the distance of the bodies: 0 if they overlap, infinite if one is empty.
#[doc(alias("distance", "closest_points", "signed_distance"))]
pub fn clearance(a: &Placed<'_>, b: &Placed<'_>) -> Clearance {
    with_context(|context| context.clearance(a, b, &ClearanceQuery::default()))
}

/// Classifies the relation of the bodies.
///
/// Exact for closed meshes, also where faces coincide: solids only touch if they share points but no volume,
/// however their faces are triangulated. Bodies intersect where a face passes through another, also if that
/// face is a wall within a solid.
///
/// A mesh with holes used as a solid is approximate, because its interior depends on the chosen ray. So are
/// solids that touch themselves where only their own edges cross. [`QueryContext::containment`] returns which
/// of two bodies is inside the other.
#[doc(alias("clash", "containment"))]
pub fn relation(a: &Placed<'_>, b: &Placed<'_>) -> Relation {
    with_context(|context| context.relation(a, b))
}

/// Computes where and how deep the bodies overlap.
///
/// ```
/// use noli::{Convex, Model, Pose, contact};
/// let sphere = Model::new(Convex::sphere(1.0)?)?;
/// let there = Pose::from_translation(glam::dvec3(1.5, 0.0, 0.0));
/// let contact = contact(&sphere.at(Pose::IDENTITY), &sphere.at(there)).hit().expect("they overlap");
/// assert!(contact.depth.contains(0.5) && contact.depth.width() < 1e-13);
/// assert!(contact.normal.abs_diff_eq(glam::DVec3::X, 1e-15));
/// # Ok::<(), noli::ShapeError>(())
/// ```
#[doc(alias("gjk", "contact point"))]
pub fn contact(a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Contact> {
    with_context(|context| context.contact(a, b))
}

/// Computes the contact manifold of the bodies. Approximate: an angle decides which edges and faces count as
/// lying against each other. The first contact is that of [`contact`], with its bracket.
#[doc(alias = "contact manifold")]
pub fn manifold(a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Manifold> {
    with_context(|context| context.manifold(a, b))
}

/// Penetration depth: the shortest translation after which the bodies share no volume, with its direction.
///
/// The bracket on the depth always holds; it is [`Bracket::OPEN`](crate::answer::Bracket::OPEN) if not even the overlap is known.
/// [`QueryContext::penetration`] takes a tolerance and a limit.
///
/// ```
/// use noli::{Mesh, Model, Pose, penetration};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
/// let near = Pose::from_translation(glam::dvec3(0.5, 0.0, 0.0));
/// let depth = penetration(&cube.at(Pose::IDENTITY), &cube.at(near)).depth;
/// assert!(depth.contains(0.5) && depth.at_least > 0.4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("epa", "minimum_translation", "penetration depth"))]
pub fn penetration(a: &Placed<'_>, b: &Placed<'_>) -> Penetration {
    with_context(|context| context.penetration(a, b, &PenetrationQuery::FAST))
}

/// Returns all intersecting faces of the bodies with their segments, always in the same order. Exact. Bodies
/// without faces have none.
#[doc(alias("clash", "hard clash", "intersection curve"))]
pub fn intersections(a: &Placed<'_>, b: &Placed<'_>) -> Complete<Intersection> {
    let mut items = Vec::new();
    let completeness =
        with_context(|context| context.intersections(a, b, &IntersectionsQuery::default(), &mut items));
    Complete { items, completeness, guarantee: Guarantee::Exact }
}

/// Returns the faces of one mesh that intersect improperly. The order is always the same, and each pair
/// occurs once with `triangle_a < triangle_b`. Exact.
///
/// Faces may share a vertex or an edge, by number or by position. They count only if they have a common point
/// that lies on no such vertex or edge. A fold onto its neighbour counts, a crease does not. Two copies of a
/// face count, unless it has no area: they then share only edges.
///
/// ```
/// use noli::{Mesh, Model, self_intersections};
/// assert!(self_intersections(&Model::new(Mesh::torus(2.0, 1.0, 24, 12)?)?).is_free());
/// // A tube thicker than its ring runs through itself.
/// assert!(!self_intersections(&Model::new(Mesh::torus(1.0, 1.5, 24, 12)?)?).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "self-intersection")]
pub fn self_intersections(model: &Model) -> Complete<Intersection> {
    let mut items = Vec::new();
    let completeness =
        with_context(|context| context.self_intersections(model, &IntersectionsQuery::default(), &mut items));
    Complete { items, completeness, guarantee: Guarantee::Exact }
}

/// Classifies a point given in world coordinates. Exact for closed meshes. For a mesh with holes the result
/// may depend on the chosen ray. The surface of round bodies and fields is as thick as rounding.
#[doc(alias("contains", "point_in_mesh", "point in polyhedron"))]
pub fn locate_point(body: &Placed<'_>, point: DVec3) -> Location {
    with_context(|context| context.locate_point(body, point))
}

/// Returns all intersections of a ray, ordered by `t`, then by face number. The set of intersected faces is
/// exact.
///
/// Watertight: a ray through an edge or a vertex intersects every face there, and each is reported. No ray
/// slips through a closed mesh. Solids are intersected on their surface only, also from inside. Bodies
/// without faces (round ones, half-spaces) report entry and exit points, up to rounding.
///
/// ```
/// use noli::{Mesh, Model, Pose, ray_cast};
/// use noli::answer::RaySide;
/// use noli::query::Ray;
/// use glam::DVec3;
/// let cube = Model::new(Mesh::cuboid(2.0 * DVec3::ONE)?)?;
/// let ray = Ray { origin: DVec3::new(-3.0, 0.25, 0.5), direction: DVec3::X };
/// let hits = ray_cast(&cube.at(Pose::IDENTITY), &ray)?;
/// assert_eq!(hits.iter().map(|h| (h.t, h.side)).collect::<Vec<_>>(), [(2.0, RaySide::Front), (4.0, RaySide::Back)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("raycast", "cast_ray"))]
pub fn ray_cast(body: &Placed<'_>, ray: &Ray) -> Result<Complete<RayHit>, RayError> {
    let mut items = Vec::new();
    let completeness = with_context(|context| context.ray_cast(body, ray, &RayQuery::default(), &mut items))?;
    Ok(Complete { items, completeness, guarantee: body.model.guarantee(body.model) })
}

/// Computes when two moving bodies first touch, during the time from 0 to 1. No contact is missed: nothing
/// touches before `safe_until`, for any motion, and `Free` means that nothing touches at all.
///
/// ```
/// use noli::{Mesh, Model, Pose, time_of_impact};
/// use noli::answer::Impact;
/// use noli::motion::{RigidMotion, Still};
/// use glam::DVec3;
/// let cube = Model::new(Mesh::cuboid(2.0 * DVec3::ONE)?)?;
/// let away = Pose::from_translation(DVec3::new(10.0, 0.0, 0.0));
/// let fly = RigidMotion::with_velocities(&away, DVec3::new(-20.0, 0.0, 0.0), DVec3::X, DVec3::ZERO);
/// let Impact::At { time, .. } = time_of_impact(&cube.moving(&Still::default()), &cube.moving(&fly)) else {
///     panic!("it flies right through");
/// };
/// assert!(time.safe_until <= 0.4 && 0.4 <= time.touching_by + 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("ccd", "shape_cast", "continuous_collide", "continuous collision"))]
pub fn time_of_impact(a: &Moving<'_>, b: &Moving<'_>) -> Impact<Touch> {
    with_context(|context| context.time_of_impact(a, b, &ImpactQuery::default()))
}

/// Computes the smallest clearance of two moving bodies. The lower end of the bracket is proven for the whole
/// time, between samples too.
#[doc(alias("minimum distance", "path clearance"))]
pub fn closest_approach(a: &Moving<'_>, b: &Moving<'_>) -> ClosestApproach {
    with_context(|context| context.closest_approach(a, b, &ApproachQuery::default()))
}

/// Returns all intervals of time during which two moving bodies touch, in order. No contact is missed.
/// Intervals separated by less than `resolution` may be reported as one.
pub fn contact_intervals(a: &Moving<'_>, b: &Moving<'_>, resolution: f64) -> Complete<ContactSpan> {
    with_context(|context| context.contact_intervals(a, b, &ImpactQuery::default(), resolution))
}

impl Model {
    /// Classifies a point given in the model's own frame; see [`locate_point`].
    pub fn locate_point(&self, point: DVec3) -> Location {
        locate_point(&self.at(Pose::IDENTITY), point)
    }

    /// Returns spheres that lie inside the solid, the largest first; none for surfaces and for meshes that are not
    /// closed. Computed on first use.
    pub fn inner_spheres(&self) -> &[Sphere] {
        match self.form() {
            Form::Mesh(mesh) => mesh_mesh::inner_spheres(mesh),
            Form::Convex(_) | Form::HalfSpace | Form::Compound(_) | Form::Field(_) | Form::Cloud(_) => &[],
        }
    }
}
