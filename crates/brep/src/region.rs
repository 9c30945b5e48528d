//! The region of a face, certified after its loops were followed.
//!
//! The triangles of a face in the parameters are taken for the face only if
//! - none is turned over, and no two overlap, also when moved by whole periods: the region covers no point twice;
//! - their sides add up to the loops: those on edges are the pieces of the loops, each once and in its direction, and the
//!   others cancel each other, along seams up to whole periods, or lie at a pole;
//! - the area within the true edges agrees with the integral along the loops in space, where that has a closed form.
//!
//! On a surface the first two determine the region: two regions with the same boundary differ by multiples of the whole
//! surface, which has no boundary, and only one of them covers no point twice.

use crate::boundary::{Edge, LoopVertex, OrientedEdge, Side, Trimmed};
use crate::curve::Curve;
use crate::surface::Surface;
use crate::triangulate::orientation;
use glam::{DVec2, DVec3};
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Why a face is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaceFault {
    /// No region has these loops as its boundary.
    #[error("its loops do not bound a part of its surface")]
    Unbounded,
    /// Its edges do not lie on its surface.
    #[error("its edges are {0} % of its size from its surface")]
    Distant(u32),
    /// Its boundary crosses itself.
    #[error("its boundary crosses itself")]
    Folded,
    /// It covers a part of a closed surface twice.
    #[error("it covers its surface more than once")]
    Repeated,
    /// The sides of its triangles do not add up to its loops.
    #[error("its triangles do not end at its loops")]
    Open,
    /// Its area is not that within its loops.
    #[error("its area is not that within its loops")]
    Area,
}

/// Room for rounding of parameters that were moved by a period, relative to the period.
const SHIFTED: f64 = 1e-9;
/// Largest distance of edges from their surface, relative to the size of the face.
const DISTANT: f64 = 0.02;
/// Room for rounding of parameters as lengths, relative to the size.
const ROOM: f64 = 1e-9;
/// Largest difference of two areas, relative to the square of the size.
const AREA: f64 = 1e-6;
/// Nodes and weights of Gauss and Legendre on `[0, 1]`.
const GAUSS: [[f64; 2]; 5] = [
    [0.046_910_077_030_668, 0.118_463_442_528_095],
    [0.230_765_344_947_158_5, 0.239_314_335_249_683],
    [0.5, 0.284_444_444_444_444_4],
    [0.769_234_655_052_841_5, 0.239_314_335_249_683],
    [0.953_089_922_969_332, 0.118_463_442_528_095],
];

/// Certifies the triangles of a face within its loops, which have the face on their left.
pub(crate) fn certify(
    surface: &Surface,
    edges: &[Edge],
    loops: &[Vec<OrientedEdge>],
    trimmed: &Trimmed,
) -> Result<(), FaceFault> {
    let triangles = to_lengths(surface, trimmed);
    let places = || trimmed.sides.iter().map(|side| edges[side.edge].curve.point(side.from));
    let (low, high) = places().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let size = (high - low).length();
    if trimmed.gap > DISTANT * size {
        return Err(FaceFault::Distant((100.0 * trimmed.gap / size).min(1e6) as u32));
    }
    let room = ROOM * triangles.size + 4.0 * trimmed.gap;
    if triangles.of.iter().any(|t| is_turned_over(t, room)) {
        return Err(FaceFault::Folded);
    }
    if triangles.overlap(surface.periods(), room) {
        return Err(FaceFault::Repeated);
    }
    if !ends_at(surface, &trimmed.sides, &trimmed.triangles) {
        return Err(FaceFault::Open);
    }
    match area_within(surface, edges, loops) {
        Some(within) => within.agrees(surface, edges, trimmed),
        None => Ok(()),
    }
}

/// Triangles of parameters as lengths on the surface.
struct Triangles {
    of: Vec<[DVec2; 3]>,
    scale: DVec2,
    size: f64,
}

fn to_lengths(surface: &Surface, trimmed: &Trimmed) -> Triangles {
    let parameters = || trimmed.triangles.iter().flatten().map(|vertex| vertex.uv);
    let [low, high] =
        parameters().fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[l, h], uv| [l.min(uv), h.max(uv)]);
    let slopes = surface.slopes(low, high);
    let scale = DVec2::new(slopes.u, slopes.v);
    let scale = if scale.is_finite() && scale.cmpgt(DVec2::ZERO).all() { scale } else { DVec2::ONE };
    let of = trimmed.triangles.iter().map(|t| t.map(|vertex| vertex.uv * scale)).collect();
    Triangles { of, scale, size: ((high - low) * scale).max_element().max(0.0) }
}

