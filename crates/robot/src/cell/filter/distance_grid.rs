//! Lower bounds on the distance from a point cloud, cell by cell: one look decides most spheres.
//!
//! The bound of a cell is its least distance from a cell with points, by three passes of minima (as in Felzenszwalb
//! and Huttenlocher 2012, with the distance of cells in place of that of their centres).

use crate::cell::LANES;
use crate::cell::cloud_image::{CloudImage, bytes, floats};
use glam::DVec3;
use noli::internals::Simd;

/// Cells along the longest side.
const SIDE: usize = 64;
/// Cells at most.
const CELLS: usize = SIDE * SIDE * SIDE;
/// Single precision has no digits behind the point from here on; the last bits of a sum with it are a whole number.
const WHOLE: f32 = 8_388_608.0;
/// Steps of a stored bound in a cell's edge; bounds are rounded down to a step.
const STEPS: f32 = 4.0;
/// More than rounding moves a place, as a share of a cell's edge.
const ROUNDING: f32 = 1e-3;

/// Lower bounds on the distance from points, in the frame of their tree.
#[derive(Clone, Debug)]
pub(super) struct DistanceGrid {
    low: [f32; 3],
    high: [f32; 3],
    inverse: f32,
    /// Length of a step of a bound.
    step: f32,
    size: [usize; 3],
    /// One for each of [`CELLS`], of which the grid may use fewer: no index needs to be compared with the count.
    bounds: Box<[u8; CELLS]>,
}

impl DistanceGrid {
    /// Of points in the frame of the tree, each coordinate of which is at most 1 in magnitude.
    pub(super) fn new(points: impl Iterator<Item = DVec3> + Clone) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        points.clone().for_each(|point| (low, high) = (low.min(point), high.max(point)));
        let edge = ((high - low).max_element() / SIDE as f64).max(1e-5);
        let cells = |axis: usize| (((high - low)[axis] / edge) as usize + 1).clamp(1, SIDE);
        let size = [0, 1, 2].map(cells);
        let mut grid = Self {
            low: low.as_vec3().to_array(),
            high: high.as_vec3().to_array(),
            inverse: (1.0 / edge) as f32,
            step: edge as f32 / STEPS,
            size,
            bounds: Box::new([0; CELLS]),
        };
        let mut squares = vec![f32::INFINITY; size[0] * size[1] * size[2]];
        points.for_each(|point| squares[grid.cell(point.as_vec3().to_array())] = 0.0);
        squares.chunks_mut(size[0]).for_each(along_line);
        squares = pass(&squares, size[1], size[0]);
        squares = pass(&squares, size[2], size[0] * size[1]);
        let bounds = grid.bounds.iter_mut().zip(&squares);
        bounds.for_each(|(bound, square)| *bound = (square.sqrt() * STEPS).min(255.0) as u8);
        grid
    }

    /// The number of the cell of a place within the box.
    #[inline(always)]
    fn cell(&self, at: [f32; 3]) -> usize {
        let index =
            |axis: usize| (((at[axis] - self.low[axis]) * self.inverse) as usize).min(self.size[axis] - 1);
        (index(2) * self.size[1] + index(1)) * self.size[0] + index(0)
    }

    /// Appends its numbers, the place of its bounds and that of the starts of points; see `CloudImage`.
    pub(super) fn write(&self, points: impl Iterator<Item = [f32; 3]>, image: &mut CloudImage) {
        let cells = self.size[0] * self.size[1] * self.size[2];
        let bound = bytes(&mut image.bounds, self.bounds[..cells].iter().copied());
        let sorted: Vec<([f32; 3], usize)> = points.map(|point| (point, self.cell(point))).collect();
        let start = image.sort_points(&sorted, cells);
        floats(&mut image.heads, &self.low);
        floats(&mut image.heads, &self.high);
        floats(&mut image.heads, &[self.inverse, self.step]);
        image.heads.extend(self.size.map(|count| count as u32));
        image.heads.extend([bound, start, 0]);
    }

    /// The places, of sixteen, that may be within the roots of some squares of a point; NaN is near.
    ///
    /// A place beyond the box is at least as far from a point as from the nearest place of the box, and as that is
    /// from the point, as the sides of a triangle with no acute angle there.
    #[inline(always)]
    pub(super) fn near<S: Simd>(&self, s: S, at: &[S::F; 3], squares: S::F) -> u16 {
        let (mut away, mut number, whole) = (s.splat(0.0), s.splat(0.0), s.splat(WHOLE));
        for axis in [2, 1, 0] {
            let low = s.splat(self.low[axis]);
            let inside = s.min(s.max(at[axis], low), s.splat(self.high[axis]));
            let gap = at[axis] - inside;
            away = away + gap * gap;
            // The nearest whole number of half a cell less is that of the cell; a place between two cells is in both.
            let last = s.splat((self.size[axis] - 1) as f32);
            let index = (inside - low) * s.splat(self.inverse) - s.splat(0.5);
            let index = s.min(s.max(index, s.splat(0.0)), last) + whole - whole;
            number = number * s.splat(self.size[axis] as f32) + index;
        }
        let numbers = s.store(number + whole);
        let mut bounds = [0.0f32; LANES];
        for k in 0..LANES {
            bounds[k] = f32::from(self.bounds[numbers[k].to_bits() as usize % CELLS]);
        }
        let bound = s.load(&bounds) * s.splat(self.step);
        !s.gt(away + bound * bound, squares)
    }
}

