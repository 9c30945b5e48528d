//! The point of a small simplex that is nearest to the origin (after Ericson 2005).

use super::bodies::{Bodies, Vertex};
use glam::DVec3;

/// The faces of a tetrahedron.
const FACES: [[usize; 3]; 4] = [[0, 1, 3], [1, 2, 3], [0, 2, 3], [0, 1, 2]];

/// A volume in units of the cube of the largest coordinate, far above the rounding of [`Simplex::volumes`].
const SMALL: f64 = 1e-10;

/// Up to four points of `B − A`, the newest last, and weights of the nearest mixture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Simplex {
    pub(crate) vertices: [Vertex; 4],
    pub(crate) weights: [f64; 4],
    pub(crate) count: usize,
}

/// Some vertices of a simplex, in order, with the weights of the nearest mixture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    which: [usize; 3],
    weights: [f64; 3],
    count: usize,
    pub(crate) nearest: Nearest,
}

/// The nearest point and the direction to it, which may be known better than the point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nearest {
    pub(crate) v: DVec3,
    pub(crate) direction: DVec3,
}

impl Simplex {
    pub(crate) fn new(vertex: Vertex) -> Self {
        let mut simplex = Self::default();
        simplex.restart(vertex);
        simplex
    }

    /// Become one point.
    #[inline]
    pub(crate) fn restart(&mut self, vertex: Vertex) {
        (self.vertices[0], self.weights[0], self.count) = (vertex, 1.0, 1);
    }

