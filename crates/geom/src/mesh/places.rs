//! Questions about a mesh that go by position: copies of a vertex count as one, whether or not they were
//! welded.

use super::adjacency::DisjointSets;
use super::{Mesh, Parts, weld};

impl Mesh {
    /// Whether every edge is passed as often one way as the other, by position: only then is it the same from
    /// everywhere what is inside. Edges without length do not count. Computed on each call.
    ///
    /// It is what [`MeshReport::closed`](super::MeshReport::closed) says of the mesh with its vertices
    /// welded.
    pub fn is_closed(&self) -> bool {
        let places = self.places();
        // Smaller place, larger place, and whether the edge runs from the one to the other.
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * self.triangle_count());
        for triangle in self.triangles() {
            let [x, y, z] = triangle.map(|v| places[v as usize]);
            let proper = [(x, y), (y, z), (z, x)].into_iter().filter(|(u, v)| u != v);
            edges.extend(proper.map(|(u, v)| (u.min(v), u.max(v), u < v)));
        }
        edges.sort_unstable();
        edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).all(|same| {
            let forward = same.iter().filter(|edge| edge.2).count();
            2 * forward == same.len()
        })
    }

    /// For each triangle the number of its part, where triangles with a corner at the same position are of
    /// one part. Parts are numbered in order of their first triangle. Computed on each call.
    ///
    /// Compare [`Adjacency::parts`](super::Adjacency::parts), for which triangles must share an edge.
    pub fn parts(&self) -> Parts {
        const NONE: u32 = u32::MAX;
        let places = self.places();
        let mut first_at = vec![NONE; places.len()];
        let mut sets = DisjointSets::new(self.triangle_count());
        for (triangle, corners) in self.triangles().iter().enumerate() {
            for &corner in corners {
                let first = &mut first_at[places[corner as usize] as usize];
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
