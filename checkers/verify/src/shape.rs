//! Shapes: canonical meshes, primitives, closedness, components and covers (section 3).

use crate::cbor::Value;
use crate::dyadic::{Dyadic, Vector, cross, dot};
use crate::error::{CheckError, Result, require, required};
use crate::interval::{Enclosure, Region, difference, inner};
use crate::span::Span;
use std::cmp::Ordering;
use std::collections::HashMap;

pub(crate) const INTEGERS: i64 = 1 << 62;
const COUNT: usize = 1 << 24;
const EXPONENT: u64 = 1100;

/// Nine coordinates.
pub(crate) type Triangle = [f64; 9];

fn order(a: &Triangle, b: &Triangle) -> Ordering {
    a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Puts triangles in the order that depends on their coordinates only.
pub(crate) fn canonical(triangles: &mut [Triangle]) -> Result<()> {
    for triangle in triangles.iter_mut() {
        let is_small = triangle.iter().all(|x| x.abs() <= 2f64.powi(300));
        require(is_small, "E-MESH", "a coordinate is not finite or beyond 2^300")?;
        // Adding 0 turns -0 into 0.
        let [a, b, c, d, e, f, g, h, i] = triangle.map(|x| x + 0.0);
        let rotations = [[d, e, f, g, h, i, a, b, c], [g, h, i, a, b, c, d, e, f]];
        *triangle = rotations.into_iter().fold([a, b, c, d, e, f, g, h, i], |least, other| {
            if order(&other, &least).is_lt() { other } else { least }
        });
    }
    triangles.sort_by(order);
    Ok(())
}

pub(crate) fn pack(triangles: &[Triangle]) -> Vec<u8> {
    triangles.iter().flatten().flat_map(|x| x.to_be_bytes()).collect()
}

/// Reads canonical triangles.
pub(crate) fn unpack(data: &[u8], count: usize) -> Result<Vec<Triangle>> {
    let right = count.checked_mul(72) == Some(data.len());
    require(right, "E-MESH", "`triangles` has not 72 bytes for each of `count` triangles")?;
    let numbers: Vec<f64> = data.as_chunks::<8>().0.iter().map(|bytes| f64::from_be_bytes(*bytes)).collect();
    let mut triangles = numbers.as_chunks::<9>().0.to_vec();
    canonical(&mut triangles)?;
    require(pack(&triangles) == data, "E-MESH", "the triangles are not in canonical form")?;
    Ok(triangles)
}

/// A closed set in its own frame.
#[derive(Debug)]
pub(crate) enum Shape {
    Mesh(Mesh),
    Box { halves: Vector },
    Sphere { radius: Dyadic },
    Capsule { radius: Dyadic, half: Dyadic },
    Cylinder { radius: Dyadic, half: Dyadic },
}

/// Points and a radius: every point of the shape is within the radius of their convex hull.
pub(crate) struct Extent {
    pub(crate) points: Vec<Vector>,
    pub(crate) radius: Dyadic,
}

impl Shape {
    pub(crate) fn mesh(&self) -> Option<&Mesh> {
        if let Self::Mesh(mesh) = self { Some(mesh) } else { None }
    }

    /// Returns the mesh if it is a solid.
    pub(crate) fn solid(&self) -> Option<&Mesh> {
        self.mesh().filter(|mesh| mesh.solid)
    }

    pub(crate) fn component_count(&self) -> usize {
        self.mesh().map_or(1, |mesh| mesh.components.len())
    }

    pub(crate) fn probe(&self, component: usize) -> Vector {
        let vertex = |mesh: &Mesh| mesh.point(mesh.faces[mesh.components[component]][0]);
        self.mesh().map_or([Dyadic::ZERO; 3], vertex)
    }

    pub(crate) fn extent(&self) -> Extent {
        let aligned = |halves: [&Dyadic; 3]| {
            let edge = |u: usize| [0, 1, 2].map(|d| if d == u { halves[d].clone() } else { Dyadic::ZERO });
            vertices(&[Dyadic::ZERO; 3], &[0, 1, 2].map(edge))
        };
        let box_of = |x: &Dyadic, z: &Dyadic| aligned([x, x, z]);
        let (zero, none) = (&Dyadic::ZERO, Dyadic::ZERO);
        let (points, radius) = match self {
            Self::Mesh(mesh) => (mesh.extent(), none),
            Self::Box { halves } => (aligned(halves.each_ref()), none),
            Self::Sphere { radius } => (box_of(zero, zero), radius.clone()),
            Self::Capsule { radius, half } => (box_of(zero, half), radius.clone()),
            Self::Cylinder { radius, half } => (box_of(radius, half), none),
        };
        Extent { points, radius }
    }

    /// Returns `true` if all points of a region are in the primitive.
    pub(crate) fn holds(&self, y: &Region) -> bool {
        let across = y[0].squared().plus(&y[1].squared());
        let farthest = y[2].low.abs().max(y[2].high.abs());
        match self {
            Self::Mesh(_) => false,
            Self::Box { halves } => y.iter().zip(halves).all(|(x, half)| -half <= x.low && x.high <= *half),
            Self::Sphere { radius } => across.plus(&y[2].squared()).high <= radius.squared(),
            Self::Cylinder { radius, half } => farthest <= *half && across.high <= radius.squared(),
            Self::Capsule { radius, half } => {
                let beyond = (&farthest - half).max(Dyadic::ZERO);
                &across.high + &beyond.squared() <= radius.squared()
            }
        }
    }
}

/// The vertices of a parallelepiped.
fn vertices(center: &Vector, edges: &[Vector; 3]) -> Vec<Vector> {
    let moved = |k: usize, d: usize| {
        let signed = |u: usize| if k >> u & 1 == 0 { edges[u][d].clone() } else { -&edges[u][d] };
        (0..3).fold(center[d].clone(), |sum, u| &sum + &signed(u))
    };
    (0..8).map(|k| [0, 1, 2].map(|d| moved(k, d))).collect()
}

/// A mesh with its cover.
#[derive(Debug)]
pub(crate) struct Mesh {
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) faces: Vec<[usize; 3]>,
    pub(crate) solid: bool,
    /// The SHA-256 of the canonical triangles.
    pub(crate) hash: [u8; 32],
    /// The smallest face of each component.
    pub(crate) components: Vec<usize>,
    pub(crate) cover: Option<Cover>,
}

