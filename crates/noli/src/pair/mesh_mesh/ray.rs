//! Intersections of a ray with a mesh.
//!
//! A ray is clipped to the body's bounding radius and tested as a segment, which is a triangle without area. It
//! uses the same traversal and the same exact tests as all others. The segment starts at the origin of its own
//! frame and ends at the direction times a power of two, so clipping rounds nothing. The verdict is exact for
//! the given ray.

use super::inside::with_probe;
use super::intersecting_faces::{Copies, meetings};
use crate::answer::{Completeness, RayHit, RaySide};
use crate::context::QueryContext;
use crate::model::MeshAt;
use crate::query::Ray;
use crate::tree::walk::Ended;
use glam::DVec3;
use noli_geom::{Passage, Pose, Triangle};
use std::ops::ControlFlow;

/// Adds all faces that a ray intersects until `until`, by `t`, then by number. The ray and the pose are valid.
pub(crate) fn ray_cast(
    body: &MeshAt<'_>,
    ray: &Ray,
    until: f64,
    context: &mut QueryContext<'_>,
    hits: &mut Vec<RayHit>,
) -> Completeness {
    if body.model.mesh.is_empty() {
        return Completeness::Complete;
    }
    let first = hits.len();
    let (end, length) = clipped(body, ray, until);
    let segment = Triangle::new(DVec3::ZERO, end, end);
    let ended = with_probe(&segment, &Pose::from_translation(ray.origin), body, context, |pair, context| {
        meetings(pair, Copies::Each, context, &mut |a, b, _| {
            let triangles = pair.triangles(a, b);
            let (triangle, path_clearance) = if pair.swapped {
                (b, triangles.edge_of_a_meets_b(0))
            } else {
                (a, triangles.edge_of_b_meets_a(0))
            };
            let hit = path_clearance.map(|Passage { at, from }| RayHit {
                triangle: Some(triangle),
                ..RayHit::surface(at * length, side(from))
            });
            hits.extend(hit.filter(|hit| hit.t <= until));
            ControlFlow::Continue(())
        })
    });
    hits[first..].sort_unstable_by(|x, y| x.t.total_cmp(&y.t).then(x.triangle.cmp(&y.triangle)));
    match ended {
        None | Some(Ended::OutOfBudget) => Completeness::Partial,
        Some(_) => Completeness::Complete,
    }
}

/// The direction times a power of two that takes the ray past the body or to `until`, and that power.
fn clipped(body: &MeshAt<'_>, ray: &Ray, until: f64) -> (DVec3, f64) {
    let reach = body.model.packed.reach;
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

fn side(from: i8) -> RaySide {
    match from {
        0 => RaySide::Grazing,
        1.. => RaySide::Front,
        _ => RaySide::Back,
    }
}
