//! Configurations on the GPU.

use super::cell_view::View;
use super::stage_lane::StageLane;
use super::stage_tables::Stages;
use super::{BLOCK, Card, Kernel, compiled};
use crate::cell_task::{CellAnswer, CellQuery, CellTask, Found};
use crate::packed::PackedCell;
use crate::packed_filter::PackedFilter;
use crate::{BatchReport, DeviceError, is_set, kernels};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg, sys,
};
use noli::Overlap;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// A cell on a GPU.
#[derive(Debug)]
pub(crate) struct CellOnGpu {
    context: Arc<CudaContext>,
    tables: Vec<CudaSlice<u32>>,
    probes: CudaSlice<f64>,
    counts: [u32; 8],
    pub(super) desk: usize,
    pairs: Vec<u32>,
    /// `None` where the filter has no form for stages.
    stages: Option<Stages>,
    /// Buffers of the last batch in stages.
    pub(super) lanes: Mutex<Vec<StageLane>>,
}

impl CellOnGpu {
    pub(super) fn view(&self, stream: &CudaStream) -> View {
        let mut tables = [0; 9];
        for (place, table) in tables.iter_mut().zip(&self.tables) {
            *place = table.device_ptr(stream).0;
        }
        tables[8] = self.probes.device_ptr(stream).0;
        View { tables, counts: self.counts }
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * self.tables.iter().map(CudaSlice::len).sum::<usize>()
            + 8 * self.probes.len()
            + self.stages.as_ref().map_or(0, Stages::bytes)
    }

    pub(crate) fn stages(&self) -> Option<&Stages> {
        self.stages.as_ref()
    }

    fn masks(&self) -> usize {
        self.pairs.len().div_ceil(16)
    }
}

impl Card {
    pub(crate) fn load_cell(
        &self,
        packed: PackedCell,
        filter: Option<PackedFilter>,
    ) -> Result<CellOnGpu, DeviceError> {
        let stream = self.context.default_stream();
        // A buffer without bytes cannot be had.
        let filled = |words: &[u32]| if words.is_empty() { vec![0; 4] } else { words.to_vec() };
        let mut tables = Vec::with_capacity(8);
        for words in &packed.tables {
            tables.push(stream.clone_htod(&filled(&words.0))?);
        }
        let mut probes = packed.probes;
        probes.resize(probes.len().max(3), 0.0);
        let (probes, context) = (stream.clone_htod(&probes)?, self.context.clone());
        let stages = filter.map(|filter| Stages::new(&stream, &filter)).transpose()?.flatten();
        stream.synchronize()?;
        let (counts, desk, pairs) = (packed.counts, packed.desk, packed.pairs);
        Ok(CellOnGpu { context, tables, probes, counts, desk, pairs, stages, lanes: Mutex::default() })
    }

    pub(crate) fn run_cell<A: CellAnswer>(
        &self,
        task: &CellTask<'_>,
        cell: &CellOnGpu,
        chunk: usize,
        cancel: Option<&AtomicBool>,
        answers: &mut [A],
    ) -> Result<BatchReport, DeviceError> {
        if !Arc::ptr_eq(&cell.context, &self.context) {
            return Err(DeviceError::OtherDevice);
        }
        let chunk = chunk.min(answers.len()).max(1);
        let mut lanes = [Lane::new(self, cell, A::QUERY, chunk)?, Lane::new(self, cell, A::QUERY, chunk)?];
        let (mut report, mut busy) = (BatchReport::default(), None);
        let mut under_way: Option<(usize, Started)> = None;
        for (number, start) in (0..answers.len()).step_by(chunk).enumerate() {
            if is_set(cancel) {
                report.cancelled = true;
                break;
            }
            let places = start..(start + chunk).min(answers.len());
            let lane = number % 2;
            let started = lanes[lane].start(self, task, cell, A::QUERY, places)?;
            // While the device works on this chunk, the CPU settles the one before.
            if let Some((before, begun)) = under_way.replace((lane, started)) {
                lanes[before].finish(begun, task, cell, (&mut report, &mut busy), answers)?;
            }
        }
        if let Some((lane, begun)) = under_way {
            lanes[lane].finish(begun, task, cell, (&mut report, &mut busy), answers)?;
        }
        Ok(report)
    }

    /// An error for a cell of another device.
    pub(crate) fn check_owner(&self, cell: &CellOnGpu) -> Result<(), DeviceError> {
        if Arc::ptr_eq(&cell.context, &self.context) { Ok(()) } else { Err(DeviceError::OtherDevice) }
    }

    fn robot_kernel(&self, asked: CellQuery) -> Result<&Kernel, DeviceError> {
        if self.robot_kernels.get().is_none() {
            let made = compiled(&self.context, kernels::robot_program(), ["states", "listed", "ways"])?;
            // Another thread may have been quicker.
            let _ = self.robot_kernels.set(made);
        }
        let kernels = self.robot_kernels.get().ok_or(DeviceError::NoCompiler)?;
        Ok(match asked {
            CellQuery::Any => &kernels[0],
            CellQuery::First | CellQuery::All => &kernels[1],
            CellQuery::Edge => &kernels[2],
        })
    }
}

/// The buffers of one chunk and the queue that it goes through.
struct Lane {
    stream: Arc<CudaStream>,
    from: CudaSlice<f64>,
    to: CudaSlice<f64>,
    verdicts: CudaSlice<u8>,
    pairs: CudaSlice<u32>,
    hits: CudaSlice<u16>,
    counters: CudaSlice<u32>,
    blocks: u32,
    on_host: (Vec<u8>, Vec<u32>, Vec<u16>),
}

