//! Sixteen triangle pairs at a step: certain intersection, certain separation, or undecided.
//!
//! Two triangles share a point exactly when an edge of one intersects the other triangle (an extreme
//! point of the intersection lies on a boundary). So fifteen signs decide: the vertices of each
//! triangle against the plane of the other, and the volumes spanned by all pairs of edges. A sign is
//! accepted only beyond the error bound below. If all six edges certainly miss, the triangles are certainly
//! separated; if one edge certainly pierces, they certainly intersect, and transversally.
//!
//! # Error bound
//! Lengths are in units of A's leaf, so A's coordinates are at most 1 and B's, before the offset `d` is
//! added, at most `√3·σ` with `σ` the ratio of the units. `u = 2⁻²⁴`, `m = max(1, σ)`, `S = 1 + |d|₁ + 2σ`,
//! `E` the error of `d` beyond `f32` rounding, `w` the largest component between the vertices, and `A`, `B` the
//! longest edges of the two triangles, each larger by at least eight times its error.
//! * A's vertices are stored within `u`, its edges within `α = 3u`. B's rotated vertices err by `9uσ`, its edges by
//!   `β = 20uσ`, its placed vertices by `9uσ + 2uS + E`. So vertex differences err by `η ≤ 10uS + E + uw`.
//! * With edges of lengths `L`, `M` and errors `λ`, `μ`, a component of a cross product errs by
//!   `2(Lμ + Mλ) + 6uLM`, and its product with a vertex difference by
//!   `6w(Lμ + Mλ) + 42uwLM + LM(60uS + 6E)`; what is of second order is within the lengths added above.
//! * `A ≤ 2.1` and `B ≤ 3.5σ` give `120uwA + A²(…)` for the plane of A, `387uσwB + B²(…)` for that of B, and
//!   `uw(193σA + 62B) + AB(…)` for an edge of each.
//!
//! We use 192, 512, 320 and 128 for these numbers, and `128uS + 8E` in the last factor. One bound by the longer edge
//! alone would leave a small triangle near a large one, a link at the wall of its cage, always undecided.

use super::Pair;
use crate::simd::{self, Kernel, Simd, Supported, dot, minus, mul_add, rotate, three};
use crate::tree::packed::{Frames, Leaf, lanes};

pub(super) const U: f32 = f32::EPSILON / 2.0;
/// Beyond this ratio of units, cubes of lengths could leave the range of `f32`.
const MAX_RATIO: f32 = (1 << 20) as f32;

/// Two leaves about to be compared.
pub(super) struct LeafPair<'a> {
    pub(super) a: &'a Leaf,
    pub(super) b: &'a Leaf,
    /// The triangles they hold.
    pub(super) faces: [&'a [u32; 4]; 2],
    /// Lanes with a triangle on both sides.
    pub(super) valid: u16,
}

impl<'a> LeafPair<'a> {
    /// The leaves that two slots lead to.
    #[inline(always)]
    pub(super) fn new(pair: &Pair<'a>, a: u32, b: u32) -> Self {
        let (tree_a, tree_b) = (pair.a.packed, pair.b.packed);
        let (a, b) = (tree_a.link(a), tree_b.link(b));
        Self {
            a: tree_a.leaf(a.index()),
            b: tree_b.leaf(b.index()),
            faces: [tree_a.faces(a.index()), tree_b.faces(b.index())],
            valid: lanes(a.leaf_mask(), b.leaf_mask()),
        }
    }

    /// The triangles of a lane.
    #[inline(always)]
    pub(super) fn triangles(&self, lane: usize) -> (u32, u32) {
        (self.faces[0][lane / 4], self.faces[1][lane % 4])
    }
}

/// Lanes `4·i + j`: triangle `i` of A's leaf, triangle `j` of B's.
pub(super) struct Sorted {
    /// Certainly intersecting.
    pub(super) hit: u16,
    /// Undecided in this precision; later stages decide these.
    pub(super) unsure: u16,
}

