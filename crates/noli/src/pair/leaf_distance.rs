//! Sixteen triangle pairs at a step: a bracket on each distance.
//!
//! Fifteen candidates, nine pairs of edges and six of a corner and a face (Ericson, *Real-Time Collision
//! Detection*, 2005), give the shortest connection found. Both ends of the bracket hold however badly
//! conditioned that search was: every candidate joins a point of one triangle to a point of the other, so
//! its length bounds the distance from above; and the triangles' extents along its direction bound it from
//! below.
//!
//! # Error bound
//! In the notation of `leaf.rs`, placed corners err by at most `11uS + E` a coordinate. A point of a
//! triangle is a corner plus at most two multiples, within [0, 1], of edges, which adds at most `4uS`; so a
//! connection errs by `2√3·(15uS + E)` in length and, rounding included, by less than `64uS + 4E`. A
//! support value along a unit direction errs by `√3·(11uS + E) + 5uS`, twice, which is less again.

use super::leaf::{Leaves, U};
use crate::simd::{self, Simd, Vector, dot, minus, three};
use crate::tree::packed::{Frames, Leaf};

/// Brackets in units of A's leaf, one a lane.
pub(super) struct Brackets {
    /// The lanes that may be closer than the limit.
    pub(super) close: u16,
    pub(super) at_least: [f32; 16],
    pub(super) at_most: [f32; 16],
}

/// Reciprocals of squared edge lengths, and of the determinant of the first and last edge.
struct Metric {
    edge_sq: [[f32; 4]; 3],
    per_edge_sq: [[f32; 4]; 3],
    /// `−e₀·e₂`: product of the two edges that leave corner 0.
    mixed: [f32; 4],
    per_det: [f32; 4],
}

impl Metric {
    #[inline(always)]
    fn new(edge: &[[[f32; 4]; 3]; 3]) -> Self {
        let mut metric =
            Self { edge_sq: [[0.0; 4]; 3], per_edge_sq: [[0.0; 4]; 3], mixed: [0.0; 4], per_det: [0.0; 4] };
        for k in 0..3 {
            for l in 0..4 {
                let e = [edge[k][0][l], edge[k][1][l], edge[k][2][l]];
                let sq = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
                metric.edge_sq[k][l] = sq;
                metric.per_edge_sq[k][l] = if sq > 0.0 { 1.0 / sq } else { 0.0 };
            }
        }
        for l in 0..4 {
            let mixed =
                edge[0][0][l] * edge[2][0][l] + edge[0][1][l] * edge[2][1][l] + edge[0][2][l] * edge[2][2][l];
            let det = metric.edge_sq[0][l] * metric.edge_sq[2][l] - mixed * mixed;
            metric.mixed[l] = -mixed;
            metric.per_det[l] = if det > 0.0 { 1.0 / det } else { 0.0 };
        }
        metric
    }
}

/// The shortest connection found so far.
struct Shortest<S: Simd> {
    length_sq: S::F,
    vector: Vector<S>,
}

impl<S: Simd> Shortest<S> {
    #[inline(always)]
    fn consider(&mut self, s: S, vector: &Vector<S>, allowed: u16) {
        let length_sq = dot(s, vector, vector);
        let better = allowed & s.gt(self.length_sq, length_sq);
        self.length_sq = s.select(better, length_sq, self.length_sq);
        self.vector = three!(|C| s.select(better, vector[C], self.vector[C]));
    }
}

#[inline(always)]
fn clamp01<S: Simd>(s: S, x: S::F) -> S::F {
    s.min(s.max(x, s.splat(0.0)), s.splat(1.0))
}

/// `x + k·y`.
#[inline(always)]
fn add_scaled<S: Simd>(_: S, x: &Vector<S>, y: &Vector<S>, k: S::F) -> Vector<S> {
    [x[0] + y[0] * k, x[1] + y[1] * k, x[2] + y[2] * k]
}

/// `x − k·y`.
#[inline(always)]
fn sub_scaled<S: Simd>(_: S, x: &Vector<S>, y: &Vector<S>, k: S::F) -> Vector<S> {
    [x[0] - y[0] * k, x[1] - y[1] * k, x[2] - y[2] * k]
}

/// From edge `ea` to edge `eb`, whose starts `w` joins. Whatever is lost to rounding in the two
/// parameters, both stay in [0, 1].
#[inline(always)]
fn between_edges<S: Simd>(
    s: S,
    w: &Vector<S>,
    (ea, ea_sq, per_ea_sq): (&Vector<S>, S::F, S::F),
    (eb, eb_sq, per_eb_sq): (&Vector<S>, S::F, S::F),
) -> Vector<S> {
    let (b, c, f) = (dot(s, ea, eb), dot(s, ea, w), dot(s, eb, w));
    let det = s.max(ea_sq * eb_sq - b * b, s.splat(f32::MIN_POSITIVE));
    let along_a = clamp01(s, s.div(c * eb_sq - b * f, det));
    let along_b = clamp01(s, (b * along_a - f) * per_eb_sq);
    let along_a = clamp01(s, (b * along_b + c) * per_ea_sq);
    sub_scaled(s, &add_scaled(s, w, eb, along_b), ea, along_a)
}

