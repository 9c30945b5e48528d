//! Assignment of tree nodes to packed storage.

use super::{Leaf, Link, PackedTree};
use crate::parallel;
use crate::tree::Tree;
use noli_geom::Triangle;

/// Tree nodes that become blocks, and tree nodes that become leaves.
pub(super) struct Plan {
    /// Packed position of each tree node: node 0 of the packed tree is the parent of the root. Entries below a
    /// leaf are meaningless.
    pub(super) links: Vec<Link>,
    /// Tree nodes with a block, in order.
    pub(super) inner: Vec<usize>,
    /// Tree nodes with a leaf, in order: those of the tree, and subtrees of nothing but copies of one triangle,
    /// which would otherwise be compared all with all.
    leaves: Vec<usize>,
}

impl Plan {
    pub(super) fn new(tree: &Tree, triangles: &[Triangle]) -> Self {
        let copies = copies_only(tree, triangles);
        let mut plan =
            Self { links: vec![Link::node(0); tree.nodes.len()], inner: Vec::new(), leaves: Vec::new() };
        let mut below_leaf = vec![false; tree.nodes.len()];
        for (n, node) in tree.nodes.iter().enumerate() {
            let stands_for_many = copies[n] && !node.children.is_empty();
            let is_leaf = stands_for_many || node.children.is_empty();
            if below_leaf[n] || is_leaf {
                let children = node.children.start as usize..node.children.end as usize;
                below_leaf[children].fill(true);
            }
            if below_leaf[n] {
                continue;
            }
            plan.links[n] = if is_leaf {
                plan.leaves.push(n);
                Link::leaf(plan.leaves.len() - 1, if stands_for_many { 1 } else { node.faces.len() })
            } else {
                plan.inner.push(n);
                Link::node(plan.inner.len())
            };
        }
        plan
    }

    /// The packed tree with its leaves; its nodes are still to be filled in.
    pub(super) fn leaves(&self, tree: &Tree, triangles: &[Triangle], measures: (f64, f64)) -> PackedTree {
        let faces_of = |&n: &usize| tree.faces_of(&tree.nodes[n]);
        let stands_for_many = |n: &&usize| !tree.nodes[**n].children.is_empty();
        let groups: Vec<_> = self.leaves.iter().filter(stands_for_many).map(faces_of).collect();
        let mut packed = PackedTree::zeroed(self.inner.len() + 1, self.leaves.len(), &groups, measures);
        let (leaves, faces) = packed.leaves_mut();
        leaves.copy_from_slice(&parallel::map(&self.leaves, |n| {
            let faces = faces_of(n);
            let four = first_four(faces).map(|face| triangles[face as usize]);
            leaf(&four[..faces.len().min(4)])
        }));
        faces.iter_mut().zip(&self.leaves).for_each(|(four, n)| *four = first_four(faces_of(n)));
        packed
    }
}

/// Marks nodes with more than one face whose faces are all the same triangle, bit by bit, with the same
/// vertex first.
fn copies_only(tree: &Tree, triangles: &[Triangle]) -> Vec<bool> {
    let bits = |face: u32| triangles[face as usize].vertices.map(|c| c.to_array().map(f64::to_bits));
    let first = |n: usize| tree.faces[tree.nodes[n].faces.start as usize];
    let mut all = vec![false; tree.nodes.len()];
    for (n, node) in tree.nodes.iter().enumerate().rev() {
        let faces = tree.faces_of(node);
        let mut children = node.children.clone().map(|child| child as usize);
        all[n] = faces.len() > 1
            && if node.children.is_empty() {
                faces.windows(2).all(|pair| bits(pair[0]) == bits(pair[1]))
            } else {
                let same = |child: usize| bits(first(child)) == bits(first(n));
                children.all(|child| (all[child] || tree.nodes[child].faces.len() == 1) && same(child))
            };
    }
    all
}

/// The first of the faces in place of missing ones.
fn first_four(faces: &[u32]) -> [u32; 4] {
    std::array::from_fn(|lane| *faces.get(lane).unwrap_or(&faces[0]))
}

pub(super) fn leaf(triangles: &[Triangle]) -> Leaf {
    let bounds = triangles.iter().fold(noli_geom::Aabb::EMPTY, |b, t| b.union(t.aabb()));
    let origin = bounds.center();
    let unit = power_of_two_above(bounds.size().max_element() * 0.5);
    let per_unit = unit.recip();
    let mut leaf = Leaf {
        vertex: [[[0.0; 4]; 3]; 3],
        size: [0.0; 4],
        origin_and_unit: [origin.x, origin.y, origin.z, unit],
    };
    for lane in 0..4 {
        let triangle = triangles.get(lane).unwrap_or(&triangles[0]);
        let vertices = triangle.vertices.map(|vertex| (vertex - origin) * per_unit);
        for k in 0..3 {
            for c in 0..3 {
                leaf.vertex[k][c][lane] = vertices[k][c] as f32;
            }
            // Vertices move by less than a millionth when they are rounded.
            let edge = vertices[k].distance(vertices[(k + 1) % 3]) * (1.0 + 1e-6) + 1e-6;
            leaf.size[lane] = leaf.size[lane].max(edge as f32);
        }
    }
    leaf
}

/// A power of two in `(x, 2x]`, kept where its inverse is finite; 1 for 0.
pub(super) fn power_of_two_above(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i64 - 1023 + 1;
    if x > 0.0 { f64::from_bits(((exponent.clamp(-1000, 1000) + 1023) as u64) << 52) } else { 1.0 }
}
