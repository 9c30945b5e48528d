//! Loops around a closed surface, cut along seams into polygons in the plane of its parameters.
//!
//! A seam is a straight line of parameters that no loop crosses, also when moved by whole periods. It joins a loop around
//! the surface with the next one that runs against it, or with a pole.

use crate::boundary::LoopVertex;
use crate::surface::Surface;
use crate::trace::Traced;
use crate::triangulate::crosses;
use glam::DVec2;

/// Most seams that are tried from one vertex.
const MAX_TRIES: usize = 4;
/// Most comparisons of seams with sides; fewer vertices of a fine loop are tried then, whose neighbours are alike.
const MAX_COMPARED: usize = 1_000_000;
/// Vertices of a loop that are tried at least.
const MIN_STARTS: usize = 8;

/// The sides of all loops, which a seam may not cross.
struct Sides {
    of: Vec<[DVec2; 2]>,
    periods: [Option<f64>; 2],
}

impl Sides {
    fn new<'t>(surface: &Surface, loops: impl Iterator<Item = &'t Traced>) -> Self {
        let periods = surface.periods();
        let sides = |ring: &Traced| {
            let shift = shift(ring, periods);
            let ends: Vec<DVec2> = ring.vertices.iter().map(|vertex| vertex.uv).collect();
            let closing = ends.first().map(|first| *first + shift);
            let next = ends.clone().into_iter().skip(1).chain(closing);
            ends.into_iter().zip(next).map(|(a, b)| [a, b]).collect::<Vec<_>>()
        };
        Self { of: loops.flat_map(sides).collect(), periods }
    }

    /// Vertices of a loop that seams are tried from.
    fn starts(&self, ring: &Traced) -> impl Iterator<Item = usize> + use<> {
        let (count, most) = (ring.vertices.len(), (MAX_COMPARED / self.of.len().max(1)).max(MIN_STARTS));
        (0..count).step_by(count.div_ceil(most).max(1))
    }

    /// Returns `true` if no side crosses a seam, whatever periods it is moved by.
    fn are_off(&self, [from, to]: [DVec2; 2]) -> bool {
        let (low, high) = (from.min(to), from.max(to));
        self.of.iter().all(|&[a, b]| {
            let moves = |k: usize| {
                let (least, most) = (a[k].min(b[k]), a[k].max(b[k]));
                let range =
                    |p: f64| (((low[k] - most) / p).ceil() as i32, ((high[k] - least) / p).floor() as i32);
                let (first, last) = self.periods[k].map_or((0, 0), range);
                (first..=last).map(move |n| self.periods[k].map_or(0.0, |p| f64::from(n) * p))
            };
            moves(0).all(|u| {
                moves(1).all(|v| {
                    let by = DVec2::new(u, v);
                    let [a, b] = [a + by, b + by];
                    let is_end = |p: DVec2| [from, to].iter().any(|q| (p - *q).abs().max_element() < 1e-9);
                    is_end(a) || is_end(b) || !crosses(from, to, a, b)
                })
            })
        })
    }
}

/// The periods by which the end of a loop differs from its start.
fn shift(ring: &Traced, periods: [Option<f64>; 2]) -> DVec2 {
    let by = |k: usize| periods[k].map_or(0.0, |p| f64::from(ring.winding[k]) * p);
    DVec2::new(by(0), by(1))
}

/// The same loop begun at another vertex.
fn begun_at(ring: &Traced, start: usize, periods: [Option<f64>; 2]) -> Vec<LoopVertex> {
    let shift = shift(ring, periods);
    let (before, after) = ring.vertices.split_at(start);
    let moved = before.iter().map(|vertex| LoopVertex { uv: vertex.uv + shift, ..*vertex });
    after.iter().copied().chain(moved).collect()
}

/// The whole domain of a closed surface; its seams lie where no loop is, if there is such a place.
pub(crate) fn whole(surface: &Surface, loops: &[Vec<LoopVertex>]) -> Option<Vec<LoopVertex>> {
    let periods = surface.periods();
    let range = |k: usize| periods[k].map(|period| [free_start(loops, k, period), period]);
    let u = range(0).map(|[start, period]| [start, start + period])?;
    let v = match (range(1), surface.poles()) {
        (_, [Some(low), Some(high)]) => [low, high],
        (Some([start, period]), _) => [start, start + period],
        _ => return None,
    };
    let vertex = |u: f64, v: f64| LoopVertex { uv: DVec2::new(u, v), side: None };
    Some(vec![vertex(u[0], v[0]), vertex(u[1], v[0]), vertex(u[1], v[1]), vertex(u[0], v[1])])
}

/// The middle of the largest part of a period that no loop covers.
fn free_start(loops: &[Vec<LoopVertex>], k: usize, period: f64) -> f64 {
    let mut covered: Vec<[f64; 2]> = loops
        .iter()
        .filter_map(|ring| {
            let values = || ring.iter().map(|vertex| vertex.uv[k]);
            let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
            let start = low.rem_euclid(period);
            Some([start, start + high - low])
        })
        .collect();
    covered.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let Some(first) = covered.first().copied() else { return 0.0 };
    let (mut end, mut best) =
        (covered.iter().map(|c| c[1] - period).fold(f64::NEG_INFINITY, f64::max), [0.0, first[0]]);
    for [from, to] in covered {
        if from - end > best[0] {
            best = [from - end, 0.5 * (from + end)];
        }
        end = end.max(to);
    }
    best[1]
}

