//! The buffers and launches of one chunk of configurations; see `stages.cu`.

use super::cell_view::View;
use super::stage_tables::{
    BLOCK, COUNTERS, ChunkResult, FilterView, ITEM_COUNT, NEAR, OPEN, Stages, States, TREE_ITEM, TREE_PLACE,
    TREES,
};
use super::{Card, Kernel};
use crate::{BatchReport, DeviceError};
use cudarc::driver::{
    CudaEvent, CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg, sys,
};
use std::ops::Range;
use std::sync::Arc;

/// As `Batch` in `stages.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct BatchView {
    ranges: u64,
    rows: u64,
    seed: u64,
    first: u64,
    frames: u64,
    stride: u64,
    verdicts: u64,
    doubts: u64,
    near: u64,
    open: u64,
    items: u64,
    places: u64,
    unsure: u64,
    counters: u64,
    count: u32,
    near_room: u32,
    open_room: u32,
    tree_room: u32,
    desk: u32,
    unused: u32,
}

// SAFETY: addresses and numbers in the order and with the alignment of the kernels' own struct, without padding.
#[allow(unsafe_code, reason = "the one way to hand a struct to a kernel")]
unsafe impl DeviceRepr for BatchView {}

const _: () = assert!(size_of::<BatchView>() == 14 * 8 + 6 * 4, "no padding");

/// The buffers of one chunk and the queue that it goes through.
#[derive(Debug)]
pub(super) struct StageLane {
    pub(super) stream: Arc<CudaStream>,
    pub(super) chunk: usize,
    pub(super) has_rows: bool,
    pub(super) ranges: CudaSlice<u32>,
    rows: CudaSlice<f64>,
    frames: CudaSlice<f32>,
    verdicts: CudaSlice<u8>,
    doubts: CudaSlice<u8>,
    near: CudaSlice<u32>,
    open: CudaSlice<u32>,
    items: CudaSlice<u32>,
    places: CudaSlice<f64>,
    unsure: CudaSlice<u32>,
    counters: CudaSlice<u32>,
    on_host: (Vec<u32>, Vec<u8>),
    pub(super) done: Option<CudaEvent>,
}

impl StageLane {
    #[allow(unsafe_code, reason = "memory that kernels write before they read it needs no values")]
    pub(super) fn new(gpu: &Card, stages: &Stages, chunk: usize, given: bool) -> Result<Self, DeviceError> {
        let stream = gpu.context.new_stream()?;
        let values = if given { (chunk * stages.value_count()).max(1) } else { 1 };
        // SAFETY: any bits are numbers, and the stages write what later ones read.
        let (rows, frames, near, open, items, places, unsure) = unsafe {
            (
                stream.alloc(values)?,
                stream.alloc((chunk * stages.frame_bytes() / 4).max(4))?,
                stream.alloc(2 * NEAR * chunk)?,
                stream.alloc(2 * OPEN * chunk)?,
                stream.alloc(TREE_ITEM * TREES * chunk)?,
                stream.alloc(TREE_PLACE * TREES * chunk)?,
                stream.alloc(chunk)?,
            )
        };
        Ok(Self {
            chunk,
            has_rows: given,
            ranges: stream.alloc_zeros(4)?,
            rows,
            frames,
            verdicts: stream.alloc_zeros(chunk)?,
            doubts: stream.alloc_zeros(chunk)?,
            near,
            open,
            items,
            places,
            unsure,
            counters: stream.alloc_zeros(COUNTERS)?,
            on_host: (Vec::new(), Vec::new()),
            done: None,
            stream,
        })
    }

