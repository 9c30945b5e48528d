//! Two motions with any timing: which pairs of their times are collision-free (the coordination diagram of O'Donnell and
//! Lozano-Pérez 1989), proven in cells.
//!
//! Each of two groups of robots follows its own curve. A cell of two intervals of time is collision-free if every pair of
//! bodies across the groups is separated in its middle by more than both travel from there. It is in collision throughout if
//! inner spheres are deeper in each other than that. Other cells are divided, down to a stated size; those that are left form
//! the zones in which one of the two has to wait for the other.

use super::arm_motion::Motions;
use super::data::{BodyPair, CellData};
use super::edge::EdgeError;
use super::{Cell, Checker};
use crate::{ConfigurationError, JointCurve};
use glam::DVec3;
use noli::{Overlap, QueryContext};
use noli_geom::internals::sort_by;
use noli_geom::{Aabb, Pose, Sphere, UNIT_ROUNDOFF};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How two motions fit together.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Coordination {
    /// Zones of times that are not proven collision-free; none if the motions are independent.
    pub zones: Vec<Zone>,
    /// Cells that are not proven collision-free, as shares of both durations.
    pub blocked: Vec<[[f64; 2]; 2]>,
    /// Side of the smallest cells, as a share of the durations.
    pub side: f64,
}

/// Times of both motions that belong together and are not proven collision-free.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Zone {
    /// The first and the last share of the duration of each motion.
    pub times: [[f64; 2]; 2],
    /// Shares of both durations at which a pair of [`Cell::pairs`] collides, and the pair; `None` if no cell has a witness.
    pub witness: Option<([f64; 2], usize)>,
    /// A box that contains every point that both groups reach in the zone.
    pub space: Option<Aabb>,
}

impl Coordination {
    /// Returns a diagram of given cells that are not proven collision-free, as shares of both durations. Zones have no
    /// witnesses.
    pub fn of_blocked(blocked: Vec<[[f64; 2]; 2]>, side: f64) -> Self {
        let zones = joined(&blocked).into_iter().map(|times| Zone { times, witness: None, space: None });
        Self { zones: zones.collect(), blocked, side }
    }

    /// True if the motions are collision-free with any timing, proven.
    pub fn is_independent(&self) -> bool {
        self.zones.is_empty()
    }

    /// Returns which motion passes each zone first when both run by time schedules, `true` for the first one; `None` for a
    /// zone that a schedule enters with both. Schedules give the share of each duration at a time from 0 to 1.
    pub fn order(&self, schedule: impl Fn(f64) -> [f64; 2]) -> Vec<Option<bool>> {
        const STEPS: usize = 4096;
        let one = |zone: &Zone| {
            let [a, b] = zone.times;
            let mut first = None;
            for k in 0..=STEPS {
                let [x, y] = schedule(k as f64 / STEPS as f64);
                let (in_a, in_b) = (a[0] <= x && x <= a[1], b[0] <= y && y <= b[1]);
                if in_a && in_b {
                    return None;
                }
                first = first.or(if in_a { Some(true) } else { in_b.then_some(false) });
            }
            // Never entered: either may go.
            first.or(Some(true))
        };
        self.zones.iter().map(one).collect()
    }
}

/// Options of [`Checker::coordinate`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CoordinationOptions<'a> {
    /// How often cells are halved.
    pub depth: u32,
    /// Cells visited at most; what is left is not proven.
    pub cells: usize,
    /// Stops the search when set; what is left is not proven.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for CoordinationOptions<'_> {
    fn default() -> Self {
        Self { depth: 8, cells: 200_000, stop: None }
    }
}

impl CoordinationOptions<'_> {
    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Relaxed))
    }
}

/// A cell of both times.
#[derive(Clone, Debug)]
struct Box2 {
    spans: [[f64; 2]; 2],
    depth: u32,
    pairs: Vec<u32>,
}

