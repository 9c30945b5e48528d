//! Lenses: parts of the parameters that pieces of edges cannot leave.
//!
//! At the share `s` of its duration a piece is no further from the same share of its chord than `4 s (1 - s)` times the
//! bound of [`bulge`](crate::bulge), the error of linear interpolation. A lens is the convex hull of the ellipses with these
//! half axes. It tapers to the ends of the chord, so that triangles at one of these share no more than that vertex with it,
//! unless they meet the chord at a small angle.

use glam::DVec2;

/// Room for rounding of the projections onto an axis, relative to the parameters.
const ROUNDING: f64 = 1.0 / (1u64 << 48) as f64;

/// A convex part of the parameters that holds a piece of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    pub(crate) chord: [DVec2; 2],
    /// Half axes of the ellipse in the middle of the chord.
    pub(crate) half: DVec2,
}

impl Lens {
    /// A box around it.
    pub(crate) fn extent(&self) -> [DVec2; 2] {
        let [a, b] = self.chord;
        [a.min(b) - self.half, a.max(b) + self.half]
    }

    /// The same lens moved by whole periods.
    pub(crate) fn shifted(&self, by: DVec2) -> Self {
        Self { chord: self.chord.map(|end| end + by), ..*self }
    }

    /// The largest projection onto an axis.
    fn support(&self, axis: DVec2) -> f64 {
        let [a, b] = self.chord;
        let (along, reach) = (axis.dot(b - a), (axis * self.half).length());
        let share = match reach > 0.0 {
            true => (0.5 + along / (8.0 * reach)).clamp(0.0, 1.0),
            false => f64::from(along > 0.0),
        };
        axis.dot(a) + share * along + 4.0 * share * (1.0 - share) * reach
    }

    /// Room for rounding of projections onto an axis.
    fn room(&self, axis: DVec2) -> f64 {
        let [a, b] = self.chord;
        axis.abs().dot(a.abs().max(b.abs()) + self.half) * ROUNDING
    }

    /// Returns `true` if it lies on the side of a line that an axis across the line points away from.
    pub(crate) fn is_behind(&self, line: DVec2, axis: DVec2) -> bool {
        self.support(axis) <= axis.dot(line) + self.room(axis)
    }

    /// Directions along the chord, in the metric of its ellipse, and across it.
    fn axes(&self) -> [DVec2; 2] {
        let along = self.chord[1] - self.chord[0];
        [along / (self.half * self.half) * self.half.max_element().powi(2), along.perp()]
    }

    /// Returns `true` if it certainly shares no more than points of the boundary with a triangle (separating axes).
    pub(crate) fn misses(&self, triangle: &[DVec2; 3]) -> bool {
        let [a, b, c] = *triangle;
        let sides = [b - a, c - b, a - c].map(DVec2::perp);
        let parts = |axis: DVec2| {
            let values = triangle.map(|p| axis.dot(p));
            self.support(axis) <= values[0].min(values[1]).min(values[2]) + self.room(axis)
        };
        let is_axis = |axis: &DVec2| axis.is_finite() && *axis != DVec2::ZERO;
        self.axes().into_iter().chain(sides).filter(is_axis).any(|axis| parts(axis) || parts(-axis))
    }

    /// Returns `true` if it certainly shares no more than points of the boundary with another lens.
    pub(crate) fn misses_lens(&self, other: &Self) -> bool {
        let parts =
            |axis: DVec2| self.support(axis) + other.support(-axis) <= self.room(axis) + other.room(axis);
        let is_axis = |axis: &DVec2| axis.is_finite() && *axis != DVec2::ZERO;
        self.axes().into_iter().chain(other.axes()).filter(is_axis).any(|axis| parts(axis) || parts(-axis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_testing::Random;

    /// The lens of an arc holds its points, and no triangle that it is proven to miss holds any.
    #[test]
    fn lenses_hold_their_arcs() {
        let mut random = Random::new(381);
        let (mut missed, mut met) = (0, 0);
        for _ in 0..2000 {
            let (from, width) = (random.between(0.0, 6.0), random.between(1e-3, 1.5));
            let at = |s: f64| DVec2::from_angle(from + width * s);
            let lens = Lens { chord: [at(0.0), at(1.0)], half: DVec2::splat(width * width / 8.0) };
            let mut vertex = || DVec2::new(random.between(-1.5, 1.5), random.between(-1.5, 1.5));
            let shared = [vertex(), at(0.0), at(1.0)];
            let triangle = [shared[usize::from(width > 0.4) + usize::from(width > 1.0)], vertex(), vertex()];
            let turn = (triangle[1] - triangle[0]).perp_dot(triangle[2] - triangle[0]).signum();
            let mut is_met = false;
            for k in 0..=300 {
                let p = at(f64::from(k) / 300.0);
                let sides =
                    [0, 1, 2].map(|i| (triangle[(i + 1) % 3] - triangle[i]).perp_dot(p - triangle[i]) * turn);
                // Of vectors up to 4 long: far above the rounding of their products.
                is_met |= sides.iter().all(|&side| side > 1e-12);
                let axis = vertex();
                assert!(axis.dot(p) <= lens.support(axis) + 1e-14, "{lens:?} {p}");
            }
            let is_missed = lens.misses(&triangle);
            assert!(!(is_met && is_missed), "{lens:?} {triangle:?}");
            missed += usize::from(is_missed);
            met += usize::from(is_met);
        }
        assert!(missed > 600 && met > 100, "{missed} {met}");
    }

    /// Neighbours along a circle touch at their common vertex alone.
    #[test]
    fn neighbouring_lenses_of_a_circle_miss_each_other() {
        let at = |k: u32| DVec2::from_angle(f64::from(k) * std::f64::consts::FRAC_PI_4);
        let half = DVec2::splat(std::f64::consts::FRAC_PI_4.powi(2) / 8.0);
        let lens = |k: u32| Lens { chord: [at(k), at(k + 1)], half };
        assert!(lens(0).misses_lens(&lens(1)) && lens(1).misses_lens(&lens(0)));
        assert!(lens(0).misses_lens(&lens(3)) && !lens(0).misses_lens(&lens(0)));
    }
}
