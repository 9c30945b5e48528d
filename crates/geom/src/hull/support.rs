//! The vertex furthest in a direction, by testing few.
//!
//! Directions are sorted into cells, and each cell lists every vertex that is furthest in any of its
//! directions. So no vertex is lost, and the answer is as good as that of testing all. The cost is the same
//! for all hulls.

use super::Hull;
use crate::Aabb;
use crate::number::round;
use glam::{DMat3, DVec3};
use std::sync::OnceLock;

/// Global properties of a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    /// Bound on how much higher a point may be than the vertex that was found, as a factor of `|direction|`.
    rounding: f64,
    /// The largest length of a vertex, rounded up.
    pub(super) reach: f64,
    /// The mean of the vertices.
    pub(super) middle: DVec3,
    /// The mean of `x xᵀ` of the vertices about it.
    pub(super) spread: DMat3,
    pub(super) bounds: Aabb,
}

impl Extent {
    pub(super) fn new(vertices: &[DVec3]) -> Self {
        let reach = round::up(vertices.iter().map(|v| v.length()).fold(0.0, f64::max), 4);
        let rounding = round::off(reach, 8) + f64::MIN_POSITIVE;
        let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let square = |v: &DVec3| {
            let p = *v - middle;
            DMat3::from_cols(p * p.x, p * p.y, p * p.z)
        };
        let spread = vertices.iter().map(square).sum::<DMat3>() * (1.0 / vertices.len() as f64);
        Self { rounding, reach, middle, spread, bounds: Aabb::from_points(vertices.iter().copied()) }
    }
}

/// Eight vertices by coordinate, for code that processes eight at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Eight(pub [[f64; 8]; 3]);

/// Hulls of more vertices have none.
const MOST: usize = 64;

impl Eight {
    /// The vertices in order; the last is repeated until there are eight.
    pub(super) fn of(vertices: &[DVec3]) -> Vec<Self> {
        let few = if vertices.len() <= MOST { vertices } else { &[] };
        let eight = |some: &[DVec3]| {
            let vertex = |k: usize| some[k.min(some.len() - 1)];
            Self([0, 1, 2].map(|axis| std::array::from_fn(|k| vertex(k)[axis])))
        };
        few.chunks(8).map(eight).collect()
    }
}

/// Smaller hulls are looked through.
const FEW: usize = 8;

/// A [`Directions`], computed on first use; ignored in comparisons.
#[derive(Clone, Debug, Default)]
pub(super) struct Lazy(OnceLock<Directions>);

impl PartialEq for Lazy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Hull {
    /// The vertex that is furthest in a direction, up to [`support_rounding`](Self::support_rounding).
    #[inline]
    pub fn support_point(&self, direction: DVec3) -> u32 {
        let found =
            self.directions().and_then(|directions| directions.support_point(&self.vertices, direction));
        found.unwrap_or_else(|| self.support_point_of_all(direction))
    }

    /// Returns the same by testing every vertex.
    pub fn support_point_of_all(&self, direction: DVec3) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, v) in self.vertices.iter().enumerate() {
            let height = v.dot(direction);
            if height > best.0 {
                best = (height, i as u32);
            }
        }
        best.1
    }

    /// The vertices by eights, the last repeated; empty if there are more than 64.
    pub fn eights(&self) -> &[Eight] {
        &self.eights
    }

    /// Bound on `d·x − d·v` over the hull, for the vertex `v` that [`support_point`](Self::support_point) names, with
    /// `d·v` as computed, as a factor of `|d|`: rounding alone.
    pub fn support_rounding(&self) -> f64 {
        self.extent.rounding
    }

    #[cfg(test)]
    pub(super) fn mean_vertices_to_a_cell(&self) -> f64 {
        self.directions()
            .map_or(0.0, |d| (3 * d.vertices.len() + d.more.len()) as f64 / d.vertices.len() as f64)
    }

    #[inline]
    fn directions(&self) -> Option<&Directions> {
        (self.vertices.len() > FEW).then(|| self.directions.0.get_or_init(|| Directions::new(self)))
    }
}

