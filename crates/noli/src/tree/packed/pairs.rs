//! Tests of two packed trees for the common traversal: blocks of sixteen pairs, for any kernel.

use super::boxes::Frames;
use super::{Node, PackedTree, Slot};
use crate::simd::{self, Simd, Supported};
use crate::tree::walk::{Block, NodeTest};

/// A test of the children of two nodes, all against all.
pub(crate) trait Kernel: Copy {
    /// See [`NodeTest::SORTED`].
    const SORTED: bool;
    /// The lanes that may matter, and the key of each.
    fn test<S: Simd>(&self, s: S, a: &Node, b: &Node, frames: &Frames, cutoff: f32) -> (u16, [f32; 16]);
}

/// Tests of two packed trees.
#[derive(Clone, Copy)]
pub(crate) struct PackedPairs<'a, K> {
    pub(crate) simd: Supported,
    pub(crate) a: &'a PackedTree,
    pub(crate) b: &'a PackedTree,
    pub(crate) frames: &'a Frames,
    pub(crate) kernel: K,
}

impl<K: Kernel> NodeTest for PackedPairs<'_, K> {
    const SORTED: bool = K::SORTED;

    #[inline(always)]
    fn is_leaf(&self, a: Slot, b: Slot) -> (bool, bool) {
        (self.a.link(a).is_leaf(), self.b.link(b).is_leaf())
    }

    #[inline(always)]
    fn expand(&self, a: Slot, b: Slot, cutoff: f32, block: &mut Block) {
        let mut single = None;
        let (a, b) = open(self.a, self.b, block, (a, b), &mut single);
        block.mask = self.simd.call(self, (a, b), cutoff, &mut block.key);
    }

    #[inline(always)]
    fn prefetch(&self, a: Slot, b: Slot) {
        prefetch(self.a, a);
        prefetch(self.b, b);
    }
}

/// The test of one block: all that the walk needs of the wide lanes.
impl<'n, K: Kernel> simd::Kernel<(&'n Node, &'n Node), f32, &mut [f32; 16]> for PackedPairs<'_, K> {
    type Output = u16;

    #[inline(always)]
    fn run<S: Simd>(&self, s: S, (a, b): (&'n Node, &'n Node), cutoff: f32, key: &mut [f32; 16]) -> u16 {
        let (mask, keys) = self.kernel.test(s, a, b, self.frames, cutoff);
        *key = keys;
        mask
    }
}

#[inline(always)]
fn prefetch(tree: &PackedTree, slot: Slot) {
    let link = tree.link(slot);
    if link.is_leaf() {
        simd::prefetch(tree.leaf(link.index()));
    } else {
        simd::prefetch(tree.node(link.index()));
    }
}

/// Names the children of `a` and of `b` in the block and returns the nodes that hold them. A leaf represents
/// itself, alone in a copy of its node.
#[inline(always)]
fn open<'a>(
    tree_a: &'a PackedTree,
    tree_b: &'a PackedTree,
    block: &mut Block,
    pair: (Slot, Slot),
    single: &'a mut Option<Node>,
) -> (&'a Node, &'a Node) {
    let (a, b) = pair;
    let (link_a, link_b) = (tree_a.link(a), tree_b.link(b));
    if link_a.is_leaf() {
        (block.a, block.b) = ([a; 4], link_b.slots());
        (single.insert(tree_a.node(a as usize / 4).only(a as usize % 4)), tree_b.node(link_b.index()))
    } else if link_b.is_leaf() {
        (block.a, block.b) = (link_a.slots(), [b; 4]);
        (tree_a.node(link_a.index()), single.insert(tree_b.node(b as usize / 4).only(b as usize % 4)))
    } else {
        (block.a, block.b) = (link_a.slots(), link_b.slots());
        (tree_a.node(link_a.index()), tree_b.node(link_b.index()))
    }
}

impl Node {
    /// The same node with child `lane` alone, in lane 0.
    #[cold]
    fn only(&self, lane: usize) -> Self {
        let repeat = |x: [f32; 4]| [x[lane]; 4];
        Self {
            frame: self.frame.map(|row| std::array::from_fn(|l| row[l / 4 * 4 + lane])),
            half: self.half.map(repeat),
            child: [self.child[lane]; 4],
            valid: 1,
            ..*self
        }
    }
}

/// Lane `4·i + j` where bit `i` of `a` and bit `j` of `b` are set.
#[inline(always)]
pub(crate) fn lanes(a: u32, b: u32) -> u16 {
    const SPREAD: [u16; 16] = {
        let mut table = [0; 16];
        let mut bits = 0;
        while bits < 16 {
            let mut i = 0;
            while i < 4 {
                if bits & (1 << i) != 0 {
                    table[bits] |= 0xf << (4 * i);
                }
                i += 1;
            }
            bits += 1;
        }
        table
    };
    SPREAD[a as usize & 15] & (b as u16).wrapping_mul(0x1111)
}
