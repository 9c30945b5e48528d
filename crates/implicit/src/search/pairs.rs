//! Pairs of cells of an object and parts of another body, nearest first.
//!
//! The lower bound of a pair is its distance along the direction between its parts. Of a cell only the
//! portion counts in which the line through the function allows the object. So the bound is off by the
//! square of the cell's size, not by its size. Points that are proven inside give the upper bound.

use super::cell_tree::CellTree;
use super::frame::placed_coordinates;
use super::question::{DistanceGoal, FieldClearance, FieldQuery};
use super::side::Side;
use glam::DVec3;
use noli_geom::internals::Least;
use noli_geom::number::round;
use noli_geom::{Aabb, Pose, RelativePose};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A pair of parts; the nearest is the greatest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    at_least: Least,
    nodes: Reverse<[u32; 2]>,
}

/// Reason why a search ended, with the proven lower bound on the distance.
pub(crate) enum Stopped {
    /// Nothing nearer is left, up to the tolerance.
    Settled(f64),
    /// The budget or the resolution was used up.
    Early(f64),
}

/// A search for near pairs of an object A and something else, in A's frame.
pub(crate) struct PairSearch<'a, B> {
    tree: CellTree<'a>,
    other: B,
    a_from_b: RelativePose,
    /// Includes a search for a point of B inside A.
    find_common: bool,
    common: Option<DVec3>,
    at_most: f64,
    nearest: Option<[DVec3; 2]>,
    heap: BinaryHeap<Candidate>,
    /// Number of pairs tested.
    pub(crate) pairs: u64,
    /// The least bound of a pair that was set aside.
    set_aside: f64,
}

impl<'a, B: Side> PairSearch<'a, B> {
    pub(crate) fn new(tree: CellTree<'a>, other: B, a_from_b: RelativePose, find_common: bool) -> Self {
        Self {
            tree,
            other,
            a_from_b,
            find_common,
            common: None,
            at_most: f64::INFINITY,
            nearest: None,
            heap: BinaryHeap::new(),
            pairs: 0,
            set_aside: f64::INFINITY,
        }
    }

