//! Cells of space that a body occupies.

use crate::grid::{Cells, Grid};
use crate::polyhedron::{Polyhedron, Stood, inside, world_box};
use crate::work::Tally;
use glam::DVec3;
use noli_geom::{Pose, RelativePose, Triangle};

/// Returns every cell that shares a point with the body, in order, rounded outward. These are the cells its
/// faces may intersect, and for a solid those within. `None` if the budget ran out.
pub(super) fn occupied(grid: &Grid, stood: &Stood<'_>, tally: &mut Tally<'_>) -> Option<Vec<u32>> {
    let Some(window) = grid.covering(&world_box(stood)) else { return Some(Vec::new()) };
    let mut cells = touched(grid, stood, tally)?;
    if stood.body.is_solid() {
        let mut within = untouched_inside(grid, window, &cells, stood, tally)?;
        cells.append(&mut within);
        cells.sort_unstable();
    }
    tally.work.cells += cells.len() as u64;
    Some(cells)
}

/// Returns the cells that faces may intersect, in order.
fn touched(grid: &Grid, stood: &Stood<'_>, tally: &mut Tally<'_>) -> Option<Vec<u32>> {
    let pose = RelativePose::new(&Pose::IDENTITY, stood.pose);
    let error = pose.point_error(stood.body.bounding_radius());
    let mut cells = Vec::new();
    for face in stood.body.mesh().iter_triangles() {
        tally.step()?;
        let placed = Triangle { vertices: face.vertices.map(|p| pose.transform_point(p)) };
        grid.each_met(&placed, error, &mut |cell| cells.push(grid.index(cell) as u32));
    }
    cells.sort_unstable();
    cells.dedup();
    Some(cells)
}

/// Returns the cells of a window that lie inside and intersect no face. Such a cell lies wholly inside or
/// outside, as do all connected to it by walls: one exact query for each such region.
fn untouched_inside(
    grid: &Grid,
    window: Cells,
    touched: &[u32],
    stood: &Stood<'_>,
    tally: &mut Tally<'_>,
) -> Option<Vec<u32>> {
    let dims: [usize; 3] = std::array::from_fn(|k| (window.high[k] - window.low[k]) as usize + 1);
    let strides = [1, dims[0], dims[0] * dims[1]];
    let mut seen = vec![false; strides[2] * dims[2]];
    for (place, cell) in window.iter().enumerate() {
        seen[place] = touched.binary_search(&(grid.index(cell) as u32)).is_ok();
    }
    let (mut within, mut region, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for start in 0..seen.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        open.push(start);
        region.clear();
        while let Some(place) = open.pop() {
            region.push(place);
            for k in 0..3 {
                let at = place / strides[k] % dims[k];
                let below = (at > 0).then(|| place - strides[k]);
                let above = (at + 1 < dims[k]).then(|| place + strides[k]);
                for next in below.into_iter().chain(above) {
                    if !seen[next] {
                        seen[next] = true;
                        open.push(next);
                    }
                }
            }
        }
        let cell =
            |place: usize| std::array::from_fn(|k| window.low[k] + (place / strides[k] % dims[k]) as u32);
        let center = grid.origin + grid.size * (DVec3::from_array(cell(start).map(f64::from)) + 0.5);
        if inside(center, &Pose::IDENTITY, stood, tally)? {
            within.extend(region.iter().map(|&place| grid.index(cell(place)) as u32));
        }
    }
    Some(within)
}

/// The cubes of a space around two bodies: its longest edge cut into `resolution`.
pub(super) fn pair_grid(a: &Stood<'_>, b: &Stood<'_>, resolution: u32) -> Option<Grid> {
    let (box_a, box_b) = (world_box(a), world_box(b));
    let common_min = box_a.min.max(box_b.min);
    let common = noli_geom::Aabb { min: common_min, max: box_a.max.min(box_b.max) };
    if common.is_empty() {
        return None;
    }
    let edge = box_a.union(box_b).size().max_element() / f64::from(resolution);
    let count = |length: f64| ((length / edge).ceil() as u32).clamp(1, resolution);
    let dims = common.size().to_array().map(count);
    // Cubes of the space, as many as cover what the bodies' boxes share.
    let max = common.min + DVec3::from_array(dims.map(f64::from)) * edge;
    Some(Grid::new(&noli_geom::Aabb { min: common.min, max: max.max(common.max) }, dims))
}

/// Returns the first common entry of two ordered lists, if any.
pub(super) fn share_entry(a: &[u32], b: &[u32]) -> Option<u32> {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return Some(a[i]),
        }
    }
    None
}

/// Returns the largest distance of two bodies that share a cell: the diagonal of a cell, with its rounding.
pub(super) fn reach_of_cell(grid: &Grid) -> f64 {
    let bounds = grid.bounds(&Cells { low: [0; 3], high: [0; 3] });
    bounds.size().length() * (1.0 + 1e-9)
}

impl Polyhedron {
    /// Returns `true` if its box, at a pose, protrudes from a grid.
    pub(super) fn sticks_out(&self, grid: &Grid, pose: &Pose) -> bool {
        let own = world_box(&Stood { body: self, pose });
        let whole = grid.bounds(&grid.all());
        !(own.is_empty() || own.min.cmpge(whole.min).all() && own.max.cmple(whole.max).all())
    }
}
