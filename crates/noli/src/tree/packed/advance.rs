//! Sixteen pairs of oriented boxes at a step: the time until which they cannot collide.
//!
//! During a step of a motion every point of a body follows a straight chord, up to a deviation known
//! beforehand. The chords of a body are an affine field `M·x + w`. A box at distance `g` in the direction `n`
//! is therefore proven free for the share `(g − deviation) / closing` of the step. `closing` bounds how far
//! any two of their points approach along `n`: the drift of both centres, plus for each box `‖M‖` times its
//! radius. This is conservative advancement over hierarchies, after Tang, Kim and Manocha 2009. The
//! directions are those of the clearance vectors in the axes of either box.
//!
//! # Error bound
//! Clearances are reduced by the slack of `boxes.rs`. A unit direction with rounded components changes a
//! clearance and a drift by less than `2⁻¹⁸` of them. The drift of a centre is a rounded field at the node's
//! origin plus `M·c`, with three products and sums of `f32`. Its error is less than `16·2⁻²⁴` of the lengths
//! of its parts, stated as `2⁻¹⁸`. The `f64` error of the field itself is part of the deviation.

use super::boxes::{Frames, along_a, along_b, place};
use super::pairs::{Kernel, lanes};
use super::{Node, PackedTree};
use crate::simd::{self, Simd, Vector, dot, three};
use glam::{DMat3, DVec3};

/// Displacement of the points of one body during a step, in A's frame at its start: `x ↦ M·x + w`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drift {
    pub(crate) matrix: DMat3,
    pub(crate) shift: DVec3,
}

impl Drift {
    /// Returns the displacement of a point of the body.
    #[inline(always)]
    pub(crate) fn of(&self, point: DVec3) -> DVec3 {
        self.matrix * point + self.shift
    }

    /// Bound on the length of `M·x` for unit `x`. `M` is the difference of two rotations, whose spectral norm is
    /// its Frobenius norm over √2.
    fn segment(&self) -> f64 {
        let m = &self.matrix;
        let squares = m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared();
        (0.5 * squares).sqrt() * (1.0 + 1e-6) + 1e-13
    }
}

/// The longest drift, in units of A, that a [`Step`] is good for: products stay finite in `f32`.
pub(crate) const LONGEST_DRIFT: f64 = 1e15;

/// A step of two bodies, in units of A.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    a: Side,
    b: Side,
    /// Clearances below this prove nothing.
    deviation: f32,
}

#[derive(Clone, Copy)]
struct Side {
    drift: Drift,
    rows: [[f32; 3]; 3],
    segment: f32,
    per_unit: f64,
    /// Unit of this side over unit of A.
    scale: f32,
}

/// Drift of the children of a node.
struct Children<S: Simd> {
    at_origin: [f32; 3],
    /// In lanes `12 + i`, how far the centre of child `i` goes beyond that.
    centers: Vector<S>,
    /// Contribution of each child's size.
    extent: [f32; 4],
    /// Bound on the lengths that went into all this.
    size: f32,
}

impl Side {
    fn new(drift: &Drift, unit: f64, unit_of_a: f64) -> Self {
        let scale = unit / unit_of_a;
        let rows = [0, 1, 2].map(|r| drift.matrix.row(r).to_array().map(|x| (x * scale) as f32));
        let segment = (drift.segment() * (1.0 + 1e-6)) as f32;
        Self { drift: *drift, rows, segment, per_unit: unit_of_a.recip(), scale: scale as f32 }
    }

    #[inline(always)]
    fn children<S: Simd>(&self, s: S, node: &Node) -> Children<S> {
        let at_origin = (self.drift.of(node.origin()) * self.per_unit).to_array().map(|x| x as f32);
        let centers = simd::rotate_all(s, &self.rows, &node.frame);
        let mut extent = [0.0; 4];
        for l in 0..4 {
            let [x, y, z] = [node.half[0][l], node.half[1][l], node.half[2][l]];
            extent[l] = (x * x + y * y + z * z).sqrt() * self.scale * self.segment;
        }
        let size = at_origin[0].abs() + at_origin[1].abs() + at_origin[2].abs();
        Children { at_origin, centers, extent, size: size + self.segment * node.reach * self.scale }
    }
}