    /// Returns `true` if one side is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.tree.bounds(0).is_empty() || self.other.bounds(0).is_empty()
    }

    /// A point in A's frame that is proven to be in both.
    pub(crate) fn common_point(&self) -> Option<DVec3> {
        self.common
    }

    /// A box around all cells that are still open.
    pub(crate) fn open_cells(&self) -> Aabb {
        let cells = self.heap.iter().map(|c| self.tree.bounds(c.nodes.0[0]));
        let open = cells.fold(Aabb::EMPTY, Aabb::union);
        if open.is_empty() { self.tree.seen.field.bounds() } else { open }
    }

    /// Divide pairs, nearest first, until the goal is reached.
    pub(crate) fn run(&mut self, goal: &DistanceGoal, query: &FieldQuery<'_>) -> Stopped {
        if self.is_empty() {
            return Stopped::Settled(f64::INFINITY);
        }
        let smallest = query.resolution * self.tree.bounds(0).size().max_element();
        self.consider([0, 0], goal.within);
        while self.common.is_none() {
            let Some(Candidate { at_least: Least(at_least), nodes: Reverse(nodes) }) = self.heap.pop() else {
                return Stopped::Settled(self.set_aside.min(self.at_most));
            };
            if goal.is_reached(at_least, self.at_most) {
                return Stopped::Settled(at_least.min(self.set_aside));
            }
            let out_of_budget = query.is_over(self.pairs);
            let Some(next) = (if out_of_budget { None } else { self.divide(nodes, smallest) }) else {
                self.heap.push(Candidate { at_least: Least(at_least), nodes: Reverse(nodes) });
                return Stopped::Early(at_least.clamp(0.0, self.set_aside));
            };
            for nodes in next {
                self.consider(nodes, goal.within);
                if self.common.is_some() {
                    break;
                }
            }
        }
        Stopped::Early(0.0)
    }

    /// The pairs that a pair consists of: the larger side is divided. `None` at the resolution.
    fn divide(&mut self, [a, b]: [u32; 2], smallest: f64) -> Option<Vec<[u32; 2]>> {
        let cell = self.tree.bounds(a);
        let size = cell.size().max_element();
        if self.other.bounds(b).size().max_element() > size {
            let parts = self.other.parts(b);
            if !parts.is_empty() {
                return Some(parts.into_iter().map(|part| [a, part]).collect());
            }
        }
        if size <= smallest || size <= round::off(cell.min.abs().max(cell.max.abs()).max_element(), 16) {
            return None;
        }
        Some(self.tree.parts(a).into_iter().map(|child| [child, b]).collect())
    }

    fn consider(&mut self, nodes: [u32; 2], within: f64) {
        self.pairs += 1;
        let near_a = self.tree.point(nodes[0]);
        let start = near_a.unwrap_or_else(|| self.tree.bounds(nodes[0]).center());
        let target = self.b_from_a(start);
        let near_b = self.other.point_near(nodes[1], target);
        if let Some((q, error)) = near_b {
            self.note_points(near_a, q, error);
        }
        let q = near_b.map_or_else(|| self.other.bounds(nodes[1]).center(), |(q, _)| q);
        let separated =
            box_distance(&self.tree.bounds(nodes[0]), &self.a_from_b, &self.other.bounds(nodes[1]));
        // Near contact the surface's own normal tells them apart even where the points are poor.
        let towards = (self.a_from_b.transform_point(q) - start).normalize_or_zero();
        let slab = self.slab(nodes, towards).max(self.slab(nodes, self.tree.outward(nodes[0])));
        let at_least = if separated > 0.0 { separated.max(slab) } else { slab };
        if at_least > within || at_least >= self.at_most {
            self.set_aside = self.set_aside.min(at_least);
        } else {
            self.heap.push(Candidate { at_least: Least(at_least), nodes: Reverse(nodes) });
        }
    }

    fn b_from_a(&self, point: DVec3) -> DVec3 {
        self.a_from_b.rotation.transpose() * (point - self.a_from_b.translation)
    }

    /// Records two points: their distance, and if the point of B is inside A.
    fn note_points(&mut self, p: Option<DVec3>, q: DVec3, error: f64) {
        let error = error + self.a_from_b.point_error(q.abs().max_element());
        let image = self.a_from_b.transform_point(q);
        if self.find_common && self.tree.seen.field.value(image) <= 0.0 {
            let around = image.to_array().map(|c| noli_geom::Interval::around(c, error));
            if self.tree.seen.certainly_holds_all(around) {
                self.common = Some(image);
                self.at_most = 0.0;
                self.nearest = Some([image, q]);
                return;
            }
        }
        let Some(p) = p else { return };
        // Three coordinates, each off by the error.
        let at_most = round::up((p - image).length() + 2.0 * error, 16) + f64::MIN_POSITIVE;
        if at_most < self.at_most {
            self.at_most = at_most;
            self.nearest = Some([p, q]);
        }
    }

    /// Returns a lower bound on the distance: the separation of the two in a direction (of length 1, or 0).
    fn slab(&self, [a, b]: [u32; 2], direction: DVec3) -> f64 {
        let in_b = self.a_from_b.rotation.transpose() * direction;
        let bounds = self.other.bounds(b);
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        let shift = self.a_from_b.translation;
        // The direction in B's frame and the offset are rounded too.
        let error =
            4.0 * self.a_from_b.point_error(reach) + round::off(3.0 * reach + shift.abs().element_sum(), 16);
        let separated = direction.dot(shift) - self.other.support(b, -in_b) - self.tree.support(a, direction);
        // The direction's length is 1 within a few roundings, or 0.
        round::down(separated - error, 16)
    }

    /// Runs the search and returns the bracket in the world.
    pub(crate) fn bracket(
        mut self,
        goal: &DistanceGoal,
        query: &FieldQuery<'_>,
        world_from_a: &Pose,
        world_from_b: &Pose,
    ) -> FieldClearance {
        if self.is_empty() {
            return FieldClearance { at_least: f64::INFINITY, ..FieldClearance::UNKNOWN };
        }
        let (Stopped::Settled(at_least) | Stopped::Early(at_least)) = self.run(goal, query);
        let witness =
            self.nearest.map(|[p, q]| [world_from_a.transform_point(p), world_from_b.transform_point(q)]);
        let at_least = at_least.max(0.0).min(self.at_most);
        FieldClearance { at_least, at_most: self.at_most, witness, pairs: self.pairs }
    }
}

/// A lower bound on the distance of a box and a placed one.
fn box_distance(a: &Aabb, a_from_b: &RelativePose, b: &Aabb) -> f64 {
    let sides = if a_from_b.is_identity() {
        [0, 1, 2].map(|k| (b.min[k], b.max[k]))
    } else {
        placed_coordinates(a_from_b, b).map(|form| (form.range.lo(), form.range.hi()))
    };
    let sum: f64 = (0..3)
        .map(|k| {
            let separated = (sides[k].0 - a.max[k]).max(a.min[k] - sides[k].1).max(0.0);
            separated * separated
        })
        .sum();
    round::down(sum.sqrt(), 16)
}
