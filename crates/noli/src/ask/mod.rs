//! The questions: what [`Ask`] can be asked, and the plain functions with defaults.

mod along;
mod batch;

pub use batch::batch;

use crate::answer::{
    Bracket, Clearance, ClosestApproach, Contact, ContactSpan, Coverage, Crossing, Guarantee, Impact, Listed,
    Location, Manifold, Nesting, Overlap, RayHit, Relation, Sink, Touch, Verdict,
};
use crate::context::{Ask, with_ask};
use crate::model::{Form, Model, Moving, Placed};
use crate::pair::{self, Limits, Progress, mesh_mesh};
use crate::penetration::DepthQuery;
use crate::query::{ApproachQuery, ClearanceQuery, CrossingsQuery, ImpactQuery, Ray, RayError, RayQuery};
use glam::DVec3;
use noli_geom::{MAX_COORDINATE, Pose, Sphere};

/// Two bodies at rest.
impl Ask<'_> {
    /// Whether the bodies share a point; see [`overlap`].
    #[inline]
    pub fn overlap(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Overlap {
        pair::closer_than(a, b, 0.0, self)
    }

    /// Whether the bodies are at most `margin` apart; see [`closer_than`].
    pub fn closer_than(&mut self, a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Overlap {
        pair::closer_than(a, b, margin, self)
    }

    /// How far the bodies are apart; see [`clearance`].
    pub fn clearance(&mut self, a: &Placed<'_>, b: &Placed<'_>, query: &ClearanceQuery) -> Clearance {
        pair::clearance(a, b, &Limits::new(query, a.model, b.model), self)
    }

    /// How the bodies stand to each other; see [`relation`].
    pub fn relation(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Relation {
        pair::relation(a, b, self)
    }

    /// Which of two bodies that are [`Relation::Inside`] lies in which; `None` if neither does, if that is not proven of a
    /// field, or if the budget ran out. Exact for closed meshes.
    ///
    /// ```
    /// use noli::answer::Nesting;
    /// use noli::{Ask, Mesh, Model, Pose, Scratch};
    /// let cube = |size: f64| Mesh::cuboid(glam::DVec3::splat(size)).map(|mesh| Model::from(mesh.into_solid()));
    /// let (box_, lid) = (cube(2.0)?, cube(1.0)?);
    /// // Flush with a wall, from within.
    /// let place = Pose::from_translation(glam::dvec3(0.5, 0.0, 0.0));
    /// let mut scratch = Scratch::default();
    /// let found = Ask::new(&mut scratch).nesting(&box_.at(Pose::IDENTITY), &lid.at(place));
    /// assert_eq!(found, Some(Nesting::BInA));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nesting(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Option<Nesting> {
        pair::nesting(a, b, self)
    }

    /// Where and how deep the bodies overlap; see [`contact`].
    pub fn contact(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Contact> {
        pair::contact(a, b, self)
    }

    /// Where the bodies lie against each other; see [`manifold`].
    pub fn manifold(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Manifold> {
        pair::manifold(a, b, self)
    }

    /// How far the bodies must be moved to share no volume; see [`depth`].
    pub fn depth(&mut self, a: &Placed<'_>, b: &Placed<'_>) -> Bracket {
        self.penetration(a, b, &DepthQuery::FAST).depth
    }

    /// Hand every pair of faces that meets to `sink`, always in the same order; see [`crossings`].
    pub fn crossings(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        query: &CrossingsQuery,
        sink: &mut dyn Sink,
    ) -> Coverage {
        pair::crossings(a, b, query, self, sink)
    }

    /// Hand every pair of faces of one mesh that meets where it should not to `sink`; segments are in the model's
    /// frame; see [`self_crossings`].
    pub fn self_crossings(&mut self, model: &Model, query: &CrossingsQuery, sink: &mut dyn Sink) -> Coverage {
        match model.faces() {
            Some(faces) => mesh_mesh::self_crossings(faces, query, self, sink),
            None => Coverage::Whole,
        }
    }
}

/// A point or a ray.
impl Ask<'_> {
    /// Where a point given in world coordinates lies; see [`locate`].
    pub fn locate(&mut self, body: &Placed<'_>, point: DVec3) -> Location {
        let in_range = point.abs().max_element() <= MAX_COORDINATE && !point.is_nan();
        if !in_range || !body.world_from_self.is_valid() {
            return Location::Unknown;
        }
        pair::locate(point, body, self)
    }

    /// What a ray meets, into `hits`, which is cleared first; see [`ray_hits`].
    pub fn ray_hits(
        &mut self,
        body: &Placed<'_>,
        ray: &Ray,
        query: &RayQuery,
        hits: &mut Vec<RayHit>,
    ) -> Result<Coverage, RayError> {
        hits.clear();
        if !body.world_from_self.is_valid() {
            return Err(RayError::Pose);
        }
        ray.check()?;
        let coverage = pair::ray_hits(body, ray, query.until, self, hits);
        // By `t`, then as found: by number within a mesh.
        hits.sort_by(|x, y| x.t.total_cmp(&y.t));
        Ok(coverage)
    }
}

/// Two bodies in motion.
impl Ask<'_> {
    /// When the bodies first touch; see [`time_of_impact`].
    pub fn time_of_impact(&mut self, a: &Moving<'_>, b: &Moving<'_>, query: &ImpactQuery) -> Impact<Touch> {
        pair::time_of_impact(a, b, query, self, &mut Progress::default())
    }

    /// Until when bodies that are free at the start of the span are proven to stay further apart than the margin.
    ///
    /// The same search as [`time_of_impact`](Self::time_of_impact) for less, as whoever goes on from pose to proven pose
    /// wants it: that neither body is inside the other at the start is taken for granted, and what ends the free part is
    /// neither proven nor told. Bodies nearer than the margin at the start are free until the start.
    ///
    /// ```
    /// use noli::motion::{RigidMotion, Still};
    /// use noli::{Ask, Mesh, Model, Pose, Scratch};
    /// use glam::DVec3;
    /// let cube = Model::new(Mesh::cuboid(DVec3::ONE)?.into_solid())?;
    /// let start = Pose::from_translation(DVec3::X * 3.0);
    /// let way = RigidMotion::with_velocities(&start, DVec3::X * -4.0, DVec3::ZERO, DVec3::ZERO);
    /// let mut scratch = Scratch::default();
    /// let (a, still) = (cube.moving(&way), Still(Pose::IDENTITY));
    /// let free = Ask::new(&mut scratch).free_until(&a, &cube.moving(&still), &Default::default());
    /// assert!(free <= 0.5 && free > 0.499_999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn free_until(&mut self, a: &Moving<'_>, b: &Moving<'_>, query: &ImpactQuery) -> f64 {
        let mut progress = Progress { apart: true, only_free: true, ..Progress::default() };
        match pair::time_of_impact(a, b, query, self, &mut progress) {
            Impact::Free => query.span.1.min(1.0),
            Impact::At { time, .. } => time.safe_until,
            Impact::Unknown { safe_until } => safe_until,
            Impact::AtStart(_) => query.span.0.max(0.0),
        }
    }

    /// The smallest gap during the motion; see [`closest_approach`].
    pub fn closest_approach(
        &mut self,
        a: &Moving<'_>,
        b: &Moving<'_>,
        query: &ApproachQuery,
    ) -> ClosestApproach {
        along::closest_approach(a, b, query, self)
    }

    /// All spans of time in which the bodies touch; see [`contact_spans`].
    pub fn contact_spans(
        &mut self,
        a: &Moving<'_>,
        b: &Moving<'_>,
        query: &ImpactQuery,
        resolution: f64,
    ) -> Listed<ContactSpan> {
        along::contact_spans(a, b, query, resolution, self)
    }
}

