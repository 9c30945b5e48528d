//! Nearest points of two triangles by enumeration of features, in any precision.

use crate::number::double_double::DoubleDouble;
use crate::number::real::Real;
use crate::number::ring::{cross, dot, minus};

/// The nearest points found, as weights of the vertices.
pub(crate) struct Nearest<T> {
    weights: [T; 6],
    distance_sq: T,
    /// Bound on the error of both witnesses together, in roundoffs of the largest coordinate: a weighted
    /// sum with non-negative weights whose sum is 1 within `2U` for a face and `U` for an edge errs, with
    /// its products and sums, by 5 (face), 3 (edge) or 0 (vertex).
    pub(crate) roundings: f64,
    /// Two edges whose cross product is the direction across both features, where they fix one
    /// better than the points do.
    across: Option<[[usize; 2]; 2]>,
}

impl<T: Real> Nearest<T> {
    /// The points on A and on B.
    pub(crate) fn witnesses(&self, points: &[[T; 3]; 6]) -> ([T; 3], [T; 3]) {
        let combine = |i: usize| {
            let w = &self.weights[i..i + 3];
            let p = &points[i..i + 3];
            let sum = |k: usize| w[0] * p[0][k] + w[1] * p[1][k] + w[2] * p[2][k];
            [sum(0), sum(1), sum(2)]
        };
        (combine(0), combine(3))
    }

    /// At the places `s`, `t` of the edges that start at two vertices.
    fn on_edges(distance_sq: T, (i, j): (usize, usize), (s, t): (T, T)) -> Self {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let (i_end, j_end) = ((i + 1) % 3, 3 + (j + 1) % 3);
        let mut weights = [zero; 6];
        (weights[i], weights[i_end]) = (one - s, s);
        (weights[j], weights[j_end]) = (one - t, t);
        let is_inside = |x: T| x > zero && x < one;
        let roundings = 3.0 * f64::from(is_inside(s) as u8 + is_inside(t) as u8);
        let across = (is_inside(s) && is_inside(t)).then_some([[i, i_end], [j, j_end]]);
        Self { weights, distance_sq, roundings, across }
    }

    /// The direction across both features.
    pub(crate) fn normal(&self, points: &[[T; 3]; 6]) -> Option<[T; 3]> {
        let edge = |[i, j]: [usize; 2]| minus(&points[j], &points[i]);
        self.across.map(|[d, e]| cross(&edge(d), &edge(e)))
    }
}

impl Nearest<f64> {
    /// Returns the vertices of A and of B that carry weight.
    pub(crate) fn vertices(&self) -> ([bool; 3], [bool; 3]) {
        let [a, b, c, d, e, f] = self.weights.map(|w| w > 0.0);
        ([a, b, c], [d, e, f])
    }

    /// The same features in finer numbers: in each triangle the largest weight becomes what the others
    /// leave of 1.
    pub(crate) fn refined(&self) -> Nearest<DoubleDouble> {
        let mut weights = self.weights.map(DoubleDouble::from);
        for triple in weights.chunks_mut(3) {
            let k = (0..3).fold(0, |k, i| if triple[i].hi > triple[k].hi { i } else { k });
            triple[k] = DoubleDouble::from(1.0) - triple[(k + 1) % 3] - triple[(k + 2) % 3];
        }
        Nearest { weights, distance_sq: self.distance_sq.into(), roundings: 8.0, across: self.across }
    }
}

/// The nearest of all pairs of edges, and of each face with the other's vertex nearest to its plane.
///
/// If the distance is realised inside a face, it is so by the vertex nearest to that plane, or by an edge
/// from there that leaves the face's prism and passes an edge of the face at the same height.
pub(crate) fn nearest<T: Real>(points: &[[T; 3]; 6]) -> Nearest<T> {
    let edge = |i: usize, j: usize| minus(&points[j], &points[i]);
    let edges = [edge(0, 1), edge(1, 2), edge(2, 0), edge(3, 4), edge(4, 5), edge(5, 3)];
    let zero = T::from_f64(0.0);
    let (mut length_sq, mut inverse_sq) = ([zero; 6], [zero; 6]);
    for k in 0..6 {
        length_sq[k] = dot(&edges[k], &edges[k]);
        inverse_sq[k] = inverse(length_sq[k]);
    }

    let first = edge(0, 3);
    let mut nearest = (dot(&first, &first), (0, 3), (zero, zero));
    for i in 0..3 {
        for j in 3..6 {
            let lines = Lines {
                offset: edge(i, j),
                directions: [&edges[i], &edges[j]],
                length_sq: [length_sq[i], length_sq[j]],
                inverse_sq: [inverse_sq[i], inverse_sq[j]],
            };
            let (s, t) = lines.feet();
            let separated = lines.separated(s, t);
            let distance_sq = dot(&separated, &separated);
            if distance_sq < nearest.0 {
                nearest = (distance_sq, (i, j), (s, t));
            }
        }
    }
    let (distance_sq, edge_pair, feet) = nearest;
    let mut best = Nearest::on_edges(distance_sq, edge_pair, feet);
    for (face, other) in [(0, 3), (3, 0)] {
        Face::new(points, &edges, face).nearest(points, other, &mut best);
    }
    best
}

/// `1/x`, or 0 for a feature without length.
fn inverse<T: Real>(x: T) -> T {
    let zero = T::from_f64(0.0);
    if x > zero { T::from_f64(1.0) / x } else { zero }
}

