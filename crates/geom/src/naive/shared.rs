//! [`TrianglePair::meets_beyond_shared`](crate::TrianglePair::meets_beyond_shared) by clipping.

use super::{Homogeneous, Vector, clip, half_spaces, is_zero, normal, placed};
use crate::{Pose, Triangle};
use dashu_int::IBig;

/// Returns `true` if the triangles share a point that lies on no vertex and no edge they share.
pub fn meets_beyond_shared(a: &Triangle, b: &Triangle, world_from_a: &Pose, world_from_b: &Pose) -> bool {
    let placed = placed(a, b, world_from_a, world_from_b);
    let mut shared: Vec<&Vector> = placed.a.iter().filter(|p| placed.b.contains(p)).collect();
    shared.sort();
    shared.dedup();
    let mut common: Vec<_> =
        placed.a.iter().map(|p| Homogeneous { numerator: p.clone(), weight: IBig::ONE }).collect();
    for space in half_spaces(&placed.b) {
        common = clip(&common, &space);
        if common.is_empty() {
            return false;
        }
    }
    let joint = match shared[..] {
        [] => return true,
        [p] => [p, p, p],
        [p, q] => [p, q, q],
        _ => return !is_zero(&normal(&placed.a)),
    };
    // The common part is the hull of its vertices, the joint is convex.
    let joint = half_spaces(&joint.map(Clone::clone));
    common.iter().any(|point| joint.iter().any(|space| space.excess(point) > IBig::ZERO))
}
