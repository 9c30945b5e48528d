//! Small oriented boxes.
//!
//! Starts from the axes of spread and of the coordinates, then rotates about one axis at a time. The best
//! rectangle around the projection of the points has an edge of the projection's hull (Freeman and Shapira
//! 1975 for areas). A handful of extremal points represents all during the search for axes; the box itself
//! is made from all.

use super::sphere::unit;
use super::{Aabb, Kdop, Measure, Obb, ROUNDINGS, nelder_mead};
use crate::number::round;
use glam::{DMat3, DVec2, DVec3};

impl Obb {
    /// The smallest box along these axes, which must be orthonormal up to rounding; rounded outward.
    pub fn aligned(axes: DMat3, points: &[DVec3]) -> Self {
        let start = points.first().copied().unwrap_or(DVec3::ZERO);
        let bounds = Aabb::from_points(points.iter().map(|p| axes.transpose() * (*p - start)));
        if bounds.is_empty() {
            return Self { center: start, axes, half_extents: DVec3::ZERO };
        }
        let center = start + axes * bounds.center();
        let size = bounds.size().max_element() + center.abs().max_element();
        let slack = if size > 0.0 { round::off(size, ROUNDINGS) + f64::MIN_POSITIVE } else { 0.0 };
        Self { center, axes, half_extents: bounds.size() * 0.5 + slack }
    }

    /// A small box around some points, from the best of these axes and some of its own, polished.
    pub fn small(points: &[DVec3], measure: Measure, starts: &[DMat3]) -> Self {
        let Some(search) = Search::new(points, measure) else {
            return Self::aligned(DMat3::IDENTITY, points);
        };
        let own = [DMat3::IDENTITY, axes_of_spread(points)];
        let axes = search.polished(search.best(own.iter().chain(starts).copied()));
        Self::aligned(axes, points)
    }

    /// A small box by Nelder and Mead's method over three angles, from several starts; what the thesis does.
    pub fn by_descent(points: &[DVec3], measure: Measure, starts: &[DMat3]) -> Self {
        let Some(search) = Search::new(points, measure) else {
            return Self::aligned(DMat3::IDENTITY, points);
        };
        let own = [DMat3::IDENTITY, axes_of_spread(points), DMat3::from_cols_array(&TILTED)];
        let found = own.iter().chain(starts).map(|start| {
            let turned = |angles: [f64; 3]| *start * fixed_angles(angles);
            let found = nelder_mead([0.0; 3], 0.2, 300, |angles| search.cost(&turned(angles)));
            let axes = turned(found.at);
            if found.value < search.cost(start) { axes } else { *start }
        });
        Self::aligned(search.best(found.collect::<Vec<_>>()), points)
    }
}

/// Axes far from those of the coordinates: a turn by a third about a diagonal, halved.
const TILTED: [f64; 9] =
    [2.0 / 3.0, 2.0 / 3.0, -1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];

/// `Rz(a) · Ry(b) · Rx(c)`.
fn fixed_angles([a, b, c]: [f64; 3]) -> DMat3 {
    DMat3::from_rotation_z(a) * DMat3::from_rotation_y(b) * DMat3::from_rotation_x(c)
}

/// Axes along which points spread most, second and least.
pub(super) fn axes_of_spread(points: &[DVec3]) -> DMat3 {
    let Some((shift, scale)) = unit(points) else { return DMat3::IDENTITY };
    let local = points.iter().map(|p| (*p - shift) / scale);
    let count = points.len() as f64;
    let mean = local.clone().sum::<DVec3>() / count;
    let mut spread = DMat3::ZERO;
    for p in local {
        let d = p - mean;
        spread += DMat3::from_cols(d * d.x, d * d.y, d * d.z) * (1.0 / count);
    }
    eigenvectors(spread)
}

