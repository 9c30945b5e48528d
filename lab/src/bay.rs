//! The removals of the engine bay as worlds in which one part moves.

use anyhow::Result;
use noli::motion::{Clip, Motion};
use noli::world::{BodyId, Move};
use noli::{Model, World};
use noli_project::RemovalTrial;
use noli_scenes::{Assembly, Removal, engine_bay};
use std::sync::Arc;

/// The bay with at least so many triangles, and its models.
pub(crate) struct Bay {
    assembly: Assembly,
    models: Vec<Model>,
}

/// A part on its removal path.
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) world: World,
    pub(crate) part: BodyId,
    pub(crate) motion: Arc<dyn Motion>,
    /// Share of the path to evaluate: blocked parts stop early.
    pub(crate) until: f64,
}

/// Hasty removals are blocked within this share of their path.
const BLOCKED_WITHIN: f64 = 0.04;

impl Bay {
    /// As finely meshed as it takes.
    pub(crate) fn with_triangles(least: usize) -> Self {
        // Triangles grow with the square of the detail.
        let share = least as f64 / engine_bay(1).triangle_count() as f64;
        let mut detail = (share.sqrt() as u32).max(1);
        while engine_bay(detail).triangle_count() < least {
            detail += 1;
        }
        let assembly = engine_bay(detail);
        let models = assembly.parts.iter().map(|part| Model::from(&part.mesh)).collect();
        Self { assembly, models }
    }

    pub(crate) fn triangle_count(&self) -> usize {
        self.assembly.triangle_count()
    }

    pub(crate) fn models(&self) -> &[Model] {
        &self.models
    }

    /// Returns the four removals, and those that require another part removed first, with that part left in: these
    /// are blocked.
    pub(crate) fn stages(&self) -> Result<Vec<Stage>> {
        let [planned, hasty] = RemovalTrial::of_engine_bay();
        let planned = planned.iter().map(|removal| (removal, 1.0));
        let hasty = hasty.iter().map(|removal| (removal, BLOCKED_WITHIN));
        planned.chain(hasty).map(|(removal, until)| self.stage(removal, until)).collect()
    }

    fn stage(&self, removal: &Removal, until: f64) -> Result<Stage> {
        let RemovalTrial { world, part, motion } = RemovalTrial::new(&self.assembly, &self.models, removal)?;
        Ok(Stage { name: removal.name.to_owned(), world, part, motion, until })
    }
}

impl Stage {
    /// Places the part at a time of its path; cached results about it are invalidated.
    pub(crate) fn put(&mut self, time: f64) -> Result<()> {
        Ok(self.world.move_to(self.part, self.motion.pose(time))?)
    }

    /// Returns the segment of its path between two times.
    pub(crate) fn piece(motion: &Arc<dyn Motion>, part: BodyId, from: f64, to: f64) -> Vec<Move> {
        let clip = Clip::new(motion.clone(), from, to);
        vec![Move::rigid("part", vec![(part, Arc::new(clip) as Arc<dyn Motion>)])]
    }
}