    pub(super) fn event(&self) -> Result<CudaEvent, DeviceError> {
        Ok(self.stream.record_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT))?)
    }

    fn view(&self, states: States<'_>, places: &Range<usize>, desk: usize) -> BatchView {
        let stream = &*self.stream;
        let (ranges, seed, first) = match states {
            States::Rows(_) => (0, 0, 0),
            States::Drawn(source, first) => {
                (self.ranges.device_ptr(stream).0, source.seed(), first + places.start as u64)
            }
        };
        BatchView {
            ranges,
            rows: self.rows.device_ptr(stream).0,
            seed,
            first,
            frames: self.frames.device_ptr(stream).0,
            stride: self.chunk as u64,
            verdicts: self.verdicts.device_ptr(stream).0,
            doubts: self.doubts.device_ptr(stream).0,
            near: self.near.device_ptr(stream).0,
            open: self.open.device_ptr(stream).0,
            items: self.items.device_ptr(stream).0,
            places: self.places.device_ptr(stream).0,
            unsure: self.unsure.device_ptr(stream).0,
            counters: self.counters.device_ptr(stream).0,
            count: places.len() as u32,
            near_room: (NEAR * self.chunk) as u32,
            open_room: (OPEN * self.chunk) as u32,
            tree_room: (TREES * self.chunk) as u32,
            desk: desk as u32,
            unused: 0,
        }
    }

    #[allow(unsafe_code, reason = "launching kernels")]
    pub(super) fn start(
        &mut self,
        gpu: &Card,
        (desk, view, stages, kernels): (usize, View, &Stages, &[Kernel; 8]),
        states: States<'_>,
        places: Range<usize>,
    ) -> Result<(), DeviceError> {
        if let States::Rows(rows) = states {
            let size = stages.value_count();
            let own = &rows[places.start * size..places.end * size];
            if !own.is_empty() {
                self.stream.memcpy_htod(own, &mut self.rows)?;
            }
        }
        self.stream.memset_zeros(&mut self.verdicts)?;
        self.stream.memset_zeros(&mut self.doubts)?;
        self.stream.memset_zeros(&mut self.counters)?;
        let batch = self.view(states, &places, desk);
        let filter: FilterView = stages.view(&self.stream);
        let blocks = (places.len() as u32).div_ceil(BLOCK);
        // Stages over pairs do not know how many there are: as many blocks as run at a time take them in turn.
        let sizes = [
            (blocks.min(gpu.cpus * 64), stages.columns()),
            (gpu.cpus * 16, 0),
            (gpu.cpus * 16, 0),
            (gpu.cpus * 16, 0),
            (gpu.cpus * 8, stages.value_bytes()),
            (gpu.cpus * kernels[5].resident, 0),
            (if stages.has_clouds() { gpu.cpus * 6 } else { 0 }, desk * 8),
            (blocks.min(gpu.cpus * 16), 0),
        ];
        for (k, (kernel, (blocks, bytes))) in kernels.iter().zip(sizes).enumerate() {
            if blocks == 0 {
                continue;
            }
            let config = LaunchConfig {
                grid_dim: (blocks, 1, 1),
                block_dim: (BLOCK, 1, 1),
                shared_mem_bytes: bytes as u32,
            };
            let mut launch = self.stream.launch_builder(&kernel.function);
            if !matches!(k, 5 | 7) {
                launch.arg(&filter);
            }
            if (4..7).contains(&k) {
                launch.arg(&view);
            }
            launch.arg(&batch);
            // SAFETY: the arguments are those of `stages.cu` in order; every buffer outlives the launch, because it is
            // waited for before this lane or the cell can be dropped; indices stay below the counts of the tables.
            unsafe { launch.launch(config) }?;
        }
        Ok(())
    }

    pub(super) fn finish(
        &mut self,
        places: Range<usize>,
        wanted: bool,
        take: &mut impl FnMut(ChunkResult<'_>),
        report: &mut BatchReport,
    ) -> Result<(), DeviceError> {
        let mut counters = [0; COUNTERS];
        self.stream.memcpy_dtoh(&self.counters, &mut counters)?;
        self.stream.synchronize()?;
        let unsure = counters[4] as usize;
        let (list, verdicts) = &mut self.on_host;
        list.resize(unsure, 0);
        if unsure > 0 {
            self.stream.memcpy_dtoh(&self.unsure.slice(..unsure), &mut list[..])?;
        }
        verdicts.resize(if wanted { places.len() } else { 0 }, 0);
        if wanted {
            self.stream.memcpy_dtoh(&self.verdicts.slice(..places.len()), &mut verdicts[..])?;
        }
        self.stream.synchronize()?;
        report.unsure += unsure;
        report.near_pairs += u64::from(counters[0]);
        report.tree_pairs += u64::from(counters[ITEM_COUNT]);
        let first_hit = (counters[6] != 0).then(|| !counters[6]);
        let hits = u64::from(counters[5]);
        take(ChunkResult { places, hits, first_hit, unsure: list, verdicts });
        Ok(())
    }
}
