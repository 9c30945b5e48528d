//! The corner furthest in a direction, by walking uphill.
//!
//! On a convex body a corner that no neighbour beats is the furthest. With rounding, neighbours may be higher by
//! a little; how much that can mean for the whole body is worked out when the hull is made.

use super::Hull;
use crate::UNIT_ROUNDOFF;
use glam::DVec3;

/// What walking uphill may miss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Climbing {
    /// Bound on how much higher a point may be than the corner found by looking at all, as a factor of
    /// `|direction|`.
    pub(super) rounding: f64,
    /// The largest length of a corner, rounded up.
    pub(super) reach: f64,
    /// The mean of the corners.
    pub(super) middle: DVec3,
}

impl Climbing {
    pub(super) fn new(hull: &Hull) -> Self {
        let reach =
            hull.vertices.iter().map(|v| v.length()).fold(0.0, f64::max) * (1.0 + 4.0 * UNIT_ROUNDOFF);
        let rounding = 8.0 * UNIT_ROUNDOFF * reach + f64::MIN_POSITIVE;
        let middle = hull.vertices.iter().sum::<DVec3>() / hull.vertices.len() as f64;
        Self { rounding, reach, middle }
    }
}

/// How much higher a point may be than each corner where a climb may end, as a factor of `|direction|`; nothing for hulls without
/// an inside, whose climbs prove nothing.
///
/// Let a climb end at `v`: then `d·e <= 6uR|d|` for the edges `e` from there, as two products `d·x` err by
/// `3uR|d|` each, with `R` the largest length of a corner. All of the body is `v + Σ c_j e_j` with
/// `c_j >= 0`. For the inward direction `g`, minus the sum of the normals at `v`, let `δ` be the
/// least `g·e_j`: then `Σ c_j <= |g|·D/δ` with the diameter `D`, and no point is higher by more than
/// `6uR|d|·|g|D/δ`.
pub(super) fn shortfalls(hull: &Hull) -> Vec<f64> {
    if hull.dimension < 3 {
        return Vec::new();
    }
    let diameter = hull.aabb().size().length();
    let mut inward = vec![DVec3::ZERO; hull.vertices.len()];
    for (face, corners) in hull.faces.iter().enumerate() {
        for &v in corners {
            inward[v as usize] -= hull.normals[face];
        }
    }
    let of_vertex = |v: usize| {
        let edges = hull.neighbours(v as u32).iter().map(|&w| hull.at(w) - hull.vertices[v]);
        // Any `g` will do, however the normals of slivers are rounded; only the product itself must hold.
        let rounding = |e: DVec3| 8.0 * UNIT_ROUNDOFF * inward[v].length() * e.length();
        let least = edges.map(|e| inward[v].dot(e) - rounding(e)).fold(f64::INFINITY, f64::min);
        let steepness = if least > 0.0 { inward[v].length() * diameter / least } else { f64::INFINITY };
        hull.climbing.rounding * (1.0 + steepness)
    };
    (0..hull.vertices.len()).map(of_vertex).collect()
}

/// Cells to an edge of the cube on which directions are sorted.
const CELLS: usize = 4;

/// Smaller hulls are climbed from any corner.
const MANY: usize = 32;

/// The furthest corners in the middle of each cell of a cube of directions.
pub(super) fn starts(hull: &Hull) -> Vec<u32> {
    if hull.vertices.len() < MANY || hull.dimension < 3 {
        return Vec::new();
    }
    let middle = |k: usize| (2 * k + 1) as f64 / CELLS as f64 - 1.0;
    let mut at = 0;
    let mut starts = Vec::with_capacity(6 * CELLS * CELLS);
    for side in 0..6 {
        for cell in 0..CELLS * CELLS {
            let mut direction = DVec3::splat(if side % 2 == 0 { 1.0 } else { -1.0 });
            let axis = side / 2;
            direction[(axis + 1) % 3] = middle(cell / CELLS);
            direction[(axis + 2) % 3] = middle(cell % CELLS);
            at = hull.climb(direction, at);
            starts.push(at);
        }
    }
    starts
}

impl Hull {
    /// A corner that is far in about this direction, to climb from.
    pub fn near(&self, direction: DVec3) -> u32 {
        let size = direction.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let cell = |k: usize| {
            let along = (direction[k] / size[axis] + 1.0) * (0.5 * CELLS as f64);
            // A cast takes NaN to 0.
            (along as usize).min(CELLS - 1)
        };
        let side = 2 * axis + usize::from(direction[axis] < 0.0);
        let index = (side * CELLS + cell((axis + 1) % 3)) * CELLS + cell((axis + 2) % 3);
        self.starts_of_climbs.get(index).copied().unwrap_or(0)
    }

    /// The corner that is furthest in a direction, up to [`scan_rounding`](Self::scan_rounding).
    pub fn furthest(&self, direction: DVec3) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for (i, v) in self.vertices.iter().enumerate() {
            let height = v.dot(direction);
            if height > best.0 {
                best = (height, i as u32);
            }
        }
        best.1
    }

    /// The same by walking uphill from a corner, up to [`climb_shortfall`](Self::climb_shortfall). Much
    /// faster on large hulls, above all from a corner near the end.
    pub fn climb(&self, direction: DVec3, from: u32) -> u32 {
        let mut at = from;
        let mut height = self.at(at).dot(direction);
        loop {
            let before = at;
            for &next in self.neighbours(before) {
                let other = self.at(next).dot(direction);
                if other > height {
                    (at, height) = (next, other);
                }
            }
            if at == before {
                return at;
            }
        }
    }

    /// Bound on `d·x − d·v` over the hull, for the corner `v` that [`climb`](Self::climb) ends at, with `d·v`
    /// as computed, as a factor of `|d|`. Infinite where climbing proves nothing: flat hulls, slivers.
    pub fn climb_shortfall(&self, vertex: u32) -> f64 {
        self.shortfalls.get(vertex as usize).copied().unwrap_or(f64::INFINITY)
    }

    /// The same for [`furthest`](Self::furthest): rounding alone.
    pub fn scan_rounding(&self) -> f64 {
        self.climbing.rounding
    }
}
