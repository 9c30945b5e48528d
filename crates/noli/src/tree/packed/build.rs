//! From a tree and its triangles to packed blocks.

use super::fit::{Fitted, along_faces, fit, turned};
use super::plan::{Plan, leaf, power_of_two_above};
use super::{Link, Node, PackedTree};
use crate::parallel;
use crate::tree::Effort;
use crate::tree::principal::{Moments, Units};
use crate::tree::{Tree, TreeNode};
use glam::{DMat3, DVec3};
use noli_geom::Triangle;
use std::ops::Range;

impl PackedTree {
    /// Pack a tree of degree at most 4 with at most 4 faces a leaf.
    pub(crate) fn new(tree: &Tree, triangles: &[Triangle], effort: Effort) -> Self {
        if tree.nodes.is_empty() {
            return Self::zeroed(0, 0, &[], (1.0, 0.0));
        }
        let bounds = triangles.iter().fold(noli_geom::Aabb::EMPTY, |b, t| b.union(t.aabb()));
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        let unit = power_of_two_above(bounds.size().max_element());
        // In tree order, so that fitting a box is one linear scan.
        let ordered = parallel::map(&tree.faces, |&face| triangles[face as usize]);
        let units = Units::within(&bounds);
        let moments = node_moments(tree, &units.moments(&ordered));
        let plan = Plan::new(tree, triangles);
        let packer = Packer { tree, triangles: &ordered, unit, units, moments, plan: &plan, effort };
        let mut packed = plan.leaves(tree, triangles, (unit, reach));
        packer.fill(packed.nodes_mut());
        packed
    }
}

impl PackedTree {
    /// Become the tree of one triangle, reusing memory.
    pub(crate) fn set_single(&mut self, triangle: &Triangle) {
        let bounds = triangle.aabb();
        self.reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        self.unit = power_of_two_above(bounds.size().max_element());
        let [p, q, _] = triangle.vertices;
        let along = (q - p).normalize_or(DVec3::X);
        let side = along.any_orthonormal_vector();
        let frame = DMat3::from_cols(along, side, along.cross(side));
        let mut node = Node::empty(bounds.center());
        node.set(0, Link::leaf(0, 1), &fit(triangle.vertices.into_iter(), frame, bounds.center(), self.unit));
        self.reset(1, 1, &[]);
        self.nodes_mut()[0] = node;
        self.leaves_mut().0[0] = leaf(&[*triangle]);
    }
}

/// The moments of every node, from those of the faces in tree order. Children come after their
/// parents, so one backward sweep suffices.
fn node_moments(tree: &Tree, faces: &[Moments]) -> Vec<Moments> {
    let mut all = vec![Moments::ZERO; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate().rev() {
        let mut total = Moments::ZERO;
        if node.children.is_empty() {
            faces[node.faces.start as usize..node.faces.end as usize].iter().for_each(|m| total.add(m));
        } else {
            all[node.children.start as usize..node.children.end as usize].iter().for_each(|m| total.add(m));
        }
        all[index] = total;
    }
    all
}

/// A tree node with more faces than this is large.
const LARGE: usize = 256;

struct Packer<'a> {
    tree: &'a Tree,
    /// In the order of `tree.faces`.
    triangles: &'a [Triangle],
    unit: f64,
    units: Units,
    /// Of each tree node, in `units`.
    moments: Vec<Moments>,
    plan: &'a Plan,
    effort: Effort,
}

impl Packer<'_> {
    fn faces(&self, node: &TreeNode) -> &[Triangle] {
        &self.triangles[node.faces.start as usize..node.faces.end as usize]
    }

    /// Fill in all blocks: the one above the root, then those of the inner tree nodes in order.
    fn fill(&self, nodes: &mut [Node]) {
        let inner = &self.plan.inner;
        let children = |n: usize| self.tree.nodes[n].children.clone();
        // Children come after their parents: small nodes first, then the large ones from the last on.
        let small: Vec<usize> = inner.iter().copied().filter(|&n| !self.is_large(n)).collect();
        let packed = parallel::map(&small, |&n| self.node(children(n), n, &[]));
        small.iter().zip(packed).for_each(|(&n, node)| nodes[self.plan.links[n].index()] = node);
        for &n in inner.iter().rev().filter(|&&n| self.is_large(n)) {
            nodes[self.plan.links[n].index()] = self.node(children(n), n, nodes);
        }
        nodes[0] = self.node(0..1, 0, nodes);
    }

    /// Returns `true` if the boxes of a tree node's children are built from boxes further down instead of from
    /// all their faces.
    fn is_large(&self, node: usize) -> bool {
        let has_block = !self.plan.links[node].is_leaf();
        self.effort == Effort::Quick && has_block && self.tree.nodes[node].faces.len() > LARGE
    }

    /// The block of these children, placed about the centre of tree node `about`. `nodes` must hold what is
    /// below large nodes.
    fn node(&self, children: Range<u32>, about: usize, nodes: &[Node]) -> Node {
        let origin = self.units.point(self.moments[about].center());
        let mut node = Node::empty(origin);
        for (lane, child) in children.enumerate() {
            let fitted = self.fitted(child as usize, origin, nodes);
            node.set(lane, self.plan.links[child as usize], &fitted);
        }
        node
    }

    fn fitted(&self, child: usize, origin: DVec3, nodes: &[Node]) -> Fitted {
        let faces = self.faces(&self.tree.nodes[child]);
        let axes = || self.moments[child].axes();
        let frame = match self.effort {
            Effort::Full => turned(axes(), faces, self.unit.recip()),
            Effort::Quick if self.plan.links[child].is_leaf() => along_faces(faces).unwrap_or_else(axes),
            Effort::Quick => axes(),
        };
        if self.is_large(child) {
            let mut vertices = Vec::new();
            for below in self.tree.nodes[child].children.clone() {
                let link = self.plan.links[below as usize];
                let block = if link.is_leaf() { self.plan.links[child] } else { link };
                nodes[block.index()].vertices(self.unit, &mut vertices);
            }
            return fit(vertices.into_iter(), frame, origin, self.unit);
        }
        fit(faces.iter().flat_map(|f| f.vertices), frame, origin, self.unit)
    }
}

