//! Sixteen pairs of oriented boxes at a step: lower bounds on their distance.
//!
//! The clearances along the three axes of one box are components of one vector, so the distance is at least
//! its length; likewise for the other box; and at least the clearance along each product of two axes, divided
//! by the length of that product. Each clearance is first reduced by the slack derived in `boxes.rs`, which
//! bounds its error; what remains are a few roundings of squares, covered by the last factor.

use super::Node;
use super::boxes::{Frames, along_a, along_b, along_edges, place};
use super::pairs::{Kernel, lanes};
use crate::simd::{Simd, dot, three};

/// Lower bounds on the distance of pairs. Keys are their squares, in units of A; pairs above the cutoff are
/// discarded.
#[derive(Clone, Copy)]
pub(crate) struct Distances;

impl Kernel for Distances {
    const SORTED: bool = true;

    #[inline(always)]
    fn test<S: Simd>(&self, s: S, a: &Node, b: &Node, frames: &Frames, cutoff: f32) -> (u16, [f32; 16]) {
        /// Below 1 by far more than the roundings of the sums of squares.
        const DOWN: f32 = 1.0 - 1.0 / (1 << 18) as f32;
        /// Above 1 by far more than the error of a squared cosine.
        const ONE_UP: f32 = 1.0 + 1.0 / (1 << 17) as f32;
        let d = frames.nodes(s, a, b);
        let (p, slack) = (place(s, a, b, frames, &d), frames.slack(a, b, &d));
        let (slack, zero, limit) = (s.splat(slack), s.splat(0.0), s.splat(cutoff));
        let in_a = three!(|I| s.max(along_a(s, &p, I) - slack, zero));
        let in_b = three!(|J| s.max(along_b(s, &p, J) - slack, zero));
        let (a_sq, b_sq) = (dot(s, &in_a, &in_a), dot(s, &in_b, &in_b));
        let faces = s.max(a_sq, b_sq) * s.splat(DOWN);
        let alive = lanes(a.valid, b.valid) & !s.gt(faces, limit);
        if alive == 0 {
            return (0, [0.0; 16]);
        }
        // The largest of nine quotients, with one division: quotients are compared crosswise.
        let (mut over, mut under) = (zero, s.splat(1.0));
        for i in 0..2 {
            for j in 0..2 {
                let clearance = s.max(along_edges(s, &p, i, j) - slack, zero);
                let (clearance_sq, length_sq) =
                    (clearance * clearance, s.sub_mul(s.splat(ONE_UP), p.c[i][j], p.c[i][j]));
                let larger = s.gt(clearance_sq * under, over * length_sq);
                over = s.select(larger, clearance_sq, over);
                under = s.select(larger, length_sq, under);
            }
        }
        let bound = s.max(faces, s.div(over, under) * s.splat(DOWN));
        (alive & !s.gt(bound, limit), s.store(bound))
    }
}