    /// The same points of the bodies where these are now.
    #[inline]
    pub(crate) fn follow(&mut self, bodies: &Bodies<'_>) {
        for vertex in &mut self.vertices[..self.count] {
            vertex.w = bodies.difference(vertex.a, vertex.b);
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    pub(crate) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    /// The mixture of some values of the vertices.
    pub(crate) fn mix(&self, value: impl Fn(&Vertex) -> DVec3) -> DVec3 {
        let parts = self.vertices().iter().zip(self.weights).map(|(vertex, weight)| value(vertex) * weight);
        parts.fold(DVec3::ZERO, |sum, part| sum + part)
    }

    /// Some point of A within a simplex that holds the origin: rounded, and all the same to everyone.
    pub(crate) fn middle(&self) -> DVec3 {
        let sum: DVec3 = self.vertices().iter().map(|vertex| vertex.a).sum();
        sum / self.count as f64
    }

    /// Returns `true` if the simplex already contains a vertex from the same points.
    #[inline]
    pub(crate) fn holds(&self, vertex: &Vertex) -> bool {
        self.vertices().iter().any(|v| v.same_as(vertex))
    }

    /// Keeps the vertices that the nearest point is a mixture of; none where the simplex holds the origin.
    #[inline(always)]
    pub(crate) fn reduce(&mut self) -> Option<Nearest> {
        let part = self.nearest()?;
        self.keep(&part);
        Some(part.nearest)
    }

    /// The part of the simplex that the nearest point is a mixture of; none where the simplex holds the origin.
    #[inline(always)]
    pub(crate) fn nearest(&self) -> Option<Part> {
        match self.count {
            1 => Some(self.part([0], [1.0])),
            2 => Some(self.segment([0, 1])),
            3 => Some(self.triangle([0, 1, 2])),
            _ => self.tetrahedron(),
        }
    }

    /// Keeps a part only.
    #[inline(always)]
    pub(crate) fn keep(&mut self, part: &Part) {
        // Numbers rise, so nothing is overwritten before it is moved.
        for k in 0..part.count {
            if part.which[k] != k {
                self.vertices[k] = self.vertices[part.which[k]];
            }
            self.weights[k] = part.weights[k];
        }
        self.count = part.count;
    }

    #[inline(always)]
    fn w(&self, i: usize) -> DVec3 {
        self.vertices[i].w
    }

    #[inline(always)]
    fn part<const N: usize>(&self, which: [usize; N], weights: [f64; N]) -> Part {
        let mut part = Part { which: [0; 3], weights: [0.0; 3], count: N, nearest: Nearest::default() };
        let mut v = DVec3::ZERO;
        for k in 0..N {
            (part.which[k], part.weights[k]) = (which[k], weights[k]);
            v += self.w(which[k]) * weights[k];
        }
        part.nearest = Nearest { v, direction: v };
        part
    }

    #[inline(always)]
    fn edge(&self, i: usize, j: usize, share: f64) -> Part {
        let mut part = self.part([i, j], [1.0 - share, share]);
        // Square to the edge: rounding of a short `v` would tilt it along all of the edge.
        let (p, q) = (self.w(i), self.w(j));
        let (e, shorter) = (q - p, if p.length_squared() < q.length_squared() { p } else { q });
        // As long as `v`: the cube of a length would leave the range of numbers long before a length does.
        part.nearest.direction = e.cross(shorter.cross(e)) * e.length_squared().recip();
        part
    }

    #[inline(always)]
    fn segment(&self, [i, j]: [usize; 2]) -> Part {
        let (p, e) = (self.w(i), self.w(j) - self.w(i));
        let (along, length_sq) = (-p.dot(e), e.length_squared());
        if along <= 0.0 || along.is_nan() {
            self.part([i], [1.0])
        } else if along >= length_sq {
            self.part([j], [1.0])
        } else {
            self.edge(i, j, along / length_sq)
        }
    }

    #[inline(always)]
    fn triangle(&self, [i, j, k]: [usize; 3]) -> Part {
        let (a, b, c) = (self.w(i), self.w(j), self.w(k));
        let (ab, ac) = (b - a, c - a);
        // By Lagrange's identity these are differences of products of dots, but with one cancellation less.
        let n = ab.cross(ac);
        let (va, vb, vc) = (n.dot(b.cross(c)), n.dot(c.cross(a)), n.dot(a.cross(b)));
        if va > 0.0 && vb > 0.0 && vc > 0.0 {
            return self.inside([i, j, k], [va, vb, vc], n);
        }
        // Beyond an edge; beyond two of them near a vertex.
        let mut best = self.part([k], [1.0]);
        for (beyond, edge) in [(vb, [i, k]), (va, [j, k]), (vc, [i, j])] {
            if beyond <= 0.0 {
                let part = self.segment(edge);
                if part.nearest.v.length_squared() < best.nearest.v.length_squared() {
                    best = part;
                }
            }
        }
        best
    }

    /// The nearest point lies within the triangle, at these weights up to a factor.
    #[inline(always)]
    fn inside(&self, [i, j, k]: [usize; 3], [va, vb, vc]: [f64; 3], n: DVec3) -> Part {
        let (a, ab, ac) = (self.w(i), self.w(j) - self.w(i), self.w(k) - self.w(i));
        let per_total = (va + vb + vc).recip();
        let (y, z) = (vb * per_total, vc * per_total);
        let mut part = self.part([i, j, k], [1.0 - y - z, y, z]);
        let height = n.dot(a);
        // Rounding turns the point by about `u·M/|v|` and the normal by `u·M·|e|/|n|` with an edge `e`: take the better.
        let edge_sq = ab.length_squared().max(ac.length_squared());
        if height != 0.0 && n.length_squared() > part.nearest.v.length_squared() * edge_sq {
            part.nearest.direction = if height > 0.0 { n } else { -n };
        } else {
            // Where a round body meets an edge, two vertices are close together; tilts along the edge are what costs.
            let longer = if ab.length_squared() > ac.length_squared() { ab } else { ac };
            part.nearest.direction = square_to(part.nearest.v, longer);
        }
        part
    }

    #[inline(always)]
    fn tetrahedron(&self) -> Option<Part> {
        let mut best: Option<(f64, Part)> = None;
        for (is_beyond, face) in self.beyond().into_iter().zip(FACES) {
            if is_beyond {
                let part = self.triangle(face);
                let distance_sq = part.nearest.v.length_squared();
                if best.as_ref().is_none_or(|b| distance_sq < b.0) {
                    best = Some((distance_sq, part));
                }
            }
        }
        Some(best?.1)
    }

    /// Returns `true` for each of [`FACES`] that has the origin beyond it; all `true` if the tetrahedron is flat.
    #[inline(always)]
    fn beyond(&self) -> [bool; 4] {
        let volumes = self.volumes();
        let whole: f64 = volumes.iter().sum();
        let size = self.largest_coordinate();
        if whole.abs() > SMALL * size * size * size {
            volumes.map(|volume| volume * whole < 0.0)
        } else {
            self.beyond_small()
        }
    }

    /// The same from differences of vertices: on round bodies these crowd together, far from the origin.
    #[cold]
    fn beyond_small(&self) -> [bool; 4] {
        FACES.map(|face| {
            let [p, q, r] = face.map(|i| self.w(i));
            let opposite = self.w(6 - face.iter().sum::<usize>());
            let n = (q - p).cross(r - p);
            let (inner, origin) = (n.dot(opposite - p), -n.dot(p));
            inner * origin < 0.0 || inner == 0.0
        })
    }

    #[inline(always)]
    fn largest_coordinate(&self) -> f64 {
        self.vertices().iter().fold(DVec3::ZERO, |most, vertex| most.max(vertex.w.abs())).max_element()
    }

    /// Six times the volumes between the origin and each of [`FACES`], all of one sign where the tetrahedron holds the origin.
    #[inline(always)]
    fn volumes(&self) -> [f64; 4] {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| self.w(i));
        let (ab, cd) = (a.cross(b), c.cross(d));
        [-d.dot(ab), -b.dot(cd), a.dot(cd), c.dot(ab)]
    }

    /// Returns `true` if a tetrahedron certainly contains the origin, for vertices known to `error` in each
    /// coordinate.
    ///
    /// Each determinant of three vertices errs by at most `18M²·error` for coordinates up to `M`, and by
    /// `31u·M³` in its evaluation.
    #[inline(always)]
    pub(crate) fn surely_holds_origin(&self, error: f64) -> bool {
        if self.count < 4 {
            return false;
        }
        let m = self.largest_coordinate() + error;
        let bound = 18.001 * m * m * error + 32.0 * noli_geom::UNIT_ROUNDOFF * m * m * m;
        let volumes = self.volumes();
        bound > 0.0 && (volumes.iter().all(|&x| x > bound) || volumes.iter().all(|&x| x < -bound))
    }
}

/// Returns the component of `v` perpendicular to `e`.
fn square_to(v: DVec3, e: DVec3) -> DVec3 {
    v - e * (v.dot(e) / e.length_squared())
}
