//! Sixteen triangle pairs at a step: a bracket on each distance.
//!
//! Leaves hand over the few pairs whose boxes, in a frame along the closest direction known, are near
//! enough; pairs of many leaves share a step. Fifteen candidates, nine pairs of edges and six of a vertex
//! and a face (Ericson, *Real-Time Collision Detection*, 2005), give the shortest connection found. Both
//! ends of the bracket hold however badly conditioned that search was: every candidate joins a point of
//! one triangle to a point of the other, so its length bounds the distance from above; and the triangles'
//! extents along its direction bound it from below.
//!
//! # Error bound
//! In the notation of `leaf.rs`, placed vertices err by at most `11uS + E` a coordinate. A point of a
//! triangle is a vertex plus at most two multiples, within [0, 1], of edges, which adds at most `4uS`; so a
//! connection errs by `2√3·(15uS + E)` in length and, rounding included, by less than `64uS + 4E`. A
//! support value along a unit direction errs by `√3·(11uS + E) + 5uS`, twice, which is less again. The clearances
//! of boxes along three axes err by as much each, so their vector by less than `128uS + 8E`.

use super::bits;
use super::leaf::{LeafPair, Leaves, U, Vectors};
use crate::simd::{Kernel, Simd, Supported, Vector, dot, minus, rotate, three};
use crate::tree::packed::Frames;
use crate::tree::walk::Candidate;
use glam::DVec3;

/// Triangle pairs waiting to be measured together, each in units of its A leaf.
pub(super) struct Batch {
    len: usize,
    /// `a[k][c][l]`: coordinate `c` of vertex `k` of A's triangle in lane `l`.
    a: [[[f32; 16]; 3]; 3],
    b: [[[f32; 16]; 3]; 3],
    slack: [f32; 16],
    unit: [f64; 16],
    triangles: [(u32, u32); 16],
    /// Rows of a frame whose first axis is the direction in which the bodies are closest, as far as known.
    frame: [[f32; 3]; 3],
    /// Pairs of the leaves compared last: kept here so that no comparison clears it.
    close: Close,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            len: 0,
            a: [[[0.0; 16]; 3]; 3],
            b: [[[0.0; 16]; 3]; 3],
            slack: [0.0; 16],
            unit: [1.0; 16],
            triangles: [(0, 0); 16],
            frame: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            close: Close { lanes: 0, slack: 0.0, b: [[[0.0; 4]; 3]; 3] },
        }
    }
}

/// The packed comparison does not fit these leaves.
pub(super) struct OutOfRange;

impl Batch {
    /// Turn the frame so that its first axis points along `direction`.
    pub(super) fn face(&mut self, direction: DVec3) {
        if let Some(x) = direction.try_normalize() {
            let (y, z) = x.any_orthonormal_pair();
            self.frame = [x, y, z].map(|axis| axis.to_array().map(|c| c as f32));
        }
    }

    /// Adds the pairs of two leaves that may be closer than `limit`, and evaluates the batch whenever it is full.
    /// `found` receives each bracket and its segment of nearest points, and returns the new limit.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        simd: Supported,
        leaves: &LeafPair<'_>,
        frames: &Frames,
        limit: f64,
        found: &mut impl FnMut(&Candidate, DVec3) -> f64,
    ) -> Result<(), OutOfRange> {
        simd.call(&Compare { frames, frame: &self.frame }, leaves, limit, &mut self.close)?;
        let Close { lanes, slack, .. } = self.close;
        let (unit, a) = (leaves.a.unit(), &leaves.a.vertex);
        for lane in bits(lanes) {
            let (i, j, l) = (lane / 4, lane % 4, self.len);
            for k in 0..3 {
                for c in 0..3 {
                    self.a[k][c][l] = a[k][c][i];
                    self.b[k][c][l] = self.close.b[k][c][j];
                }
            }
            self.slack[l] = slack;
            self.unit[l] = unit;
            self.triangles[l] = leaves.triangles(lane);
            self.len += 1;
            if self.len == 16 {
                self.measure(simd, found);
            }
        }
        Ok(())
    }

    /// Measure what is waiting.
    #[inline(always)]
    pub(super) fn measure(&mut self, simd: Supported, found: &mut impl FnMut(&Candidate, DVec3) -> f64) {
        if self.len == 0 {
            return;
        }
        let brackets = simd.call(&Measure, self, (), ());
        let (mut closest, mut limit) = (None, f64::INFINITY);
        for l in 0..self.len {
            let (a, b) = self.triangles[l];
            let [at_least, at_most] =
                [brackets.at_least[l], brackets.at_most[l]].map(|x| f64::from(x) * self.unit[l]);
            if at_least <= limit {
                let vector = DVec3::from_array(brackets.vector.map(|v| f64::from(v[l])));
                let before = limit;
                limit = found(&Candidate { at_least, at_most, a, b }, vector);
                if limit < before && at_most <= limit {
                    closest = Some(vector);
                }
            }
        }
        self.len = 0;
        if let Some(direction) = closest {
            self.face(direction);
        }
    }
}

