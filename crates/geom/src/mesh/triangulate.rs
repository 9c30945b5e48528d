//! Polygons to triangles on the polygon's own vertices: strictly convex ones as a fan, others by ear
//! clipping (Meisters 1975) in the coordinate plane they face most, with exact orientation signs.
//!
//! Proof of the result: every triangle cut off is counter-clockwise or has no area, and
//! together their boundary is the polygon, so each point is covered as often as the polygon winds
//! around it: once inside a simple polygon, never outside. Looking into an ear before cutting it
//! only serves not to get stuck. Polygons where cutting does get stuck, or that would take more than
//! [`effort`] point tests, become a fan and are reported as self-intersecting.

use glam::DVec3;
use robust::{Coord, orient2d};
use std::collections::VecDeque;

/// Relative warp up to which a face counts as flat: coordinates rounded to `f32` or to seven digits
/// stay below, modelled curvature does not. Only decides what is reported.
const FLAT: f64 = 1e-6;

const REMOVED: u32 = u32::MAX;

/// Faces of a mesh that were not plain flat polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangulationNotes {
    /// Faces whose vertices do not lie in one plane; their triangles are one of several surfaces the
    /// face may have meant. Deviations below a millionth are not listed.
    pub warped: Vec<WarpedFace>,
    /// Faces that cross themselves, or seem to: they became a fan, which may cover more than was meant.
    pub self_intersection: Vec<u32>,
}

/// A face that is not flat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarpedFace {
    /// The face.
    pub face: u32,
    /// The thickness of the face across its mean plane, divided by its size (its longest box edge).
    pub deviation: f64,
}

/// Cuts polygons; keeps its memory from one to the next.
#[derive(Default)]
pub(super) struct Triangulator {
    pub(super) notes: TriangulationNotes,
    cuts: Vec<[u32; 3]>,
    points: Vec<Coord<f64>>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The vertices that may lie in an ear, by their first coordinate.
    blockers: Vec<u32>,
}

/// Conditions that may prevent cutting an ear; tried from the first to the last.
#[derive(Clone, Copy, PartialEq)]
enum Caution {
    /// Any vertex in it or on its boundary.
    Touched,
    /// Only a vertex strictly inside.
    Entered,
    /// Nothing, but the ear must have no area: vertices on straight lines.
    Flat,
}

impl Caution {
    /// The next lower caution if no ear was found, else the highest; `None` below the lowest.
    fn lower_if(self, none_found: bool) -> Option<Self> {
        match self {
            _ if !none_found => Some(Caution::Touched),
            Caution::Touched => Some(Caution::Entered),
            Caution::Entered => Some(Caution::Flat),
            Caution::Flat => None,
        }
    }
}

impl Triangulator {
    /// The triangles of a face, as positions in `vertices`.
    pub(super) fn cut(&mut self, face: u32, corners: &[u32], vertices: &[DVec3]) -> &[[u32; 3]] {
        self.cuts.clear();
        match corners.len() {
            0 => {}
            1 => self.cuts.push([0, 0, 0]),
            2 => self.cuts.push([0, 1, 1]),
            3 => self.cuts.push([0, 1, 2]),
            _ => self.cut_polygon(face, corners, vertices),
        }
        &self.cuts
    }

    fn cut_polygon(&mut self, face: u32, corners: &[u32], vertices: &[DVec3]) {
        let deviation = self.project(corners, vertices);
        if deviation > FLAT {
            self.notes.warped.push(WarpedFace { face, deviation });
        }
        if self.is_strictly_convex() {
            return self.fan();
        }
        // The second turn is for slivers, whose rounded normal may point to the wrong side.
        for _ in 0..2 {
            if self.clip_ears() {
                return;
            }
            self.points.iter_mut().for_each(|p| *p = Coord { x: p.y, y: p.x });
        }
        self.fan();
        self.notes.self_intersection.push(face);
    }

