//! Triangles of a body, for display and for queries against meshes.

use crate::body::Brep;
use crate::patch::Patch;
use glam::DVec3;
use noli_geom::{Mesh, MeshError, MeshOptions};
use std::collections::HashMap;

/// Most triangles of one face.
const MAX_TRIANGLES: usize = 20_000;

/// The patches of all faces, split until they are within `chord`, and the greatest deviation that is left.
pub(crate) fn tessellate(body: &Brep, chord: f64) -> Result<(Mesh, f64), MeshError> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
    let mut worst = 0.0f64;
    let mut start = 0;
    while start < body.patches.len() {
        let number = body.patches[start].face;
        let end = start + body.patches[start..].iter().take_while(|p| p.face == number).count();
        let face = &body.faces[number as usize];
        let mut open: Vec<Patch> = body.patches[start..end].to_vec();
        let mut done = Vec::new();
        while let Some(patch) = open.pop() {
            let floor = 4.0 * face.rounding + face.gap;
            if patch.deviation <= chord.max(floor) || open.len() + done.len() >= MAX_TRIANGLES {
                done.push(patch);
            } else {
                open.extend(patch.split(face, &body.edges));
            }
        }
        for patch in done {
            worst = worst.max(patch.deviation);
            let mut corners = patch.points;
            if !face.same_sense {
                corners.swap(1, 2);
            }
            let triangle = corners.map(|p| {
                *numbers.entry(p.to_array().map(|c| (c + 0.0).to_bits())).or_insert_with(|| {
                    vertices.push(p);
                    vertices.len() as u32 - 1
                })
            });
            if triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0] {
                triangles.push(triangle);
            }
        }
        start = end;
    }
    Ok((Mesh::from_triangles(vertices, triangles, &MeshOptions::default())?, worst))
}
