//! Overshoot of a convex part: the largest distance of its points from the solid, as a bracket.

use crate::answer::Bracket;
use crate::budget::Meter;
use crate::context::{QueryContext, with_context};
use crate::model::{MeshAt, Model};
use crate::pair::mesh_mesh;
use crate::penetration::{Place, Room, halves};
use glam::DVec3;
use noli_geom::internals::sort_by;
use noli_geom::internals::{Greatest, Ranked};
use noli_geom::{Hull, Pose};
use std::collections::BinaryHeap;

/// Evaluations after which a part is only proven to reach too far.
const ENOUGH: usize = 200;

/// Points outside the solid that are kept.
const POCKET: usize = 200;

/// Subdivides boxes of the part, the one with the largest possible distance first. Ends when no point can be
/// further out than `goal`, or than a fiftieth above the known bound. Also returns points of the part outside
/// the solid with their distances, the furthest first. A point is a step of the budget.
pub(super) fn overshoot(
    model: &Model,
    hull: &Hull,
    (goal, looks): (f64, usize),
    meter: &mut Meter<'_>,
) -> (Bracket, Vec<(f64, DVec3)>) {
    let room = Room::new(model);
    let planes: Vec<(DVec3, f64)> = (0..hull.faces().len())
        .map(|face| {
            let normal = hull.normal(face);
            (normal, normal.dot(hull.vertices()[hull.faces()[face][0] as usize]))
        })
        .collect();
    let bounds = hull.aabb();
    let rounding = 1e-12 * bounds.size().length();
    let height = |point: DVec3| {
        planes.iter().map(|(normal, offset)| normal.dot(point) - offset).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut found = Bracket { at_least: 0.0, at_most: f64::INFINITY };
    let mut out_there: Vec<(f64, DVec3)> = Vec::new();
    // Boxes with how deep their middles lie in the solid, if that is known.
    let mut heap =
        BinaryHeap::from([Ranked { rank: Greatest(f64::INFINITY), item: (bounds, None::<Place>) }]);
    let mut looked = 0;
    with_context(|context| {
        while let Some(Ranked { rank: Greatest(at_most), item: (item, known) }) = heap.pop() {
            found.at_most = at_most;
            let enough = found.at_least > goal && looked >= ENOUGH;
            let is_over = looked >= looks || !meter.allows_costly();
            if at_most <= goal.max(1.02 * found.at_least) || is_over || enough {
                break;
            }
            for half in halves(&item) {
                let (middle, radius) = (half.center(), 0.5 * half.size().length() * (1.0 + 1e-12));
                let out = height(middle);
                if out > radius + rounding {
                    continue;
                }
                looked += 1;
                if !meter.step() {
                    // Nothing is known of this half beyond what is known of the whole.
                    return;
                }
                // Within a sphere that holds no point of the surface all is inside or all outside.
                let step = item.center().distance(middle) * (1.0 + 1e-9);
                let inside = known.and_then(|known| {
                    if known.depth > step { Some(true) } else { (known.outside > step).then_some(false) }
                });
                let Some(place) = room.place_knowing(middle, inside, context) else { return };
                if out <= 0.0 && place.outside > 0.0 {
                    found.at_least = found.at_least.max(place.outside);
                    out_there.push((place.outside, middle));
                }
                let bound = radius - place.depth;
                if bound > found.at_least {
                    heap.push(Ranked { rank: Greatest(bound), item: (half, Some(place)) });
                }
            }
            if heap.is_empty() {
                found.at_most = found.at_least;
            }
        }
    });
    // No point of the part is further from the solid than from any other point of the part.
    found.at_most = found.at_most.min(bounds.size().length()).max(found.at_least) + rounding;
    sort_by(&mut out_there, |x, y| y.0.total_cmp(&x.0));
    out_there.retain(|(distance, _)| *distance > 0.2 * found.at_least);
    if out_there.len() > POCKET {
        let stride = out_there.len().div_ceil(POCKET);
        out_there = out_there.into_iter().step_by(stride).collect();
    }
    (found, out_there)
}

/// The point of the surface nearest to a point.
pub(super) fn nearest(model: &Model, point: DVec3, context: &mut QueryContext<'_>) -> Option<DVec3> {
    let body = MeshAt { model: model.faces()?, world_from_self: Pose::IDENTITY };
    mesh_mesh::surface_distance(point, &body, context).map(|(_, at)| at)
}
