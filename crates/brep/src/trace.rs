//! Loops followed in the parameters of their surface.
//!
//! Edges are followed in space and their points inverted, so that parametric curves of the file are not needed. Angles go
//! on continuously across seams: a curve that is shorter than the distances of its ends from an axis together does not pass
//! the axis on the other side, so that pieces are halved until the number of turns is certain. Turns are counted as
//! integers, from points off the poles. A pole has no angle: a loop arrives there at the angle of the point before it, and
//! leaves at the angle of the point after it, with the face on its left in between.

use crate::boundary::{Edge, LoopVertex, OrientedEdge, Side};
use crate::constant::{self, Track};
use crate::curve::Curve;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// A loop as traced.
pub(crate) struct Traced {
    pub(crate) vertices: Vec<LoopVertex>,
    /// Periods by which its end differs from its start.
    pub(crate) winding: [i32; 2],
    /// Greatest distance of its points from the surface, and of the ends of edges that follow each other.
    pub(crate) gap: f64,
}

/// Most halvings of a piece until its number of turns is certain.
const MAX_DEPTH: u32 = 60;
/// Most halvings of a piece that bends.
const MAX_BENT: u32 = 5;
/// Most that a piece leaves its chord in the parameters, relative to its length: that of an eighth of a circle is 0.1.
const SLIM: f64 = 0.11;
/// Most points of a loop on a surface with periods.
const MAX_SAMPLES: usize = 20_000;
/// Largest angle of a piece about an axis.
const WIDEST: f64 = 1.6;
/// Largest share of a period of other parameters in one piece.
const PERIOD_SHARE: f64 = 0.3;
/// A point this near to a pole is the pole, relative to the size of the loop.
const AT_POLE: f64 = 1e-7;
/// A search that ends this near to a point found it, relative to its coordinates.
const FOUND: f64 = 1e-7;
/// A loop that leaves a pole at the angle at which it arrived, up to this share of a period, goes around it.
const SAME_ANGLE: f64 = 1e-7;

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

/// A vertex, and the number of the run of its piece.
struct Numbered {
    vertex: LoopVertex,
    run: usize,
}

/// A loop on one sheet of the parameters, from the first sample on.
struct Lifted {
    vertices: Vec<Numbered>,
    /// Where it ends.
    closing: DVec2,
    /// Periods by which that differs from its start.
    winding: [i32; 2],
}

/// A pole of a surface.
#[derive(Clone, Copy)]
struct Pole {
    /// Its second parameter.
    at: f64,
    /// The direction in which angles change along it with the face on the left: 1 at the lower pole, −1 at the upper one.
    ahead: f64,
    point: DVec3,
}

/// A point of a loop, with the piece that begins there.
#[derive(Clone, Copy)]
struct Sample {
    side: Side,
    point: DVec3,
    /// In any period; the first has no meaning at a pole.
    uv: DVec2,
    pole: Option<Pole>,
    /// Number of the part of an edge between poles that the piece belongs to.
    run: usize,
}

/// Follows a loop in the parameters of the surface; `None` if it has no point off the poles, or its turns are not certain.
pub(crate) fn trace(
    surface: &Surface,
    edges: &[Edge],
    ring: &[OrientedEdge],
    density: Density<'_>,
) -> Option<Traced> {
    let mut walk = Walk::new(surface, edges, ring)?;
    for &(number, forward) in ring {
        walk.follow(number, forward, density)?;
    }
    let Walk { mut samples, mut gap, .. } = walk;
    let regular = samples.iter().position(|sample| sample.pole.is_none())?;
    samples.rotate_left(regular);
    let Lifted { mut vertices, closing, winding } = lift(surface, &samples)?;
    let mut first = 0;
    while first < vertices.len() {
        let same = vertices[first..].iter().take_while(|v| v.run == vertices[first].run).count();
        let last = vertices[first + same - 1].vertex;
        let next = vertices.get(first + same).map_or(closing, |next| next.vertex.uv);
        let end = if last.side.is_none() { last.uv } else { next };
        gap = gap.max(mark_straight(surface, edges, &mut vertices[first..first + same], end));
        first += same;
    }
    Some(Traced { vertices: vertices.into_iter().map(|numbered| numbered.vertex).collect(), winding, gap })
}