/// Directions on an octahedron, unfolded to a square of cells.
///
/// Before that they are turned to where the hull is about as wide in all directions, or else those of flat
/// hulls would share a few cells: with the covariance of the vertices `L·Lᵀ`, the vertices `L⁻¹v` in the
/// direction `Lᵀd` are as high as the vertices `v` in `d`.
#[derive(Clone, Debug)]
struct Directions {
    round: Cholesky,
    /// Cells along an edge of the square; even, so that no cell crosses an edge of the octahedron but along
    /// its diagonal.
    cells: usize,
    /// Four vertices to a cell, repeated where there are fewer; the last may be [`MORE`] and a place in
    /// `more`.
    vertices: Vec<[u32; 4]>,
    /// Number of further vertices, followed by these vertices.
    more: Vec<u32>,
}

/// Marks a place in the list of further vertices.
const MORE: u32 = 1 << 31;

/// A lower triangular matrix by rows.
#[derive(Clone, Copy, Debug)]
struct Cholesky([f64; 6]);

impl Directions {
    fn new(hull: &Hull) -> Self {
        let round = Cholesky::new(&hull.extent.spread);
        let cells = 2 * (4 + (0.75 * (hull.vertices.len() as f64).sqrt()) as usize).min(128);
        let mut directions =
            Self { round, cells, vertices: Vec::with_capacity(cells * cells), more: Vec::new() };
        let mut filling = Filling::new(hull, &round);
        // Neighbouring cells have directions in common, so the vertices of one lead to those of the next.
        let mut row: Vec<u32> = (0..hull.vertices.len() as u32).collect();
        for y in 0..cells {
            let mut found = row.clone();
            for x in 0..cells {
                found = filling.cell(&found, directions.bounds(x, y));
                directions.push(&found);
                if x == 0 {
                    row.clone_from(&found);
                }
            }
        }
        directions
    }

    /// The directions at the vertices of a cell, whose cone holds all of its directions.
    fn bounds(&self, x: usize, y: usize) -> [DVec3; 4] {
        let at = |k: usize| 2.0 * k as f64 / self.cells as f64 - 1.0;
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| unfolded(at(x + i), at(y + j)))
    }

    fn push(&mut self, found: &[u32]) {
        let mut four = [found[0]; 4];
        for (place, &vertex) in four.iter_mut().zip(found) {
            *place = vertex;
        }
        if let Some(rest @ [_, _, ..]) = found.get(3..) {
            four[3] = MORE | self.more.len() as u32;
            self.more.push(rest.len() as u32);
            self.more.extend(rest);
        }
        self.vertices.push(four);
    }

    /// `None` for directions too short or too long to be sorted.
    #[inline]
    fn support_point(&self, vertices: &[DVec3], d: DVec3) -> Option<u32> {
        let [a, b, c, last] = self.vertices[self.cell(self.round.turn(d))?];
        let height = |v: u32| vertices[v as usize].dot(d);
        let fourth = if last & MORE == 0 { last } else { self.best_of_more(vertices, d, last) };
        let (p, q, r, s) = (height(a), height(b), height(c), height(fourth));
        let (first, h) = if q > p { (b, q) } else { (a, p) };
        let (second, k) = if s > r { (fourth, s) } else { (c, r) };
        Some(if k > h { second } else { first })
    }

    fn best_of_more(&self, vertices: &[DVec3], d: DVec3, mark: u32) -> u32 {
        let start = (mark & !MORE) as usize;
        let list = &self.more[start + 1..][..self.more[start] as usize];
        let mut best = (f64::NEG_INFINITY, list[0]);
        for &v in list {
            let height = vertices[v as usize].dot(d);
            if height > best.0 {
                best = (height, v);
            }
        }
        best.1
    }

    #[inline]
    fn cell(&self, d: DVec3) -> Option<usize> {
        let size = d.abs();
        let per = 1.0 / (size.x + size.y + size.z);
        if !per.is_normal() {
            return None;
        }
        let (u, v) = (d.x * per, d.y * per);
        let folded = |x: f64, other: f64| (1.0 - other.abs()).copysign(x);
        let (u, v) = if d.z < 0.0 { (folded(u, v), folded(v, u)) } else { (u, v) };
        let half = 0.5 * self.cells as f64;
        let place = |u: f64| ((u * half + half) as usize).min(self.cells - 1);
        Some(place(v) * self.cells + place(u))
    }
}