impl Checker<'_> {
    /// Computes the pairs of times at which robots on one curve are proven not to collide with robots on another. `first`
    /// are the robots of the cell that follow the first curve; the others follow the second. Both curves are of all
    /// variables of the cell. Collisions within a group and with obstacles are those of
    /// [`check_curve`](Checker::check_curve).
    #[doc(alias("coordination space", "multi-robot", "interlock"))]
    pub fn coordinate(
        &mut self,
        curves: [&JointCurve; 2],
        first: &[usize],
        options: &CoordinationOptions<'_>,
    ) -> Result<Coordination, EdgeError> {
        let second: Vec<usize> = (0..self.cell.robots().len()).filter(|arm| !first.contains(arm)).collect();
        self.coordinate_of(curves, [first, &second], options)
    }

    /// The same for two groups of robots among several; those of neither group are left out.
    pub fn coordinate_of(
        &mut self,
        curves: [&JointCurve; 2],
        groups: [&[usize]; 2],
        options: &CoordinationOptions<'_>,
    ) -> Result<Coordination, EdgeError> {
        for curve in curves {
            self.check_control(curve)?;
        }
        let data = &self.cell.data;
        if let Some(&wrong) = groups.concat().iter().find(|&&arm| arm >= data.arms.len()) {
            return Err(ConfigurationError::Count { found: wrong, wanted: data.arms.len() }.into());
        }
        let motions = [Motions::along(data, curves[0])?, Motions::along(data, curves[1])?];
        let mut search = Search { cell: self.cell, motions, groups, witnesses: Vec::new() };
        let blocked = search.run(self, options);
        let side = 0.5f64.powi(options.depth as i32);
        let zones = search.zones(&blocked);
        Ok(Coordination { zones, blocked, side })
    }
}

/// Result of one cell.
#[derive(Clone, Copy, Default)]
struct Settled {
    /// A pair that collides in its middle.
    witness: Option<([f64; 2], usize)>,
    /// That pair collides in all of the cell.
    is_throughout: bool,
}

struct Search<'c> {
    cell: &'c Cell,
    motions: [Motions; 2],
    /// The robots of both groups.
    groups: [&'c [usize]; 2],
    /// Shares of both durations in collision, with the pair.
    witnesses: Vec<([f64; 2], usize)>,
}