impl Mesh {
    pub(crate) fn new(triangles: &[Triangle], hash: [u8; 32], solid: bool) -> Result<Self> {
        let (mut index, mut points) = (HashMap::new(), Vec::new());
        let mut vertex = |point: [f64; 3]| {
            *index.entry(point.map(f64::to_bits)).or_insert_with(|| {
                points.push(point);
                points.len().saturating_sub(1)
            })
        };
        let faces: Vec<[usize; 3]> = triangles
            .iter()
            .map(|&[a, b, c, d, e, f, g, h, i]| [vertex([a, b, c]), vertex([d, e, f]), vertex([g, h, i])])
            .collect();
        require(!solid || is_closed(&faces), "E-OPEN", "a solid mesh is not closed")?;
        let components = components(&faces, points.len());
        Ok(Self { points, faces, solid, hash, components, cover: None })
    }

    /// Whether each directed edge is there as often as its reverse.
    pub(crate) fn is_closed(&self) -> bool {
        is_closed(&self.faces)
    }

    pub(crate) fn point(&self, vertex: usize) -> Vector {
        self.points[vertex].map(Dyadic::double)
    }

    fn extent(&self) -> Vec<Vector> {
        let Some(cover) = &self.cover else { return Vec::new() };
        let top = &cover.nodes[0];
        let tops = if top.is_leaf { vec![top] } else { top.list.iter().map(|&k| &cover.nodes[k]).collect() };
        tops.into_iter().flat_map(|node| vertices(&node.cell.center, &node.cell.edges)).collect()
    }
}

