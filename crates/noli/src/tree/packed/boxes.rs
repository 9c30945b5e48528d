//! Sixteen pairs of oriented boxes at a step: the separating-axis test (Gottschalk, Lin, Manocha
//! 1996) with a proven error bound.
//!
//! # Error bound
//! `u = 2⁻²⁴`, lengths in units of A's model, `S = |d|₁ + reach_a + reach_b` with `d` the offset of
//! the two node origins. Every face lies in `|axis_k·(p − c)| ≤ h_k` for the *stored* axes, which
//! differ from an orthonormal frame by at most `1.5u` each, so in an ideal box with half extents
//! `h_k + 2u·reach`. Then, worst case:
//! * cosines `c_ij = A_i·R·B_j`: axes `1.5u + 1.5u`, rotation rounded to `f32` `u`, the product `R·B_j`
//!   `3u` a component, hence `7u` as a vector, and `3u` for the last dot product: below `16u`;
//! * the offset in A's axes: `6u·S` a component of `d + R·c_b − c_a`, hence below `16u·S`;
//! * A's axes: `16u·S` on the left; `16u·√3·reach_b`, rounding and the ideal box on the right: `64u·S`;
//! * B's axes: `59u·S` on the left, `45u·S` on the right: `104u·S`;
//! * edge axes: two products `66u·S` on the left, four products `80u·S` on the right: `150u·S`.
//!
//! We reject only beyond `256u·S = 2⁻¹⁶·S`, plus the error of `d` itself (pose and `f64` rounding,
//! [`Frames::new`]) and a floor for underflow. `tests/near_contact.rs` bisects poses to contact.

use super::{Node, PackedTree, Slot, vec3};
use crate::simd::{self, Simd, dot, rotate, three};
use crate::tree::walk::{Block, PairTest};
use glam::{DMat3, DVec3};
use noli_geom::{RelativePose, UNIT_ROUNDOFF};

/// Share of `S` within which a separation is not believed: `256 · 2⁻²⁴`.
const SLACK: f32 = 1.0 / 65536.0;
/// Far above anything lost to underflow in lengths of unit size, far below anything that matters.
const FLOOR: f32 = f32::from_bits((127 - 110) << 23);

/// Two packed trees as one pose relates them, in `f32`, in units of A's model.
#[derive(Clone, Copy)]
pub(crate) struct Frames {
    rotation: DMat3,
    translation: DVec3,
    per_unit: f64,
    /// `rotation`, row by row.
    rows: [[f32; 3]; 3],
    /// `rows` times `scale`.
    scaled_rows: [[f32; 3]; 3],
    /// Unit of B over unit of A; at most 1.
    scale: f32,
    /// Bound on each coordinate of [`Frames::offset`] beyond the rounding to `f32`, in true lengths.
    offset_error: f64,
}

impl Frames {
    /// `a` must have the larger unit.
    pub(crate) fn new(a: &PackedTree, b: &PackedTree, a_from_b: &RelativePose) -> Self {
        let per_unit = a.unit.recip();
        let t = a_from_b.translation.abs().max_element();
        // Origins lie among the faces, up to rounding; one more subtraction of A's origin.
        let reach = 1.001 * b.reach;
        let subtraction = 4.0 * UNIT_ROUNDOFF * (1.001 * a.reach + t + 3.0 * reach);
        let scale = (b.unit * per_unit) as f32;
        let rows = [0, 1, 2].map(|r| a_from_b.rotation.row(r).to_array().map(|x| x as f32));
        Self {
            rotation: a_from_b.rotation,
            translation: a_from_b.translation,
            per_unit,
            rows,
            scaled_rows: rows.map(|row| row.map(|x| x * scale)),
            scale,
            offset_error: a_from_b.point_error(reach) + subtraction,
        }
    }

    /// From a point of A to a point of B, in A's frame.
    #[inline(always)]
    pub(crate) fn offset(&self, a: &[f64; 3], b: &[f64; 3]) -> DVec3 {
        self.rotation * vec3(b) + self.translation - vec3(a)
    }

    pub(crate) fn rows(&self) -> &[[f32; 3]; 3] {
        &self.rows
    }

    pub(crate) fn offset_error(&self) -> f64 {
        self.offset_error
    }

