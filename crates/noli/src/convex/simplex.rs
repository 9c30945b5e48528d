//! The point of a small simplex that is nearest to the origin (after Ericson 2005).

use glam::DVec3;

/// A point of `B − A` and where it comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Vertex {
    /// B's point less A's, in A's frame.
    pub(crate) w: DVec3,
    /// A's point in A's frame.
    pub(crate) a: DVec3,
    /// B's point in B's frame.
    pub(crate) b: DVec3,
    /// Corner numbers, where the cores are hulls.
    pub(crate) indices: [u32; 2],
}

/// One to four points of `B − A`, the newest last, and weights of the nearest mixture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplex {
    pub(crate) vertices: [Vertex; 4],
    pub(crate) weights: [f64; 4],
    pub(crate) count: usize,
}

/// The nearest point and the direction to it, which may be known better than the point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    pub(crate) v: DVec3,
    pub(crate) direction: DVec3,
}

impl Simplex {
    pub(crate) fn new(vertex: Vertex) -> Self {
        Self { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0], count: 1 }
    }

    #[inline]
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

    /// Whether a vertex is already there, coming from the same points.
    #[inline]
    pub(crate) fn holds(&self, vertex: &Vertex) -> bool {
        self.vertices().iter().any(|v| v.a == vertex.a && v.b == vertex.b)
    }

    /// Keeps the vertices that the nearest point is a mixture of; none where the simplex holds the origin.
    #[inline]
    pub(crate) fn reduce(&mut self) -> Option<Nearest> {
        match self.count {
            1 => Some(self.keep([0], [1.0])),
            2 => Some(self.segment([0, 1])),
            3 => Some(self.triangle([0, 1, 2])),
            _ => self.tetrahedron(),
        }
    }

    #[inline]
    fn w(&self, i: usize) -> DVec3 {
        self.vertices[i].w
    }

    #[inline]
    fn keep<const N: usize>(&mut self, which: [usize; N], weights: [f64; N]) -> Nearest {
        let vertices = which.map(|i| self.vertices[i]);
        self.vertices[..N].copy_from_slice(&vertices);
        self.weights[..N].copy_from_slice(&weights);
        self.count = N;
        let mut v = DVec3::ZERO;
        for (vertex, weight) in vertices.iter().zip(weights) {
            v += vertex.w * weight;
        }
        Nearest { v, direction: v }
    }

    #[inline]
    fn edge(&mut self, i: usize, j: usize, share: f64) -> Nearest {
        self.keep([i, j], [1.0 - share, share])
    }

    fn segment(&mut self, [i, j]: [usize; 2]) -> Nearest {
        let (p, e) = (self.w(i), self.w(j) - self.w(i));
        let (along, length_sq) = (-p.dot(e), e.length_squared());
        if !(along > 0.0) {
            self.keep([i], [1.0])
        } else if along >= length_sq {
            self.keep([j], [1.0])
        } else {
            self.edge(i, j, along / length_sq)
        }
    }

    #[inline]
    fn triangle(&mut self, [i, j, k]: [usize; 3]) -> Nearest {
        let (a, b, c) = (self.w(i), self.w(j), self.w(k));
        let (ab, ac) = (b - a, c - a);
        let (d1, d2) = (-ab.dot(a), -ac.dot(a));
        if d1 <= 0.0 && d2 <= 0.0 {
            return self.keep([i], [1.0]);
        }
        let (d3, d4) = (-ab.dot(b), -ac.dot(b));
        if d3 >= 0.0 && d4 <= d3 {
            return self.keep([j], [1.0]);
        }
        // By Lagrange's identity these are the products of the dots above, but with one cancellation less.
        let n = ab.cross(ac);
        let vc = n.dot(a.cross(b));
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return self.edge(i, j, d1 / (d1 - d3));
        }
        let (d5, d6) = (-ab.dot(c), -ac.dot(c));
        if d6 >= 0.0 && d5 <= d6 {
            return self.keep([k], [1.0]);
        }
        let vb = n.dot(c.cross(a));
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return self.edge(i, k, d2 / (d2 - d6));
        }
        let va = n.dot(b.cross(c));
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return self.edge(j, k, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let total = va + vb + vc;
        let (y, z) = (vb / total, vc / total);
        let mut nearest = self.keep([i, j, k], [1.0 - y - z, y, z]);
        let height = n.dot(a);
        // Rounding turns the point by about `u·M/|v|` and the normal by `u·M·|e|/|n|` with an edge `e`: take the better.
        let edge_sq = ab.length_squared().max(ac.length_squared());
        if height != 0.0 && n.length_squared() > nearest.v.length_squared() * edge_sq {
            nearest.direction = if height > 0.0 { n } else { -n };
        }
        nearest
    }

    fn tetrahedron(&mut self) -> Option<Nearest> {
        let mut best: Option<(f64, Self, Nearest)> = None;
        for face in [[0, 1, 3, 2], [1, 2, 3, 0], [2, 0, 3, 1], [0, 1, 2, 3]] {
            let [p, q, r, opposite] = face.map(|i| self.w(i));
            let n = (q - p).cross(r - p);
            let (inner, origin) = (n.dot(opposite - p), -n.dot(p));
            if inner * origin < 0.0 || inner == 0.0 {
                let mut part = *self;
                let nearest = part.triangle([face[0], face[1], face[2]]);
                let distance_sq = nearest.v.length_squared();
                if best.as_ref().is_none_or(|b| distance_sq < b.0) {
                    best = Some((distance_sq, part, nearest));
                }
            }
        }
        let (_, part, nearest) = best?;
        *self = part;
        Some(nearest)
    }

    /// Whether a tetrahedron holds the origin for certain, its corners being known to `error` in each coordinate.
    ///
    /// Each determinant of three corners errs by at most `18M²·error` for coordinates up to `M`, and by
    /// `31u·M³` in its evaluation.
    pub(crate) fn surely_holds_origin(&self, error: f64) -> bool {
        if self.count < 4 {
            return false;
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| self.w(i));
        let m = self.vertices().iter().map(|v| v.w.abs().max_element()).fold(0.0, f64::max) + error;
        let bound = 18.001 * m * m * error + 32.0 * noli_geom::UNIT_ROUNDOFF * m * m * m;
        let volumes = [a.dot(b.cross(c)), -b.dot(c.cross(d)), c.dot(d.cross(a)), -d.dot(a.cross(b))];
        bound > 0.0 && (volumes.iter().all(|&x| x > bound) || volumes.iter().all(|&x| x < -bound))
    }
}
