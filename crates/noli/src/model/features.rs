//! The corners, edges and faces of a mesh as contacts see them: by position, with what lies around each.

use glam::DVec3;
use noli_geom::Mesh;
use std::collections::HashMap;

/// Sine of the angle up to which two faces count as one plane and two edges as one line. What contacts leave out
/// because of it is off by less than this share of the mesh's size.
pub(crate) const FLAT: f64 = 1e-9;

/// No edge or triangle.
pub(crate) const NONE: u32 = u32::MAX;

/// The features of a mesh. Vertices are numbered by the first at the same position.
#[derive(Debug)]
pub(crate) struct MeshFeatures {
    /// The first vertex at the position of each.
    pub(crate) place: Vec<u32>,
    /// The first triangle at each place, or [`NONE`].
    pub(crate) first_triangle: Vec<u32>,
    /// Whether the surface bends at a place in more than one direction.
    pub(crate) sharp: Vec<bool>,
    pub(crate) edges: Vec<Edge>,
    /// The edge at each side of each triangle, or [`NONE`] where a side has no length.
    pub(crate) edge_of: Vec<[u32; 3]>,
    /// Unit normals of triangles; zero of those without area.
    pub(crate) normals: Vec<DVec3>,
    /// The first triangle of the flat region that each is part of.
    pub(crate) region: Vec<u32>,
    sides: Vec<Side>,
    neighbours: Vec<u32>,
    neighbours_from: Vec<u32>,
    triangles_at: Vec<u32>,
    triangles_from: Vec<u32>,
}

/// An edge between two places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    /// The first triangle that has it.
    pub(crate) first_triangle: u32,
    /// Whether the surface bends, ends or branches there.
    pub(crate) is_sharp: bool,
    /// Whether two faces meet there like the walls of a groove.
    pub(crate) is_concave: bool,
    sides: [u32; 2],
}

/// A face at an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    pub(crate) triangle: u32,
    /// Unit vector in the face, square to the edge, away from it.
    pub(crate) inward: DVec3,
}