/// Do the bodies share a point? Surfaces share a point where their faces do; a solid also holds
/// everything inside it.
#[inline]
pub fn overlap(a: &Placed<'_>, b: &Placed<'_>) -> Overlap {
    with_ask(|ask| ask.overlap(a, b))
}

/// Are the bodies at most `margin` apart? Exact: `Hit` where the gap is at most `margin`.
pub fn closer_than(a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Overlap {
    with_ask(|ask| ask.closer_than(a, b, margin))
}

/// How far are the bodies apart? 0 where they overlap, infinitely far where one is empty.
pub fn clearance(a: &Placed<'_>, b: &Placed<'_>) -> Clearance {
    with_ask(|ask| ask.clearance(a, b, &ClearanceQuery::default()))
}

/// How do the bodies stand to each other?
///
/// Exact for closed meshes, also where faces coincide: solids touch only if they share points but no volume, however
/// their faces are cut into triangles. Where a face passes through another they cross, also if it is a wall within a
/// solid. Taking a mesh with holes as a solid is approximate, as what is inside it depends on the ray chosen; so are
/// solids that touch themselves where nothing but their own edges cross.
/// [`Ask::nesting`] tells which of two bodies is inside the other.
pub fn relation(a: &Placed<'_>, b: &Placed<'_>) -> Relation {
    with_ask(|ask| ask.relation(a, b))
}

/// Where and how deep do the bodies overlap?
///
/// ```
/// use noli::{Convex, Model, Pose, contact};
/// let ball = Model::new(Convex::sphere(1.0)?)?;
/// let there = Pose::from_translation(glam::dvec3(1.5, 0.0, 0.0));
/// let contact = contact(&ball.at(Pose::IDENTITY), &ball.at(there)).hit().expect("they overlap");
/// assert!(contact.depth.contains(0.5) && contact.depth.width() < 1e-13);
/// assert!(contact.normal.abs_diff_eq(glam::DVec3::X, 1e-15));
/// # Ok::<(), noli::ShapeError>(())
/// ```
pub fn contact(a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Contact> {
    with_ask(|ask| ask.contact(a, b))
}

/// Where do the bodies lie against each other? Approximate: which edges and faces count as lying against each other is
/// a matter of angle; the first contact is [`contact`]'s, with its bracket.
pub fn manifold(a: &Placed<'_>, b: &Placed<'_>) -> Verdict<Manifold> {
    with_ask(|ask| ask.manifold(a, b))
}

/// How far must the bodies be moved to share no volume? A bracket that always holds; [`penetration`](crate::penetration)
/// also tells which way, and how narrow it is to be. [`Bracket::OPEN`] if not even the overlap is known.
///
/// ```
/// use noli::{Mesh, Model, Pose, depth};
/// let cube = Model::new(Mesh::cuboid(glam::DVec3::ONE)?.into_solid())?;
/// let near = Pose::from_translation(glam::dvec3(0.5, 0.0, 0.0));
/// let depth = depth(&cube.at(Pose::IDENTITY), &cube.at(near));
/// assert!(depth.contains(0.5) && depth.at_least > 0.4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn depth(a: &Placed<'_>, b: &Placed<'_>) -> Bracket {
    with_ask(|ask| ask.depth(a, b))
}

/// Which faces of the bodies meet, and where? All of them, always in the same order. Exact. Bodies without faces have
/// none.
pub fn crossings(a: &Placed<'_>, b: &Placed<'_>) -> Listed<Crossing> {
    let mut items = Vec::new();
    let coverage = with_ask(|ask| ask.crossings(a, b, &CrossingsQuery::default(), &mut items));
    Listed { items, coverage, guarantee: Guarantee::Exact }
}

/// Which faces of one mesh meet where they should not? Always in the same order, each pair once with
/// `triangle_a < triangle_b`. Exact.
///
/// Faces that share a vertex or an edge, by number or by position, count only if they have a point in
/// common that lies on no such vertex and edge: a fold onto its neighbour counts, a crease does not. Two
/// copies of a face count, unless it has no area: then all they share are edges.
///
/// ```
/// use noli::{Mesh, Model, self_crossings};
/// assert!(self_crossings(&Model::new(Mesh::torus(2.0, 1.0, 24, 12)?)?).is_free());
/// // A tube thicker than its ring runs through itself.
/// assert!(!self_crossings(&Model::new(Mesh::torus(1.0, 1.5, 24, 12)?)?).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn self_crossings(model: &Model) -> Listed<Crossing> {
    let mut items = Vec::new();
    let coverage = with_ask(|ask| ask.self_crossings(model, &CrossingsQuery::default(), &mut items));
    Listed { items, coverage, guarantee: Guarantee::Exact }
}

