//! The vertices and edges of the faces of one body that touch another.

use super::Side;
use glam::DVec3;
use noli_geom::{PairFrame, Pose, RelativePose, TrianglePair};

/// A point by the bits of its coordinates; both zeros are one.
type Key = [u64; 3];

fn key(point: DVec3) -> Key {
    (point + 0.0).to_array().map(f64::to_bits)
}

/// Vertices and edges of some faces, numbered by where they are: those of different faces at one place are one.
pub(super) struct Outline {
    /// The faces in order, and what they have.
    faces: Vec<(u32, OfFace)>,
    pub(super) vertex_count: usize,
}

/// The numbers of a face's vertices and edges; edge `k` is from vertex `k` to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfFace {
    pub(super) vertices: [u32; 3],
    pub(super) edges: [u32; 3],
    /// `true` for each edge whose two faces lie in one plane: there the surface continues straight, and with other
    /// diagonals there would be no edge.
    pub(super) level: [bool; 3],
}

/// One edge of one face.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    ends: [u32; 2],
    rises: bool,
    face: usize,
    number: usize,
}

impl Outline {
    /// Of the faces that begin pairs, which are sorted.
    pub(super) fn new(side: &Side<'_>, pairs: &[(u32, u32)]) -> Self {
        let faces: Vec<u32> = pairs.chunk_by(|x, y| x.0 == y.0).map(|same| same[0].0).collect();
        let keys: Vec<[Key; 3]> = faces.iter().map(|&face| side.triangle(face).vertices.map(key)).collect();
        let mut places = keys.concat();
        places.sort_unstable();
        places.dedup();
        let number = |key: Key| places.partition_point(|place| *place < key) as u32;
        let mut of_faces: Vec<OfFace> = keys
            .iter()
            .map(|vertices| OfFace { vertices: vertices.map(number), edges: [0; 3], level: [false; 3] })
            .collect();
        let mut edges = Vec::with_capacity(3 * faces.len());
        for (face, of) in of_faces.iter().enumerate() {
            for number in 0..3 {
                let [u, v] = [of.vertices[number], of.vertices[(number + 1) % 3]];
                edges.push(Edge { ends: [u.min(v), u.max(v)], rises: u < v, face, number });
            }
        }
        edges.sort_unstable();
        let frame = PairFrame::new(&RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY));
        // Faces of which there are several bound nothing, or more than one body.
        let single = |face: usize| side.packed.copies(&faces[face]).len() == 1;
        for (number, same) in (0u32..).zip(edges.chunk_by(|x, y| x.ends == y.ends)) {
            let level = if let [x, y] = same
                && x.rises != y.rises
                && [x, y].iter().all(|edge| single(edge.face))
            {
                let [x, y] = [x, y].map(|edge| side.triangle(faces[edge.face]));
                TrianglePair::new(&x, &y, &frame).are_alike()
            } else {
                false
            };
            for edge in same {
                of_faces[edge.face].edges[edge.number] = number;
                of_faces[edge.face].level[edge.number] = level;
            }
        }
        Self { faces: faces.into_iter().zip(of_faces).collect(), vertex_count: places.len() }
    }

    pub(super) fn of(&self, face: u32) -> OfFace {
        self.faces[self.faces.partition_point(|(known, _)| *known < face)].1
    }
}
