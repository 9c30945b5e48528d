//! What a ray meets of bodies that are not made of faces: the surface where it comes in and where it goes out.
//!
//! A point goes along the ray. The plane across its shortest way to a convex body parts the two, so it may go on until it
//! meets that plane (van den Bergen 2004); from outside this never steps into the body and converges like
//! Newton's method. Approximate near grazing: a ray that passes within rounding of a round body may be told as a hit.

use super::ray::{Ray, RayHit, RaySide};
use super::{ClearanceQuery, Tolerance, clearance_in};
use crate::model::{CompoundModel, Form, Model, Placed, ROUNDING};
use crate::scratch::Scratch;
use glam::DVec3;
use noli_geom::{Convex, Pose};
use noli_implicit::Field;

/// Planes looked at, at most; near grazing each brings the point only a little nearer.
const STEPS: usize = 200;

pub(super) fn ray_hits(body: &Placed<'_>, ray: &Ray, scratch: &mut Scratch, hits: &mut Vec<RayHit>) {
    match body.model.form() {
        Form::Mesh(_) => {}
        Form::HalfSpace => hits.extend(floor_hit(body, ray)),
        Form::Field(model) => field_hits(body, &model.field, ray, hits),
        Form::Convex(_) => hits.extend(convex_hits(body, ray, scratch).into_iter().flatten()),
        Form::Compound(compound) => compound_hits(body, compound, ray, scratch, hits),
    }
}

/// What the ray meets of the parts whose boxes it comes near.
fn compound_hits(
    body: &Placed<'_>,
    compound: &CompoundModel,
    ray: &Ray,
    scratch: &mut Scratch,
    hits: &mut Vec<RayHit>,
) {
    let self_from_world = body.world_from_self.inverse();
    let origin = self_from_world.transform_point(ray.origin);
    let direction = self_from_world.transform_vector(ray.direction);
    let slack = ROUNDING * (origin.length() + body.world_from_self.translation.length());
    let mut found = Vec::new();
    for part in compound.tree.along(origin, direction, slack) {
        let part = &compound.parts[part as usize];
        let world_from_self = part.placed(&body.world_from_self);
        let placed = Placed { model: &part.model, world_from_self };
        // A ray that was fit for the whole is fit for a part.
        if super::ray::ray_hits_in(&placed, ray, &Default::default(), scratch, &mut found).is_ok() {
            hits.append(&mut found);
        }
    }
}

fn floor_hit(body: &Placed<'_>, ray: &Ray) -> Option<RayHit> {
    let floor_from_world = body.world_from_self.inverse();
    let height = floor_from_world.transform_point(ray.origin).z;
    let rise = floor_from_world.transform_vector(ray.direction).z;
    let t = -height / rise;
    let side = if rise < 0.0 { RaySide::Front } else { RaySide::Back };
    (rise != 0.0 && t >= 0.0).then_some(RayHit { triangle: 0, t, side })
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
        hits.push(RayHit { triangle: 0, t: crossing.middle(), side });
    }
}

/// Where the ray comes in and where it goes out.
fn convex_hits(body: &Placed<'_>, ray: &Ray, scratch: &mut Scratch) -> [Option<RayHit>; 2] {
    let Ok(point) = Convex::sphere(0.0) else { return [None; 2] };
    let ball = body.model.ball();
    let middle = body.world_from_self.transform_point(ball.center);
    let speed = ray.direction.length();
    // A time at which the ray is past the body for certain.
    let past = 2.0 * ((middle - ray.origin).length() + 2.0 * ball.radius) / speed;
    let mut walk = Walk { body, point: &Model::convex(point), size: ball.radius, scratch };
    let hit = |t: f64, side| RayHit { triangle: 0, t, side };
    let enters = walk.first(ray, past);
    let back = Ray { origin: ray.origin + ray.direction * past, direction: -ray.direction };
    let leaves = walk.first(&back, past).map(|t| past - t);
    let enters = enters.filter(|&t| t > 0.0).map(|t| hit(t, RaySide::Front));
    [enters, leaves.map(|t| hit(t, RaySide::Back))]
}

struct Walk<'w, 'a> {
    body: &'w Placed<'a>,
    point: &'w Model,
    size: f64,
    scratch: &'w mut Scratch,
}

impl Walk<'_, '_> {
    /// When the ray first meets the body; 0 where it starts inside.
    fn first(&mut self, ray: &Ray, past: f64) -> Option<f64> {
        let query = ClearanceQuery { tolerance: Tolerance::Length(0.0), ..Default::default() };
        let mut t = 0.0;
        for _ in 0..STEPS {
            let at: DVec3 = ray.origin + ray.direction * t;
            let here = self.point.at(Pose::from_translation(at));
            let gap = clearance_in(&here, self.body, &query, self.scratch);
            if gap.at_most <= 1e-12 * (self.size + at.length()) {
                return Some(t);
            }
            let witness = gap.witness?;
            let toward = (witness.on_b - at).try_normalize()?.dot(ray.direction);
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