fn is_closed(faces: &[[usize; 3]]) -> bool {
    let mut balance: HashMap<(usize, usize), i64> = HashMap::new();
    for [a, b, c] in faces {
        for (u, v) in [(a, b), (b, c), (c, a)] {
            // An edge from u to v counts 1, one from v to u counts -1.
            let step = match u.cmp(v) {
                Ordering::Less => 1,
                Ordering::Greater => -1,
                Ordering::Equal => continue,
            };
            let count = balance.entry((*u.min(v), *u.max(v))).or_default();
            *count = count.saturating_add(step);
        }
    }
    balance.values().all(|&count| count == 0)
}

fn components(faces: &[[usize; 3]], vertices: usize) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..vertices).collect();
    fn root(parents: &mut [usize], mut v: usize) -> usize {
        while parents[v] != v {
            parents[v] = parents[parents[v]];
            v = parents[v];
        }
        v
    }
    for &[a, b, c] in faces {
        for other in [b, c] {
            let (from, to) = (root(&mut parents, other), root(&mut parents, a));
            parents[from] = to;
        }
    }
    let mut first = HashMap::new();
    for (face, &[a, _, _]) in faces.iter().enumerate() {
        first.entry(root(&mut parents, a)).or_insert(face);
    }
    let mut found: Vec<usize> = first.into_values().collect();
    found.sort_unstable();
    found
}

/// A tree of boxes over the faces of a mesh.
#[derive(Debug)]
pub(crate) struct Cover {
    pub(crate) nodes: Vec<Node>,
}

/// A node of a body: of the cover of a mesh, a face, or the whole of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Cover(usize),
    Face(usize),
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) is_leaf: bool,
    pub(crate) cell: Parallelepiped,
    /// Faces of a leaf, nodes of an inner node.
    pub(crate) list: Vec<usize>,
}

/// The set `c + s1·u1 + s2·u2 + s3·u3` of all `s` from -1 to 1.
#[derive(Debug)]
pub(crate) struct Parallelepiped {
    pub(crate) center: Vector,
    pub(crate) edges: [Vector; 3],
    /// The same in doubles, each off by at most 2^-52 of itself: centre, then edges.
    pub(crate) rounded: [[f64; 3]; 4],
}

impl Cover {
    /// Reads a cover and checks that it covers the mesh.
    pub(crate) fn new(mesh: &Mesh, nodes: &Value) -> Result<Self> {
        let nodes = nodes.array().filter(|nodes| !nodes.is_empty());
        let nodes = required(nodes, "E-COVER", "a cover has no nodes")?;
        require(nodes.len() <= COUNT, "E-LIMIT", "a cover has more than 2^24 nodes")?;
        let read = |(index, node)| Node::new(node, index, nodes.len(), mesh.faces.len());
        let cover = Self { nodes: nodes.iter().enumerate().map(read).collect::<Result<_>>()? };
        cover.check_tree()?;
        cover.check_boxes(mesh)?;
        Ok(cover)
    }

    fn check_tree(&self) -> Result<()> {
        let mut seen = vec![0u32; self.nodes.len()];
        for node in self.nodes.iter().filter(|node| !node.is_leaf) {
            node.list.iter().for_each(|&child| seen[child] = seen[child].saturating_add(1));
        }
        let is_tree = seen[1..].iter().all(|&count| count == 1);
        require(is_tree, "E-COVER", "a node is not the child of exactly one node")
    }

    /// Checks that each vertex at or below a node is in its box.
    fn check_boxes(&self, mesh: &Mesh) -> Result<()> {
        let mut covered = vec![false; mesh.faces.len()];
        let mut below: Vec<Vec<usize>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let mut vertices: Vec<usize> = Vec::new();
            for &k in &node.list {
                if node.is_leaf {
                    let again = std::mem::replace(&mut covered[k], true);
                    require(!again, "E-COVER", format!("face {k} is in the leaves of a cover twice"))?;
                    vertices.extend(mesh.faces[k]);
                } else {
                    vertices.append(&mut below[k]);
                }
            }
            vertices.sort_unstable();
            vertices.dedup();
            let test = Membership::new(&node.cell)?;
            let inside = vertices.iter().all(|&vertex| test.holds(&mesh.points[vertex]));
            require(inside, "E-COVER", format!("the box of node {index} misses a vertex"))?;
            below[index] = vertices;
        }
        require(covered.into_iter().all(|face| face), "E-COVER", "a face of the mesh is in no leaf")
    }
}

