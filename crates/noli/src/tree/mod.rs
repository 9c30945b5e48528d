//! Hierarchies: one n-ary [`Tree`] over numbered faces, its construction, and the traversal of two of them.
//!
//! The tree itself stores only the faces below each node. The engine stores the volumes separately, packed
//! into SIMD blocks. Other hierarchies (the crate `noli-classics` holds the published ones) use the public
//! interface here. [`Tree::top_down`] builds by any rule, [`Model::with_tree`](crate::Model::with_tree) packs
//! any tree, and [`walk`](mod@walk) traverses two trees of any storage.

pub(crate) mod front;
mod options;
pub(crate) mod packed;
pub(crate) mod points;
pub(crate) mod principal;
mod split;
pub mod walk;

pub(crate) use options::PACKED_WIDTH;
pub use options::{Effort, Split, TreeOptions};
pub use split::Faces;

use noli_geom::Triangle;
use principal::{Moments, Units};
use std::ops::Range;

/// A node of a [`Tree`]: a range of faces, and a range of child nodes unless it is a leaf.
#[doc(alias("bvh", "aabb tree", "bounding volume hierarchy"))]
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// Positions in [`Tree::faces`].
    pub faces: Range<u32>,
    /// Positions in [`Tree::nodes`]; empty for a leaf.
    pub children: Range<u32>,
}

/// The faces below each node. Node 0 is the root; the children of a node are neighbours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// All nodes.
    pub nodes: Vec<TreeNode>,
    /// Face numbers, so ordered that every node holds a contiguous range.
    pub faces: Vec<u32>,
}

impl Tree {
    /// The numbers of the faces below a node.
    #[inline]
    pub fn faces_of(&self, node: &TreeNode) -> &[u32] {
        &self.faces[node.faces.start as usize..node.faces.end as usize]
    }

    /// Part the triangles until at most `leaf_faces` are left in each node.
    pub fn build(triangles: &[Triangle], options: &TreeOptions) -> Self {
        if triangles.is_empty() {
            return Self::default();
        }
        let options = options.in_range();
        let (moments, mut faces) = match options.split {
            Split::SurfaceArea => return split::by_surface_area(triangles, &options),
            Split::Morton => (Vec::new(), split::halving::along_curve(triangles)),
            Split::Median | Split::LongestAxis => {
                (Units::of(triangles).moments(triangles), (0..triangles.len() as u32).collect())
            }
        };
        let builder = Builder { moments, options };
        let mut nodes = vec![node(&faces, 0)];
        builder.grow(&mut faces, 0, 0, &mut nodes);
        Self { nodes, faces }
    }

    /// The same tree with nodes between those of more than `width` children and their children, and leaves of
    /// more than `width` faces parted by their order.
    pub(crate) fn narrowed(self, width: usize) -> Self {
        let fits = |node: &TreeNode| match node.children.len() {
            0 => node.faces.len() <= width,
            children => children <= width,
        };
        if self.nodes.iter().all(fits) {
            return self;
        }
        let mut nodes = vec![TreeNode { children: 0..0, ..self.nodes[0].clone() }];
        // Nodes of the new tree, and the nodes of the old one to put below them.
        let mut open = vec![(0, self.nodes[0].children.clone())];
        while let Some((index, below)) = open.pop() {
            let first = nodes.len();
            if below.is_empty() {
                let faces = nodes[index].faces.clone();
                let parts = if faces.len() <= width { 0 } else { width };
                nodes.extend(groups(&faces, parts).map(|faces| TreeNode { faces, children: 0..0 }));
                open.extend((first..nodes.len()).map(|part| (part, 0..0)));
            }
            for members in groups(&below, below.len().min(width)) {
                let [head, last] = [members.start, members.end - 1].map(|n| &self.nodes[n as usize]);
                nodes.push(TreeNode { faces: head.faces.start..last.faces.end, children: 0..0 });
                let below = if members.len() == 1 { head.children.clone() } else { members };
                open.push((nodes.len() - 1, below));
            }
            if nodes.len() > first {
                nodes[index].children = first as u32..nodes.len() as u32;
            }
        }
        Self { nodes, faces: self.faces }
    }

    /// Returns the depth of the deepest leaf; 0 for a tree of one node or none.
    pub fn depth(&self) -> usize {
        self.levels().len().saturating_sub(1)
    }

    /// The nodes by depth.
    pub fn levels(&self) -> Vec<Vec<u32>> {
        let mut levels = Vec::new();
        let mut level: Vec<u32> = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while !level.is_empty() {
            let next = level.iter().flat_map(|&node| self.nodes[node as usize].children.clone()).collect();
            levels.push(std::mem::replace(&mut level, next));
        }
        levels
    }

