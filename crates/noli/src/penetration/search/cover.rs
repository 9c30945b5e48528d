//! The search from below: spheres of translations that are proven to overlap, and cubes that they cover.

use super::spheres::MOST;
use super::{ROUNDS, Search};
use crate::penetration::depth_at_point::SLACK;
use glam::DVec3;
use noli_geom::internals::{Greatest, Least, Ranked};
use noli_geom::{Aabb, Sphere};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Spheres of translations that are looked through for one.
const PROVEN: usize = 256;

/// A cube of translations.
#[derive(Clone, Copy)]
struct Cell {
    center: DVec3,
    half: f64,
}

impl Cell {
    /// Lower bound on the distance of its nearest point from the origin.
    fn distance(&self) -> f64 {
        (self.center.abs() - self.half).max(DVec3::ZERO).length() * (1.0 - SLACK)
    }

    fn radius(&self) -> f64 {
        self.half * 3.0f64.sqrt() * (1.0 + SLACK)
    }

    fn parts(&self) -> impl Iterator<Item = Self> {
        let (center, half) = (self.center, 0.5 * self.half);
        (0..8u32).map(move |k| {
            let side = |axis: u32| if k >> axis & 1 == 1 { half } else { -half };
            Self { center: center + DVec3::new(side(0), side(1), side(2)), half }
        })
    }
}

/// Evaluated depths around a point in both bodies.
struct Seen {
    /// The sum of the depths.
    sum: f64,
    /// Their mean magnitude.
    reach: f64,
    /// Direction of increasing depth, not of unit length.
    uphill: DVec3,
    /// No point within this is in both bodies.
    away: f64,
}

