//! How far two functionally defined objects are apart: a bracket, from pairs of cells nearest first.
//!
//! Each object is an octree of cells that are not proven empty, grown where it is asked about. Points that are proven
//! inside bound the gap from above. From below it is bounded by how far two cells are apart along the direction
//! between them, where of each cell only the part counts in which the line through the function allows
//! the object: so the bound is off by the square of the size of a cell, not by its size.

use crate::affine::Affine;
use crate::bounds::eighths;
use crate::field::middle_and_half;
use crate::frame::{Part, Seen, placed_coordinates};
use crate::overlap::{FieldQuery, FieldVerdict, PlacedField, field_overlap};
use glam::DVec3;
use noli_geom::{Aabb, RelativePose};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A bracket on the gap: `at_least <= gap <= at_most`, all rounding included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldClearance {
    /// No two points of the objects are closer than this.
    pub at_least: f64,
    /// Some two points are at most this far apart; infinite where none are known.
    pub at_most: f64,
    /// Two points that are this close, in world coordinates, rounded.
    pub witness: Option<[DVec3; 2]>,
    /// How many pairs of cells were looked at, after the cells of the search for a common point.
    pub pairs: u64,
}

/// How far two objects are apart, until the bracket is narrower than `tolerance` times the size of the smaller
/// object or the query's cells are used up; 0 where they share a point.
///
/// ```
/// use noli_geom::Pose;
/// use noli_implicit::{Field, field_clearance};
/// let ball = Field::parse("x^2 + y^2 + z^2 <= 1")?;
/// let there = Pose::from_translation(glam::dvec3(2.0, 2.0, 1.0)); // 3 away
/// let gap = field_clearance(&ball.at(Pose::IDENTITY), &ball.at(there), 1e-3, &Default::default());
/// assert!(gap.at_least <= 1.0 && 1.0 <= gap.at_most && gap.at_most - gap.at_least < 0.01);
/// # Ok::<(), noli_implicit::FormulaError>(())
/// ```
pub fn field_clearance(
    a: &PlacedField<'_>,
    b: &PlacedField<'_>,
    tolerance: f64,
    query: &FieldQuery,
) -> FieldClearance {
    let answer = |at_least, at_most, witness| FieldClearance { at_least, at_most, witness, pairs: 0 };
    if !a.world_from_field.is_valid() || !b.world_from_field.is_valid() {
        return answer(0.0, f64::INFINITY, None);
    }
    if let FieldVerdict::Hit { point } = field_overlap(a, b, query).verdict {
        let world = a.world_from_field.transform_point(point);
        return answer(0.0, 0.0, Some([world; 2]));
    }
    let (bounds_a, bounds_b) = (a.field.bounds(), b.field.bounds());
    if bounds_a.is_empty() || bounds_b.is_empty() {
        return answer(f64::INFINITY, f64::INFINITY, None);
    }
    let size = bounds_a.size().max_element().min(bounds_b.size().max_element());
    let a_from_b = RelativePose::new(&a.world_from_field, &b.world_from_field);
    let mut search = Search {
        trees: [Tree::new(a), Tree::new(b)],
        a_from_b,
        at_most: f64::INFINITY,
        nearest: None,
        heap: BinaryHeap::new(),
        pairs: 0,
    };
    let at_least = search.run(tolerance.max(0.0) * size, query);
    let witness = search
        .nearest
        .map(|[p, q]| [a.world_from_field.transform_point(p), b.world_from_field.transform_point(q)]);
    FieldClearance {
        at_least: at_least.min(search.at_most),
        at_most: search.at_most,
        witness,
        pairs: search.pairs,
    }
}

struct Node {
    cell: Aabb,
    /// The function on the cell.
    form: Affine,
    /// A point in the cell that is proven inside the object.
    point: Option<DVec3>,
    part: Part,
    children: Option<Vec<u32>>,
}

struct Tree<'a> {
    seen: Seen<'a>,
    nodes: Vec<Node>,
}

impl<'a> Tree<'a> {
    fn new(placed: &PlacedField<'a>) -> Self {
        let mut seen = Seen::new(placed.field, &RelativePose::identity());
        let (cell, part) = (placed.field.bounds(), seen.whole());
        let form = seen.affine(&part, &cell);
        let root = Node { cell, form, point: None, part, children: None };
        Self { seen, nodes: vec![root] }
    }

    fn children(&mut self, node: u32) -> Vec<u32> {
        if let Some(children) = &self.nodes[node as usize].children {
            return children.clone();
        }
        let Node { cell, part, .. } = &self.nodes[node as usize];
        let cells = eighths(cell);
        let live = !self.seen.empty_cells(part, &cells);
        let part = self.seen.shortened(part, live);
        let mut children = Vec::new();
        for (_, cell) in cells.iter().enumerate().filter(|(k, _)| live >> k & 1 == 1) {
            let form = self.seen.affine(&part, cell);
            if form.range.lo() <= 0.0 {
                let point = inner_points(cell, &form).into_iter().find(|&p| self.seen.certainly_holds(p));
                children.push(self.nodes.len() as u32);
                self.nodes.push(Node { cell: *cell, form, point, part: part.clone(), children: None });
            }
        }
        self.nodes[node as usize].children = Some(children.clone());
        children
    }

    fn size(&self, node: u32) -> f64 {
        self.nodes[node as usize].cell.size().max_element()
    }
}

