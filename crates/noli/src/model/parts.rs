//! A tree of boxes over the parts of a compound, and the parts in the order of their distance.

use super::{Model, Placed};
use crate::answer::Guarantee;
use glam::DVec3;
use noli_geom::{Aabb, Pose, UNIT_ROUNDOFF};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Several models in one frame.
#[derive(Debug)]
pub(crate) struct CompoundModel {
    pub(crate) parts: Vec<Part>,
    pub(crate) tree: PartTree,
    pub(super) guarantee: Guarantee,
}

/// A model in the frame of a compound.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) model: Model,
    pub(crate) pose: Pose,
    /// A box around it in the compound's frame.
    pub(crate) bounds: Aabb,
    /// Largest distance of its points from the compound's origin; for unbounded geometry, that of its nearest
    /// points.
    pub(super) reach: f64,
}

/// Boxes around ever fewer parts.
#[derive(Debug)]
pub(crate) struct PartTree {
    nodes: Vec<Node>,
    /// Numbers of parts in the order of the leaves.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Range of its parts in `order`.
    parts: [u32; 2],
    /// The first of two children; none of a leaf.
    children: Option<u32>,
}

/// Far above the rounding of a transform from one frame into another, relative to a length.
pub(crate) const ROUNDING: f64 = 1e-11;

/// Parts in a leaf.
const LEAF: u32 = 4;

impl Part {
    pub(super) fn new(pose: Pose, model: Model) -> Self {
        let own = model.aabb();
        let bounds = if pose == Pose::IDENTITY { own } else { own.transformed(&pose) };
        Self { reach: model.reach() + pose.translation.length(), model, pose, bounds }
    }

    /// Returns the pose of the part in the world.
    pub(crate) fn placed(&self, world_from_compound: &Pose) -> Pose {
        if self.pose == Pose::IDENTITY { *world_from_compound } else { *world_from_compound * self.pose }
    }

    /// Returns a bound on the rounding displacement of those of its points that may be nearest to another body. It
    /// is 0 if the part's pose is the identity. The product of two poses errs by less than `64u` of the lengths
    /// involved.
    pub(crate) fn placing_error(&self, world_from_compound: &Pose, other: &Placed<'_>) -> f64 {
        if self.pose == Pose::IDENTITY {
            return 0.0;
        }
        let turns = [self.pose.rotation, world_from_compound.rotation];
        let far = self.reach + world_from_compound.translation.length();
        let far = if self.has_end() || turns.contains(&Pose::IDENTITY.rotation) {
            // No point is further out, or nothing is turned by rounding, so that all err alike.
            far
        } else {
            // From a point `p` of the other, the nearest of this is as far at most as the one near the origin, within `|p| + far`.
            let sphere = other.model.sphere();
            let p = other.world_from_self.translation.length() + sphere.center.length() + sphere.radius;
            2.0 * (p + far)
        };
        128.0 * UNIT_ROUNDOFF * far
    }

    fn has_end(&self) -> bool {
        self.bounds.is_empty() || self.bounds.size().is_finite()
    }
}

impl PartTree {
    /// Halves the parts by their middles along the longest edge of the box around them, again and again.
    pub(crate) fn new(parts: &[Part]) -> Self {
        let mut order: Vec<u32> = (0..parts.len() as u32).collect();
        let bounds =
            |order: &[u32]| order.iter().map(|&p| parts[p as usize].bounds).fold(Aabb::EMPTY, Aabb::union);
        let mut nodes = vec![Node { bounds: bounds(&order), parts: [0, order.len() as u32], children: None }];
        let mut at = 0;
        while at < nodes.len() {
            let [start, end] = nodes[at].parts;
            if end - start > LEAF {
                let size = nodes[at].bounds.size();
                let axis = if size.x >= size.y.max(size.z) {
                    0
                } else if size.y >= size.z {
                    1
                } else {
                    2
                };
                let middle =
                    |&p: &u32| parts[p as usize].bounds.min[axis] + parts[p as usize].bounds.max[axis];
                let half = (end - start) / 2;
                let range = &mut order[start as usize..end as usize];
                range.select_nth_unstable_by(half as usize, |p, q| middle(p).total_cmp(&middle(q)));
                nodes[at].children = Some(nodes.len() as u32);
                for [from, to] in [[start, start + half], [start + half, end]] {
                    let bounds = bounds(&order[from as usize..to as usize]);
                    nodes.push(Node { bounds, parts: [from, to], children: None });
                }
            }
            at += 1;
        }
        Self { nodes, order }
    }

