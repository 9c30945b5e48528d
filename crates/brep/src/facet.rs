//! Triangles of one face: its polygon in the parameters of its surface, and points inside where the surface bows.

use crate::boundary::{Edge, LoopVertex, Side};
use crate::delaunay::{Delaunay, TriangleSide};
use crate::face::Face;
use crate::surface::Surface;
use crate::trace::Traced;
use crate::triangulate::triangulate;
use crate::trim::{Anchor, anchor, assemble};
use glam::DVec2;
use std::collections::{HashMap, HashSet};

/// Widest piece of a side at a pole, as a share of the period.
const WIDEST: f64 = 1.0 / 12.0;
/// Parameters are at a pole within this, relative to their size.
const AT_POLE: f64 = 1e-7;
/// Most pieces of a seam.
const MAX_PIECES: f64 = 4096.0;
/// Sides that bow by less than this share of the limit are not split.
const SHORT: f64 = 1.0 / 8.0;
/// Least share of the chord that triangles at a curved side are split for.
const LEAST: f64 = 0.25;
/// Most that the parameters are drawn out by the curvatures of the surface.
const DRAWN: f64 = 4.0;

/// A vertex of a triangle of a face.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) uv: DVec2,
    /// Its place on an edge.
    pub(crate) anchor: Anchor,
    /// It is neither on the boundary nor on a seam.
    pub(crate) is_inner: bool,
    /// The surface shrinks to a point there: any angle leads to it.
    is_pole: bool,
}

/// The polygons of a face, cut into triangles on their own vertices.
pub(crate) struct Region {
    nodes: Vec<Node>,
    triangles: Vec<[usize; 3]>,
    /// Sides of the polygon that are curves in the parameters.
    curved: HashMap<[usize; 2], Side>,
    /// The polygons do not cross themselves.
    pub(crate) is_simple: bool,
}

/// The triangles of a face.
pub(crate) struct Facets {
    pub(crate) nodes: Vec<Node>,
    made: Delaunay,
    curved: HashMap<[usize; 2], Side>,
}

impl Region {
    /// The part of a surface within loops, which it has on their left.
    pub(crate) fn new(surface: &Surface, loops: Vec<Traced>, limit: f64) -> Self {
        let mut region =
            Self { nodes: Vec::new(), triangles: Vec::new(), curved: HashMap::new(), is_simple: true };
        let mut numbers: HashMap<[u64; 2], usize> = HashMap::new();
        for polygon in assemble(surface, loops).unwrap_or_default() {
            let polygon = with_seams(surface, &polygon, limit);
            let scale = scale(surface, &polygon);
            let points: Vec<DVec2> = polygon.iter().map(|vertex| vertex.uv * scale).collect();
            let cut = triangulate(&points);
            region.is_simple &= cut.simple;
            let own: Vec<usize> =
                (0..polygon.len()).map(|k| region.number(surface, &polygon, k, &mut numbers)).collect();
            region.triangles.extend(cut.triangles.iter().map(|triangle| triangle.map(|k| own[k])));
            for (k, vertex) in polygon.iter().enumerate() {
                if let Some(side) = vertex.side.filter(|side| !side.straight) {
                    region.curved.insert([own[k], own[(k + 1) % own.len()]], side);
                }
            }
        }
        region.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
        region
    }

    /// The node of a vertex of a polygon. Both ends of a bridge have the parameters of vertices of the boundary.
    fn number(
        &mut self,
        surface: &Surface,
        polygon: &[LoopVertex],
        k: usize,
        numbers: &mut HashMap<[u64; 2], usize>,
    ) -> usize {
        let uv = polygon[k].uv;
        let anchor = anchor(polygon, k);
        let nodes = &mut self.nodes;
        let number = *numbers.entry(uv.to_array().map(f64::to_bits)).or_insert_with(|| {
            let is_at =
                |pole: Option<f64>| pole.is_some_and(|v| (uv.y - v).abs() <= AT_POLE * (1.0 + v.abs()));
            let is_pole = surface.poles().into_iter().any(is_at);
            nodes.push(Node { uv, anchor, is_inner: false, is_pole });
            nodes.len() - 1
        });
        self.nodes[number].anchor = self.nodes[number].anchor.or(anchor);
        number
    }

    /// Delaunay triangles within about a chord of the surface and its boundary, where points inside can bring them there.
    /// `None` if they are more than `most`.
    pub(crate) fn refined(self, (face, edges): (&Face, &[Edge]), chord: f64, most: usize) -> Option<Facets> {
        let Self { mut nodes, triangles, curved, .. } = self;
        let surface = &face.surface;
        let all: Vec<LoopVertex> = nodes.iter().map(|node| LoopVertex { uv: node.uv, side: None }).collect();
        let scale = scale(surface, &all);
        let mut made = Delaunay::new(nodes.iter().map(|node| node.uv * scale).collect(), triangles);
        let is_flat = matches!(surface, Surface::Plane(_));
        let mut open: Vec<usize> = if is_flat { Vec::new() } else { (0..made.triangles().len()).collect() };
        while let Some(triangle) = open.pop() {
            let corners = made.triangles()[triangle];
            let beyond = beyond(&curved, edges, &corners);
            let limit = (chord * chord - beyond * beyond).max(0.0).sqrt().max(LEAST * chord);
            if bow(surface, &corners.map(|node| nodes[node])) <= limit {
                continue;
            }
            if made.triangles().len() >= most {
                return None;
            }
            let mut sides: Vec<(f64, usize)> = (0..3)
                .filter(|&k| made.is_inner(TriangleSide { triangle, k }))
                .map(|k| (bow(surface, &[corners[k], corners[(k + 1) % 3]].map(|node| nodes[node])), k))
                .filter(|(weight, _)| *weight > SHORT * limit)
                .collect();
            sides.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, k) in sides {
                let uv = (nodes[corners[k]].uv + nodes[corners[(k + 1) % 3]].uv) * 0.5;
                if let Some(changed) = made.split(TriangleSide { triangle, k }, uv * scale) {
                    nodes.push(Node { uv, anchor: None, is_inner: true, is_pole: false });
                    open.extend(changed);
                    break;
                }
            }
        }
        Some(Facets { nodes, made, curved })
    }
}

