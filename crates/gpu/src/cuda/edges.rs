//! Edges in stages on the GPU; see `edges.cu`.

use super::cell_view::View;
use super::stage_tables::{
    BLOCK, COUNTERS, FilterView, ITEM_COUNT, Stages, TREE_BYTES, TREE_ITEM, TREE_PLACE, TREES,
};
use super::{Card, CellOnGpu, Kernel};
use crate::{BatchReport, DeviceError, is_set};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Room for near and for open pairs, for each segment of a round.
const NEAR: usize = 16;
const OPEN: usize = 8;
/// As in `edges.cu`: segments of an edge at the first level are two to this power.
const FIRST_LEVEL: u32 = 3;
/// Edges with open segments at this level are left to the CPU.
const LAST_LEVEL: u32 = 14;
/// Segments of a round, at most: more do not fill a GPU better.
const MOST_SEGMENTS: usize = 1 << 20;
/// Edges of a chunk, at most.
const MOST_EDGES: usize = 1 << 20;
/// Room for waiting segments, for each segment of a round: both halves of all of one round after those of the next two.
const WAITING: usize = 4;

/// Place of the count of waiting segments among the counters.
const WAITING_COUNT: usize = 4;

/// As `EdgeBatch` in `edges.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct EdgeView {
    buffers: [u64; 18],
    numbers: [u32; 10],
}

// SAFETY: addresses and numbers in the order and with the alignment of the kernels' own struct, without padding.
#[allow(unsafe_code, reason = "the one way to hand a struct to a kernel")]
unsafe impl DeviceRepr for EdgeView {}

const _: () = assert!(size_of::<EdgeView>() == 18 * 8 + 10 * 4, "no padding");

/// Verdicts on a chunk of edges: 0 is free, 1 a collision, 2 for the CPU.
pub(crate) type TakeEdges<'a> = dyn FnMut(Range<usize>, &[u8]) + 'a;

/// Segments, with a bit for each pair that is open.
struct SegmentList {
    segments: CudaSlice<u32>,
    pairs: CudaSlice<u32>,
}

struct EdgeLane {
    stream: Arc<CudaStream>,
    /// Segments of a round.
    window: usize,
    /// Words of the bits of a segment's pairs.
    words: usize,
    ends: [CudaSlice<f64>; 2],
    frames: CudaSlice<f32>,
    verdicts: CudaSlice<u8>,
    doubts: CudaSlice<u8>,
    splits: CudaSlice<u8>,
    now: SegmentList,
    waiting: SegmentList,
    pairs: [CudaSlice<u32>; 2],
    paths: [CudaSlice<f32>; 2],
    items: CudaSlice<u32>,
    places: CudaSlice<f64>,
    counters: CudaSlice<u32>,
}

/// Arguments that all launches of a batch share.
struct Program<'a> {
    kernels: &'a [Kernel; 9],
    filter: FilterView,
    cell: View,
    desk: usize,
    stages: &'a Stages,
    blocks: u32,
}

/// Segments of a round.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Segments that have waited.
    old: usize,
    /// The first new edge, and how many.
    fresh: (usize, usize),
}

impl Round {
    fn segments(self) -> usize {
        self.old + (self.fresh.1 << FIRST_LEVEL)
    }
}

