//! Constrained Delaunay triangulations of the parameters of a face (Lawson 1977, Chew 1989).
//!
//! Sides of one triangle only are constraints: they are neither flipped nor split. Orientations are decided exactly, so that
//! no triangle is turned, and triangles without area that ear clipping leaves on a straight boundary vanish. Circles through
//! four points up to rounding stay as they are, so that flips end.

use crate::triangulate::orientation;
use glam::DVec2;
use std::collections::HashMap;

/// Rounding of the sine of two angles together.
const ROUNDING: f64 = 1e-10;

/// A side of a triangle: from its vertex `k` to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TriangleSide {
    pub(crate) triangle: usize,
    pub(crate) k: usize,
}

/// Triangles on points, with their neighbours.
pub(crate) struct Delaunay {
    points: Vec<DVec2>,
    triangles: Vec<[usize; 3]>,
    /// For every side the same side of the neighbour.
    across: Vec<[Option<TriangleSide>; 3]>,
}

impl Delaunay {
    /// The Delaunay triangulation of the part that some triangles cover.
    pub(crate) fn new(points: Vec<DVec2>, triangles: Vec<[usize; 3]>) -> Self {
        let mut sides: HashMap<[usize; 2], Vec<TriangleSide>> = HashMap::new();
        for (triangle, vertices) in triangles.iter().enumerate() {
            for k in 0..3 {
                let ends = [vertices[k], vertices[(k + 1) % 3]];
                sides.entry(ends).or_default().push(TriangleSide { triangle, k });
            }
        }
        let opposite = |vertices: &[usize; 3], k: usize| {
            let ends = [vertices[k], vertices[(k + 1) % 3]];
            let (own, other) = (sides.get(&ends)?, sides.get(&[ends[1], ends[0]])?);
            (own.len() == 1 && other.len() == 1).then_some(other[0])
        };
        let across = triangles.iter().map(|vertices| std::array::from_fn(|k| opposite(vertices, k)));
        let mut made = Self { points, across: across.collect(), triangles };
        let mut open = made.sides_of(0..made.triangles.len());
        made.settle(&mut open);
        made
    }

    pub(crate) fn triangles(&self) -> &[[usize; 3]] {
        &self.triangles
    }

    /// Returns `true` if a side has a triangle on both sides.
    pub(crate) fn is_inner(&self, side: TriangleSide) -> bool {
        self.across[side.triangle][side.k].is_some()
    }

    fn sides_of(&self, triangles: impl IntoIterator<Item = usize>) -> Vec<TriangleSide> {
        triangles.into_iter().flat_map(|triangle| (0..3).map(move |k| TriangleSide { triangle, k })).collect()
    }

    /// Splits an inner side at a point near it, the next one by number, and returns the triangles that have changed;
    /// `None` if a triangle would be turned.
    pub(crate) fn split(&mut self, side: TriangleSide, point: DVec2) -> Option<Vec<usize>> {
        let other = self.across[side.triangle][side.k]?;
        let ([p, q, r], s) = self.quadrangle(side, other);
        let [a, b, c, d] = [p, q, r, s].map(|vertex| self.points[vertex]);
        let corners = [[a, point, c], [point, b, c], [b, point, d], [point, a, d]];
        if corners.iter().any(|[a, b, c]| orientation(*a, *b, *c) <= 0.0) {
            return None;
        }
        let middle = self.points.len();
        self.points.push(point);
        let (t, n) = (side.triangle, other.triangle);
        let (t2, n2) = (self.triangles.len(), self.triangles.len() + 1);
        let [qr, rp] = [1, 2].map(|step| self.across[t][(side.k + step) % 3]);
        let [ps, sq] = [1, 2].map(|step| self.across[n][(other.k + step) % 3]);
        self.triangles.extend([[0; 3]; 2]);
        self.across.extend([[None; 3]; 2]);
        let at = |triangle: usize, k: usize| Some(TriangleSide { triangle, k });
        self.set(t, [p, middle, r], [at(n2, 0), at(t2, 2), rp]);
        self.set(t2, [middle, q, r], [at(n, 0), qr, at(t, 1)]);
        self.set(n, [q, middle, s], [at(t2, 0), at(n2, 2), sq]);
        self.set(n2, [middle, p, s], [at(t, 0), ps, at(n, 1)]);
        let mut changed = vec![t, t2, n, n2];
        let mut open = self.sides_of(changed.iter().copied());
        changed.extend(self.settle(&mut open));
        Some(changed)
    }

    /// Flips sides until every circle around a triangle is free of the vertex across; returns the triangles that changed.
    fn settle(&mut self, open: &mut Vec<TriangleSide>) -> Vec<usize> {
        let mut changed = Vec::new();
        while let Some(side) = open.pop() {
            let Some(other) =
                self.across[side.triangle][side.k].filter(|&other| self.is_illegal(side, other))
            else {
                continue;
            };
            self.flip(side, other);
            changed.extend([side.triangle, other.triangle]);
            open.extend(self.sides_of([side.triangle, other.triangle]));
        }
        changed
    }

