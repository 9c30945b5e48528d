//! Signed-distance grids of sensors as obstacles.
//!
//! A [`DistanceGrid`] holds samples of a Euclidean signed distance at the centres of cubic cells. A signed distance has
//! Lipschitz constant 1: from a sample `d` at `c` it is within `[d - |p - c|, d + |p - c|]` at `p`. The samples around a
//! cell bracket the distance in all of it, and the cell is *free*, *solid* or *undecided*. [`GridModel`] answers queries
//! with these cells: never a miss, and undecided where the bracket does not decide.
//!
//! [`ObstacleCells`] are the cells of such a grid, or of an occupancy tree, that are obstacles: for marks and drawings.

mod cells;
mod grid;
mod model;

pub use cells::{CollidingCells, DrawnCells, ObstacleCells, UncertainCells};
pub use grid::{CellStatus, DistanceGrid, GridError, GridOptions, UnknownSamples};
pub use model::GridModel;
