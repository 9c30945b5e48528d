//! Cuts: planes between parts of two bodies that together separate all of both.

use crate::cbor::Tokens;
use crate::chain::Placed;
use crate::directions::Directions;
use crate::separate::separate;
use crate::shape::Node;
use glam::DVec3;

/// A cut, and the nodes of both covers that it splits.
struct Cut<'a> {
    placed: &'a Placed<'a>,
    room: f64,
    directions: &'a mut Directions,
    /// Planes that may still be written.
    left: usize,
    tokens: Tokens,
    split: Vec<(usize, u32)>,
}

/// A cut of at most `most` planes that shows that two bodies are further than `room` from each other; `None` if it takes
/// more, or if there is no plane between some two faces.
pub(crate) fn cut(
    placed: &Placed<'_>,
    room: f64,
    most: usize,
    directions: &mut Directions,
) -> Option<Tokens> {
    let (room, known) = (room + placed.slack, directions.count());
    let (tokens, split) = (Tokens::default(), Vec::new());
    let mut cut = Cut { placed, room, directions, left: most, tokens, split };
    let roots = [0, 1].map(|side| placed.sides[side].shape.root());
    if !cut.parts(roots) {
        directions.truncate(known);
        return None;
    }
    for (side, node) in cut.split {
        if let Some(mesh) = placed.sides[side].shape.mesh() {
            mesh.cover.mark_split(node);
        }
    }
    Some(cut.tokens)
}

/// A cut of one plane between the whole bodies.
pub(crate) fn one_plane(placed: &Placed<'_>, room: f64, directions: &mut Directions) -> Option<Tokens> {
    let (tokens, split) = (Tokens::default(), Vec::new());
    let mut cut = Cut { placed, room: room + placed.slack, directions, left: 1, tokens, split };
    let found = cut.plane([0, 1].map(|side| placed.sides[side].shape.root()));
    found.then_some(cut.tokens)
}

impl Cut<'_> {
    fn parts(&mut self, nodes: [Node; 2]) -> bool {
        if self.left == 0 {
            return false;
        }
        if self.plane(nodes) {
            self.left -= 1;
            return true;
        }
        let [a, b] = &self.placed.sides;
        let sizes = [a.shape.size(nodes[0]), b.shape.size(nodes[1])];
        let side = usize::from(sizes[1] > sizes[0]);
        let Some(mesh) = self.placed.sides[side].shape.mesh() else { return false };
        let children = mesh.children(nodes[side]);
        let Node::Tree(node) = nodes[side] else { return false };
        self.split.push((side, node));
        self.tokens.int(side as i64);
        children.into_iter().all(|child| {
            let mut nodes = nodes;
            nodes[side] = child;
            self.parts(nodes)
        })
    }

    /// Writes a plane between two parts.
    fn plane(&mut self, nodes: [Node; 2]) -> bool {
        let ([a, b], room) = (&self.placed.sides, self.room);
        let nearest_along = |n: DVec3| b.support_point(nodes[1], -n) - a.support_point(nodes[0], n);
        let holds = |n: DVec3| n.dot(nearest_along(n)) > room * n.length();
        if self.directions.name(&mut self.tokens, holds) {
            return true;
        }
        let start = b.center(nodes[1]) - a.center(nodes[0]);
        let Some(direction) = separate(room, start, &nearest_along) else { return false };
        self.directions.write(&mut self.tokens, direction);
        true
    }
}