/// Joins loops around the surface: one ahead with the next one back, or with a pole. `holes` are the other loops.
pub(crate) fn join_winding(
    surface: &Surface,
    loops: Vec<Traced>,
    holes: &[Traced],
) -> Option<Vec<Vec<LoopVertex>>> {
    let sides = Sides::new(surface, loops.iter().chain(holes));
    let axis = usize::from(loops.first().is_some_and(|t| t.winding[0] == 0));
    let across = 1 - axis;
    let (mut ahead, mut back): (Vec<Traced>, Vec<Traced>) =
        loops.into_iter().partition(|t| t.winding[axis] > 0);
    let mean = |t: &Traced| t.vertices.iter().map(|c| c.uv[across]).sum::<f64>() / t.vertices.len() as f64;
    let upward = if axis == 0 { 1.0 } else { -1.0 };
    ahead.sort_by(|a, b| (upward * mean(a)).total_cmp(&(upward * mean(b))));
    back.sort_by(|a, b| (upward * mean(a)).total_cmp(&(upward * mean(b))));
    let mut polygons = Vec::new();
    let [low, high] = if axis == 0 { surface.poles() } else { [None, None] };
    let mut back = back.into_iter().peekable();
    for first in ahead {
        // One that lies before any other ends at the lower pole.
        while let Some(lone) =
            back.next_if(|b| surface.periods()[across].is_none() && upward * mean(b) < upward * mean(&first))
        {
            polygons.push(to_pole(&lone, low?, &sides));
        }
        match back.next() {
            Some(second) => polygons.push(strip(&first, &second, axis, &sides)),
            None => polygons.push(to_pole(&first, high?, &sides)),
        }
    }
    for lone in back {
        polygons.push(to_pole(&lone, low?, &sides));
    }
    Some(polygons)
}

/// The polygon between a loop around the axis and a pole.
fn to_pole(ring: &Traced, pole: f64, sides: &Sides) -> Vec<LoopVertex> {
    let at_pole = |uv: DVec2| DVec2::new(uv.x, pole);
    let is_free = |&start: &usize| {
        let uv = ring.vertices[start].uv;
        sides.are_off([uv, at_pole(uv)])
    };
    let start = sides.starts(ring).find(is_free).unwrap_or(0);
    let mut vertices = begun_at(ring, start, sides.periods);
    let first = vertices[0].uv;
    let last = first + shift(ring, sides.periods);
    vertices.extend([last, at_pole(last), at_pole(first)].map(|uv| LoopVertex { uv, side: None }));
    vertices
}

/// The polygon between two loops around the surface that run against each other.
fn strip(first: &Traced, second: &Traced, axis: usize, sides: &Sides) -> Vec<LoopVertex> {
    let period = shift(first, sides.periods)[axis];
    let across = |from: DVec2, to: DVec2| {
        let mut by = DVec2::ZERO;
        by[axis] = -((to[axis] - from[axis]) / period).round() * period;
        if let Some(p) = sides.periods[1 - axis] {
            // The first loop the surface comes to across: ahead for the parameter that grows to the left.
            let left = if axis == 0 { 1.0 } else { -1.0 };
            let d = (to[1 - axis] - from[1 - axis]) * left;
            by[1 - axis] = left * (d.rem_euclid(p) - d);
            if d.rem_euclid(p) < 1e-9 * p {
                by[1 - axis] += left * p;
            }
        }
        by
    };
    // The seam from a vertex of the first to one of the second, and how that is moved.
    let seams = sides.starts(first).flat_map(|i| {
        let from = first.vertices[i].uv;
        let mut ends: Vec<(f64, usize, DVec2)> = (0..second.vertices.len())
            .map(|j| {
                let to = second.vertices[j].uv;
                let by = across(from, to);
                ((to + by - from)[axis].abs(), j, by)
            })
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        ends.into_iter().take(MAX_TRIES).map(move |(_, j, by)| (i, j, by))
    });
    let is_free = |&(i, j, by): &(usize, usize, DVec2)| {
        sides.are_off([first.vertices[i].uv, second.vertices[j].uv + by])
    };
    let mut seams = seams.peekable();
    let nearest = seams.peek().copied().unwrap_or((0, 0, DVec2::ZERO));
    let (i, j, by) = seams.find(is_free).unwrap_or(nearest);
    let first_shift = shift(first, sides.periods);
    let mut ahead = begun_at(first, i, sides.periods);
    let back = begun_at(second, j, sides.periods);
    let (start, other) = (ahead[0].uv, back[0].uv);
    ahead.push(LoopVertex { uv: start + first_shift, side: None });
    let placed = by + first_shift;
    ahead.extend(back.iter().map(|vertex| LoopVertex { uv: vertex.uv + placed, ..*vertex }));
    ahead.push(LoopVertex { uv: other + by, side: None });
    ahead
}
