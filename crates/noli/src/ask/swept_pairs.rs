//! Which triangles of two moving meshes may meet, by boxes swept along the motion.
//!
//! The dynamic hierarchies of Eckstein's thesis (1998, chapter 4): every node is tested by a box around all its places during the
//! step. Both ways to make that box are mended here, so that no pair is lost; [`time_of_impact`](crate::time_of_impact) prunes
//! far better and needs no such list.

use crate::budget::{Budget, Meter};
use crate::model::{MeshModel, Moving};
use crate::trace::{NoTrace, Trace};
use crate::tree::walk::{self, Block, Ended, Item, PairTest, Visit};
use noli_geom::{Aabb, Sphere, SweptBox, UNIT_ROUNDOFF};
use std::ops::ControlFlow;

/// All pairs of a triangle of A and one of B whose swept boxes meet, in order: every pair that touches at any time of the span is
/// among them. Conservative; none for bodies that have no faces.
pub fn swept_pairs(a: &Moving<'_>, b: &Moving<'_>, span: (f64, f64), kind: SweptBox) -> Vec<(u32, u32)> {
    let (Some(model_a), Some(model_b)) = (a.model.faces(), b.model.faces()) else { return Vec::new() };
    if model_a.mesh.is_empty() || model_b.mesh.is_empty() {
        return Vec::new();
    }
    let test = SweptNodes {
        a: Side { model: model_a, moving: a },
        b: Side { model: model_b, moving: b },
        span,
        kind,
    };
    let mut visit = Leaves { test: &test, pairs: Vec::new() };
    let mut list = vec![Item { key: 0.0, a: 0, b: 0 }];
    walk::walk(&test, &mut visit, &mut list, &mut Budget::UNLIMITED.meter(), &mut NoTrace);
    visit.pairs.sort_unstable();
    visit.pairs
}

/// One of the two bodies.
#[derive(Clone, Copy)]
struct Side<'q> {
    model: &'q MeshModel,
    moving: &'q Moving<'q>,
}

impl Side<'_> {
    fn is_leaf(&self, node: u32) -> bool {
        self.model.tree().nodes[node as usize].children.is_empty()
    }

    /// The children of a node; a leaf stands for itself.
    fn children(&self, node: u32) -> std::ops::Range<u32> {
        let children = self.model.tree().nodes[node as usize].children.clone();
        if children.is_empty() { node..node + 1 } else { children }
    }

    fn faces(&self, leaf: u32) -> &[u32] {
        let tree = self.model.tree();
        tree.faces_of(&tree.nodes[leaf as usize])
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
            *slot = self.swept(side, &side.model.boxes()[node as usize]);
        }
        boxes
    }
}

impl PairTest for SweptNodes<'_> {
    const SORTED: bool = false;

    fn is_leaf(&self, a: u32, b: u32) -> (bool, bool) {
        (self.a.is_leaf(a), self.b.is_leaf(b))
    }

    /// Trees of meshes have at most four children a node, which is what a block holds.
    fn expand(&self, a: u32, b: u32, _: f32, block: &mut Block) {
        let (below_a, below_b) = (self.a.children(a), self.b.children(b));
        let (boxes_a, boxes_b) = (self.boxes(&self.a, below_a.clone()), self.boxes(&self.b, below_b.clone()));
        block.mask = 0;
        for (i, node_a) in below_a.enumerate() {
            block.a[i] = node_a;
            for (j, node_b) in below_b.clone().enumerate() {
                block.b[j] = node_b;
                block.mask |= u16::from(boxes_a[i].overlaps(&boxes_b[j])) << (4 * i + j);
            }
        }
        block.key = [0.0; 16];
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
            let swept_a = self.test.swept(side_a, &side_a.model.mesh.triangle(face_a).aabb());
            for &face_b in side_b.faces(b) {
                let swept_b = self.test.swept(side_b, &side_b.model.mesh.triangle(face_b).aabb());
                if swept_a.overlaps(&swept_b) {
                    self.pairs.push((face_a, face_b));
                }
            }
        }
        ControlFlow::Continue(())
    }
}