/// Three vectors for each of four triangles.
pub(super) type Vectors = [[[f32; 4]; 3]; 3];

/// Data of a leaf's triangles for the test, four at a time.
struct Side {
    vertex: Vectors,
    edge: Vectors,
    normal: [[f32; 4]; 3],
}

impl Side {
    #[inline(always)]
    fn new<S: Simd>(s: S, vertex: Vectors) -> Self {
        let edge = three!(|K| sub(&vertex[(K + 1) % 3], &vertex[K]));
        Self { normal: cross(s, &edge[0], &edge[1]), vertex, edge }
    }
}

#[inline(always)]
fn sub(x: &[[f32; 4]; 3], y: &[[f32; 4]; 3]) -> [[f32; 4]; 3] {
    let mut out = *x;
    for c in 0..3 {
        for l in 0..4 {
            out[c][l] -= y[c][l];
        }
    }
    out
}

#[inline(always)]
fn cross<S: Simd>(s: S, x: &[[f32; 4]; 3], y: &[[f32; 4]; 3]) -> [[f32; 4]; 3] {
    let mut out = [[0.0; 4]; 3];
    for c in 0..3 {
        let (d, e) = ((c + 1) % 3, (c + 2) % 3);
        for l in 0..4 {
            out[c][l] = mul_add(s, -x[e][l], y[d][l], x[d][l] * y[e][l]);
        }
    }
    out
}

/// Two leaves in units of A's.
pub(super) struct Leaves<'l> {
    /// Vertices of A's triangles.
    pub(super) a: &'l Vectors,
    /// Vertices of B's triangles, rotated and scaled; the offset is still to be added.
    pub(super) b: Vectors,
    pub(super) offset: [f32; 3],
    /// Ratio of the units, B's over A's.
    ratio: f32,
    /// `S` of the error bound.
    pub(super) size: f32,
    /// `E` of the error bound.
    pub(super) error: f32,
}

impl<'l> Leaves<'l> {
    /// Nothing where the units differ so much that products could leave the range of `f32`.
    #[inline(always)]
    pub(super) fn new<S: Simd>(s: S, leaves: &LeafPair<'l>, frames: &Frames) -> Option<Self> {
        let LeafPair { a, b, .. } = *leaves;
        let per_unit = a.unit().recip();
        let ratio = (b.unit() * per_unit) as f32;
        let [x, y, z, _] = frames.offset(s, a.origin(), b.origin()).map(|x| (x * per_unit) as f32);
        let offset = [x, y, z];
        let reach = offset[0].abs() + offset[1].abs() + offset[2].abs();
        if !(ratio < MAX_RATIO && ratio > 1.0 / MAX_RATIO && reach < 2.0 * MAX_RATIO) {
            return None;
        }
        let rows = three!(|R| three!(|C| frames.rows()[R][C] * ratio));
        Some(Self {
            a: &a.vertex,
            b: three!(|K| rotate(s, &rows, &b.vertex[K])),
            offset,
            ratio,
            size: 1.0 + reach + 2.0 * ratio,
            error: (frames.offset_error() * per_unit) as f32 * (1.0 + 1e-6),
        })
    }
}

/// Sort the valid pairs into hits, misses and unsure ones.
#[inline(always)]
pub(super) fn sort(simd: Supported, leaves: &LeafPair<'_>, frames: &Frames) -> Sorted {
    simd.call(&Sort, leaves, frames, ())
}

struct Sort;

impl Kernel<&LeafPair<'_>, &Frames, ()> for Sort {
    type Output = Sorted;

    #[inline(always)]
    fn run<S: Simd>(&self, s: S, leaves: &LeafPair<'_>, frames: &Frames, (): ()) -> Sorted {
        sort_in(s, leaves, frames)
    }
}