/// From the face with edges `e0` and `-e2` at the start of `w` to the end of `w`, and the lanes in which
/// the foot lies in the face.
#[inline(always)]
fn from_face<S: Simd>(
    s: S,
    w: &Vector<S>,
    (e0, e2): (&Vector<S>, &Vector<S>),
    (e0_sq, e2_sq, mixed, per_det): (S::F, S::F, S::F, S::F),
) -> (Vector<S>, u16) {
    let zero = s.splat(0.0);
    let (along_0, along_2) = (dot(s, w, e0), zero - dot(s, w, e2));
    let x = (e2_sq * along_0 - mixed * along_2) * per_det;
    let y = (e0_sq * along_2 - mixed * along_0) * per_det;
    // NaN fails every comparison, so it is never inside.
    let inside = s.gt(x, zero) & s.gt(y, zero) & s.gt(s.splat(1.0), x + y);
    (add_scaled(s, &sub_scaled(s, w, e0, x), e2, y), inside)
}

/// The distances of all pairs; nothing where the leaves are too different in size for `f32`.
#[inline(always)]
pub(super) fn brackets<S: Simd>(s: S, a: &Leaf, b: &Leaf, frames: &Frames, limit: f32) -> Option<Brackets> {
    let leaves = Leaves::new(a, b, frames)?;
    let Leaves { a, b, offset: d, size, error, .. } = &leaves;
    let (metric_a, metric_b) = (Metric::new(&a.edge), Metric::new(&b.edge));
    let a_corner = three!(|K| simd::spread(s, &a.corner[K]));
    let b_corner = three!(|K| {
        let x = simd::tile(s, &b.corner[K]);
        three!(|C| x[C] + s.splat(d[C]))
    });
    let a_edge = three!(|K| simd::spread(s, &a.edge[K]));
    let b_edge = three!(|K| simd::tile(s, &b.edge[K]));
    let a_sq = simd::spread(s, &metric_a.edge_sq);
    let b_sq = simd::tile(s, &metric_b.edge_sq);
    let per_a_sq = simd::spread(s, &metric_a.per_edge_sq);
    let per_b_sq = simd::tile(s, &metric_b.per_edge_sq);
    let mut best = Shortest::<S> { length_sq: s.splat(f32::INFINITY), vector: [s.splat(0.0); 3] };
    for i in 0..3 {
        for k in 0..3 {
            let w = minus(s, &b_corner[k], &a_corner[i]);
            let of_a = (&a_edge[i], a_sq[i], per_a_sq[i]);
            let v = between_edges(s, &w, of_a, (&b_edge[k], b_sq[k], per_b_sq[k]));
            best.consider(s, &v, u16::MAX);
        }
    }
    let face_a = (a_sq[0], a_sq[2], s.spread(&metric_a.mixed), s.spread(&metric_a.per_det));
    let face_b = (b_sq[0], b_sq[2], s.tile(&metric_b.mixed), s.tile(&metric_b.per_det));
    let zero = s.splat(0.0);
    for k in 0..3 {
        let w = minus(s, &b_corner[k], &a_corner[0]);
        let (v, inside) = from_face(s, &w, (&a_edge[0], &a_edge[2]), face_a);
        best.consider(s, &v, inside);
        let w = minus(s, &a_corner[k], &b_corner[0]);
        let (v, inside) = from_face(s, &w, (&b_edge[0], &b_edge[2]), face_b);
        best.consider(s, &three!(|C| zero - v[C]), inside);
    }

    let v = &best.vector;
    let on_a = three!(|K| dot(s, v, &a_corner[K]));
    let on_b = three!(|K| dot(s, v, &b_corner[K]));
    let high_a = s.max(s.max(on_a[0], on_a[1]), on_a[2]);
    let low_b = s.min(s.min(on_b[0], on_b[1]), on_b[2]);
    let length = s.sqrt(best.length_sq);
    let slack = s.splat(64.0 * U * size + 4.0 * error);
    // 0/0 gives NaN, which `max` turns into its second operand.
    let at_least = s.max(s.div(low_b - high_a, length) - slack, zero);
    let close = !s.gt(at_least, s.splat(limit));
    Some(Brackets { close, at_least: s.store(at_least), at_most: s.store(length + slack) })
}
