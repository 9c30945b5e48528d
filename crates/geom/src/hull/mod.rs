//! Convex hulls of points.
//!
//! Quickhull (Barber, Dobkin & Huhdanpaa 1996) with exact orientation signs: a point outside by any amount
//! is outside. Coplanar triangles become one face, and points that are not vertices are omitted. Flat,
//! straight and single-point hulls need no special treatment.

mod flat;
mod half_space;
mod merge;
mod quick;
mod signs;
mod support;

#[cfg(test)]
mod tests;

pub use half_space::{HalfSpace, HalfSpaceError, half_space_intersection};
pub use support::Eight;

use crate::{Aabb, MAX_COORDINATE, Mesh, MeshError, MeshOptions, Polygons};
use glam::{DMat3, DVec3};
use signs::Signs;

/// The smallest convex body that holds some points: its vertices, faces and edges.
///
/// ```
/// use glam::dvec3;
/// use noli_geom::Hull;
/// let vertex = |i: u32| dvec3((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64);
/// let cube = Hull::new((0..8).map(vertex).chain([dvec3(0.5, 0.5, 0.5), dvec3(0.5, 0.0, 0.0)]))?;
/// assert_eq!((cube.vertices().len(), cube.faces().len(), cube.dimension()), (8, 6, 3));
/// # Ok::<(), noli_geom::HullError>(())
/// ```
#[doc(alias("convex hull", "quickhull"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    given: Vec<u32>,
    faces: Polygons,
    normals: Vec<DVec3>,
    /// The neighbours of vertex `v` are `neighbours[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    dimension: u8,
    extent: support::Extent,
    eights: Vec<Eight>,
    directions: support::Lazy,
}

/// DisableReason points do not make a [`Hull`]. Points are counted from 0.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HullError {
    /// No points were given.
    #[error("a hull needs at least one point; none was given")]
    Empty,
    /// A coordinate is NaN or infinite.
    #[error("point {point} is not finite; remove it or give it a position")]
    NotFinite {
        /// The point.
        point: usize,
    },
    /// A coordinate exceeds [`MAX_COORDINATE`].
    #[error("point {point} lies further out than {MAX_COORDINATE:e}; use a larger unit of length")]
    TooFar {
        /// The point.
        point: usize,
    },
    /// More points than numbers for them.
    #[error("{0} points are more than one hull can hold; leave some out")]
    TooMany(usize),
}

/// Faces of a hull as numbers of the points given.
struct Boundary {
    /// Vertex loops, counter-clockwise from outside, vertices only.
    loops: Vec<Vec<u32>>,
    dimension: u8,
}

impl Hull {
    /// Computes the convex hull of points. Exact: the vertices are the points that are not convex combinations
    /// of others.
    pub fn new(points: impl IntoIterator<Item = DVec3>) -> Result<Self, HullError> {
        // Without the sign of zero, equal points have equal bits.
        let points: Vec<DVec3> = points.into_iter().map(|p| p + 0.0).collect();
        check(&points)?;
        let (points, given) = without_repetition(&points);
        let signs = Signs::new(&points);
        Ok(Self::from_boundary(&points, &given, flat::boundary(&signs)))
    }

    /// An axis-parallel box about the origin; flat where an extent is zero.
    pub fn cuboid(half_extents: DVec3) -> Result<Self, HullError> {
        Self::new(Aabb { min: -half_extents, max: half_extents }.vertices())
    }

    fn from_boundary(points: &[DVec3], given: &[u32], boundary: Boundary) -> Self {
        let mut used: Vec<u32> = boundary.loops.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let number = |p: u32| used.binary_search(&p).unwrap_or(0) as u32;
        let faces: Vec<Vec<u32>> =
            boundary.loops.iter().map(|l| l.iter().map(|&p| number(p)).collect()).collect();
        let vertices: Vec<DVec3> = used.iter().map(|&p| points[p as usize]).collect();
        let (starts, neighbours) = adjacency(vertices.len(), &faces);
        let faces: Polygons =
            if boundary.dimension >= 2 { faces.iter().collect() } else { [[0u32; 0]; 0].iter().collect() };
        let normals: Vec<DVec3> = faces.iter().map(|corners| normal(&vertices, corners)).collect();
        Self {
            extent: support::Extent::new(&vertices),
            eights: Eight::of(&vertices),
            vertices,
            given: used.iter().map(|&p| given[p as usize]).collect(),
            faces,
            normals,
            starts,
            neighbours,
            dimension: boundary.dimension,
            directions: support::Lazy::default(),
        }
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the index of the input point that became a vertex; of equal points, the first.
    pub fn given(&self, vertex: u32) -> u32 {
        self.given[vertex as usize]
    }

    /// The faces, each the numbers of its vertices, counter-clockwise seen from outside. A flat hull has two,
    /// one for each side; a segment or point has none.
    pub fn faces(&self) -> &Polygons {
        &self.faces
    }

    /// The outward unit normal of a face, rounded.
    pub fn normal(&self, face: usize) -> DVec3 {
        self.normals[face]
    }

    /// The vertices that share an edge with a vertex.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.neighbours[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Every edge once, lower number first.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> {
        let from = |v: u32| self.neighbours(v).iter().filter(move |&&w| v < w).map(move |&w| [v, w]);
        (0..self.vertices.len() as u32).flat_map(from)
    }