impl MeshFeatures {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let vertices = mesh.vertices();
        let place = places(vertices);
        let triangles: Vec<[u32; 3]> =
            mesh.triangles().iter().map(|t| t.map(|v| place[v as usize])).collect();
        let normals: Vec<DVec3> = mesh
            .iter_triangles()
            .map(|t| {
                let [a, b, c] = t.corners;
                unit((b - a).cross(c - a))
            })
            .collect();
        let mut first_triangle = vec![NONE; vertices.len()];
        let mut half_edges: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
        for (number, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let [u, v] = [corners[k], corners[(k + 1) % 3]];
                let first = &mut first_triangle[u as usize];
                *first = (*first).min(number as u32);
                if u != v {
                    half_edges.push(([u.min(v), u.max(v)], number as u32, k));
                }
            }
        }
        half_edges.sort_unstable();
        let mut edge_of = vec![[NONE; 3]; triangles.len()];
        let (mut edges, mut sides): (Vec<Edge>, Vec<Side>) = (Vec::new(), Vec::new());
        for same in half_edges.chunk_by(|x, y| x.0 == y.0) {
            let from = sides.len() as u32;
            let [u, v] = same[0].0;
            let along = unit(vertices[v as usize] - vertices[u as usize]);
            for &(ends, triangle, k) in same {
                edge_of[triangle as usize][k] = edges.len() as u32;
                let third = triangles[triangle as usize][(k + 2) % 3];
                let to = vertices[third as usize] - vertices[ends[0] as usize];
                let inward = unit(to - along * to.dot(along));
                if normals[triangle as usize] != DVec3::ZERO && inward != DVec3::ZERO {
                    sides.push(Side { triangle, inward });
                }
            }
            let around = &sides[from as usize..];
            let (is_sharp, is_concave) = match around {
                [x, y] => {
                    let is_flat = (x.inward + y.inward).length() <= FLAT;
                    // Both faces rise over each other's plane: towards the side that their normals show.
                    let rises = |x: &Side, y: &Side| normals[x.triangle as usize].dot(y.inward) > FLAT;
                    (!is_flat, rises(x, y) && rises(y, x))
                }
                _ => (true, false),
            };
            let (ends, first) = (same[0].0, same[0].1);
            let sides = [from, sides.len() as u32];
            edges.push(Edge { ends, first_triangle: first, is_sharp, is_concave, sides });
        }
        let both = edges.iter().flat_map(|&Edge { ends: [u, v], .. }| [(u, v), (v, u)]);
        let (neighbours, neighbours_from) = listed(both, vertices.len());
        let with_area = |&number: &usize| normals[number] != DVec3::ZERO;
        let corners = (0..triangles.len())
            .filter(with_area)
            .flat_map(|number| triangles[number].map(|corner| (corner, number as u32)));
        let (triangles_at, triangles_from) = listed(corners, vertices.len());
        let region = regions(&edges, &sides, triangles.len());
        let mut features = Self {
            sharp: vec![false; vertices.len()],
            place,
            first_triangle,
            edges,
            edge_of,
            normals,
            region,
            sides,
            neighbours,
            neighbours_from,
            triangles_at,
            triangles_from,
        };
        features.find_sharp(vertices);
        features
    }

    /// A place is sharp unless it is within a flat region, or within a straight edge of two faces.
    fn find_sharp(&mut self, vertices: &[DVec3]) {
        let mut bends: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
        let mut flats = vec![0u32; vertices.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            for end in edge.ends {
                if edge.is_sharp {
                    bends[end as usize].push(number as u32);
                } else {
                    flats[end as usize] += 1;
                }
            }
        }
        for (vertex, bends) in bends.iter().enumerate() {
            let away = |edge: u32| {
                let [u, v] = self.edges[edge as usize].ends;
                let other = if u as usize == vertex { v } else { u };
                unit(vertices[other as usize] - vertices[vertex])
            };
            let two_sided = |edge: u32| self.sides(edge).len() == 2;
            let is_dull = match bends[..] {
                [] => flats[vertex] > 0,
                [x, y] => two_sided(x) && two_sided(y) && (away(x) + away(y)).length() <= FLAT,
                _ => false,
            };
            self.sharp[vertex] = self.first_triangle[vertex] != NONE && !is_dull;
        }
    }

    /// The faces with area at an edge.
    pub(crate) fn sides(&self, edge: u32) -> &[Side] {
        let [from, to] = self.edges[edge as usize].sides;
        &self.sides[from as usize..to as usize]
    }

    /// The places that edges lead to from a place.
    pub(crate) fn neighbours(&self, place: u32) -> &[u32] {
        let [from, to] = [place, place + 1].map(|k| self.neighbours_from[k as usize] as usize);
        &self.neighbours[from..to]
    }

    /// The triangles with area that have a corner at a place.
    pub(crate) fn triangles_at(&self, place: u32) -> &[u32] {
        let [from, to] = [place, place + 1].map(|k| self.triangles_from[k as usize] as usize);
        &self.triangles_at[from..to]
    }
}

/// Zero where there is no direction.
pub(crate) fn unit(v: DVec3) -> DVec3 {
    // By its largest component first, so that no square underflows or overflows.
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).normalize_or_zero() } else { DVec3::ZERO }
}

fn places(vertices: &[DVec3]) -> Vec<u32> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len());
    let key = |v: &DVec3| (*v + DVec3::ZERO).to_array().map(f64::to_bits);
    vertices.iter().enumerate().map(|(number, v)| *first.entry(key(v)).or_insert(number as u32)).collect()
}

/// What belongs to each of `count` numbers, one after the other, and where each begins.
fn listed(pairs: impl Iterator<Item = (u32, u32)> + Clone, count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut from = vec![0u32; count + 1];
    for (number, _) in pairs.clone() {
        from[number as usize + 1] += 1;
    }
    for k in 0..count {
        from[k + 1] += from[k];
    }
    let (mut next, mut all) = (from.clone(), vec![0; from[count] as usize]);
    for (number, value) in pairs {
        all[next[number as usize] as usize] = value;
        next[number as usize] += 1;
    }
    (all, from)
}

/// Triangles joined across edges that are not sharp.
fn regions(edges: &[Edge], sides: &[Side], count: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    fn root(parent: &mut [u32], mut member: u32) -> u32 {
        while parent[member as usize] != member {
            let next = parent[parent[member as usize] as usize];
            parent[member as usize] = next;
            member = next;
        }
        member
    }
    for edge in edges.iter().filter(|edge| !edge.is_sharp) {
        if let [x, y] = sides[edge.sides[0] as usize..edge.sides[1] as usize] {
            let [x, y] = [x, y].map(|side| root(&mut parent, side.triangle));
            parent[x.max(y) as usize] = x.min(y);
        }
    }
    (0..count as u32).map(|triangle| root(&mut parent, triangle)).collect()
}
