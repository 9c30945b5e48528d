//! The boxes of a packed tree as numbers in a file.
//!
//! Only what is costly to compute is stored: the boxes. Links follow from the [`Tree`] and leaves from the
//! triangles, so no file can make either wrong.

use super::plan::Plan;
use super::{Node, PackedTree};
use crate::tree::Tree;
use noli_geom::Triangle;

/// Something that numbers are written to or read from, in a fixed order.
pub(crate) trait Codec {
    fn f32(&mut self, x: &mut f32);
    fn f64(&mut self, x: &mut f64);
}

impl Node {
    /// Every number of a node but its links, each once.
    fn code(&mut self, codec: &mut impl Codec) {
        for k in 0..4 {
            self.frame.iter_mut().flat_map(|row| &mut row[4 * k..4 * k + 4]).for_each(|x| codec.f32(x));
        }
        self.half.as_flattened_mut().iter_mut().for_each(|x| codec.f32(x));
        self.origin[..3].iter_mut().for_each(|x| codec.f64(x));
        codec.f32(&mut self.reach);
    }
}

impl PackedTree {
    /// Bytes written by [`PackedTree::write`] for a tree.
    pub(crate) fn stored_bytes(tree: &Tree, triangles: &[Triangle]) -> usize {
        const NODE: usize = 4 * (36 + 12 + 12 + 1) + 8 * 3;
        2 * size_of::<f64>() + NODE * (Plan::new(tree, triangles).inner.len() + 1)
    }

    pub(crate) fn write(&self, codec: &mut impl Codec) {
        codec.f64(&mut { self.unit });
        codec.f64(&mut { self.reach });
        self.nodes().iter().for_each(|node| { *node }.code(codec));
    }

    /// The packed form of a valid tree with at least one node, its boxes from a file. Nothing where a number
    /// is not one.
    pub(crate) fn read(tree: &Tree, triangles: &[Triangle], codec: &mut impl Codec) -> Option<Self> {
        let (mut unit, mut reach) = (0.0, 0.0);
        codec.f64(&mut unit);
        codec.f64(&mut reach);
        let plan = Plan::new(tree, triangles);
        let mut packed = plan.leaves(tree, triangles, (unit, reach));
        let nodes = packed.nodes_mut();
        let inner = plan.inner.iter().map(|&n| tree.nodes[n].children.clone());
        for (node, children) in nodes.iter_mut().zip(std::iter::once(0..1).chain(inner)) {
            node.code(codec);
            for (lane, child) in children.enumerate() {
                node.child[lane] = plan.links[child as usize];
                node.valid |= 1 << lane;
            }
        }
        let sound = is_unit(unit) && is_extent(reach) && nodes.iter().all(is_sound);
        sound.then_some(packed)
    }
}

/// A power of two whose inverse is one too.
fn is_unit(x: f64) -> bool {
    x > 0.0 && x.is_normal() && x.recip().is_normal() && x.to_bits() & ((1 << 52) - 1) == 0
}

fn is_extent(x: f64) -> bool {
    (0.0..f64::INFINITY).contains(&x)
}

/// Returns `true` if all numbers are finite and all extents at least 0.
fn is_sound(node: &Node) -> bool {
    node.frame.as_flattened().iter().all(|x| x.is_finite())
        && node.half.as_flattened().iter().all(|&x| is_extent(x.into()))
        && node.origin.iter().all(|x| x.is_finite())
        && is_extent(node.reach.into())
}