/// A chunk in flight.
struct Started {
    places: Range<usize>,
    clock: Option<(CudaEvent, CudaEvent)>,
}

impl Lane {
    fn new(gpu: &Card, cell: &CellOnGpu, asked: CellQuery, chunk: usize) -> Result<Self, DeviceError> {
        let stream = gpu.context.new_stream()?;
        let values = (chunk * cell.counts[5] as usize).max(1);
        let only = |wanted: bool, size: usize| if wanted { size.max(1) } else { 1 };
        let (pairs, hits) =
            (only(asked == CellQuery::First, chunk), only(asked == CellQuery::All, chunk * cell.masks()));
        let kernel = gpu.robot_kernel(asked)?;
        let bytes = cell.desk * (BLOCK as usize / 16);
        let most = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        kernel.function.set_attribute(most, bytes as i32).map_err(|_| DeviceError::OutOfMemory)?;
        let resident = kernel.function.occupancy_max_active_blocks_per_multiprocessor(BLOCK, bytes, None)?;
        Ok(Self {
            from: stream.alloc_zeros(values)?,
            to: stream.alloc_zeros(only(asked == CellQuery::Edge, values))?,
            verdicts: stream.alloc_zeros(chunk)?,
            pairs: stream.alloc_zeros(pairs)?,
            hits: stream.alloc_zeros(hits)?,
            counters: stream.alloc_zeros(1)?,
            blocks: gpu.cpus * resident.max(1),
            on_host: (vec![0; chunk], vec![0; pairs], vec![0; hits]),
            stream,
        })
    }

    #[allow(unsafe_code, reason = "launching a kernel")]
    fn start(
        &mut self,
        gpu: &Card,
        task: &CellTask<'_>,
        cell: &CellOnGpu,
        asked: CellQuery,
        places: Range<usize>,
    ) -> Result<Started, DeviceError> {
        let size = cell.counts[5] as usize;
        let values = places.start * size..places.end * size;
        if size > 0 {
            self.stream.memcpy_htod(&task.from[values.clone()], &mut self.from)?;
            if asked == CellQuery::Edge {
                self.stream.memcpy_htod(&task.to[values], &mut self.to)?;
            }
        }
        self.stream.memset_zeros(&mut self.counters)?;
        let (jobs, groups, desk) = (places.len() as u32, BLOCK / 16, cell.desk as u32);
        let config = LaunchConfig {
            grid_dim: (jobs.div_ceil(groups).min(self.blocks), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: desk * groups,
        };
        let (view, first) = (cell.view(&self.stream), u32::from(asked == CellQuery::First));
        let mut launch = self.stream.launch_builder(&gpu.robot_kernel(asked)?.function);
        launch.arg(&view).arg(&self.from).arg(&self.to).arg(&jobs).arg(&desk).arg(&first);
        launch.arg(&mut self.verdicts).arg(&mut self.pairs).arg(&mut self.hits).arg(&mut self.counters);
        launch.record_kernel_launch(sys::CUevent_flags::CU_EVENT_DEFAULT);
        // SAFETY: the arguments are those of `entry.cu` in order; every buffer outlives the launch, because it is waited
        // for before this lane or the cell can be dropped; indices stay below `jobs` and the counts of the tables.
        let clock = unsafe { launch.launch(config) }?;
        Ok(Started { places, clock })
    }

    fn finish<A: CellAnswer>(
        &mut self,
        begun: Started,
        task: &CellTask<'_>,
        cell: &CellOnGpu,
        (report, busy): (&mut BatchReport, &mut Option<CudaEvent>),
        answers: &mut [A],
    ) -> Result<(), DeviceError> {
        let (count, masks) = (begun.places.len(), cell.masks());
        let (verdicts, pairs, hits) = &mut self.on_host;
        self.stream.memcpy_dtoh(&self.verdicts.slice(..count), &mut verdicts[..count])?;
        if A::QUERY == CellQuery::First {
            self.stream.memcpy_dtoh(&self.pairs.slice(..count), &mut pairs[..count])?;
        }
        if A::QUERY == CellQuery::All && masks > 0 {
            self.stream.memcpy_dtoh(&self.hits.slice(..count * masks), &mut hits[..count * masks])?;
        }
        self.stream.synchronize()?;
        if let Some((start, end)) = begun.clock {
            let first = busy.get_or_insert(start);
            report.kernel_seconds = f64::from(first.elapsed_ms(&end)?) * 1e-3;
        }
        let (verdicts, pairs, hits) = (&*verdicts, &*pairs, &*hits);
        let first = begun.places.start;
        answers[begun.places].par_iter_mut().with_min_len(1 << 12).enumerate().for_each(|(k, place)| {
            let verdict = match verdicts[k] {
                0 => Overlap::Free,
                1 => Overlap::Hit,
                _ => return,
            };
            let pair = if A::QUERY == CellQuery::First { pairs[k] } else { u32::MAX };
            let own = if A::QUERY == CellQuery::All { &hits[k * masks..][..masks] } else { &hits[..0] };
            *place = A::found(&Found { verdict, pair, hits: own, pairs: &cell.pairs });
        });
        let unsure: Vec<usize> = (0..count).filter(|&k| verdicts[k] > 1).map(|k| first + k).collect();
        report.unsure += unsure.len();
        task.settle(&unsure, answers);
        Ok(())
    }
}
