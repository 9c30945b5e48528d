//! Triangle meshes that remember the polygons they came from.
//!
//! A [`Mesh`] is checked once, when it is made; after that every number in it is valid. Geometry is
//! never changed: welding merges only equal positions, and polygons are triangulated on their own
//! vertices. Up to `u32::MAX` vertices and a third as many triangles.

mod adjacency;
mod error;
mod places;
mod polygons;
mod primitives;
mod report;
mod triangulate;
mod weld;

#[cfg(test)]
mod tests;

pub use adjacency::{Adjacency, HalfEdge, Parts};
pub use error::MeshError;
pub use polygons::Polygons;
pub use report::{MeshReport, SolidFlaw};
pub use triangulate::{TriangulationNotes, WarpedFace};

use crate::{Aabb, MAX_COORDINATE, Triangle};
use glam::DVec3;
use std::sync::Arc;

/// Meaning of the triangles of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MeshKind {
    /// The triangles themselves.
    #[default]
    Surface,
    /// The triangles and every point they wind around (non-zero winding number).
    Solid,
}

/// Options for building a mesh from vertices and faces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeshOptions {
    /// Merge vertices with equal coordinates (`-0.0` equals `0.0`). Results can still be named in the
    /// given numbers: see [`Mesh::user_vertex`].
    pub weld: bool,
}

/// Vertices and faces: a surface, or the solid it bounds.
///
/// Cloning copies two pointers. An empty mesh is a value like any other; it overlaps nothing.
///
/// ```
/// # use noli_geom::{Mesh, MeshOptions};
/// # use glam::dvec3;
/// let vertices = vec![dvec3(0., 0., 0.), dvec3(1., 0., 0.), dvec3(1., 1., 0.), dvec3(0., 1., 0.)];
/// let square = Mesh::from_polygons(vertices, [[0, 1, 2, 3]].iter().collect(), &MeshOptions::default())?;
/// assert_eq!(square.triangles().len(), 2);
/// assert_eq!(square.face_of(1), 0);
/// # Ok::<(), noli_geom::MeshError>(())
/// ```
#[doc(alias("trimesh", "triangle mesh", "polyhedron"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Arc<Vec<DVec3>>,
    topology: Arc<Topology>,
    kind: MeshKind,
}

/// All of a mesh but its positions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Topology {
    triangles: Vec<[u32; 3]>,
    /// `None` when every face is a triangle: face `i` is then triangle `i`.
    polygons: Option<Triangulated>,
    /// The user's number of each vertex; empty when it is the vertex's own.
    user_vertices: Vec<u32>,
    /// The user's number of each face; empty when it is the face's own.
    user_faces: Vec<u32>,
}

/// Polygons and how the triangles cover them.
#[derive(Clone, Debug, PartialEq)]
struct Triangulated {
    faces: Polygons,
    face_of: Vec<u32>,
    /// Bit `k` is set if edge `k` of the triangle is an edge of its polygon, not a diagonal.
    given_edges: Vec<u8>,
    notes: TriangulationNotes,
}

impl Mesh {
    /// A surface from vertices and triangles, each three vertex numbers counted from 0.
    pub fn from_triangles(
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        options: &MeshOptions,
    ) -> Result<Self, MeshError> {
        check_triangle_count(triangles.len())?;
        check_vertices(&vertices)?;
        check_indices(triangles.iter().map(|t| t.as_slice()), vertices.len())?;
        let mut triangles = triangles;
        let (vertices, user_vertices) = prepare_vertices(vertices, triangles.as_flattened_mut(), options);
        let topology = Topology { triangles, user_vertices, ..Default::default() };
        Ok(Self::from_parts(vertices, topology))
    }

    /// Creates a surface from vertices and polygons of any size.
    ///
    /// Polygons are triangulated without new vertices; [`Mesh::triangulation_notes`] lists those that were
    /// warped or self-intersecting. Polygons of one or two vertices become degenerate triangles.
    pub fn from_polygons(
        vertices: Vec<DVec3>,
        polygons: Polygons,
        options: &MeshOptions,
    ) -> Result<Self, MeshError> {
        check_triangle_count(polygons.iter().map(|p| p.len().saturating_sub(2).max(1)).sum())?;
        check_vertices(&vertices)?;
        check_indices(polygons.iter(), vertices.len())?;
        let mut polygons = polygons;
        let (vertices, user_vertices) = prepare_vertices(vertices, polygons.vertices_mut(), options);
        let topology = if polygons.all_triangles() {
            let triangles = polygons.vertices().as_chunks::<3>().0.to_vec();
            Topology { triangles, user_vertices, ..Default::default() }
        } else {
            let (triangles, polygons) = triangulate_all(&vertices, polygons);
            Topology { triangles, polygons: Some(polygons), user_vertices, ..Default::default() }
        };
        Ok(Self::from_parts(vertices, topology))
    }