impl Card {
    /// Decides edges chunk by chunk; `take` receives the verdicts of each.
    pub(crate) fn run_edges(
        &self,
        (cell, stages): (&CellOnGpu, &Stages),
        [from, to]: [&[f64]; 2],
        (memory, cancel): (usize, Option<&AtomicBool>),
        take: &mut TakeEdges<'_>,
    ) -> Result<BatchReport, DeviceError> {
        let size = stages.value_count().max(1);
        let count = from.len() / size;
        let words = stages.pair_count().div_ceil(32);
        let chunk = (memory / 4 / (16 * size + 2)).clamp(1, MOST_EDGES).min(count.max(1));
        let list = 8 + 4 * words;
        let segment =
            stages.frame_bytes() + 1 + 12 * (NEAR + OPEN) + TREES * TREE_BYTES + (1 + WAITING) * list;
        // Even, as are the numbers of all that wait.
        let most = MOST_SEGMENTS.min(chunk.next_power_of_two() << (FIRST_LEVEL + 1));
        let window = (memory / 4 * 3 / segment).clamp(1 << FIRST_LEVEL, most) & !1;
        let kernels = self.edge_kernels(cell, stages)?;
        let mut lane = EdgeLane::new(self, stages, [chunk, window, words])?;
        let program = Program {
            kernels,
            filter: stages.view(&lane.stream),
            cell: cell.view(&lane.stream),
            desk: cell.desk,
            stages,
            blocks: self.cpus,
        };
        let mut report = BatchReport::default();
        let mut on_host = vec![0u8; chunk];
        for start in (0..count).step_by(chunk) {
            if is_set(cancel) {
                report.cancelled = true;
                break;
            }
            let places = start..(start + chunk).min(count);
            let values = places.start * size..places.end * size;
            lane.decide(&program, [&from[values.clone()], &to[values]], places.len(), &mut report)?;
            let own = &mut on_host[..places.len()];
            lane.read(own)?;
            report.unsure += own.iter().filter(|&&verdict| verdict > 1).count();
            take(places, own);
        }
        Ok(report)
    }
}

impl EdgeLane {
    #[allow(unsafe_code, reason = "memory that kernels write before they read it needs no values")]
    fn new(gpu: &Card, stages: &Stages, [chunk, window, words]: [usize; 3]) -> Result<Self, DeviceError> {
        let stream = gpu.context.new_stream()?;
        let values = (chunk * stages.value_count()).max(1);
        // SAFETY: any bits are numbers, and the stages write what later ones read.
        unsafe {
            let list = |room: usize| {
                let (segments, pairs) = (stream.alloc(2 * room)?, stream.alloc(words * room)?);
                Ok::<_, DeviceError>(SegmentList { segments, pairs })
            };
            Ok(Self {
                window,
                words,
                ends: [stream.alloc(values)?, stream.alloc(values)?],
                frames: stream.alloc((window * stages.frame_bytes() / 4).max(4))?,
                verdicts: stream.alloc(chunk)?,
                doubts: stream.alloc(chunk)?,
                splits: stream.alloc(window)?,
                now: list(window)?,
                waiting: list(WAITING * window)?,
                pairs: [stream.alloc(2 * NEAR * window)?, stream.alloc(2 * OPEN * window)?],
                paths: [stream.alloc(NEAR * window)?, stream.alloc(OPEN * window)?],
                items: stream.alloc(TREE_ITEM * TREES * window)?,
                places: stream.alloc(TREE_PLACE * TREES * window)?,
                counters: stream.alloc_zeros(COUNTERS)?,
                stream,
            })
        }
    }

    /// Decides the edges of a chunk, round by round.
    fn decide(
        &mut self,
        program: &Program<'_>,
        ends: [&[f64]; 2],
        edges: usize,
        report: &mut BatchReport,
    ) -> Result<(), DeviceError> {
        for (values, room) in ends.into_iter().zip(&mut self.ends) {
            if !values.is_empty() {
                self.stream.memcpy_htod(values, room)?;
            }
        }
        self.stream.memset_zeros(&mut self.verdicts)?;
        self.stream.memset_zeros(&mut self.doubts)?;
        let (mut waiting, mut next) = (0, 0);
        loop {
            let old = self.window.min(waiting);
            let fresh = (next, ((self.window - old) >> FIRST_LEVEL).min(edges - next));
            let round = Round { old, fresh };
            if round.segments() == 0 {
                return Ok(());
            }
            waiting -= old;
            next += fresh.1;
            waiting = self.take(program, round, waiting, report)?;
        }
    }

