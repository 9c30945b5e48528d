//! Dynamic BVH: a binary tree of boxes, repaired where a box leaves its enlarged leaf.
//!
//! Insertion follows the surface area heuristic downwards. On the return to the root, a node may swap a child
//! for a grandchild where that makes boxes smaller (Kensler 2008). Leaf boxes are enlarged, so that small
//! motions cost nothing.

use super::{Change, Slots, half_area, largest_edge};
use noli_geom::Aabb;

const NONE: u32 = u32::MAX;
/// Room to spare around a box, as a share of its largest edge.
const ROOM: f64 = 0.1;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    parent: u32,
    /// Children, or `NONE` and the number of a box.
    links: [u32; 2],
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.links[0] == NONE
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: Option<u32>,
    /// The leaf of each box.
    leaf_of: Vec<u32>,
    count: usize,
}

fn contains(outer: &Aabb, inner: &Aabb) -> bool {
    outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all()
}

fn roomy(bounds: &Aabb) -> Aabb {
    bounds.expanded(ROOM * largest_edge(bounds))
}

impl BoxTree {
    pub(super) fn apply(&mut self, changes: &[Change], slots: &Slots) {
        if self.leaf_of.len() < slots.len() {
            self.leaf_of.resize(slots.len(), NONE);
        }
        if changes.len() > 64 && changes.len() > self.count {
            return self.rebuild(changes, slots);
        }
        for change in changes {
            let leaf = self.leaf_of[change.number as usize];
            if leaf != NONE {
                let held = self.nodes[leaf as usize].bounds;
                let roomy = roomy(&change.new);
                // Neither outside its room, nor so much smaller that the room is a waste.
                if !change.new.is_empty()
                    && contains(&held, &change.new)
                    && contains(&roomy.expanded(2.0 * largest_edge(&roomy)), &held)
                {
                    continue;
                }
                self.remove(change.number);
            }
            if !change.new.is_empty() {
                self.insert(change.number, roomy(&change.new));
            }
        }
    }

