//! Loops followed in the parameters of their surface.
//!
//! Edges are followed in space and their points inverted, so that parametric curves of the file are not needed. Angles go
//! on continuously across seams.

use crate::boundary::{Edge, LoopVertex, OrientedEdge, Side};
use crate::constant;
use crate::curve::Curve;
use crate::surface::Surface;
use glam::DVec2;
use std::collections::BTreeMap;

/// A loop as traced.
pub(crate) struct Traced {
    pub(crate) vertices: Vec<LoopVertex>,
    /// Periods by which its end differs from its start.
    pub(crate) winding: [i32; 2],
    has_pole: bool,
    /// Greatest distance of its points from the surface.
    pub(crate) gap: f64,
}

impl Traced {
    /// The same loop with other vertices.
    pub(crate) fn with_vertices(&self, vertices: Vec<LoopVertex>) -> Self {
        Self { vertices, ..*self }
    }
}

/// How finely edges are cut into pieces.
#[derive(Clone, Copy)]
pub(crate) struct Density<'d> {
    /// Multiple of the coarsest pieces.
    pub(crate) all: usize,
    /// Further multiples of some edges.
    pub(crate) finer: &'d BTreeMap<usize, usize>,
}

impl Density<'_> {
    fn of(self, edge: usize) -> usize {
        self.all * self.finer.get(&edge).copied().unwrap_or(1)
    }
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

/// Follows a loop in the parameters of the surface.
pub(crate) fn trace(
    surface: &Surface,
    edges: &[Edge],
    ring: &[OrientedEdge],
    density: Density<'_>,
) -> Option<Traced> {
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
    density: Density<'_>,
    turn: f64,
) -> Option<Traced> {
    let mut gap = 0.0f64;
    let mut vertices: Vec<LoopVertex> = Vec::new();
    let mut tracker = Tracker { surface, near: None, polar: Vec::new(), turn };
    for &(number, forward) in ring {
        let edge = edges.get(number)?;
        let mut ends = pieces(edge, surface, density.of(number));
        ends.push(edge.to);
        if !forward {
            ends.reverse();
        }
        let first = vertices.len();
        for w in ends.windows(2) {
            let (uv, off) = tracker.follow(edge.curve.point(w[0]));
            gap = gap.max(off + edge.deviation);
            let side = Side { edge: number, from: w[0], to: w[1], straight: false };
            vertices.push(LoopVertex { uv, side: Some(side) });
        }
        let straightness = mark_straight(surface, edge, &mut vertices[first..], &tracker);
        gap = gap.max(straightness + edge.deviation);
    }
    let start = edges.get(ring.first()?.0)?;
    let at = if ring[0].1 { start.from } else { start.to };
    let (end, _) = tracker.follow(start.curve.point(at));
    let first = vertices.first()?.uv;
    let periods = surface.periods();
    let winding = [0, 1].map(|k| periods[k].map_or(0, |p| ((end[k] - first[k]) / p).round() as i32));
    let polar = std::mem::take(&mut tracker.polar);
    let has_pole = polar.iter().any(|&p| p != 0);
    Some(Traced { vertices: split_poles(vertices, &polar, winding, surface), winding, has_pole, gap })
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
fn mark_straight(surface: &Surface, edge: &Edge, vertices: &mut [LoopVertex], tracker: &Tracker<'_>) -> f64 {
    let is_line = matches!(edge.curve, Curve::Line { .. });
    let found = match surface {
        Surface::Plane(_) => is_line.then_some(0.0),
        Surface::Spline(spline) => {
            let enough = STRAIGHT * edge.curve.slopes(edge.from, edge.to).first * (edge.to - edge.from);
            constant::deviation(surface, spline, edge, vertices, enough)
        }
        _ => constant_parameter(surface, edge, tracker),
    };
    for vertex in vertices {
        if let Some(side) = &mut vertex.side {
            side.straight = found.is_some();
        }
    }
    found.unwrap_or(0.0)
}

/// A bound on the distance of an edge from a line of constant parameter, if it is near one.
///
/// Lines and circles are determined by three points: the heights and the sines of their angles are trigonometric polynomials
/// of the first degree, whose values between and beyond three points at 0.17, 0.41 and 0.73 exceed the greatest of them by a
/// factor of less than 6. Other curves count only if they are those that generate the surface.
fn constant_parameter(surface: &Surface, edge: &Edge, tracker: &Tracker<'_>) -> Option<f64> {
    if !matches!(edge.curve, Curve::Line { .. } | Curve::Circle { .. }) {
        return surface.is_generated_by(&edge.curve).then_some(0.0);
    }
    let periods = surface.periods();
    let places = [0.17, 0.41, 0.73].map(|s| edge.curve.point(edge.from + (edge.to - edge.from) * s));
    let at = places.map(|place| surface.parameters(place, tracker.near));
    let length = edge.curve.slopes(edge.from, edge.to).first * (edge.to - edge.from);
    let (low, high) = (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
    let off = |k: usize| {
        let from = |uv: &DVec2| {
            let d = uv[k] - at[0][k];
            periods[k].map_or(d, |period| d - (d / period).round() * period).abs()
        };
        at.iter().map(from).fold(0.0, f64::max)
    };
    let slopes = surface.slopes(low, high);
    let lengths = [off(0) * slopes.u, off(1) * slopes.v].map(|off| 8.0 * off);
    lengths.into_iter().find(|&off| off <= STRAIGHT * length)
}

/// Gives vertices at poles two angles: that of the side before and that of the side after.
fn split_poles(
    vertices: Vec<LoopVertex>,
    polar: &[i8],
    winding: [i32; 2],
    surface: &Surface,
) -> Vec<LoopVertex> {
    let period = surface.periods()[0].unwrap_or(0.0);
    let n = vertices.len();
    let mut split = Vec::with_capacity(n);
    for (i, vertex) in vertices.iter().enumerate() {
        if polar.get(i).copied().unwrap_or(0) == 0 {
            split.push(*vertex);
            continue;
        }
        let before =
            if i == 0 { vertices[n - 1].uv.x - f64::from(winding[0]) * period } else { vertices[i - 1].uv.x };
        let after =
            if i + 1 == n { vertices[0].uv.x + f64::from(winding[0]) * period } else { vertices[i + 1].uv.x };
        let v = vertex.uv.y;
        split.push(LoopVertex { uv: DVec2::new(before, v), side: None });
        split.push(LoopVertex { uv: DVec2::new(after, v), side: vertex.side });
    }
    split
}