/// Returns `true` if a triangle runs clockwise and is higher than `room`.
fn is_turned_over(&[a, b, c]: &[DVec2; 3], room: f64) -> bool {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    orientation(a, b, c) < -room * longest
}

impl Triangles {
    /// Returns `true` if two triangles share more than their boundaries and `room`, also when one is moved by periods.
    fn overlap(&self, periods: [Option<f64>; 2], room: f64) -> bool {
        let extents: Vec<[DVec2; 2]> = self.of.iter().map(extent).collect();
        let mut order: Vec<usize> = (0..self.of.len()).collect();
        order.sort_by(|&i, &j| extents[i][0].x.total_cmp(&extents[j][0].x));
        let widest = extents.iter().map(|[low, high]| high.x - low.x).fold(0.0, f64::max);
        let steps = |period: Option<f64>| period.map_or(vec![0.0], |p| vec![0.0, p, -p]);
        let moves = steps(periods[0])
            .into_iter()
            .flat_map(|u| steps(periods[1]).into_iter().map(move |v| DVec2::new(u, v)));
        moves.map(|by| by * self.scale).any(|by| {
            order.iter().any(|&k| {
                let moved = self.of[k].map(|vertex| vertex + by);
                let [low, high] = extent(&moved);
                let first = order.partition_point(|&other| extents[other][0].x < low.x - widest);
                let near = order[first..].iter().take_while(|&&other| extents[other][0].x < high.x);
                near.filter(|&&other| other != k || by != DVec2::ZERO)
                    .any(|&other| !are_parted(&self.of[other], &moved, room))
            })
        })
    }
}

