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
//! Fused multiplications and additions only leave roundings out. We reject only beyond `256u·S = 2⁻¹⁶·S`, plus the error of `d` itself (pose and `f64` rounding,
//! [`Frames::new`]) and a floor for underflow. `tests/near_contact.rs` bisects poses to contact.

use super::{Node, PackedTree};
use crate::simd::{self, Simd, Vector, dot, three};
use glam::DVec3;
use noli_geom::{RelativePose, UNIT_ROUNDOFF};

/// Share of `S` within which a separation is not believed: `256 · 2⁻²⁴`.
const SLACK: f32 = 1.0 / 65536.0;
/// Far above anything lost to underflow in lengths of unit size, far below anything that matters.
const FLOOR: f32 = f32::from_bits((127 - 110) << 23);

/// Beyond any size of unit order; products with it stay finite in `f32`.
const LARGEST_OFFSET: f64 = 1e30;

/// Two packed trees as one pose relates them, in `f32`, in units of A's model.
#[derive(Clone, Copy)]
pub(crate) struct Frames {
    /// Rotation, column by column; the last of four lanes is 0 here and below.
    columns: [[f64; 4]; 3],
    translation: [f64; 4],
    per_unit: f64,
    /// `true` if products of `f32` stay finite for every offset.
    bounded: bool,
    /// The rotation rounded, row by row.
    rows: [[f32; 3]; 3],
    /// Unit of B over unit of A; at most 1.
    scale: f32,
    /// Bound on each coordinate of [`Frames::offset`] beyond the rounding to `f32`, in true lengths.
    offset_error: f64,
    /// Reduction of a separation by that error and by underflow, in units of A.
    least_slack: f32,
}

impl Frames {
    /// `a` must have the larger unit.
    pub(crate) fn new(a: &PackedTree, b: &PackedTree, a_from_b: &RelativePose) -> Self {
        let per_unit = a.unit.recip();
        let t = a_from_b.translation.abs().max_element();
        // Origins lie among the faces, up to rounding; four roundings of sums no larger than this.
        let reach = 1.001 * b.reach;
        let sum = 1.001 * a.reach + t + 3.0 * reach;
        let scale = (b.unit * per_unit) as f32;
        let rows = [0, 1, 2].map(|r| a_from_b.rotation.row(r).to_array().map(|x| x as f32));
        let offset_error = a_from_b.point_error(reach) + 4.0 * UNIT_ROUNDOFF * sum;
        Self {
            columns: [0, 1, 2].map(|c| four(a_from_b.rotation.col(c))),
            translation: four(a_from_b.translation),
            per_unit,
            bounded: sum * per_unit <= LARGEST_OFFSET,
            rows,
            scale,
            offset_error,
            least_slack: (offset_error * per_unit * 1.7321) as f32 * (1.0 + 1e-6) + FLOOR,
        }
    }

    /// From a point of A to a point of B, in A's frame.
    #[inline(always)]
    pub(crate) fn offset<S: Simd>(&self, _: S, a: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
        let mul_add = |x: f64, y: f64, z: f64| if S::FUSED { x.mul_add(y, z) } else { x * y + z };
        let [x, y, z] = &self.columns;
        let mut out = [0.0; 4];
        for l in 0..4 {
            let sum = mul_add(x[l], b[0], self.translation[l] - a[l]);
            out[l] = mul_add(z[l], b[2], mul_add(y[l], b[1], sum));
        }
        out
    }

    pub(crate) fn rows(&self) -> &[[f32; 3]; 3] {
        &self.rows
    }

    pub(crate) fn offset_error(&self) -> f64 {
        self.offset_error
    }

    /// Offset of two nodes in units of A.
    #[inline(always)]
    pub(super) fn nodes<S: Simd>(&self, s: S, a: &Node, b: &Node) -> [f32; 3] {
        let mut d = self.offset(s, &a.origin, &b.origin).map(|x| x * self.per_unit);
        if !self.bounded {
            d = d.map(|x| x.clamp(-LARGEST_OFFSET, LARGEST_OFFSET));
        }
        let [x, y, z, _] = d.map(|x| x as f32);
        [x, y, z]
    }

