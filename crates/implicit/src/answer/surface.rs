//! Triangles around an object, for display: marching tetrahedra on a regular grid (Doi & Koide 1991).
//! Approximate: details smaller than a grid cell may be missed.

use crate::search::field::Field;
use glam::DVec3;
use noli_geom::Aabb;
use std::collections::HashMap;

/// Vertices, and triangles by vertex numbers, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Points on the surface.
    pub vertices: Vec<DVec3>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// The vertices of the six tetrahedra of a cube, as sums of its axes: one for each order of the axes.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

impl Field {
    /// Approximate: triangles around the object, on a grid of `cells` cells along its longest side. Where the
    /// object is cut off by its bounds, so is the surface. Empty for objects without bounds.
    pub fn triangles(&self, cells: u32) -> Triangles {
        let bounds = self.bounds();
        if !self.is_bounded() || bounds.is_empty() || cells == 0 {
            return Triangles::default();
        }
        Grid::new(self, &bounds, cells).march()
    }
}

struct Grid<'a> {
    field: &'a Field,
    bounds: Aabb,
    origin: DVec3,
    step: f64,
    /// Points along each axis.
    counts: [usize; 3],
    values: Vec<f64>,
    on_edge: HashMap<(usize, usize), u32>,
    found: Triangles,
}

impl<'a> Grid<'a> {
    fn new(field: &'a Field, bounds: &Aabb, cells: u32) -> Self {
        let size = bounds.size();
        let step = size.max_element().max(f64::MIN_POSITIVE) / f64::from(cells);
        // One layer more on every side, which counts as outside: so the surface closes.
        let counts = [0, 1, 2].map(|k| (size[k] / step).ceil() as usize + 3);
        let origin = bounds.min - step;
        let mut grid = Self {
            field,
            bounds: *bounds,
            origin,
            step,
            counts,
            values: Vec::new(),
            on_edge: HashMap::new(),
            found: Triangles::default(),
        };
        let points: Vec<DVec3> = (0..counts.iter().product()).map(|i| grid.point(i)).collect();
        grid.values = vec![0.0; points.len()];
        field.values(&points, &mut grid.values);
        for (value, point) in grid.values.iter_mut().zip(&points) {
            let outside = point.cmplt(bounds.min).any() || point.cmpgt(bounds.max).any();
            if outside || value.is_nan() {
                *value = value.max(f64::MIN_POSITIVE);
            }
        }
        grid
    }

    fn point(&self, index: usize) -> DVec3 {
        let [nx, ny, _] = self.counts;
        let place = [index % nx, index / nx % ny, index / (nx * ny)];
        self.origin + DVec3::from_array(place.map(|k| k as f64)) * self.step
    }

    fn march(mut self) -> Triangles {
        let [nx, ny, nz] = self.counts;
        for (x, y, z) in
            (0..nz - 1).flat_map(|z| (0..ny - 1).flat_map(move |y| (0..nx - 1).map(move |x| (x, y, z))))
        {
            let vertex = |k: usize| (x + (k & 1)) + nx * ((y + (k >> 1 & 1)) + ny * (z + (k >> 2)));
            let inside = (0..8).filter(|&k| self.values[vertex(k)] <= 0.0).count();
            if inside == 0 || inside == 8 {
                continue;
            }
            for tetrahedron in TETRAHEDRA {
                self.tetrahedron(tetrahedron.map(vertex));
            }
        }
        self.found
    }

    fn tetrahedron(&mut self, vertices: [usize; 4]) {
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            vertices.iter().partition(|&&vertex| self.values[vertex] <= 0.0);
        match (inside.as_slice(), outside.as_slice()) {
            (&[a], &[p, q, r]) => self.triangle([(a, p), (a, q), (a, r)]),
            (&[a, b, c], &[p]) => self.triangle([(a, p), (b, p), (c, p)]),
            (&[a, b], &[p, q]) => {
                self.triangle([(a, p), (a, q), (b, q)]);
                self.triangle([(a, p), (b, q), (b, p)]);
            }
            _ => {}
        }
    }

    /// A triangle of points on edges, each given by its inner and its outer end.
    fn triangle(&mut self, edges: [(usize, usize); 3]) {
        let [a, b, c] = edges.map(|(inside, outside)| self.intersection(inside, outside));
        let [p, q, r] = [a, b, c].map(|vertex| self.found.vertices[vertex as usize]);
        let outward: DVec3 =
            edges.iter().map(|&(inside, outside)| self.point(outside) - self.point(inside)).sum();
        let is_outward = (q - p).cross(r - p).dot(outward) >= 0.0;
        self.found.triangles.push(if is_outward { [a, b, c] } else { [a, c, b] });
    }

    /// The vertex on an edge of the grid.
    fn intersection(&mut self, inside: usize, outside: usize) -> u32 {
        if let Some(&vertex) = self.on_edge.get(&(inside, outside)) {
            return vertex;
        }
        let (p, q) = (self.point(inside), self.point(outside));
        let (at_p, at_q) = (self.values[inside], self.values[outside]);
        let share = at_p / (at_p - at_q);
        let point = p.lerp(q, if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 });
        let point = self.refined(p, q, point).clamp(self.bounds.min, self.bounds.max);
        let vertex = self.found.vertices.len() as u32;
        self.found.vertices.push(point);
        self.on_edge.insert((inside, outside), vertex);
        vertex
    }

    /// A few halvings between an inner and an outer point, starting with a guess.
    fn refined(&self, mut inside: DVec3, mut outside: DVec3, guess: DVec3) -> DVec3 {
        let mut point = guess;
        for _ in 0..6 {
            if self.field.value(point) <= 0.0 {
                inside = point;
            } else {
                outside = point;
            }
            point = inside.midpoint(outside);
        }
        point
    }
}
