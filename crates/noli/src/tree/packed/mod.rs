//! Packed storage: four children a node, oriented boxes as structure-of-arrays `f32`, leaves of up
//! to four triangles.
//!
//! A node is laid out so that all children of one node meet all children of another in one step of
//! sixteen lanes. Coordinates are `f32` relative to an `f64` origin of the node, in units of a power
//! of two near the model's size: precision follows the size of the node, not its place, and tiny or
//! huge models neither underflow nor overflow. What is stored *defines* the box: half extents are
//! computed in `f64` about the rounded centre and axes and rounded up.

mod advance;
mod boxes;
mod build;
mod distance;
mod stored;

pub(crate) use advance::{BoxSteps, Drift, LONGEST_DRIFT, Step};
pub(crate) use boxes::{BoxPairs, Frames, lanes};
pub(crate) use distance::BoxDistances;
pub(crate) use stored::Codec;

use glam::{DMat3, DVec3};
use noli_geom::Obb;

/// Four children. 320 bytes, five cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// `axes[k][c][i]`: component `c` of axis `k` of child `i`.
    pub(crate) axes: [[[f32; 4]; 3]; 3],
    /// `center[c][i]`, relative to `origin`, in model units.
    pub(crate) center: [[f32; 4]; 3],
    /// `half[k][i]`: half extent of child `i` along its axis `k`, in model units.
    pub(crate) half: [[f32; 4]; 3],
    pub(crate) origin: [f64; 3],
    pub(crate) child: [Link; 4],
    /// No point of a child is further from the origin than this, in model units.
    pub(crate) reach: f32,
    /// Bit `i` is set where child `i` exists.
    pub(crate) valid: u32,
}

/// Up to four triangles. 192 bytes, three cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Leaf {
    /// `corner[k][c][i]`: coordinate `c` of corner `k` of triangle `i`, relative to `origin`, in
    /// units of `unit`; at most 1 in magnitude. Lanes beyond the last triangle repeat the first.
    pub(crate) corner: [[[f32; 4]; 3]; 3],
    pub(crate) origin: [f64; 3],
    /// A power of two.
    pub(crate) unit: f64,
    pub(crate) triangle: [u32; 4],
}

/// What a child is: another node, or a leaf of so many triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link(u32);

impl Link {
    const LEAF: u32 = 1 << 31;
    const INDEX: u32 = (1 << 29) - 1;

    fn node(index: usize) -> Self {
        Self(index as u32 & Self::INDEX)
    }

    fn leaf(index: usize, count: usize) -> Self {
        Self(Self::LEAF | (count as u32 - 1) << 29 | index as u32 & Self::INDEX)
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        (self.0 & Self::INDEX) as usize
    }

    /// The children of the node this leads to.
    #[inline(always)]
    pub(crate) fn slots(self) -> [Slot; 4] {
        let first = 4 * self.index() as u32;
        [first, first + 1, first + 2, first + 3]
    }

    /// One bit per triangle of the leaf.
    #[inline(always)]
    pub(crate) fn leaf_mask(self) -> u32 {
        0xf >> (3 - (self.0 >> 29 & 3))
    }
}

/// A child of a packed node: four times the node's index plus the lane.
pub(crate) type Slot = u32;

/// A packed tree. Node 0 has one child, the root, so that every node and leaf has a slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedTree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) leaves: Vec<Leaf>,
    /// Model unit: a power of two near the size of the mesh.
    pub(crate) unit: f64,
    /// Largest magnitude of a coordinate.
    pub(crate) reach: f64,
}

impl PackedTree {
    #[inline(always)]
    pub(crate) fn link(&self, slot: Slot) -> Link {
        self.nodes[slot as usize / 4].child[slot as usize % 4]
    }

    /// The box of a slot, in the frame of the model; approximately, because axes are rounded.
    pub(crate) fn node_box(&self, slot: Slot) -> Obb {
        let (node, lane) = (&self.nodes[slot as usize / 4], slot as usize % 4);
        let vector = |x: &[[f32; 4]; 3]| DVec3::from_array(x.map(|lanes| f64::from(lanes[lane])));
        Obb {
            center: vec3(&node.origin) + vector(&node.center) * self.unit,
            axes: DMat3::from_cols(vector(&node.axes[0]), vector(&node.axes[1]), vector(&node.axes[2])),
            half_extents: vector(&node.half) * self.unit,
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.leaves)
    }
}

#[inline(always)]
pub(crate) fn vec3(x: &[f64; 3]) -> DVec3 {
    DVec3::from_array(*x)
}