    /// Bound on the sum of the distances of the nodes' points from their origins, in units of A.
    #[inline(always)]
    fn reach(&self, a: &Node, b: &Node) -> f32 {
        a.reach + b.reach * self.scale
    }

    /// Bound on how much a computed clearance between children of two nodes at offset `d` may be too large.
    #[inline(always)]
    pub(super) fn slack(&self, a: &Node, b: &Node, d: &[f32; 3]) -> f32 {
        let size = (d[0].abs() + d[1].abs()) + (d[2].abs() + self.reach(a, b));
        size * SLACK + self.least_slack
    }

    /// The same where only the sign matters. If the distance of the origins exceeds both reaches, nothing
    /// collides, so the claim is true for any rounding. Nearer origins have `S` below `1 + √3` reaches.
    #[inline(always)]
    pub(super) fn slack_of_sign(&self, a: &Node, b: &Node) -> f32 {
        self.reach(a, b) * (2.75 * SLACK) + self.least_slack
    }
}

/// A vector in the four lanes that offsets are computed in.
fn four(v: DVec3) -> [f64; 4] {
    [v.x, v.y, v.z, 0.0]
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
pub(super) fn place<S: Simd>(s: S, a: &Node, b: &Node, frames: &Frames, d: &[f32; 3]) -> Placed<S::F> {
    let scale = s.splat(frames.scale);
    let (frame_a, frame_b) = (three!(|C| s.load(&a.frame[C])), simd::rotate_all(s, &frames.rows, &b.frame));
    let axes_a = three!(|K| three!(|C| s.spread_of::<K>(frame_a[C])));
    let axes_b = three!(|K| three!(|C| s.tile_of::<K>(frame_b[C])));
    let offset = three!(|C| {
        let centers = s.sub_mul(s.spread_of::<3>(frame_a[C]), scale, s.tile_of::<3>(frame_b[C]));
        s.splat(d[C]) - centers
    });
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

/// `x` plus the product of two vectors.
#[inline(always)]
fn add_dot<S: Simd>(s: S, x: S::F, y: &Vector<S>, z: &Vector<S>) -> S::F {
    s.mul_add(y[2], z[2], s.mul_add(y[1], z[1], s.mul_add(y[0], z[0], x)))
}

// What depends on the offset comes last in each clearance: the offset is known long after the extents.

/// Clearance along A's axis `i`; negative where the boxes overlap along it.
#[inline(always)]
pub(super) fn along_a<S: Simd>(s: S, p: &Placed<S::F>, i: usize) -> S::F {
    s.abs(p.t[i]) - add_dot(s, p.half_a[i], &p.half_b, &p.abs_c[i])
}

/// Clearance along B's axis `j`.
#[inline(always)]
pub(super) fn along_b<S: Simd>(s: S, p: &Placed<S::F>, j: usize) -> S::F {
    let c = [p.c[0][j], p.c[1][j], p.c[2][j]];
    let abs_c = [p.abs_c[0][j], p.abs_c[1][j], p.abs_c[2][j]];
    s.abs(dot(s, &p.t, &c)) - add_dot(s, p.half_b[j], &p.half_a, &abs_c)
}

/// Clearance along the cross product of A's axis `i` and B's axis `j`, times the length of that product.
#[inline(always)]
pub(super) fn along_edges<S: Simd>(s: S, p: &Placed<S::F>, i: usize, j: usize) -> S::F {
    let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
    let of_a = s.mul_add(p.half_a[i1], p.abs_c[i2][j], p.half_a[i2] * p.abs_c[i1][j]);
    let of_b = s.mul_add(p.half_b[j1], p.abs_c[i][j2], of_a);
    let extent = s.mul_add(p.half_b[j2], p.abs_c[i][j1], of_b);
    s.abs(s.sub_mul(p.t[i2] * p.c[i1][j], p.t[i1], p.c[i2][j])) - extent
}