impl Facets {
    pub(crate) fn triangles(&self) -> &[[usize; 3]] {
        self.made.triangles()
    }

    /// A bound on the distance of the triangles from the face, and of the face from them.
    pub(crate) fn deviation(&self, face: &Face, edges: &[Edge]) -> f64 {
        let of = |corners: &[usize; 3]| {
            let bow = bow(&face.surface, &corners.map(|node| self.nodes[node]));
            let beyond = beyond(&self.curved, edges, corners);
            if matches!(face.surface, Surface::Plane(_)) { 0.5 * beyond } else { bow.hypot(beyond) }
        };
        self.triangles().iter().map(of).fold(0.0, f64::max) + face.gap + face.rounding
    }
}

/// How far a triangle may reach beyond its curved sides: twice as far as their pieces are from their chords, once for the
/// points of the chord, once for the points of the surface nearest to them. In a plane these are the same.
fn beyond(curved: &HashMap<[usize; 2], Side>, edges: &[Edge], &[a, b, c]: &[usize; 3]) -> f64 {
    let sides = [[a, b], [b, c], [c, a]].into_iter().filter_map(|ends| curved.get(&ends));
    sides.map(|side| 2.0 * edges[side.edge].curve.sagitta(side.from, side.to)).fold(0.0, f64::max)
}

/// A bound on the distance of a triangle or a chord from the surface. The angle of a pole is any of the others.
fn bow(surface: &Surface, nodes: &[Node]) -> f64 {
    let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    for node in nodes {
        (low.y, high.y) = (low.y.min(node.uv.y), high.y.max(node.uv.y));
        if !node.is_pole {
            (low.x, high.x) = (low.x.min(node.uv.x), high.x.max(node.uv.x));
        }
    }
    if low.x > high.x {
        (low.x, high.x) = (0.0, 0.0);
    }
    surface.bow(high - low, [low, high])
}

/// A polygon whose seams and sides at poles are cut, both copies of a seam alike.
fn with_seams(surface: &Surface, polygon: &[LoopVertex], limit: f64) -> Vec<LoopVertex> {
    let bits = |uv: DVec2| uv.to_array().map(f64::to_bits);
    let next = |k: usize| polygon[(k + 1) % polygon.len()].uv;
    let bare = |k: &usize| polygon[*k].side.is_none();
    let all: HashSet<[[u64; 2]; 2]> =
        (0..polygon.len()).filter(bare).map(|k| [bits(polygon[k].uv), bits(next(k))]).collect();
    let mut found = Vec::with_capacity(polygon.len());
    for (k, &vertex) in polygon.iter().enumerate() {
        found.push(vertex);
        let (from, to) = (vertex.uv, next(k));
        // Bridges are followed in both directions.
        if vertex.side.is_some() || all.contains(&[bits(to), bits(from)]) {
            continue;
        }
        let extent = (to - from).abs();
        let is_at =
            |pole: f64| [from, to].iter().all(|uv| (uv.y - pole).abs() <= AT_POLE * (1.0 + pole.abs()));
        let count = match surface.periods()[0] {
            Some(period) if surface.poles().into_iter().flatten().any(is_at) => extent.x / (WIDEST * period),
            _ => (surface.bow(extent, [from.min(to), from.max(to)]) / limit).sqrt(),
        };
        // Rounding differs between both copies of a seam, and powers of two do not.
        let count = (count * (1.0 - 1e-9)).clamp(1.0, MAX_PIECES).log2().ceil().exp2();
        let inner = (1..count as usize).map(|j| from.lerp(to, j as f64 / count));
        found.extend(inner.map(|uv| LoopVertex { uv, side: None }));
    }
    found
}

/// Lengths of the parameters, drawn out so that equal lengths bow alike.
fn scale(surface: &Surface, polygon: &[LoopVertex]) -> DVec2 {
    let uv = || polygon.iter().map(|vertex| vertex.uv);
    let (low, high) = uv().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(l, h), uv| (l.min(uv), h.max(uv)));
    let slopes = surface.slopes(low, high);
    let lengths = DVec2::new(slopes.u, slopes.v);
    if !(lengths.is_finite() && lengths.cmpgt(DVec2::ZERO).all()) {
        return DVec2::ONE;
    }
    let [u, v] = [slopes.uu / (slopes.u * slopes.u), slopes.vv / (slopes.v * slopes.v)];
    let drawn = if u == v { 1.0 } else { (u / v).sqrt().clamp(1.0 / DRAWN, DRAWN) };
    lengths * DVec2::new(drawn, 1.0)
}