#[inline(always)]
fn sort_in<S: Simd>(s: S, leaves: &LeafPair<'_>, frames: &Frames) -> Sorted {
    let Some(placed) = Leaves::new(s, leaves, frames) else {
        return Sorted { hit: 0, unsure: leaves.valid };
    };
    let Leaves { a, b, offset: d, ratio, size, error } = placed;
    let size_a = s.spread(&leaves.a.size) + s.splat(32.0 * U);
    let size_b = (s.tile(&leaves.b.size) + s.splat(160.0 * U)) * s.splat(ratio);
    let (a, b) = (Side::new(s, *a), Side::new(s, b));
    let by_vertex = 128.0 * U * size + 8.0 * error;

    let a_vertex = three!(|K| simd::spread(s, &a.vertex[K]));
    let b_vertex = three!(|K| {
        let x = simd::tile(s, &b.vertex[K]);
        three!(|C| x[C] + s.splat(d[C]))
    });
    // `between[i][k]`: from vertex `i` of A to vertex `k` of B.
    let between = three!(|I| three!(|K| minus(s, &b_vertex[K], &a_vertex[I])));

    let w = &between[0][0];
    let w = s.max(s.abs(w[0]), s.max(s.abs(w[1]), s.abs(w[2]))) + size_a + size_b;
    let (by_vertex, rounding) = (s.splat(by_vertex), w * s.splat(U));
    let plane_a = size_a * s.mul_add(rounding, s.splat(192.0), size_a * by_vertex);
    let plane_b = size_b * s.mul_add(rounding, s.splat(512.0 * ratio), size_b * by_vertex);
    let edges = s.mul_add(size_a, s.splat(320.0 * ratio), size_b * s.splat(128.0));
    let edges = s.mul_add(rounding, edges, size_a * size_b * by_vertex);

    let normal_a = simd::spread(s, &a.normal);
    let b_side = three!(|K| signs(s, dot(s, &normal_a, &between[0][K]), plane_a));
    let normal_b = simd::tile(s, &b.normal);
    // Differences point from A to B: the sign is reversed, which is all the same here.
    let a_side = three!(|I| signs(s, dot(s, &normal_b, &between[I][0]), plane_b));
    let alive = leaves.valid & !one_side(&a_side) & !one_side(&b_side);
    if alive == 0 {
        return Sorted { hit: 0, unsure: 0 };
    }

    let a_edge = three!(|I| simd::spread(s, &a.edge[I]));
    let b_edge = three!(|K| simd::tile(s, &b.edge[K]));
    let volume = three!(|I| three!(|K| {
        let normal = simd::cross(s, &a_edge[I], &b_edge[K]);
        signs(s, dot(s, &normal, &between[I][K]), edges)
    }));
    let (mut hit, mut miss) = (0, alive);
    for e in 0..3 {
        let next = (e + 1) % 3;
        for (sides, other, volumes) in
            [(&b_side, &a_side, [volume[0][e], volume[1][e], volume[2][e]]), (&a_side, &b_side, volume[e])]
        {
            let (p, q) = (sides[e], sides[next]);
            let crosses = (p.0 & q.1) | (p.1 & q.0);
            let stays = (p.0 & q.0) | (p.1 & q.1);
            let positive = volumes[0].0 | volumes[1].0 | volumes[2].0;
            let negative = volumes[0].1 | volumes[1].1 | volumes[2].1;
            // Something is off its plane, so it has one: a triangle without area only touches.
            let has_area = other[0].0 | other[0].1 | other[1].0 | other[1].1 | other[2].0 | other[2].1;
            hit |= crosses & one_side(&volumes) & has_area;
            miss &= stays | (positive & negative);
        }
    }
    hit &= alive;
    Sorted { hit, unsure: alive & !hit & !miss }
}

/// Lanes certainly positive, lanes certainly negative.
type Signs = (u16, u16);

#[inline(always)]
fn signs<S: Simd>(s: S, x: S::F, bound: S::F) -> Signs {
    (s.gt(x, bound), s.gt(s.splat(0.0) - bound, x))
}

#[inline(always)]
fn one_side(v: &[Signs; 3]) -> u16 {
    (v[0].0 & v[1].0 & v[2].0) | (v[0].1 & v[1].1 & v[2].1)
}
