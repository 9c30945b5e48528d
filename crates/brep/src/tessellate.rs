//! Triangles of a body, for display and for queries against meshes.
//!
//! Faces that meet at an edge cut it at the same parameters: first at the cuts that any of them needs, then a piece
//! between two cuts by halves, as its curve alone requires. A closed shell therefore gives a closed mesh.

use crate::body::Brep;
use crate::boundary::{Edge, LoopVertex, Side};
use crate::cuts::{Cuts, bow};
use crate::face::Face;
use crate::trim::{Anchor, Trimmed};
use glam::{DVec2, DVec3};
use noli_geom::{Mesh, MeshError, MeshOptions};
use std::collections::HashMap;

/// Most triangles of one face, and of a body.
const MAX_TRIANGLES: [usize; 2] = [500_000, 4_000_000];
/// Largest chord as a share of the size: a small body keeps its shape.
const COARSEST: f64 = 0.005;
/// Smallest chord as a share of the size.
const FINEST: f64 = 1e-9;

/// A vertex of a triangle: parameters, the point, and the side to the next vertex.
#[derive(Clone, Copy)]
struct Vertex {
    uv: DVec2,
    point: DVec3,
    side: Option<Side>,
}

impl Brep {
    /// Triangles within about `chord` of the faces, and a bound on their distance from them. A closed shell gives a closed
    /// mesh. The chord is at most 0.005 of the size, and becomes larger where triangles would be too many.
    pub fn tessellated(&self, chord: f64) -> Result<(Mesh, f64), MeshError> {
        let size = self.size();
        let trimmed: Vec<Option<Trimmed>> = self.faces.iter().map(|face| face.trimmed(&self.edges)).collect();
        let mut chord = chord.min(COARSEST * size).max(FINEST * size);
        let (collected, deviation) = loop {
            // A chord of more than the size needs no more than the vertices of the loops.
            let is_limited = chord < size;
            match tessellate(self, &trimmed, chord, is_limited) {
                Some(found) => break found,
                None => chord *= 4.0,
            }
        };
        Ok((
            Mesh::from_triangles(collected.vertices, collected.triangles, &MeshOptions::default())?,
            deviation,
        ))
    }
}

/// Triangles within about `chord` of the faces, and a bound on their distance from them. `None` if they are too many.
fn tessellate(
    body: &Brep,
    trimmed: &[Option<Trimmed>],
    chord: f64,
    is_limited: bool,
) -> Option<(Collected, f64)> {
    let cuts = Cuts::new(body, trimmed, chord);
    let mut collected = Collected::new(body.size());
    let mut worst = 0.0f64;
    for (face, trimmed) in body.faces.iter().zip(trimmed) {
        let Some(trimmed) = trimmed else { continue };
        let ground = Ground { face, edges: &body.edges, cuts: &cuts, chord };
        let placed = trimmed.triangles.iter().zip(&trimmed.anchors);
        let mut open: Vec<[Vertex; 3]> = placed
            .map(|(vertices, anchors)| std::array::from_fn(|k| ground.vertex(vertices[k], anchors[k])))
            .collect();
        let mut done = 0;
        while let Some(triangle) = open.pop() {
            if is_limited && done + open.len() >= MAX_TRIANGLES[0] {
                return None;
            }
            if let Some(cut) = ground.cut(&triangle) {
                open.extend(ground.halves(&triangle, cut));
                continue;
            }
            done += 1;
            let vertices = triangle.map(|v| LoopVertex { uv: v.uv, side: v.side });
            worst = worst.max(crate::patch::Patch::new(0, face, &body.edges, vertices).deviation + face.gap);
            let points = triangle.map(|v| v.point);
            collected.add(if face.same_sense { points } else { [points[0], points[2], points[1]] });
        }
        if is_limited && collected.triangles.len() > MAX_TRIANGLES[1] {
            return None;
        }
    }
    Some((collected, worst))
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

/// A face whose triangles are split.
struct Ground<'b> {
    face: &'b Face,
    edges: &'b [Edge],
    cuts: &'b Cuts,
    chord: f64,
}

/// Where a triangle is split: a side, and the parameter of its edge if it lies on one.
#[derive(Clone, Copy)]
struct Cut {
    side: usize,
    at: Option<f64>,
}

impl Ground<'_> {
    /// A vertex on an edge lies on the curve, whatever face it belongs to.
    fn vertex(&self, vertex: LoopVertex, anchor: Anchor) -> Vertex {
        let point = match anchor {
            Some((edge, t)) => self.edges[edge].curve.point(t),
            None => self.face.surface.point(vertex.uv),
        };
        Vertex { uv: vertex.uv, point, side: vertex.side }
    }

    /// A cut that the neighbour has too; else the side that deviates most, if more than the chord allows.
    fn cut(&self, triangle: &[Vertex; 3]) -> Option<Cut> {
        let shared = (0..3).find_map(|k| {
            let at = self.cuts.within(triangle[k].side.as_ref()?)?;
            Some(Cut { side: k, at: Some(at) })
        });
        if shared.is_some() {
            return shared;
        }
        let deviation = |k: usize| match triangle[k].side {
            Some(side) => self.edges[side.edge].curve.sagitta(side.from, side.to),
            None => bow(&self.face.surface, triangle[k].uv, triangle[(k + 1) % 3].uv),
        };
        let (most, k) =
            (0..3).map(|k| (deviation(k), k)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        let at = triangle[k].side.map(|side| (side.from + side.to) * 0.5);
        (most > self.chord).then_some(Cut { side: k, at })
    }

    fn halves(&self, triangle: &[Vertex; 3], cut: Cut) -> [[Vertex; 3]; 2] {
        let k = cut.side;
        let (a, b, c) = (triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
        let surface = &self.face.surface;
        let (first, second) = match a.side.zip(cut.at) {
            None => {
                let middle = (a.uv + b.uv) * 0.5;
                (None, Vertex { uv: middle, point: surface.point(middle), side: None })
            }
            Some((side, t)) => {
                let point = self.edges[side.edge].curve.point(t);
                let near = a.uv.lerp(b.uv, (t - side.from) / (side.to - side.from));
                let uv = surface.near_parameters(point, near);
                (Some(Side { to: t, ..side }), Vertex { uv, point, side: Some(Side { from: t, ..side }) })
            }
        };
        let bare = Vertex { side: None, ..second };
        [[Vertex { side: first, ..a }, bare, c], [second, b, Vertex { side: None, ..c }]]
    }
}