/// The middle of the cell and points down the slope of the function, one of which is inside if any of the cell is.
fn inner_points(cell: &Aabb, form: &Affine) -> [DVec3; 3] {
    let (center, half) = (cell.center(), 0.5 * cell.size());
    let slope = DVec3::from_array([0, 1, 2].map(|k| form.slopes[k] / half[k]));
    let down = |share: f64| {
        let point = center - slope * (form.center.max(0.0) * share / slope.length_squared());
        if point.is_finite() { point.clamp(cell.min, cell.max) } else { center }
    };
    [down(1.0 + 1e-9), down(1.25), down(2.0)]
}

struct Candidate {
    at_least: f64,
    nodes: [u32; 2],
}

impl Ord for Candidate {
    /// The nearest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least.total_cmp(&self.at_least).then(other.nodes.cmp(&self.nodes))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

struct Search<'a> {
    trees: [Tree<'a>; 2],
    a_from_b: RelativePose,
    at_most: f64,
    nearest: Option<[DVec3; 2]>,
    heap: BinaryHeap<Candidate>,
    pairs: u64,
}

impl Search<'_> {
    /// The proven lower bound.
    fn run(&mut self, tolerance: f64, query: &FieldQuery) -> f64 {
        self.consider([0, 0]);
        while let Some(Candidate { at_least, nodes }) = self.heap.pop() {
            if self.at_most - at_least <= tolerance || self.pairs >= query.cells {
                return at_least;
            }
            let sizes = [self.trees[0].size(nodes[0]), self.trees[1].size(nodes[1])];
            let side = usize::from(sizes[1] > sizes[0]);
            let cell = self.trees[side].nodes[nodes[side] as usize].cell;
            if sizes[side] <= 8.0 * f64::EPSILON * cell.min.abs().max(cell.max.abs()).max_element() {
                return at_least;
            }
            for child in self.trees[side].children(nodes[side]) {
                let mut next = nodes;
                next[side] = child;
                self.consider(next);
            }
        }
        self.at_most
    }

    fn consider(&mut self, nodes: [u32; 2]) {
        self.pairs += 1;
        let [a, b] = [0, 1].map(|side| &self.trees[side].nodes[nodes[side] as usize]);
        if let (Some(p), Some(q)) = (a.point, b.point) {
            let error = self.a_from_b.point_error(q.abs().max_element());
            let distance = (p - self.a_from_b.transform_point(q)).length();
            // Three coordinates, each off by the error of the pose.
            let at_most = (distance + 2.0 * error) * (1.0 + 8.0 * f64::EPSILON) + f64::MIN_POSITIVE;
            if at_most < self.at_most {
                self.at_most = at_most;
                self.nearest = Some([p, q]);
            }
        }
        let at_least = box_distance(&a.cell, &self.a_from_b, &b.cell).max(slab(a, &self.a_from_b, b));
        if at_least < self.at_most {
            self.heap.push(Candidate { at_least, nodes });
        }
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
            let apart = (sides[k].0 - a.max[k]).max(a.min[k] - sides[k].1).max(0.0);
            apart * apart
        })
        .sum();
    sum.sqrt() * (1.0 - 8.0 * f64::EPSILON)
}

/// A lower bound on the distance of what two cells hold: how far they are apart in the direction between them.
fn slab(a: &Node, a_from_b: &RelativePose, b: &Node) -> f64 {
    let near_a = a.point.unwrap_or(a.cell.center());
    let near_b = b.point.unwrap_or(b.cell.center());
    let direction = (a_from_b.transform_point(near_b) - near_a).normalize_or_zero();
    let in_b = a_from_b.rotation.transpose() * direction;
    let reach = b.cell.min.abs().max(b.cell.max.abs()).max_element();
    let offset = direction.dot(a_from_b.translation);
    // The direction in B's frame and the offset are rounded too.
    let error = 4.0 * a_from_b.point_error(reach)
        + 8.0 * f64::EPSILON * (3.0 * reach + a_from_b.translation.abs().element_sum());
    let apart = offset - support(b, -in_b) - support(a, direction);
    // The direction's length is 1 within a few roundings.
    (apart - error) * (1.0 - 8.0 * f64::EPSILON)
}

/// How far the object reaches in a direction within a cell, at most: the least over `λ >= 0` of the greatest
/// `direction·x − λ·(line − error)`, which has its corners where a coordinate drops out.
fn support(node: &Node, direction: DVec3) -> f64 {
    let sides = [0, 1, 2].map(|k| middle_and_half(node.cell.min[k], node.cell.max[k]));
    let center: f64 = (0..3).map(|k| direction[k] * sides[k].0).sum();
    let size: f64 = (0..3).map(|k| (direction[k] * sides[k].0).abs()).sum();
    let reaches = [0, 1, 2].map(|k| direction[k] * sides[k].1);
    let form = &node.form;
    let reach = |lambda: f64| {
        let along = (0..3).map(|k| (reaches[k] - lambda * form.slopes[k]).abs()).sum::<f64>();
        let terms: f64 = (0..3).map(|k| reaches[k].abs() + (lambda * form.slopes[k]).abs()).sum();
        let allowance = lambda * (form.center - form.error);
        let size = size + terms + lambda * (form.center.abs() + form.error);
        center - allowance + along + 16.0 * f64::EPSILON * size + f64::MIN_POSITIVE
    };
    let plain = center + reaches.iter().map(|r| r.abs()).sum::<f64>();
    let plain = plain + 16.0 * f64::EPSILON * (size + plain.abs()) + f64::MIN_POSITIVE;
    (0..3)
        .map(|k| reaches[k] / form.slopes[k])
        .filter(|lambda| *lambda > 0.0 && lambda.is_finite())
        .map(reach)
        .fold(plain, |least, bound| if bound < least { bound } else { least })
}
