//! What does a ray hit?
//!
//! A ray is clipped to the body's reach and asked as a segment, which is a triangle without area, through
//! the same walk and the same exact tests as all others. The segment starts at the origin of its own
//! frame and ends at the direction times a power of two, so clipping rounds nothing: hit or miss is exact
//! for the ray as given.

use super::point::with_probe;
use super::with_scratch;
use crate::budget::Budget;
use crate::model::Placed;
use crate::pair::mesh_mesh::{self, Meetings, Pair};
use crate::scratch::Scratch;
use crate::trace::NoTrace;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{MAX_COORDINATE, Passage, Pose, Relation, Triangle};
use std::ops::ControlFlow;

/// The points `origin + t·direction` for `t >= 0`, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Where it goes; any length, which is the unit of `t`.
    pub direction: DVec3,
}

/// From where a ray comes to a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaySide {
    /// From the side its corners turn counter-clockwise about: the outside of a solid.
    Front,
    /// From the other side.
    Back,
    /// Along its plane, or the face has no area.
    Grazing,
}

/// A face that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The triangle; [`Mesh::user_face`](noli_geom::Mesh::user_face) gives the face as it was given.
    pub triangle: u32,
    /// Where the ray first lies on it, in lengths of the direction; within `2^-40` of itself. For a
    /// [grazing](RaySide::Grazing) hit the point is within `2^-40` of the largest coordinate.
    pub t: f64,
    /// From where the ray comes. Exact.
    pub side: RaySide,
}

/// Why a ray has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RayError {
    /// The origin is not finite or further out than [`MAX_COORDINATE`].
    #[error("the origin of the ray is not finite or lies further out than {MAX_COORDINATE:e}")]
    Origin,
    /// The direction is zero, not finite, or its largest component is not between
    /// `1 / MAX_COORDINATE` and [`MAX_COORDINATE`].
    #[error("the direction of the ray is zero, not finite, or of extreme length; scale it to about 1")]
    Direction,
    /// The body's pose is not a pose.
    #[error("the pose of the body is not finite, has no rotation, or lies too far out")]
    Pose,
    /// The budget ran out: the hits given are true, others may be missing.
    #[error("the budget ran out before all faces were looked at; allow more steps or time")]
    OutOfBudget,
}

/// How to cast a ray.
#[derive(Clone, Copy, Debug)]
pub struct RayQuery<'a> {
    /// Hits beyond this `t`, as rounded, are left out.
    pub until: f64,
    /// When to give up.
    pub budget: Budget<'a>,
}

impl Default for RayQuery<'_> {
    fn default() -> Self {
        Self { until: f64::INFINITY, budget: Budget::default() }
    }
}

/// All faces that a ray meets, by `t`, then by number. Which are met is exact.
///
/// Watertight: a ray through an edge or a vertex meets every face there, and each is reported, so a
/// closed mesh is never slipped through. Solids are met on their surface only, also from inside.
///
/// ```
/// use noli::{Mesh, Model, Pose, Ray, RaySide, ray_hits};
/// use glam::DVec3;
/// let cube = noli_scenes::cuboid(DVec3::ONE);
/// let cube = Mesh::from_triangles(cube.vertices, cube.triangles, &Default::default())?;
/// let cube = Model::new(&cube, &Default::default());
/// let ray = Ray { origin: DVec3::new(-3.0, 0.25, 0.5), direction: DVec3::X };
/// let hits = ray_hits(&cube.at(Pose::IDENTITY), &ray)?;
/// assert_eq!(hits.iter().map(|h| (h.t, h.side)).collect::<Vec<_>>(), [(2.0, RaySide::Front), (4.0, RaySide::Back)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ray_hits(body: &Placed<'_>, ray: &Ray) -> Result<Vec<RayHit>, RayError> {
    let mut hits = Vec::new();
    with_scratch(|scratch| ray_hits_in(body, ray, &RayQuery::default(), scratch, &mut hits))?;
    Ok(hits)
}

