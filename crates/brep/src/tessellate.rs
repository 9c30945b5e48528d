//! Triangles of a body, for display and for queries against meshes.
//!
//! The faces at an edge share the points of its polyline by their numbers, and a face has further points only inside, so
//! that a closed shell gives a closed mesh. A face is a constrained Delaunay triangulation of its polygon in the parameters
//! of its surface; triangles that the surface bows from by too much are split (Chew 1993).

use crate::body::Brep;
use crate::boundary::{LoopVertex, OrientedEdge};
use crate::face::{Face, on_left};
use crate::facet::Region;
use crate::polylines::Polylines;
use crate::surface::Surface;
use crate::trace::{Density, Traced, trace};
use glam::DVec3;
use noli_geom::{Mesh, MeshError, MeshOptions};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most triangles of one face, and of a body.
const MAX_TRIANGLES: [usize; 2] = [500_000, 4_000_000];
/// Largest chord as a share of the size: a small body keeps its shape.
const COARSEST: f64 = 0.005;
/// Smallest chord as a share of the size.
const FINEST: f64 = 1e-5;
/// Share of the chord that pieces of an edge may use: one that is no line of constant parameter, one next to a surface that is
/// bent in both directions, and any other.
const SHARES: [f64; 3] = [0.35, 0.5, 0.8];
/// Pieces of edges that loops are traced in, as a multiple of the coarsest.
const TRACED: usize = 2;
/// Most times that the edges of a polygon that crosses itself are halved.
const MAX_ROUNDS: usize = 4;

