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
    /// Bound on how much higher another point may be than where a climb ends, as a factor of
    /// `|direction|`; infinite where climbing proves nothing.
    pub(super) shortfall: f64,
    /// The same for looking at every corner.
    pub(super) rounding: f64,
    /// The largest length of a corner, rounded up.
    pub(super) reach: f64,
    /// The mean of the corners.
    pub(super) middle: DVec3,
}

impl Climbing {
    /// Let a climb end at `v`: then `d·e <= 6uR|d|` for the edges `e` from there, as two products `d·x` err by
    /// `3uR|d|` each, with `R` the largest length of a corner. All of the body is `v + Σ c_j e_j` with
    /// `c_j >= 0`. For the inward direction `g`, minus the sum of the normals at `v`, let `δ` be the
    /// least `g·e_j`: then `Σ c_j <= |g|·D/δ` with the diameter `D`, and no point is higher by more than
    /// `6uR|d|·|g|D/δ`.
    pub(super) fn new(hull: &Hull) -> Self {
        let reach =
            hull.vertices.iter().map(|v| v.length()).fold(0.0, f64::max) * (1.0 + 4.0 * UNIT_ROUNDOFF);
        let rounding = 8.0 * UNIT_ROUNDOFF * reach + f64::MIN_POSITIVE;
        let shortfall = if hull.dimension == 3 { rounding * (1.0 + steepness(hull)) } else { f64::INFINITY };
        let middle = hull.vertices.iter().sum::<DVec3>() / hull.vertices.len() as f64;
        Self { shortfall, rounding, reach, middle }
    }
}

/// The largest `|g|D/δ` over the corners.
fn steepness(hull: &Hull) -> f64 {
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
        if least > 0.0 { inward[v].length() * diameter / least } else { f64::INFINITY }
    };
    (0..hull.vertices.len()).map(of_vertex).fold(0.0, f64::max)
}

impl Hull {
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
    pub fn climb_shortfall(&self) -> f64 {
        self.climbing.shortfall
    }

    /// The same for [`furthest`](Self::furthest): rounding alone.
    pub fn scan_rounding(&self) -> f64 {
        self.climbing.rounding
    }
}
