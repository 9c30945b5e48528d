//! Where does a point lie, and what does a ray hit?
//!
//! A point or a segment is a triangle without area, so these questions go through the same walk and
//! the same exact tests as all others.

use super::overlap::Any;
use super::{relation_in, with_scratch};
use crate::budget::{Budget, Meter};
use crate::model::{Form, Model, Placed};
use crate::pair::mesh_distance::{self, Search};
use crate::pair::mesh_mesh::{self, Meetings, Pair, Side};
use crate::scratch::Scratch;
use crate::trace::NoTrace;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{Convex, MAX_COORDINATE, Pose, Relation, RelativePose, Triangle, UNIT_ROUNDOFF};
use noli_implicit::Field;
use std::ops::ControlFlow;

/// Where a point lies, as seen from a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// The mesh does not wind around it.
    Outside,
    /// On a face.
    OnSurface,
    /// The mesh winds around it (non-zero winding number).
    Inside,
}

/// Where a point given in world coordinates lies. Exact for closed meshes; nothing where the point or the
/// pose is not finite. For a mesh with holes the answer may depend on the ray chosen. Round bodies and fields have a surface as
/// thick as rounding.
pub fn locate(point: DVec3, body: &Placed<'_>) -> Option<Location> {
    with_scratch(|scratch| locate_in(point, body, scratch))
}

/// [`locate`] with lent memory.
pub fn locate_in(point: DVec3, body: &Placed<'_>, scratch: &mut Scratch) -> Option<Location> {
    let in_range = point.abs().max_element() <= MAX_COORDINATE && !point.is_nan();
    if !in_range || !body.world_from_self.is_valid() {
        return None;
    }
    if !body.model.is_mesh() {
        return locate_in_form(point, body, scratch);
    }
    if body.model.mesh().is_empty() {
        return Some(Location::Outside);
    }
    locate_from(point, &Pose::IDENTITY, body, &mut Budget::UNLIMITED.meter(), scratch)
}

/// A point is a ball without radius; how it stands to the body tells where it lies.
fn locate_in_form(point: DVec3, body: &Placed<'_>, scratch: &mut Scratch) -> Option<Location> {
    if let Form::Field(model) = body.model.form() {
        return Some(locate_in_field(point, &body.world_from_self, &model.field));
    }
    let ball = Model::convex(Convex::sphere(0.0).ok()?);
    Some(match relation_in(&ball.at(Pose::from_translation(point)), body, &Default::default(), scratch)? {
        Relation::Apart => Location::Outside,
        Relation::Touching => Location::OnSurface,
        Relation::Crossing | Relation::Inside => Location::Inside,
    })
}

/// The surface is as thick as rounding.
fn locate_in_field(point: DVec3, world_from_field: &Pose, field: &Field) -> Location {
    let field_from_world = RelativePose::new(world_from_field, &Pose::IDENTITY);
    let image = field_from_world.transform_point(point);
    let rounding = 4.0 * UNIT_ROUNDOFF * image.abs().max_element();
    match field.holds_cube(image, field_from_world.point_error(point.abs().max_element()) + rounding) {
        Some(true) => Location::Inside,
        Some(false) => Location::Outside,
        None => Location::OnSurface,
    }
}

