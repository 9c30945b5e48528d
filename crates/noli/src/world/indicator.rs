//! What stands in for two bodies when the time is up: flat pieces in place of the smallest pair of boxes that
//! were still to be looked into, the indicator pair of Eckstein's thesis (1998, section 8.2).
//!
//! Differs from the thesis: the box that a node has anyway gives the pieces their direction and size, in
//! place of the mean normal and the smallest rectangle around the faces, and boxes are ranked by their size
//! in place of their distance from the faces. Approximate: the pieces neither hold all faces nor are they the
//! first to meet, so contacts are missed and invented.

use super::job::Job;
use super::options::StepOptions;
use crate::answer::{Guarantee, Impact, Touch, Witness};
use crate::budget::Budget;
use crate::context::with_ask;
use crate::model::{Model, ModelOptions};
use crate::query::ImpactQuery;
use crate::tree::Effort;
use glam::DVec3;
use noli_geom::{Mesh, Obb};

/// A box this thin, against its longest edge, is two rectangles; else it is six.
const FLAT: f64 = 0.1;

/// When the stand-ins for a pair of boxes meet after a time, and the steps that it took to find out; nothing
/// where the budget did not suffice.
pub(super) fn time_of_impact(
    job: &Job<'_>,
    slots: [u32; 2],
    from: f64,
    options: &StepOptions<'_>,
    budget: &Budget<'_>,
) -> (Option<Impact<Touch>>, u64) {
    let around = |k: usize| Some(job.moving[k].model.faces()?.packed.node_box(slots[k]));
    let stand_in = |k: usize| stand_in(&around(k)?);
    let (Some(a), Some(b)) = (stand_in(0), stand_in(1)) else { return (None, 0) };
    let [motion_a, motion_b] = job.moving.map(|moving| moving.motion);
    let query = ImpactQuery { span: (from, 1.0), margin: job.margin, tolerance: options.tolerance };
    let (impact, steps) = with_ask(|ask| {
        let mut ask = ask.anew().within(*budget);
        let impact = ask.time_of_impact(&a.moving(motion_a), &b.moving(motion_b), &query);
        (impact, ask.steps())
    });
    let impact = match impact {
        Impact::Unknown { .. } => None,
        Impact::Free => Some(Impact::Free),
        // They meet already, so the bodies may from now on.
        Impact::AtStart(_) => None,
        Impact::At { time, touch } => Some(Impact::At { time, touch: of_no_face(touch) }),
    };
    (impact, steps)
}

/// The faces of stand-ins are not the bodies'.
fn of_no_face(touch: Touch) -> Touch {
    let points = |witness: Witness| Witness::points(witness.on_a.point, witness.on_b.point);
    Touch { witness: touch.witness.map(points), proven: false, guarantee: Guarantee::Approximate, ..touch }
}

fn stand_in(around: &Obb) -> Option<Model> {
    let (vertices, triangles) = approximating_faces(around);
    let mesh = Mesh::from_triangles(vertices, triangles, &Default::default()).ok()?;
    Model::with(mesh, &ModelOptions { effort: Effort::Quick }).ok()
}

/// Corner `k` is on the upper side of axis `i` where bit `i` of `k` is set.
fn approximating_faces(around: &Obb) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let half = around.half_extents;
    let corner = |k: u32| {
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
    ((0..8).map(corner).collect(), triangles)
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
