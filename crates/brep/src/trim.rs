//! The boundary of a face in the parameters of its surface.
//!
//! Edges are followed in space and their points inverted, so that parametric curves of the file are not needed. Angles go
//! on continuously across seams. Loops that wind around the surface are joined in pairs, or to a pole.

use crate::curve::Curve;
use crate::surface::Surface;
use crate::triangulate::{Triangulation, bridge, doubled_area, encloses, triangulate};
use glam::DVec2;

/// An edge: a curve between two parameters, `from < to`.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its curve.
    pub curve: Curve,
    /// Parameter of its first vertex along the curve.
    pub from: f64,
    /// Parameter of its last vertex along the curve.
    pub to: f64,
}

/// An edge of a loop and its direction: `true` along the curve.
pub type OrientedEdge = (usize, bool);

/// A piece of an edge that is a side of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) edge: usize,
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// It is straight in the parameters: a line of constant parameter, or a line in a plane.
    pub(crate) straight: bool,
}

/// A vertex of a boundary in parameters, with the side to the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) uv: DVec2,
    pub(crate) side: Option<Side>,
}

/// Triangles of a face in parameters.
pub(crate) struct Trimmed {
    pub(crate) triangles: Vec<[Corner; 3]>,
    /// For every vertex of a triangle its place on an edge.
    pub(crate) anchors: Vec<[Anchor; 3]>,
    pub(crate) simple: bool,
    /// Greatest distance of an inverted point of an edge from the surface.
    pub(crate) gap: f64,
}

/// An edge and a parameter of its curve; `None` off all edges.
pub(crate) type Anchor = Option<(usize, f64)>;

/// A loop as traced.
struct Traced {
    corners: Vec<Corner>,
    /// Periods by which its end differs from its start.
    winding: [i32; 2],
    has_pole: bool,
    /// Greatest distance of its points from the surface.
    gap: f64,
}

/// Cuts a face into triangles. Its loops have the face on their left, seen against the normal `S_u × S_v`.
pub(crate) fn trim(surface: &Surface, edges: &[Edge], loops: &[Vec<OrientedEdge>]) -> Option<Trimmed> {
    let mut best: Option<Trimmed> = None;
    // Coarse chords of narrow faces may cross each other; finer ones do not.
    for density in [1, 2, 4, 8] {
        let mut traced = Vec::with_capacity(loops.len());
        for ring in loops {
            traced.push(trace(surface, edges, ring, density)?);
        }
        let gap = traced.iter().map(|ring: &Traced| ring.gap).fold(0.0, f64::max);
        let polygons = assemble(surface, traced)?;
        let mut found = Trimmed { triangles: Vec::new(), anchors: Vec::new(), simple: true, gap };
        for polygon in polygons {
            let points = to_scale(surface, &polygon);
            let Triangulation { triangles, simple } = triangulate(&points);
            found.simple &= simple;
            found.triangles.extend(triangles.iter().map(|&t| corners(&polygon, t)));
            found.anchors.extend(triangles.iter().map(|t| t.map(|i| anchor(&polygon, i))));
        }
        let done = found.simple;
        best = Some(found);
        if done {
            break;
        }
    }
    best
}

/// The vertices of a polygon with parameters scaled to lengths.
fn to_scale(surface: &Surface, polygon: &[Corner]) -> Vec<DVec2> {
    let (low, high) =
        polygon.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), c| (l.min(c.uv), h.max(c.uv)));
    let slopes = surface.slopes(low, high);
    let scale = DVec2::new(slopes.u, slopes.v);
    let scale = if scale.is_finite() && scale.cmpgt(DVec2::ZERO).all() { scale } else { DVec2::ONE };
    polygon.iter().map(|corner| corner.uv * scale).collect()
}

/// A triangle with those of its sides that are sides of the polygon.
fn corners(polygon: &[Corner], triangle: [usize; 3]) -> [Corner; 3] {
    let n = polygon.len();
    std::array::from_fn(|k| {
        let (i, j) = (triangle[k], triangle[(k + 1) % 3]);
        let side = if (i + 1) % n == j { polygon[i].side } else { None };
        Corner { uv: polygon[i].uv, side }
    })
}

fn anchor(polygon: &[Corner], i: usize) -> Anchor {
    let before = polygon[(i + polygon.len() - 1) % polygon.len()].side;
    polygon[i].side.map(|side| (side.edge, side.from)).or(before.map(|side| (side.edge, side.to)))
}