    /// Sets the points to the polygon in the coordinate plane it faces most, counter-clockwise if it
    /// can be, scaled by a power of two to about 1. Returns its relative deviation from its plane.
    fn project(&mut self, corners: &[u32], vertices: &[DVec3]) -> f64 {
        let raw = || corners.iter().map(|&v| vertices[v as usize]);
        let scale = scale_to_one(raw());
        let positions = || raw().map(|p| p * scale);
        let origin = vertices[corners[0] as usize] * scale;
        let normal = newell_normal(positions().map(|p| p - origin));
        let size = extent(positions());
        let weights = if normal == DVec3::ZERO { size.max_element() - size } else { normal };
        let axis = weights.abs().max_position();
        let (u, v) = if weights[axis] < 0.0 { (axis + 2, axis + 1) } else { (axis + 1, axis + 2) };
        self.points.clear();
        self.points.extend(positions().map(|p| Coord { x: p[u % 3], y: p[v % 3] }));
        let heights = positions().map(|p| (p - origin).dot(normal.normalize_or_zero()));
        let (low, high) = heights.fold((0.0f64, 0.0f64), |(low, high), h| (low.min(h), high.max(h)));
        if size.max_element() > 0.0 { (high - low) / size.max_element() } else { 0.0 }
    }

    /// Returns `true` if every vertex turns left and the outline goes round once.
    fn is_strictly_convex(&self) -> bool {
        let n = self.points.len();
        let point = |i: usize| self.points[i % n];
        let ascends = |i: usize| {
            let (a, b) = (point(i), point(i + 1));
            (a.x, a.y) < (b.x, b.y)
        };
        (0..n).all(|i| orient2d(point(i), point(i + 1), point(i + 2)) > 0.0)
            && (0..n).filter(|&i| ascends(i) != ascends(i + 1)).count() == 2
    }

    fn fan(&mut self) {
        self.cuts.clear();
        self.cuts.extend((1..self.points.len() as u32 - 1).map(|i| [0, i, i + 1]));
    }

    /// Cuts ears until nothing is left; false if that got stuck.
    ///
    /// Cutting an ear of a simple polygon changes only its two neighbours, so a queue of candidates
    /// suffices; first in, first out cuts from all sides and gives rounder triangles.
    fn clip_ears(&mut self) -> bool {
        self.start_clipping();
        let mut effort = effort(self.points.len());
        let mut caution = Caution::Touched;
        let mut queue = VecDeque::with_capacity(self.points.len());
        (0..self.points.len() as u32).for_each(|i| self.enqueue(i, &mut queue));
        let mut cuts_at_refill = 0;
        while self.cuts.len() + 3 < self.points.len() {
            let Some(tip) = queue.pop_front() else {
                match caution.lower_if(self.cuts.len() == cuts_at_refill) {
                    Some(lowered) => caution = lowered,
                    None => return false,
                }
                cuts_at_refill = self.cuts.len();
                effort = effort.saturating_sub(self.points.len());
                let left = (0..self.points.len() as u32).filter(|&i| self.is_left(i));
                left.for_each(|i| self.enqueue(i, &mut queue));
                continue;
            };
            if self.is_left(tip) && self.is_ear(tip, caution, &mut effort) {
                let beside = self.cut_ear(tip);
                beside.iter().for_each(|&i| self.enqueue(i, &mut queue));
                caution = Caution::Touched;
            }
            if effort == 0 {
                return false;
            }
        }
        let left = (0..self.points.len() as u32).find(|&i| self.is_left(i));
        let last = self.ear(left.expect("three vertices are left"));
        self.cuts.push(last);
        self.turn(last) >= 0.0
    }

    fn start_clipping(&mut self) {
        let n = self.points.len() as u32;
        self.cuts.clear();
        self.next.clear();
        self.next.extend((0..n).map(|i| (i + 1) % n));
        self.previous.clear();
        self.previous.extend((0..n).map(|i| (i + n - 1) % n));
        // Cutting only makes vertices sharper, so those that turn left now never block an ear alone.
        let mut blockers = std::mem::take(&mut self.blockers);
        blockers.clear();
        blockers.extend((0..n).filter(|&i| self.turn(self.ear(i)) <= 0.0));
        blockers.sort_unstable_by(|&i, &j| self.point(i).x.total_cmp(&self.point(j).x));
        self.blockers = blockers;
    }

    /// Records the ear and removes its tip from the outline; returns the adjacent vertices.
    fn cut_ear(&mut self, tip: u32) -> [u32; 2] {
        let [before, _, after] = self.ear(tip);
        self.cuts.push([before, tip, after]);
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.next[tip as usize] = REMOVED;
        [before, after]
    }

