//! Configurations in stages on the GPU; see `stages.cu`.

use super::stage_lane::StageLane;
use super::stage_tables::{BLOCK, ChunkResult, LANES, Stages, States};
use super::{Card, CellOnGpu, Kernel, compiled};
use crate::{BatchReport, DeviceError, is_set, kernels};
use cudarc::driver::sys;
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;

impl Card {
    /// Classifies configurations chunk by chunk; `take` receives the result of each while the next ones are computed.
    pub(crate) fn run_stages(
        &self,
        cell: &CellOnGpu,
        stages: &Stages,
        (states, count): (States<'_>, usize),
        (memory, cancel, wanted): (usize, Option<&AtomicBool>, bool),
        mut take: impl FnMut(ChunkResult<'_>),
    ) -> Result<BatchReport, DeviceError> {
        let given = matches!(states, States::Rows(_));
        let chunk = stages.chunk(memory, given).min(count.next_multiple_of(BLOCK as usize)).max(1);
        let kernels = self.stage_kernels(cell, stages)?;
        let mut lanes = lanes(self, (cell, stages), chunk, states)?;
        let (mut report, mut clock) = (BatchReport::default(), None);
        let mut starts = (0..count).step_by(chunk);
        let mut under_way: [Option<Range<usize>>; LANES] = Default::default();
        let mut ended = 0;
        for number in 0.. {
            let lane = &mut lanes[number % LANES];
            if let Some(places) = under_way[number % LANES].take() {
                lane.finish(places, wanted, &mut take, &mut report)?;
            }
            if is_set(cancel) {
                report.cancelled = true;
            }
            let Some(start) = starts.next().filter(|_| !report.cancelled) else {
                ended += 1;
                if ended == LANES {
                    break;
                }
                continue;
            };
            if clock.is_none() {
                clock = Some(lane.event()?);
            }
            let places = start..(start + chunk).min(count);
            lane.start(self, (cell.desk, cell.view(&lane.stream), stages, kernels), states, places.clone())?;
            under_way[number % LANES] = Some(places);
            lane.done = Some(lane.event()?);
        }
        for lane in &mut lanes {
            if let (Some(start), Some(end)) = (&clock, lane.done.take()) {
                report.kernel_seconds = report.kernel_seconds.max(f64::from(start.elapsed_ms(&end)?) * 1e-3);
            }
        }
        *cell.lanes.lock().unwrap_or_else(PoisonError::into_inner) = lanes;
        Ok(report)
    }

    /// The kernels of edges, after those of configurations.
    pub(super) fn edge_kernels(
        &self,
        cell: &CellOnGpu,
        stages: &Stages,
    ) -> Result<&[Kernel; 9], DeviceError> {
        if self.edge_kernels.get().is_none() {
            let names = [
                "edge_start",
                "edge_near",
                "edge_outer",
                "edge_spheres",
                "edge_planes",
                "edge_places",
                "edge_trees",
                "edge_clouds",
                "edge_split",
            ];
            let _ = self.edge_kernels.set(compiled(&self.context, kernels::edge_program(), names)?);
        }
        let kernels = self.edge_kernels.get().ok_or(DeviceError::NoCompiler)?;
        allow_shared(&kernels[1], stages.edge_columns())?;
        allow_shared(&kernels[5], stages.value_bytes())?;
        allow_shared(&kernels[7], cell.desk * 8)?;
        Ok(kernels)
    }

    fn stage_kernels(&self, cell: &CellOnGpu, stages: &Stages) -> Result<&[Kernel; 8], DeviceError> {
        if self.stage_kernels.get().is_none() {
            let names = [
                "near_stage",
                "outer_stage",
                "sphere_stage",
                "plane_stage",
                "place_stage",
                "tree_stage",
                "cloud_stage",
                "tally_stage",
            ];
            let made = compiled(&self.context, kernels::stage_program(), names)?;
            // Another thread may have been quicker.
            let _ = self.stage_kernels.set(made);
        }
        let kernels = self.stage_kernels.get().ok_or(DeviceError::NoCompiler)?;
        allow_shared(&kernels[0], stages.columns())?;
        allow_shared(&kernels[4], stages.value_bytes())?;
        allow_shared(&kernels[6], cell.desk * 8)?;
        Ok(kernels)
    }
}

/// Lets the blocks of a kernel have so many bytes of shared memory.
fn allow_shared(kernel: &Kernel, bytes: usize) -> Result<(), DeviceError> {
    let most = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    kernel.function.set_attribute(most, bytes as i32).map_err(|_| DeviceError::OutOfMemory)
}

/// The buffers of the last batch where they fit, else new ones; with what the configurations are drawn from.
fn lanes(
    gpu: &Card,
    (cell, stages): (&CellOnGpu, &Stages),
    chunk: usize,
    states: States<'_>,
) -> Result<Vec<StageLane>, DeviceError> {
    let kept = std::mem::take(&mut *cell.lanes.lock().unwrap_or_else(PoisonError::into_inner));
    let given = matches!(states, States::Rows(_));
    let fit = kept.len() == LANES && kept.iter().all(|lane| lane.chunk >= chunk && (lane.has_rows || !given));
    let mut lanes = kept;
    if !fit {
        lanes.clear();
        for _ in 0..LANES {
            lanes.push(StageLane::new(gpu, stages, chunk, given)?);
        }
    }
    let packed = match states {
        States::Rows(_) => Vec::new(),
        States::Drawn(source, _) => source.packed(),
    };
    for lane in &mut lanes {
        lane.done = None;
        if !packed.is_empty() {
            lane.ranges = lane.stream.clone_htod(&packed)?;
        }
    }
    Ok(lanes)
}
