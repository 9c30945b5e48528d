//! An object as a tree of cells.

use super::bounds::eighths;
use super::field::Field;
use super::frame::{Part, Seen};
use super::side::Side;
use crate::evaluation::affine::{Affine, middle_and_half};
use glam::DVec3;
use noli_geom::number::round;
use noli_geom::{Aabb, RelativePose};

struct Node {
    cell: Aabb,
    /// The function on the cell.
    form: Affine,
    /// A point in the cell that is proven inside the object.
    point: Option<DVec3>,
    part: Part,
    children: Option<Vec<u32>>,
}

/// An object as an octree of cells that are not proven empty, refined where queried.
pub(crate) struct CellTree<'a> {
    pub(crate) seen: Seen<'a>,
    nodes: Vec<Node>,
}

impl<'a> CellTree<'a> {
    /// Points count as inside with all within `depth` of them.
    pub(crate) fn new(field: &'a Field, depth: f64) -> Self {
        let mut seen = Seen::new(field, &RelativePose::identity()).deep(depth);
        let (cell, part) = (field.bounds(), seen.whole());
        let nodes = if cell.is_empty() {
            Vec::new()
        } else {
            let form = seen.affine(&part, &cell);
            vec![Node { cell, form, point: None, part, children: None }]
        };
        Self { seen, nodes }
    }
}

impl CellTree<'_> {
    /// A point that is proven inside the object, near its surface in the cell.
    pub(crate) fn point(&self, node: u32) -> Option<DVec3> {
        self.nodes[node as usize].point
    }

    /// The direction in which the line through the function rises fastest: out of the object.
    pub(crate) fn outward(&self, node: u32) -> DVec3 {
        let Node { cell, form, .. } = &self.nodes[node as usize];
        let half = 0.5 * cell.size();
        let slope = [0, 1, 2].map(|k| if half[k] > 0.0 { form.slopes[k] / half[k] } else { 0.0 });
        DVec3::from_array(slope).normalize_or_zero()
    }
}

impl Side for CellTree<'_> {
    fn bounds(&self, node: u32) -> Aabb {
        self.nodes.get(node as usize).map_or(Aabb::EMPTY, |node| node.cell)
    }

    fn parts(&mut self, node: u32) -> Vec<u32> {
        let Node { cell, part, children, .. } = &self.nodes[node as usize];
        if let Some(children) = children {
            return children.clone();
        }
        let cells = eighths(cell);
        let live = !self.seen.empty_cells(part, &cells);
        let part = self.seen.shortened(part, live);
        let mut children = Vec::new();
        for (_, cell) in cells.iter().enumerate().filter(|(k, _)| live >> k & 1 == 1) {
            let form = self.seen.affine(&part, cell);
            if form.range.lo() <= 0.0 {
                let point = self.seen.surface_point(&part, cell, &form, cell.center());
                children.push(self.nodes.len() as u32);
                self.nodes.push(Node { cell: *cell, form, point, part: part.clone(), children: None });
            }
        }
        self.nodes[node as usize].children = Some(children.clone());
        children
    }

    /// The least over `λ >= 0` of the greatest `direction·x − λ·(line − error)`, which has its vertices where
    /// a coordinate drops out.
    fn support(&self, node: u32, direction: DVec3) -> f64 {
        let Node { cell, form, .. } = &self.nodes[node as usize];
        let sides = [0, 1, 2].map(|k| middle_and_half(cell.min[k], cell.max[k]));
        let center: f64 = (0..3).map(|k| direction[k] * sides[k].0).sum();
        let size: f64 = (0..3).map(|k| (direction[k] * sides[k].0).abs()).sum();
        let reaches = [0, 1, 2].map(|k| direction[k] * sides[k].1);
        let reach = |lambda: f64| {
            let along = (0..3).map(|k| (reaches[k] - lambda * form.slopes[k]).abs()).sum::<f64>();
            let terms: f64 = (0..3).map(|k| reaches[k].abs() + (lambda * form.slopes[k]).abs()).sum();
            let allowance = lambda * (form.center - form.error);
            let size = size + terms + lambda * (form.center.abs() + form.error);
            center - allowance + along + round::off(size, 32) + f64::MIN_POSITIVE
        };
        let plain = center + reaches.iter().map(|r| r.abs()).sum::<f64>();
        let plain = plain + round::off(size + plain.abs(), 32) + f64::MIN_POSITIVE;
        (0..3)
            .map(|k| reaches[k] / form.slopes[k])
            .filter(|lambda| *lambda > 0.0 && lambda.is_finite())
            .map(reach)
            .fold(plain, |least, bound| if bound < least { bound } else { least })
    }

    /// Returns the intersection of the object with the line from the target against the slope. It is off the
    /// nearest point by no more than the square of the cell.
    fn point_near(&mut self, node: u32, target: DVec3) -> Option<(DVec3, f64)> {
        let Node { cell, form, point, part, .. } = &self.nodes[node as usize];
        let (cell, form, point, part) = (*cell, *form, *point, part.clone());
        let near = self.seen.surface_point(&part, &cell, &form, target);
        near.or(point).map(|point| (point, 0.0))
    }
}
