//! Scenes and cells as worlds and workplaces: bodies with models, rules and motions.

pub(crate) mod body_identity;
pub(crate) mod cell;
pub(crate) mod interference;
pub(crate) mod mesh_kind;
pub(crate) mod penetration_kind;
mod removal_trial;
pub(crate) mod scene;
pub(crate) mod surfaces;
mod surroundings;

pub use mesh_kind::{TakeAs, with_own_kind};
pub use removal_trial::{RemovalTrial, TrialError};
pub use scene::{Origin, StageError, StageOptions, Staged, StagedBody, StagedRemoval, stage};
pub use surroundings::{Surrounding, display_mesh, load_obstacles, load_surroundings, stage_configuration};
