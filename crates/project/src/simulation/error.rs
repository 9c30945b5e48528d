//! Error of simulating a scene.

use crate::stage::scene::StageError;
use noli::ShapeError;
use noli_geom::KeyFramesError;
use noli_sim::SimError;

/// Error of simulating a scene.
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
    /// The observer stopped the simulation.
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
