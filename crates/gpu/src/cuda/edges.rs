//! Edges in stages on the GPU; see `edges.cu`.

use super::cell_view::View;
use super::stage_tables::{BLOCK, FilterView, Stages};
use super::{Card, CellOnGpu, Kernel};
use crate::{BatchReport, DeviceError, is_set};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Room for near and for open pairs, for each segment.
const NEAR: usize = 16;
const OPEN: usize = 8;
/// Segments of an edge at the first level, and room for so many of each edge at any level: powers of two.
const FIRST_LEVEL: u32 = 3;
const SEGMENTS: usize = 16;
/// Edges with open segments at this level are left to the CPU.
const LAST_LEVEL: u32 = 14;

/// As `EdgeBatch` in `edges.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct EdgeView {
    buffers: [u64; 14],
    numbers: [u32; 8],
}

// SAFETY: addresses and numbers in the order and with the alignment of the kernels' own struct, without padding.
#[allow(unsafe_code, reason = "the one way to hand a struct to a kernel")]
unsafe impl DeviceRepr for EdgeView {}

const _: () = assert!(size_of::<EdgeView>() == 14 * 8 + 8 * 4, "no padding");

/// Verdicts on a chunk of edges: 0 is free, 1 a collision, 2 for the CPU.
pub(crate) type TakeEdges<'a> = dyn FnMut(Range<usize>, &[u8]) + 'a;

struct EdgeLane {
    stream: Arc<CudaStream>,
    chunk: usize,
    ends: [CudaSlice<f64>; 2],
    frames: CudaSlice<f32>,
    verdicts: CudaSlice<u8>,
    doubts: CudaSlice<u8>,
    splits: CudaSlice<u8>,
    segments: [CudaSlice<u32>; 2],
    pairs: [CudaSlice<u32>; 2],
    paths: [CudaSlice<f32>; 2],
    counters: CudaSlice<u32>,
}

/// What all launches of a batch share.
struct Program<'a> {
    kernels: &'a [Kernel; 7],
    filter: FilterView,
    cell: View,
    desk: usize,
    columns: usize,
    blocks: u32,
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
        let bytes = 16 * size + 2 + SEGMENTS * (stages.frame_bytes() + 17 + 12 * (NEAR + OPEN));
        let chunk = (memory / bytes).clamp(1, 1 << 17).min(count.max(1));
        let kernels = self.edge_kernels(cell, stages)?;
        let mut lane = EdgeLane::new(self, stages, chunk)?;
        let program = Program {
            kernels,
            filter: stages.view(&lane.stream),
            cell: cell.view(&lane.stream),
            desk: cell.desk,
            columns: stages.edge_columns(),
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
    fn new(gpu: &Card, stages: &Stages, chunk: usize) -> Result<Self, DeviceError> {
        let stream = gpu.context.new_stream()?;
        let (values, segments) = ((chunk * stages.value_count()).max(1), chunk * SEGMENTS);
        // SAFETY: any bits are numbers, and the stages write what later ones read.
        unsafe {
            Ok(Self {
                chunk,
                ends: [stream.alloc(values)?, stream.alloc(values)?],
                frames: stream.alloc((segments * stages.frame_bytes() / 4).max(4))?,
                verdicts: stream.alloc(chunk)?,
                doubts: stream.alloc(chunk)?,
                splits: stream.alloc(segments)?,
                segments: [stream.alloc(2 * segments)?, stream.alloc(2 * segments)?],
                pairs: [stream.alloc(2 * NEAR * segments)?, stream.alloc(2 * OPEN * segments)?],
                paths: [stream.alloc(NEAR * segments)?, stream.alloc(OPEN * segments)?],
                counters: stream.alloc_zeros(8)?,
                stream,
            })
        }
    }

    /// All levels of the edges of a chunk.
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
        let mut count = edges << FIRST_LEVEL;
        let mut level = FIRST_LEVEL;
        while count > 0 {
            let view = self.view([count, edges], level, program.desk);
            if level == FIRST_LEVEL {
                self.launch(program, 0, &view)?;
            }
            self.stream.memset_zeros(&mut self.counters)?;
            (1..7).try_for_each(|stage| self.launch(program, stage, &view))?;
            let mut counters = [0u32; 8];
            self.stream.memcpy_dtoh(&self.counters, &mut counters)?;
            self.stream.synchronize()?;
            report.near_pairs += u64::from(counters[0]);
            report.tree_pairs += u64::from(counters[3]);
            // Those without room are left to the CPU already.
            count = (counters[4] as usize).min(self.chunk * SEGMENTS) & !1;
            self.segments.swap(0, 1);
            level += 1;
            if level == LAST_LEVEL && count > 0 {
                self.leave(count)?;
                break;
            }
        }
        Ok(())
    }

    /// Leaves the edges of all open segments to the CPU.
    fn leave(&mut self, count: usize) -> Result<(), DeviceError> {
        let (mut segments, mut doubts) = (vec![0u32; 2 * count], vec![0u8; self.chunk]);
        self.stream.memcpy_dtoh(&self.segments[0].slice(..2 * count), &mut segments)?;
        self.stream.memcpy_dtoh(&self.doubts, &mut doubts)?;
        self.stream.synchronize()?;
        segments.chunks_exact(2).for_each(|segment| doubts[segment[0] as usize] = 1);
        self.stream.memcpy_htod(&doubts, &mut self.doubts)?;
        Ok(())
    }

    fn view(&self, [count, edges]: [usize; 2], level: u32, desk: usize) -> EdgeView {
        let (s, segments) = (&*self.stream, self.chunk * SEGMENTS);
        let [from, to] = [0, 1].map(|k| self.ends[k].device_ptr(s).0);
        let [near, open] = [0, 1].map(|k| self.pairs[k].device_ptr(s).0);
        let [now, next] = [0, 1].map(|k| self.segments[k].device_ptr(s).0);
        let [near_paths, open_paths] = [0, 1].map(|k| self.paths[k].device_ptr(s).0);
        let [verdicts, doubts] = [&self.verdicts, &self.doubts].map(|bytes| bytes.device_ptr(s).0);
        EdgeView {
            buffers: [
                from,
                to,
                self.frames.device_ptr(s).0,
                segments as u64,
                verdicts,
                doubts,
                self.splits.device_ptr(s).0,
                now,
                next,
                near,
                open,
                near_paths,
                open_paths,
                self.counters.device_ptr(s).0,
            ],
            numbers: [count, level as usize, NEAR * segments, OPEN * segments, segments, edges, desk, 0]
                .map(|number| number as u32),
        }
    }

    #[allow(unsafe_code, reason = "launching kernels")]
    fn launch(&self, program: &Program<'_>, stage: usize, view: &EdgeView) -> Result<(), DeviceError> {
        let bytes = match stage {
            1 => program.columns,
            5 => program.desk * (BLOCK as usize / 16),
            _ => 0,
        };
        // As many blocks as run at a time take the pairs, whose number only the device knows, in turn.
        let blocks = program.blocks * if stage == 5 { 6 } else { 16 };
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: bytes as u32,
        };
        let mut launch = self.stream.launch_builder(&program.kernels[stage].function);
        if (1..6).contains(&stage) {
            launch.arg(&program.filter);
        }
        if stage == 5 {
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
