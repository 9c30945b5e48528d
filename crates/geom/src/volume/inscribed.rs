//! The largest sphere and the largest box of given axes inside a convex polyhedron, by an interior-point
//! method.
//!
//! Both are concave problems in a few unknowns under linear limits: the sphere is a linear program in centre
//! and radius (Chebyshev's centre), the box maximises the sum of the logarithms of its edges, where only the
//! worst vertex counts for each face.

use super::{Obb, Sphere};
use glam::{DMat3, DVec3};

/// The largest sphere below all planes `normal · x <= offset` with unit normals, rounded inward; `inside` must
/// lie strictly below all. `None` if it does not, or if the planes leave room without limit.
pub fn inscribed_sphere(planes: &[(DVec3, f64)], inside: DVec3) -> Option<Sphere> {
    let (size, room) = room(planes, inside)?;
    let rows: Vec<[f64; 4]> = planes.iter().map(|(n, _)| [n.x, n.y, n.z, 1.0]).collect();
    let limits: Vec<f64> = planes.iter().map(|(n, h)| (h - n.dot(inside)) / size).collect();
    let start = [0.0, 0.0, 0.0, 0.5 * room / size];
    let best = maximise(&rows, &limits, start, &Goal { edges: 0 })?;
    Some(sphere_below(planes, inside + DVec3::new(best[0], best[1], best[2]) * size))
}

/// The largest sphere about a centre below all planes, rounded inward; radius 0 where the centre is not below
/// all.
pub(crate) fn sphere_below(planes: &[(DVec3, f64)], center: DVec3) -> Sphere {
    let (mut radius, mut size) = (f64::INFINITY, center.abs().max_element());
    for (normal, offset) in planes {
        radius = radius.min(offset - normal.dot(center));
        size = size.max(offset.abs());
    }
    Sphere { center, radius: (radius - INWARD * size).max(0.0) }
}

/// Upper bound on the rounding error, as a fraction of the size.
const INWARD: f64 = 1e-13;

/// The largest box along these axes below all planes, rounded inward; see [`inscribed_sphere`]. Its volume is
/// within a billionth of the best.
pub fn inscribed_box(planes: &[(DVec3, f64)], axes: DMat3, inside: DVec3) -> Option<Obb> {
    let (size, _) = room(planes, inside)?;
    // Unknowns are the upper limits, then the lower ones, along the axes from `inside`.
    let row = |(n, _): &(DVec3, f64)| {
        let along = axes.transpose() * *n;
        let (up, down) = (along.max(DVec3::ZERO), (-along).max(DVec3::ZERO));
        [up.x, up.y, up.z, -down.x, -down.y, -down.z]
    };
    let rows: Vec<[f64; 6]> = planes.iter().map(row).collect();
    let limits: Vec<f64> = planes.iter().map(|(n, h)| (h - n.dot(inside)) / size).collect();
    let sum = |row: &[f64; 6]| row.iter().map(|x| x.abs()).sum::<f64>();
    let s = 0.5 * rows.iter().zip(&limits).map(|(row, limit)| limit / sum(row)).fold(f64::INFINITY, f64::min);
    let best = maximise(&rows, &limits, [s, s, s, -s, -s, -s], &Goal { edges: 3 })?;
    let (high, low) = (DVec3::from_slice(&best[..3]), DVec3::from_slice(&best[3..]));
    let center = inside + axes * (high + low) * (0.5 * size);
    Some(shrunk(planes, Obb { center, axes, half_extents: (high - low) * (0.5 * size) }))
}

/// The box shrunk about its centre until every vertex is below all planes, rounding included.
fn shrunk(planes: &[(DVec3, f64)], mut obb: Obb) -> Obb {
    let mut share: f64 = 1.0;
    for (normal, offset) in planes {
        let reach = (obb.axes.transpose() * *normal).abs().dot(obb.half_extents);
        let size = offset.abs() + obb.center.abs().max_element() + reach;
        share = share.min((offset - normal.dot(obb.center) - INWARD * size) / reach);
    }
    obb.half_extents *= (share.max(0.0) * (1.0 - INWARD)).min(1.0);
    obb
}

/// A length to measure in, and the smallest distance of a point to the planes; `None` if it is not below
/// all.
fn room(planes: &[(DVec3, f64)], inside: DVec3) -> Option<(f64, f64)> {
    let distances = planes.iter().map(|(n, h)| h - n.dot(inside));
    let (least, most) = distances.fold((f64::INFINITY, 0.0), |(l, m): (f64, f64), d| (l.min(d), m.max(d)));
    (planes.len() >= 4 && least > 0.0 && most.is_finite()).then_some((most, least))
}

