//! What a ray meets of bodies that are not made of faces: the surface where it comes in and where it goes out.
//!
//! A point goes along the ray. The plane across its shortest way to a convex body parts the two, so it may go on until it
//! meets that plane (van den Bergen 2004); from outside this never steps into the body and converges like
//! Newton's method. Approximate near grazing: a ray that passes within rounding of a round body may be told as a hit.

use super::{self as pair, Limits, mesh_mesh};
use crate::answer::{Coverage, RayHit, RaySide};
use crate::context::Ask;
use crate::model::{CompoundModel, Form, Model, Placed, ROUNDING};
use crate::query::Ray;
use glam::DVec3;
use noli_geom::Pose;
use noli_implicit::Field;

/// Planes looked at, at most; near grazing each brings the point only a little nearer.
const STEPS: usize = 200;

/// Add what a ray meets until `until`, in no order. The ray and the pose are valid.
pub(crate) fn ray_hits(
    body: &Placed<'_>,
    ray: &Ray,
    until: f64,
    ask: &mut Ask<'_>,
    hits: &mut Vec<RayHit>,
) -> Coverage {
    let first = hits.len();
    let coverage = match body.model.form() {
        Form::Compound(compound) => return compound_hits(body, compound, ray, until, ask, hits),
        Form::HalfSpace => {
            hits.extend(floor_hit(body, ray));
            Coverage::Whole
        }
        Form::Field(model) => {
            field_hits(body, &model.field, ray, hits);
            Coverage::Whole
        }
        Form::Mesh(_) | Form::Convex(_) => match body.all_faces() {
            Some(faces) => mesh_mesh::ray_hits(&faces, ray, until, ask, hits),
            None => {
                let (found, coverage) = convex_hits(body, ray, ask);
                hits.extend(found.into_iter().flatten());
                coverage
            }
        },
    };
    let mut met = hits.split_off(first);
    met.retain(|hit| hit.t <= until);
    hits.append(&mut met);
    coverage
}

/// What the ray meets of the parts whose boxes it comes near.
fn compound_hits(
    body: &Placed<'_>,
    compound: &CompoundModel,
    ray: &Ray,
    until: f64,
    ask: &mut Ask<'_>,
    hits: &mut Vec<RayHit>,
) -> Coverage {
    let self_from_world = body.world_from_self.inverse();
    let origin = self_from_world.transform_point(ray.origin);
    let direction = self_from_world.transform_vector(ray.direction);
    let slack = ROUNDING * (origin.length() + body.world_from_self.translation.length());
    let mut coverage = Coverage::Whole;
    for number in compound.tree.along(origin, direction, slack) {
        let part = &compound.parts[number as usize];
        let world_from_self = part.placed(&body.world_from_self);
        if !world_from_self.is_valid() {
            coverage = Coverage::Part;
            continue;
        }
        let first = hits.len();
        let placed = Placed { model: &part.model, world_from_self };
        if ray_hits(&placed, ray, until, ask, hits) == Coverage::Part {
            coverage = Coverage::Part;
        }
        hits[first..].iter_mut().for_each(|hit| hit.part = Some(number));
    }
    coverage
}

fn floor_hit(body: &Placed<'_>, ray: &Ray) -> Option<RayHit> {
    let floor_from_world = body.world_from_self.inverse();
    let height = floor_from_world.transform_point(ray.origin).z;
    let rise = floor_from_world.transform_vector(ray.direction).z;
    let t = -height / rise;
    let side = if rise < 0.0 { RaySide::Front } else { RaySide::Back };
    (rise != 0.0 && t >= 0.0).then_some(RayHit::surface(t, side))
}

/// Where the ray runs into the object and out of it; grazing where its function only comes as near to zero as bounds can
/// tell.
fn field_hits(body: &Placed<'_>, field: &Field, ray: &Ray, hits: &mut Vec<RayHit>) {
    let field_from_world = body.world_from_self.inverse();
    let origin = field_from_world.transform_point(ray.origin);
    let direction = field_from_world.transform_vector(ray.direction);
    let crossings = field.crossings_along(origin, direction, 0.0, f64::INFINITY);
    // A ray that begins inside does not come in.
    for crossing in crossings.iter().filter(|crossing| crossing.t[1] > 0.0) {
        let side = match crossing.inside {
            [false, true] => RaySide::Front,
            [true, false] => RaySide::Back,
            _ => RaySide::Grazing,
        };
        hits.push(RayHit::surface(crossing.middle(), side));
    }
}

/// Where the ray comes in and where it goes out.
fn convex_hits(body: &Placed<'_>, ray: &Ray, ask: &mut Ask<'_>) -> ([Option<RayHit>; 2], Coverage) {
    let ball = body.model.ball();
    let middle = body.world_from_self.transform_point(ball.center);
    let speed = ray.direction.length();
    // A time at which the ray is past the body for certain.
    let past = 2.0 * ((middle - ray.origin).length() + 2.0 * ball.radius) / speed;
    let mut walk = Walk { body, point: &Model::point(), size: ball.radius, coverage: Coverage::Whole };
    let enters = walk.first(ray, past, ask);
    let back = Ray { origin: ray.origin + ray.direction * past, direction: -ray.direction };
    let leaves = walk.first(&back, past, ask).map(|t| past - t);
    let enters = enters.filter(|&t| t > 0.0).map(|t| RayHit::surface(t, RaySide::Front));
    ([enters, leaves.map(|t| RayHit::surface(t, RaySide::Back))], walk.coverage)
}

struct Walk<'w, 'a> {
    body: &'w Placed<'a>,
    point: &'w Model,
    size: f64,
    coverage: Coverage,
}

impl Walk<'_, '_> {
    /// When the ray first meets the body; 0 if it starts inside.
    fn first(&mut self, ray: &Ray, past: f64, ask: &mut Ask<'_>) -> Option<f64> {
        let mut t = 0.0;
        for _ in 0..STEPS {
            let at: DVec3 = ray.origin + ray.direction * t;
            let here = self.point.at(Pose::from_translation(at));
            let found = pair::clearance(&here, self.body, &Limits::NARROW, ask);
            let gap = found.gap;
            if gap.at_most <= 1e-12 * (self.size + at.length()) {
                return Some(t);
            }
            let Some(witness) = found.witness else {
                if gap.at_most == f64::INFINITY && gap.at_least < f64::INFINITY {
                    self.coverage = Coverage::Part;
                }
                return None;
            };
            let toward = (witness.on_b.point - at).try_normalize()?.dot(ray.direction);
            if toward <= 0.0 || toward.is_nan() {
                // Next to the surface the shortest way is lost in rounding.
                return (gap.at_most <= 1e-6 * (self.size + at.length())).then_some(t);
            }
            let next = t + gap.at_least / toward;
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