impl Brep {
    /// Triangles within about `chord` of the faces, and a bound on their distance from them. A closed shell gives a closed
    /// mesh. The chord is between 1e-5 and 0.005 of the size, and becomes larger where triangles would be too many.
    pub fn tessellated(&self, chord: f64) -> Result<(Mesh, f64), MeshError> {
        let size = self.size();
        let traced: Vec<Vec<Traced>> = self.faces.iter().map(|face| loops(self, face)).collect();
        let mut chord = chord.min(COARSEST * size).max(FINEST * size);
        let (collected, deviation) = loop {
            // A chord of more than the size needs no more than the vertices of the loops.
            let is_limited = chord < size;
            match tessellate(self, &traced, chord, is_limited) {
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

/// The loops of a face in the parameters of its surface; none of a face that could not be followed.
fn loops(body: &Brep, face: &Face) -> Vec<Traced> {
    let density = Density { all: TRACED, finer: &BTreeMap::new() };
    let rings: Vec<Vec<OrientedEdge>> = on_left(&face.loops, face.same_sense);
    let found = rings.iter().map(|ring| trace(&face.surface, &body.edges, ring, density));
    found.collect::<Option<_>>().unwrap_or_default()
}

/// Triangles within about `chord` of the faces, and a bound on their distance from them. `None` if they are too many.
fn tessellate(body: &Brep, traced: &[Vec<Traced>], chord: f64, is_limited: bool) -> Option<(Collected, f64)> {
    let limits: Vec<f64> = shares(body, traced).into_iter().map(|share| share * chord).collect();
    let mut lines = Polylines::new(body, &limits);
    lines.insert(traced.iter().flatten().flat_map(at_poles));
    let mut lacking = Vec::new();
    for (face, rings) in body.faces.iter().zip(traced) {
        for ring in rings {
            let ring = ring.with_vertices(lines.resampled(&face.surface, &body.edges, ring));
            lacking.append(&mut Polylines::lacking(&face.surface, &body.edges, &ring, chord));
        }
    }
    lines.insert(lacking);
    let regions = regions(body, traced, &mut lines, chord);
    let mut collected = Collected::new(body.size());
    let mut worst = 0.0f64;
    for (face, region) in body.faces.iter().zip(regions) {
        let most = if is_limited { MAX_TRIANGLES[0] } else { usize::MAX };
        let facets = region.refined((face, &body.edges), chord, most)?;
        worst = worst.max(facets.deviation(face, &body.edges));
        let numbers: Vec<u32> = facets
            .nodes
            .iter()
            .map(|node| match node.anchor {
                Some((edge, t)) => collected.number(lines.point(&body.edges, edge, t)),
                None if node.is_inner => collected.push(face.surface.point(node.uv)),
                None => collected.number(face.surface.point(node.uv)),
            })
            .collect();
        for triangle in facets.triangles() {
            let [a, b, c] = triangle.map(|node| numbers[node]);
            collected.add(if face.same_sense { [a, b, c] } else { [a, c, b] });
        }
        if is_limited && collected.triangles.len() > MAX_TRIANGLES[1] {
            return None;
        }
    }
    Some((collected, worst + lines.gap))
}

/// The places where edges of a loop pass through poles: their sides end there.
fn at_poles(ring: &Traced) -> impl Iterator<Item = (usize, f64)> + '_ {
    let at = |pair: &[LoopVertex; 2]| pair[1].side.filter(|_| pair[0].side.is_none());
    ring.vertices.array_windows().filter_map(at).map(|side| (side.edge, side.from))
}

/// The shares of the chord that the edges of a body may use.
fn shares(body: &Brep, traced: &[Vec<Traced>]) -> Vec<f64> {
    let mut shares = vec![SHARES[2]; body.edges.len()];
    for (face, rings) in body.faces.iter().zip(traced) {
        let straight = match face.surface {
            Surface::Plane(_) => continue,
            Surface::Cylinder { .. } | Surface::Cone { .. } | Surface::Extrusion { .. } => SHARES[2],
            _ => SHARES[1],
        };
        for side in rings.iter().flat_map(|ring| &ring.vertices).filter_map(|vertex| vertex.side) {
            let share = if side.straight { straight } else { SHARES[0] };
            shares[side.edge] = shares[side.edge].min(share);
        }
    }
    shares
}

/// The polygons of all faces, cut into triangles. Edges of polygons that cross themselves are cut into shorter pieces.
fn regions(body: &Brep, traced: &[Vec<Traced>], lines: &mut Polylines, chord: f64) -> Vec<Region> {
    let region = |number: usize, lines: &Polylines| {
        let (face, edges) = (&body.faces[number], &body.edges);
        let resampled = |ring: &Traced| ring.with_vertices(lines.resampled(&face.surface, edges, ring));
        Region::new(&face.surface, traced[number].iter().map(resampled).collect(), chord)
    };
    let mut regions: Vec<Region> = (0..body.faces.len()).map(|number| region(number, lines)).collect();
    for _ in 0..MAX_ROUNDS {
        let crossing = (0..regions.len()).filter(|&number| !regions[number].is_simple);
        let edges: BTreeSet<usize> = crossing.flat_map(|number| edges_of(&body.faces[number])).collect();
        if edges.is_empty() {
            break;
        }
        let middles: Vec<(usize, f64)> = edges.iter().flat_map(|&edge| lines.middles(edge)).collect();
        lines.insert(middles);
        for (number, face) in body.faces.iter().enumerate() {
            if edges_of(face).any(|edge| edges.contains(&edge)) {
                regions[number] = region(number, lines);
            }
        }
    }
    regions
}

fn edges_of(face: &Face) -> impl Iterator<Item = usize> + '_ {
    face.loops.iter().flatten().map(|&(edge, _)| edge)
}

/// Triangles of a mesh in the making. Points that agree up to rounding are one vertex: along seams and at poles.
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

    fn push(&mut self, point: DVec3) -> u32 {
        self.vertices.push(point);
        self.vertices.len() as u32 - 1
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
        let number = self.push(point);
        self.numbers.entry([x, y, z]).or_insert(number);
        number
    }

    fn add(&mut self, [a, b, c]: [u32; 3]) {
        if a != b && b != c && c != a {
            self.triangles.push([a, b, c]);
        }
    }
}