/// The vertices of a loop; poles have two.
fn lift(surface: &Surface, samples: &[Sample]) -> Option<Lifted> {
    let periods = surface.periods();
    let mut winding = [0i32; 2];
    let mut at = samples.first()?.uv;
    let mut arrived: Option<(Pole, &Sample)> = None;
    let numbered =
        |uv: DVec2, side: Option<Side>, run: usize| Numbered { vertex: LoopVertex { uv, side }, run };
    let mut vertices = vec![numbered(at, Some(samples[0].side), samples[0].run)];
    for sample in samples[1..].iter().chain(&samples[..1]) {
        if let Some(pole) = sample.pole {
            let end = DVec2::new(at.x, pole.at);
            if let Some((_, last)) = arrived {
                vertices.push(numbered(end, Some(last.side), last.run));
            }
            vertices.push(numbered(end, None, vertices.last()?.run));
            arrived = Some((pole, sample));
            continue;
        }
        for k in 0..2 {
            let Some(period) = periods[k] else { continue };
            let mut target = at[k];
            if let (0, Some((pole, _))) = (k, arrived) {
                // At a pole the boundary goes on with the face on its left, by up to a whole turn.
                let turn = ((sample.uv[0] - at[0]) * pole.ahead / period).rem_euclid(1.0);
                let turn = if turn < SAME_ANGLE { turn + 1.0 } else { turn };
                target += pole.ahead * turn * period;
            }
            winding[k] = ((target - sample.uv[k]) / period).round() as i32;
        }
        let lifted =
            |k: usize| sample.uv[k] + periods[k].map_or(0.0, |period| f64::from(winding[k]) * period);
        at = DVec2::new(lifted(0), lifted(1));
        if let Some((pole, last)) = arrived.take() {
            vertices.push(numbered(DVec2::new(at.x, pole.at), Some(last.side), last.run));
        }
        vertices.push(numbered(at, Some(sample.side), sample.run));
    }
    let closing = vertices.pop()?.vertex.uv;
    Some(Lifted { vertices, closing, winding })
}

/// The distance of a point from the points around which a parameter is an angle: for the first one the axis, for the second
/// one of a torus the circle in the middle of the tube. `None` if it is no angle.
fn distance_around(surface: &Surface, parameter: usize, point: DVec3) -> Option<f64> {
    match (surface, parameter) {
        (Surface::Plane(_), _) => None,
        (Surface::Torus { frame, major, .. }, 1) => {
            let p = frame.cylindrical(point);
            Some((p.x - major).hypot(p.y))
        }
        (Surface::Revolution { frame, .. }, 0) => Some(frame.cylindrical(point).x),
        (_, 0) => surface.frame().map(|frame| frame.cylindrical(point).x),
        _ => None,
    }
}

/// A bound on the length of a curve as far as it can go around: across the axis, if it is a line.
fn length_around(surface: &Surface, parameter: usize, curve: &Curve, [low, high]: [f64; 2]) -> f64 {
    match (curve, surface.frame(), parameter) {
        (Curve::Line { direction, .. }, Some(frame), 0) => {
            (*direction - frame.z * direction.dot(frame.z)).length() * (high - low)
        }
        _ => curve.slopes(low, high).first * (high - low),
    }
}

/// Samples the edges of a loop one after the other.
struct Walk<'s> {
    surface: &'s Surface,
    edges: &'s [Edge],
    poles: Vec<Pole>,
    /// Points this near to a pole are the pole.
    at_pole: f64,
    samples: Vec<Sample>,
    run: usize,
    gap: f64,
}

impl<'s> Walk<'s> {
    fn new(surface: &'s Surface, edges: &'s [Edge], ring: &[OrientedEdge]) -> Option<Self> {
        let ends = |&(number, forward): &OrientedEdge| {
            let edge = edges.get(number)?;
            let [from, to] = [edge.from, edge.to].map(|t| edge.curve.point(t));
            Some(if forward { [from, to] } else { [to, from] })
        };
        let ends: Vec<[DVec3; 2]> = ring.iter().map(ends).collect::<Option<_>>()?;
        let next = ends.iter().cycle().skip(1);
        let joint = ends.iter().zip(next).map(|(a, b)| a[1].distance(b[0])).fold(0.0, f64::max);
        let start = edges[ring.first()?.0].from;
        let near = surface.parameters(edges[ring[0].0].curve.point(start), None);
        let poles: Vec<Pole> = surface
            .poles()
            .into_iter()
            .zip([1.0, -1.0])
            .filter_map(|(at, ahead)| {
                let at = at?;
                Some(Pole { at, ahead, point: surface.point(DVec2::new(near.x, at)) })
            })
            .collect();
        let size = ends.iter().flatten().map(|p| p.distance(ends[0][0])).fold(0.0, f64::max);
        let size = poles.iter().map(|pole| pole.point.distance(ends[0][0])).fold(size, f64::max);
        let at_pole = (AT_POLE * size).max(2.0 * joint.min(1e-3 * size));
        Some(Self { surface, edges, poles, at_pole, samples: Vec::new(), run: 0, gap: joint })
    }