/// Parameters that part an edge into pieces, its end excluded.
fn pieces(edge: &Edge, surface: &Surface, density: usize) -> Vec<f64> {
    let width = edge.to - edge.from;
    let even =
        |count: usize| (0..count).map(|k| edge.from + width * k as f64 / count as f64).collect::<Vec<f64>>();
    match &edge.curve {
        Curve::Line { .. } => even(match surface {
            Surface::Plane(_) | Surface::Cylinder { .. } | Surface::Cone { .. } => 1,
            Surface::Extrusion { .. } => 1,
            _ => 4 * density,
        }),
        Curve::Circle { .. } | Curve::Ellipse { .. } => {
            even(density * ((width / std::f64::consts::FRAC_PI_4 - 1e-9).ceil().max(1.0) as usize))
        }
        Curve::Parabola { .. } | Curve::Hyperbola { .. } => even(4 * density),
        Curve::Spline(spline) => {
            let mut ends = vec![edge.from];
            ends.extend(spline.breaks().filter(|&t| edge.from < t && t < edge.to).take(256));
            ends.push(edge.to);
            let count = if ends.len() > 32 { density } else { 2 * density };
            ends.windows(2)
                .flat_map(|w| (0..count).map(move |k| w[0] + (w[1] - w[0]) * k as f64 / count as f64))
                .collect()
        }
    }
}

fn trace(surface: &Surface, edges: &[Edge], ring: &[OrientedEdge], density: usize) -> Option<Traced> {
    let found = follow(surface, edges, ring, density, 1.0)?;
    if found.winding == [0, 0] || !found.has_pole {
        return Some(found);
    }
    // A loop that runs the wrong way round passes its pole on the other side.
    let other = follow(surface, edges, ring, density, -1.0)?;
    Some(if other.winding == [0, 0] { other } else { found })
}

/// Follows a loop; at poles it turns toward the left (`turn` 1) or toward the right (−1).
fn follow(
    surface: &Surface,
    edges: &[Edge],
    ring: &[OrientedEdge],
    density: usize,
    turn: f64,
) -> Option<Traced> {
    let mut gap = 0.0f64;
    let mut corners: Vec<Corner> = Vec::new();
    let mut tracker = Tracker { surface, near: None, polar: Vec::new(), turn };
    for &(number, forward) in ring {
        let edge = edges.get(number)?;
        let mut ends = pieces(edge, surface, density);
        ends.push(edge.to);
        if !forward {
            ends.reverse();
        }
        let first = corners.len();
        for w in ends.windows(2) {
            let (uv, off) = tracker.follow(edge.curve.point(w[0]));
            gap = gap.max(off);
            let side = Side { edge: number, from: w[0], to: w[1], straight: false };
            corners.push(Corner { uv, side: Some(side) });
        }
        gap = gap.max(mark_straight(surface, edge, &mut corners[first..], &tracker));
    }
    let start = edges.get(ring.first()?.0)?;
    let at = if ring[0].1 { start.from } else { start.to };
    let (end, _) = tracker.follow(start.curve.point(at));
    let first = corners.first()?.uv;
    let periods = surface.periods();
    let winding = [0, 1].map(|k| periods[k].map_or(0, |p| ((end[k] - first[k]) / p).round() as i32));
    let polar = std::mem::take(&mut tracker.polar);
    let has_pole = polar.iter().any(|&p| p != 0);
    Some(Traced { corners: split_poles(corners, &polar, winding, surface), winding, has_pole, gap })
}

/// Inverts points of a loop one after the other.
struct Tracker<'s> {
    surface: &'s Surface,
    near: Option<DVec2>,
    /// For every point: it lies at the lower (−1) or the upper (+1) pole.
    polar: Vec<i8>,
    turn: f64,
}