/// Whether, given that their surfaces do not meet, a part of one body lies inside the other; nothing where
/// the budget ran out.
pub(crate) fn contained(
    a: &Placed<'_>,
    b: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Option<bool> {
    Some(holds_part_of(a, b, meter, scratch)? || holds_part_of(b, a, meter, scratch)?)
}

fn holds_part_of(
    solid: &Placed<'_>,
    other: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Option<bool> {
    if !solid.model.faces().is_solid() {
        return Some(false);
    }
    for &probe in other.model.faces().probes() {
        // Given in the other's frame, so that no rounding of a world position comes in.
        if locate_from(probe, &other.world_from_self, solid, meter, scratch)? != Location::Outside {
            return Some(true);
        }
    }
    Some(false)
}

/// How many rays are tried before giving up; each fails only if it passes exactly through an edge.
const ATTEMPTS: u32 = 64;

/// Where a point of the frame `world_from_point` lies; nothing where the budget ran out.
pub(crate) fn locate_from(
    point: DVec3,
    world_from_point: &Pose,
    body: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Option<Location> {
    for attempt in 0..ATTEMPTS {
        let end = point + outward(point, world_from_point, body, attempt);
        let segment = Triangle::new(point, end, end);
        let winding = with_probe(&segment, world_from_point, body, scratch, |pair, scratch| {
            let mut crossed = Crossed { pair, winding: Some(0) };
            let ended = mesh_mesh::meetings(pair, &mut crossed, meter, scratch, &mut NoTrace);
            (ended != Ended::OutOfBudget).then_some(crossed.winding)
        })??;
        match winding {
            Some(0) => return Some(Location::Outside),
            Some(_) => return Some(Location::Inside),
            None if on_surface(point, world_from_point, body, meter, scratch)? => {
                return Some(Location::OnSurface);
            }
            None => {}
        }
    }
    None
}

/// From `point` to somewhere outside the body, in another direction at every attempt.
fn outward(point: DVec3, world_from_point: &Pose, body: &Placed<'_>, attempt: u32) -> DVec3 {
    let point_from_body = world_from_point.inverse() * body.world_from_self;
    // Irrational turns cover the sphere evenly and meet no axis or diagonal.
    let k = f64::from(attempt) + 0.38;
    let z = 1.0 - 2.0 * (k * 0.754_877_666_246_692_8).fract();
    let angle = std::f64::consts::TAU * (k * 0.569_840_290_998_053_2).fract();
    let flat = (1.0 - z * z).sqrt();
    let reach = 4.0 * body.model.faces().packed.reach + f64::MIN_POSITIVE;
    let far = reach + 2.0 * (point - point_from_body.translation).length();
    DVec3::new(flat * angle.cos(), flat * angle.sin(), z) * far
}

/// No face is nearer than this to a point in the body's own frame; nothing where a pose is none.
pub(super) fn surface_at_least(point: DVec3, body: &Placed<'_>, scratch: &mut Scratch) -> Option<f64> {
    let probe = Triangle::new(point, point, point);
    let search = Search { within: f64::INFINITY, enough: 0.0, tolerance: 0.0 };
    with_probe(&probe, &body.world_from_self, body, scratch, |pair, scratch| {
        let meter = &mut Budget::UNLIMITED.meter();
        let found = mesh_distance::nearest(pair, &search, meter, scratch, &mut NoTrace);
        let candidates = scratch.candidates().iter();
        let pairs = candidates.map(|c| pair.triangles(c.a, c.b).distance().at_least);
        pairs.fold(found.rest_at_least, f64::min)
    })
}

fn on_surface(
    point: DVec3,
    world_from_point: &Pose,
    body: &Placed<'_>,
    meter: &mut Meter<'_>,
    scratch: &mut Scratch,
) -> Option<bool> {
    let probe = Triangle::new(point, point, point);
    with_probe(&probe, world_from_point, body, scratch, |pair, scratch| {
        match mesh_mesh::meetings(pair, &mut Any, meter, scratch, &mut NoTrace) {
            Ended::Answered => Some(true),
            Ended::Exhausted => Some(false),
            Ended::OutOfBudget => None,
        }
    })?
}

/// Ask something of a body (the first of the pair) and a point or segment; nothing where a pose is none.
pub(super) fn with_probe<R>(
    probe: &Triangle,
    world_from_probe: &Pose,
    body: &Placed<'_>,
    scratch: &mut Scratch,
    ask: impl FnOnce(&Pair<'_>, &mut Scratch) -> R,
) -> Option<R> {
    let mut packed = scratch.take_probe();
    packed.set_single(probe);
    let pair = Pair::new(
        (Side::mesh(body.model.faces()), &body.world_from_self),
        (Side::probe(&packed, probe), world_from_probe),
    );
    let answer = pair.map(|pair| ask(&pair, scratch));
    scratch.put_probe(packed);
    answer
}

/// Adds up from which sides a ray passes through faces; nothing once it met an edge, a corner or a face
/// without area: then its crossings do not tell.
struct Crossed<'p, 'a> {
    pair: &'p Pair<'a>,
    winding: Option<i64>,
}

impl Meetings for Crossed<'_, '_> {
    fn meet(&mut self, a: u32, b: u32, _: Relation) -> ControlFlow<()> {
        let triangles = self.pair.triangles(a, b);
        let side = if self.pair.swapped {
            triangles.edge_of_a_through_b(0)
        } else {
            triangles.edge_of_b_through_a(0)
        };
        self.winding = self.winding.zip(side).map(|(winding, side)| winding + i64::from(side));
        if self.winding.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Model {
    /// Where a point given in the model's own frame lies; see [`locate`].
    pub fn locate(&self, point: DVec3) -> Option<Location> {
        locate(point, &self.at(Pose::IDENTITY))
    }
}