impl Search<'_, '_, '_> {
    /// Returns `true` if all translations within `radius` of this one are proven to overlap.
    pub(super) fn is_proven(&self, shift: DVec3, radius: f64) -> bool {
        let holds = |sphere: &Sphere| sphere.center.distance(shift) + radius < sphere.radius;
        self.proven_large.iter().any(holds) || self.proven.iter().rev().take(PROVEN).any(holds)
    }

    pub(super) fn take(&mut self, center: DVec3, radius: f64) {
        if radius <= 0.0 {
            return;
        }
        let sphere = Sphere { center, radius };
        self.largest = self.largest.max(radius);
        self.proven.push(sphere);
        if self.proven.len() > 4 * PROVEN {
            self.proven.drain(..2 * PROVEN);
        }
        if self.proven_large.len() < MOST {
            self.proven_large.push(sphere);
        } else if let Some(least) = self
            .proven_large
            .iter_mut()
            .min_by(|x, y| x.radius.total_cmp(&y.radius))
            .filter(|x| x.radius < radius)
        {
            *least = sphere;
        }
    }

    /// Cover the sphere of translations from the middle outward.
    pub(super) fn cover(&mut self) {
        let budget = self.context.meter.budget();
        let mut heap = BinaryHeap::new();
        let mut number = 0u64;
        let mut push = |heap: &mut BinaryHeap<_>, cell: Cell| {
            number += 1;
            heap.push(Ranked { rank: (Least(cell.distance()), Reverse(number)), item: cell });
        };
        push(&mut heap, Cell { center: DVec3::ZERO, half: self.at_most });
        loop {
            let Some(Ranked { rank: (Least(distance), _), item: cell }) = heap.pop() else {
                self.at_least = self.at_most;
                return;
            };
            self.at_least = self.at_least.max(distance.min(self.at_most));
            let is_full = !budget.has_room_for::<Ranked<(Least, u64), Cell>>(heap.len());
            if self.is_narrow() || self.is_over() || is_full {
                return;
            }
            self.cells += 1;
            if self.cells.is_multiple_of(16) {
                self.looks += 1;
            }
            let radius = cell.radius();
            if self.is_proven(cell.center, radius) {
                continue;
            }
            let hope = if self.largest > 0.0 { 3.0 * self.largest } else { self.at_most / 8.0 };
            if radius <= hope {
                let room = match self.is_proven(cell.center, 0.0) && radius > 0.5 * hope {
                    // Too large for what is known near it; its parts are asked.
                    true => 0.0,
                    false => self.room_or_path(cell.center, radius),
                };
                if room >= 0.3 * radius {
                    self.take(cell.center, room);
                }
                if room >= radius {
                    continue;
                }
            }
            for part in cell.parts() {
                if part.distance() < self.at_most {
                    push(&mut heap, part);
                }
            }
        }
    }

    /// Returns a radius within which all translations overlap. If none is found, the bodies are tested there, and
    /// a separating translation is shortened further.
    fn room_or_path(&mut self, shift: DVec3, need: f64) -> f64 {
        let room = self.room_around(shift, need);
        // Far less than elsewhere: perhaps the spheres that are known lead nowhere.
        let is_poor = room < need && need < 0.3 * self.largest;
        if room > 0.0 && is_poor && !self.is_over() {
            return room.max(self.explore(shift, need, 16));
        }
        if room > 0.0 || self.is_over() {
            return room;
        }
        if shift.length() < self.at_most && self.is_free(shift) {
            self.descend(shift);
            return 0.0;
        }
        self.explore(shift, need, 10)
    }

    /// A radius within which all translations about this one overlap, from the spheres that are known.
    pub(in crate::penetration) fn room_around(&mut self, shift: DVec3, need: f64) -> f64 {
        let (mut best, mut start) = (f64::NEG_INFINITY, None);
        for x in &self.spheres_a.spheres {
            for y in &self.spheres_b.spheres {
                let path = y.center + shift - x.center;
                // Without the root where it cannot matter.
                let radii = x.radius + y.radius;
                if radii <= best || path.length_squared() >= (radii - best) * (radii - best) {
                    continue;
                }
                let length = path.length();
                best = radii - length;
                let share = ((length + x.radius - y.radius) / (2.0 * length)).clamp(0.0, 1.0);
                start = Some(if length > 0.0 { x.center + path * share } else { x.center });
            }
        }
        let size = self.rooms.a.bounds.size().length() + shift.length();
        best -= 8.0 * SLACK * if size.is_finite() { size } else { shift.length() };
        match start {
            Some(start) if best < need => best.max(self.climb(start, shift, need)),
            _ => best,
        }
    }

    /// Uphill from a point to where the room in both bodies is larger.
    fn climb(&mut self, start: DVec3, shift: DVec3, need: f64) -> f64 {
        let Some(mut seen) = self.see(start, shift) else { return f64::NEG_INFINITY };
        let (mut here, mut step) = (start, 0.5 * seen.reach);
        for _ in 0..ROUNDS {
            if seen.sum >= need || seen.uphill.length() < 0.05 || step < 0.02 * seen.reach {
                break;
            }
            let next = here + seen.uphill.normalize() * step;
            match self.see(next, shift) {
                None => break,
                Some(found) if found.sum > seen.sum => (here, seen) = (next, found),
                Some(_) => step *= 0.5,
            }
        }
        seen.sum
    }

    /// The room in both bodies at a point.
    fn see(&mut self, point: DVec3, shift: DVec3) -> Option<Seen> {
        if !self.look() {
            return None;
        }
        let [a, b] = self.rooms.places(point, shift, self.context)?;
        self.spheres_a.add(Sphere { center: point, radius: a.depth });
        self.spheres_b.add(Sphere { center: point - shift, radius: b.depth });
        Some(Seen {
            sum: a.depth + b.depth,
            reach: 0.5 * (a.depth.abs() + b.depth.abs()),
            uphill: a.inward + b.inward,
            away: a.outside.max(b.outside),
        })
    }

    /// Halves boxes of what both bodies may share, best first, for a point with much room in both.
    pub(in crate::penetration) fn explore(&mut self, shift: DVec3, need: f64, points: usize) -> f64 {
        let common = self.rooms.common(shift);
        if common.is_empty() || !common.size().is_finite() {
            return f64::NEG_INFINITY;
        }
        let mut best = f64::NEG_INFINITY;
        let mut heap = BinaryHeap::from([Ranked { rank: Greatest(f64::INFINITY), item: common }]);
        let mut asked = 0;
        while let Some(Ranked { rank: Greatest(at_most), item }) = heap.pop() {
            if at_most <= best || best >= need || asked >= points {
                break;
            }
            for half in halves(&item) {
                asked += 1;
                let radius = 0.5 * half.size().length();
                let Some(seen) = self.see(half.center(), shift) else { return best };
                best = best.max(seen.sum);
                if seen.away <= radius {
                    heap.push(Ranked { rank: Greatest(seen.sum + 2.0 * radius), item: half });
                }
            }
        }
        best
    }
}

/// Both halves of a box across its longest edge.
pub(crate) fn halves(whole: &Aabb) -> [Aabb; 2] {
    let size = whole.size();
    let axis = if size.x >= size.y.max(size.z) {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let (mut low, mut high) = (*whole, *whole);
    low.max[axis] = whole.center()[axis];
    high.min[axis] = low.max[axis];
    [low, high]
}
