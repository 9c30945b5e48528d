//! Dimension spanned by points, and the hulls of those that span fewer than three.

use super::quick;
use super::signs::Signs;
use super::{Boundary, merge};
use crate::internals::sort_by;
use glam::DVec3;

/// The boundary of the hull of different points, of which there is at least one.
pub(super) fn boundary(signs: &Signs<'_>) -> Boundary {
    let Some([a, b]) = far_pair(signs.points) else {
        return Boundary { loops: vec![vec![0]], dimension: 0 };
    };
    let Some((c, axis)) = off_line(signs, a, b) else {
        return Boundary { loops: vec![line_ends(signs.points)], dimension: 1 };
    };
    let Some(d) = off_plane(signs, [a, b, c]) else {
        let ring = ring(signs, axis);
        let back = ring.iter().rev().copied().collect();
        return Boundary { loops: vec![ring, back], dimension: 2 };
    };
    let simplex = if signs.orient3d([a, b, c], d) < 0 { [a, b, c, d] } else { [a, c, b, d] };
    Boundary { loops: merge::loops(signs, &quick::triangles(signs, simplex)), dimension: 3 }
}

/// The ends of the widest extent along an axis; none of a single point.
fn far_pair(points: &[DVec3]) -> Option<[u32; 2]> {
    let ends = |axis: usize| {
        let by = |i: &u32, j: &u32| points[*i as usize][axis].total_cmp(&points[*j as usize][axis]);
        let numbers = || 0..points.len() as u32;
        (numbers().min_by(by).unwrap_or(0), numbers().max_by(by).unwrap_or(0))
    };
    let width = |axis: usize, (i, j): (u32, u32)| points[j as usize][axis] - points[i as usize][axis];
    let (_, (a, b)) =
        (0..3).map(|axis| (axis, ends(axis))).max_by(|x, y| width(x.0, x.1).total_cmp(&width(y.0, y.1)))?;
    (a != b).then_some([a, b])
}

/// Returns the point furthest from a line within rounding, or any point off it.
fn off_line(signs: &Signs<'_>, a: u32, b: u32) -> Option<(u32, usize)> {
    let at = |i: u32| signs.points[i as usize];
    let along = (at(b) - at(a)).normalize_or(DVec3::X);
    let height = |i: &u32| along.cross(at(*i) - at(a)).abs().max_element();
    let numbers = 0..signs.points.len() as u32;
    let best = numbers.clone().max_by(|i, j| height(i).total_cmp(&height(j)))?;
    std::iter::once(best).chain(numbers).find_map(|c| Some((c, signs.axis_of([a, b, c])?)))
}

/// The same for a plane.
fn off_plane(signs: &Signs<'_>, triangle: [u32; 3]) -> Option<u32> {
    let [a, b, c] = triangle.map(|i| signs.points[i as usize]);
    let normal = (b - a).normalize_or(DVec3::X).cross((c - a).normalize_or(DVec3::Y));
    let height = |i: &u32| normal.dot(signs.points[*i as usize] - a).abs();
    let numbers = 0..signs.points.len() as u32;
    let best = numbers.clone().max_by(|i, j| height(i).total_cmp(&height(j)))?;
    std::iter::once(best).chain(numbers).find(|&d| signs.orient3d(triangle, d) != 0)
}

/// The ends of points on a line: its order is that of all coordinates, one after the other.
fn line_ends(points: &[DVec3]) -> Vec<u32> {
    let by = |i: &u32, j: &u32| {
        let (p, q) = (points[*i as usize], points[*j as usize]);
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
    };
    let numbers = || 0..points.len() as u32;
    vec![numbers().min_by(by).unwrap_or(0), numbers().max_by(by).unwrap_or(0)]
}

/// The vertices of points in a plane in order, as seen along an axis that the plane does not hold (Andrew's
/// monotone chain).
fn ring(signs: &Signs<'_>, axis: usize) -> Vec<u32> {
    let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut order: Vec<u32> = (0..signs.points.len() as u32).collect();
    sort_by(&mut order, |&i, &j| {
        let (p, q) = (signs.points[i as usize], signs.points[j as usize]);
        p[x].total_cmp(&q[x]).then(p[y].total_cmp(&q[y]))
    });
    let mut ring = chain(signs, axis, order.iter().copied());
    ring.pop();
    ring.extend(chain(signs, axis, order.iter().rev().copied()));
    ring.pop();
    ring
}

fn chain(signs: &Signs<'_>, axis: usize, points: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut chain: Vec<u32> = Vec::new();
    for point in points {
        while let [.., a, b] = chain[..] {
            if signs.orient2d([a, b, point], axis) > 0 {
                break;
            }
            chain.pop();
        }
        chain.push(point);
    }
    chain
}
