//! Polylines of the edges of a body: one for each edge, whatever face it is seen from.
//!
//! An edge is cut until no piece is further from its chord than a limit, and again where a surface next to it bows by more.
//! Ends of edges that follow each other in a loop are one vertex, also where the file has a distance between them.

use crate::body::Brep;
use crate::boundary::{Edge, LoopVertex, Side};
use crate::curve::Curve;
use crate::surface::Surface;
use crate::trace::Traced;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Most halvings of a piece of an edge for its curve, and for the surfaces next to it.
const DEEPEST: [u32; 2] = [14, 8];
/// Widest piece of a circle or an ellipse.
const WIDEST: f64 = PI / 3.0;
/// Largest distance between ends of edges that are one vertex, as a share of the size of the body.
const JOINED: f64 = 1e-3;

/// The polylines of all edges.
pub(crate) struct Polylines {
    /// Parameters of the points of every edge, ascending.
    parameters: Vec<Vec<f64>>,
    /// For both ends of every edge the first end, by edge and side, that is the same vertex.
    ends: Vec<[(usize, usize); 2]>,
    /// Greatest distance of an end from its vertex.
    pub(crate) gap: f64,
}

impl Polylines {
    pub(crate) fn new(body: &Brep, limits: &[f64]) -> Self {
        let ends = joined_ends(body);
        let end = |(edge, k): (usize, usize)| end_of(&body.edges[edge], k);
        let off = |(edge, firsts): (usize, &[(usize, usize); 2])| {
            (0..2).map(|k| end((edge, k)).distance(end(firsts[k]))).fold(0.0, f64::max)
        };
        let gap = ends.iter().enumerate().map(off).fold(0.0, f64::max);
        let parameters = body.edges.iter().zip(limits).map(|(edge, &limit)| pieces(edge, limit)).collect();
        Self { parameters, ends, gap }
    }

    /// Adds points to edges, in any order.
    pub(crate) fn insert(&mut self, points: impl IntoIterator<Item = (usize, f64)>) {
        for (edge, parameter) in points {
            self.parameters[edge].push(parameter);
        }
        for parameters in &mut self.parameters {
            parameters.sort_by(f64::total_cmp);
            parameters.dedup();
        }
    }

    /// The middles of all pieces of an edge.
    pub(crate) fn middles(&self, edge: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.parameters[edge].windows(2).map(move |ends| (edge, 0.5 * (ends[0] + ends[1])))
    }

    /// The point at a parameter; the first of the ends that are one vertex.
    pub(crate) fn point(&self, edges: &[Edge], edge: usize, parameter: f64) -> DVec3 {
        let own = &edges[edge];
        let end = [own.from, own.to].iter().position(|&end| end == parameter);
        let first = end.map(|k| self.ends[edge][k]);
        first.map_or_else(|| own.curve.point(parameter), |(edge, k)| end_of(&edges[edge], k))
    }

    /// The vertices of a traced loop, at the points of the polylines in place of its own. Vertices without a side, at poles,
    /// stay.
    pub(crate) fn resampled(&self, surface: &Surface, edges: &[Edge], traced: &Traced) -> Vec<LoopVertex> {
        let mut found = Vec::new();
        for (&vertex, next) in traced.vertices.iter().zip(nexts(surface, &traced.vertices, traced.winding)) {
            let Some(side) = vertex.side else {
                found.push(vertex);
                continue;
            };
            let parameters = &self.parameters[side.edge];
            let (low, high) = (side.from.min(side.to), side.from.max(side.to));
            let inside = parameters.partition_point(|&t| t < low)..parameters.partition_point(|&t| t <= high);
            // The end of a piece belongs to the next one.
            let own = inside.filter(|&k| parameters[k] != side.to);
            let mut points: Vec<LoopVertex> = own
                .filter_map(|k| {
                    let after = if side.from < side.to { k.checked_add(1) } else { k.checked_sub(1) };
                    let (t, to) = (parameters[k], *parameters.get(after?)?);
                    let uv = place(surface, edges, side, [vertex.uv, next], t);
                    Some(LoopVertex { uv, side: Some(Side { from: t, to, ..side }) })
                })
                .collect();
            if side.from > side.to {
                points.reverse();
            }
            found.append(&mut points);
        }
        found
    }

    /// Points that the pieces of a resampled loop lack: between them the surface bows by more than a limit.
    pub(crate) fn lacking(surface: &Surface, edges: &[Edge], ring: &Traced, limit: f64) -> Vec<(usize, f64)> {
        let mut found = Vec::new();
        for (vertex, next) in ring.vertices.iter().zip(nexts(surface, &ring.vertices, ring.winding)) {
            if let Some(side) = vertex.side {
                halve(surface, edges, side, [vertex.uv, next], (limit, DEEPEST[1]), &mut found);
            }
        }
        found
    }
}