    /// One round; returns how many segments wait after it.
    fn take(
        &mut self,
        program: &Program<'_>,
        round: Round,
        waiting: usize,
        report: &mut BatchReport,
    ) -> Result<usize, DeviceError> {
        let old = waiting..waiting + round.old;
        if round.old > 0 {
            let lists = [
                (&self.waiting.segments, &mut self.now.segments, 2),
                (&self.waiting.pairs, &mut self.now.pairs, self.words),
            ];
            for (from, to, size) in lists {
                self.stream.memcpy_dtod(&from.slice(size * old.start..size * old.end), to)?;
            }
        }
        let mut counters = [0u32; COUNTERS];
        counters[WAITING_COUNT] = waiting as u32;
        self.stream.memcpy_htod(&counters, &mut self.counters)?;
        let view = self.view(round, program.desk);
        (usize::from(round.fresh.1 == 0)..9).try_for_each(|stage| self.launch(program, stage, &view))?;
        self.stream.memcpy_dtoh(&self.counters, &mut counters)?;
        self.stream.synchronize()?;
        report.near_pairs += u64::from(counters[0]);
        report.tree_pairs += u64::from(counters[ITEM_COUNT]);
        // Edges of those without room are left to the CPU already.
        Ok((counters[WAITING_COUNT] as usize).min(WAITING * self.window))
    }

    fn view(&self, round: Round, desk: usize) -> EdgeView {
        let (s, window) = (&*self.stream, self.window);
        let [from, to] = [0, 1].map(|k| self.ends[k].device_ptr(s).0);
        let [near, open] = [0, 1].map(|k| self.pairs[k].device_ptr(s).0);
        let [near_paths, open_paths] = [0, 1].map(|k| self.paths[k].device_ptr(s).0);
        let [verdicts, doubts] = [&self.verdicts, &self.doubts].map(|bytes| bytes.device_ptr(s).0);
        let [segments, waiting] = [&self.now, &self.waiting].map(|list| list.segments.device_ptr(s).0);
        let [pairs, waiting_pairs] = [&self.now, &self.waiting].map(|list| list.pairs.device_ptr(s).0);
        EdgeView {
            buffers: [
                from,
                to,
                self.frames.device_ptr(s).0,
                window as u64,
                verdicts,
                doubts,
                self.splits.device_ptr(s).0,
                segments,
                waiting,
                pairs,
                waiting_pairs,
                near,
                open,
                near_paths,
                open_paths,
                self.items.device_ptr(s).0,
                self.places.device_ptr(s).0,
                self.counters.device_ptr(s).0,
            ],
            numbers: [
                round.segments(),
                NEAR * window,
                OPEN * window,
                TREES * window,
                WAITING * window,
                round.fresh.0,
                round.old,
                desk,
                LAST_LEVEL as usize,
                0,
            ]
            .map(|number| number as u32),
        }
    }

    #[allow(unsafe_code, reason = "launching kernels")]
    fn launch(&self, program: &Program<'_>, stage: usize, view: &EdgeView) -> Result<(), DeviceError> {
        // As many blocks as run at a time take the pairs, whose number only the device knows, in turn.
        let (blocks, bytes) = match stage {
            1 => (16, program.stages.edge_columns()),
            5 => (8, program.stages.value_bytes()),
            6 => (program.kernels[6].resident, 0),
            7 if !program.stages.has_clouds() => return Ok(()),
            7 => (6, program.desk * (BLOCK as usize / 16)),
            _ => (16, 0),
        };
        let config = LaunchConfig {
            grid_dim: (program.blocks * blocks, 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: bytes as u32,
        };
        let mut launch = self.stream.launch_builder(&program.kernels[stage].function);
        launch.arg(&program.filter);
        if (5..8).contains(&stage) {
            launch.arg(&program.cell);
        }
        launch.arg(view);
        // SAFETY: the arguments are those of `edges.cu` in order; every buffer outlives the launch, because the verdicts are
        // waited for before this lane or the cell can be dropped; indices stay below the counts of the tables.
        unsafe { launch.launch(config) }?;
        Ok(())
    }

    /// Reads the verdicts.
    fn read(&self, verdicts: &mut [u8]) -> Result<(), DeviceError> {
        let mut doubts = vec![0u8; verdicts.len()];
        self.stream.memcpy_dtoh(&self.verdicts.slice(..verdicts.len()), verdicts)?;
        self.stream.memcpy_dtoh(&self.doubts.slice(..doubts.len()), &mut doubts)?;
        self.stream.synchronize()?;
        let open = verdicts.iter_mut().zip(&doubts).filter(|(verdict, doubt)| **verdict == 0 && **doubt != 0);
        open.for_each(|(verdict, _)| *verdict = 2);
        Ok(())
    }
}
