//! The test for overlap of boxes.

use super::Node;
use super::boxes::{Frames, along_a, along_b, along_edges, place};
use super::pairs::{Kernel, lanes};
use crate::simd::Simd;

/// Pairs that may overlap. Keys are the penetration of two boxes along the worst of the six face axes: more
/// negative is deeper.
#[derive(Clone, Copy)]
pub(crate) struct Overlapping;

impl Kernel for Overlapping {
    const SORTED: bool = false;

    #[inline(always)]
    fn test<S: Simd>(&self, s: S, a: &Node, b: &Node, frames: &Frames, _: f32) -> (u16, [f32; 16]) {
        let p = place(s, a, b, frames, &frames.nodes(s, a, b));
        let slack = s.splat(frames.slack_of_sign(a, b));
        let a_clearance = s.max(s.max(along_a(s, &p, 0), along_a(s, &p, 1)), along_a(s, &p, 2));
        let clearance =
            s.max(s.max(along_b(s, &p, 0), along_b(s, &p, 1)), s.max(along_b(s, &p, 2), a_clearance));
        // Axes are stored longest first: products of the two long ones tell flat boxes apart, the other five
        // hardly ever do.
        let x = s.max(along_edges(s, &p, 0, 0), along_edges(s, &p, 0, 1));
        let y = s.max(along_edges(s, &p, 1, 0), along_edges(s, &p, 1, 1));
        let separated = s.max(clearance, s.max(x, y));
        (lanes(a.valid, b.valid) & !s.gt(separated, slack), s.store(clearance))
    }
}