/// The square of the distance between cells by the difference of their numbers along an axis, in edges of a cell.
fn square_of(places: usize) -> f32 {
    let gap = (places.saturating_sub(1) as f32 - ROUNDING).max(0.0);
    gap * gap
}

/// The first pass, along a line of cells that are 0 where points are and infinite elsewhere: the nearest cell with points
/// on either side.
fn along_line(line: &mut [f32]) {
    let count = line.len();
    let mut last = None;
    let mut below = [f32::INFINITY; SIDE];
    for a in 0..count {
        if line[a] == 0.0 {
            last = Some(a);
        }
        below[a] = last.map_or(f32::INFINITY, |b| square_of(a - b));
    }
    last = None;
    for a in (0..count).rev() {
        if line[a] == 0.0 {
            last = Some(a);
        }
        line[a] = last.map_or(f32::INFINITY, |b| square_of(b - a)).min(below[a]);
    }
}

/// The least of the squares along lines of cells, each with the square of the distance of the cells added.
fn pass(squares: &[f32], count: usize, stride: usize) -> Vec<f32> {
    let mut out = vec![f32::INFINITY; squares.len()];
    // Cells with lower numbers along the axis and any along those before it are neighbours.
    for (from, to) in squares.chunks(count * stride).zip(out.chunks_mut(count * stride)) {
        // Most rows of a sparse cloud have no point.
        let filled: Vec<usize> = (0..count)
            .filter(|b| from[b * stride..][..stride].iter().any(|square| square.is_finite()))
            .collect();
        for a in 0..count {
            let row = &mut to[a * stride..][..stride];
            for &b in &filled {
                let more = square_of(a.abs_diff(b));
                let other = &from[b * stride..][..stride];
                row.iter_mut().zip(other).for_each(|(least, square)| {
                    let sum = square + more;
                    *least = if sum < *least { sum } else { *least };
                });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli::internals::{Instructions, Task, dispatch};

    /// Tests sixteen times the same place.
    struct Near<'a>(&'a DistanceGrid, [f32; 3], f32);

    impl Task for Near<'_> {
        type Output = u16;

        fn run<S: Simd>(self, s: S) -> u16 {
            self.0.near(s, &self.1.map(|x| s.splat(x)), s.splat(self.2))
        }
    }

    fn is_beyond(grid: &DistanceGrid, at: [f32; 3], square: f32) -> bool {
        let found: Vec<u16> = Instructions::available()
            .into_iter()
            .map(|instructions| dispatch(instructions, Near(grid, at, square)))
            .collect();
        assert!(found.iter().all(|near| *near == found[0] && (*near == 0 || *near == 0xffff)));
        found[0] == 0
    }

    #[test]
    fn bounds_are_never_above_the_distance_and_mostly_close_to_it() {
        let mut state = 1u64;
        let mut share = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 * 2f64.powi(-53)
        };
        for (count, flat) in [(1, false), (2, false), (300, false), (300, true)] {
            let any = |share: &mut dyn FnMut() -> f64| DVec3::new(share(), share(), share()) * 2.0 - 1.0;
            let points: Vec<DVec3> = (0..count)
                .map(|_| any(&mut share))
                .map(|point| if flat { point.with_z(0.25) } else { point })
                .collect();
            let grid = DistanceGrid::new(points.iter().copied());
            let mut close = 0;
            for _ in 0..2000 {
                let at = any(&mut share) * 1.5;
                let distance = points.iter().map(|point| point.distance(at)).fold(f64::INFINITY, f64::min);
                let place = at.as_vec3().to_array();
                assert!(!is_beyond(&grid, place, (distance * distance * (1.0 + 1e-6)) as f32));
                let nearer = (distance - 0.16).max(0.0);
                close += usize::from(is_beyond(&grid, place, (nearer * nearer) as f32));
            }
            assert!(close > 1000, "{close} of {count} points");
            assert!(!is_beyond(&grid, [f32::NAN; 3], 0.0));
        }
    }
}