impl Step {
    /// `deviation` in true lengths.
    pub(crate) fn new(a: (&PackedTree, &Drift), b: (&PackedTree, &Drift), deviation: f64) -> Self {
        let unit = a.0.unit;
        Self {
            a: Side::new(a.1, unit, unit),
            b: Side::new(b.1, b.0.unit, unit),
            deviation: (deviation / unit * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE,
        }
    }
}

/// Times until which moving pairs cannot collide. Keys are the share of the step for which a pair is proven
/// free; pairs above the cutoff are discarded.
#[derive(Clone, Copy)]
pub(crate) struct Steps<'a>(pub(crate) &'a Step);

impl Kernel for Steps<'_> {
    const SORTED: bool = true;

    #[inline(always)]
    fn test<S: Simd>(&self, s: S, a: &Node, b: &Node, frames: &Frames, cutoff: f32) -> (u16, [f32; 16]) {
        let step = self.0;
        const TINY: f32 = 1.0 / (1 << 18) as f32;
        let d = frames.nodes(s, a, b);
        let (p, slack) = (place(s, a, b, frames, &d), frames.slack(a, b, &d));
        let (slack, zero) = (s.splat(slack), s.splat(0.0));

        let (drift_a, drift_b) = (step.a.children(s, a), step.b.children(s, b));
        let frame_a = three!(|C| s.load(&a.frame[C]));
        let axes_a = three!(|K| three!(|C| s.spread_of::<K>(frame_a[C])));
        let separated = three!(|C| {
            let at_origins = s.splat(drift_a.at_origin[C] - drift_b.at_origin[C]);
            at_origins + s.spread_of::<3>(drift_a.centers[C]) - s.tile_of::<3>(drift_b.centers[C])
        });
        // The drift towards each other along A's axes and along B's.
        let towards_a = three!(|I| dot(s, &axes_a[I], &separated));
        let towards_b = three!(|J| dot(s, &towards_a, &[p.c[0][J], p.c[1][J], p.c[2][J]]));
        let rounding = s.splat(TINY * (drift_a.size + drift_b.size));
        let extents = s.spread(&drift_a.extent) + s.tile(&drift_b.extent) + rounding;

        // A clearance cut short is still a clearance, and its square stays finite.
        let longest = s.splat(1e18);
        let in_a = three!(|I| s.min(s.max(along_a(s, &p, I) - slack, zero), longest));
        let in_b = three!(|J| s.min(s.max(along_b(s, &p, J) - slack, zero), longest));
        let t_b = three!(|J| dot(s, &p.t, &[p.c[0][J], p.c[1][J], p.c[2][J]]));
        let deviation = s.splat(step.deviation);
        let share_a = share(s, &in_a, &p.t, &towards_a, extents, deviation);
        let share_b = share(s, &in_b, &t_b, &towards_b, extents, deviation);
        let share = s.max(share_a, share_b);
        (lanes(a.valid, b.valid) & !s.gt(share, s.splat(cutoff)), s.store(share))
    }
}

/// Computes the free share by the clearance vector `clearance`, whose components have the signs of `offset`.
#[inline(always)]
fn share<S: Simd>(
    s: S,
    clearance: &[S::F; 3],
    offset: &[S::F; 3],
    towards: &[S::F; 3],
    extents: S::F,
    deviation: S::F,
) -> S::F {
    const DOWN: f32 = 1.0 - 1.0 / (1 << 17) as f32;
    const UP: f32 = 1.0 / (1 << 18) as f32;
    let (zero, least) = (s.splat(0.0), s.splat(f32::MIN_POSITIVE));
    let length = s.sqrt(dot(s, clearance, clearance));
    let signed = three!(|I| s.select(s.gt(offset[I], zero), towards[I], zero - towards[I]));
    let rounding = s.splat(UP) * (s.abs(towards[0]) + s.abs(towards[1]) + s.abs(towards[2]));
    let closing = s.div(dot(s, clearance, &signed), s.max(length, least)) + extents + rounding;
    let proven = s.max(length * s.splat(DOWN) - deviation, zero);
    // Boxes that do not approach get a share beyond every cutoff.
    s.div(proven, s.max(closing, least)) * s.splat(DOWN)
}