    fn from_parts(vertices: Vec<DVec3>, topology: Topology) -> Self {
        Self { vertices: Arc::new(vertices), topology: Arc::new(topology), kind: MeshKind::Surface }
    }

    /// The mesh without faces.
    pub fn empty() -> Self {
        Self::from_parts(Vec::new(), Topology::default())
    }

    /// The same triangles, taken as a surface or as the solid they bound.
    #[must_use]
    pub fn with_kind(self, kind: MeshKind) -> Self {
        Self { kind, ..self }
    }

    /// The solid bounded by the triangles. It need not be closed, but only a closed one
    /// ([`MeshReport::closed`]) has an inside.
    pub fn into_solid(self) -> Self {
        self.with_kind(MeshKind::Solid)
    }

    /// The same faces on moved vertices; shares all but the positions. The triangulation of polygons
    /// stays as it was.
    pub fn with_vertices(&self, vertices: Vec<DVec3>) -> Result<Self, MeshError> {
        check_same_count("vertices", self.vertices.len(), vertices.len())?;
        check_vertices(&vertices)?;
        Ok(Self { vertices: Arc::new(vertices), ..self.clone() })
    }

    /// The mesh with every coordinate multiplied by a positive factor: exact for powers of two.
    pub fn scaled(&self, factor: f64) -> Result<Self, MeshError> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(MeshError::BadScale { factor });
        }
        self.with_vertices(self.vertices.iter().map(|&v| v * factor).collect())
    }

    /// Returns the mesh with other user numbers: user vertex `i` becomes `vertices[i]`, and likewise for faces.
    /// For meshes cut out of a larger one, to keep the larger mesh's numbers.
    pub fn renumbered(self, vertices: &[u32], faces: &[u32]) -> Result<Self, MeshError> {
        let current: Vec<u32> = (0..self.vertices.len() as u32).map(|v| self.user_vertex(v)).collect();
        let expected = current.iter().max().map_or(0, |&v| v as usize + 1);
        if vertices.len() < expected {
            return Err(MeshError::WrongCount { what: "vertex numbers", expected, found: vertices.len() });
        }
        check_same_count("face numbers", self.face_count(), faces.len())?;
        let mut topology = Arc::unwrap_or_clone(self.topology);
        topology.user_vertices = current.iter().map(|&v| vertices[v as usize]).collect();
        topology.user_faces = faces.to_vec();
        Ok(Self { vertices: self.vertices, topology: Arc::new(topology), kind: self.kind })
    }

    /// Surface or solid.
    pub fn kind(&self) -> MeshKind {
        self.kind
    }

    /// The positions; welded ones once.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles as vertex numbers.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.topology.triangles
    }

    /// Returns the number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.topology.triangles.len()
    }

    /// Returns `true` if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.topology.triangles.is_empty()
    }

    /// One triangle with its positions.
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let vertices = self.topology.triangles[triangle as usize];
        Triangle { vertices: vertices.map(|v| self.vertices[v as usize]) }
    }

    /// All triangles with their positions, in order.
    pub fn iter_triangles(&self) -> impl ExactSizeIterator<Item = Triangle> {
        let positions = self.vertices.as_slice();
        self.topology.triangles.iter().map(|t| Triangle { vertices: t.map(|v| positions[v as usize]) })
    }

    /// Returns the number of faces given.
    pub fn face_count(&self) -> usize {
        self.topology.polygons.as_ref().map_or(self.triangle_count(), |p| p.faces.len())
    }

    /// The vertices of a given face as vertex numbers of this mesh.
    pub fn face(&self, face: u32) -> &[u32] {
        match &self.topology.polygons {
            Some(polygons) => &polygons.faces[face as usize],
            None => &self.topology.triangles[face as usize],
        }
    }

    /// The given faces in order.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.face_count() as u32).map(|face| self.face(face))
    }

    /// The given face that a triangle is part of.
    pub fn face_of(&self, triangle: u32) -> u32 {
        self.topology.polygons.as_ref().map_or(triangle, |p| p.face_of[triangle as usize])
    }

    /// Returns `true` if edge `vertex` of a triangle (from that vertex to the next) was given. Diagonals added
    /// when its polygon was triangulated return `false`.
    pub fn is_given_edge(&self, triangle: u32, vertex: usize) -> bool {
        let given = |p: &Triangulated| p.given_edges[triangle as usize] >> vertex & 1 == 1;
        self.topology.polygons.as_ref().is_none_or(given)
    }

    /// Returns the user's number of a vertex: of welded ones, the first.
    pub fn user_vertex(&self, vertex: u32) -> u32 {
        self.topology.user_vertices.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// Returns the user's number of the face that contains a triangle.
    pub fn user_face(&self, triangle: u32) -> u32 {
        let face = self.face_of(triangle);
        self.topology.user_faces.get(face as usize).copied().unwrap_or(face)
    }

    /// Returns the faces that were not plain flat polygons.
    pub fn triangulation_notes(&self) -> &TriangulationNotes {
        const NONE: &TriangulationNotes =
            &TriangulationNotes { warped: Vec::new(), self_intersection: Vec::new() };
        self.topology.polygons.as_ref().map_or(NONE, |p| &p.notes)
    }

    /// The smallest box around the triangles; vertices no triangle uses do not count. Linear time.
    pub fn aabb(&self) -> Aabb {
        let used = self.topology.triangles.as_flattened();
        Aabb::from_points(used.iter().map(|&v| self.vertices[v as usize]))
    }

    /// The volume enclosed by an outward-oriented closed mesh, up to rounding; negative when its faces
    /// point inward. Of an open mesh it depends on the place and means little.
    pub fn signed_volume(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        // Measured from the middle: from a far origin the parts would cancel.
        let origin = self.aabb().center();
        let parts = self.iter_triangles().map(|t| {
            let [a, b, c] = t.vertices.map(|v| v - origin);
            a.dot(b.cross(c))
        });
        parts.sum::<f64>() / 6.0
    }

    /// Returns the triangles adjacent to each edge. Computed on each call.
    pub fn adjacency(&self) -> Adjacency {
        Adjacency::new(self)
    }

    /// Returns properties to check before using the mesh as a solid. Computed on each call.
    pub fn report(&self) -> MeshReport {
        MeshReport::new(self, &self.adjacency())
    }
}

