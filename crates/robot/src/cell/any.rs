//! Whether any of many configurations is not free: what a search asks about an edge.

use super::sketch::{Look, Memory, Sketch};
use super::{Checker, Standing};
use crate::{ConfigurationError, LANES};
use noli::Overlap;
use noli::internals::{Instructions, dispatch};

/// Something that balls leave open: the configuration, the pair of pieces, and how deep their balls are.
type Open = (u32, u32, f32);

impl Checker<'_> {
    /// Of many configurations, one after the other in `states`, the number of one that is not known to be
    /// free; `None` if all are. It need not be the first of them.
    ///
    /// Quicker than [`first_hits`](Self::first_hits) where one is enough: balls inside bodies are looked at in
    /// all configurations before shapes are asked, and then those pairs first whose balls are deepest in each
    /// other.
    pub fn any_hit(&mut self, states: &[f64]) -> Result<Option<usize>, ConfigurationError> {
        let size = self.cell.value_count().max(1);
        if !states.len().is_multiple_of(size) {
            return Err(ConfigurationError::Count { found: states.len() % size, wanted: size });
        }
        self.cell.check_all(states)?;
        self.prepare(states.len() / size);
        if let (Some(sketch), Some(mut memory)) = (&self.cell.sketch, self.sketched.take()) {
            let found = self.any_sketched(sketch, &mut memory, states);
            self.sketched = Some(memory);
            if let Ok(found) = found {
                return Ok(found);
            }
        }
        let mut standings = Vec::new();
        self.first_hits(states, &mut standings)?;
        Ok(standings.iter().position(|standing| *standing != Standing::Free))
    }

    /// An error where some are beyond what is sketched.
    fn any_sketched(
        &mut self,
        sketch: &Sketch,
        memory: &mut Memory,
        states: &[f64],
    ) -> Result<Option<usize>, ()> {
        let size = self.cell.values;
        let tables = self.cell.tables.get().map(|tables| &**tables);
        let mut open: Vec<Open> = Vec::new();
        for (block, states) in states.chunks(size * LANES).enumerate() {
            dispatch(Instructions::best(), Look { sketch, tables, memory, states, one_ends: true });
            if memory.wild != 0 {
                return Err(());
            }
            if let Some(lane) = memory.hit.iter().position(Option::is_some) {
                return Ok(Some(block * LANES + lane));
            }
            let state = |lane: u8| (block * LANES) as u32 + u32::from(lane);
            open.extend(memory.todo.iter().map(|&(lane, duo, depth)| (state(lane), duo, depth)));
        }
        open.sort_unstable_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        let mut posed = None;
        for (state, number, _) in open {
            if posed != Some(state) {
                self.forget_poses();
                posed = Some(state);
            }
            self.pose(&states[state as usize * size..][..size], 0, &sketch.duos[number as usize]);
            if self.duo_exact(&sketch.duos[number as usize], 0) != Overlap::Free {
                return Ok(Some(state as usize));
            }
        }
        Ok(None)
    }
}
