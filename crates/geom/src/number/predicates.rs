//! Signs of determinants of points known exactly as `f64`, by Shewchuk's adaptive expansions (crate
//! `robust`). Expansions are exact only while no product leaves the range of `f64`; points outside
//! a safe range of exponents are refused here and left to integers.

use glam::DVec3;
use robust::{Coord, Coord3D};

/// Returns `true` if products of three differences of these points, down to their last bits, are in range.
/// Bits below `2^-340` would make a product of three vanish; coordinates above `2^310` overflow.
pub(crate) fn in_range(points: &[DVec3]) -> bool {
    let (low, high) = (2.0f64.powi(-285), 2.0f64.powi(310));
    points.iter().all(|p| p.to_array().iter().all(|c| *c == 0.0 || (low..high).contains(&c.abs())))
}

/// Sign of `det(b − a, c − a, d − a)`; the points are [`in_range`].
pub(crate) fn orient3d([a, b, c, d]: [DVec3; 4]) -> i8 {
    if are_level([a, b, c, d]) {
        return 0;
    }
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    // `robust` counts the other side as positive.
    -sign(robust::orient3d(a, b, c, d))
}

/// Returns `true` if four points are trivially coplanar: in one plane across an axis, or two coincide.
/// Faces in such planes and shared vertices are the bulk of exact contacts.
#[inline]
pub(crate) fn are_level([a, b, c, d]: [DVec3; 4]) -> bool {
    let level = |k: usize| a[k] == b[k] && a[k] == c[k] && a[k] == d[k];
    level(0) || level(1) || level(2) || a == b || a == c || a == d || b == c || b == d || c == d
}

/// Sign of the doubled area of `abc` seen along `axis`; the points are [`in_range`].
pub(crate) fn orient2d(points: [DVec3; 3], axis: usize) -> i8 {
    let [a, b, c] = points.map(|p| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] });
    if a == b || a == c || b == c {
        return 0;
    }
    sign(robust::orient2d(a, b, c))
}

pub(crate) fn sign(x: f64) -> i8 {
    (x > 0.0) as i8 - (x < 0.0) as i8
}