impl Tracker<'_> {
    /// The parameters of the next point, and its distance from the surface.
    fn follow(&mut self, point: glam::DVec3) -> (DVec2, f64) {
        let surface = self.surface;
        let mut uv = surface.parameters(point, self.near);
        let mut off = surface.point(uv).distance(point);
        if matches!(surface, Surface::Spline(_) | Surface::Extrusion { .. } | Surface::Revolution { .. }) {
            let other = surface.parameters(point, None);
            let other_off = surface.point(other).distance(point);
            if other_off < 0.5 * off - 1e-9 {
                (uv, off) = (other, other_off);
            }
        }
        let [low, high] = surface.poles();
        let is_at = |pole: Option<f64>| pole.is_some_and(|v| (uv.y - v).abs() <= 1e-7 * (1.0 + v.abs()));
        let polar = if is_at(low) { -1 } else { i8::from(is_at(high)) };
        if let Some(near) = self.near {
            let last_polar = self.polar.last().copied().unwrap_or(0);
            for (k, period) in surface.periods().into_iter().enumerate() {
                let Some(period) = period else { continue };
                uv[k] -= ((uv[k] - near[k]) / period).round() * period;
                if k == 0 && last_polar != 0 && polar == 0 {
                    // At a pole the boundary goes on with the face on its left.
                    let ahead = -f64::from(last_polar) * self.turn;
                    let turn = ((uv[0] - near[0]) * ahead).rem_euclid(period);
                    let turn = if turn < 1e-6 { turn + period } else { turn };
                    uv[0] = near[0] + ahead * turn;
                }
            }
            if polar != 0 {
                uv.x = near.x;
            }
        }
        self.near = Some(uv);
        self.polar.push(polar);
        (uv, off)
    }
}

/// Edges count as straight in the parameters if they deviate by no more than this share of their length: rounding of
/// numbers with seven digits.
const STRAIGHT: f64 = 1e-6;

/// Marks the pieces of an edge that are straight in the parameters, and returns a bound on their deviation.
fn mark_straight(surface: &Surface, edge: &Edge, corners: &mut [Corner], tracker: &Tracker<'_>) -> f64 {
    let is_line = matches!(edge.curve, Curve::Line { .. });
    let found = match surface {
        Surface::Plane(_) => is_line.then_some(0.0),
        Surface::Spline(_) => None,
        _ => constant_parameter(surface, edge, tracker),
    };
    for corner in corners {
        if let Some(side) = &mut corner.side {
            side.straight = found.is_some();
        }
    }
    found.unwrap_or(0.0)
}

/// A bound on the distance of an edge from a line of constant parameter, from five points of it, if it is near one.
fn constant_parameter(surface: &Surface, edge: &Edge, tracker: &Tracker<'_>) -> Option<f64> {
    let periods = surface.periods();
    let places =
        [0.0, 0.17, 0.41, 0.73, 1.0].map(|s| edge.curve.point(edge.from + (edge.to - edge.from) * s));
    let at = places.map(|place| surface.parameters(place, tracker.near));
    let length: f64 = places.windows(2).map(|w| w[0].distance(w[1])).sum();
    let (low, high) = (at[1].min(at[2]).min(at[3]), at[1].max(at[2]).max(at[3]));
    let off = |k: usize| {
        let from = |uv: &DVec2| {
            let d = uv[k] - at[1][k];
            periods[k].map_or(d, |period| d - (d / period).round() * period).abs()
        };
        at[1..4].iter().map(from).fold(0.0, f64::max)
    };
    let scale = |k: usize| periods[k].unwrap_or(1.0) + at[1][k].abs();
    if (0..2).any(|k| off(k) <= 1e-9 * scale(k)) {
        return Some(0.0);
    }
    let slopes = surface.slopes(low, high);
    // Between the points a wave may reach further than at them.
    let lengths = [off(0) * slopes.u, off(1) * slopes.v].map(|off| 4.0 * off);
    lengths.into_iter().find(|&off| off <= STRAIGHT * length)
}

/// Gives corners at poles two angles: that of the side before and that of the side after.
fn split_poles(corners: Vec<Corner>, polar: &[i8], winding: [i32; 2], surface: &Surface) -> Vec<Corner> {
    let period = surface.periods()[0].unwrap_or(0.0);
    let n = corners.len();
    let mut split = Vec::with_capacity(n);
    for (i, corner) in corners.iter().enumerate() {
        if polar.get(i).copied().unwrap_or(0) == 0 {
            split.push(*corner);
            continue;
        }
        let before =
            if i == 0 { corners[n - 1].uv.x - f64::from(winding[0]) * period } else { corners[i - 1].uv.x };
        let after =
            if i + 1 == n { corners[0].uv.x + f64::from(winding[0]) * period } else { corners[i + 1].uv.x };
        let v = corner.uv.y;
        split.push(Corner { uv: DVec2::new(before, v), side: None });
        split.push(Corner { uv: DVec2::new(after, v), side: corner.side });
    }
    split
}

fn points(corners: &[Corner]) -> Vec<DVec2> {
    corners.iter().map(|corner| corner.uv).collect()
}

