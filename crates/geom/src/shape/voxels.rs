//! Filled cells of a grid.

use super::ShapeError;
use crate::{Aabb, MAX_COORDINATE};
use glam::DVec3;

/// Cubic cells `[i, i+1] × [j, j+1] × [k, k+1]`, times the edge; each is filled or not.
#[doc(alias("octree", "occupancy grid"))]
#[derive(Clone, Debug, PartialEq)]
pub struct Voxels {
    edge: f64,
    /// Runs of cells along x: the first cell and how many.
    runs: Vec<([i32; 3], u32)>,
}

impl Voxels {
    /// The cells that are filled, in any order.
    pub fn new(edge: f64, filled: impl IntoIterator<Item = [i32; 3]>) -> Result<Self, ShapeError> {
        if !(edge > 0.0 && edge <= MAX_COORDINATE / f64::from(1u32 << 31)) {
            return Err(ShapeError::BadLength { what: "edge of a voxel", value: edge });
        }
        let mut cells: Vec<[i32; 3]> = filled.into_iter().collect();
        cells.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        cells.dedup();
        let mut runs: Vec<([i32; 3], u32)> = Vec::new();
        for cell in cells {
            match runs.last_mut() {
                Some((first, count)) if next(*first, *count) == cell.map(i64::from) => *count += 1,
                _ => runs.push((cell, 1)),
            }
        }
        Ok(Self { edge, runs })
    }

    /// The length of a cell.
    pub fn edge(&self) -> f64 {
        self.edge
    }

    /// Returns the number of filled cells.
    pub fn count(&self) -> usize {
        self.runs.iter().map(|run| run.1 as usize).sum()
    }

    /// Boxes that cover the filled cells and nothing else, each a run of cells along x; vertices are rounded.
    pub fn boxes(&self) -> impl ExactSizeIterator<Item = Aabb> {
        self.runs.iter().map(|&([x, y, z], count)| {
            let vertex = |i: i64, j: i64, k: i64| DVec3::new(i as f64, j as f64, k as f64) * self.edge;
            let [x, y, z] = [x, y, z].map(i64::from);
            Aabb { min: vertex(x, y, z), max: vertex(x + i64::from(count), y + 1, z + 1) }
        })
    }
}

/// The cell after a run.
fn next([x, y, z]: [i32; 3], count: u32) -> [i64; 3] {
    [i64::from(x) + i64::from(count), i64::from(y), i64::from(z)]
}
