//! Very many configurations of a cell, counted where they are classified.

use crate::state_source::StateSource;
use crate::{BatchReport, Device, DeviceError, LoadedCell, is_set};
use noli::Overlap;
use noli_robot::cell::{Cell, StateStatus};
use rayon::prelude::*;
use std::ops::Range;

/// Counts of the verdicts on configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct StateTally {
    /// Number of configurations: all, unless the batch was cancelled.
    pub count: u64,
    /// Number of those in collision.
    pub hits: u64,
    /// Number of those of which nothing is proven.
    pub unknown: u64,
    /// The lowest number of a configuration in collision.
    pub first_hit: Option<u64>,
    /// Statistics of the batch.
    pub report: BatchReport,
}

/// Configurations that a thread takes at a time.
const SHARE: u64 = 1024;
/// Bytes of a batch on the GPU, unless memory is limited further.
pub(crate) const MEMORY: usize = 2 << 30;

impl StateTally {
    fn add(&mut self, number: u64, verdict: Overlap) {
        match verdict {
            Overlap::Free => {}
            Overlap::Hit => {
                self.hits += 1;
                self.first_hit = Some(self.first_hit.map_or(number, |first| first.min(number)));
            }
            Overlap::Unknown => self.unknown += 1,
        }
    }

    /// The counts of both; not their reports.
    fn with(mut self, other: &Self) -> Self {
        self.count += other.count;
        self.hits += other.hits;
        self.unknown += other.unknown;
        self.first_hit = [self.first_hit, other.first_hit].into_iter().flatten().min();
        self
    }
}

impl Device {
    /// Counts the collisions among drawn configurations. On a GPU they are drawn, classified and counted there; those that
    /// it is unsure of are drawn again and resolved on the CPU at the same time. Counts are those of the CPU.
    pub fn tally_states(
        &self,
        loaded: &LoadedCell,
        source: &StateSource,
        numbers: Range<u64>,
    ) -> Result<StateTally, DeviceError> {
        check_source(loaded.cell(), source)?;
        #[cfg(feature = "cuda")]
        if let Some((gpu, on_gpu)) = self.gpu.as_ref().zip(loaded.on_gpu.as_ref())
            && let Some(stages) = on_gpu.stages()
        {
            gpu.check_owner(on_gpu)?;
            let settled = std::sync::Mutex::new(StateTally::default());
            let mut tally = StateTally::default();
            let states = (
                crate::cuda::States::Drawn(source, numbers.start),
                numbers.end.saturating_sub(numbers.start) as usize,
            );
            let options = (self.stage_memory(), self.cancel.as_deref(), false);
            let report = rayon::in_place_scope(|scope| {
                gpu.run_stages(on_gpu, stages, states, options, |chunk| {
                    tally.count += chunk.places.len() as u64;
                    tally.hits += chunk.hits;
                    let first = numbers.start + chunk.places.start as u64;
                    let hit = chunk.first_hit.map(|hit| first + u64::from(hit));
                    tally.first_hit = [tally.first_hit, hit].into_iter().flatten().min();
                    let unsure: Vec<u64> = chunk.unsure.iter().map(|&k| first + u64::from(k)).collect();
                    let (settled, cell) = (&settled, loaded.cell());
                    scope.spawn(move |_| {
                        let own = settle(cell, source, &unsure);
                        let mut all = settled.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        *all = all.with(&own);
                    });
                })
            })?;
            let settled = settled.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            tally = tally.with(&StateTally { count: 0, ..settled });
            tally.report = report;
            return Ok(tally);
        }
        let mut tally = StateTally::default();
        let mut start = numbers.start;
        while start < numbers.end {
            if is_set(self.cancel.as_deref()) {
                tally.report.cancelled = true;
                break;
            }
            let end = (start + SHARE * SHARE).min(numbers.end);
            let all: Vec<u64> = (start..end).collect();
            let settled = settle(loaded.cell(), source, &all);
            tally = tally.with(&settled);
            tally.report.on_cpu += all.len();
            start = end;
        }
        Ok(tally)
    }

    /// Bytes of a batch of configurations in stages.
    #[cfg(feature = "cuda")]
    pub(crate) fn stage_memory(&self) -> usize {
        if self.limited { self.memory } else { MEMORY }
    }
}

fn check_source(cell: &Cell, source: &StateSource) -> Result<(), DeviceError> {
    if source.value_count() == cell.value_count() {
        return Ok(());
    }
    let (found, wanted) = (source.value_count(), cell.value_count());
    Err(DeviceError::Configuration(format!(
        "configurations of {found} values are drawn for a cell of {wanted}: make the source from this cell"
    )))
}

/// The CPU's verdicts on drawn configurations.
fn settle(cell: &Cell, source: &StateSource, numbers: &[u64]) -> StateTally {
    if numbers.len() > 4 * SHARE as usize {
        cell.prepare();
    }
    let share = |numbers: &[u64]| {
        let (mut values, mut statuses) = (Vec::new(), Vec::new());
        numbers.iter().for_each(|&number| source.draw(number, &mut values));
        let mut tally = StateTally { count: numbers.len() as u64, ..StateTally::default() };
        let checked = cell.checker().check_states(&values, &mut statuses).is_ok();
        for (k, &number) in numbers.iter().enumerate() {
            // Without variables all are one configuration.
            let status = statuses.get(k).or(statuses.first()).filter(|_| checked);
            tally.add(
                number,
                match status {
                    Some(StateStatus::Free) => Overlap::Free,
                    Some(StateStatus::Hit(_)) => Overlap::Hit,
                    _ => Overlap::Unknown,
                },
            );
        }
        tally
    };
    let least = numbers.len().div_ceil(4 * rayon::current_num_threads()).clamp(16, SHARE as usize);
    let tallies: Vec<StateTally> = numbers.par_chunks(least).map(share).collect();
    tallies.iter().fold(StateTally::default(), |all, own| all.with(own))
}