impl Node {
    /// The vertices of the boxes of all children, widened by what their axes are not orthonormal.
    fn vertices(&self, unit: f64, out: &mut Vec<DVec3>) {
        let slop = f64::from(self.reach) * 1e-6;
        for lane in (0..4).filter(|lane| self.valid & 1 << lane != 0) {
            let [x, y, z] = [0, 1, 2].map(|k| self.column(k, lane) * (f64::from(self.half[k][lane]) + slop));
            for signs in 0..8u32 {
                let sign = |k: u32| if signs & 1 << k == 0 { 1.0 } else { -1.0 };
                let vertex = self.column(3, lane) + x * sign(0) + y * sign(1) + z * sign(2);
                out.push(self.origin() + vertex * unit);
            }
        }
    }

    pub(super) fn empty(origin: DVec3) -> Self {
        Self { origin: [origin.x, origin.y, origin.z, 0.0], ..bytemuck::Zeroable::zeroed() }
    }

    fn set(&mut self, lane: usize, child: Link, fitted: &Fitted) {
        self.child[lane] = child;
        self.valid |= 1 << lane;
        self.reach = self.reach.max(fitted.bounding_radius());
        for k in 0..3 {
            for c in 0..3 {
                self.frame[c][4 * k + lane] = fitted.axes[k][c];
            }
            self.frame[k][12 + lane] = fitted.center[k];
            self.half[k][lane] = fitted.half[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faces below a slot; each must lie in the box of that slot and of every slot above.
    fn faces_below(packed: &PackedTree, slot: u32, triangles: &[Triangle]) -> Vec<u32> {
        let (node, lane) = (packed.node(slot as usize / 4), slot as usize % 4);
        let link = packed.link(slot);
        let faces: Vec<u32> = if link.is_leaf() {
            let held = packed.faces(link.index()).iter().take(link.leaf_mask().count_ones() as usize);
            held.flat_map(|face| packed.copies(face).to_vec()).collect()
        } else {
            let below = packed.node(link.index());
            let slots = (0..4).filter(|i| below.valid & 1 << i != 0).map(|i| 4 * link.index() as u32 + i);
            slots.flat_map(|slot| faces_below(packed, slot, triangles)).collect()
        };
        for vertex in faces.iter().flat_map(|&face| triangles[face as usize].vertices) {
            let offset = (vertex - node.origin()) / packed.unit;
            for k in 0..3 {
                let along = node.column(k, lane).dot(offset - node.column(3, lane)).abs();
                let half = f64::from(node.half[k][lane]);
                assert!(along <= half + 1e-13 * (offset.length() + half), "{slot} {k}: {along} {half}");
            }
            assert!(offset.length() <= f64::from(node.reach) * (1.0 + 1e-13));
        }
        faces
    }

    #[test]
    fn every_box_holds_its_faces() {
        let mut random = noli_scenes::SplitMix64::new(3);
        let mut soup = |count: usize, spread: f64| -> Vec<Triangle> {
            let mut point = |size: f64| DVec3::from_array([(); 3].map(|()| (random.unit() - 0.5) * size));
            let mut triangle = || {
                let at = point(1.0);
                Triangle { vertices: [(); 3].map(|()| at + point(spread)) }
            };
            (0..count).map(|_| triangle()).collect()
        };
        let sphere = noli_scenes::bumpy_sphere(12, 0.3);
        let sphere =
            sphere.triangles.iter().map(|t| Triangle { vertices: t.map(|v| sphere.vertices[v as usize]) });
        let mut meshes =
            vec![sphere.collect(), soup(3000, 0.01), soup(700, 1.0), soup(5, 0.1), soup(300, 0.0)];
        let mut copies = soup(40, 0.1);
        copies.extend(std::iter::repeat_n(copies[3], 1000));
        meshes.push(copies);
        for mesh in &meshes {
            for (scale, shift) in [(1.0, 0.0), (1e-250, 0.0), (1e200, 0.0), (1.0, 1e9)] {
                let moved = |c: DVec3| c * scale + DVec3::new(shift, -shift, 0.0);
                let triangles: Vec<_> =
                    mesh.iter().map(|t| Triangle { vertices: t.vertices.map(moved) }).collect();
                for effort in [Effort::Full, Effort::Quick] {
                    let tree = Tree::build(&triangles, &crate::tree::TreeOptions::suited(effort, &triangles));
                    let packed = PackedTree::new(&tree, &triangles, effort);
                    let mut faces = faces_below(&packed, 0, &triangles);
                    faces.sort_unstable();
                    assert!(faces.into_iter().eq(0..triangles.len() as u32));
                }
            }
        }
    }

    #[test]
    fn units_are_powers_of_two_just_above() {
        for x in [1.0, 1.5, 0.3, 1e300, 1e-300, 7e-5] {
            let unit = power_of_two_above(x);
            assert!(unit > x && unit <= 2.0 * x, "{x} {unit}");
        }
        assert_eq!(power_of_two_above(0.0), 1.0);
        assert!(power_of_two_above(1e-320).recip().is_finite());
    }
}