    /// Offset of two nodes in units of A and the slack of a test between them.
    #[inline(always)]
    pub(super) fn nodes(&self, a: &Node, b: &Node) -> ([f32; 3], f32) {
        let d = self.offset(&a.origin, &b.origin) * self.per_unit;
        // Beyond any size of unit order; keeps infinities out of the products.
        let d = d.to_array().map(|x| x.clamp(-1e30, 1e30) as f32);
        let size = d[0].abs() + d[1].abs() + d[2].abs() + a.reach + b.reach * self.scale;
        let error = (self.offset_error * self.per_unit * 1.7321) as f32 * (1.0 + 1e-6);
        (d, size * SLACK + error + FLOOR)
    }
}

/// Tests of boxes for overlap.
#[derive(Clone, Copy)]
pub(crate) struct BoxPairs<'a, S> {
    pub(crate) simd: S,
    pub(crate) a: &'a PackedTree,
    pub(crate) b: &'a PackedTree,
    pub(crate) frames: &'a Frames,
}

impl<S: Simd> PairTest for BoxPairs<'_, S> {
    const SORTED: bool = false;

    #[inline(always)]
    fn is_leaf(&self, a: Slot, b: Slot) -> (bool, bool) {
        (self.a.link(a).is_leaf(), self.b.link(b).is_leaf())
    }

    #[inline(always)]
    fn expand(&self, a: Slot, b: Slot, _cutoff: f32, block: &mut Block) {
        let mut single = None;
        let (a, b) = open(self.a, self.b, block, (a, b), &mut single);
        (block.mask, block.key) = overlap(self.simd, a, b, self.frames);
    }

    #[inline(always)]
    fn prefetch(&self, a: Slot, b: Slot) {
        prefetch(self.simd, self.a, a);
        prefetch(self.simd, self.b, b);
    }
}

#[inline(always)]
pub(super) fn prefetch<S: Simd>(simd: S, tree: &PackedTree, slot: Slot) {
    let link = tree.link(slot);
    if link.is_leaf() {
        simd.prefetch(&tree.leaves[link.index()]);
    } else {
        simd.prefetch(&tree.nodes[link.index()]);
    }
}

/// Name the children of `a` and of `b` in the block and return the nodes that hold them; a leaf
/// stands for itself, alone in a copy of its node.
#[inline(always)]
pub(super) fn open<'a>(
    tree_a: &'a PackedTree,
    tree_b: &'a PackedTree,
    block: &mut Block,
    pair: (Slot, Slot),
    single: &'a mut Option<Node>,
) -> (&'a Node, &'a Node) {
    let (a, b) = pair;
    let (link_a, link_b) = (tree_a.link(a), tree_b.link(b));
    if link_a.is_leaf() {
        (block.a, block.b) = ([a; 4], link_b.slots());
        (single.insert(tree_a.nodes[a as usize / 4].only(a as usize % 4)), &tree_b.nodes[link_b.index()])
    } else if link_b.is_leaf() {
        (block.a, block.b) = (link_a.slots(), [b; 4]);
        (&tree_a.nodes[link_a.index()], single.insert(tree_b.nodes[b as usize / 4].only(b as usize % 4)))
    } else {
        (block.a, block.b) = (link_a.slots(), link_b.slots());
        (&tree_a.nodes[link_a.index()], &tree_b.nodes[link_b.index()])
    }
}

impl Node {
    /// The same node with child `lane` alone, in lane 0.
    #[cold]
    fn only(&self, lane: usize) -> Self {
        let repeat = |x: [f32; 4]| [x[lane]; 4];
        Self {
            axes: self.axes.map(|axis| axis.map(repeat)),
            center: self.center.map(repeat),
            half: self.half.map(repeat),
            child: [self.child[lane]; 4],
            valid: 1,
            ..*self
        }
    }
}

/// Lane `4·i + j` where bit `i` of `a` and bit `j` of `b` are set.
#[inline(always)]
pub(crate) fn lanes(a: u32, b: u32) -> u16 {
    const SPREAD: [u16; 16] = {
        let mut table = [0; 16];
        let mut bits = 0;
        while bits < 16 {
            let mut i = 0;
            while i < 4 {
                if bits & (1 << i) != 0 {
                    table[bits] |= 0xf << (4 * i);
                }
                i += 1;
            }
            bits += 1;
        }
        table
    };
    SPREAD[a as usize & 15] & (b as u16).wrapping_mul(0x1111)
}