/// Polygons with their holes bridged.
fn assemble(surface: &Surface, traced: Vec<Traced>) -> Option<Vec<Vec<Corner>>> {
    let has_loops = !traced.is_empty();
    let (winding, plain): (Vec<Traced>, Vec<Traced>) = traced.into_iter().partition(|t| t.winding != [0, 0]);
    let mut outer = join_winding(surface, winding)?;
    let mut holes = Vec::new();
    for ring in plain {
        match doubled_area(&points(&ring.corners)) {
            area if area > 0.0 => outer.push(ring.corners),
            // A seam that is followed there and back encloses nothing.
            area if area < 0.0 => holes.push(ring.corners),
            _ => {}
        }
    }
    // A face without area is covered by its neighbours.
    if outer.is_empty() && holes.is_empty() && has_loops {
        return Some(Vec::new());
    }
    if outer.is_empty() {
        match whole(surface, holes.first().map(|hole| hole[0].uv)) {
            Some(domain) => outer.push(domain),
            None => {
                // Loops the wrong way round: the largest is the outer one.
                holes.iter_mut().for_each(|hole| *hole = reversed(hole));
                let largest = (0..holes.len()).max_by(|&i, &j| {
                    doubled_area(&points(&holes[i])).total_cmp(&doubled_area(&points(&holes[j])))
                })?;
                outer.push(holes.swap_remove(largest));
                holes.iter_mut().for_each(|hole| *hole = reversed(hole));
            }
        }
    }
    Some(bridge_holes(surface, outer, holes))
}

fn reversed(corners: &[Corner]) -> Vec<Corner> {
    let n = corners.len();
    let back = |side: Side| Side { from: side.to, to: side.from, ..side };
    (0..n)
        .rev()
        .map(|i| Corner { uv: corners[i].uv, side: corners[(i + n - 1) % n].side.map(back) })
        .collect()
}

/// The whole domain of a closed surface, about a point.
fn whole(surface: &Surface, about: Option<DVec2>) -> Option<Vec<Corner>> {
    let about = about.unwrap_or(DVec2::ZERO);
    let half = surface.periods().map(|p| p.map(|p| p / 2.0));
    let u = half[0].map(|h| [about.x - h, about.x + h])?;
    let v = match (half[1], surface.poles()) {
        (_, [Some(low), Some(high)]) => [low, high],
        (Some(h), _) => [about.y - h, about.y + h],
        _ => return None,
    };
    let corner = |u: f64, v: f64| Corner { uv: DVec2::new(u, v), side: None };
    Some(vec![corner(u[0], v[0]), corner(u[1], v[0]), corner(u[1], v[1]), corner(u[0], v[1])])
}

/// Joins loops around the surface: one ahead with the next one back, or with a pole.
fn join_winding(surface: &Surface, loops: Vec<Traced>) -> Option<Vec<Vec<Corner>>> {
    let axis = usize::from(loops.first().is_some_and(|t| t.winding[0] == 0));
    let across = 1 - axis;
    let (mut ahead, mut back): (Vec<Traced>, Vec<Traced>) =
        loops.into_iter().partition(|t| t.winding[axis] > 0);
    let mean = |t: &Traced| t.corners.iter().map(|c| c.uv[across]).sum::<f64>() / t.corners.len() as f64;
    let upward = if axis == 0 { 1.0 } else { -1.0 };
    ahead.sort_by(|a, b| (upward * mean(a)).total_cmp(&(upward * mean(b))));
    back.sort_by(|a, b| (upward * mean(a)).total_cmp(&(upward * mean(b))));
    let period = surface.periods()[axis].unwrap_or(0.0);
    let mut polygons = Vec::new();
    let [low, high] = if axis == 0 { surface.poles() } else { [None, None] };
    let mut back = back.into_iter().peekable();
    for first in ahead {
        // One that lies before any other ends at the lower pole.
        while let Some(lone) =
            back.next_if(|b| surface.periods()[across].is_none() && upward * mean(b) < upward * mean(&first))
        {
            polygons.push(to_pole(lone.corners, low?, -period));
        }
        match back.next() {
            Some(second) => polygons.push(strip(first.corners, second.corners, axis, surface, period)),
            None => polygons.push(to_pole(first.corners, high?, period)),
        }
    }
    for lone in back {
        polygons.push(to_pole(lone.corners, low?, -period));
    }
    Some(polygons)
}

