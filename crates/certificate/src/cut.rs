//! Cuts: planes between parts of two bodies that together separate all of both.

use crate::cbor::Tokens;
use crate::chain::Placed;
use crate::directions::Directions;
use crate::part::Part;
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
/// more, or if there is no plane between some two faces. Where one plane is not enough, `goes_on` decides if more are
/// worth a search.
pub(crate) fn cut(
    placed: &Placed<'_>,
    room: f64,
    most: usize,
    directions: &mut Directions,
    goes_on: impl FnOnce() -> bool,
) -> Option<Tokens> {
    let (room, known) = (room + placed.slack, directions.count());
    let (tokens, split) = (Tokens::default(), Vec::new());
    let mut cut = Cut { placed, room, directions, left: most, tokens, split };
    let roots = [0, 1].map(|side| placed.sides[side].shape.root());
    if cut.plane(roots) {
        return Some(cut.tokens);
    }
    if !(goes_on() && cut.split(roots)) {
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

impl Cut<'_> {
    fn parts(&mut self, nodes: [Node; 2]) -> bool {
        if self.left == 0 {
            return false;
        }
        if self.plane(nodes) {
            self.left -= 1;
            return true;
        }
        self.split(nodes)
    }

    /// Planes between the children of the larger part and all of the other.
    fn split(&mut self, nodes: [Node; 2]) -> bool {
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
        let [(a, radius_a), (b, radius_b)] =
            [0, 1].map(|side| Part::new(&self.placed.sides[side], nodes[side]));
        let room = self.room + radius_a + radius_b;
        let holds = |n: DVec3| -b.furthest(-n) - a.furthest(n) > room * n.length();
        if self.directions.name(&mut self.tokens, holds) {
            return true;
        }
        let nearest_along = |n: DVec3| b.support_point(-n) - a.support_point(n);
        let Some(direction) = separate(room, b.center() - a.center(), &nearest_along) else { return false };
        self.directions.write(&mut self.tokens, direction);
        true
    }
}