    pub(super) fn neighbours(&self, bounds: &Aabb, slots: &Slots, found: &mut Vec<u32>) {
        let mut stack = Vec::with_capacity(64);
        stack.extend(self.root);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.bounds.overlaps(bounds) {
                continue;
            }
            if !node.is_leaf() {
                stack.extend(node.links);
            } else if slots[node.links[1] as usize].overlaps(bounds) {
                found.push(node.links[1]);
            }
        }
    }

    fn allocate(&mut self, node: Node) -> u32 {
        if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            return at;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn leaf(&mut self, number: u32, bounds: Aabb) -> u32 {
        let leaf = self.allocate(Node { bounds, parent: NONE, links: [NONE, number] });
        self.leaf_of[number as usize] = leaf;
        leaf
    }

    fn insert(&mut self, number: u32, bounds: Aabb) {
        self.count += 1;
        let leaf = self.leaf(number, bounds);
        let Some(root) = self.root else {
            self.root = Some(leaf);
            return;
        };
        let sibling = self.sibling_for(root, &bounds);
        let parent = self.nodes[sibling as usize].parent;
        let joined = self.nodes[sibling as usize].bounds.union(bounds);
        let inner = self.allocate(Node { bounds: joined, parent, links: [sibling, leaf] });
        self.nodes[sibling as usize].parent = inner;
        self.nodes[leaf as usize].parent = inner;
        self.replace_child(parent, sibling, inner);
        self.repair(parent);
    }

    /// Down to where a new parent adds the least surface, its own and that of all above.
    fn sibling_for(&self, root: u32, bounds: &Aabb) -> u32 {
        let area = |b: &Aabb| half_area(b.size());
        let mut at = root;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return at;
            }
            let joined = area(&node.bounds.union(*bounds));
            let passed_down = joined - area(&node.bounds);
            let cost = node.links.map(|child| {
                let child = &self.nodes[child as usize];
                let joined = area(&child.bounds.union(*bounds));
                passed_down + if child.is_leaf() { joined } else { joined - area(&child.bounds) }
            });
            let best = usize::from(cost[1] < cost[0]);
            if joined < cost[best] {
                return at;
            }
            at = node.links[best];
        }
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        match self.nodes.get_mut(parent as usize) {
            Some(node) => node.links[usize::from(node.links[1] == old)] = new,
            None => self.root = Some(new),
        }
    }

    fn remove(&mut self, number: u32) {
        let leaf = std::mem::replace(&mut self.leaf_of[number as usize], NONE);
        self.count -= 1;
        let parent = self.nodes[leaf as usize].parent;
        self.free.push(leaf);
        let Some(&Node { links, parent: above, .. }) = self.nodes.get(parent as usize) else {
            self.root = None;
            return;
        };
        let sibling = links[usize::from(links[0] == leaf)];
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free.push(parent);
        self.repair(above);
    }

    /// Boxes upwards from a node, with trades.
    fn repair(&mut self, mut at: u32) {
        while at != NONE {
            self.trade(at);
            let [left, right] = self.nodes[at as usize].links;
            let bounds = self.nodes[left as usize].bounds.union(self.nodes[right as usize].bounds);
            self.nodes[at as usize].bounds = bounds;
            at = self.nodes[at as usize].parent;
        }
    }

    /// A child for a child of the other child, if that makes the latter smaller.
    fn trade(&mut self, at: u32) {
        let links = self.nodes[at as usize].links;
        let mut best = (0.0, None);
        for (side, other) in [(0, 1), (1, 0)] {
            let (lone, split) = (links[side], links[other]);
            let node = &self.nodes[split as usize];
            if node.is_leaf() {
                continue;
            }
            let before = half_area(node.bounds.size());
            for k in 0..2 {
                let kept = &self.nodes[node.links[1 - k] as usize].bounds;
                let gain = before - half_area(kept.union(self.nodes[lone as usize].bounds).size());
                if gain > best.0 {
                    best = (gain, Some((side, lone, split, k)));
                }
            }
        }
        let Some((side, lone, split, k)) = best.1 else { return };
        let grandchild = self.nodes[split as usize].links[k];
        self.nodes[at as usize].links[side] = grandchild;
        self.nodes[grandchild as usize].parent = at;
        self.nodes[split as usize].links[k] = lone;
        self.nodes[lone as usize].parent = split;
        let [left, right] = self.nodes[split as usize].links;
        self.nodes[split as usize].bounds =
            self.nodes[left as usize].bounds.union(self.nodes[right as usize].bounds);
    }

    /// From all boxes at once: halves by the middle of the longest side.
    fn rebuild(&mut self, changes: &[Change], slots: &Slots) {
        let mut numbers: Vec<u32> = changes.iter().map(|change| change.number).collect();
        numbers
            .extend((0..self.leaf_of.len() as u32).filter(|&number| self.leaf_of[number as usize] != NONE));
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|&number| !slots[number as usize].is_empty());
        self.nodes.clear();
        self.free.clear();
        self.leaf_of.fill(NONE);
        self.count = numbers.len();
        self.root = (!numbers.is_empty()).then(|| self.halves(&mut numbers, slots));
    }

    /// As deep as the logarithm of the number of boxes.
    fn halves(&mut self, numbers: &mut [u32], slots: &Slots) -> u32 {
        if let &mut [number] = numbers {
            return self.leaf(number, roomy(&slots[number as usize]));
        }
        let centers = Aabb::from_points(numbers.iter().map(|&number| slots[number as usize].center()));
        let axis = centers.longest_axis();
        let half = numbers.len() / 2;
        let key = |number: &u32| slots[*number as usize].center()[axis];
        numbers.select_nth_unstable_by(half, |x, y| key(x).total_cmp(&key(y)).then(x.cmp(y)));
        let (low, high) = numbers.split_at_mut(half);
        let links = [self.halves(low, slots), self.halves(high, slots)];
        let bounds = self.nodes[links[0] as usize].bounds.union(self.nodes[links[1] as usize].bounds);
        let node = self.allocate(Node { bounds, parent: NONE, links });
        for link in links {
            self.nodes[link as usize].parent = node;
        }
        node
    }
}