    /// Adds the pieces of an edge.
    fn follow(&mut self, number: usize, forward: bool, density: Density<'_>) -> Option<()> {
        let edge = &self.edges[number];
        let mut ends = pieces(edge, self.surface, density.of(number));
        ends.push(edge.to);
        let passed: Vec<f64> = self.poles.iter().filter_map(|pole| self.passes(edge, pole)).collect();
        ends.retain(|t| passed.iter().all(|at| (t - at).abs() > 1e-6 * (edge.to - edge.from)));
        ends.extend(&passed);
        ends.sort_by(f64::total_cmp);
        if !forward {
            ends.reverse();
        }
        self.run += 1;
        for w in ends.windows(2) {
            self.run += usize::from(passed.contains(&w[0]));
            let side = Side { edge: number, from: w[0], to: w[1], straight: false };
            let near = self.samples.iter().rev().find(|sample| sample.pole.is_none()).map(|s| s.uv);
            let first = self.sample(side, w[0], near);
            let near = if first.pole.is_none() { Some(first.uv) } else { near };
            let last = self.sample(side, w[1], near);
            self.split([first, last], 0)?;
        }
        Some(())
    }

    /// The parameter at which an edge passes through a pole between its ends.
    fn passes(&self, edge: &Edge, pole: &Pole) -> Option<f64> {
        let mut t = edge.curve.parameter(pole.point, None);
        if let Some(period) = edge.curve.period() {
            t += ((edge.from - t) / period).ceil() * period;
        }
        let room = 1e-6 * (edge.to - edge.from);
        let is_between = edge.from + room < t && t < edge.to - room;
        (is_between && edge.curve.point(t).distance(pole.point) <= self.at_pole).then_some(t)
    }

    fn sample(&mut self, side: Side, t: f64, near: Option<DVec2>) -> Sample {
        let edge = &self.edges[side.edge];
        let point = edge.curve.point(t);
        let (uv, off) = invert(self.surface, point, near);
        self.gap = self.gap.max(off + edge.deviation);
        let pole = self.poles.iter().find(|pole| pole.point.distance(point) <= self.at_pole).copied();
        Sample { side, point, uv, pole, run: self.run }
    }

    /// Adds a piece, or its halves if it may turn about the axis, or bends far in the parameters.
    fn split(&mut self, [first, last]: [Sample; 2], depth: u32) -> Option<()> {
        let is_certain = self.is_certain(&first, &last);
        if depth >= MAX_DEPTH || self.samples.len() >= MAX_SAMPLES {
            return is_certain.then(|| self.samples.push(first));
        }
        let t = (first.side.from + last.side.to) * 0.5;
        let near = if first.pole.is_none() { first.uv } else { last.uv };
        let middle = self.sample(Side { from: t, ..last.side }, t, Some(near));
        if is_certain && (depth >= MAX_BENT || self.is_slim([&first, &middle, &last])) {
            self.samples.push(first);
            return Some(());
        }
        let end = Sample { side: Side { to: t, ..first.side }, ..middle };
        let start = Sample { side: Side { from: t, ..first.side }, ..middle };
        let first = Sample { side: Side { to: t, ..first.side }, ..first };
        self.split([first, end], depth + 1)?;
        self.split([start, last], depth + 1)
    }

    /// Returns `true` if a piece bends little between its ends in the parameters, measured on the surface.
    fn is_slim(&self, [first, middle, last]: [&Sample; 3]) -> bool {
        let periods = self.surface.periods();
        let from = |sample: &Sample| {
            let mut change = sample.uv - middle.uv;
            for k in 0..2 {
                change[k] -= periods[k].map_or(0.0, |period| (change[k] / period).round() * period);
            }
            change
        };
        let [mut a, mut b] = [from(first), from(last)];
        // A pole is reached at the angle of the other end.
        if first.pole.is_some() {
            a.x = b.x;
        } else if last.pole.is_some() {
            b.x = a.x;
        }
        let [_, su, sv] = self.surface.evaluate(middle.uv);
        let length = |uv: DVec2| (uv * DVec2::new(su.length(), sv.length())).length();
        middle.pole.is_some() || length(a + b) * 0.5 <= SLIM * length(a - b)
    }