/// Orthonormal, right-handed eigenvectors of a symmetric matrix by Jacobi's rotations, largest eigenvalue
/// first.
pub(crate) fn eigenvectors(symmetric: DMat3) -> DMat3 {
    let mut a = symmetric.to_cols_array_2d();
    let mut vectors = DMat3::IDENTITY;
    let size = (0..3).map(|k| a[k][k].abs()).fold(0.0, f64::max);
    for _ in 0..15 {
        if a[0][1].abs().max(a[0][2].abs()).max(a[1][2].abs()) <= round::off(size, 4) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q].abs() < f64::MIN_POSITIVE {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = 1.0f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (c, c);
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (t * c, -t * c);
            let turned = turn.transpose() * DMat3::from_cols_array_2d(&a) * turn;
            a = turned.to_cols_array_2d();
            vectors *= turn;
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| a[j][j].total_cmp(&a[i][i]));
    let (x, y) = (vectors.col(order[0]), vectors.col(order[1]));
    let frame = DMat3::from_cols(x, y, x.cross(y));
    if frame.is_finite() { frame } else { DMat3::IDENTITY }
}

/// The search for axes over few points of about unit size.
struct Search {
    points: Vec<DVec3>,
    measure: Measure,
}

/// Largest number of points that are all tested.
const FEW: usize = 48;

impl Search {
    fn new(points: &[DVec3], measure: Measure) -> Option<Self> {
        let (shift, scale) = unit(points)?;
        let local: Vec<DVec3> = points.iter().map(|p| (*p - shift) / scale).collect();
        let points = if local.len() > FEW { extremes(&local) } else { local };
        Some(Self { points, measure: measure.fitted() })
    }

    fn cost(&self, axes: &DMat3) -> f64 {
        let bounds = Aabb::from_points(self.points.iter().map(|p| axes.transpose() * *p));
        self.measure.of_box(bounds.size())
    }

    fn best(&self, axes: impl IntoIterator<Item = DMat3>) -> DMat3 {
        let costs = axes.into_iter().map(|axes| (self.cost(&axes), axes));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(DMat3::IDENTITY, |(_, axes)| axes)
    }

    /// Turn about each axis in turn to the best rectangle, as long as it helps.
    fn polished(&self, start: DMat3) -> DMat3 {
        let (mut axes, mut cost) = (start, self.cost(&start));
        for _ in 0..4 {
            let before = cost;
            for k in 0..3 {
                let along = axes.col(k);
                let (u, v) = (axes.col((k + 1) % 3), axes.col((k + 2) % 3));
                for edge in shadow_edges(&self.points, u, v) {
                    let x = (u * edge.x + v * edge.y).normalize();
                    let turned = DMat3::from_cols(along, x, along.cross(x));
                    let turned_cost = self.cost(&turned);
                    if turned_cost < cost {
                        (axes, cost) = (turned, turned_cost);
                    }
                }
            }
            if cost >= before * (1.0 - 1e-9) {
                break;
            }
        }
        axes
    }
}

/// The points that lie farthest out along many directions.
fn extremes(points: &[DVec3]) -> Vec<DVec3> {
    let spread = axes_of_spread(points);
    let directions = Kdop::DIRECTIONS.iter().flat_map(|d| [*d, spread * *d]);
    let mut chosen = Vec::new();
    for direction in directions {
        for sign in [1.0, -1.0] {
            let along = |p: &&DVec3| sign * p.dot(direction);
            if let Some(far) = points.iter().max_by(|a, b| along(a).total_cmp(&along(b))) {
                chosen.push(*far);
            }
        }
    }
    chosen
}

/// Directions of the hull edges of the points seen along the third axis.
fn shadow_edges(points: &[DVec3], u: DVec3, v: DVec3) -> Vec<DVec2> {
    let mut flat: Vec<DVec2> = points.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
    flat.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    flat.dedup();
    let chain = |points: &mut dyn Iterator<Item = &DVec2>| {
        let mut hull: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = hull[..] {
                if (b - a).perp_dot(*p - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(*p);
        }
        hull
    };
    let (lower, upper) = (chain(&mut flat.iter()), chain(&mut flat.iter().rev()));
    let edges =
        [lower, upper].into_iter().flat_map(|c| c.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>());
    edges.filter_map(DVec2::try_normalize).collect()
}