impl Node {
    fn new(value: &Value, index: usize, nodes: usize, faces: usize) -> Result<Self> {
        let wrong = || CheckError::new("E-COVER", format!("node {index} of a cover is no node"));
        let Some([kind, cell, list]) = value.array() else { return Err(wrong()) };
        let is_leaf = kind.index(2).ok_or_else(wrong)? == 1;
        let cell = Parallelepiped::new(cell, index)?;
        let entry = |value: &Value| match is_leaf {
            true => value.index(faces),
            false => value.index(nodes).filter(|&child| child > index),
        };
        let list: Option<Vec<usize>> = list.array().ok_or_else(wrong)?.iter().map(entry).collect();
        let list = list.filter(|list| !list.is_empty()).ok_or_else(wrong)?;
        Ok(Self { is_leaf, cell, list })
    }
}

impl Parallelepiped {
    fn new(value: &Value, index: usize) -> Result<Self> {
        let wrong = || CheckError::new("E-COVER", format!("the box of node {index} has not 13 integers"));
        let numbers: Option<Vec<i64>> = value.array().ok_or_else(wrong)?.iter().map(Value::integer).collect();
        let numbers: [i64; 13] = numbers.and_then(|all| all.try_into().ok()).ok_or_else(wrong)?;
        let small = numbers.iter().all(|x| x.unsigned_abs() <= INTEGERS.unsigned_abs());
        require(small, "E-LIMIT", format!("the box of node {index} is beyond 2^62"))?;
        let [exponent, c1, c2, c3, u1, u2, u3, v1, v2, v3, w1, w2, w3] = numbers;
        let usual = exponent.unsigned_abs() <= EXPONENT;
        require(usual, "E-COVER", format!("the exponent of node {index} is too large"))?;
        let vector = |v: [i64; 3]| v.map(|x| Dyadic::new(x.into(), exponent));
        let center = vector([c1, c2, c3]);
        let edges = [[u1, u2, u3], [v1, v2, v3], [w1, w2, w3]].map(vector);
        let nearly = |v: &Vector| v.each_ref().map(Dyadic::to_double_down);
        let rounded = [nearly(&center), nearly(&edges[0]), nearly(&edges[1]), nearly(&edges[2])];
        Ok(Self { center, edges, rounded })
    }
}

/// The test of points against a parallelepiped by the adjugate of its edges, in doubles where they suffice.
struct Membership<'c> {
    cell: &'c Parallelepiped,
    rows: [Vector; 3],
    size: Dyadic,
    /// Centre, rows and determinant in doubles.
    rough: ([Span; 3], [[Span; 3]; 3], Span),
}

impl<'c> Membership<'c> {
    fn new(cell: &'c Parallelepiped) -> Result<Self> {
        let [u, v, w] = &cell.edges;
        let rows = [cross(v, w), cross(w, u), cross(u, v)];
        let size = dot(u, &rows[0]).abs();
        require(!size.is_zero(), "E-COVER", "the box of a node is flat")?;
        let spans = |v: &Vector| v.each_ref().map(Span::of);
        let rough = (spans(&cell.center), rows.each_ref().map(spans), Span::of(&size));
        Ok(Self { cell, rows, size, rough })
    }

    fn holds(&self, point: &[f64; 3]) -> bool {
        let (center, rows, size) = &self.rough;
        let offset = difference(&point.map(Span::point), center);
        rows.iter().all(|row| inner(row, &offset).is_within(size))
            || self.holds_exactly(&point.map(Dyadic::double))
    }

    fn holds_exactly(&self, point: &Vector) -> bool {
        let offset = [0, 1, 2].map(|d| &point[d] - &self.cell.center[d]);
        self.rows.iter().all(|row| dot(row, &offset).abs() <= self.size)
    }
}
