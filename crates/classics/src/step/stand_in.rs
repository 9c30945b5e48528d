//! Substitutes for two bodies when the time is up: flat faces in place of the smallest pair of unvisited
//! boxes. This is the indicator pair of Eckstein's thesis (1998, section 8.2).
//!
//! Differs from the thesis in two points. A node's existing box gives the substitutes their direction and
//! size, not the mean normal and the smallest rectangle around the faces. Boxes are ranked by their size in
//! place of their distance from the faces. Approximate: the substitutes neither contain all faces nor are
//! they the first to collide, so contacts are missed and invented.

use glam::DVec3;
use noli::answer::{SurfacePoint, Touch, Witness};
use noli::model::ModelOptions;
use noli::query::ImpactQuery;
use noli::tree::Effort;
use noli::world::{TimedOut, UnfinishedPair};
use noli::{Guarantee, Impact, Mesh, Model, QueryContext, Scratch};
use noli_geom::Obb;

/// A box this thin, against its longest edge, is two rectangles; else it is six.
const FLAT: f64 = 0.1;

/// Time of impact of the stand-ins for the smallest unfinished boxes; contact is assumed where the budget does not suffice.
pub(super) fn time_of_impact(pair: &UnfinishedPair<'_>) -> TimedOut {
    let assumed = TimedOut::assumed_contact(pair.safe_until);
    let Some([a, b]) = pair.boxes else { return assumed };
    let (Some(a), Some(b)) = (stand_in(&a), stand_in(&b)) else { return assumed };
    let [motion_a, motion_b] = pair.motions;
    let query = ImpactQuery { span: (pair.safe_until, 1.0), margin: pair.margin, tolerance: pair.tolerance };
    let mut scratch = Scratch::default();
    let mut context = QueryContext::new(&mut scratch).with_budget(pair.budget);
    let impact = context.time_of_impact(&a.moving(motion_a), &b.moving(motion_b), &query);
    let steps = context.steps();
    let impact = match impact {
        // At the start the stand-ins touch already, so the bodies may from now on.
        Impact::Unknown { .. } | Impact::AtStart(_) => return TimedOut { steps, ..assumed },
        Impact::Free => Impact::Free,
        Impact::At { time, touch } => Impact::At { time, touch: of_no_face(touch) },
    };
    TimedOut { impact, guarantee: Guarantee::Approximate, steps }
}

/// Removes the faces of substitutes, which are not the bodies' faces.
fn of_no_face(touch: Touch) -> Touch {
    let point = |spot: SurfacePoint| SurfacePoint { feature: None, ..spot };
    let points = |witness: Witness| Witness { on_a: point(witness.on_a), on_b: point(witness.on_b) };
    Touch { witness: touch.witness.map(points), proven: false, guarantee: Guarantee::Approximate, ..touch }
}

fn stand_in(around: &Obb) -> Option<Model> {
    let (vertices, triangles) = approximating_faces(around);
    let mesh = Mesh::from_triangles(vertices, triangles, &Default::default()).ok()?;
    Model::with_options(mesh, &ModelOptions { effort: Effort::Quick }).ok()
}

/// Vertex `k` is on the upper side of axis `i` where bit `i` of `k` is set.
fn approximating_faces(around: &Obb) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let half = around.half_extents;
    let vertex = |k: u32| {
        let side = |axis: u32| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
        around.center + around.axes * (half * DVec3::new(side(0), side(1), side(2)))
    };
    let is_flat = |axis: usize| half[axis] < FLAT * half.max_element();
    let thinnest = (0..3).fold(0, |thin, axis| if half[axis] < half[thin] { axis } else { thin });
    let mut triangles = Vec::with_capacity(12);
    for axis in (0..3).filter(|&axis| !is_flat(thinnest) || axis == thinnest) {
        let [u, v] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
        // The lower side looks down, the upper up.
        let (low, high) = (0, 1 << axis);
        triangles.extend([[low, low | v, low | u], [low | u, low | v, low | u | v]]);
        triangles.extend([[high, high | u, high | v], [high | u, high | u | v, high | v]]);
    }
    ((0..8).map(vertex).collect(), triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    fn faces(half_extents: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let axes = DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7);
        approximating_faces(&Obb { center: DVec3::new(3.0, -1.0, 2.0), axes, half_extents })
    }

    #[test]
    fn thick_boxes_are_closed_and_look_outwards() {
        let (vertices, triangles) = faces(DVec3::new(1.0, 2.0, 0.5));
        assert_eq!(triangles.len(), 12);
        let volume: f64 = triangles
            .iter()
            .map(|t| {
                let [p, q, r] = t.map(|k| vertices[k as usize]);
                p.dot(q.cross(r)) / 6.0
            })
            .sum();
        assert!((volume - 8.0).abs() < 1e-12, "{volume}");
    }

    #[test]
    fn flat_boxes_are_two_rectangles() {
        for thin in 0..3 {
            let mut half = DVec3::new(1.0, 2.0, 1.5);
            half[thin] = 0.1;
            let (vertices, triangles) = faces(half);
            assert_eq!(triangles.len(), 4);
            let area: f64 = triangles
                .iter()
                .map(|t| {
                    let [p, q, r] = t.map(|k| vertices[k as usize]);
                    0.5 * (q - p).cross(r - p).length()
                })
                .sum();
            let wide: f64 = (0..3).filter(|&axis| axis != thin).map(|axis| 2.0 * half[axis]).product();
            assert!((area - 2.0 * wide).abs() < 1e-12, "{area}");
        }
    }
}
