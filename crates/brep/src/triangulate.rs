//! Polygons with holes in the plane of parameters, cut into triangles on their own vertices.
//!
//! Holes are joined to the outer boundary by bridges, then ears are clipped (Meisters 1975) with exact orientation signs.
//! The boundary of the triangles is the polygon, so that what it encloses is covered in any case.

use glam::DVec2;
use robust::{Coord, orient2d};

pub(crate) fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    orient2d(coord(a), coord(b), coord(c))
}

/// Twice the signed area.
pub(crate) fn doubled_area(points: &[DVec2]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let next = |i: usize| points[(i + 1) % points.len()] - origin;
    (0..points.len()).map(|i| (points[i] - origin).perp_dot(next(i))).sum()
}

/// Returns `true` if a polygon winds around a point.
pub(crate) fn encloses(polygon: &[DVec2], point: DVec2) -> bool {
    let mut inside = false;
    for (i, &a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        if (a.y > point.y) != (b.y > point.y) {
            let upward = b.y > a.y;
            inside ^= (orientation(a, b, point) > 0.0) == upward;
        }
    }
    inside
}

/// The bridge from a hole to a polygon: positions in both of two vertices that see each other.
pub(crate) fn bridge(polygon: &[DVec2], hole: &[DVec2], others: &[&[DVec2]]) -> (usize, usize) {
    let rightmost = (0..hole.len()).max_by(|&i, &j| hole[i].x.total_cmp(&hole[j].x)).unwrap_or(0);
    let from = hole[rightmost];
    let mut order: Vec<usize> = (0..polygon.len()).collect();
    order.sort_by(|&i, &j| polygon[i].distance_squared(from).total_cmp(&polygon[j].distance_squared(from)));
    let sees = |&i: &usize| {
        let free = |ring: &[DVec2]| {
            (0..ring.len()).all(|k| !crosses(from, polygon[i], ring[k], ring[(k + 1) % ring.len()]))
        };
        free(polygon) && free(hole) && others.iter().all(|ring| free(ring)) && leads_inside(polygon, i, from)
    };
    (order.iter().copied().find(sees).or(order.first().copied()).unwrap_or(0), rightmost)
}

/// Returns `true` if the direction from a vertex of a counter-clockwise polygon to a point leads into it.
fn leads_inside(polygon: &[DVec2], i: usize, to: DVec2) -> bool {
    let n = polygon.len();
    let (before, at, after) = (polygon[(i + n - 1) % n], polygon[i], polygon[(i + 1) % n]);
    let (left_of_next, left_of_last) =
        (orientation(at, after, to) >= 0.0, orientation(before, at, to) >= 0.0);
    if orientation(before, at, after) >= 0.0 {
        left_of_next && left_of_last
    } else {
        left_of_next || left_of_last
    }
}

/// Two segments that share no end share a point.
pub(crate) fn crosses(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    if a == c || a == d || b == c || b == d {
        return false;
    }
    let (ac, ad) = (orientation(a, b, c), orientation(a, b, d));
    let (ca, cb) = (orientation(c, d, a), orientation(c, d, b));
    ac * ad <= 0.0 && ca * cb <= 0.0 && (ac != 0.0 || ad != 0.0)
}

/// Largest polygon whose ears are compared with each other.
const COMPARED: usize = 160;

/// Cuts a counter-clockwise polygon, short diagonals first; returns positions in it. If it does not cross itself, the
/// triangles cover its inside once and nothing else.
pub(crate) fn triangulate(points: &[DVec2]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::with_capacity(points.len());
    let mut start = 0;
    while left.len() > 3 {
        let n = left.len();
        let ear = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let diagonal = |k: usize| points[ear(k)[0]].distance_squared(points[ear(k)[2]]);
        let is_ear = |k: &usize, lenient: bool| is_ear(points, &left, ear(*k), lenient);
        let strict = if n <= COMPARED {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|&i, &j| diagonal(i).total_cmp(&diagonal(j)));
            order.into_iter().find(|k| is_ear(k, false))
        } else {
            // Two steps on each time, so that the triangles do not fan out from one vertex.
            (start..start + n).map(|k| k % n).find(|k| is_ear(k, false))
        };
        let Some(found) = strict.or_else(|| (0..n).find(|k| is_ear(k, true))) else {
            triangles.extend((1..n - 1).map(|k| [left[0], left[k], left[k + 1]]));
            return triangles;
        };
        triangles.push(ear(found));
        left.remove(found);
        start = (found + 1) % left.len();
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// An ear turns left and holds no other vertex. Leniently it may be flat and may be touched.
fn is_ear(points: &[DVec2], left: &[usize], ear: [usize; 3], lenient: bool) -> bool {
    let [a, b, c] = ear.map(|i| points[i]);
    let turn = orientation(a, b, c);
    if turn < 0.0 || (turn == 0.0 && !lenient) {
        return false;
    }
    if turn == 0.0 {
        return true;
    }
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let blocks = |&i: &usize| {
        let p = points[i];
        if ear.contains(&i) || p.cmplt(low).any() || p.cmpgt(high).any() || p == a || p == b || p == c {
            return false;
        }
        let signs = [orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)];
        if lenient { signs.iter().all(|&s| s > 0.0) } else { signs.iter().all(|&s| s >= 0.0) }
    };
    !left.iter().any(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn ring(count: usize, radius: f64, center: DVec2) -> Vec<DVec2> {
        let at = |k: usize| center + radius * DVec2::from_angle(TAU * k as f64 / count as f64);
        (0..count).map(at).collect()
    }

    #[test]
    fn a_plate_with_holes_keeps_its_area() {
        let mut polygon = ring(30, 5.0, DVec2::ZERO);
        let holes: Vec<Vec<DVec2>> = (0..6)
            .map(|k| {
                let mut hole = ring(12, 0.7, 3.0 * DVec2::from_angle(k as f64));
                hole.reverse();
                hole
            })
            .collect();
        let area = doubled_area(&polygon) + holes.iter().map(|h| doubled_area(h)).sum::<f64>();
        for (k, hole) in holes.iter().enumerate() {
            let others: Vec<&[DVec2]> = holes[k + 1..].iter().map(Vec::as_slice).collect();
            let (i, j) = bridge(&polygon, hole, &others);
            let mut joined = polygon[..=i].to_vec();
            joined.extend(hole[j..].iter().chain(&hole[..=j]));
            joined.extend(&polygon[i..]);
            polygon = joined;
        }
        let found = triangulate(&polygon);
        let areas = || found.iter().map(|t| doubled_area(&t.map(|i| polygon[i])));
        assert!(areas().all(|area| area >= 0.0));
        let covered: f64 = areas().sum();
        assert!((covered - area).abs() < 1e-12 * area);
    }

    #[test]
    fn polygons_enclose_points() {
        assert!(encloses(&ring(7, 1.0, DVec2::ZERO), DVec2::new(0.1, 0.2)));
        assert!(!encloses(&ring(7, 1.0, DVec2::ZERO), DVec2::new(1.1, 0.2)));
    }
}
