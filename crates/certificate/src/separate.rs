//! Separating directions of two convex parts, as small integers.
//!
//! The point of B − A nearest to the origin by support points (Gilbert, Johnson and Keerthi 1988). Its direction
//! separates; it is rounded to the fewest bits that still do.

use glam::{DMat3, DVec3};

/// Largest components that are tried: few directions first, then those of one, two, three, five and nine bytes.
const SIZES: [f64; 7] = [1.0, 3.0, 23.0, 255.0, 65535.0, 2147483647.0, 4503599627370495.0];
const STEPS: usize = 48;

/// Up to four points.
#[derive(Clone, Copy, Default)]
struct Simplex {
    points: [DVec3; 4],
    count: usize,
}

impl Simplex {
    fn with(mut self, point: DVec3) -> Self {
        self.points[self.count] = point;
        self.count += 1;
        self
    }

    fn points(&self) -> &[DVec3] {
        &self.points[..self.count]
    }
}

/// A direction in integers along which B is further than `room` beyond A, by the support point of B − A against a
/// direction, and a direction to begin with: from the middle of A to that of B.
pub(crate) fn separate(room: f64, start: DVec3, nearest_along: &impl Fn(DVec3) -> DVec3) -> Option<[i64; 3]> {
    let direction = search(room, start, nearest_along)?;
    let holds = |n: DVec3| n.dot(nearest_along(n)) > room * n.length();
    rounded(direction, holds)
}

/// The coarsest rounding of a direction that keeps a property.
pub(crate) fn rounded(direction: DVec3, holds: impl Fn(DVec3) -> bool) -> Option<[i64; 3]> {
    let unit = direction / direction.abs().max_element();
    let sizes = SIZES.iter().map(|size| (unit * *size).round());
    // Along an axis one digit is enough.
    let axis = unit.map(|c| if c.abs() == 1.0 { c } else { 0.0 });
    let found = std::iter::once(axis).chain(sizes).find(|&n| n != DVec3::ZERO && holds(n))?;
    Some(found.to_array().map(|c| c as i64))
}

/// A direction along which all of B − A is beyond `room`.
pub(crate) fn search(room: f64, start: DVec3, nearest_along: &impl Fn(DVec3) -> DVec3) -> Option<DVec3> {
    let mut v = nearest_along(if start == DVec3::ZERO { DVec3::X } else { start });
    let mut simplex = Simplex::default().with(v);
    let (mut best, mut direction) = (room, None);
    for _ in 0..STEPS {
        let length = v.length();
        if length <= room {
            return None;
        }
        let w = nearest_along(v);
        let lower = v.dot(w) / length;
        if lower > best {
            (best, direction) = (lower, Some(v));
        }
        // Halfway between the room and all there is: coarse directions will do.
        if lower - room >= 0.5 * (length - room) || length - lower <= 1e-12 * length {
            break;
        }
        // Four points that are all needed have the origin between them.
        if simplex.count == 4 || simplex.points().contains(&w) {
            break;
        }
        let (nearest, kept) = nearest_of_simplex(&simplex.with(w));
        if nearest.length() >= length {
            break;
        }
        (v, simplex) = (nearest, kept);
    }
    direction
}

/// The point of the hull of up to four points that is nearest to the origin, and the points it is between. The last
/// point is one of them: it is beyond the plane through the nearest point of the others.
fn nearest_of_simplex(simplex: &Simplex) -> (DVec3, Simplex) {
    let points = simplex.points();
    let last = points.len() - 1;
    let mut best = (points[last], Simplex::default().with(points[last]));
    let mut least = points[last].length_squared();
    for subset in 1u32 << last..1 << points.len() {
        let chosen = (0..points.len()).filter(|k| subset >> k & 1 == 1);
        let chosen = chosen.fold(Simplex::default(), |chosen, k| chosen.with(points[k]));
        if let Some(point) = nearest_of_plane(chosen.points())
            && point.length_squared() < least
        {
            (least, best) = (point.length_squared(), (point, chosen));
        }
    }
    best
}

/// The point of the plane through the points that is nearest to the origin, if it is between them.
fn nearest_of_plane(points: &[DVec3]) -> Option<DVec3> {
    let p = points[0];
    let shares = match points[1..] {
        [] => DVec3::ZERO,
        [q] => {
            let d = q - p;
            DVec3::new(-p.dot(d) / d.length_squared(), 0.0, 0.0)
        }
        [q, r] => {
            let (d, e) = (q - p, r - p);
            let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
            let (pd, pe, det) = (-p.dot(d), -p.dot(e), dd * ee - de * de);
            DVec3::new((pd * ee - pe * de) / det, (pe * dd - pd * de) / det, 0.0)
        }
        [q, r, s] => DMat3::from_cols(q - p, r - p, s - p).inverse() * -p,
        _ => return None,
    };
    let inside = shares.is_finite() && shares.min_element() >= 0.0 && shares.element_sum() <= 1.0;
    let sum = |k: usize| points.get(k + 1).map_or(DVec3::ZERO, |q| (*q - p) * shares[k]);
    inside.then(|| p + sum(0) + sum(1) + sum(2))
}