fn extent(&[a, b, c]: &[DVec2; 3]) -> [DVec2; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

/// Returns `true` if a side of one of two triangles has the other on its right, or one has no area, up to `room`.
fn are_parted(a: &[DVec2; 3], b: &[DVec2; 3], room: f64) -> bool {
    let ([low, high], [from, to]) = (extent(a), extent(b));
    if (high - from).min_element() <= room || (to - low).min_element() <= room {
        return true;
    }
    let parts = |a: &[DVec2; 3], b: &[DVec2; 3]| {
        (0..3).any(|k| {
            let (from, to) = (a[k], a[(k + 1) % 3]);
            let most = room * (to - from).length();
            from != to && b.iter().all(|&p| orientation(from, to, p) <= most)
        })
    };
    let is_flat = |t: &[DVec2; 3]| {
        let longest = t[0].distance(t[1]).max(t[1].distance(t[2])).max(t[2].distance(t[0]));
        orientation(t[0], t[1], t[2]) <= room * longest
    };
    is_flat(a) || is_flat(b) || parts(a, b) || parts(b, a)
}

/// Returns `true` if the sides of triangles add up to those of the loops.
fn ends_at(surface: &Surface, loops: &[Side], triangles: &[[LoopVertex; 3]]) -> bool {
    let mut on_edges: HashMap<(usize, u64, u64), i32> = HashMap::new();
    let mut count = |side: &Side, sign: i32| {
        let (low, high) = (side.from.min(side.to), side.from.max(side.to));
        let sign = if side.from < side.to { sign } else { -sign };
        *on_edges.entry((side.edge, low.to_bits(), high.to_bits())).or_insert(0) += sign;
    };
    loops.iter().for_each(|side| count(side, -1));
    let mut inner: HashMap<[u64; 4], (i32, [DVec2; 2])> = HashMap::new();
    let bits = |a: DVec2, b: DVec2| [a.x, a.y, b.x, b.y].map(|c| (c + 0.0).to_bits());
    for triangle in triangles {
        for k in 0..3 {
            let (from, to) = (triangle[k].uv, triangle[(k + 1) % 3].uv);
            match &triangle[k].side {
                Some(side) => count(side, 1),
                None if bits(from, to) <= bits(to, from) => {
                    inner.entry(bits(from, to)).or_insert((0, [from, to])).0 += 1;
                }
                None => inner.entry(bits(to, from)).or_insert((0, [to, from])).0 -= 1,
            }
        }
    }
    on_edges.values().all(|&sum| sum == 0) && cancel(surface, inner.into_values().collect())
}

/// Returns `true` if sides off the edges cancel each other up to whole periods, or lie at a pole.
fn cancel(surface: &Surface, sides: Vec<(i32, [DVec2; 2])>) -> bool {
    let at_pole = |side: &[DVec2; 2]| {
        surface.poles().into_iter().flatten().any(|pole| side.iter().all(|end| end.y == pole))
    };
    let directed = sides.into_iter().filter(|(count, [a, b])| *count != 0 && a != b);
    let mut left: Vec<[DVec2; 2]> = directed
        .flat_map(|(count, [a, b])| {
            let side = if count > 0 { [a, b] } else { [b, a] };
            std::iter::repeat_n(side, count.unsigned_abs() as usize)
        })
        .filter(|side| !at_pole(side))
        .collect();
    let periods = surface.periods().map(|period| period.unwrap_or(f64::INFINITY));
    let is_same = |a: DVec2, b: DVec2| {
        (0..2).all(|k| {
            let change = a[k] - b[k];
            let turns = (change / periods[k]).round();
            let rest = if turns == 0.0 { change } else { change - turns * periods[k] };
            rest.abs() <= SHIFTED * periods[k].min(1.0 + a[k].abs())
        })
    };
    while let Some([a, b]) = left.pop() {
        match left.iter().position(|&[c, d]| is_same(a, d) && is_same(b, c)) {
            Some(found) => left.swap_remove(found),
            None => return false,
        };
    }
    true
}

/// The area within loops on a surface, from their course in space.
struct Within {
    area: f64,
    /// Length of the loops.
    length: f64,
    /// Areas differ by multiples of this: that of the whole sphere.
    whole: f64,
}

/// The integral along the loops in space, for surfaces on which it has a closed form.
fn area_within(surface: &Surface, edges: &[Edge], loops: &[Vec<OrientedEdge>]) -> Option<Within> {
    let whole = match surface {
        Surface::Sphere { radius, .. } => 2.0 * TAU * radius * radius,
        _ => f64::INFINITY,
    };
    let axis = match surface {
        Surface::Sphere { frame, .. } => free_axis(frame.origin, edges, loops)?,
        _ => surface.frame()?.z,
    };
    let ends = |&(number, forward): &OrientedEdge| {
        let edge = &edges[number];
        let [from, to] = [edge.from, edge.to].map(|t| edge.curve.point(t));
        if forward { [from, to] } else { [to, from] }
    };
    // Heights are measured from the loops: the origin of a surface may be far away.
    let height = (ends(loops.iter().flatten().next()?)[0] - surface.frame()?.origin).dot(axis);
    let form = |p: DVec3, d: DVec3| -> Option<f64> {
        let frame = surface.frame()?;
        let q = p - frame.origin;
        Some(match surface {
            Surface::Plane(frame) => 0.5 * q.cross(d).dot(frame.z),
            Surface::Cylinder { radius, .. } => {
                let across = q - axis * q.dot(axis);
                -radius * (q.dot(axis) - height) * axis.cross(q).dot(d) / across.length_squared()
            }
            // Seen along the axis, the area of a cone shrinks by the sine of its angle.
            Surface::Cone { radius, half_angle, .. } => {
                let apex = q + axis * (radius / half_angle.tan());
                -0.5 * axis.cross(apex).dot(d) / half_angle.sin()
            }
            // The part of the sphere between its point on the axis and the piece.
            Surface::Sphere { radius, .. } => radius * axis.cross(q).dot(d) / (radius + q.dot(axis)),
            _ => return None,
        })
    };
    let (mut area, mut length) = (0.0, 0.0);
    for &(number, forward) in loops.iter().flatten() {
        let edge = &edges[number];
        let pieces = cuts(edge);
        for pair in pieces.windows(2) {
            let width = pair[1] - pair[0];
            for [share, weight] in GAUSS {
                let (p, d) = edge.curve.evaluate(pair[0] + width * share);
                let sign = if forward { 1.0 } else { -1.0 };
                area += sign * width * weight * form(p, d)?;
                length += width * weight * d.length();
            }
        }
    }
    // Ends of edges that miss each other are joined.
    for ring in loops {
        for (this, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let (from, to) = (ends(this)[1], ends(next)[0]);
            area += form((from + to) * 0.5, to - from).filter(|part| part.is_finite()).unwrap_or(0.0);
        }
    }
    Some(Within { area, length, whole })
}

/// Parameters between which an edge is integrated.
fn cuts(edge: &Edge) -> Vec<f64> {
    let mut ends = vec![edge.from, edge.to];
    if let Curve::Spline(spline) = &edge.curve {
        ends.extend(spline.breaks().filter(|t| edge.from < *t && *t < edge.to));
    }
    ends.sort_by(f64::total_cmp);
    let parts = if ends.len() > 32 { 4 } else { 16 };
    let inner = ends.windows(2).flat_map(|w| {
        let [from, to] = [w[0], w[1]];
        (0..parts).map(move |k| from + (to - from) * f64::from(k) / f64::from(parts))
    });
    inner.chain([edge.to]).collect()
}

/// A direction whose opposite stays away from loops around a centre.
fn free_axis(center: DVec3, edges: &[Edge], loops: &[Vec<OrientedEdge>]) -> Option<DVec3> {
    let samples = || {
        loops.iter().flatten().flat_map(|&(number, _)| {
            let edge = &edges[number];
            (0..16)
                .map(|k| edge.curve.point(edge.from + (edge.to - edge.from) * f64::from(k) / 16.0) - center)
        })
    };
    let far = |axis: &DVec3| samples().map(|p| p.normalize_or_zero().dot(*axis)).fold(1.0, f64::min);
    let candidates = (0..26).map(|k| {
        let golden = PI * (3.0 - 5f64.sqrt());
        let (z, angle) = (1.0 - (2.0 * f64::from(k) + 1.0) / 26.0, golden * f64::from(k));
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * angle.cos(), r * angle.sin(), z)
    });
    candidates.max_by(|a, b| far(a).total_cmp(&far(b)))
}

