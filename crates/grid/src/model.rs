//! Distance grids prepared for queries.

use crate::cells::{ObstacleCells, UncertainCells};
use crate::grid::{CellStatus, DistanceGrid, GridError};
use glam::DVec3;
use noli::answer::Bracket;
use noli::model::Voxels;
use noli::{Mesh, Model, Overlap, Placed, Pose, clearance, within_distance};

/// A distance grid as two models of cells: those that may be solid, and those that are for certain.
///
/// Verdicts are proven: [`Overlap::Free`] if the other body touches no cell that may be solid, [`Overlap::Hit`] if it
/// touches one that is. All else is [`Overlap::Unknown`].
#[derive(Clone, Debug)]
pub struct GridModel {
    outer: Model,
    inner: Model,
    /// From the cells to the frame of the grid.
    frame: Pose,
    counts: [usize; 3],
}

impl DistanceGrid {
    /// Returns the cells that may be solid, in the frame of [`cell_frame`](Self::cell_frame); undecided ones are
    /// uncertain.
    pub fn cells(&self) -> Result<ObstacleCells, GridError> {
        let (mut outer, mut solid) = (Vec::new(), Vec::new());
        let [x, y, z] = self.size();
        for i in 0..x {
            for j in 0..y {
                for k in 0..z {
                    let cell = [i, j, k].map(|index| index as i32);
                    match self.status([i, j, k]) {
                        CellStatus::Free => continue,
                        CellStatus::Solid => solid.push(cell),
                        CellStatus::Undecided => {}
                    }
                    outer.push(cell);
                }
            }
        }
        let [outer, solid] = [outer, solid].map(|cells| Voxels::new(self.edge(), cells));
        Ok(ObstacleCells::new(&outer?, &solid?, UncertainCells::Undecided))
    }

    /// The pose of the cells in the frame of the grid.
    #[must_use]
    pub fn cell_frame(&self) -> Pose {
        Pose::from_translation(self.origin() - DVec3::splat(0.5 * self.edge()))
    }

    /// Computes the cells that may be solid and those that are, as models.
    pub fn model(&self) -> Result<GridModel, GridError> {
        let cells = self.cells()?;
        let [solid, undecided] = cells.counts();
        let all: usize = self.size().iter().product();
        let counts = [all - solid - undecided, solid, undecided];
        let outer = match solid + undecided {
            0 => Model::new(Mesh::empty())?,
            _ => Model::new(cells.voxels()?)?,
        };
        Ok(GridModel { outer, inner: cells.certain_model()?, frame: self.cell_frame(), counts })
    }
}

impl GridModel {
    /// The cells that may be solid, in the frame of [`frame`](Self::frame).
    #[must_use]
    pub fn outer(&self) -> &Model {
        &self.outer
    }

    /// The cells that are solid for certain, in the same frame.
    #[must_use]
    pub fn inner(&self) -> &Model {
        &self.inner
    }

    /// The pose of both models in the frame of the grid.
    #[must_use]
    pub fn frame(&self) -> Pose {
        self.frame
    }

    /// The number of cells that are free, solid and undecided.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Tests for a common point with a body; `world_from_grid` places the grid.
    #[doc(alias("collide", "intersects"))]
    pub fn overlap(&self, world_from_grid: Pose, body: &Placed<'_>) -> Overlap {
        self.within_distance(world_from_grid, body, 0.0)
    }

    /// Tests whether the distance from a body is at most `margin`.
    pub fn within_distance(&self, world_from_grid: Pose, body: &Placed<'_>, margin: f64) -> Overlap {
        let place = world_from_grid * self.frame;
        if within_distance(&self.outer.at(place), body, margin) == Overlap::Free {
            return Overlap::Free;
        }
        match within_distance(&self.inner.at(place), body, margin) {
            Overlap::Hit => Overlap::Hit,
            Overlap::Free | Overlap::Unknown => Overlap::Unknown,
        }
    }

    /// Computes a bracket on the distance from a body: from the cells that may be solid, and to those that are.
    #[doc(alias("distance"))]
    pub fn clearance(&self, world_from_grid: Pose, body: &Placed<'_>) -> Bracket {
        let place = world_from_grid * self.frame;
        let at_least = clearance(&self.outer.at(place), body).distance.at_least;
        let at_most = clearance(&self.inner.at(place), body).distance.at_most;
        Bracket { at_least, at_most: at_most.max(at_least) }
    }
}