    /// Check that this is a tree at all (every node but the root is the child of one node before it), that
    /// the root holds all faces, and that the children of every node part its faces.
    pub fn check(&self, face_count: usize) -> Result<(), TreeError> {
        let mut seen = vec![false; face_count];
        for &face in &self.faces {
            let slot = seen.get_mut(face as usize).ok_or(TreeError::Face(face))?;
            if std::mem::replace(slot, true) {
                return Err(TreeError::Face(face));
            }
        }
        if let Some(face) = seen.iter().position(|seen| !seen) {
            return Err(TreeError::Face(face as u32));
        }
        if self.nodes.first().map_or(0..0, |root| root.faces.clone()) != (0..face_count as u32) {
            return Err(TreeError::Node(0));
        }
        let mut has_parent = vec![false; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let range = node.children.start as usize..node.children.end as usize;
            let children = self.nodes.get(range.clone()).ok_or(TreeError::Node(index))?;
            let mut next = node.faces.start;
            for (number, child) in range.zip(children) {
                let parts = child.faces.start == next && !child.faces.is_empty();
                // A child behind its parent: no node is its own descendant.
                if !parts || number <= index || std::mem::replace(&mut has_parent[number], true) {
                    return Err(TreeError::Node(index));
                }
                next = child.faces.end;
            }
            if !children.is_empty() && next != node.faces.end {
                return Err(TreeError::Node(index));
            }
        }
        match has_parent.iter().skip(1).position(|has| !has) {
            Some(orphan) => Err(TreeError::Orphan(orphan + 1)),
            None => Ok(()),
        }
    }
}

/// Defect found by [`Tree::check`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A face is missing, repeated or out of range.
    #[error("face {0} is not in exactly one leaf")]
    Face(u32),
    /// The children of a node do not part its faces.
    #[error("the children of node {0} do not part its faces")]
    Node(usize),
    /// A node without a parent.
    #[error("node {0} is the child of no node")]
    Orphan(usize),
}

struct Builder {
    /// Of each face; none where the order of the faces is the split.
    moments: Vec<Moments>,
    options: TreeOptions,
}

/// Below this many faces a subtree is built by the thread that has it.
const PARALLEL_FACES: usize = 4096;

impl Builder {
    /// Part the faces of `nodes[index]` and grow its subtree behind what `nodes` already holds.
    fn grow(&self, faces: &mut [u32], first: u32, index: usize, nodes: &mut Vec<TreeNode>) {
        if faces.len() <= self.options.leaf_faces {
            return;
        }
        let parts = split::halving::halves(&self.moments, faces, &self.options);
        let children = nodes.len();
        let mut start = 0;
        for part in &parts {
            nodes.push(node(&faces[start..start + part], first + start as u32));
            start += part;
        }
        nodes[index].children = children as u32..nodes.len() as u32;
        self.grow_children(faces, first, &parts, children, nodes);
    }

    fn grow_children(
        &self,
        faces: &mut [u32],
        first: u32,
        parts: &[usize],
        children: usize,
        nodes: &mut Vec<TreeNode>,
    ) {
        if faces.len() < PARALLEL_FACES {
            let (mut rest, mut first) = (faces, first);
            for (i, &part) in parts.iter().enumerate() {
                let (mine, others) = rest.split_at_mut(part);
                self.grow(mine, first, children + i, nodes);
                (rest, first) = (others, first + part as u32);
            }
            return;
        }
        let mut jobs = Vec::new();
        let (mut rest, mut first) = (faces, first);
        for (i, &part) in parts.iter().enumerate() {
            let (mine, others) = rest.split_at_mut(part);
            jobs.push((mine, first, vec![nodes[children + i].clone()]));
            (rest, first) = (others, first + part as u32);
        }
        crate::parallel::for_each_mut(&mut jobs, |(faces, first, nodes)| self.grow(faces, *first, 0, nodes));
        for (i, (_, _, grown)) in jobs.into_iter().enumerate() {
            append_subtree(nodes, children + i, grown);
        }
    }
}

/// A range in `count` parts of about the same length.
fn groups(range: &Range<u32>, count: usize) -> impl Iterator<Item = Range<u32>> + use<> {
    let (start, length) = (range.start, range.len());
    let bound = move |group: usize| start + (group * length / count) as u32;
    (0..count).map(move |group| bound(group)..bound(group + 1))
}

/// A leaf of these faces, the first of which is number `first` of the whole tree.
fn node(faces: &[u32], first: u32) -> TreeNode {
    TreeNode { faces: first..first + faces.len() as u32, children: 0..0 }
}

/// Move a subtree whose indices count from its own root (node 0) to the end of `nodes`, with the
/// root itself at `root`.
fn append_subtree(nodes: &mut Vec<TreeNode>, root: usize, grown: Vec<TreeNode>) {
    let shift = nodes.len() as u32 - 1;
    for (i, mut node) in grown.into_iter().enumerate() {
        if !node.children.is_empty() {
            node.children = node.children.start + shift..node.children.end + shift;
        }
        if i == 0 {
            nodes[root] = node;
        } else {
            nodes.push(node);
        }
    }
}