impl Within {
    /// Compares with the area of triangles and of what lies between their sides and the edges.
    fn agrees(&self, surface: &Surface, edges: &[Edge], trimmed: &Trimmed) -> Result<(), FaceFault> {
        let vertices = || trimmed.triangles.iter().flatten().map(|vertex| surface.point(vertex.uv));
        let (low, high) =
            vertices().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        let size = (high - low).length();
        let (found, between) = covered(surface, edges, &trimmed.triangles);
        let off = found - self.area;
        let off = if self.whole.is_finite() { off - (off / self.whole).round() * self.whole } else { off };
        let room = AREA * size * size + 2.0 * trimmed.gap * (size + self.length) + 0.05 * between;
        let is_right = off.abs() <= room && found >= -room && found <= self.whole + room;
        if is_right { Ok(()) } else { Err(FaceFault::Area) }
    }
}

/// The area of a face, by quadrature.
pub(crate) fn area(surface: &Surface, edges: &[Edge], trimmed: &Trimmed) -> f64 {
    covered(surface, edges, &trimmed.triangles).0
}

/// The area of a face: that of its triangles of parameters and of what lies between their sides and the edges; also the
/// size of the latter alone.
fn covered(surface: &Surface, edges: &[Edge], triangles: &[[LoopVertex; 3]]) -> (f64, f64) {
    let (mut area, mut between) = (0.0, 0.0);
    for triangle in triangles {
        area += over(surface, triangle.map(|vertex| vertex.uv));
        for k in 0..3 {
            let Some(side) = triangle[k].side.filter(|side| !side.straight) else { continue };
            let part = beside(surface, edges, side, [triangle[k].uv, triangle[(k + 1) % 3].uv]);
            area += part;
            between += part.abs();
        }
    }
    (area, between)
}

/// The area over a triangle of parameters.
fn over(surface: &Surface, triangle: [DVec2; 3]) -> f64 {
    let [a, b, c] = triangle;
    if let Surface::Plane(_) = surface {
        return 0.5 * (b - a).perp_dot(c - a);
    }
    if surface.frame().is_some() {
        let along = |a: DVec2, b: DVec2| -> f64 {
            GAUSS.iter().map(|[s, w]| -w * below(surface, a.lerp(b, *s).y) * (b.x - a.x)).sum()
        };
        return along(a, b) + along(b, c) + along(c, a);
    }
    let mut sum = 0.0;
    for [s, ws] in GAUSS {
        for [t, wt] in GAUSS {
            let [_, su, sv] = surface.evaluate(a.lerp(b, s).lerp(c, t));
            sum += ws * wt * (1.0 - t) * su.cross(sv).length();
        }
    }
    sum * (b - a).perp_dot(c - a)
}

/// The area between a side and its chord, positive on the right of the chord (trapezoids, extrapolated once).
fn beside(surface: &Surface, edges: &[Edge], side: Side, ends: [DVec2; 2]) -> f64 {
    let [coarse, fine] = [8, 16].map(|steps| strips(surface, &edges[side.edge].curve, side, ends, steps));
    (4.0 * fine - coarse) / 3.0
}