/// The pairs of two leaves that are near enough to be measured.
struct Close {
    lanes: u16,
    /// Error of a length.
    slack: f32,
    /// Vertices of B's triangles, in units of A's leaf.
    b: Vectors,
}

/// The comparison of two leaves with a limit, in a frame.
struct Compare<'t> {
    frames: &'t Frames,
    frame: &'t [[f32; 3]; 3],
}

impl Kernel<&LeafPair<'_>, f64, &mut Close> for Compare<'_> {
    type Output = Result<(), OutOfRange>;

    #[inline(always)]
    fn run<S: Simd>(&self, s: S, leaves: &LeafPair<'_>, limit: f64, close: &mut Close) -> Self::Output {
        let placed = Leaves::new(s, leaves, self.frames).ok_or(OutOfRange)?;
        let slack = 64.0 * U * placed.size + 4.0 * placed.error;
        let in_units = (limit / leaves.a.unit() * (1.0 + 1e-6)) as f32 + 2.0 * slack;
        close.b = three!(|K| shifted(&placed.b[K], &placed.offset));
        close.slack = slack;
        close.lanes = leaves.valid & close_boxes(s, self.frame, placed.a, &close.b, in_units);
        Ok(())
    }
}

/// The brackets of a batch.
struct Measure;

impl Kernel<&Batch, (), ()> for Measure {
    type Output = Brackets;

    #[inline(always)]
    fn run<S: Simd>(&self, s: S, batch: &Batch, (): (), (): ()) -> Brackets {
        brackets(s, batch)
    }
}

#[inline(always)]
fn shifted(vertex: &[[f32; 4]; 3], by: &[f32; 3]) -> [[f32; 4]; 3] {
    let mut out = *vertex;
    for c in 0..3 {
        for l in 0..4 {
            out[c][l] += by[c];
        }
    }
    out
}

/// The smallest and largest coordinate of four triangles along each axis of a frame.
#[inline(always)]
fn extents<S: Simd>(
    s: S,
    frame: &[[f32; 3]; 3],
    vertex: &[[[f32; 4]; 3]; 3],
) -> ([[f32; 4]; 3], [[f32; 4]; 3]) {
    let turned = three!(|K| rotate(s, frame, &vertex[K]));
    let (mut low, mut high) = (turned[0], turned[0]);
    for k in 1..3 {
        for c in 0..3 {
            for l in 0..4 {
                let x = turned[k][c][l];
                low[c][l] = if x < low[c][l] { x } else { low[c][l] };
                high[c][l] = if x > high[c][l] { x } else { high[c][l] };
            }
        }
    }
    (low, high)
}

/// Returns the lanes whose boxes in the frame have a distance of at most `limit`.
#[inline(always)]
fn close_boxes<S: Simd>(
    s: S,
    frame: &[[f32; 3]; 3],
    a: &[[[f32; 4]; 3]; 3],
    b: &[[[f32; 4]; 3]; 3],
    limit: f32,
) -> u16 {
    let (low_a, high_a) = extents(s, frame, a);
    let (low_b, high_b) = extents(s, frame, b);
    let clearance = three!(|C| {
        let right = s.tile(&low_b[C]) - s.spread(&high_a[C]);
        let left = s.spread(&low_a[C]) - s.tile(&high_b[C]);
        s.max(s.max(right, left), s.splat(0.0))
    });
    !s.gt(dot(s, &clearance, &clearance), s.splat(limit * limit * (1.0 + 1e-6)))
}

