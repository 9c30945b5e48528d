//! The boundary of a face in the parameters of its surface.
//!
//! Loops that wind around the surface are joined in pairs, or to a pole; holes are bridged, and the polygons cut into
//! triangles.

use crate::boundary::{Edge, LoopVertex, OrientedEdge, Side};
use crate::surface::Surface;
use crate::trace::{Density, Traced, trace};
use crate::triangulate::{Triangulation, bridge, doubled_area, encloses, triangulate};
use glam::DVec2;
use std::collections::BTreeMap;

/// Triangles of a face in parameters.
pub(crate) struct Trimmed {
    pub(crate) triangles: Vec<[LoopVertex; 3]>,
    pub(crate) simple: bool,
    /// Greatest distance of an inverted point of an edge from the surface.
    pub(crate) gap: f64,
}

/// An edge and a parameter of its curve; `None` off all edges.
pub(crate) type Anchor = Option<(usize, f64)>;

/// Cuts a face into triangles. Its loops have the face on their left, seen against the normal `S_u × S_v`.
/// Edges of `finer` are cut into as many times more pieces.
pub(crate) fn trim(
    surface: &Surface,
    edges: &[Edge],
    loops: &[Vec<OrientedEdge>],
    finer: &BTreeMap<usize, usize>,
) -> Option<Trimmed> {
    let mut best: Option<Trimmed> = None;
    // Coarse chords of narrow faces may cross each other; finer ones do not.
    for all in [1, 2, 4, 8] {
        let density = Density { all, finer };
        let mut traced = Vec::with_capacity(loops.len());
        for ring in loops {
            traced.push(trace(surface, edges, ring, density)?);
        }
        let gap = traced.iter().map(|ring: &Traced| ring.gap).fold(0.0, f64::max);
        let polygons = assemble(surface, traced)?;
        let mut found = Trimmed { triangles: Vec::new(), simple: true, gap };
        for polygon in polygons {
            let points = to_scale(surface, &polygon);
            let Triangulation { triangles, simple } = triangulate(&points);
            found.simple &= simple;
            found.triangles.extend(triangles.iter().map(|&t| vertices(&polygon, t)));
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
fn to_scale(surface: &Surface, polygon: &[LoopVertex]) -> Vec<DVec2> {
    let (low, high) =
        polygon.iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), c| (l.min(c.uv), h.max(c.uv)));
    let slopes = surface.slopes(low, high);
    let scale = DVec2::new(slopes.u, slopes.v);
    let scale = if scale.is_finite() && scale.cmpgt(DVec2::ZERO).all() { scale } else { DVec2::ONE };
    polygon.iter().map(|vertex| vertex.uv * scale).collect()
}

/// A triangle with those of its sides that are sides of the polygon.
fn vertices(polygon: &[LoopVertex], triangle: [usize; 3]) -> [LoopVertex; 3] {
    let n = polygon.len();
    std::array::from_fn(|k| {
        let (i, j) = (triangle[k], triangle[(k + 1) % 3]);
        let side = if (i + 1) % n == j { polygon[i].side } else { None };
        LoopVertex { uv: polygon[i].uv, side }
    })
}

/// The place on an edge of a vertex of a polygon.
pub(crate) fn anchor(polygon: &[LoopVertex], i: usize) -> Anchor {
    let before = polygon[(i + polygon.len() - 1) % polygon.len()].side;
    polygon[i].side.map(|side| (side.edge, side.from)).or(before.map(|side| (side.edge, side.to)))
}

fn points(vertices: &[LoopVertex]) -> Vec<DVec2> {
    vertices.iter().map(|vertex| vertex.uv).collect()
}

/// The polygons that loops bound, with their holes bridged.
pub(crate) fn assemble(surface: &Surface, traced: Vec<Traced>) -> Option<Vec<Vec<LoopVertex>>> {
    let has_loops = !traced.is_empty();
    let (winding, plain): (Vec<Traced>, Vec<Traced>) = traced.into_iter().partition(|t| t.winding != [0, 0]);
    let mut outer = join_winding(surface, winding)?;
    let mut holes = Vec::new();
    for ring in plain {
        match doubled_area(&points(&ring.vertices)) {
            area if area > 0.0 => outer.push(ring.vertices),
            // A seam that is followed there and back encloses nothing.
            area if area < 0.0 => holes.push(ring.vertices),
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

fn reversed(vertices: &[LoopVertex]) -> Vec<LoopVertex> {
    let n = vertices.len();
    let back = |side: Side| Side { from: side.to, to: side.from, ..side };
    (0..n)
        .rev()
        .map(|i| LoopVertex { uv: vertices[i].uv, side: vertices[(i + n - 1) % n].side.map(back) })
        .collect()
}

/// The whole domain of a closed surface, about a point.
pub(crate) fn whole(surface: &Surface, about: Option<DVec2>) -> Option<Vec<LoopVertex>> {
    let about = about.unwrap_or(DVec2::ZERO);
    let half = surface.periods().map(|p| p.map(|p| p / 2.0));
    let u = half[0].map(|h| [about.x - h, about.x + h])?;
    let v = match (half[1], surface.poles()) {
        (_, [Some(low), Some(high)]) => [low, high],
        (Some(h), _) => [about.y - h, about.y + h],
        _ => return None,
    };
    let vertex = |u: f64, v: f64| LoopVertex { uv: DVec2::new(u, v), side: None };
    Some(vec![vertex(u[0], v[0]), vertex(u[1], v[0]), vertex(u[1], v[1]), vertex(u[0], v[1])])
}

/// Joins loops around the surface: one ahead with the next one back, or with a pole.
fn join_winding(surface: &Surface, loops: Vec<Traced>) -> Option<Vec<Vec<LoopVertex>>> {
    let axis = usize::from(loops.first().is_some_and(|t| t.winding[0] == 0));
    let across = 1 - axis;
    let (mut ahead, mut back): (Vec<Traced>, Vec<Traced>) =
        loops.into_iter().partition(|t| t.winding[axis] > 0);
    let mean = |t: &Traced| t.vertices.iter().map(|c| c.uv[across]).sum::<f64>() / t.vertices.len() as f64;
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
            polygons.push(to_pole(lone.vertices, low?, -period));
        }
        match back.next() {
            Some(second) => polygons.push(strip(first.vertices, second.vertices, axis, surface, period)),
            None => polygons.push(to_pole(first.vertices, high?, period)),
        }
    }
    for lone in back {
        polygons.push(to_pole(lone.vertices, low?, -period));
    }
    Some(polygons)
}

/// The polygon between a loop around the axis and a pole.
fn to_pole(mut vertices: Vec<LoopVertex>, pole: f64, period: f64) -> Vec<LoopVertex> {
    let first = vertices[0].uv;
    let vertex = |u: f64, v: f64| LoopVertex { uv: DVec2::new(u, v), side: None };
    vertices.extend([
        vertex(first.x + period, first.y),
        vertex(first.x + period, pole),
        vertex(first.x, pole),
    ]);
    vertices
}

/// The polygon between two loops around the surface that run against each other.
fn strip(
    first: Vec<LoopVertex>,
    second: Vec<LoopVertex>,
    axis: usize,
    surface: &Surface,
    period: f64,
) -> Vec<LoopVertex> {
    let mut shift = DVec2::ZERO;
    shift[axis] = period;
    let target = first[0].uv[axis] + period;
    let offset = |c: &LoopVertex| {
        let d = c.uv[axis] - target;
        d - (d / period).round() * period
    };
    let start = (0..second.len())
        .min_by(|&i, &j| offset(&second[i]).abs().total_cmp(&offset(&second[j]).abs()))
        .unwrap_or(0);
    let mut rotated: Vec<LoopVertex> = second[start..].to_vec();
    rotated.extend(second[..start].iter().map(|c| LoopVertex { uv: c.uv - shift, ..*c }));
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
    let close = |c: &LoopVertex, by: DVec2| LoopVertex { uv: c.uv + by, side: None };
    let (end, last) = (close(&first[0], shift), close(&rotated[0], -shift));
    first.into_iter().chain([end]).chain(rotated).chain([last]).collect()
}

fn bridge_holes(
    surface: &Surface,
    mut outer: Vec<Vec<LoopVertex>>,
    holes: Vec<Vec<LoopVertex>>,
) -> Vec<Vec<LoopVertex>> {
    let periods = surface.periods().map(|p| p.unwrap_or(0.0));
    let mut placed: Vec<(usize, Vec<LoopVertex>)> = Vec::new();
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
        placed.push((k, hole.iter().map(|c| LoopVertex { uv: c.uv + shift, ..*c }).collect()));
    }
    let right = |ring: &[LoopVertex]| ring.iter().map(|c| c.uv.x).fold(f64::NEG_INFINITY, f64::max);
    placed.sort_by(|a, b| right(&b.1).total_cmp(&right(&a.1)));
    for i in 0..placed.len() {
        let k = placed[i].0;
        let later: Vec<Vec<DVec2>> =
            placed[i + 1..].iter().filter(|h| h.0 == k).map(|h| points(&h.1)).collect();
        let others: Vec<&[DVec2]> = later.iter().map(Vec::as_slice).collect();
        let hole = &placed[i].1;
        let polygon = &outer[k];
        let (at, from) = bridge(&points(polygon), &points(hole), &others);
        let bare = |c: &LoopVertex| LoopVertex { side: None, ..*c };
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