impl Search<'_> {
    /// The group of a body; `None` for an obstacle, and for robots of neither group.
    fn group(&self, body: u32) -> Option<usize> {
        let (arm, _) = self.cell.data.arm_and_link(body as usize)?;
        self.groups.iter().position(|group| group.contains(&arm))
    }

    /// Cells that are not proven, in a fixed order.
    fn run(&mut self, checker: &mut Checker<'_>, options: &CoordinationOptions<'_>) -> Vec<[[f64; 2]; 2]> {
        let data = &self.cell.data;
        let across = |&number: &u32| {
            let [a, b] = data.on[number as usize].bodies.map(|body| self.group(body));
            matches!((a, b), (Some(a), Some(b)) if a != b)
        };
        let pairs: Vec<u32> = (0..data.on.len() as u32).filter(across).collect();
        let mut todo = vec![Box2 { spans: [[0.0, 1.0]; 2], depth: 0, pairs }];
        let (mut blocked, mut visited) = (Vec::new(), 0);
        while let Some(mut cell) = todo.pop() {
            visited += 1;
            if options.stopped() {
                blocked.push(cell.spans);
                continue;
            }
            let is_last = cell.depth >= options.depth || visited > options.cells;
            let found = self.settle(&mut cell, is_last, checker);
            if cell.pairs.is_empty() {
                continue;
            }
            if is_last || found.is_throughout {
                self.witnesses.extend(found.witness);
                blocked.push(cell.spans);
                continue;
            }
            let [[a0, a1], [b0, b1]] = cell.spans;
            let (a, b) = (0.5 * (a0 + a1), 0.5 * (b0 + b1));
            for spans in [[[a0, a], [b0, b]], [[a, a1], [b0, b]], [[a0, a], [b, b1]], [[a, a1], [b, b1]]] {
                todo.push(Box2 { spans, depth: cell.depth + 1, pairs: cell.pairs.clone() });
            }
        }
        sort_by(&mut blocked, |x, y| x[0][0].total_cmp(&y[0][0]).then(x[1][0].total_cmp(&y[1][0])));
        blocked
    }

    /// Keeps the pairs of a cell that are not separated in all of it; with `is_last`, at least one of those.
    fn settle(&self, cell: &mut Box2, is_last: bool, checker: &mut Checker<'_>) -> Settled {
        let data: &CellData = &self.cell.data;
        let middle = cell.spans.map(|[from, to]| 0.5 * (from + to));
        self.pose(middle, checker);
        let mut found = Settled::default();
        cell.pairs.retain(|&number| {
            let pair = &data.on[number as usize];
            // One pair that collides is enough, where no part of the cell is tested again.
            if found.is_throughout || (is_last && found.witness.is_some()) {
                return true;
            }
            let path = self.path(pair, &cell.spans, middle);
            if data.separation(pair, &checker.links) > pair.margin + path {
                return false;
            }
            if self.collides_throughout(pair, &cell.spans, &checker.links) {
                found = Settled { is_throughout: true, witness: Some((middle, pair.pair as usize)) };
                return true;
            }
            let [a, b] = checker.placed(pair);
            let mut context = QueryContext::new(&mut checker.scratch);
            let near = pair.bodies.map(|body| data.bodies[body as usize].cover.whole.radius);
            // A query that is bound to be answered with yes is not worth its time.
            if path < near[0].min(near[1])
                && context.within_distance(&a, &b, pair.margin + path) == Overlap::Free
            {
                return false;
            }
            if found.witness.is_none() {
                let overlap = if pair.margin > 0.0 {
                    context.within_distance(&a, &b, pair.margin)
                } else {
                    context.overlap(&a, &b)
                };
                found.witness = (overlap == Overlap::Hit).then_some((middle, pair.pair as usize));
            }
            true
        });
        found
    }

    /// Poses of all links, each group at its own time.
    fn pose(&self, middle: [f64; 2], checker: &mut Checker<'_>) {
        let data = &self.cell.data;
        let [mut values, other] = [0, 1].map(|group| {
            let mut values = vec![0.0; data.values];
            self.motions[group].configuration(data, middle[group], &mut values);
            values
        });
        for (number, arm) in data.arms.iter().enumerate() {
            if self.groups[1].contains(&number) {
                let own = arm.first_value..arm.first_value + arm.robot.variables().len();
                values[own.clone()].copy_from_slice(&other[own]);
            }
        }
        checker.pose_all(&values);
    }

    /// True if inner spheres of a pair overlap in all of a cell. The middle of a sphere near the axis of a joint travels
    /// much less than the body.
    fn collides_throughout(&self, pair: &BodyPair, spans: &[[f64; 2]; 2], links: &[Pose]) -> bool {
        let data = &self.cell.data;
        let placed = |body: u32| {
            let own = &data.bodies[body as usize];
            let pose = own.carrier.map_or(Pose::IDENTITY, |link| links[link]);
            let place = move |sphere: &Sphere| (pose.transform_point(sphere.center), sphere.radius);
            own.cover.inner.iter().map(place).collect::<Vec<_>>()
        };
        let travel = |body: u32, number: usize| {
            let group = self.group(body).unwrap_or(0);
            let [from, to] = spans[group];
            let center = data.bodies[body as usize].cover.inner[number].center;
            let point = Sphere { center, radius: 0.0 };
            self.motions[group].travel_of(data, body as usize, &point, 0.5 * (from + to), (from, to))
        };
        let ([a, b], [x, y]) = (pair.bodies.map(placed), pair.bodies);
        a.iter().enumerate().any(|(i, first)| {
            let depth = |second: &(DVec3, f64)| first.1 + second.1 - first.0.distance(second.0);
            let mut near = b.iter().enumerate().filter(|(_, second)| depth(second) > 0.0).peekable();
            near.peek().is_some() && {
                let own = travel(x, i);
                near.any(|(j, second)| depth(second) > (own + travel(y, j)) * (1.0 + 8.0 * UNIT_ROUNDOFF))
            }
        })
    }

    /// How far both bodies of a pair may get from the middle of a cell, together.
    fn path(&self, pair: &BodyPair, spans: &[[f64; 2]; 2], middle: [f64; 2]) -> f64 {
        let travel = |body: u32| {
            let group = self.group(body).unwrap_or(0);
            let [from, to] = spans[group];
            self.motions[group].travel(&self.cell.data, body as usize, middle[group], (from, to))
        };
        pair.bodies.into_iter().map(travel).sum::<f64>() * (1.0 + 8.0 * UNIT_ROUNDOFF)
    }

    /// Joins cells that touch into zones.
    fn zones(&self, blocked: &[[[f64; 2]; 2]]) -> Vec<Zone> {
        let zones = joined(blocked);
        let within = |times: &[[f64; 2]; 2], at: &[f64; 2]| {
            (0..2).all(|k| times[k][0] <= at[k] && at[k] <= times[k][1])
        };
        let zone = |times: [[f64; 2]; 2]| {
            let witness = self.witnesses.iter().find(|(at, _)| within(&times, at)).copied();
            Zone { times, witness, space: self.space(&times) }
        };
        zones.into_iter().map(zone).collect()
    }

    /// The common part of the boxes around both groups in a zone.
    fn space(&self, times: &[[f64; 2]; 2]) -> Option<Aabb> {
        let [a, b] = [0, 1].map(|group| self.group_box(group, times[group]));
        let (a, b) = (a?, b?);
        let common = Aabb { min: a.min.max(b.min), max: a.max.min(b.max) };
        common.min.cmple(common.max).all().then_some(common)
    }

    /// A box around the bodies of a group during some times.
    fn group_box(&self, group: usize, [from, to]: [f64; 2]) -> Option<Aabb> {
        const PARTS: usize = 16;
        let data = &self.cell.data;
        let mut values = vec![0.0; data.values];
        let mut links = vec![noli::Pose::IDENTITY; data.links];
        let mut all: Option<Aabb> = None;
        for k in 0..PARTS {
            let share = |k: usize| from + (to - from) * k as f64 / PARTS as f64;
            let (start, end) = (share(k), share(k + 1));
            let middle = 0.5 * (start + end);
            self.motions[group].configuration(data, middle, &mut values);
            data.pose_links(&values, &mut links);
            for body in (0..data.bodies.len()).filter(|&body| self.group(body as u32) == Some(group)) {
                let sphere = data.bodies[body].sphere_at(&links);
                let far = self.motions[group].travel(data, body, middle, (start, end)) + sphere.radius;
                let far = glam::DVec3::splat(far * (1.0 + 1e-9));
                let (min, max) = (sphere.center - far, sphere.center + far);
                all =
                    Some(all.map_or(Aabb { min, max }, |all| Aabb {
                        min: all.min.min(min),
                        max: all.max.max(max),
                    }));
            }
        }
        all
    }
}

/// Boxes around cells that touch, none of which touches another.
fn joined(blocked: &[[[f64; 2]; 2]]) -> Vec<[[f64; 2]; 2]> {
    let touch =
        |a: &[[f64; 2]; 2], b: &[[f64; 2]; 2]| (0..2).all(|k| a[k][0] <= b[k][1] && b[k][0] <= a[k][1]);
    let mut zones: Vec<[[f64; 2]; 2]> = Vec::new();
    for cell in blocked {
        let mut all = *cell;
        // A zone is a box: one that grows may reach others.
        while let Some(place) = zones.iter().position(|zone| touch(zone, &all)) {
            let other = zones.swap_remove(place);
            all = [0, 1].map(|k| [all[k][0].min(other[k][0]), all[k][1].max(other[k][1])]);
        }
        zones.push(all);
    }
    sort_by(&mut zones, |x, y| x[0][0].total_cmp(&y[0][0]));
    zones
}