/// Brackets in the units of each lane, and the connections they were found with.
struct Brackets {
    at_least: [f32; 16],
    at_most: [f32; 16],
    vector: [[f32; 16]; 3],
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
fn add_scaled<S: Simd>(s: S, x: &Vector<S>, y: &Vector<S>, k: S::F) -> Vector<S> {
    three!(|C| s.mul_add(y[C], k, x[C]))
}

/// `x − k·y`.
#[inline(always)]
fn sub_scaled<S: Simd>(s: S, x: &Vector<S>, y: &Vector<S>, k: S::F) -> Vector<S> {
    three!(|C| s.sub_mul(x[C], y[C], k))
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
    let det = s.max(s.sub_mul(ea_sq * eb_sq, b, b), s.splat(f32::MIN_POSITIVE));
    let along_a = clamp01(s, s.div(s.sub_mul(c * eb_sq, b, f), det));
    let along_b = clamp01(s, s.mul_add(b, along_a, s.splat(0.0) - f) * per_eb_sq);
    let along_a = clamp01(s, s.mul_add(b, along_b, c) * per_ea_sq);
    sub_scaled(s, &add_scaled(s, w, eb, along_b), ea, along_a)
}

/// From a face, whose vertex 0 is the start of `w`, to the end of `w`, and the lanes in which the foot lies
/// in the face.
#[inline(always)]
fn from_face<S: Simd>(s: S, w: &Vector<S>, face: &Face<S>) -> (Vector<S>, u16) {
    let zero = s.splat(0.0);
    let Face { edge: [e0, _, e2], edge_sq, mixed, per_det, .. } = face;
    let (along_0, along_2) = (dot(s, w, e0), zero - dot(s, w, e2));
    let x = s.sub_mul(edge_sq[2] * along_0, *mixed, along_2) * *per_det;
    let y = s.sub_mul(edge_sq[0] * along_2, *mixed, along_0) * *per_det;
    // NaN fails every comparison, so it is never inside.
    let inside = s.gt(x, zero) & s.gt(y, zero) & s.gt(s.splat(1.0), x + y);
    (add_scaled(s, &sub_scaled(s, w, e0, x), e2, y), inside)
}

/// Data of a triangle for the vertex–face candidates, besides its edges.
struct Face<S: Simd> {
    edge: [Vector<S>; 3],
    edge_sq: [S::F; 3],
    per_edge_sq: [S::F; 3],
    /// Product of the two edges that leave vertex 0.
    mixed: S::F,
    per_det: S::F,
}

impl<S: Simd> Face<S> {
    #[inline(always)]
    fn new(s: S, vertex: &[Vector<S>; 3]) -> Self {
        // Zero lengths are replaced, not divided by: any finite parameter is as good as another then.
        let least = s.splat(f32::MIN_POSITIVE);
        let edge = three!(|K| minus(s, &vertex[(K + 1) % 3], &vertex[K]));
        let edge_sq = three!(|K| dot(s, &edge[K], &edge[K]));
        let mixed = s.splat(0.0) - dot(s, &edge[0], &edge[2]);
        let det = s.max(s.sub_mul(edge_sq[0] * edge_sq[2], mixed, mixed), least);
        Self {
            per_edge_sq: three!(|K| s.div(s.splat(1.0), s.max(edge_sq[K], least))),
            per_det: s.div(s.splat(1.0), det),
            edge,
            edge_sq,
            mixed,
        }
    }
}

/// The distances of all pairs of a batch.
#[inline(always)]
fn brackets<S: Simd>(s: S, batch: &Batch) -> Brackets {
    let a_vertex = three!(|K| three!(|C| s.load(&batch.a[K][C])));
    let b_vertex = three!(|K| three!(|C| s.load(&batch.b[K][C])));
    let (a, b) = (Face::new(s, &a_vertex), Face::new(s, &b_vertex));
    let mut best = Shortest::<S> { length_sq: s.splat(f32::INFINITY), vector: [s.splat(0.0); 3] };
    for i in 0..3 {
        for k in 0..3 {
            let w = minus(s, &b_vertex[k], &a_vertex[i]);
            let of_a = (&a.edge[i], a.edge_sq[i], a.per_edge_sq[i]);
            let of_b = (&b.edge[k], b.edge_sq[k], b.per_edge_sq[k]);
            best.consider(s, &between_edges(s, &w, of_a, of_b), u16::MAX);
        }
    }
    let zero = s.splat(0.0);
    for k in 0..3 {
        let (v, inside) = from_face(s, &minus(s, &b_vertex[k], &a_vertex[0]), &a);
        best.consider(s, &v, inside);
        let (v, inside) = from_face(s, &minus(s, &a_vertex[k], &b_vertex[0]), &b);
        best.consider(s, &three!(|C| zero - v[C]), inside);
    }

    let v = &best.vector;
    let on_a = three!(|K| dot(s, v, &a_vertex[K]));
    let on_b = three!(|K| dot(s, v, &b_vertex[K]));
    let high_a = s.max(s.max(on_a[0], on_a[1]), on_a[2]);
    let low_b = s.min(s.min(on_b[0], on_b[1]), on_b[2]);
    let length = s.sqrt(best.length_sq);
    let slack = s.load(&batch.slack);
    // 0/0 gives NaN, which `max` turns into its second operand.
    let at_least = s.max(s.div(low_b - high_a, length) - slack, zero);
    Brackets {
        at_least: s.store(at_least),
        at_most: s.store(length + slack),
        vector: three!(|C| s.store(v[C])),
    }
}
