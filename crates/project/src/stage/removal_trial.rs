//! Removal of a part from a generated assembly.

use noli::motion::{KeyFrames, Motion, Turning};
use noli::world::{BodyId, WorldError};
use noli::{Model, World};
use noli_geom::KeyFramesError;
use noli_scenes::{Assembly, Removal, engine_bay_removals};
use std::sync::Arc;

/// One removal in a world of its own.
#[derive(Debug)]
pub struct RemovalTrial {
    /// The assembly, without the parts removed before.
    pub world: World,
    /// The part to be removed.
    pub part: BodyId,
    /// Along which path; it turns about the middle of its box.
    pub motion: Arc<dyn Motion>,
}

/// Error of preparing a removal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrialError {
    /// The assembly does not have it.
    #[error("the assembly has no part {0}")]
    NoSuchPart(String),
    /// Its path is none.
    #[error("the path of {0}: {1}")]
    Path(String, KeyFramesError),
    /// The world refuses a part.
    #[error(transparent)]
    World(#[from] WorldError),
}

impl RemovalTrial {
    /// Creates the world of an assembly with these models, and the part to be removed.
    pub fn new(assembly: &Assembly, models: &[Model], removal: &Removal) -> Result<Self, TrialError> {
        let (mut world, mut moved) = (World::default(), None);
        for (part, model) in assembly.parts.iter().zip(models) {
            if removal.without.contains(&part.name.as_str()) {
                continue;
            }
            let id = world.add(part.name.clone(), model, part.pose)?;
            moved = moved.or((part.name == removal.part).then_some(id));
        }
        let part = moved.ok_or_else(|| TrialError::NoSuchPart(removal.part.to_owned()))?;
        let last = (removal.path.len().max(2) - 1) as f64;
        let keys: Vec<_> =
            removal.path.iter().enumerate().map(|(k, &pose)| (k as f64 / last, pose)).collect();
        let pivot = world.body(part)?.model().aabb().center();
        let motion = KeyFrames::new(&keys, pivot, Turning::Slerp)
            .map_err(|error| TrialError::Path(removal.part.to_owned(), error))?;
        Ok(Self { world, part, motion: Arc::new(motion) })
    }

    /// Returns the planned removals of the engine bay, and the hasty ones: those that require another part removed
    /// first, with that part left in.
    pub fn of_engine_bay() -> [Vec<Removal>; 2] {
        let planned = engine_bay_removals().to_vec();
        let hasty = planned.iter().filter(|removal| !removal.without.is_empty());
        let hasty = hasty.map(|removal| Removal { without: &[], ..removal.clone() }).collect();
        [planned, hasty]
    }
}
