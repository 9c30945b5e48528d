//! Covers: the engine's hierarchy of a mesh with boxes of integers.

use crate::canonical::Canonical;
use crate::cbor::Encoder;
use glam::{DMat3, DVec3};
use noli::tree::Tree;
use noli_geom::{Measure, Obb};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A parallelepiped `center + Σ s·axes` for `|s| <= 1`, all numbers integers times a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntegerBox {
    exponent: i32,
    integers: [i64; 12],
    pub(crate) center: DVec3,
    pub(crate) axes: [DVec3; 3],
}

/// Length of the longest half axis and of the shortest one, in units of the last place.
const LONGEST: f64 = 16384.0;
const SHORTEST: f64 = 4.0;
/// Points that decide on the axes of a box.
const SAMPLE: usize = 128;
/// Points must be this far inside, so that rounding cannot leave them out.
const INSIDE: f64 = 1.0 - 1.0 / 1024.0;

impl IntegerBox {
    /// A small box around points.
    pub(crate) fn around(points: &[DVec3]) -> Self {
        // The axes of a box are those of a sample; its extents are those of all points.
        let sample: Vec<DVec3> =
            points.iter().step_by(points.len().div_ceil(SAMPLE).max(1)).copied().collect();
        let fit = Obb::aligned(Obb::small(&sample, Measure::Surface, &[]).axes, points);
        let far = points.iter().fold(0.0, |far: f64, p| far.max(p.abs().max_element()));
        let largest = fit.half_extents.max_element().max(far * 2f64.powi(-26)).max(2f64.powi(-300));
        let exponent = (largest / LONGEST).log2().ceil() as i32;
        let unit = 2f64.powi(exponent);
        let center = (fit.center / unit).round();
        let mut axes: [DVec3; 3] =
            std::array::from_fn(|k| fit.axes.col(k) * (fit.half_extents[k] / unit).max(SHORTEST));
        loop {
            let rounded = axes.map(DVec3::round);
            let inverse = DMat3::from_cols(rounded[0], rounded[1], rounded[2]).inverse();
            let shares = |p: &DVec3| (inverse * (*p / unit - center)).abs();
            let most = points.iter().map(shares).fold(DVec3::ZERO, DVec3::max);
            if most.max_element() <= INSIDE {
                return Self::new(exponent, center, rounded);
            }
            for k in 0..3 {
                let grow = if most[k] > INSIDE { (most[k] / INSIDE).clamp(1.002, 4.0) } else { 1.0 };
                axes[k] = axes[k] * grow + if grow > 1.0 { axes[k].normalize() * 0.5 } else { DVec3::ZERO };
            }
        }
    }

    fn new(exponent: i32, center: DVec3, axes: [DVec3; 3]) -> Self {
        let unit = 2f64.powi(exponent);
        let mut integers = [0; 12];
        for (k, vector) in [center, axes[0], axes[1], axes[2]].into_iter().enumerate() {
            for i in 0..3 {
                integers[3 * k + i] = vector[i] as i64;
            }
        }
        Self { exponent, integers, center: center * unit, axes: axes.map(|axis| axis * unit) }
    }

    pub(crate) fn vertices(&self) -> impl Iterator<Item = DVec3> + '_ {
        (0..8).map(|k| {
            let side = |axis: usize| if k >> axis & 1 == 1 { self.axes[axis] } else { -self.axes[axis] };
            self.center + side(0) + side(1) + side(2)
        })
    }

    /// The vertex furthest along a direction.
    pub(crate) fn support_point(&self, direction: DVec3) -> DVec3 {
        let side = |axis: &DVec3| if axis.dot(direction) >= 0.0 { *axis } else { -*axis };
        self.axes.iter().map(side).fold(self.center, |sum, axis| sum + axis)
    }

    pub(crate) fn size(&self) -> f64 {
        self.axes.iter().map(|axis| axis.length()).sum()
    }

    fn write(&self, out: &mut Encoder) {
        out.array(13);
        out.int(i64::from(self.exponent));
        self.integers.iter().for_each(|&integer| out.int(integer));
    }
}

/// The hierarchy of a mesh. Boxes are made when they are needed, and only nodes that some proof splits have children
/// in the file.
#[derive(Debug)]
pub(crate) struct Cover {
    tree: Arc<Tree>,
    boxes: Arc<[OnceLock<IntegerBox>]>,
    split: Vec<AtomicBool>,
}

impl Clone for Cover {
    /// A copy shares the boxes; its proofs have not split any node yet.
    fn clone(&self) -> Self {
        Self::unsplit(self.tree.clone(), self.boxes.clone())
    }
}

impl Cover {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self::unsplit(Arc::new(tree.clone()), tree.nodes.iter().map(|_| OnceLock::new()).collect())
    }

    fn unsplit(tree: Arc<Tree>, boxes: Arc<[OnceLock<IntegerBox>]>) -> Self {
        let split = tree.nodes.iter().map(|_| AtomicBool::new(false)).collect();
        let cover = Self { tree, boxes, split };
        // Bounds on motion take the boxes below the root.
        cover.mark_split(0);
        cover
    }

    pub(crate) fn mark_split(&self, node: u32) {
        self.split[node as usize].store(true, Ordering::Relaxed);
    }

    pub(crate) fn children(&self, node: u32) -> std::ops::Range<u32> {
        self.tree.nodes[node as usize].children.clone()
    }

    /// The canonical faces at and below a node, in the order in which the file lists them.
    pub(crate) fn faces<'a>(
        &'a self,
        node: u32,
        canonical: &'a Canonical,
    ) -> impl ExactSizeIterator<Item = u32> + 'a {
        let faces = self.tree.faces_of(&self.tree.nodes[node as usize]);
        faces.iter().map(|&face| canonical.number_of[face as usize])
    }

    pub(crate) fn node_box(&self, node: u32, canonical: &Canonical) -> &IntegerBox {
        self.boxes[node as usize].get_or_init(|| {
            let faces = self.faces(node, canonical);
            let points: Vec<DVec3> = faces.flat_map(|face| canonical.triangles[face as usize]).collect();
            IntegerBox::around(&points)
        })
    }

    /// The boxes whose vertices bound the motion of the mesh.
    pub(crate) fn extent(&self, canonical: &Canonical) -> Vec<DVec3> {
        let children = self.children(0);
        let nodes = if children.is_empty() { 0..1 } else { children };
        nodes.flat_map(|node| self.node_box(node, canonical).vertices().collect::<Vec<_>>()).collect()
    }

    /// The array of nodes: those that were split, and their children.
    pub(crate) fn write(&self, canonical: &Canonical, out: &mut Encoder) {
        let is_inner =
            |node: u32| self.split[node as usize].load(Ordering::Relaxed) && !self.children(node).is_empty();
        let (mut order, mut queue) = (Vec::new(), VecDeque::from([0u32]));
        while let Some(node) = queue.pop_front() {
            order.push(node);
            if is_inner(node) {
                queue.extend(self.children(node));
            }
        }
        out.array(order.len());
        // Breadth first: children are numbered in the order in which parents list them.
        let mut next = 1;
        for node in order {
            out.array(3);
            out.int(i64::from(!is_inner(node)));
            self.node_box(node, canonical).write(out);
            if is_inner(node) {
                let count = self.children(node).len();
                out.array(count);
                (next..next + count).for_each(|child| out.index(child));
                next += count;
            } else {
                let faces = self.faces(node, canonical);
                out.array(faces.len());
                faces.for_each(|face| out.index(face as usize));
            }
        }
    }
}
