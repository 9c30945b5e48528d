//! The single buffer of a packed tree, and the views of it.
//!
//! A row of cache lines: nodes, leaves, the triangles of each leaf, groups of copies and their members. Each
//! section begins with a line of its own. The buffer and its [`Layout`] are the complete tree.

use super::{Leaf, Link, Node, Slot};
use bytemuck::{Pod, Zeroable, must_cast_ref, must_cast_slice, must_cast_slice_mut};
use glam::{DMat3, DVec3};
use noli_geom::Obb;

/// A cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Line([u32; 16]);

const NODE: usize = size_of::<Node>() / size_of::<Line>();
const LEAF: usize = size_of::<Leaf>() / size_of::<Line>();
/// Number of word quadruples in a line.
const FOURS: usize = 4;

/// Size of each section and its first line; nodes begin at 0.
#[derive(Clone, Copy, Debug, Default)]
struct Layout {
    leaves: usize,
    faces: usize,
    groups: usize,
    members: usize,
    leaf_count: usize,
    group_count: usize,
}

/// A packed tree. Node 0 has one child, the root, so that every node and leaf has a slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedTree {
    lines: Vec<Line>,
    layout: Layout,
    /// Model unit: a power of two near the size of the mesh.
    pub(crate) unit: f64,
    /// Largest magnitude of a coordinate.
    pub(crate) reach: f64,
}

impl PackedTree {
    /// A tree with room for so many nodes and leaves, all zero. Each group is faces that are copies of its first,
    /// which alone is in a leaf.
    pub(super) fn zeroed(nodes: usize, leaves: usize, groups: &[&[u32]], (unit, reach): (f64, f64)) -> Self {
        let mut tree = Self { unit, reach, ..Self::default() };
        tree.reset(nodes, leaves, groups);
        tree
    }

    /// Become such a tree, reusing memory.
    pub(super) fn reset(&mut self, node_count: usize, leaf_count: usize, groups: &[&[u32]]) {
        let leaves = NODE * node_count;
        let faces = leaves + LEAF * leaf_count;
        let first_group = faces + leaf_count.div_ceil(FOURS);
        let members = first_group + groups.len().div_ceil(FOURS);
        let end = members + groups.iter().map(|group| group.len()).sum::<usize>().div_ceil(4 * FOURS);
        self.layout =
            Layout { leaves, faces, groups: first_group, members, leaf_count, group_count: groups.len() };
        self.lines.clear();
        self.lines.resize(end, Line::zeroed());
        if !groups.is_empty() {
            self.set_groups(groups);
        }
    }

    fn set_groups(&mut self, groups: &[&[u32]]) {
        let Layout { groups: first, members, .. } = self.layout;
        let mut sorted = groups.to_vec();
        sorted.sort_unstable_by_key(|group| group[0]);
        let (records, members) = self.lines[first..].split_at_mut(members - first);
        let (records, members) = (fours_mut(records), must_cast_slice_mut::<_, [u32; 16]>(members));
        let mut start = 0;
        for (record, group) in records.iter_mut().zip(sorted) {
            let end = start + group.len();
            members.as_flattened_mut()[start..end].copy_from_slice(group);
            *record = [group[0], start as u32, end as u32, 0];
            start = end;
        }
    }

    #[inline(always)]
    pub(crate) fn node(&self, index: usize) -> &Node {
        must_cast_ref(chunk::<NODE>(&self.lines, NODE * index))
    }

    #[inline(always)]
    pub(crate) fn leaf(&self, index: usize) -> &Leaf {
        must_cast_ref(chunk::<LEAF>(&self.lines, self.layout.leaves + LEAF * index))
    }

    /// The triangles of a leaf.
    #[inline(always)]
    pub(crate) fn faces(&self, leaf: usize) -> &[u32; 4] {
        let four: &[[u32; 4]; FOURS] = must_cast_ref(&self.lines[self.layout.faces + leaf / FOURS]);
        &four[leaf % FOURS]
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        let (nodes, _) = self.lines[..self.layout.leaves].as_chunks::<NODE>();
        must_cast_slice(nodes)
    }

    pub(super) fn nodes_mut(&mut self) -> &mut [Node] {
        let (nodes, _) = self.lines[..self.layout.leaves].as_chunks_mut::<NODE>();
        must_cast_slice_mut(nodes)
    }

    pub(crate) fn leaves(&self) -> &[Leaf] {
        let (leaves, _) = self.lines[self.layout.leaves..self.layout.faces].as_chunks::<LEAF>();
        must_cast_slice(leaves)
    }

    /// All leaves, and the triangles of each.
    pub(super) fn leaves_mut(&mut self) -> (&mut [Leaf], &mut [[u32; 4]]) {
        let Layout { leaves, faces, groups, leaf_count, .. } = self.layout;
        let (leaves, faces) = self.lines[leaves..groups].split_at_mut(faces - leaves);
        let (leaves, _) = leaves.as_chunks_mut::<LEAF>();
        (must_cast_slice_mut(leaves), &mut fours_mut(faces)[..leaf_count])
    }

    #[inline(always)]
    pub(crate) fn link(&self, slot: Slot) -> Link {
        self.node(slot as usize / 4).child[slot as usize % 4]
    }

    /// Returns all triangles that a leaf's triangle represents.
    #[inline(always)]
    pub(crate) fn copies<'a>(&'a self, triangle: &'a u32) -> &'a [u32] {
        if self.layout.group_count == 0 {
            return std::slice::from_ref(triangle);
        }
        self.group(*triangle).unwrap_or(std::slice::from_ref(triangle))
    }

    /// Returns `true` if some triangle represents others.
    pub(crate) fn has_copies(&self) -> bool {
        self.layout.group_count > 0
    }

    fn group(&self, triangle: u32) -> Option<&[u32]> {
        let Layout { groups, members, group_count, .. } = self.layout;
        let records: &[[[u32; 4]; FOURS]] = must_cast_slice(&self.lines[groups..members]);
        let records = &records.as_flattened()[..group_count];
        let at = records.binary_search_by_key(&triangle, |record| record[0]).ok()?;
        let [_, start, end, _] = records[at];
        let members: &[[u32; 16]] = must_cast_slice(&self.lines[members..]);
        Some(&members.as_flattened()[start as usize..end as usize])
    }

    /// The box of a slot, in the frame of the model; approximately, because axes are rounded.
    pub(crate) fn node_box(&self, slot: Slot) -> Obb {
        let (node, lane) = (self.node(slot as usize / 4), slot as usize % 4);
        let [x, y, z, center] = [0, 1, 2, 3].map(|k| node.column(k, lane));
        Obb {
            center: node.origin() + center * self.unit,
            axes: DMat3::from_cols(x, y, z),
            half_extents: DVec3::from_array(node.half.map(|half| f64::from(half[lane]))) * self.unit,
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.lines)
    }
}

/// `N` lines from one on.
#[inline(always)]
fn chunk<const N: usize>(lines: &[Line], at: usize) -> &[Line; N] {
    &lines[at..at + N].as_chunks().0[0]
}

fn fours_mut(lines: &mut [Line]) -> &mut [[u32; 4]] {
    must_cast_slice_mut::<_, [[u32; 4]; FOURS]>(lines).as_flattened_mut()
}
