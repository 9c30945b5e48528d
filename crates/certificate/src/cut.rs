//! Cuts: planes between parts of two bodies that together separate all of both.

use crate::cbor::Tokens;
use crate::chain::Placed;
use crate::separate::separate;
use crate::shape::Node;
use glam::DVec3;

/// A cut, and the nodes of both covers that it splits.
#[derive(Default)]
struct Cut {
    tokens: Tokens,
    split: Vec<(usize, u32)>,
}

/// A cut that shows that two bodies are further than `room` from each other; `None` if there is no plane between some
/// two faces.
pub(crate) fn cut(placed: &Placed<'_>, room: f64) -> Option<Tokens> {
    let mut cut = Cut::default();
    let roots = [0, 1].map(|side| placed.sides[side].shape.root());
    if !cut.parts(placed, room + placed.slack, roots) {
        return None;
    }
    for (side, node) in cut.split {
        if let Some(mesh) = placed.sides[side].shape.mesh() {
            mesh.cover.mark_split(node);
        }
    }
    Some(cut.tokens)
}

impl Cut {
    fn parts(&mut self, placed: &Placed<'_>, room: f64, nodes: [Node; 2]) -> bool {
        let [a, b] = &placed.sides;
        let nearest_along = |n: DVec3| b.support_point(nodes[1], -n) - a.support_point(nodes[0], n);
        if let Some(plane) = separate(room, &nearest_along) {
            self.tokens.ints(&plane);
            return true;
        }
        let sizes = [a.shape.size(nodes[0]), b.shape.size(nodes[1])];
        let side = usize::from(sizes[1] > sizes[0]);
        let Some(mesh) = placed.sides[side].shape.mesh() else { return false };
        let children = mesh.children(nodes[side]);
        let Node::Tree(node) = nodes[side] else { return false };
        self.split.push((side, node));
        self.tokens.int(side as i64);
        children.into_iter().all(|child| {
            let mut nodes = nodes;
            nodes[side] = child;
            self.parts(placed, room, nodes)
        })
    }
}
