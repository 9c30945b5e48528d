//! Contact and dynamics of scenes: what is simulated, and what came of it.

mod contact;
mod dynamics;
mod report;
mod rigid_ipc;
mod setup;

pub use contact::simulate_contact;
pub use dynamics::simulate_dynamics;
pub use report::{
    ForceReport, FrameTimes, GroupSummary, SimulationFrame, SimulationReport, SimulationSummary,
};
pub use setup::{SetupBody, SetupGroup, SimulationSetup};

use crate::StageError;
use noli::ShapeError;
use noli_geom::KeyFramesError;
use noli_sim::SimError;
use std::ops::ControlFlow;

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// It cannot be staged.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The simulation refuses it.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A shape is none.
    #[error("{0}: {1}")]
    Shape(String, ShapeError),
    /// A path is none.
    #[error("the motion of `{0}`: {1}")]
    Motion(String, KeyFramesError),
    /// Who watches has seen enough.
    #[error("the simulation was stopped")]
    Stopped,
    /// Nothing moves.
    #[error("nothing is asked to move in this scene; add a [[motion]], or simulate its --dynamics")]
    NothingMoves,
    /// Everything is fixed.
    #[error("nothing can fall in this scene: every body is fixed, driven or without end; drop a `fixed`")]
    NothingFalls,
    /// A group does not move as one.
    #[error(
        "the motion `{0}` moves its bodies against each other; contact is simulated for bodies that move as one"
    )]
    NotRigid(String),
    /// No such scene.
    #[error("there is no simulated scene `{0}`; there are {1}")]
    NoSuchDemo(String, String),
    /// No scene of the rigid-ipc collection.
    #[error("`{0}` cannot be read as a scene of the rigid-ipc collection: {1}")]
    RigidIpc(String, String),
}

/// What a caller may choose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimulationOptions {
    /// Coulomb's coefficient for all pairs.
    pub friction: Option<f64>,
    /// How much of the speed of approach comes back, for all pairs.
    pub restitution: Option<f64>,
    /// Into how many frames the time is divided.
    pub frames: Option<u32>,
    /// How long it takes.
    pub seconds: Option<f64>,
    /// Speeds and driven motions are multiplied by this.
    pub speed: Option<f64>,
}

/// Whoever watches: a clock in milliseconds, and who is told of every frame.
pub struct Watch<'a> {
    /// Milliseconds since some time.
    pub clock: &'a dyn Fn() -> f64,
    /// Told before every frame, and says whether to go on.
    pub frame: &'a dyn Fn(u32) -> ControlFlow<()>,
}