    /// The vertices of a triangle from a side on, and the vertex across it.
    fn quadrangle(&self, side: TriangleSide, other: TriangleSide) -> ([usize; 3], usize) {
        let vertices = self.triangles[side.triangle];
        let turned = std::array::from_fn(|step| vertices[(side.k + step) % 3]);
        (turned, self.triangles[other.triangle][(other.k + 2) % 3])
    }

    fn is_illegal(&self, side: TriangleSide, other: TriangleSide) -> bool {
        let (corners, across) = self.quadrangle(side, other);
        let ([p, q, r], s) = (corners.map(|vertex| self.points[vertex]), self.points[across]);
        let is_convex = orientation(r, p, s) > 0.0 && orientation(s, q, r) > 0.0;
        let areas = [orientation(p, q, r), orientation(q, p, s)];
        if !is_convex || areas.iter().any(|&area| area <= 0.0) {
            return is_convex;
        }
        // The angles at r and s together are more than a half turn.
        let cosines = [(p - r).dot(q - r), (q - s).dot(p - s)];
        let lengths = (p - r).length() * (q - r).length() * (p - s).length() * (q - s).length();
        areas[0] * cosines[1] + areas[1] * cosines[0] < -ROUNDING * lengths
    }

    /// Replaces a side by the other diagonal.
    fn flip(&mut self, side: TriangleSide, other: TriangleSide) {
        let ([p, q, r], s) = self.quadrangle(side, other);
        let (t, n) = (side.triangle, other.triangle);
        let [qr, rp] = [1, 2].map(|step| self.across[t][(side.k + step) % 3]);
        let [ps, sq] = [1, 2].map(|step| self.across[n][(other.k + step) % 3]);
        self.set(t, [r, p, s], [rp, ps, Some(TriangleSide { triangle: n, k: 2 })]);
        self.set(n, [s, q, r], [sq, qr, Some(TriangleSide { triangle: t, k: 2 })]);
    }

    /// Sets a triangle, and itself as the neighbour of its neighbours.
    fn set(&mut self, triangle: usize, vertices: [usize; 3], across: [Option<TriangleSide>; 3]) {
        self.triangles[triangle] = vertices;
        self.across[triangle] = across;
        for (k, neighbour) in across.into_iter().enumerate() {
            if let Some(TriangleSide { triangle: other, k: at }) = neighbour {
                self.across[other][at] = Some(TriangleSide { triangle, k });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangulate::triangulate;
    use noli_testing::Random;

    fn area(made: &Delaunay) -> f64 {
        let doubled = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|vertex| made.points[vertex]);
            (b - a).perp_dot(c - a)
        };
        made.triangles.iter().map(doubled).sum()
    }

    fn check(made: &Delaunay) {
        for (triangle, vertices) in made.triangles.iter().enumerate() {
            let [a, b, c] = vertices.map(|vertex| made.points[vertex]);
            assert!(orientation(a, b, c) > 0.0, "{a} {b} {c}");
            for k in 0..3 {
                let side = TriangleSide { triangle, k };
                let Some(other) = made.across[triangle][k] else { continue };
                assert_eq!(made.across[other.triangle][other.k], Some(side));
                let ends = [vertices[k], vertices[(k + 1) % 3]];
                let theirs = made.triangles[other.triangle];
                assert_eq!([theirs[(other.k + 1) % 3], theirs[other.k]], ends);
                assert!(!made.is_illegal(side, other));
            }
        }
    }

    /// Stars of random radii, with points on their sides that are in line up to rounding.
    #[test]
    fn splits_keep_the_area_and_the_empty_circles() {
        let mut random = Random::new(5);
        for _ in 0..40 {
            let count = 5 + random.index(12);
            let corner = |k: usize, radius: f64| {
                DVec2::from_angle(std::f64::consts::TAU * k as f64 / count as f64) * radius
            };
            let corners: Vec<DVec2> = (0..count).map(|k| corner(k, random.between(0.3, 1.0))).collect();
            let mut points = Vec::new();
            for (k, &from) in corners.iter().enumerate() {
                let to = corners[(k + 1) % count];
                points.extend((0..4).map(|j| from.lerp(to, f64::from(j) / 4.0)));
            }
            let cut = triangulate(&points);
            assert!(cut.simple);
            let mut made = Delaunay::new(points, cut.triangles);
            let whole = area(&made);
            check(&made);
            for _ in 0..100 {
                let side = TriangleSide { triangle: random.index(made.triangles.len()), k: random.index(3) };
                let [a, b] =
                    [0, 1].map(|step| made.points[made.triangles[side.triangle][(side.k + step) % 3]]);
                let is_inner = made.is_inner(side);
                assert_eq!(made.split(side, (a + b) * 0.5).is_some(), is_inner);
            }
            check(&made);
            assert!((area(&made) - whole).abs() < 1e-12, "{whole}");
        }
    }
}
