//! Ray cast for bodies without faces: the surface points where the ray enters and leaves.
//!
//! A point advances along the ray. The plane across its shortest segment to a convex body separates the two, so
//! the point may advance to that plane (van den Bergen 2004). From outside this never enters the body and
//! converges like Newton's method. Approximate near grazing: a ray that passes within rounding of a round body
//! may be reported as a hit.

use super::{self as pair, Limits, mesh_mesh};
use crate::answer::{Completeness, RayHit, RaySide};
use crate::context::QueryContext;
use crate::model::{CompoundModel, Form, Model, Placed, ROUNDING};
use crate::query::Ray;
use glam::DVec3;
use noli_geom::Pose;
use noli_implicit::Field;

/// Largest number of planes tested; near grazing each advances the point only a little.
const STEPS: usize = 200;

/// Adds the intersections of a ray until `until`, in unspecified order. The ray and the pose are valid.
pub(crate) fn ray_cast(
    body: &Placed<'_>,
    ray: &Ray,
    until: f64,
    context: &mut QueryContext<'_>,
    hits: &mut Vec<RayHit>,
) -> Completeness {
    let first = hits.len();
    let completeness = match body.model.form() {
        Form::Compound(compound) => {
            return compound.ray_cast(&body.world_from_self, ray, until, context, hits);
        }
        Form::Cloud(cloud) => {
            return ray_cast(&cloud.spheres().at(body.world_from_self), ray, until, context, hits);
        }
        Form::HalfSpace => {
            hits.extend(floor_hit(body, ray));
            Completeness::Complete
        }
        Form::Field(model) => {
            field_hits(body, &model.field, ray, hits);
            Completeness::Complete
        }
        Form::Mesh(_) | Form::Convex(_) => match body.all_faces() {
            Some(faces) => mesh_mesh::ray_cast(&faces, ray, until, context, hits),
            None => {
                let (found, completeness) = convex_hits(body, ray, context);
                hits.extend(found.into_iter().flatten());
                completeness
            }
        },
    };
    let mut met = hits.split_off(first);
    met.retain(|hit| hit.t <= until);
    hits.append(&mut met);
    completeness
}

impl CompoundModel {
    /// Adds the intersections of the ray with the parts whose boxes it comes near.
    fn ray_cast(
        &self,
        world_from_self: &Pose,
        ray: &Ray,
        until: f64,
        context: &mut QueryContext<'_>,
        hits: &mut Vec<RayHit>,
    ) -> Completeness {
        let self_from_world = world_from_self.inverse();
        let origin = self_from_world.transform_point(ray.origin);
        let direction = self_from_world.transform_vector(ray.direction);
        let slack = ROUNDING * (origin.length() + world_from_self.translation.length());
        let mut completeness = Completeness::Complete;
        for number in self.tree.along(origin, direction, slack) {
            let part = &self.parts[number as usize];
            let world_from_self = part.placed(world_from_self);
            if !world_from_self.is_valid() {
                completeness = Completeness::Partial;
                continue;
            }
            let first = hits.len();
            let placed = Placed { model: &part.model, world_from_self };
            if ray_cast(&placed, ray, until, context, hits) == Completeness::Partial {
                completeness = Completeness::Partial;
            }
            hits[first..].iter_mut().for_each(|hit| hit.part = Some(number));
        }
        completeness
    }
}

fn floor_hit(body: &Placed<'_>, ray: &Ray) -> Option<RayHit> {
    let floor_from_world = body.world_from_self.inverse();
    let height = floor_from_world.transform_point(ray.origin).z;
    let rise = floor_from_world.transform_vector(ray.direction).z;
    let t = -height / rise;
    let side = if rise < 0.0 { RaySide::Front } else { RaySide::Back };
    (rise != 0.0 && t >= 0.0).then_some(RayHit::surface(t, side))
}

/// Adds the points where the ray enters and leaves the object; grazing if the bounds cannot distinguish its
/// function from zero.
fn field_hits(body: &Placed<'_>, field: &Field, ray: &Ray, hits: &mut Vec<RayHit>) {
    let field_from_world = body.world_from_self.inverse();
    let origin = field_from_world.transform_point(ray.origin);
    let direction = field_from_world.transform_vector(ray.direction);
    let intersections = field.intersections_along(origin, direction, 0.0, f64::INFINITY);
    // A ray that begins inside does not come in.
    for intersection in intersections.iter().filter(|intersection| intersection.t[1] > 0.0) {
        let side = match intersection.inside {
            [false, true] => RaySide::Front,
            [true, false] => RaySide::Back,
            _ => RaySide::Grazing,
        };
        hits.push(RayHit::surface(intersection.middle(), side));
    }
}

/// Adds the points where the ray enters and leaves.
fn convex_hits(
    body: &Placed<'_>,
    ray: &Ray,
    context: &mut QueryContext<'_>,
) -> ([Option<RayHit>; 2], Completeness) {
    let sphere = body.model.sphere();
    let middle = body.world_from_self.transform_point(sphere.center);
    let speed = ray.direction.length();
    // A time at which the ray is past the body for certain.
    let past = 2.0 * ((middle - ray.origin).length() + 2.0 * sphere.radius) / speed;
    let mut walk =
        Walk { body, point: &Model::point(), size: sphere.radius, completeness: Completeness::Complete };
    let enters = walk.first(ray, past, context);
    let back = Ray { origin: ray.origin + ray.direction * past, direction: -ray.direction };
    let leaves = walk.first(&back, past, context).map(|t| past - t);
    let enters = enters.filter(|&t| t > 0.0).map(|t| RayHit::surface(t, RaySide::Front));
    ([enters, leaves.map(|t| RayHit::surface(t, RaySide::Back))], walk.completeness)
}

struct Walk<'w, 'a> {
    body: &'w Placed<'a>,
    point: &'w Model,
    size: f64,
    completeness: Completeness,
}

impl Walk<'_, '_> {
    /// Returns the parameter at which the ray first intersects the body; 0 if it starts inside.
    fn first(&mut self, ray: &Ray, past: f64, context: &mut QueryContext<'_>) -> Option<f64> {
        let mut t = 0.0;
        for _ in 0..STEPS {
            let at: DVec3 = ray.origin + ray.direction * t;
            let here = self.point.at(Pose::from_translation(at));
            let found = pair::clearance(&here, self.body, &Limits::NARROW, context);
            let clearance = found.distance;
            if clearance.at_most <= 1e-12 * (self.size + at.length()) {
                return Some(t);
            }
            let Some(witness) = found.witness else {
                if clearance.at_most == f64::INFINITY && clearance.at_least < f64::INFINITY {
                    self.completeness = Completeness::Partial;
                }
                return None;
            };
            let toward = (witness.on_b.point - at).try_normalize()?.dot(ray.direction);
            if toward <= 0.0 || toward.is_nan() {
                // Next to the surface the shortest way is lost in rounding.
                return (clearance.at_most <= 1e-6 * (self.size + at.length())).then_some(t);
            }
            let next = t + clearance.at_least / toward;
            if next > past {
                return None;
            }
            if next <= t {
                return Some(t);
            }
            t = next;
        }
        Some(t)
    }
}
