//! A swept volume as cells, meshes and boxes.

use crate::grid::{Cells, Grid, Key};
use crate::{SweepError, boxes, surface};
use noli_geom::{Aabb, Mesh};

/// A swept volume: cells that enclose it, and cells within it.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct SweptVolume {
    grid: Grid,
    error: f64,
    outer: Cells,
    inner: Cells,
    visited: usize,
}

impl SweptVolume {
    pub(crate) fn new(grid: Grid, error: f64, border: Vec<Key>, inner: Vec<Key>, visited: usize) -> Self {
        let outer = Cells::new(grid.depth, border.iter().chain(&inner).copied());
        Self { grid, error, outer, inner: Cells::new(grid.depth, inner), visited }
    }

    /// No point of the outer mesh is further from the swept volume.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Edge of the smallest cells.
    pub fn edge(&self) -> f64 {
        self.grid.edge
    }

    /// Number of cells visited.
    pub fn visited(&self) -> usize {
        self.visited
    }

    /// Upper bound on the swept volume.
    pub fn outer_volume(&self) -> f64 {
        self.outer.volume() * self.grid.edge.powi(3)
    }

    /// Lower bound on the swept volume.
    pub fn inner_volume(&self) -> f64 {
        self.inner.volume() * self.grid.edge.powi(3)
    }

    /// Returns a closed mesh that encloses every body at every time.
    pub fn outer_mesh(&self) -> Result<Mesh, SweepError> {
        surface::mesh(&self.grid, &self.outer)
    }

    /// Returns a closed mesh within the swept volume; `None` if no cell is proven inside, as for thin bodies.
    pub fn inner_mesh(&self) -> Result<Option<Mesh>, SweepError> {
        if self.inner.is_empty() { Ok(None) } else { surface::mesh(&self.grid, &self.inner).map(Some) }
    }

    /// Returns at most `most` boxes that enclose the outer mesh, the larger the fewer.
    pub fn boxes(&self, most: usize) -> Vec<Aabb> {
        boxes::enclosing(&self.grid, &self.outer, most)
    }
}
