//! The two traversals as printed, to show what they lose.

use super::walk::surely_meet;
use super::{DoubleNode, DoubleTree, Label};
use noli_geom::{PairFrame, Pose, RelativePose, TrianglePair, Volume};
use std::collections::HashMap;

/// The paper whose traversal is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paper {
    /// Algorithm 1 of the paper on spheres. A node that calls itself with a list of children is read as a loop
    /// over them, an end with contact as the end of all, one without as the end of the call.
    Spheres,
    /// The recursive algorithm of the paper on boxes: only interior nodes test inner volumes. All other
    /// branches are nested in that test, and the results of calls are dropped.
    Boxes,
}

/// Result of a printed traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrintedWalk {
    /// `true` if it reports contact. Approximate: contacts are missed.
    pub contact: bool,
    /// Number of visits to pairs of nodes, repeats included.
    pub visits: u64,
    /// Largest number of visits to one pair.
    pub most_visits: u64,
    /// Number of pairs of triangles compared.
    pub faces: u64,
}

impl DoubleTree {
    /// Approximate: whether two convex bodies share a point, as the papers print it. [`DoubleTree::overlap`] is
    /// mended. The poses must be valid.
    pub fn overlap_as_printed(
        &self,
        world_from_self: &Pose,
        other: &Self,
        world_from_other: &Pose,
        paper: Paper,
    ) -> PrintedWalk {
        let frames = [
            PairFrame::new(&RelativePose::new(world_from_self, world_from_other)),
            PairFrame::new(&RelativePose::new(world_from_other, world_from_self)),
        ];
        let mut run = Run { trees: [self, other], frames, visits: HashMap::new(), faces: 0 };
        let roots = [Node { tree: 0, number: 0 }, Node { tree: 1, number: 0 }];
        let contact = match paper {
            Paper::Spheres => run.spheres(roots),
            Paper::Boxes => run.boxes(roots),
        };
        PrintedWalk {
            contact,
            visits: run.visits.values().sum(),
            most_visits: run.visits.values().copied().max().unwrap_or(0),
            faces: run.faces,
        }
    }
}

/// A node with its tree, since the printed algorithm swaps the two.
#[derive(Clone, Copy)]
struct Node {
    tree: usize,
    number: u32,
}

struct Run<'a> {
    trees: [&'a DoubleTree; 2],
    /// The second relative to the first, and the reverse.
    frames: [PairFrame; 2],
    visits: HashMap<(u32, u32), u64>,
    faces: u64,
}

impl<'a> Run<'a> {
    fn of(&self, node: Node) -> &'a DoubleNode {
        &self.trees[node.tree].nodes[node.number as usize]
    }

    fn is_leaf(&self, node: Node) -> bool {
        self.of(node).children.is_empty()
    }

    fn children(&self, node: Node) -> impl Iterator<Item = Node> + use<> {
        self.of(node).children.clone().map(move |number| Node { number, ..node })
    }

    fn visit(&mut self, [one, two]: [Node; 2]) {
        let (a, b) = if one.tree == 0 { (one, two) } else { (two, one) };
        *self.visits.entry((a.number, b.number)).or_default() += 1;
    }

    fn outer_meet(&self, [one, two]: [Node; 2]) -> bool {
        self.of(one).outer.distance_bound(&self.of(two).outer, self.frames[one.tree].pose()) <= 0.0
    }

    fn inner_meet(&self, [one, two]: [Node; 2]) -> bool {
        let (a, b) = (self.of(one), self.of(two));
        matches!((&a.inner, &b.inner), (Some(a), Some(b)) if surely_meet(a, b, self.frames[one.tree].pose()))
    }

    fn spheres(&mut self, [one, two]: [Node; 2]) -> bool {
        self.visit([one, two]);
        if !self.outer_meet([one, two]) {
            return false;
        }
        let labels = (self.of(one).label, self.of(two).label);
        if labels == (Label::Interior, Label::Interior) || self.inner_meet([one, two]) {
            return true;
        }
        match labels {
            (Label::Exterior, Label::Exterior) => {
                let leaves = (self.is_leaf(one), self.is_leaf(two));
                if leaves == (true, true) && self.exact([one, two]) {
                    return true;
                }
                if leaves == (true, false) && self.children(two).any(|child| self.spheres([one, child])) {
                    return true;
                }
                if leaves == (false, true) {
                    self.children(one).any(|child| self.spheres([child, two]))
                } else {
                    // Bound to the last condition alone.
                    self.children(two).any(|child| self.spheres([one, child]))
                        || self.children(one).any(|child| self.spheres([two, child]))
                }
            }
            // The children of an interior node, which has none.
            (Label::Interior, _) => match self.is_leaf(two) {
                true => self.exact([one, two]),
                false => self.children(one).any(|child| self.spheres([two, child])),
            },
            (_, Label::Interior) => match self.is_leaf(one) {
                true => self.exact([one, two]),
                false => self.children(two).any(|child| self.spheres([one, child])),
            },
        }
    }

    fn boxes(&mut self, [one, two]: [Node; 2]) -> bool {
        self.visit([one, two]);
        let labels = (self.of(one).label, self.of(two).label);
        if labels == (Label::Interior, Label::Interior) && self.inner_meet([one, two]) {
            return true;
        }
        // The branch of two exterior nodes stands within the question above and is never reached.
        if labels == (Label::Interior, Label::Exterior) {
            match self.is_leaf(two) {
                true => _ = self.exact([one, two]),
                false => self.children(two).for_each(|child| _ = self.boxes([one, child])),
            }
        }
        if labels == (Label::Exterior, Label::Interior) {
            match self.is_leaf(one) {
                true => _ = self.exact([one, two]),
                false => self.children(one).for_each(|child| _ = self.boxes([child, two])),
            }
        }
        false
    }

    /// Compares only the first two triangles: "No contact" is in the innermost loop of the print.
    fn exact(&mut self, [one, two]: [Node; 2]) -> bool {
        let (Some(&a), Some(&b)) = (self.of(one).faces.first(), self.of(two).faces.first()) else {
            return false;
        };
        self.faces += 1;
        let (s, t) =
            (&self.trees[one.tree].triangles[a as usize], &self.trees[two.tree].triangles[b as usize]);
        TrianglePair::new(s, t, &self.frames[one.tree]).overlaps()
    }
}
