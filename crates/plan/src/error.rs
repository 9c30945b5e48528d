//! Reason that there is nothing to plan.

/// Reason that there is nothing to plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Nothing is to move.
    #[error("no part is to move; name one")]
    NothingMoves,
    /// A part without faces.
    #[error("`{0}` is empty: nothing of it can move")]
    Nothing(String),
    /// A part without end.
    #[error("`{0}` is unbounded, so it cannot be removed")]
    Endless(String),
    /// The world refuses it.
    #[error(transparent)]
    World(#[from] noli::world::WorldError),
}