fn prepare_vertices(
    vertices: Vec<DVec3>,
    corners: &mut [u32],
    options: &MeshOptions,
) -> (Vec<DVec3>, Vec<u32>) {
    if !options.weld {
        return (vertices, Vec::new());
    }
    let welded = weld::weld(&vertices);
    if welded.vertices.len() == vertices.len() {
        return (vertices, Vec::new());
    }
    for vertex in corners {
        *vertex = welded.kept[*vertex as usize];
    }
    (welded.vertices, welded.first_given)
}

fn triangulate_all(vertices: &[DVec3], faces: Polygons) -> (Vec<[u32; 3]>, Triangulated) {
    let mut triangles = Vec::with_capacity(faces.vertices().len().saturating_sub(2 * faces.len()));
    let mut face_of = Vec::with_capacity(triangles.capacity());
    let mut given_edges = Vec::with_capacity(triangles.capacity());
    let mut triangulator = triangulate::Triangulator::default();
    for (face, corners) in faces.iter().enumerate() {
        for cut in triangulator.cut(face as u32, corners, vertices) {
            triangles.push(cut.map(|position| corners[position as usize]));
            given_edges.push(given_edges_of(*cut, corners.len() as u32));
            face_of.push(face as u32);
        }
    }
    (triangles, Triangulated { faces, face_of, given_edges, notes: triangulator.notes })
}

/// The bits of [`Triangulated::given_edges`] for a triangle of positions in a polygon.
fn given_edges_of(cut: [u32; 3], vertices: u32) -> u8 {
    (0..3).filter(|&k| cut[(k + 1) % 3] == (cut[k] + 1) % vertices).fold(0, |bits, k| bits | 1 << k)
}

fn check_count(what: &'static str, count: usize, limit: u32) -> Result<(), MeshError> {
    if count > limit as usize { Err(MeshError::TooMany { what, count, limit }) } else { Ok(()) }
}

fn check_triangle_count(count: usize) -> Result<(), MeshError> {
    // Half-edges are numbered 3 · triangle + vertex, in 32 bits.
    check_count("triangles", count, u32::MAX / 3)
}

fn check_same_count(what: &'static str, expected: usize, found: usize) -> Result<(), MeshError> {
    if expected == found { Ok(()) } else { Err(MeshError::WrongCount { what, expected, found }) }
}

fn check_vertices(vertices: &[DVec3]) -> Result<(), MeshError> {
    check_count("vertices", vertices.len(), u32::MAX)?;
    for (vertex, position) in vertices.iter().enumerate() {
        if !position.is_finite() {
            return Err(MeshError::NotFinite { vertex });
        }
        if position.abs().max_element() > MAX_COORDINATE {
            return Err(MeshError::TooFar { vertex });
        }
    }
    Ok(())
}

fn check_indices<'a>(faces: impl Iterator<Item = &'a [u32]>, count: usize) -> Result<(), MeshError> {
    for (face, vertices) in faces.enumerate() {
        if vertices.is_empty() {
            return Err(MeshError::EmptyFace { face });
        }
        if let Some(&vertex) = vertices.iter().find(|&&v| v as usize >= count) {
            return Err(MeshError::IndexOutOfRange { face, vertex, count });
        }
    }
    Ok(())
}
