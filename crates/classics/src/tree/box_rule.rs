//! Rules for the axes of oriented boxes, and the least rectangle around points.

use glam::{DMat3, DVec2, DVec3};
use noli_geom::{Obb, Volume};

/// By which rule the axes of an oriented box are found (Barequet et al. 1996, as Eckstein 1998 describes them in section 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxRule {
    /// All three axes of spread.
    All,
    /// The axis of largest spread, and the least rectangle across it.
    Max,
    /// The axis of least spread, and the least rectangle across it: the best of the three by its authors.
    #[default]
    Min,
}

impl BoxRule {
    /// The box by this rule around some points.
    ///
    /// ```
    /// use noli_classics::tree::BoxRule;
    /// // A tilted square in a plane: its least rectangle is itself.
    /// let square = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)].map(|(x, y)| glam::dvec3(x, y, 5.0));
    /// let half = BoxRule::Min.fit(&square).half_extents;
    /// assert!((half.x * half.y - 0.5).abs() < 1e-9 && half.z < 1e-9);
    /// ```
    pub fn fit(self, points: &[DVec3]) -> Obb {
        match self {
            Self::All => Obb::from_points(points),
            _ => self.along(Obb::from_points(points).axes, points),
        }
    }

    /// The box by this rule around some points whose axes of spread are given, the largest first.
    pub(super) fn along(self, axes: DMat3, points: &[DVec3]) -> Obb {
        match self {
            Self::All => Obb::aligned(axes, points),
            Self::Max => least_box(axes.col(0), points),
            Self::Min => least_box(axes.col(2), points),
        }
    }
}

/// The box with one axis given whose rectangle across it is least; the third axis is the given one.
pub(super) fn least_box(up: DVec3, points: &[DVec3]) -> Obb {
    let u = up.any_orthonormal_vector();
    let v = up.cross(u);
    let flat: Vec<DVec2> = points.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
    let along = least_rectangle(&flat);
    let x = u * along.x + v * along.y;
    Obb::aligned(DMat3::from_cols(x, up.cross(x), up), points)
}

/// The direction of a side of the rectangle of least area around points: one of the edges of their hull.
fn least_rectangle(points: &[DVec2]) -> DVec2 {
    let hull = hull(points);
    let edges = (0..hull.len()).filter_map(|k| (hull[(k + 1) % hull.len()] - hull[k]).try_normalize());
    let area = |along: &DVec2| {
        let extent = |axis: DVec2| {
            let spread = hull.iter().map(|p| p.dot(axis));
            spread.clone().fold(f64::NEG_INFINITY, f64::max) - spread.fold(f64::INFINITY, f64::min)
        };
        extent(*along) * extent(along.perp())
    };
    edges.min_by(|a, b| area(a).total_cmp(&area(b))).unwrap_or(DVec2::X)
}

/// The vertices of the hull, counter-clockwise (Andrew 1979).
fn hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    let chain = |points: &mut dyn Iterator<Item = &DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b - a).perp_dot(*p - b) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(*p);
        }
        chain
    };
    let (mut lower, upper) = (chain(&mut sorted.iter()), chain(&mut sorted.iter().rev()));
    lower.pop();
    lower.extend(&upper[..upper.len().saturating_sub(1)]);
    if lower.is_empty() { sorted } else { lower }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noli_geom::Measure;
    use noli_scenes::SplitMix64;

    /// Each rule holds all points; the least-spread rule gives the least rectangle of points in a plane; the largest-spread rule
    /// is never better on a flat square, whose longest axis it forces.
    #[test]
    fn box_rules_hold_their_points() {
        let mut random = SplitMix64::new(15);
        for round in 0..60 {
            let segment = DVec3::new(1.0, 0.5, [0.3, 0.0][round % 2]);
            let turn = DMat3::from_quat(random.rotation());
            let points: Vec<DVec3> = (0..10).map(|_| turn * (random.direction() * segment)).collect();
            let [all, max, min] = [BoxRule::All, BoxRule::Max, BoxRule::Min].map(|rule| rule.fit(&points));
            for found in [all, max, min] {
                assert!(points.iter().all(|p| found.holds(*p)));
            }
            if segment.z == 0.0 {
                assert!(min.measure(Measure::Surface) <= all.measure(Measure::Surface) * (1.0 + 1e-9));
                assert!(min.half_extents.z < 1e-9);
            }
        }
    }
}
