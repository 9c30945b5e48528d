//! Distances of segments and triangles in `f64`, up to rounding; callers add a bound on it.

use glam::DVec3;
use noli_geom::Triangle;

/// The distance of two triangles, with the points that realise it; zero if they intersect.
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
        if let Some(q) = foot(b, a.vertices[i]) {
            keep(a.vertices[i], q);
        }
        if let Some(p) = foot(a, b.vertices[i]) {
            keep(p, b.vertices[i]);
        }
    }
    for k in 0..3 {
        for point in pierced(side(a, k), b).into_iter().chain(pierced(side(b, k), a)) {
            keep(point, point);
        }
    }
    best
}

/// The foot of a point on a triangle; `None` if it lies outside, where a side is nearest.
///
/// Its shares come from one division. Those of [`Triangle::closest_to`] are differences of products, which rounding makes
/// arbitrary for triangles of less than 1e-7 of their distance, so that the point may lie anywhere.
fn foot(triangle: &Triangle, point: DVec3) -> Option<DVec3> {
    let [a, b, c] = triangle.vertices;
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (bb, bc, cc) = (ab.length_squared(), ab.dot(ac), ac.length_squared());
    let (along_b, along_c) = (ab.dot(ap), ac.dot(ap));
    let determinant = bb * cc - bc * bc;
    let v = (cc * along_b - bc * along_c) / determinant;
    let w = (bb * along_c - bc * along_b) / determinant;
    (v >= 0.0 && w >= 0.0 && v + w <= 1.0).then(|| a + ab * v + ac * w)
}

/// The point of a triangle nearest to a point.
pub(crate) fn nearest_in(triangle: &Triangle, point: DVec3) -> DVec3 {
    let [a, b, c] = triangle.vertices;
    let on_side = |(from, to): (DVec3, DVec3)| segments([point; 2], [from, to]);
    foot(triangle, point).unwrap_or_else(|| {
        let mut best = on_side((a, b));
        for found in [on_side((b, c)), on_side((c, a))] {
            if found.0 < best.0 {
                best = found;
            }
        }
        best.2
    })
}

/// The point at which a segment passes through a triangle.
fn pierced([p, q]: [DVec3; 2], triangle: &Triangle) -> Option<DVec3> {
    let [a, b, c] = triangle.vertices;
    let normal = (b - a).cross(c - a);
    let (from, to) = (normal.dot(p - a), normal.dot(q - a));
    if from * to > 0.0 || from == to {
        return None;
    }
    let point = p + (q - p) * (from / (from - to));
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(s, e)| (*e - *s).cross(point - *s).dot(normal) >= 0.0);
    inside.then_some(point)
}

/// The distance of two segments, with the points that realise it (Ericson 2005).
pub(crate) fn segments([p1, q1]: [DVec3; 2], [p2, q2]: [DVec3; 2]) -> (f64, DVec3, DVec3) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(r));
    let c = d1.dot(r);
    let (s, t) = if a <= 0.0 && e <= 0.0 {
        (0.0, 0.0)
    } else if e <= 0.0 {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else if a <= 0.0 {
        (0.0, (f / e).clamp(0.0, 1.0))
    } else {
        let b = d1.dot(d2);
        let denominator = a * e - b * b;
        let s =
            if denominator > 1e-30 * a * e { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
        let t = (b * s + f) / e;
        if t < 0.0 {
            ((-c / a).clamp(0.0, 1.0), 0.0)
        } else if t > 1.0 {
            (((b - c) / a).clamp(0.0, 1.0), 1.0)
        } else {
            (s, t)
        }
    };
    let (p, q) = (p1 + d1 * s, p2 + d2 * t);
    (p.distance(q), p, q)
}
