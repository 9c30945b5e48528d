//! Questions about a mesh that go by position: copies of a vertex count as one, whether or not they were
//! welded.

use super::adjacency::DisjointSets;
use super::{Mesh, Parts, weld};

impl Mesh {
    /// Returns `true` if every edge is traversed equally often in both directions, by position. Only then is
    /// inside well defined for every point. Edges without length do not count. Computed on each call.
    ///
    /// Equals [`MeshReport::closed`](super::MeshReport::closed) of the mesh with its vertices welded.
    #[doc(alias = "watertight")]
    pub fn is_closed(&self) -> bool {
        self.edges().chunk_by(PlacedEdge::is_same).all(|same| {
            let rising = same.iter().filter(|edge| edge.rises).count();
            2 * rising == same.len()
        })
    }

    /// Returns the surface number of each triangle. Triangles that share an edge by position belong to one
    /// surface. `None` unless every edge is traversed once in each direction. Computed on each call.
    pub fn surfaces(&self) -> Option<Parts> {
        let edges = self.edges();
        let mut sets = DisjointSets::new(self.triangle_count());
        for same in edges.chunk_by(PlacedEdge::is_same) {
            match same {
                [a, b] if a.rises != b.rises => sets.join(a.triangle, b.triangle),
                _ => return None,
            }
        }
        (edges.len() == 3 * self.triangle_count()).then(|| sets.into_parts())
    }

    /// Returns all edges of all triangles except those without length, equal ones adjacent.
    fn edges(&self) -> Vec<PlacedEdge> {
        let places = self.places();
        let mut edges = Vec::with_capacity(3 * self.triangle_count());
        for (triangle, vertices) in (0u32..).zip(self.triangles()) {
            let [x, y, z] = vertices.map(|v| places[v as usize]);
            let proper = [(x, y), (y, z), (z, x)].into_iter().filter(|(u, v)| u != v);
            edges.extend(proper.map(|(u, v)| PlacedEdge {
                ends: [u.min(v), u.max(v)],
                rises: u < v,
                triangle,
            }));
        }
        edges.sort_unstable();
        edges
    }

    /// For each triangle the number of its part, where triangles with a vertex at the same position are of
    /// one part. Parts are numbered in order of their first triangle. Computed on each call.
    ///
    /// Compare [`Adjacency::parts`](super::Adjacency::parts), for which triangles must share an edge.
    pub fn parts(&self) -> Parts {
        const NONE: u32 = u32::MAX;
        let places = self.places();
        let mut first_at = vec![NONE; places.len()];
        let mut sets = DisjointSets::new(self.triangle_count());
        for (triangle, vertices) in self.triangles().iter().enumerate() {
            for &vertex in vertices {
                let first = &mut first_at[places[vertex as usize] as usize];
                match *first {
                    NONE => *first = triangle as u32,
                    first => sets.join(first, triangle as u32),
                }
            }
        }
        sets.into_parts()
    }

    /// For each vertex a number that it shares with those at the same position.
    fn places(&self) -> Vec<u32> {
        weld::weld(self.vertices()).kept
    }
}

/// An edge of a triangle by the numbers of places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlacedEdge {
    ends: [u32; 2],
    /// `true` if the triangle traverses it from the smaller to the larger number.
    rises: bool,
    triangle: u32,
}

impl PlacedEdge {
    fn is_same(&self, other: &Self) -> bool {
        self.ends == other.ends
    }
}
