//! The vertices, edges and faces of a mesh as contacts see them: by position, with what lies around each.

use glam::DVec3;
use noli_geom::Mesh;
use std::collections::HashMap;

/// Sine of the angle up to which two faces count as one plane and two edges as one line. What contacts leave out
/// because of it is off by less than this share of the mesh's size.
pub(crate) const FLAT: f64 = 1e-9;

/// The same of two edges of one line, across a fan of flat faces.
const ALIKE: f64 = 1e3 * FLAT;

/// No edge or triangle.
pub(crate) const NONE: u32 = u32::MAX;

/// The features of a mesh. Vertices are numbered by the first at the same position.
#[derive(Debug)]
pub(crate) struct MeshFeatures {
    /// The first vertex at the position of each.
    pub(crate) place: Vec<u32>,
    /// The first triangle at each place, or [`NONE`].
    pub(crate) first_triangle: Vec<u32>,
    /// Feature of each place.
    pub(crate) held: Vec<Held>,
    /// Unit vectors out of the surface at each place: the mean of the normals around, weighted by their angles, which is
    /// on the side of whatever the place is nearest to (Bærentzen and Aanæs 2005).
    pub(crate) outward: Vec<DVec3>,
    pub(crate) edges: Vec<Edge>,
    /// The edge at each side of each triangle, or [`NONE`] where a side has no length.
    pub(crate) edge_of: Vec<[u32; 3]>,
    /// Unit normals of triangles; zero of those without area.
    pub(crate) normals: Vec<DVec3>,
    /// The first triangle of the flat region that each is part of.
    pub(crate) region: Vec<u32>,
    /// `true` if the whole mesh lies in one plane.
    pub(crate) is_flat: bool,
    sides: Vec<Side>,
    neighbours: Vec<u32>,
    neighbours_from: Vec<u32>,
}

/// Feature that contains a point of a surface, classified by its bends: none within a face, one line along an
/// edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// A place where the surface bends in more than one direction.
    Vertex(u32),
    /// A sharp edge.
    Edge(u32),
    /// A triangle of a flat region.
    Face(u32),
}

/// An edge between two places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    /// The first triangle that has it.
    pub(crate) first_triangle: u32,
    /// `true` if the surface bends, ends or branches there.
    pub(crate) is_sharp: bool,
    /// The first edge of the straight line of sharp edges that it is part of.
    pub(crate) line: u32,
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
                let [a, b, c] = t.vertices;
                unit(unit(b - a).cross(unit(c - a)))
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
            let is_flat = matches!(sides[from as usize..], [x, y] if (x.inward + y.inward).length() <= FLAT);
            let (ends, first_triangle, line) = (same[0].0, same[0].1, edges.len() as u32);
            let sides = [from, sides.len() as u32];
            edges.push(Edge { ends, first_triangle, is_sharp: !is_flat, line, sides });
        }
        let both = edges.iter().flat_map(|&Edge { ends: [u, v], .. }| [(u, v), (v, u)]);
        let (neighbours, neighbours_from) = listed(both, vertices.len());
        let region = regions(&edges, &sides, triangles.len());
        let outward = outward(vertices, &triangles, &normals);
        let is_flat = is_flat(vertices, &triangles, &normals);
        let held = vec![Held::Vertex(NONE); vertices.len()];
        let mut features = Self {
            place,
            first_triangle,
            held,
            outward,
            edges,
            edge_of,
            normals,
            region,
            is_flat,
            sides,
            neighbours,
            neighbours_from,
        };
        features.find_vertices(vertices);
        features
    }

    /// A place is a vertex unless it is within a flat region, or within a straight edge: one from which the same faces
    /// go on at both sides of the place, two or more, or one at a border.
    fn find_vertices(&mut self, vertices: &[DVec3]) {
        let mut bends: Vec<Vec<u32>> = vec![Vec::new(); vertices.len()];
        let mut flats = vec![NONE; vertices.len()];
        for (number, edge) in self.edges.iter().enumerate() {
            for end in edge.ends {
                if edge.is_sharp {
                    bends[end as usize].push(number as u32);
                } else {
                    flats[end as usize] = edge.first_triangle;
                }
            }
        }
        let mut lines: Vec<u32> = (0..self.edges.len() as u32).collect();
        for (vertex, bends) in bends.iter().enumerate() {
            let away = |edge: u32| {
                let [u, v] = self.edges[edge as usize].ends;
                let other = if u as usize == vertex { v } else { u };
                unit(vertices[other as usize] - vertices[vertex])
            };
            // What bends there is the line alone, so every face runs along it past the place.
            let alike = |x: u32, y: u32| {
                let [x, y] = [x, y].map(|edge| self.sides(edge));
                let goes_on = |x: &Side| y.iter().any(|y| (x.inward - y.inward).length() <= ALIKE);
                x.len() == y.len() && !x.is_empty() && x.iter().all(goes_on)
            };
            self.held[vertex] = match bends[..] {
                [] if flats[vertex] != NONE => Held::Face(flats[vertex]),
                [x, y] if (away(x) + away(y)).length() <= FLAT && alike(x, y) => {
                    join(&mut lines, x, y);
                    Held::Edge(x)
                }
                _ => Held::Vertex(vertex as u32),
            };
        }
        for edge in 0..lines.len() as u32 {
            self.edges[edge as usize].line = root(&mut lines, edge);
        }
    }

    /// Returns `true` if a vertex is a feature: the first at its position, on a surface, and a vertex of it.
    pub(crate) fn is_vertex(&self, vertex: u32) -> bool {
        self.first_triangle[vertex as usize] != NONE && self.held[vertex as usize] == Held::Vertex(vertex)
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
}

/// Returns the unit vector of `v`; zero if it has no direction.
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

/// Returns the values of each of `count` numbers, consecutively, and the start index of each.
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

/// Returns the first member of a member's group, for groups stored as parent links.
fn root(parent: &mut [u32], mut member: u32) -> u32 {
    while parent[member as usize] != member {
        let next = parent[parent[member as usize] as usize];
        parent[member as usize] = next;
        member = next;
    }
    member
}

fn join(parent: &mut [u32], x: u32, y: u32) {
    let [x, y] = [x, y].map(|member| root(parent, member));
    parent[x.max(y) as usize] = x.min(y);
}

/// Triangles joined across edges that are not sharp.
fn regions(edges: &[Edge], sides: &[Side], count: usize) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..count as u32).collect();
    for edge in edges.iter().filter(|edge| !edge.is_sharp) {
        if let [x, y] = sides[edge.sides[0] as usize..edge.sides[1] as usize] {
            join(&mut parent, x.triangle, y.triangle);
        }
    }
    (0..count as u32).map(|triangle| root(&mut parent, triangle)).collect()
}

fn is_flat(vertices: &[DVec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> bool {
    let Some(first) = normals.iter().position(|&normal| normal != DVec3::ZERO) else { return true };
    let from = vertices[triangles[first][0] as usize];
    let away = |v: &DVec3| unit(*v - from).dot(normals[first]).abs();
    vertices.iter().all(|v| away(v) <= FLAT)
}

fn outward(vertices: &[DVec3], triangles: &[[u32; 3]], normals: &[DVec3]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; vertices.len()];
    for (corners, &normal) in triangles.iter().zip(normals) {
        for k in 0..3 {
            let [at, next, last] = [0, 1, 2].map(|i| vertices[corners[(k + i) % 3] as usize]);
            let (u, v) = (unit(next - at), unit(last - at));
            sums[corners[k] as usize] += normal * u.cross(v).length().atan2(u.dot(v));
        }
    }
    sums.into_iter().map(unit).collect()
}