/// The parameters after each vertex of a loop, the last of which may be whole periods from the first.
fn nexts<'v>(
    surface: &Surface,
    vertices: &'v [LoopVertex],
    winding: [i32; 2],
) -> impl Iterator<Item = DVec2> + 'v {
    let periods = surface.periods().map(|period| period.unwrap_or(0.0));
    let turns = DVec2::new(f64::from(winding[0]), f64::from(winding[1])) * DVec2::from(periods);
    let last = vertices.first().map(|first| first.uv + turns);
    vertices.iter().skip(1).map(|next| next.uv).chain(last)
}

fn end_of(edge: &Edge, k: usize) -> DVec3 {
    edge.curve.point([edge.from, edge.to][k])
}

/// For both ends of every edge the first one that is the same vertex.
fn joined_ends(body: &Brep) -> Vec<[(usize, usize); 2]> {
    let mut first: Vec<[(usize, usize); 2]> =
        (0..body.edges.len()).map(|edge| [(edge, 0), (edge, 1)]).collect();
    let root = |first: &[[(usize, usize); 2]], mut at: (usize, usize)| {
        while first[at.0][at.1] != at {
            at = first[at.0][at.1];
        }
        at
    };
    for ring in body.faces.iter().flat_map(|face| &face.loops) {
        let nexts = ring.iter().cycle().skip(1);
        for (&(edge, forward), &(next, ahead)) in ring.iter().zip(nexts) {
            let pair = [(edge, usize::from(forward)), (next, usize::from(!ahead))];
            let [a, b] = pair.map(|at| root(&first, at));
            let gap = end_of(&body.edges[a.0], a.1).distance(end_of(&body.edges[b.0], b.1));
            if gap <= JOINED * body.size() {
                let (low, high) = (a.min(b), a.max(b));
                first[high.0][high.1] = low;
            }
        }
    }
    (0..body.edges.len()).map(|edge| [0, 1].map(|k| root(&first, (edge, k)))).collect()
}

/// Parameters that cut an edge into pieces no further from their chords than a limit, both ends included.
fn pieces(edge: &Edge, limit: f64) -> Vec<f64> {
    let (curve, [from, to]) = (&edge.curve, [edge.from, edge.to]);
    let width = to - from;
    let count = match curve {
        Curve::Line { .. } => 1.0,
        Curve::Circle { radius, .. } => arcs(width, *radius, limit),
        Curve::Ellipse { major, minor, .. } => arcs(width, major.max(*minor), limit),
        _ => {
            let mut found = vec![from];
            halved(curve, [from, to], (limit, DEEPEST[0]), &mut found);
            return found;
        }
    };
    let inner = (0..count as usize).map(|k| from + width * k as f64 / count);
    inner.chain([to]).collect()
}

/// Pieces of an arc.
fn arcs(width: f64, radius: f64, limit: f64) -> f64 {
    let widest = (8.0 * limit / radius).sqrt().min(WIDEST);
    (width / widest - 1e-9).ceil().clamp(1.0, f64::from(1u32 << DEEPEST[0]))
}

fn halved(curve: &Curve, [from, to]: [f64; 2], (limit, depth): (f64, u32), found: &mut Vec<f64>) {
    let middle = 0.5 * (from + to);
    if depth == 0 || curve.sagitta(from, to) <= limit || !(from < middle && middle < to) {
        found.push(to);
        return;
    }
    halved(curve, [from, middle], (limit, depth - 1), found);
    halved(curve, [middle, to], (limit, depth - 1), found);
}

/// Adds the parameters that cut a piece until the surface between its ends bows by no more than a limit.
fn halve(
    surface: &Surface,
    edges: &[Edge],
    side: Side,
    [a, b]: [DVec2; 2],
    (limit, depth): (f64, u32),
    found: &mut Vec<(usize, f64)>,
) {
    if depth == 0 || surface.bow((a - b).abs(), [a.min(b), a.max(b)]) <= limit {
        return;
    }
    let t = (side.from + side.to) * 0.5;
    found.push((side.edge, t));
    let middle = place(surface, edges, side, [a, b], t);
    let deeper = (limit, depth - 1);
    halve(surface, edges, Side { to: t, ..side }, [a, middle], deeper, found);
    halve(surface, edges, Side { from: t, ..side }, [middle, b], deeper, found);
}

/// The parameters of a point of a side; on a straight one the constant parameter is kept.
fn place(surface: &Surface, edges: &[Edge], side: Side, [a, b]: [DVec2; 2], t: f64) -> DVec2 {
    if t == side.from {
        return a;
    }
    let near = a.lerp(b, (t - side.from) / (side.to - side.from));
    let mut uv = surface.near_parameters(edges[side.edge].curve.point(t), near);
    let is_swept = matches!(surface, Surface::Revolution { .. } | Surface::Extrusion { .. });
    if side.straight && !is_swept && !matches!(surface, Surface::Plane(_)) {
        let d = (a - b).abs();
        let constant = usize::from(d.y < d.x);
        uv[constant] = near[constant];
    }
    uv
}
