//! The triangles of a mesh in an order that depends on their coordinates only.

use glam::DVec3;
use noli::Mesh;
use sha2::{Digest, Sha256};
use std::cmp::Ordering;

/// Canonical triangles of a mesh, and the numbers of the mesh's own triangles among them.
#[derive(Debug)]
pub(crate) struct Canonical {
    pub(crate) triangles: Vec<[DVec3; 3]>,
    pub(crate) number_of: Vec<u32>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: [u8; 32],
}

impl Canonical {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        // Adding zero drops the sign of zeros.
        let rotated = |triangle: noli::model::Triangle| {
            let [a, b, c] = triangle.vertices.map(|vertex| vertex + 0.0);
            [[b, c, a], [c, a, b]]
                .into_iter()
                .fold([a, b, c], |best, other| if compare(&other, &best).is_lt() { other } else { best })
        };
        let own: Vec<[DVec3; 3]> = mesh.iter_triangles().map(rotated).collect();
        let mut order: Vec<u32> = (0..own.len() as u32).collect();
        order.sort_by(|&i, &j| compare(&own[i as usize], &own[j as usize]));
        let mut number_of = vec![0; own.len()];
        for (number, &triangle) in order.iter().enumerate() {
            number_of[triangle as usize] = number as u32;
        }
        let triangles: Vec<[DVec3; 3]> = order.iter().map(|&triangle| own[triangle as usize]).collect();
        let bytes: Vec<u8> = triangles.iter().flat_map(coordinates).flat_map(f64::to_be_bytes).collect();
        let sha256 = Sha256::digest(&bytes).into();
        Self { triangles, number_of, bytes, sha256 }
    }

    /// The first vertex of the smallest face of each component; faces are connected by common vertices.
    pub(crate) fn probes(&self) -> Vec<DVec3> {
        let key = |vertex: &DVec3| vertex.to_array().map(f64::to_bits);
        let mut first_at = std::collections::HashMap::new();
        let mut parent: Vec<u32> = (0..self.triangles.len() as u32).collect();
        for (face, triangle) in (0u32..).zip(&self.triangles) {
            for vertex in triangle {
                let other = *first_at.entry(key(vertex)).or_insert(face);
                let (x, y) = (root(&mut parent, face), root(&mut parent, other));
                // The smaller number leads, so that roots are the smallest faces.
                parent[x.max(y) as usize] = x.min(y);
            }
        }
        let leaders = (0..self.triangles.len() as u32).filter(|&face| parent[face as usize] == face);
        leaders.map(|face| self.triangles[face as usize][0]).collect()
    }
}

fn root(parent: &mut [u32], mut face: u32) -> u32 {
    while parent[face as usize] != face {
        parent[face as usize] = parent[parent[face as usize] as usize];
        face = parent[face as usize];
    }
    face
}

fn coordinates(triangle: &[DVec3; 3]) -> impl Iterator<Item = f64> {
    triangle.map(|vertex| vertex.to_array()).into_iter().flatten()
}

fn compare(a: &[DVec3; 3], b: &[DVec3; 3]) -> Ordering {
    let pairs = coordinates(a).zip(coordinates(b));
    pairs.map(|(x, y)| x.total_cmp(&y)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
