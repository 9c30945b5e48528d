//! Which triangles of two moving meshes may meet, by boxes swept along the motion.
//!
//! The dynamic hierarchies of Eckstein's thesis (1998, chapter 4): every node is tested by a box around all
//! its places during the step. Both ways to make that box are mended here, so that no pair is lost;
//! [`time_of_impact`](noli::time_of_impact) prunes far better and needs no such list.

use noli::trace::{NoTrace, Trace};
use noli::tree::Tree;
use noli::tree::walk::{self, Block, Ended, Item, Meter, NodeTest, Visit};
use noli::{Budget, Moving, seams};
use noli_geom::{Aabb, Mesh, Sphere, SweptBox, UNIT_ROUNDOFF};
use std::ops::ControlFlow;

/// All pairs of a triangle of A and one of B whose swept boxes meet, in order: every pair that touches at any
/// time of the span is among them. Conservative; none for bodies that have no faces.
pub fn swept_pairs(a: &Moving<'_>, b: &Moving<'_>, span: (f64, f64), kind: SweptBox) -> Vec<(u32, u32)> {
    let (Some(side_a), Some(side_b)) = (Side::new(a), Side::new(b)) else { return Vec::new() };
    let test = SweptNodes { a: side_a, b: side_b, span, kind };
    let mut visit = Leaves { test: &test, pairs: Vec::new() };
    let mut list = vec![Item::ROOTS];
    walk::walk(&test, &mut visit, &mut list, &mut Budget::UNLIMITED.meter(), &mut NoTrace);
    visit.pairs.sort_unstable();
    visit.pairs
}

/// One of the two bodies.
#[derive(Clone, Copy)]
struct Side<'q> {
    mesh: &'q Mesh,
    tree: &'q Tree,
    /// Around the faces of each node.
    boxes: &'q [Aabb],
    moving: &'q Moving<'q>,
}

impl<'q> Side<'q> {
    /// `None` if the body has no faces.
    fn new(moving: &'q Moving<'q>) -> Option<Self> {
        let (mesh, tree, boxes) = seams::faces(moving.model)?;
        (!mesh.is_empty()).then_some(Self { mesh, tree, boxes, moving })
    }

    fn is_leaf(&self, node: u32) -> bool {
        self.tree.nodes[node as usize].children.is_empty()
    }

    /// The children of a node; a leaf stands for itself.
    fn children(&self, node: u32) -> std::ops::Range<u32> {
        let children = self.tree.nodes[node as usize].children.clone();
        if children.is_empty() { node..node + 1 } else { children }
    }

    fn faces(&self, leaf: u32) -> &[u32] {
        self.tree.faces_of(&self.tree.nodes[leaf as usize])
    }
}

struct SweptNodes<'q> {
    a: Side<'q>,
    b: Side<'q>,
    span: (f64, f64),
    kind: SweptBox,
}

impl SweptNodes<'_> {
    fn swept(&self, side: &Side<'_>, own: &Aabb) -> Aabb {
        let center = own.center();
        let radius = (own.max - center).max(center - own.min).length();
        let ball = Sphere { center, radius: radius * (1.0 + 8.0 * UNIT_ROUNDOFF) };
        self.kind.around(own, &ball, side.moving.motion, self.span)
    }

    /// The swept boxes of up to four nodes.
    fn boxes(&self, side: &Side<'_>, nodes: std::ops::Range<u32>) -> [Aabb; 4] {
        let mut boxes = [Aabb::EMPTY; 4];
        for (slot, node) in boxes.iter_mut().zip(nodes) {
            *slot = self.swept(side, &side.boxes[node as usize]);
        }
        boxes
    }
}

impl NodeTest for SweptNodes<'_> {
    const SORTED: bool = false;

    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        (self.a.is_leaf(a), self.b.is_leaf(b))
    }

    /// Trees of meshes have at most four children a node, which is what a block holds.
    fn expand(&self, a: u32, b: u32, _: f32, block: &mut Block) {
        let (below_a, below_b) = (self.a.children(a), self.b.children(b));
        let (boxes_a, boxes_b) = (self.boxes(&self.a, below_a.clone()), self.boxes(&self.b, below_b.clone()));
        let (first_a, first_b) = (below_a.start, below_b.start);
        block.fill(below_a, below_b, |node_a, node_b| {
            let (i, j) = ((node_a - first_a) as usize, (node_b - first_b) as usize);
            boxes_a[i].overlaps(&boxes_b[j]).then_some(0.0)
        });
    }

    fn prefetch(&self, _: u32, _: u32) {}
}

struct Leaves<'t, 'q> {
    test: &'t SweptNodes<'q>,
    pairs: Vec<(u32, u32)>,
}

impl Visit for Leaves<'_, '_> {
    fn cutoff(&self) -> f32 {
        f32::INFINITY
    }

    fn leaves(&mut self, a: u32, b: u32, _: &mut Meter<'_>, _: &mut impl Trace) -> ControlFlow<Ended> {
        let SweptNodes { a: side_a, b: side_b, .. } = self.test;
        for &face_a in side_a.faces(a) {
            let swept_a = self.test.swept(side_a, &side_a.mesh.triangle(face_a).aabb());
            for &face_b in side_b.faces(b) {
                let swept_b = self.test.swept(side_b, &side_b.mesh.triangle(face_b).aabb());
                if swept_a.overlaps(&swept_b) {
                    self.pairs.push((face_a, face_b));
                }
            }
        }
        ControlFlow::Continue(())
    }
}