/// Where does a point given in world coordinates lie? Exact for closed meshes. For a mesh with holes the answer may
/// depend on the ray chosen. Round bodies and fields have a surface as thick as rounding.
pub fn locate(body: &Placed<'_>, point: DVec3) -> Location {
    with_ask(|ask| ask.locate(body, point))
}

/// What does a ray meet? All faces, by `t`, then by number. Which are met is exact.
///
/// Watertight: a ray through an edge or a vertex meets every face there, and each is reported, so a
/// closed mesh is never slipped through. Solids are met on their surface only, also from inside. Bodies without faces
/// (round ones, half-spaces) are met where the ray comes in and where it goes out, up to rounding.
///
/// ```
/// use noli::{Mesh, Model, Pose, ray_hits};
/// use noli::answer::RaySide;
/// use noli::query::Ray;
/// use glam::DVec3;
/// let cube = Model::new(Mesh::cuboid(2.0 * DVec3::ONE)?)?;
/// let ray = Ray { origin: DVec3::new(-3.0, 0.25, 0.5), direction: DVec3::X };
/// let hits = ray_hits(&cube.at(Pose::IDENTITY), &ray)?;
/// assert_eq!(hits.iter().map(|h| (h.t, h.side)).collect::<Vec<_>>(), [(2.0, RaySide::Front), (4.0, RaySide::Back)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray_hits(body: &Placed<'_>, ray: &Ray) -> Result<Listed<RayHit>, RayError> {
    let mut items = Vec::new();
    let coverage = with_ask(|ask| ask.ray_hits(body, ray, &RayQuery::default(), &mut items))?;
    Ok(Listed { items, coverage, guarantee: body.model.guarantee(body.model) })
}

