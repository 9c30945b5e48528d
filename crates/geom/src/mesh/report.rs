//! Properties of a mesh to check before using it.

use super::triangulate::scale_to_one;
use super::{Adjacency, Mesh};
use crate::Triangle;
use robust::{Coord, orient2d};

/// Structure of a mesh. Edges are vertex pairs: unwelded copies of a vertex split the surface. See
/// [`Mesh::is_closed`] for the test by position.
#[doc(alias("watertight", "manifold"))]
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshReport {
    /// Every edge is run through equally often in both directions: the mesh bounds a solid. True for
    /// the empty mesh.
    pub closed: bool,
    /// Neighbouring triangles agree about which side is out: no edge is run through in one direction
    /// at least twice more often than in the other.
    pub oriented: bool,
    /// Edges of one triangle only.
    pub border_edges: usize,
    /// Edges of three or more triangles.
    pub non_manifold_edges: usize,
    /// Triangles that are a segment or a point, decided exactly.
    pub zero_area_triangles: usize,
    /// Triangles with the same three vertices as an earlier one, in either orientation.
    pub duplicate_triangles: usize,
    /// Parts connected through edges.
    pub parts: u32,
    /// The enclosed volume, up to rounding; see [`Mesh::signed_volume`].
    pub signed_volume: f64,
}

/// Reason why a mesh does not bound a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolidFlaw {
    /// So many edges have one triangle only.
    #[error("it has {0} border edge{s}", s = if *.0 == 1 { "" } else { "s" })]
    BorderEdges(usize),
    /// Neighbouring faces do not agree.
    #[error("its faces disagree about which side is out")]
    Sides,
}

impl MeshReport {
    /// Returns the reason why the mesh does not bound a solid; `None` if it is closed and consistently
    /// oriented. By this rule, meshes without an explicit setting are taken as solids or surfaces.
    pub fn flaw(&self) -> Option<SolidFlaw> {
        match self.border_edges {
            _ if self.closed && self.oriented => None,
            0 => Some(SolidFlaw::Sides),
            edges => Some(SolidFlaw::BorderEdges(edges)),
        }
    }

    /// Examines a mesh whose edges have been matched.
    pub fn new(mesh: &Mesh, adjacency: &Adjacency) -> Self {
        let mut report = Self { closed: true, oriented: true, ..Default::default() };
        for edge in 0..adjacency.edge_count() as u32 {
            report.count_edge(mesh, adjacency, edge);
        }
        report.zero_area_triangles = mesh.iter_triangles().filter(has_no_area).count();
        report.duplicate_triangles = count_duplicates(mesh.triangles());
        report.parts = adjacency.parts().count;
        report.signed_volume = mesh.signed_volume();
        report
    }

    fn count_edge(&mut self, mesh: &Mesh, adjacency: &Adjacency, edge: u32) {
        let sides = adjacency.sides(edge);
        let [start, end] = sides[0].vertices(mesh);
        if start == end {
            return; // the short side of a degenerate triangle bounds nothing
        }
        let alike = sides.iter().filter(|side| side.vertices(mesh)[0] == start).count();
        let surplus = alike.abs_diff(sides.len() - alike);
        self.closed &= surplus == 0;
        self.oriented &= surplus <= 1;
        self.border_edges += usize::from(sides.len() == 1);
        self.non_manifold_edges += usize::from(sides.len() > 2);
    }
}

/// Returns `true` if the vertices are collinear. Exact, since that means that they are in all three
/// projections.
fn has_no_area(triangle: &Triangle) -> bool {
    let scale = scale_to_one(triangle.vertices);
    let vertices = triangle.vertices.map(|p| p * scale);
    let collinear = |u: usize, v: usize| {
        let [a, b, c] = vertices.map(|p| Coord { x: p[u], y: p[v] });
        orient2d(a, b, c) == 0.0
    };
    collinear(0, 1) && collinear(1, 2) && collinear(2, 0)
}

fn count_duplicates(triangles: &[[u32; 3]]) -> usize {
    let sorted = |mut triangle: [u32; 3]| {
        triangle.sort_unstable();
        triangle
    };
    let mut keys: Vec<[u32; 3]> = triangles.iter().map(|&t| sorted(t)).collect();
    keys.sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