    /// Returns `true` if the parameters change along a piece by the nearest difference of those of its ends, modulo periods.
    fn is_certain(&self, first: &Sample, last: &Sample) -> bool {
        if first.pole.is_some() || last.pole.is_some() {
            return true;
        }
        let curve = &self.edges[first.side.edge].curve;
        let [from, to] = [first.side.from.min(last.side.to), first.side.from.max(last.side.to)];
        let periods = self.surface.periods();
        (0..2).all(|k| {
            let Some(period) = periods[k] else { return true };
            let around = |sample: &Sample| distance_around(self.surface, k, sample.point);
            let change = last.uv[k] - first.uv[k];
            let change = change - (change / period).round() * period;
            match around(first).zip(around(last)) {
                Some((a, b)) => {
                    let length = length_around(self.surface, k, curve, [from, to]);
                    change.abs() <= WIDEST && length * (1.0 - 1e-9) < a + b
                }
                None => change.abs() <= PERIOD_SHARE * period,
            }
        })
    }
}

/// The parameters of a point, near given ones, and its distance from the surface.
fn invert(surface: &Surface, point: DVec3, near: Option<DVec2>) -> (DVec2, f64) {
    let uv = surface.parameters(point, near);
    let off = surface.point(uv).distance(point);
    let is_found = near.is_some() && off <= FOUND * (1.0 + point.abs().max_element());
    if !is_found && surface.frame().is_none() {
        let other = surface.parameters(point, None);
        let other_off = surface.point(other).distance(point);
        if other_off < 0.5 * off - 1e-9 {
            return (other, other_off);
        }
    }
    (uv, off)
}

/// Edges count as straight in the parameters if they deviate by no more than this share of their length: rounding of
/// numbers with seven digits.
const STRAIGHT: f64 = 1e-6;

/// Marks the pieces of a part of an edge that are straight in the parameters, and returns a bound on their deviation.
fn mark_straight(surface: &Surface, edges: &[Edge], vertices: &mut [Numbered], end: DVec2) -> f64 {
    let sides = || vertices.iter().filter_map(|numbered| numbered.vertex.side);
    let (Some(first), Some(last)) = (sides().next(), sides().next_back()) else { return 0.0 };
    let edge = &edges[first.edge];
    let ends = [first.from, last.to];
    let is_line = matches!(edge.curve, Curve::Line { .. });
    let found = match surface {
        Surface::Plane(_) => is_line.then_some(0.0),
        Surface::Spline(spline) => {
            let width = (ends[1] - ends[0]).abs();
            let enough = STRAIGHT * edge.curve.slopes(edge.from, edge.to).first * width;
            let uv =
                vertices.iter().map(|numbered| numbered.vertex).filter(|v| v.side.is_some()).map(|v| v.uv);
            constant::deviation(surface, spline, &Track { edge, ends, uv: uv.chain([end]).collect() }, enough)
        }
        _ => constant_parameter(surface, edge, ends, vertices[0].vertex.uv),
    };
    for numbered in vertices {
        if let Some(side) = &mut numbered.vertex.side {
            side.straight = found.is_some();
        }
    }
    found.unwrap_or(0.0) + edge.deviation
}

/// A bound on the distance of an edge from a line of constant parameter, if it is near one.
///
/// Lines and circles are determined by three points: the heights and the sines of their angles are trigonometric polynomials
/// of the first degree, whose values between and beyond three points at 0.17, 0.41 and 0.73 exceed the greatest of them by a
/// factor of less than 6. Other curves count only if they are those that generate the surface.
fn constant_parameter(surface: &Surface, edge: &Edge, [from, to]: [f64; 2], near: DVec2) -> Option<f64> {
    if !matches!(edge.curve, Curve::Line { .. } | Curve::Circle { .. }) {
        return surface.is_generated_by(&edge.curve).then_some(0.0);
    }
    let periods = surface.periods();
    let places = [0.17, 0.41, 0.73].map(|s| edge.curve.point(from + (to - from) * s));
    let at = places.map(|place| surface.parameters(place, Some(near)));
    let length = edge.curve.slopes(edge.from, edge.to).first * (to - from).abs();
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