/// The face that a ray meets first, of several the one with the smallest number; nothing where it meets
/// none.
pub fn first_ray_hit(body: &Placed<'_>, ray: &Ray) -> Result<Option<RayHit>, RayError> {
    Ok(ray_hits(body, ray)?.first().copied())
}

/// [`ray_hits`] with options and lent memory; `hits` is cleared first and holds what was found even where
/// the budget ran out.
pub fn ray_hits_in(
    body: &Placed<'_>,
    ray: &Ray,
    query: &RayQuery<'_>,
    scratch: &mut Scratch,
    hits: &mut Vec<RayHit>,
) -> Result<(), RayError> {
    hits.clear();
    check(body, ray)?;
    if body.model.mesh().is_empty() {
        return Ok(());
    }
    let (end, length) = clipped(body, ray, query.until);
    let segment = Triangle::new(DVec3::ZERO, end, end);
    let ended = with_probe(&segment, &Pose::from_translation(ray.origin), body, scratch, |pair, scratch| {
        let mut passages = Passages { pair, length, until: query.until, hits };
        mesh_mesh::meetings(pair, &mut passages, &mut query.budget.meter(), scratch, &mut NoTrace)
    });
    hits.sort_unstable_by(|x, y| x.t.total_cmp(&y.t).then(x.triangle.cmp(&y.triangle)));
    match ended {
        None => Err(RayError::Pose),
        Some(Ended::OutOfBudget) => Err(RayError::OutOfBudget),
        Some(_) => Ok(()),
    }
}

fn check(body: &Placed<'_>, ray: &Ray) -> Result<(), RayError> {
    let length = ray.direction.abs().max_element();
    if !body.world_from_self.is_valid() {
        return Err(RayError::Pose);
    }
    if !ray.origin.is_finite() || ray.origin.abs().max_element() > MAX_COORDINATE {
        return Err(RayError::Origin);
    }
    if !ray.direction.is_finite() || !(MAX_COORDINATE.recip()..=MAX_COORDINATE).contains(&length) {
        return Err(RayError::Direction);
    }
    Ok(())
}

/// The direction times a power of two that takes the ray past the body or to `until`, and that power.
fn clipped(body: &Placed<'_>, ray: &Ray, until: f64) -> (DVec3, f64) {
    let reach = body.model.faces().packed.reach;
    let offset = (ray.origin - body.world_from_self.translation).abs().max_element();
    // The body is within √3·reach of its origin, and that within √3·offset of the ray's.
    let past = 2.0 * (reach + offset) / ray.direction.abs().max_element();
    let length = power_of_two_above(past.min(until.max(0.0)));
    let end = ray.direction * length;
    // Where shortening would round tiny components away, a longer segment is the same ray.
    if end / length == ray.direction { (end, length) } else { (ray.direction, 1.0) }
}

/// A power of two above `x`, by its exponent alone; kept where its inverse is finite.
fn power_of_two_above(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i32 - 1023 + 1;
    2.0f64.powi(exponent.clamp(-1000, 1000))
}

struct Passages<'p, 'a> {
    pair: &'p Pair<'a>,
    /// Of the segment, in lengths of the direction.
    length: f64,
    until: f64,
    hits: &'p mut Vec<RayHit>,
}

impl Meetings for Passages<'_, '_> {
    fn meet(&mut self, a: u32, b: u32, _: Relation) -> ControlFlow<()> {
        let triangles = self.pair.triangles(a, b);
        let (triangle, passage) = if self.pair.swapped {
            (b, triangles.edge_of_a_meets_b(0))
        } else {
            (a, triangles.edge_of_b_meets_a(0))
        };
        let hit =
            passage.map(|Passage { at, from }| RayHit { triangle, t: at * self.length, side: side(from) });
        self.hits.extend(hit.filter(|hit| hit.t <= self.until));
        ControlFlow::Continue(())
    }
}

fn side(from: i8) -> RaySide {
    match from {
        0 => RaySide::Grazing,
        1.. => RaySide::Front,
        _ => RaySide::Back,
    }
}
