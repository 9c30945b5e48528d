//! Triangles of a body, for display and for queries against meshes.
//!
//! A side is split if the side alone asks for it, at a point that depends on the side alone. Both triangles at a side
//! therefore agree, and neighbouring faces share the points of their edges: a closed shell gives a closed mesh.

use crate::body::Brep;
use crate::boundary::{Edge, LoopVertex, Side};
use crate::curve::Curve;
use crate::face::Face;
use crate::trim::Anchor;
use glam::{DVec2, DVec3};
use noli_geom::{Mesh, MeshError, MeshOptions};
use std::collections::HashMap;

/// Most triangles of one face.
const MAX_TRIANGLES: usize = 200_000;

/// A vertex of a triangle: parameters, the point, and the side to the next vertex.
#[derive(Clone, Copy)]
struct Vertex {
    uv: DVec2,
    point: DVec3,
    side: Option<Side>,
}

impl Brep {
    /// Triangles within `chord` of the faces, and the deviation that they keep. Edges of neighbouring faces are parted
    /// alike, so that a closed shell gives a closed mesh.
    pub fn tessellated(&self, chord: f64) -> Result<(Mesh, f64), MeshError> {
        tessellate(self, chord)
    }
}

/// Triangles within about `chord` of the faces, and a bound on the deviation that is left.
fn tessellate(body: &Brep, chord: f64) -> Result<(Mesh, f64), MeshError> {
    let mut collected = Collected::new(body.size());
    let mut worst = 0.0f64;
    for face in &body.faces {
        let Some(trimmed) = face.trimmed(&body.edges) else { continue };
        let placed = trimmed.triangles.iter().zip(&trimmed.anchors);
        let mut open: Vec<[Vertex; 3]> = placed
            .map(|(vertices, anchors)| {
                std::array::from_fn(|k| vertex(vertices[k], anchors[k], face, &body.edges))
            })
            .collect();
        let mut done = 0;
        while let Some(triangle) = open.pop() {
            let split = (done + open.len() < MAX_TRIANGLES)
                .then(|| worst_side(&triangle, face, &body.edges, chord))
                .flatten();
            match split {
                Some(k) => open.extend(halves(&triangle, k, face, &body.edges)),
                None => {
                    done += 1;
                    let vertices = triangle.map(|v| LoopVertex { uv: v.uv, side: v.side });
                    worst = worst
                        .max(crate::patch::Patch::new(0, face, &body.edges, vertices).deviation + face.gap);
                    let points = triangle.map(|v| v.point);
                    collected.add(if face.same_sense { points } else { [points[0], points[2], points[1]] });
                }
            }
        }
    }
    Ok((Mesh::from_triangles(collected.vertices, collected.triangles, &MeshOptions::default())?, worst))
}

/// Triangles whose vertices are shared where they agree up to rounding: along seams and at poles.
struct Collected {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Edge of the cells of the table.
    cell: f64,
    numbers: HashMap<[i64; 3], u32>,
}

impl Collected {
    fn new(size: f64) -> Self {
        let cell = if size > 0.0 { size * 1e-9 } else { 1.0 };
        Self { vertices: Vec::new(), triangles: Vec::new(), cell, numbers: HashMap::new() }
    }

    fn number(&mut self, point: DVec3) -> u32 {
        let [x, y, z] = point.to_array().map(|c| (c / self.cell).floor() as i64);
        for shift in 0..27 {
            let near = [x + shift % 3 - 1, y + shift / 3 % 3 - 1, z + shift / 9 - 1];
            if let Some(&found) = self.numbers.get(&near)
                && self.vertices[found as usize].distance(point) <= 0.5 * self.cell
            {
                return found;
            }
        }
        self.vertices.push(point);
        let number = self.vertices.len() as u32 - 1;
        self.numbers.entry([x, y, z]).or_insert(number);
        number
    }

    fn add(&mut self, points: [DVec3; 3]) {
        let triangle = points.map(|p| self.number(p));
        if triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0] {
            self.triangles.push(triangle);
        }
    }
}

/// A vertex on an edge lies on the curve, whatever face it belongs to.
fn vertex(vertex: LoopVertex, anchor: Anchor, face: &Face, edges: &[Edge]) -> Vertex {
    let point = match anchor {
        Some((edge, t)) => edges[edge].curve.point(t),
        None => face.surface.point(vertex.uv),
    };
    Vertex { uv: vertex.uv, point, side: vertex.side }
}

/// The side that deviates most, if more than the chord allows.
fn worst_side(triangle: &[Vertex; 3], face: &Face, edges: &[Edge], chord: f64) -> Option<usize> {
    let deviation = |k: usize| {
        let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
        match a.side {
            Some(side) => {
                let curve: &Curve = &edges[side.edge].curve;
                curve.sagitta(side.from, side.to)
            }
            None => {
                let (low, high) = (a.uv.min(b.uv), a.uv.max(b.uv));
                let (slopes, size) = (face.surface.slopes(low, high), high - low);
                (slopes.uu * size.x * size.x
                    + 2.0 * slopes.uv * size.x * size.y
                    + slopes.vv * size.y * size.y)
                    / 8.0
            }
        }
    };
    let (most, k) = (0..3).map(|k| (deviation(k), k)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    (most > chord).then_some(k)
}

fn halves(triangle: &[Vertex; 3], k: usize, face: &Face, edges: &[Edge]) -> [[Vertex; 3]; 2] {
    let (a, b, c) = (triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
    let middle = (a.uv + b.uv) * 0.5;
    let (first, second) = match a.side {
        None => (None, Vertex { uv: middle, point: face.surface.point(middle), side: None }),
        Some(side) => {
            let t = (side.from + side.to) * 0.5;
            let point = edges[side.edge].curve.point(t);
            let half = Vertex {
                uv: face.surface.near_parameters(point, middle),
                point,
                side: Some(Side { from: t, ..side }),
            };
            (Some(Side { to: t, ..side }), half)
        }
    };
    let bare = Vertex { side: None, ..second };
    [[Vertex { side: first, ..a }, bare, c], [second, b, Vertex { side: None, ..c }]]
}
