//! Distances of segments and triangles in `f64`, up to rounding; callers add a bound on it.

use glam::DVec3;
use noli_geom::Triangle;

/// The distance of two triangles, with the points that realise it.
pub(crate) fn triangles(a: &Triangle, b: &Triangle) -> (f64, DVec3, DVec3) {
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
    let mut keep = |p: DVec3, q: DVec3| {
        let distance = p.distance(q);
        if distance < best.0 {
            best = (distance, p, q);
        }
    };
    let side = |t: &Triangle, k: usize| [t.vertices[k], t.vertices[(k + 1) % 3]];
    for i in 0..3 {
        for j in 0..3 {
            let (_, p, q) = segments(side(a, i), side(b, j));
            keep(p, q);
        }
        if let Some(q) = b.foot(a.vertices[i]) {
            keep(a.vertices[i], q);
        }
        if let Some(p) = a.foot(b.vertices[i]) {
            keep(p, b.vertices[i]);
        }
    }
    for k in 0..3 {
        if let Some((p, q)) = pierced(side(a, k), b) {
            keep(p, q);
        }
        if let Some((q, p)) = pierced(side(b, k), a) {
            keep(p, q);
        }
    }
    best
}

/// The point at which a segment passes through a triangle, and the nearest one of the triangle: the plane of a thin one is
/// not known well enough to take them for the same.
fn pierced([p, q]: [DVec3; 2], triangle: &Triangle) -> Option<(DVec3, DVec3)> {
    let [a, b, c] = triangle.vertices;
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a), normal.dot(q - a));
    if from * to > 0.0 || from == to {
        return None;
    }
    let point = p + (q - p) * (from / (from - to));
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(s, e)| (*e - *s).cross(point - *s).dot(normal) >= 0.0);
    inside.then(|| (point, triangle.closest_to(point)))
}

/// The distance of two segments, with the points that realise it (Ericson 2005).
///
/// Where the lines are nearest follows from the parts of both differences across the first line: the determinant of the
/// book loses all digits of the place, and half of those of the distance, where segments cross at a small angle.
pub(crate) fn segments([p1, q1]: [DVec3; 2], [p2, q2]: [DVec3; 2]) -> (f64, DVec3, DVec3) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, b, e) = (d1.length_squared(), d1.dot(d2), d2.length_squared());
    let (c, f) = (d1.dot(r), d2.dot(r));
    let share = |part: f64, whole: f64| if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
    let free = if a > 0.0 {
        let (across, apart) = (d2 - d1 * (b / a), r - d1 * (c / a));
        let square = across.length_squared();
        // Any place will do if the lines are parallel.
        if square > 1e-30 * e { share(across.dot(apart), square) } else { 0.0 }
    } else {
        0.0
    };
    let s = share(b * free - c, a);
    let t = share(b * s + f, e);
    let (p, q) = (p1 + d1 * s, p2 + d2 * t);
    (p.distance(q), p, q)
}

#[cfg(test)]
mod tests {
    use super::triangles;
    use noli_geom::{ExactDistance, Pose, Triangle};
    use noli_testing::Random;

    /// Thin, small and far, nearly parallel and nearly touching: the distance is that of exact arithmetic up to rounding.
    #[test]
    fn distances_of_triangles_are_exact_up_to_rounding() {
        let mut random = Random::new(7);
        for case in 0..20_000 {
            let [along, tilt, across, lift, place] = std::array::from_fn(|_| random.vector());
            let [thin, turned, apart] = [1, 14, 196].map(|step| 0.1f64.powi(case / step % 14));
            let a = [-along, along, along * 0.3 + across * thin];
            let b = [-along - tilt * turned, along + tilt * turned, place].map(|p| p + lift * apart);
            let [a, b] = [a, b].map(|vertices| Triangle { vertices });
            let found = triangles(&a, &b).0;
            let exact = ExactDistance::new(&a, &b, &Pose::IDENTITY, &Pose::IDENTITY);
            let slack = 1e-15 * 16.0;
            assert!(exact.compare(found + slack).is_le(), "{a:?} {b:?} {found}: too small");
            assert!(exact.compare((found - slack).max(0.0)).is_ge(), "{a:?} {b:?} {found}: too large");
        }
    }
}
