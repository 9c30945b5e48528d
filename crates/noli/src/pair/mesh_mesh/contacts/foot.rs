//! The point of a triangle that is nearest to another.

use glam::DVec3;

/// Position of a point on a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Inside,
    /// On the side from this vertex to the next.
    Edge(usize),
    Vertex(usize),
}

/// The point of a triangle nearest to `p` (Ericson, *Real-Time Collision Detection*, 2005, section 5.1.5).
pub(crate) fn nearest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Place) {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    if normal.length_squared() <= 1e-24 * ab.length_squared() * ac.length_squared() {
        return nearest_on_sides(p, [a, b, c]);
    }
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Place::Vertex(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Place::Vertex(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Place::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Place::Vertex(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Place::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), Place::Edge(1));
    }
    // By the height over the plane: its normal is known better than a sum of three vertices.
    (p - normal * (ap.dot(normal) / normal.length_squared()), Place::Inside)
}

fn nearest_on_sides(p: DVec3, vertices: [DVec3; 3]) -> (DVec3, Place) {
    let mut best = (vertices[0], Place::Vertex(0));
    for k in 0..3 {
        let (from, to) = (vertices[k], vertices[(k + 1) % 3]);
        let along = to - from;
        let t = along.dot(p - from) / along.length_squared();
        let found = if !(t > 0.0) {
            (from, Place::Vertex(k))
        } else if t >= 1.0 {
            (to, Place::Vertex((k + 1) % 3))
        } else {
            (from + along * t, Place::Edge(k))
        };
        if found.0.distance_squared(p) < best.0.distance_squared(p) {
            best = found;
        }
    }
    best
}
