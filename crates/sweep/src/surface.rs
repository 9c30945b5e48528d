//! The boundary of cells as a closed mesh.
//!
//! Every face of a cell whose neighbour is not one is two triangles. Cells that touch along an edge or in a vertex only get
//! vertices of their own there, so that edges have two faces wherever that is possible.

use crate::SweepError;
use crate::grid::{Cells, Grid};
use glam::DVec3;
use noli_geom::{Mesh, MeshOptions};

/// A face: the cell of the last level that it bounds, and its direction: axis, and 1 for the positive one.
#[derive(Clone, Copy, Debug)]
struct Face {
    cell: [i32; 3],
    axis: usize,
    positive: i32,
}

impl Face {
    /// Its vertices, counter-clockwise as seen from outside.
    fn vertices(&self) -> [[i32; 3]; 4] {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let mut start = self.cell;
        start[self.axis] += self.positive;
        let at = |du: i32, dv: i32| {
            let mut vertex = start;
            vertex[u] += du;
            vertex[v] += dv;
            vertex
        };
        let around = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
        if self.positive == 1 { around } else { [around[0], around[3], around[2], around[1]] }
    }
}

/// The closed surface of some cells, as a solid.
pub(crate) fn mesh(grid: &Grid, cells: &Cells) -> Result<Mesh, SweepError> {
    let faces = faces(cells);
    let mut slots = Slots((0..4 * faces.len() as u32).collect());
    join(&faces, &mut slots);
    let mut number = vec![u32::MAX; 4 * faces.len()];
    let (mut vertices, mut triangles): (Vec<DVec3>, _) = (Vec::new(), Vec::with_capacity(2 * faces.len()));
    for (k, face) in faces.iter().enumerate() {
        let places = face.vertices();
        let four: [u32; 4] = std::array::from_fn(|corner| {
            let slot = slots.root((4 * k + corner) as u32) as usize;
            if number[slot] == u32::MAX {
                number[slot] = vertices.len() as u32;
                vertices.push(grid.vertex(places[corner]));
            }
            number[slot]
        });
        triangles.push([four[0], four[1], four[2]]);
        triangles.push([four[0], four[2], four[3]]);
    }
    Ok(Mesh::from_triangles(vertices, triangles, &MeshOptions::default())?.into_solid())
}

/// All faces between cells and what is none, in a fixed order.
fn faces(cells: &Cells) -> Vec<Face> {
    let mut faces = Vec::new();
    let mut keys: Vec<_> = cells.iter().collect();
    keys.sort_unstable();
    for key in keys {
        let [from, to] = cells.span(key);
        for (axis, positive) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut cell = from;
            cell[axis] = if positive == 1 { to[axis] - 1 } else { from[axis] };
            for i in from[u]..to[u] {
                for j in from[v]..to[v] {
                    (cell[u], cell[v]) = (i, j);
                    let mut next = cell;
                    next[axis] += 2 * positive - 1;
                    if !cells.contains(next) {
                        faces.push(Face { cell, axis, positive });
                    }
                }
            }
        }
    }
    faces
}

/// Joins the vertices of faces along their common edges: of four faces at an edge, those of the same cell.
fn join(faces: &[Face], slots: &mut Slots) {
    // An edge by its lower vertex and its axis, the face, and the places of both ends among its vertices.
    let mut edges: Vec<([i32; 3], usize, u32, [u32; 2])> = Vec::with_capacity(4 * faces.len());
    for (k, face) in faces.iter().enumerate() {
        let vertices = face.vertices();
        for side in 0..4 {
            let (a, b) = (vertices[side], vertices[(side + 1) % 4]);
            let axis = (0..3).find(|&axis| a[axis] != b[axis]).unwrap_or(0);
            let ends = [4 * k + side, 4 * k + (side + 1) % 4].map(|slot| slot as u32);
            let (low, ends) = if a < b { (a, ends) } else { (b, [ends[1], ends[0]]) };
            edges.push((low, axis, k as u32, ends));
        }
    }
    edges.sort_unstable_by_key(|&(low, axis, face, _)| (low, axis, face));
    for same in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for (place, one) in same.iter().enumerate() {
            for other in &same[place + 1..] {
                let alike = faces[one.2 as usize].cell == faces[other.2 as usize].cell;
                if same.len() == 2 || alike {
                    slots.join(one.3[0], other.3[0]);
                    slots.join(one.3[1], other.3[1]);
                }
            }
        }
    }
}

/// Vertices of faces that are the same (union and find).
struct Slots(Vec<u32>);

impl Slots {
    fn root(&mut self, mut slot: u32) -> u32 {
        while self.0[slot as usize] != slot {
            let parent = self.0[slot as usize];
            self.0[slot as usize] = self.0[parent as usize];
            slot = parent;
        }
        slot
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize] = low;
    }
}
