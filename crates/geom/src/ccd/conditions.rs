//! Contact conditions of four moving points, as signs of forms in `(x, y) = (1 − t, t)`.
//!
//! The points are coplanar when the cubic `volume` vanishes (Provot 1997). Where `normal` does not vanish,
//! they then touch if no `part` has the opposite sign in a component in which `normal` has one. Where it
//! vanishes, features are parallel or degenerate and touch when a point lies on a segment.
//!
//! Written once for integers and for `f64`, which carries no error bound here: see `filter`.

use super::FeatureKind;
use crate::number::ring::Ring;
use std::array::from_fn;

/// `a[0]·x + a[1]·y`.
pub(super) type Linear<R> = [R; 2];
/// `a[0]·x² + a[1]·xy + a[2]·y²`.
pub(super) type Quadratic<R> = [R; 3];
/// `a[0]·x³ + …`.
pub(super) type Cubic<R> = [R; 4];
/// A vector that runs from one value to another.
pub(super) type Vector<R> = [Linear<R>; 3];

/// Four moving points, seen from the first.
pub(super) struct Conditions<R> {
    kind: FeatureKind,
    /// Vertex and face: from the vertex to the three vertices. Edges: `p1 − p0`, `p3 − p2`, `p2 − p0`.
    pub(super) vectors: [Vector<R>; 3],
}

impl<R: Ring> Conditions<R> {
    #[inline(always)]
    pub(super) fn new(kind: FeatureKind, start: &[[R; 3]; 4], end: &[[R; 3]; 4]) -> Self {
        let vector = |to: usize, from: usize| -> Vector<R> {
            from_fn(|k| [start[to][k].minus(&start[from][k]), end[to][k].minus(&end[from][k])])
        };
        let vectors = match kind {
            FeatureKind::VertexFace => [vector(1, 0), vector(2, 0), vector(3, 0)],
            FeatureKind::EdgeEdge => [vector(1, 0), vector(3, 2), vector(2, 0)],
        };
        Self { kind, vectors }
    }

    /// The volume spanned by the three vectors.
    #[inline(always)]
    pub(super) fn volume(&self) -> Cubic<R> {
        let [a, b, c] = &self.vectors;
        let terms: [Cubic<R>; 3] = from_fn(|k| times_linear(&cross(a, b, k), &c[k]));
        let [p, q, r] = &terms;
        from_fn(|k| p[k].plus(&q[k]).plus(&r[k]))
    }

    /// Component `k` of the normal of the plane and of the parts.
    #[inline(always)]
    pub(super) fn sides(&self, k: usize) -> (Quadratic<R>, [Quadratic<R>; 4]) {
        let [a, b, c] = &self.vectors;
        match self.kind {
            FeatureKind::VertexFace => {
                let parts = [cross(a, b, k), cross(b, c, k), cross(c, a, k)];
                let normal = from_fn(|i| parts[0][i].plus(&parts[1][i]).plus(&parts[2][i]));
                let [p, q, r] = parts;
                (normal, [p, q, r.clone(), r])
            }
            // With `c = u·a − w·b`: u and w are `c × b` and `c × a` over the normal.
            FeatureKind::EdgeEdge => {
                let normal = cross(a, b, k);
                let (u, w) = (cross(c, b, k), cross(c, a, k));
                let rest = |part: &Quadratic<R>| from_fn(|i| normal[i].minus(&part[i]));
                let (not_u, not_w) = (rest(&u), rest(&w));
                (normal, [u, w, not_u, not_w])
            }
        }
    }

    /// Returns pairs of vectors from a point to the ends of a segment. They cover every contact of parallel or
    /// degenerate features.
    pub(super) fn spokes(&self) -> Vec<[Vector<R>; 2]> {
        let [a, b, c] = &self.vectors;
        let minus = |p: &Vector<R>, q: &Vector<R>| -> Vector<R> {
            from_fn(|k| [p[k][0].minus(&q[k][0]), p[k][1].minus(&q[k][1])])
        };
        let plus = |p: &Vector<R>, q: &Vector<R>| -> Vector<R> {
            from_fn(|k| [p[k][0].plus(&q[k][0]), p[k][1].plus(&q[k][1])])
        };
        match self.kind {
            FeatureKind::VertexFace => {
                vec![[a.clone(), b.clone()], [b.clone(), c.clone()], [c.clone(), a.clone()]]
            }
            FeatureKind::EdgeEdge => {
                // From p0: to p2 is c, to p3 is c + b. From p2 the other way round.
                let (to_p3, p1_to_p2) = (plus(c, b), minus(c, a));
                let p1_to_p3 = plus(&p1_to_p2, b);
                vec![
                    [c.clone(), to_p3.clone()],
                    [p1_to_p2.clone(), p1_to_p3.clone()],
                    [c.clone(), p1_to_p2],
                    [to_p3, p1_to_p3],
                ]
            }
        }
    }
}

/// Component `k` of `a × b`.
#[inline(always)]
pub(super) fn cross<R: Ring>(a: &Vector<R>, b: &Vector<R>, k: usize) -> Quadratic<R> {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let (p, q) = (product(&a[i], &b[j]), product(&a[j], &b[i]));
    from_fn(|n| p[n].minus(&q[n]))
}

pub(super) fn dot<R: Ring>(a: &Vector<R>, b: &Vector<R>) -> Quadratic<R> {
    let [p, q, r]: [Quadratic<R>; 3] = from_fn(|k| product(&a[k], &b[k]));
    from_fn(|n| p[n].plus(&q[n]).plus(&r[n]))
}

#[inline(always)]
fn product<R: Ring>(a: &Linear<R>, b: &Linear<R>) -> Quadratic<R> {
    [a[0].times(&b[0]), a[0].times(&b[1]).plus(&a[1].times(&b[0])), a[1].times(&b[1])]
}

#[inline(always)]
fn times_linear<R: Ring>(a: &Quadratic<R>, b: &Linear<R>) -> Cubic<R> {
    [
        a[0].times(&b[0]),
        a[0].times(&b[1]).plus(&a[1].times(&b[0])),
        a[1].times(&b[1]).plus(&a[2].times(&b[0])),
        a[2].times(&b[1]),
    ]
}
