//! Triangles adjacent to each edge.
//!
//! Edges are found by counting sort on their smaller vertex and a small sort on the larger one. This is
//! linear for real meshes, `n log n` when many triangles share an edge. Edges are vertex pairs, so equal
//! positions must have been welded to count as one.

use super::Mesh;

/// One side of an edge: the side that runs from a vertex of a triangle to its next vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HalfEdge(u32);

impl HalfEdge {
    /// The half-edge of a triangle that starts at its vertex 0, 1 or 2.
    pub fn new(triangle: u32, vertex: usize) -> Self {
        assert!(vertex < 3, "a triangle has vertices 0, 1 and 2");
        Self(3 * triangle + vertex as u32)
    }

    /// The triangle it is part of.
    pub fn triangle(self) -> u32 {
        self.0 / 3
    }

    /// The vertex it starts at.
    pub fn vertex(self) -> usize {
        (self.0 % 3) as usize
    }

    /// Its start and end vertex.
    pub fn vertices(self, mesh: &Mesh) -> [u32; 2] {
        ends(mesh.triangles(), self)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The edges of a mesh and the triangles around each, manifold or not.
///
/// Edges are numbered by their vertex pair (smaller vertex first, in lexicographic order) and the
/// half-edges of an edge by triangle: the same mesh always gives the same numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjacency {
    /// The half-edges, those of one edge side by side.
    half_edges: Vec<HalfEdge>,
    /// `true` for each half-edge that starts at the smaller of its vertices.
    rises: Vec<bool>,
    /// Start index of each edge in `half_edges`, and the end.
    starts: Vec<u32>,
    /// The edge of each half-edge.
    edge_of: Vec<u32>,
}

impl Adjacency {
    /// Matches the edges of a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let triangles = mesh.triangles();
        let half_edges = sorted_half_edges(triangles, mesh.vertices().len());
        let mut starts = Vec::new();
        let mut edge_of = vec![0; half_edges.len()];
        let mut last = None;
        for (i, &half_edge) in half_edges.iter().enumerate() {
            let key = sorted(ends(triangles, half_edge));
            if last != Some(key) {
                starts.push(i as u32);
                last = Some(key);
            }
            edge_of[half_edge.index()] = (starts.len() - 1) as u32;
        }
        starts.push(half_edges.len() as u32);
        let rises = triangles.iter().flat_map(|&[a, b, c]| [a < b, b < c, c < a]).collect();
        Self { half_edges, rises, starts, edge_of }
    }

    /// Returns the number of edges, each counted once.
    pub fn edge_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The edge that a half-edge is a side of.
    pub fn edge_of(&self, half_edge: HalfEdge) -> u32 {
        self.edge_of[half_edge.index()]
    }

    /// All half-edges of an edge: two where the surface is manifold, one at its border.
    pub fn sides(&self, edge: u32) -> &[HalfEdge] {
        let [start, end] = [edge as usize, edge as usize + 1].map(|i| self.starts[i] as usize);
        &self.half_edges[start..end]
    }

    /// The other half-edges of the same edge.
    pub fn others(&self, half_edge: HalfEdge) -> impl Iterator<Item = HalfEdge> {
        self.sides(self.edge_of(half_edge)).iter().copied().filter(move |&other| other != half_edge)
    }

    /// Returns the opposite half-edge of a manifold edge. `None` at a border and where three or more triangles
    /// share the edge. Also `None` where one of two triangles is flipped, so that both run in the same
    /// direction.
    pub fn twin(&self, half_edge: HalfEdge) -> Option<HalfEdge> {
        match *self.sides(self.edge_of(half_edge)) {
            [a, b] if self.rises[a.index()] != self.rises[b.index()] => {
                Some(if a == half_edge { b } else { a })
            }
            _ => None,
        }
    }

    /// For each triangle the number of its part, where triangles that share an edge are of one part.
    /// Parts are numbered in order of their first triangle.
    pub fn parts(&self) -> Parts {
        let mut sets = DisjointSets::new(self.edge_of.len() / 3);
        for edge in 0..self.edge_count() as u32 {
            let sides = self.sides(edge);
            for pair in sides.windows(2) {
                sets.join(pair[0].triangle(), pair[1].triangle());
            }
        }
        sets.into_parts()
    }
}

/// The connected parts of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// Actual count.
    pub count: u32,
    /// The part of each triangle.
    pub of_triangle: Vec<u32>,
}

impl Parts {
    /// The first triangle of each part.
    pub fn first_triangles(&self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.count as usize);
        for (triangle, &part) in self.of_triangle.iter().enumerate() {
            if part as usize == first.len() {
                first.push(triangle as u32);
            }
        }
        first
    }
}

fn ends(triangles: &[[u32; 3]], half_edge: HalfEdge) -> [u32; 2] {
    let triangle = triangles[half_edge.triangle() as usize];
    let vertex = half_edge.vertex();
    [triangle[vertex], triangle[(vertex + 1) % 3]]
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn sorted_half_edges(triangles: &[[u32; 3]], vertex_count: usize) -> Vec<HalfEdge> {
    let count = 3 * triangles.len() as u32;
    let mut ends_of_bucket = vec![0u32; vertex_count + 1];
    for i in 0..count {
        ends_of_bucket[sorted(ends(triangles, HalfEdge(i)))[0] as usize + 1] += 1;
    }
    for i in 0..vertex_count {
        ends_of_bucket[i + 1] += ends_of_bucket[i];
    }
    // After the scatter, slot `v` holds the end of bucket `v`: it started as the end of `v - 1`.
    let mut bucketed = vec![(0u32, HalfEdge(0)); count as usize];
    for i in 0..count {
        let [low, high] = sorted(ends(triangles, HalfEdge(i)));
        let slot = &mut ends_of_bucket[low as usize];
        bucketed[*slot as usize] = (high, HalfEdge(i));
        *slot += 1;
    }
    let mut start = 0;
    for &end in &ends_of_bucket[..vertex_count] {
        bucketed[start..end as usize].sort_unstable();
        start = end as usize;
    }
    bucketed.into_iter().map(|(_, half_edge)| half_edge).collect()
}

/// Union-find with path halving; the root of a set is its smallest member.
pub(super) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    pub(super) fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    fn root(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let grandparent = self.parent[self.parent[member as usize] as usize];
            self.parent[member as usize] = grandparent;
            member = grandparent;
        }
        member
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    pub(super) fn into_parts(mut self) -> Parts {
        let mut parts = Parts::default();
        for member in 0..self.parent.len() as u32 {
            let root = self.root(member);
            // A root comes before all other members, so its number is already there.
            let part = if root == member { parts.count } else { parts.of_triangle[root as usize] };
            parts.count += u32::from(root == member);
            parts.of_triangle.push(part);
        }
        parts
    }
}