/// Objective to maximise: the last unknown, or the sum of the logarithms of `x[k] − x[k + edges]`.
struct Goal {
    edges: usize,
}

/// Maximise a goal under `rows · x <= limits` from a strictly feasible start, by Newton's method on the goal
/// with a logarithmic barrier that is lowered step by step (Fiacco and McCormick 1968).
fn maximise<const N: usize>(
    rows: &[[f64; N]],
    limits: &[f64],
    start: [f64; N],
    goal: &Goal,
) -> Option<[f64; N]> {
    let mut x = start;
    let mut weight = 1.0;
    // The goal is then within rows/weight of its best.
    while weight < 1e10 * rows.len() as f64 {
        let barrier = Barrier { rows, limits, goal, weight };
        for _ in 0..60 {
            let (gradient, hessian) = barrier.slopes(&x);
            // Where rounding ends the descent, what is reached is still feasible.
            let Some(step) = solve(&hessian, &gradient) else { return Some(x) };
            let decrement = dot(&gradient, &step);
            if decrement < 1e-10 {
                break;
            }
            let value = barrier.value(&x);
            let mut length = 1.0;
            let moved = |length: f64| std::array::from_fn(|k| x[k] - length * step[k]);
            while barrier.value(&moved(length)) > value - 0.1 * length * decrement && length > 1e-12 {
                length *= 0.5;
            }
            if length <= 1e-12 {
                break;
            }
            x = moved(length);
        }
        weight *= 20.0;
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

struct Barrier<'a, const N: usize> {
    rows: &'a [[f64; N]],
    limits: &'a [f64],
    goal: &'a Goal,
    weight: f64,
}

impl<const N: usize> Barrier<'_, N> {
    /// Infinite where a limit is passed.
    fn value(&self, x: &[f64; N]) -> f64 {
        let goal = match self.goal.edges {
            0 => x[N - 1],
            edges => (0..edges).map(|k| log(x[k] - x[k + edges])).sum(),
        };
        let slack: f64 = self.rows.iter().zip(self.limits).map(|(row, limit)| log(limit - dot(row, x))).sum();
        -self.weight * goal - slack
    }

    fn slopes(&self, x: &[f64; N]) -> ([f64; N], [[f64; N]; N]) {
        let (mut gradient, mut hessian) = ([0.0; N], [[0.0; N]; N]);
        match self.goal.edges {
            0 => gradient[N - 1] = -self.weight,
            edges => {
                for k in 0..edges {
                    let edge = x[k] - x[k + edges];
                    gradient[k] = -self.weight / edge;
                    gradient[k + edges] = self.weight / edge;
                    let bend = self.weight / (edge * edge);
                    (hessian[k][k], hessian[k + edges][k + edges]) = (bend, bend);
                    (hessian[k][k + edges], hessian[k + edges][k]) = (-bend, -bend);
                }
            }
        }
        for (row, limit) in self.rows.iter().zip(self.limits) {
            let inverse = 1.0 / (limit - dot(row, x));
            for i in 0..N {
                gradient[i] += row[i] * inverse;
                for j in 0..N {
                    hessian[i][j] += row[i] * row[j] * inverse * inverse;
                }
            }
        }
        (gradient, hessian)
    }
}

fn log(x: f64) -> f64 {
    if x > 0.0 { x.ln() } else { f64::NEG_INFINITY }
}

/// `x` with `matrix · x = right` for a positive definite matrix, by Cholesky's method.
fn solve<const N: usize>(matrix: &[[f64; N]; N], right: &[f64; N]) -> Option<[f64; N]> {
    let mut lower = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix[i][j] - sum;
            if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return None;
                }
                lower[i][i] = rest.sqrt();
            } else {
                lower[i][j] = rest / lower[j][j];
            }
        }
    }
    let mut x = *right;
    for i in 0..N {
        x[i] = (x[i] - (0..i).map(|k| lower[i][k] * x[k]).sum::<f64>()) / lower[i][i];
    }
    for i in (0..N).rev() {
        x[i] = (x[i] - (i + 1..N).map(|k| lower[k][i] * x[k]).sum::<f64>()) / lower[i][i];
    }
    Some(x)
}
