//! Occupancy trees and distance grids of files, as cells that are obstacles.

use glam::DVec3;
use noli::Pose;
use noli_formats::{
    FileError, OccupancyFile, Place, UnknownCells, Warning, is_distance_grid, read_distance_grid,
    read_octomap,
};
use noli_geom::{Mesh, MeshOptions};
use noli_grid::{DistanceGrid, GridOptions, ObstacleCells, UncertainCells, UnknownSamples};
use std::path::Path;

/// The cells of a file that are obstacles, in metres.
#[derive(Clone, Debug)]
pub(crate) struct LoadedGrid {
    /// The cells, none if nothing is an obstacle.
    pub(crate) cells: ObstacleCells,
    /// The pose of the cells in the frame of the file.
    pub(crate) frame: Pose,
    /// The numbers of cells of each kind.
    pub(crate) warning: Warning,
}

/// Returns `true` if the name of a file is that of an occupancy tree or its content that of a distance grid.
pub(crate) fn is_grid_file(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    matches!(end.as_deref(), Some("bt" | "ot")) || is_distance_grid(path)
}

/// Reads an occupancy tree (`.bt`, `.ot`) or a distance grid (JSON).
pub(crate) fn load_grid(path: &Path, unknown: UnknownCells) -> Result<LoadedGrid, FileError> {
    let (cells, frame, text) =
        if is_distance_grid(path) { distance_grid(path, unknown)? } else { occupancy(path, unknown)? };
    Ok(LoadedGrid { cells, frame, warning: Warning { place: Place::Whole, text } })
}

fn occupancy(path: &Path, unknown: UnknownCells) -> Result<(ObstacleCells, Pose, String), FileError> {
    let file = read_octomap(path, unknown)?;
    // With unknown cells free, the obstacles are the occupied ones.
    let (occupied, taken) = match unknown {
        UnknownCells::Free => (None, "free"),
        UnknownCells::Obstacle => (Some(read_octomap(path, UnknownCells::Free)?.obstacles), "obstacles"),
    };
    let occupied = occupied.as_ref().unwrap_or(&file.obstacles);
    let cells = ObstacleCells::new(&file.obstacles, occupied, UncertainCells::Unknown);
    let OccupancyFile { occupied, free, unknown, .. } = file;
    let text = format!("{occupied} occupied, {free} free, {unknown} unknown cells, taken as {taken}");
    Ok((cells, Pose::IDENTITY, text))
}

fn distance_grid(path: &Path, unknown: UnknownCells) -> Result<(ObstacleCells, Pose, String), FileError> {
    let file = read_distance_grid(path)?;
    let mut options = GridOptions::default();
    (options.error, options.truncation) = (file.error, file.truncation);
    if unknown == UnknownCells::Free {
        options.unknown = UnknownSamples::Free;
    }
    let all = file.values.len();
    let place = (file.voxel_size, DVec3::from_array(file.origin));
    let grid = DistanceGrid::new(file.values, file.size, place, options);
    let found = grid.and_then(|grid| Ok((grid.cells()?, grid.cell_frame())));
    let (cells, frame) = found
        .map_err(|error| FileError::new(Place::Whole, error.to_string(), "correct the file").in_file(path))?;
    let [solid, undecided] = cells.counts();
    let free = all.saturating_sub(solid).saturating_sub(undecided);
    let text = format!("{free} free, {solid} solid, {undecided} undecided cells; these count as obstacles");
    Ok((cells, frame, text))
}

/// Cells or blocks of them in a display mesh, at most.
const DRAWN: usize = 5_000;

/// Creates a display mesh: the cells at the surface, or blocks of cells that cover them.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "at most `DRAWN` cubes, of eight vertices each"
)]
pub(crate) fn grid_mesh(cells: &ObstacleCells) -> Mesh {
    let drawn = cells.drawn(DRAWN);
    let Ok(cube) = Mesh::cuboid(DVec3::splat(drawn.edge)) else { return Mesh::empty() };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &center in &drawn.centers {
        let first = vertices.len() as u32;
        vertices.extend(cube.vertices().iter().map(|&vertex| vertex + center));
        triangles.extend(cube.triangles().iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    }
    // Cells that touch are separate boxes.
    Mesh::from_triangles(vertices, triangles, &MeshOptions { weld: false }).unwrap_or_else(|_| Mesh::empty())
}
