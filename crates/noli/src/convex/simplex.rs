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

/// Some vertices of a simplex, in order, with the weights of the nearest mixture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    which: [usize; 4],
    weights: [f64; 4],
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
        let part = self.nearest()?;
        self.keep(&part);
        Some(part.nearest)
    }

    /// The part of the simplex that the nearest point is a mixture of; none where the simplex holds the origin.
    #[inline]
    pub(crate) fn nearest(&self) -> Option<Part> {
        match self.count {
            1 => Some(self.part([0], [1.0])),
            2 => Some(self.segment([0, 1])),
            3 => Some(self.triangle([0, 1, 2])),
            _ => self.tetrahedron(),
        }
    }

    /// Keeps a part only.
    #[inline]
    pub(crate) fn keep(&mut self, part: &Part) {
        // Numbers rise, so nothing is overwritten before it is moved.
        for k in 0..part.count {
            self.vertices[k] = self.vertices[part.which[k]];
        }
        (self.weights, self.count) = (part.weights, part.count);
    }

    #[inline]
    fn w(&self, i: usize) -> DVec3 {
        self.vertices[i].w
    }

    #[inline]
    fn part<const N: usize>(&self, which: [usize; N], weights: [f64; N]) -> Part {
        let mut part = Part { which: [0; 4], weights: [0.0; 4], count: N, nearest: Nearest::default() };
        let mut v = DVec3::ZERO;
        for k in 0..N {
            (part.which[k], part.weights[k]) = (which[k], weights[k]);
            v += self.w(which[k]) * weights[k];
        }
        part.nearest = Nearest { v, direction: v };
        part
    }

    #[inline]
    fn edge(&self, i: usize, j: usize, share: f64) -> Part {
        let mut part = self.part([i, j], [1.0 - share, share]);
        // Square to the edge again: rounding of a short `v` would tilt it along all of the edge.
        part.nearest.direction = square_to(part.nearest.v, self.w(j) - self.w(i));
        part
    }

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

    #[inline]
    fn triangle(&self, [i, j, k]: [usize; 3]) -> Part {
        let (a, b, c) = (self.w(i), self.w(j), self.w(k));
        let (ab, ac) = (b - a, c - a);
        let (d1, d2) = (-ab.dot(a), -ac.dot(a));
        if d1 <= 0.0 && d2 <= 0.0 {
            return self.part([i], [1.0]);
        }
        let (d3, d4) = (-ab.dot(b), -ac.dot(b));
        if d3 >= 0.0 && d4 <= d3 {
            return self.part([j], [1.0]);
        }
        // By Lagrange's identity these are differences of products of the dots, but with one cancellation less.
        let n = ab.cross(ac);
        let vc = n.dot(a.cross(b));
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return self.edge(i, j, d1 / (d1 - d3));
        }
        let (d5, d6) = (-ab.dot(c), -ac.dot(c));
        if d6 >= 0.0 && d5 <= d6 {
            return self.part([k], [1.0]);
        }
        let vb = n.dot(c.cross(a));
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return self.edge(i, k, d2 / (d2 - d6));
        }
        let va = n.dot(b.cross(c));
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return self.edge(j, k, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let per_total = (va + vb + vc).recip();
        let (y, z) = (vb * per_total, vc * per_total);
        let mut part = self.part([i, j, k], [1.0 - y - z, y, z]);
        let height = n.dot(a);
        // Rounding turns the point by about `u·M/|v|` and the normal by `u·M·|e|/|n|` with an edge `e`: take the better.
        let edge_sq = ab.length_squared().max(ac.length_squared());
        if height != 0.0 && n.length_squared() > part.nearest.v.length_squared() * edge_sq {
            part.nearest.direction = if height > 0.0 { n } else { -n };
        } else {
            // Where a round body meets an edge, two corners are close together; tilts along the edge are what costs.
            let longer = if ab.length_squared() > ac.length_squared() { ab } else { ac };
            part.nearest.direction = square_to(part.nearest.v, longer);
        }
        part
    }

    fn tetrahedron(&self) -> Option<Part> {
        let mut best: Option<(f64, Part)> = None;
        for face in [[0, 1, 3, 2], [1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 2, 3]] {
            let [p, q, r, opposite] = face.map(|i| self.w(i));
            let n = (q - p).cross(r - p);
            let (inner, origin) = (n.dot(opposite - p), -n.dot(p));
            if inner * origin < 0.0 || inner == 0.0 {
                let part = self.triangle([face[0], face[1], face[2]]);
                let distance_sq = part.nearest.v.length_squared();
                if best.as_ref().is_none_or(|b| distance_sq < b.0) {
                    best = Some((distance_sq, part));
                }
            }
        }
        Some(best?.1)
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

/// What is left of `v` without its part along `e`.
fn square_to(v: DVec3, e: DVec3) -> DVec3 {
    v - e * (v.dot(e) / e.length_squared())
}