    /// A box around all parts.
    pub(crate) fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    /// Returns the numbers of parts whose boxes a ray intersects, in the compound's frame, and perhaps of a few
    /// more.
    pub(crate) fn along(&self, origin: DVec3, direction: DVec3, slack: f64) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let Node { bounds, parts: [start, end], children } = self.nodes[node as usize];
            if is_met(&bounds, origin, direction, slack) {
                match children {
                    Some(first) => open.extend([first + 1, first]),
                    None => found.extend(&self.order[start as usize..end as usize]),
                }
            }
        }
        found
    }
}

/// Returns `true` if a ray comes within `slack` of a box, which may be infinite, or within rounding of it far
/// from the origin.
fn is_met(bounds: &Aabb, origin: DVec3, direction: DVec3, slack: f64) -> bool {
    let low = bounds.min - bounds.min.abs() * ROUNDING - slack - origin;
    let high = bounds.max + bounds.max.abs() * ROUNDING + slack - origin;
    let (mut from, mut to) = (0.0f64, f64::INFINITY);
    for axis in 0..3 {
        if direction[axis] == 0.0 {
            if low[axis] > 0.0 || high[axis] < 0.0 {
                return false;
            }
            continue;
        }
        let (p, q) = (low[axis] / direction[axis], high[axis] / direction[axis]);
        from = from.max(p.min(q));
        to = to.min(p.max(q));
    }
    !bounds.is_empty() && from <= to
}

/// The parts of a placed compound, by number, with a lower bound on the distance of their boxes from another, which never falls.
pub(crate) struct NearestFirst<'c> {
    compound: &'c CompoundModel,
    world_from_self: Pose,
    other: Aabb,
    /// Distances are not negative and so sorted like their bits.
    open: BinaryHeap<Reverse<(u64, Open)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    Part(u32),
    Node(u32),
}

impl<'c> NearestFirst<'c> {
    /// `other` is a box in the world.
    pub(crate) fn new(compound: &'c CompoundModel, world_from_self: Pose, other: Aabb) -> Self {
        let mut first = Self { compound, world_from_self, other, open: BinaryHeap::new() };
        first.push(Open::Node(0), &compound.tree.bounds());
        first
    }

    fn push(&mut self, open: Open, bounds: &Aabb) {
        // Infinite boxes may have no number for a distance.
        let clearance = clearance(&bounds.transformed(&self.world_from_self), &self.other).max(0.0);
        self.open.push(Reverse((clearance.to_bits(), open)));
    }
}

impl<'c> Iterator for NearestFirst<'c> {
    type Item = (f64, u32, &'c Part);

    fn next(&mut self) -> Option<Self::Item> {
        let CompoundModel { parts, tree, .. } = self.compound;
        loop {
            let Reverse((bits, open)) = self.open.pop()?;
            match open {
                Open::Part(part) => return Some((f64::from_bits(bits), part, &parts[part as usize])),
                Open::Node(node) => match tree.nodes[node as usize].children {
                    Some(first) => {
                        for child in [first, first + 1] {
                            self.push(Open::Node(child), &tree.nodes[child as usize].bounds);
                        }
                    }
                    None => {
                        let [start, end] = tree.nodes[node as usize].parts;
                        for &part in &tree.order[start as usize..end as usize] {
                            self.push(Open::Part(part), &parts[part as usize].bounds);
                        }
                    }
                },
            }
        }
    }
}

/// A lower bound on the distance of two boxes.
fn clearance(a: &Aabb, b: &Aabb) -> f64 {
    if a.is_empty() || b.is_empty() {
        return f64::INFINITY;
    }
    let separated = (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO);
    separated.length() * (1.0 - 1e-15)
}