/// The direction at a place of the square.
fn unfolded(u: f64, v: f64) -> DVec3 {
    let z = 1.0 - u.abs() - v.abs();
    if z >= 0.0 {
        return DVec3::new(u, v, z);
    }
    DVec3::new((1.0 - v.abs()).copysign(u), (1.0 - u.abs()).copysign(v), z)
}

impl Cholesky {
    /// Of a covariance in units of its trace, and a little of the identity: its condition is below 10⁶ then,
    /// and rounding far below [`CERTAIN`].
    fn new(spread: &DMat3) -> Self {
        let m = *spread * (1.0 / (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z));
        let little = 1e-10;
        let [xx, yx, zx] = m.x_axis.to_array();
        let [_, yy, zy] = m.y_axis.to_array();
        let zz = m.z_axis.z;
        let a = (xx + little).sqrt();
        let (b, d) = (yx / a, zx / a);
        let c = (yy + little - b * b).max(little).sqrt();
        let e = (zy - d * b) / c;
        let f = (zz + little - d * d - e * e).max(little).sqrt();
        Self([a, b, c, d, e, f])
    }

    /// `Lᵀd`.
    #[inline]
    fn turn(&self, d: DVec3) -> DVec3 {
        let [xx, yx, yy, zx, zy, zz] = self.0;
        DVec3::new(xx * d.x + yx * d.y + zx * d.z, yy * d.y + zy * d.z, zz * d.z)
    }

    /// `L⁻¹v`.
    fn untwist(&self, v: DVec3) -> DVec3 {
        let [xx, yx, yy, zx, zy, zz] = self.0;
        let x = v.x / xx;
        let y = (v.y - yx * x) / yy;
        DVec3::new(x, y, (v.z - zx * x - zy * y) / zz)
    }
}

/// A sine far above what rounding may turn a direction by, from the vertices to the cell that it is sorted
/// into.
const CERTAIN: f64 = 1e-7;

/// Finds the vertices of cells.
struct Filling<'a> {
    hull: &'a Hull,
    round: &'a Cholesky,
    /// Last search that visited each vertex.
    seen: Vec<u32>,
    now: u32,
}

impl<'a> Filling<'a> {
    fn new(hull: &'a Hull, round: &'a Cholesky) -> Self {
        Self { hull, round, seen: vec![0; hull.vertices.len()], now: 0 }
    }

    /// The vertices that are furthest in some direction within bounds, and perhaps a few more. They are linked
    /// by edges of the hull, as their cones of normals are neighbours; some of them are among those given.
    fn cell(&mut self, given: &[u32], bounds: [DVec3; 4]) -> Vec<u32> {
        self.now += 1;
        let mut open: Vec<u32> = given.to_vec();
        let mut found = Vec::new();
        while let Some(vertex) = open.pop() {
            let seen = std::mem::replace(&mut self.seen[vertex as usize], self.now);
            if seen != self.now && !self.is_beaten(vertex, &bounds) {
                found.push(vertex);
                open.extend(self.hull.neighbours(vertex));
            }
        }
        if found.is_empty() {
            found.extend(0..self.hull.vertices.len() as u32);
        }
        // Of equally high vertices the first, as when all are visited.
        found.sort_unstable();
        found
    }

    /// Returns `true` if one neighbour is certainly higher in all directions within bounds.
    fn is_beaten(&self, vertex: u32, bounds: &[DVec3; 4]) -> bool {
        let beats = |&other: &u32| {
            let edge = self.round.untwist(self.hull.at(other) - self.hull.at(vertex));
            let certain = CERTAIN * edge.length() + f64::MIN_POSITIVE;
            bounds.iter().all(|d| d.dot(edge) > certain * d.length())
        };
        self.hull.neighbours(vertex).iter().any(beats)
    }
}
