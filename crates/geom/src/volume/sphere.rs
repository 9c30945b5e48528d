//! The smallest enclosing sphere of points.
//!
//! At most four points support it. As Welzl (1991) and Gärtner (1999), but the point that joins is always
//! the one farthest out. The support points are then recomputed among the at most five candidates. The
//! radius grows at every step, so it terminates, and degenerate sets need no special care.

use super::{Aabb, ROUNDINGS, Sphere, length, nelder_mead};
use crate::number::round;
use glam::{DMat3, DVec3};

impl Sphere {
    /// The sphere of least radius about this centre that holds some points, rounded outward.
    pub fn centered(center: DVec3, points: &[DVec3]) -> Self {
        let radius = points.iter().map(|p| length(*p - center)).fold(0.0, f64::max);
        let slack = round::off(center.abs().max_element(), ROUNDINGS) + f64::MIN_POSITIVE;
        Self { center, radius: if radius > 0.0 { round::up(radius, ROUNDINGS) + slack } else { radius } }
    }

    /// The smallest sphere around some points, rounded outward.
    ///
    /// ```
    /// use glam::dvec3;
    /// // Two of the four points carry it; a sphere through all four has seven times its radius.
    /// let points = [dvec3(1., 0., 0.), dvec3(-1., 0., 0.), dvec3(0., 0.1, 0.), dvec3(0., 0., 0.1)];
    /// assert!((noli_geom::Sphere::smallest(&points).radius - 1.0).abs() < 1e-12);
    /// ```
    pub fn smallest(points: &[DVec3]) -> Self {
        let Some((shift, scale)) = unit(points) else { return Self::centered(DVec3::ZERO, points) };
        let local: Vec<DVec3> = points.iter().map(|p| (*p - shift) / scale).collect();
        Self::centered(shift + carried_center(&local) * scale, points)
    }

    /// A small sphere around some points by Nelder and Mead's method, from the middle of their box or a centre
    /// that was good before; what the thesis does.
    pub fn by_descent(points: &[DVec3], start: Option<DVec3>) -> Self {
        let Some((shift, scale)) = unit(points) else { return Self::centered(DVec3::ZERO, points) };
        let local: Vec<DVec3> = points.iter().map(|p| (*p - shift) / scale).collect();
        let start = start.map_or(DVec3::ZERO, |center| (center - shift) / scale);
        let reach =
            |c: [f64; 3]| local.iter().map(|p| p.distance_squared(c.into())).fold(0.0, f64::max).sqrt();
        let found = nelder_mead(start.into(), 0.1, 400, reach);
        Self::centered(shift + DVec3::from(found.at) * scale, points)
    }
}

/// A shift and a power of two that bring points to about unit size; `None` for no points.
pub(super) fn unit(points: &[DVec3]) -> Option<(DVec3, f64)> {
    let bounds = Aabb::from_points(points.iter().copied());
    if bounds.is_empty() {
        return None;
    }
    let size = bounds.size().max_element();
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    let scale = if size.is_normal() { 2.0f64.powi(exponent) } else { 1.0 };
    Some((bounds.center(), scale))
}

/// The centre of the smallest sphere around points of about unit size.
fn carried_center(points: &[DVec3]) -> DVec3 {
    let mut carriers: Vec<DVec3> = points.first().copied().into_iter().collect();
    let (mut center, mut radius_sq) = (carriers[0], 0.0);
    // The radius grows at every step; the limit is for roundings that might make it stand.
    for _ in 0..10 * (points.len() + 10) {
        let far =
            points.iter().max_by(|a, b| a.distance_squared(center).total_cmp(&b.distance_squared(center)));
        let Some(&far) = far.filter(|p| p.distance_squared(center) > radius_sq * (1.0 + 1e-13) + 1e-300)
        else {
            break;
        };
        carriers.push(far);
        let Some((next, subset)) = smallest_by_subsets(&carriers) else { break };
        let next_sq = subset.iter().map(|p| p.distance_squared(next)).fold(0.0, f64::max);
        if next_sq <= radius_sq {
            break;
        }
        (center, radius_sq, carriers) = (next, next_sq, subset);
    }
    center
}

/// Returns the smallest enclosing sphere of at most five points, and its support points. Of all spheres
/// through some of them, it is the smallest that contains the others.
fn smallest_by_subsets(points: &[DVec3]) -> Option<(DVec3, Vec<DVec3>)> {
    let mut best: Option<(f64, DVec3, Vec<DVec3>)> = None;
    for mask in 1u32..1 << points.len() {
        if mask.count_ones() > 4 {
            continue;
        }
        let subset: Vec<DVec3> =
            points.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, p)| *p).collect();
        let Some(center) = circumcenter(&subset) else { continue };
        let radius_sq = subset[0].distance_squared(center);
        let holds = points.iter().all(|p| p.distance_squared(center) <= radius_sq * (1.0 + 1e-12) + 1e-30);
        if holds && best.as_ref().is_none_or(|(least, ..)| radius_sq < *least) {
            best = Some((radius_sq, center, subset));
        }
    }
    best.map(|(_, center, subset)| (center, subset))
}

/// The point of the affine hull that is equally far from up to four points; `None` if they are dependent.
fn circumcenter(points: &[DVec3]) -> Option<DVec3> {
    let &[first, ref others @ ..] = points else { return None };
    let edges: Vec<DVec3> = others.iter().map(|p| *p - first).collect();
    let half_sq = |e: &DVec3| 0.5 * e.length_squared();
    let offset = match edges[..] {
        [] => DVec3::ZERO,
        [e] => e * 0.5,
        [e, f] => {
            let normal = e.cross(f);
            solve([e, f, normal], DVec3::new(half_sq(&e), half_sq(&f), 0.0))?
        }
        [e, f, g] => solve([e, f, g], DVec3::new(half_sq(&e), half_sq(&f), half_sq(&g)))?,
        _ => return None,
    };
    Some(first + offset)
}

/// `x` with `rows · x = right`; `None` if the rows are nearly dependent.
pub(super) fn solve(rows: [DVec3; 3], right: DVec3) -> Option<DVec3> {
    let matrix = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    let size = rows[0].length() * rows[1].length() * rows[2].length();
    let determinant = matrix.determinant();
    (determinant.abs() > 1e-13 * size && determinant != 0.0).then(|| matrix.inverse() * right)
}