/// When do two moving bodies first touch, during the time from 0 to 1? Never misses a contact: nothing touches
/// before `safe_until`, whatever the motions do, and where the answer is `Free` nothing touches at all.
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
pub fn time_of_impact(a: &Moving<'_>, b: &Moving<'_>) -> Impact<Touch> {
    with_ask(|ask| ask.time_of_impact(a, b, &ImpactQuery::default()))
}

/// How close do two moving bodies come? The lower end of the bracket is proven for the whole time, between samples too.
pub fn closest_approach(a: &Moving<'_>, b: &Moving<'_>) -> ClosestApproach {
    with_ask(|ask| ask.closest_approach(a, b, &ApproachQuery::default()))
}

/// When do two moving bodies touch at all? All spans of time, in order. No contact is missed; spans that are separated
/// by less than `resolution` may be told as one.
pub fn contact_spans(a: &Moving<'_>, b: &Moving<'_>, resolution: f64) -> Listed<ContactSpan> {
    with_ask(|ask| ask.contact_spans(a, b, &ImpactQuery::default(), resolution))
}

impl Model {
    /// Where a point given in the model's own frame lies; see [`locate`].
    pub fn locate(&self, point: DVec3) -> Location {
        locate(&self.at(Pose::IDENTITY), point)
    }

    /// Balls that lie inside the solid, the largest first; none for surfaces and for meshes that are not closed. Found
    /// when first asked for.
    pub fn inner_balls(&self) -> &[Sphere] {
        match self.form() {
            Form::Mesh(mesh) => mesh_mesh::inner_balls(mesh),
            Form::Convex(_) | Form::HalfSpace | Form::Compound(_) | Form::Field(_) => &[],
        }
    }
}