/// The polygon between a loop around the axis and a pole.
fn to_pole(mut corners: Vec<Corner>, pole: f64, period: f64) -> Vec<Corner> {
    let first = corners[0].uv;
    let corner = |u: f64, v: f64| Corner { uv: DVec2::new(u, v), side: None };
    corners.extend([
        corner(first.x + period, first.y),
        corner(first.x + period, pole),
        corner(first.x, pole),
    ]);
    corners
}

/// The polygon between two loops around the surface that run against each other.
fn strip(
    first: Vec<Corner>,
    second: Vec<Corner>,
    axis: usize,
    surface: &Surface,
    period: f64,
) -> Vec<Corner> {
    let mut shift = DVec2::ZERO;
    shift[axis] = period;
    let target = first[0].uv[axis] + period;
    let offset = |c: &Corner| {
        let d = c.uv[axis] - target;
        d - (d / period).round() * period
    };
    let start = (0..second.len())
        .min_by(|&i, &j| offset(&second[i]).abs().total_cmp(&offset(&second[j]).abs()))
        .unwrap_or(0);
    let mut rotated: Vec<Corner> = second[start..].to_vec();
    rotated.extend(second[..start].iter().map(|c| Corner { uv: c.uv - shift, ..*c }));
    let mut by = DVec2::ZERO;
    by[axis] = target + offset(&second[start]) - rotated[0].uv[axis];
    if let Some(p) = surface.periods()[1 - axis] {
        // The first loop the surface comes to across: ahead for the parameter that grows to the left.
        let left = if axis == 0 { 1.0 } else { -1.0 };
        let d = (rotated[0].uv[1 - axis] - first[0].uv[1 - axis]) * left;
        by[1 - axis] = left * (d.rem_euclid(p) - d);
        if d.rem_euclid(p) < 1e-9 * p {
            by[1 - axis] += left * p;
        }
    }
    rotated.iter_mut().for_each(|c| c.uv += by);
    let close = |c: &Corner, by: DVec2| Corner { uv: c.uv + by, side: None };
    let (end, last) = (close(&first[0], shift), close(&rotated[0], -shift));
    first.into_iter().chain([end]).chain(rotated).chain([last]).collect()
}

fn bridge_holes(surface: &Surface, mut outer: Vec<Vec<Corner>>, holes: Vec<Vec<Corner>>) -> Vec<Vec<Corner>> {
    let periods = surface.periods().map(|p| p.unwrap_or(0.0));
    let mut placed: Vec<(usize, Vec<Corner>)> = Vec::new();
    for hole in holes {
        let mut found = None;
        'search: for (k, polygon) in outer.iter().enumerate() {
            let ring = points(polygon);
            for shift in shifts(periods) {
                if encloses(&ring, hole[0].uv + shift) {
                    found = Some((k, shift));
                    break 'search;
                }
            }
        }
        let (k, shift) = found.unwrap_or((0, DVec2::ZERO));
        placed.push((k, hole.iter().map(|c| Corner { uv: c.uv + shift, ..*c }).collect()));
    }
    let right = |ring: &[Corner]| ring.iter().map(|c| c.uv.x).fold(f64::NEG_INFINITY, f64::max);
    placed.sort_by(|a, b| right(&b.1).total_cmp(&right(&a.1)));
    for i in 0..placed.len() {
        let k = placed[i].0;
        let later: Vec<Vec<DVec2>> =
            placed[i + 1..].iter().filter(|h| h.0 == k).map(|h| points(&h.1)).collect();
        let others: Vec<&[DVec2]> = later.iter().map(Vec::as_slice).collect();
        let hole = &placed[i].1;
        let polygon = &outer[k];
        let (at, from) = bridge(&points(polygon), &points(hole), &others);
        let bare = |c: &Corner| Corner { side: None, ..*c };
        let mut joined = polygon[..at].to_vec();
        joined.push(bare(&polygon[at]));
        joined.extend(hole[from..].iter().chain(&hole[..from]));
        joined.push(bare(&hole[from]));
        joined.extend(&polygon[at..]);
        outer[k] = joined;
    }
    outer
}

fn shifts(periods: [f64; 2]) -> impl Iterator<Item = DVec2> {
    let steps =
        |p: f64| if p > 0.0 { [0.0, 1.0, -1.0, 2.0, -2.0].map(|s| s * p).to_vec() } else { vec![0.0] };
    let v = steps(periods[1]);
    steps(periods[0]).into_iter().flat_map(move |u| v.clone().into_iter().map(move |v| DVec2::new(u, v)))
}