/// Two edges `s·d` and `offset + t·e` with `s`, `t` in [0, 1].
struct Lines<'a, T> {
    offset: [T; 3],
    directions: [&'a [T; 3]; 2],
    length_sq: [T; 2],
    inverse_sq: [T; 2],
}

impl<T: Real> Lines<'_, T> {
    /// Returns the nearest points of the edges: the feet of the common perpendicular, each clamped and then
    /// projected onto the other edge.
    #[inline]
    fn feet(&self) -> (T, T) {
        let [d, e] = self.directions;
        let [dd, ee] = self.length_sq;
        let (de, d_offset, e_offset) = (dot(d, e), dot(d, &self.offset), dot(e, &self.offset));
        let scale = dd * ee;
        let sine_sq = scale - de * de;
        let along = if sine_sq > scale * T::from_f64(1.0 / 1024.0) {
            (d_offset * ee - e_offset * de) / sine_sq
        } else {
            self.first_foot_if_almost_parallel()
        };
        let t = ((along.clamp_to_unit() * de - e_offset) * self.inverse_sq[1]).clamp_to_unit();
        let s = ((d_offset + t * de) * self.inverse_sq[0]).clamp_to_unit();
        (s, t)
    }

    /// By cross products, where dot products cancel.
    fn first_foot_if_almost_parallel(&self) -> T {
        let [d, e] = self.directions;
        let n = cross(d, e);
        let n_sq = dot(&n, &n);
        if n_sq > T::from_f64(0.0) {
            dot(&cross(&self.offset, e), &n) / n_sq
        } else {
            // Parallel, where any start will do, or without length.
            dot(d, &self.offset) * self.inverse_sq[0]
        }
    }

    #[inline]
    fn separated(&self, s: T, t: T) -> [T; 3] {
        let [d, e] = self.directions;
        T::plus_times(&T::plus_times(&self.offset, t, e), T::from_f64(0.0) - s, d)
    }
}

/// A face `vertex + x·u + y·v` that other vertices are dropped on.
struct Face<T> {
    first: usize,
    u: [T; 3],
    v: [T; 3],
    normal: [T; 3],
    inverse_sq: T,
}

impl<T: Real> Face<T> {
    fn new(points: &[[T; 3]; 6], edges: &[[T; 3]; 6], first: usize) -> Self {
        let (u, v) = (edges[first], minus(&points[first + 2], &points[first]));
        let normal = cross(&u, &v);
        Self { first, u, v, normal, inverse_sq: inverse(dot(&normal, &normal)) }
    }

    /// Improves on `best` by the other triangle's vertex nearest to the plane; where that triangle passes
    /// through the plane, by any vertex and by edges that pierce the face.
    fn nearest(&self, points: &[[T; 3]; 6], other: usize, best: &mut Nearest<T>) {
        let zero = T::from_f64(0.0);
        let offset = |k: usize| minus(&points[other + k], &points[self.first]);
        let offsets = [offset(0), offset(1), offset(2)];
        let height = |k: usize| dot(&self.normal, &offsets[k]);
        let heights = [height(0), height(1), height(2)];
        let above = heights.iter().all(|h| *h > zero);
        if above || heights.iter().all(|h| *h < zero) {
            let nearer = |i: usize, j: usize| if (heights[j] < heights[i]) == above { j } else { i };
            let k = nearer(nearer(0, 1), 2);
            return self.drop(&offsets[k], heights[k], [(other + k, T::from_f64(1.0)); 1], best);
        }
        for k in 0..3 {
            self.drop(&offsets[k], heights[k], [(other + k, T::from_f64(1.0)); 1], best);
            let next = (k + 1) % 3;
            if (heights[k] < zero && heights[next] > zero) || (heights[k] > zero && heights[next] < zero) {
                let s = (heights[k] / (heights[k] - heights[next])).clamp_to_unit();
                let along = minus(&offsets[next], &offsets[k]);
                let weights = [(other + k, T::from_f64(1.0) - s), (other + next, s)];
                self.drop(&T::plus_times(&offsets[k], s, &along), zero, weights, best);
            }
        }
    }

    /// Improves on `best` by the point with these weights, at this offset and height, if its foot is
    /// in the face.
    fn drop<const N: usize>(
        &self,
        offset: &[T; 3],
        height: T,
        point: [(usize, T); N],
        best: &mut Nearest<T>,
    ) {
        let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
        let distance_sq = height * height * self.inverse_sq;
        if !(self.inverse_sq > zero && distance_sq < best.distance_sq) {
            return;
        }
        let x = dot(&cross(offset, &self.v), &self.normal) * self.inverse_sq;
        let y = dot(&cross(&self.u, offset), &self.normal) * self.inverse_sq;
        let rest = one - x - y;
        if x >= zero && y >= zero && rest >= zero {
            let mut weights = [zero; 6];
            weights[self.first..self.first + 3].copy_from_slice(&[rest, x, y]);
            point.iter().for_each(|&(vertex, weight)| weights[vertex] = weight);
            let roundings = if N == 1 { 5.0 } else { 8.0 };
            let across = Some([[self.first, self.first + 1], [self.first, self.first + 2]]);
            *best = Nearest { weights, distance_sq, roundings, across };
        }
    }
}