    /// 0 for a point, 1 for a segment, 2 for a flat hull, 3 for one with an inside.
    pub fn dimension(&self) -> u8 {
        self.dimension
    }

    /// The mean of the vertices, rounded: a point well inside.
    pub fn middle(&self) -> DVec3 {
        self.extent.middle
    }

    /// The mean of `x xᵀ` of the vertices about their middle, rounded: how far it spreads, squared.
    pub fn spread(&self) -> DMat3 {
        self.extent.spread
    }

    /// A radius about the origin that holds it, rounded up.
    pub fn bounding_radius(&self) -> f64 {
        self.extent.reach
    }

    /// The smallest box around it.
    pub fn aabb(&self) -> Aabb {
        self.extent.bounds
    }

    /// Half-spaces that hold the hull, rounding included: one to a face, and where it is flat also one to
    /// an edge. Up to rounding, their intersection is a hull that has an inside or is flat.
    pub fn half_spaces(&self) -> Vec<HalfSpace> {
        let mut normals = self.normals.clone();
        if self.dimension == 2 {
            let vertices = &self.faces[0];
            let edge = |k: usize| self.at(vertices[(k + 1) % vertices.len()]) - self.at(vertices[k]);
            normals.extend((0..vertices.len()).map(|k| edge(k).normalize_or_zero().cross(self.normals[0])));
        } else if self.dimension < 2 {
            normals.extend(DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]));
        }
        normals.into_iter().map(|normal| HalfSpace::around(normal, &self.vertices)).collect()
    }

    /// The faces as a mesh; points and segments become triangles without area. A solid where there is
    /// an inside.
    pub fn to_mesh(&self) -> Result<Mesh, MeshError> {
        let last = self.vertices.len() as u32 - 1;
        let faces = match self.dimension {
            0 | 1 => [[0, last, last]].iter().collect(),
            2 => [&self.faces[0]].iter().collect(),
            _ => self.faces.clone(),
        };
        let mesh = Mesh::from_polygons(self.vertices.clone(), faces, &MeshOptions::default())?;
        Ok(if self.dimension == 3 { mesh.into_solid() } else { mesh })
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize]
    }
}

fn check(points: &[DVec3]) -> Result<(), HullError> {
    if points.is_empty() {
        return Err(HullError::Empty);
    }
    if points.len() > (u32::MAX / 8) as usize {
        return Err(HullError::TooMany(points.len()));
    }
    for (point, position) in points.iter().enumerate() {
        if !position.is_finite() {
            return Err(HullError::NotFinite { point });
        }
        if position.abs().max_element() > MAX_COORDINATE {
            return Err(HullError::TooFar { point });
        }
    }
    Ok(())
}

/// The different points and the number of the first that was given at each place.
fn without_repetition(points: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    let key = |&p: &u32| points[p as usize].to_array().map(f64::to_bits);
    let mut given: Vec<u32> = (0..points.len() as u32).collect();
    given.sort_by_key(key);
    given.dedup_by_key(|p| key(p));
    given.sort_unstable();
    (given.iter().map(|&p| points[p as usize]).collect(), given)
}

/// For every vertex those that follow it in some loop, which is each neighbour once.
fn adjacency(vertices: usize, loops: &[Vec<u32>]) -> (Vec<u32>, Vec<u32>) {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for corners in loops {
        for (k, &from) in corners.iter().enumerate() {
            let to = corners[(k + 1) % corners.len()];
            edges.extend([(from, to), (to, from)]);
        }
    }
    edges.retain(|(from, to)| from != to);
    edges.sort_unstable();
    edges.dedup();
    let starts = (0..=vertices as u32).map(|v| edges.partition_point(|e| e.0 < v) as u32).collect();
    (starts, edges.into_iter().map(|e| e.1).collect())
}

/// Newell's normal about the first vertex.
fn normal(vertices: &[DVec3], corners: &[u32]) -> DVec3 {
    let offset = |k: usize| vertices[corners[k] as usize] - vertices[corners[0] as usize];
    let largest = (1..corners.len()).map(|k| offset(k).abs().max_element()).fold(0.0, f64::max);
    let scaled = |k: usize| offset(k) / largest;
    let sum: DVec3 = (1..corners.len() - 1).map(|k| scaled(k).cross(scaled(k + 1))).sum();
    let length = sum.abs().max_element();
    (sum / length).try_normalize().unwrap_or(DVec3::Z)
}
