//! Packed storage: four children a node, oriented boxes as structure-of-arrays `f32`, leaves of up to four
//! triangles.
//!
//! A node is laid out so that all children of one node are tested against all children of another in one step
//! of sixteen lanes. Coordinates are `f32` relative to an `f64` origin of the node, in units of a power of
//! two near the model's size. Precision follows the size of the node, not its place, and tiny or huge models
//! neither underflow nor overflow. The stored values *define* the box: half extents are computed in `f64`
//! about the rounded centre and axes and rounded up.

mod advance;
mod boxes;
mod buffer;
mod build;
mod distance;
mod fit;
mod image;
mod overlapping;
mod pairs;
mod plan;
mod stored;

pub(crate) use advance::{Drift, LONGEST_DRIFT, Step, Steps};
pub(crate) use boxes::Frames;
pub(crate) use buffer::PackedTree;
pub(crate) use distance::Distances;
pub use image::{Image, RECORD};
pub(crate) use overlapping::Overlapping;
pub(crate) use pairs::{PackedPairs, lanes};
pub(crate) use stored::Codec;

use bytemuck::{Pod, Zeroable};
use glam::DVec3;

/// Four children. 320 bytes, five cache lines.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// `frame[c][4·k + i]`: component `c` of axis `k` of child `i`, and for `k = 3` of its centre relative to
    /// `origin`, in model units. One rotation turns all sixteen.
    pub(crate) frame: [[f32; 16]; 3],
    /// `half[k][i]`: half extent of child `i` along its axis `k`, in model units.
    pub(crate) half: [[f32; 4]; 3],
    /// The last is unused: vectors have four lanes.
    pub(crate) origin: [f64; 4],
    pub(crate) child: [Link; 4],
    /// No point of a child is further from the origin than this, in model units.
    pub(crate) reach: f32,
    /// Bit `i` is set where child `i` exists.
    pub(crate) valid: u32,
    fill: [u32; 6],
}

impl Node {
    pub(crate) fn origin(&self) -> DVec3 {
        let [x, y, z, _] = self.origin;
        DVec3::new(x, y, z)
    }

    /// Axis `k` of a child, or for `k = 3` its centre.
    fn column(&self, k: usize, lane: usize) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|c| f64::from(self.frame[c][4 * k + lane])))
    }
}

/// Up to four triangles. 192 bytes, three cache lines.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Leaf {
    /// `vertex[k][c][i]`: coordinate `c` of vertex `k` of triangle `i`, relative to `origin`, in
    /// units of [`Leaf::unit`]; at most 1 in magnitude. Lanes beyond the last triangle repeat the first.
    pub(crate) vertex: [[[f32; 4]; 3]; 3],
    /// The longest edge of each triangle, rounded up, in the same units.
    pub(crate) size: [f32; 4],
    /// The last lane is [`Leaf::unit`], which offsets ignore.
    origin_and_unit: [f64; 4],
}

impl Leaf {
    #[inline(always)]
    pub(crate) fn origin(&self) -> &[f64; 4] {
        &self.origin_and_unit
    }

    /// A power of two.
    #[inline(always)]
    pub(crate) fn unit(&self) -> f64 {
        self.origin_and_unit[3]
    }
}

/// Link to a child: another node, or a leaf with its number of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
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