    fn is_ear(&self, tip: u32, caution: Caution, effort: &mut usize) -> bool {
        *effort = effort.saturating_sub(1);
        let ear = self.ear(tip);
        let turn = self.turn(ear);
        if turn == 0.0 {
            return caution == Caution::Flat || self.is_spike(tip);
        }
        if turn < 0.0 || caution == Caution::Flat {
            return false;
        }
        let xs = ear.map(|i| self.point(i).x);
        let (low, high) = (xs[0].min(xs[1]).min(xs[2]), xs[0].max(xs[1]).max(xs[2]));
        let first = self.blockers.partition_point(|&i| self.point(i).x < low);
        for &blocker in self.blockers[first..].iter().take_while(|&&i| self.point(i).x <= high) {
            *effort = effort.saturating_sub(1);
            if self.is_left(blocker) && !ear.contains(&blocker) && self.blocks(blocker, ear, caution) {
                return false;
            }
        }
        true
    }

    /// Adds a tip to the queue, spikes first. While a spike remains, adjacent ears may be cut along it, outside
    /// the polygon.
    fn enqueue(&self, tip: u32, queue: &mut VecDeque<u32>) {
        if self.is_spike(tip) { queue.push_front(tip) } else { queue.push_back(tip) }
    }

    /// Returns `true` if the outline reverses direction at a vertex, or does not move there.
    fn is_spike(&self, tip: u32) -> bool {
        let ear = self.ear(tip);
        let [before, tip, after] = ear.map(|i| self.point(i));
        let along = |from: f64, tip: f64, to: f64| (from < tip && tip < to) || (from > tip && tip > to);
        !along(before.x, tip.x, after.x) && !along(before.y, tip.y, after.y) && self.turn(ear) == 0.0
    }

    fn blocks(&self, blocker: u32, ear: [u32; 3], caution: Caution) -> bool {
        let point = self.point(blocker);
        if let Some(k) = (0..3).find(|&k| self.point(ear[k]) == point) {
            // An outline that visits a place twice (a hole on a bridge) must not pass through the ear.
            let [_, left, right] = [ear[k], ear[(k + 1) % 3], ear[(k + 2) % 3]].map(|i| self.point(i));
            let enters = |to| orient2d(point, left, to) > 0.0 && orient2d(point, to, right) > 0.0;
            let i = blocker as usize;
            return enters(self.point(self.next[i])) || enters(self.point(self.previous[i]));
        }
        let [a, b, c] = ear.map(|i| self.point(i));
        let inside = |from, to| {
            let side = orient2d(from, to, point);
            side > 0.0 || (side == 0.0 && caution == Caution::Touched)
        };
        inside(a, b) && inside(b, c) && inside(c, a)
    }

    fn is_left(&self, vertex: u32) -> bool {
        self.next[vertex as usize] != REMOVED
    }

    fn ear(&self, tip: u32) -> [u32; 3] {
        [self.previous[tip as usize], tip, self.next[tip as usize]]
    }

    fn turn(&self, [a, b, c]: [u32; 3]) -> f64 {
        orient2d(self.point(a), self.point(b), self.point(c))
    }

    fn point(&self, vertex: u32) -> Coord<f64> {
        self.points[vertex as usize]
    }
}

/// Returns the limit of point tests for a polygon. It is ample for any real outline, and linear so that no
/// file can make a reader hang.
fn effort(vertices: usize) -> usize {
    100_000 + 2_000 * vertices
}

/// The power of two that brings the largest coordinate to about 1. Exact signs then do not depend
/// on the unit of length: products of tiny coordinates would underflow.
pub(super) fn scale_to_one(points: impl IntoIterator<Item = DVec3>) -> f64 {
    let largest = points.into_iter().fold(DVec3::ZERO, |m, p| m.max(p.abs())).max_element();
    let exponent_alone = largest.to_bits() & (0x7ff << 52);
    1.0 / f64::from_bits(exponent_alone).max(f64::MIN_POSITIVE)
}

/// Twice the area vector of a polygon that starts near the origin.
fn newell_normal(points: impl Iterator<Item = DVec3>) -> DVec3 {
    let mut previous = DVec3::ZERO;
    let mut sum = DVec3::ZERO;
    for point in points {
        sum += previous.cross(point);
        previous = point;
    }
    sum
}

fn extent(points: impl Iterator<Item = DVec3>) -> DVec3 {
    crate::Aabb::from_points(points).size()
}