/// Sixteen pairs in A's axes: what every test on boxes starts from.
pub(super) struct Placed<F> {
    /// Offset of the centres along A's axes.
    pub(super) t: [F; 3],
    /// `c[i][j]`: cosine between A's axis `i` and B's axis `j`.
    pub(super) c: [[F; 3]; 3],
    pub(super) abs_c: [[F; 3]; 3],
    pub(super) half_a: [F; 3],
    pub(super) half_b: [F; 3],
}

#[inline(always)]
pub(super) fn place<S: Simd>(s: S, a: &Node, b: &Node, frames: &Frames, d: [f32; 3]) -> Placed<S::F> {
    let scale = s.splat(frames.scale);
    let axes_a = three!(|K| simd::spread(s, &a.axes[K]));
    let center_b = simd::tile(s, &rotate(&frames.scaled_rows, &b.center));
    let offset = three!(|C| s.splat(d[C]) + center_b[C] - s.spread(&a.center[C]));
    let axes_b = three!(|K| simd::tile(s, &rotate(&frames.rows, &b.axes[K])));
    let c = three!(|I| three!(|J| dot(s, &axes_a[I], &axes_b[J])));
    let half_b = simd::tile(s, &b.half);
    Placed {
        t: three!(|I| dot(s, &axes_a[I], &offset)),
        abs_c: three!(|I| three!(|J| s.abs(c[I][J]))),
        c,
        half_a: simd::spread(s, &a.half),
        half_b: three!(|K| half_b[K] * scale),
    }
}

/// Gap along A's axis `i`; negative where the boxes overlap along it.
#[inline(always)]
pub(super) fn along_a<S: Simd>(s: S, p: &Placed<S::F>, i: usize) -> S::F {
    s.abs(p.t[i]) - (p.half_a[i] + dot(s, &p.half_b, &p.abs_c[i]))
}

/// Gap along B's axis `j`.
#[inline(always)]
pub(super) fn along_b<S: Simd>(s: S, p: &Placed<S::F>, j: usize) -> S::F {
    let c = [p.c[0][j], p.c[1][j], p.c[2][j]];
    let abs_c = [p.abs_c[0][j], p.abs_c[1][j], p.abs_c[2][j]];
    s.abs(dot(s, &p.t, &c)) - (p.half_b[j] + dot(s, &p.half_a, &abs_c))
}

/// Gap along the cross product of A's axis `i` and B's axis `j`, times the length of that product.
#[inline(always)]
pub(super) fn along_edges<S: Simd>(s: S, p: &Placed<S::F>, i: usize, j: usize) -> S::F {
    let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
    let r = p.half_a[i1] * p.abs_c[i2][j]
        + p.half_a[i2] * p.abs_c[i1][j]
        + p.half_b[j1] * p.abs_c[i][j2]
        + p.half_b[j2] * p.abs_c[i][j1];
    s.abs(p.t[i2] * p.c[i1][j] - p.t[i1] * p.c[i2][j]) - r
}

/// The lanes that may overlap, and for each how far its boxes are pushed into each other along the
/// worst of the six face axes (more negative is deeper).
#[inline(always)]
fn overlap<S: Simd>(s: S, a: &Node, b: &Node, frames: &Frames) -> (u16, [f32; 16]) {
    let (d, slack) = frames.nodes(a, b);
    let p = place(s, a, b, frames, d);
    let slack = s.splat(slack);
    let a_gap = s.max(s.max(along_a(s, &p, 0), along_a(s, &p, 1)), along_a(s, &p, 2));
    let b_gap = s.max(s.max(along_b(s, &p, 0), along_b(s, &p, 1)), along_b(s, &p, 2));
    let gap = s.max(a_gap, b_gap);
    let alive = lanes(a.valid, b.valid) & !s.gt(gap, slack);
    if alive == 0 {
        return (0, [0.0; 16]);
    }
    let edges = three!(|I| {
        let [x, y, z] = three!(|J| along_edges(s, &p, I, J));
        s.max(s.max(x, y), z)
    });
    let edge_gap = s.max(s.max(edges[0], edges[1]), edges[2]);
    (alive & !s.gt(edge_gap, slack), s.store(gap))
}
