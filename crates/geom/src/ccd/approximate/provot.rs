//! Provot's method (1997): roots of the coplanarity cubic in `f64`, an inside test at each.

use super::super::conditions::Conditions;
use super::super::{FeaturePair, bisected};
use super::{ApproximateQuery, Finder, InsideTest, inside};

impl FeaturePair {
    /// **Approximate**: returns the first root of the coplanarity cubic at which the features seem to touch.
    /// Misses contacts within a plane, where the cubic is always zero, and those that rounding moves.
    pub fn impact_by_provot(&self) -> Option<f64> {
        if !self.is_valid() {
            return None;
        }
        let start = self.start.map(|p| p.to_array());
        let end = self.end.map(|p| p.to_array());
        let [a, b, c, d] = Conditions::new(self.kind, &start, &end).volume();
        let value = |t: f64| {
            let s = 1.0 - t;
            ((a * s + b * t) * s + c * t * t) * s + d * t * t * t
        };
        // Between the zeros of the derivative the cubic is monotone.
        let (k3, k2, k1) = (d - c + b - a, c - 2.0 * b + 3.0 * a, b - 3.0 * a);
        let mut cuts = vec![0.0];
        let square = k2 * k2 - 3.0 * k3 * k1;
        if square > 0.0 {
            let q = -(k2 + k2.signum() * square.sqrt());
            let mut turns = [q / (3.0 * k3), k1 / q];
            turns.sort_by(f64::total_cmp);
            cuts.extend(turns.into_iter().filter(|t| 0.0 < *t && *t < 1.0));
        }
        cuts.push(1.0);
        let query =
            ApproximateQuery { finder: Finder::Linear, inside: InsideTest::Exact, ..Default::default() };
        let points = |t: f64| self.at(t);
        let size = crate::Aabb::from_points(self.points()).size().length();
        let scene = inside::Scene {
            kind: self.kind,
            points: &points,
            ends: [self.start, self.end],
            size,
            query: &query,
        };
        cuts.windows(2).find_map(|piece| {
            let (from, to) = (piece[0], piece[1]);
            let (at_from, at_to) = (value(from), value(to));
            if (at_from > 0.0) == (at_to > 0.0) && at_from != 0.0 && at_to != 0.0 {
                return None;
            }
            let root = bisected(value, from, to);
            scene.is_inside(root).then_some(root)
        })
    }
}