fn strips(surface: &Surface, curve: &Curve, side: Side, [a, b]: [DVec2; 2], steps: u32) -> f64 {
    let share = |k: u32| f64::from(k) / f64::from(steps);
    let (mut last, mut area) = (a, 0.0);
    for k in 1..=steps {
        let on_chord = a.lerp(b, share(k));
        let t = side.from + (side.to - side.from) * share(k);
        let uv = if k == steps { b } else { surface.near_parameters(curve.point(t), on_chord) };
        let before = a.lerp(b, share(k - 1));
        let along = (uv - last + on_chord - before) * 0.5;
        let across = (uv - on_chord + last - before) * 0.5;
        let [_, su, sv] = surface.evaluate((uv + last + on_chord + before) * 0.25);
        area += across.perp_dot(along) * su.cross(sv).length();
        last = uv;
    }
    area
}

/// The integral of the length of `S_u × S_v` up to a height.
fn below(surface: &Surface, v: f64) -> f64 {
    match surface {
        Surface::Cylinder { radius, .. } => radius * v,
        Surface::Cone { radius, half_angle, .. } => {
            let r = radius + v * half_angle.tan();
            0.5 * r * r / half_angle.sin()
        }
        Surface::Sphere { radius, .. } => radius * radius * v.sin(),
        Surface::Torus { major, minor, .. } => minor * (major * v + minor * v.sin()),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::trim::trim;
    use std::collections::BTreeMap;

    /// A cylinder of radius 2 between two circles, and its triangles.
    fn tube() -> (Surface, Vec<Edge>, Vec<Vec<OrientedEdge>>, Trimmed) {
        let surface = Surface::Cylinder { frame: Frame::WORLD, radius: 2.0 };
        let circle = |z: f64| {
            let frame = Frame::at(DVec3::Z * z);
            Edge::new(Curve::Circle { frame, radius: 2.0 }, 0.0, TAU)
        };
        let edges = vec![circle(0.0), circle(3.0)];
        let loops = vec![vec![(0, true)], vec![(1, false)]];
        let trimmed = trim(&surface, &edges, &loops, &BTreeMap::new()).unwrap();
        (surface, edges, loops, trimmed)
    }

    fn fault(change: impl Fn(&mut Trimmed)) -> Option<FaceFault> {
        let (surface, edges, loops, mut trimmed) = tube();
        change(&mut trimmed);
        certify(&surface, &edges, &loops, &trimmed).err()
    }

    #[test]
    fn planted_faults_are_found() {
        assert_eq!(fault(|_| ()), None);
        assert_eq!(fault(|t| t.triangles[0].swap(0, 1)), Some(FaceFault::Folded));
        assert_eq!(fault(|t| t.triangles.push(t.triangles[0])), Some(FaceFault::Repeated));
        // The same triangle a turn later.
        let turned = |t: &mut Trimmed| {
            let mut copy = t.triangles[0];
            copy.iter_mut().for_each(|vertex| vertex.uv.x += TAU);
            t.triangles.push(copy);
        };
        assert_eq!(fault(turned), Some(FaceFault::Repeated));
        assert_eq!(fault(|t| t.triangles.truncate(1)), Some(FaceFault::Open));
        assert_eq!(fault(|t| t.gap = 1.0), Some(FaceFault::Distant(15)));
        // The lower rim at another height: triangles and sides agree, but not with the loops.
        let lowered = |t: &mut Trimmed| {
            let low = t.triangles.iter_mut().flatten().filter(|vertex| vertex.uv.y == 0.0);
            low.for_each(|vertex| vertex.uv.y = -1.0);
        };
        assert_eq!(fault(lowered), Some(FaceFault::Area));
    }

    #[test]
    fn areas_agree_with_closed_forms() {
        let (surface, edges, loops, trimmed) = tube();
        assert!((area(&surface, &edges, &trimmed) - 6.0 * TAU).abs() < 1e-9);
        assert!((area_within(&surface, &edges, &loops).unwrap().area - 6.0 * TAU).abs() < 1e-9);
        // A cap of a sphere, either side of a circle that its axis does not pass through.
        let sphere = Surface::Sphere { frame: Frame::WORLD, radius: 5.0 };
        let frame = Frame::new(DVec3::X * 3.0, DVec3::X, None).unwrap();
        let edges = [Edge::new(Curve::Circle { frame, radius: 4.0 }, 0.0, TAU)];
        for (forward, height) in [(true, 2.0), (false, 8.0)] {
            let loops = vec![vec![(0, forward)]];
            let found = trim(&sphere, &edges, &loops, &BTreeMap::new()).unwrap();
            let expected = TAU * 5.0 * height;
            let got = area(&sphere, &edges, &found);
            assert!((got / expected - 1.0).abs() < 3e-4, "{height}: {got} {expected}");
        }
    }
}
