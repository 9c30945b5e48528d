//! The boundary of a face in the parameters of its surface.
//!
//! Loops that wind around the surface are joined in pairs, or to a pole; holes are bridged, and the polygons cut into
//! triangles.

use crate::boundary::{Edge, LoopVertex, OrientedEdge, Trimmed};
use crate::region::{FaceFault, certify};
use crate::seam::{join_winding, whole};
use crate::surface::Surface;
use crate::trace::{Density, Traced, trace};
use crate::triangulate::{bridge, doubled_area, encloses, triangulate};
use glam::DVec2;
use std::collections::BTreeMap;

/// An edge and a parameter of its curve; `None` off all edges.
pub(crate) type Anchor = Option<(usize, f64)>;

/// Cuts a face into triangles that are certified to be the region of its loops. These have the face on their left, seen
/// against the normal `S_u × S_v`. Edges of `finer` are cut into as many times more pieces.
pub(crate) fn trim(
    surface: &Surface,
    edges: &[Edge],
    loops: &[Vec<OrientedEdge>],
    finer: &BTreeMap<usize, usize>,
) -> Result<Trimmed, FaceFault> {
    let mut fault = FaceFault::Unbounded;
    // Coarse chords of narrow faces may cross each other; finer ones do not.
    for all in [1, 2, 4, 8] {
        let Some(found) = triangles(surface, edges, loops, Density { all, finer }) else { continue };
        match certify(surface, edges, loops, &found) {
            Ok(()) => return Ok(found),
            Err(found) => fault = found,
        }
    }
    Err(fault)
}

/// The triangles of a face, its loops cut into pieces of a density.
fn triangles(
    surface: &Surface,
    edges: &[Edge],
    loops: &[Vec<OrientedEdge>],
    density: Density<'_>,
) -> Option<Trimmed> {
    let traced = loops.iter().map(|ring| trace(surface, edges, ring, density));
    let traced: Vec<Traced> = traced.collect::<Option<_>>()?;
    let gap = traced.iter().map(|ring| ring.gap).fold(0.0, f64::max);
    let sides = traced.iter().flat_map(|ring| &ring.vertices).filter_map(|vertex| vertex.side).collect();
    let mut found = Trimmed { triangles: Vec::new(), sides, gap };
    for polygon in assemble(surface, traced)? {
        let triangles = triangulate(&to_scale(surface, &polygon)).triangles;
        found.triangles.extend(triangles.iter().map(|&t| vertices(&polygon, t)));
    }
    Some(found)
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
    let mut outer = join_winding(surface, winding, &plain)?;
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
        outer.push(whole(surface, &holes)?);
    }
    Some(bridge_holes(surface, outer, holes))
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
