//! The filter of a cell as buffers of a GPU, and what goes in and out of its stages; see `filter.cuh`.

use crate::DeviceError;
use crate::packed_filter::{PackedFilter, TABLES};
use crate::state_source::StateSource;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceRepr};
use std::ops::Range;
use std::sync::Arc;

/// Threads of a block, as in `stages.cu`.
pub(super) const BLOCK: u32 = 128;
/// Room for near pairs and for open ones, for each configuration.
pub(super) const NEAR: usize = 16;
pub(super) const OPEN: usize = 8;
/// Room for pairs of trees likewise; words of an item, and numbers of its poses.
pub(super) const TREES: usize = 1;
pub(super) const TREE_ITEM: usize = 4;
pub(super) const TREE_PLACE: usize = 16;
pub(super) const TREE_BYTES: usize = 4 * TREE_ITEM + 8 * TREE_PLACE;
/// Counters of a batch, and the place of that of pairs of trees.
pub(super) const COUNTERS: usize = 16;
pub(super) const ITEM_COUNT: usize = 8;
/// Place of the heads of clouds among the tables.
const CLOUD_HEADS: usize = 13;
/// Shared memory that a block may have.
const MOST_SHARED: usize = 200 << 10;
/// Chunks in flight.
pub(super) const LANES: usize = 3;

/// The filter of a cell on a GPU.
#[derive(Debug)]
pub(crate) struct Stages {
    tables: Vec<CudaSlice<u32>>,
    near_ends: [u32; 4],
    inverse: f64,
    counts: [u32; 6],
    columns: usize,
    frame_bytes: usize,
    has_clouds: bool,
}

/// As `Filter` in `filter.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct FilterView {
    tables: [u64; TABLES],
    near_ends: [u32; 4],
    inverse: f64,
    counts: [u32; 6],
}

// SAFETY: addresses and numbers in the order and with the alignment of the kernels' own struct, without padding.
#[allow(unsafe_code, reason = "the one way to hand a struct to a kernel")]
unsafe impl DeviceRepr for FilterView {}
const _: () = assert!(size_of::<FilterView>() == (TABLES + 1) * 8 + (4 + 6) * 4, "no padding");
/// Configurations of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum States<'a> {
    Rows(&'a [f64]),
    /// From a number on.
    Drawn(&'a StateSource, u64),
}

/// Result of a chunk: the CPU has to settle those that are unsure.
#[derive(Debug)]
pub(crate) struct ChunkResult<'a> {
    pub(crate) places: Range<usize>,
    pub(crate) hits: u64,
    /// Behind the start of the chunk.
    pub(crate) first_hit: Option<u32>,
    pub(crate) unsure: &'a [u32],
    /// 0 is free, 1 a collision; only if they are wanted.
    pub(crate) verdicts: &'a [u8],
}

impl Stages {
    /// `None` where a configuration has more numbers than a thread has room for.
    pub(super) fn new(stream: &Arc<CudaStream>, packed: &PackedFilter) -> Result<Option<Self>, DeviceError> {
        let columns = packed.columns(BLOCK as usize);
        let [_, posed, _, _, values, _] = packed.counts.map(|count| count as usize);
        let most = columns.max(4 * BLOCK as usize * (2 * values + 4 * posed));
        if most > MOST_SHARED || packed.counts[2] == 0 {
            return Ok(None);
        }
        let mut tables = Vec::with_capacity(packed.tables.len());
        for words in &packed.tables {
            // A buffer without bytes cannot be had.
            tables.push(if words.is_empty() { stream.alloc_zeros(4)? } else { stream.clone_htod(words)? });
        }
        let (inverse, counts, frame_bytes) = (packed.inverse, packed.counts, packed.frame_bytes());
        let has_clouds = !packed.tables[CLOUD_HEADS].is_empty();
        let near_ends = packed.near_ends;
        Ok(Some(Self { tables, near_ends, inverse, counts, columns, frame_bytes, has_clouds }))
    }

    pub(super) fn bytes(&self) -> usize {
        4 * self.tables.iter().map(CudaSlice::len).sum::<usize>()
    }

    pub(super) fn value_count(&self) -> usize {
        self.counts[4] as usize
    }

    pub(super) fn pair_count(&self) -> usize {
        self.counts[2] as usize
    }

    pub(super) fn has_clouds(&self) -> bool {
        self.has_clouds
    }

    /// Shared memory of a block for values in double precision.
    pub(super) fn value_bytes(&self) -> usize {
        8 * BLOCK as usize * self.value_count()
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    /// Shared memory of a block for numbers of its segments.
    pub(super) fn edge_columns(&self) -> usize {
        4 * BLOCK as usize * (2 * self.counts[4] as usize + 4 * self.counts[1] as usize)
    }

    /// Bytes that one configuration of a batch takes.
    fn state_bytes(&self, given: bool) -> usize {
        let values = if given { 8 * self.counts[4] as usize } else { 0 };
        self.frame_bytes + values + 8 * (NEAR + OPEN) + TREES * TREE_BYTES + 6
    }

    /// Configurations of a chunk, several of which fit into so many bytes.
    pub(super) fn chunk(&self, memory: usize, given: bool) -> usize {
        (memory / (LANES * self.state_bytes(given))).clamp(BLOCK as usize, 1 << 22)
    }

    pub(super) fn view(&self, stream: &CudaStream) -> FilterView {
        let mut tables = [0; TABLES];
        tables.iter_mut().zip(&self.tables).for_each(|(place, table)| *place = table.device_ptr(stream).0);
        FilterView { tables, near_ends: self.near_ends, inverse: self.inverse, counts: self.counts }
    }
}
