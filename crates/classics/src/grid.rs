//! Equal cells that fill a box, and the cells that a triangle may intersect.
//!
//! Cell `i` is `origin + size·[i, i+1]` in real numbers. A cell is excluded only if an axis separates it
//! from the triangle by more than all rounding (triangle against box: Akenine-Möller 2001). So every point
//! of the triangle is always in one of the reported cells.

use glam::DVec3;
use noli_geom::{Aabb, Triangle, UNIT_ROUNDOFF};

/// A box cut into equal cells.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) origin: DVec3,
    pub(crate) size: DVec3,
    pub(crate) dims: [u32; 3],
    /// Bound on the rounding of a wall's place, generously.
    slack: f64,
}

/// Cells from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) low: [u32; 3],
    pub(crate) high: [u32; 3],
}

impl Cells {
    pub(crate) fn iter(self) -> impl Iterator<Item = [u32; 3]> {
        let Self { low, high } = self;
        (low[2]..=high[2]).flat_map(move |z| {
            (low[1]..=high[1]).flat_map(move |y| (low[0]..=high[0]).map(move |x| [x, y, z]))
        })
    }

    pub(crate) fn common(&self, other: &Self) -> Option<Self> {
        let low = std::array::from_fn(|k| self.low[k].max(other.low[k]));
        let high: [u32; 3] = std::array::from_fn(|k| self.high[k].min(other.high[k]));
        (0..3).all(|k| low[k] <= high[k]).then_some(Self { low, high })
    }
}

impl Grid {
    /// A box cut into `dims` cells. Edges without length are widened a little.
    pub(crate) fn new(bounds: &Aabb, dims: [u32; 3]) -> Self {
        let (origin, extent) = (bounds.min, bounds.size());
        let magnitude = bounds.min.abs().max(bounds.max.abs()).max_element();
        let least = extent.max_element().max(magnitude * f64::from_bits((1023 - 40) << 52));
        let extent =
            extent.max(DVec3::splat(least.max(f64::MIN_POSITIVE) * f64::from_bits((1023 - 10) << 52)));
        // A little more than the extent, so that the last cell reaches its end.
        let shares = DVec3::from_array(dims.map(f64::from));
        let size = extent / shares * (1.0 + 8.0 * UNIT_ROUNDOFF);
        let slack = 32.0 * UNIT_ROUNDOFF * (magnitude + extent.max_element());
        Self { origin, size, dims, slack }
    }

    pub(crate) fn cell_count(&self) -> usize {
        self.dims.iter().map(|&n| n as usize).product()
    }

    pub(crate) fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        (z as usize * self.dims[1] as usize + y as usize) * self.dims[0] as usize + x as usize
    }

    pub(crate) fn all(&self) -> Cells {
        Cells { low: [0; 3], high: self.dims.map(|n| n - 1) }
    }

    /// A box around some cells, rounded outward.
    pub(crate) fn bounds(&self, cells: &Cells) -> Aabb {
        let wall =
            |i: [u32; 3], more: f64| self.origin + self.size * (DVec3::from_array(i.map(f64::from)) + more);
        Aabb { min: wall(cells.low, 0.0) - self.slack, max: wall(cells.high, 1.0) + self.slack }
    }

    /// Returns the cells a box may intersect; `None` if it lies beyond them all.
    pub(crate) fn covering(&self, bounds: &Aabb) -> Option<Cells> {
        let place = |p: DVec3, side: f64| ((p + side * self.slack) - self.origin) / self.size;
        let (low, high) = (place(bounds.min, -1.0).floor(), place(bounds.max, 1.0).floor());
        let last = DVec3::from_array(self.dims.map(|n| f64::from(n - 1)));
        // Written so that a NaN, from a box of infinite size, takes every cell.
        if high.cmplt(DVec3::ZERO).any() || low.cmpgt(last).any() {
            return None;
        }
        let low = low.max(DVec3::ZERO).min(last).to_array().map(|i| i as u32);
        let high = high.max(DVec3::ZERO).min(last).to_array().map(|i| i as u32);
        Some(Cells { low, high })
    }

    /// Visits every cell that a triangle, given within `error` in each coordinate, may intersect. Halves the
    /// range of cells down to single ones, so that large faces cost no more than the cells they intersect.
    pub(crate) fn each_met(&self, triangle: &Triangle, error: f64, visit: &mut impl FnMut([u32; 3])) {
        let Aabb { min, max } = triangle.aabb();
        if let Some(cells) = self.covering(&Aabb { min: min - error, max: max + error }) {
            self.each_met_in(cells, triangle, error, visit);
        }
    }

    fn each_met_in(&self, cells: Cells, triangle: &Triangle, error: f64, visit: &mut impl FnMut([u32; 3])) {
        let Aabb { min, max } = self.bounds(&cells);
        if !may_meet(triangle, &Aabb { min: min - error, max: max + error }) {
            return;
        }
        let widths: [u32; 3] = std::array::from_fn(|k| cells.high[k] - cells.low[k]);
        let widest = (0..3).max_by_key(|&k| widths[k]).unwrap_or(0);
        if widths[widest] == 0 {
            return visit(cells.low);
        }
        let middle = cells.low[widest] + widths[widest] / 2;
        let (mut lower, mut upper) = (cells, cells);
        lower.high[widest] = middle;
        upper.low[widest] = middle + 1;
        self.each_met_in(lower, triangle, error, visit);
        self.each_met_in(upper, triangle, error, visit);
    }
}

/// Returns `true` if a triangle may intersect a box: `false` only if one of thirteen axes certainly
/// separates them. Any direction is a valid axis however it was rounded; only the projections on it err.
pub(crate) fn may_meet(triangle: &Triangle, bounds: &Aabb) -> bool {
    let center = bounds.center();
    let vertices = triangle.vertices.map(|p| p - center);
    let far = vertices.iter().fold(center.abs(), |m, p| m.max(p.abs()));
    let half = (bounds.max - center).max(center - bounds.min) + far * (4.0 * UNIT_ROUNDOFF);
    let around = Aabb::from_points(vertices);
    if around.min.cmpgt(half).any() || around.max.cmplt(-half).any() {
        return false;
    }
    let separates = |axis: DVec3| {
        let reach = axis.abs().dot(half);
        let noise = 8.0 * UNIT_ROUNDOFF * (axis.abs().dot(far) + reach) + f64::MIN_POSITIVE;
        let [x, y, z] = vertices.map(|p| axis.dot(p));
        x.min(y).min(z) > reach + noise || x.max(y).max(z) < -(reach + noise)
    };
    let edges = [0, 1, 2].map(|k| vertices[(k + 1) % 3] - vertices[k]);
    if separates(edges[0].cross(edges[1])) {
        return false;
    }
    !edges.iter().any(|edge| DVec3::AXES.iter().any(|axis| separates(axis.cross(*edge))))
}
