//! Ways out and ways there, every motion of them proven free.
//!
//! | question | where |
//! |---|---|
//! | does this part come out, and how? | [`remove`] on a [`RigidSpace`] |
//! | how far does it go in a direction, and what stops it? | [`RigidSpace::pull`] |
//! | is this way free? | [`RigidSpace::prove_way`] |
//! | in which order do parts come out? | [`disassemble`] |
//! | is a way that is given free, and how close does it come? | [`follow_motion`], [`RigidSpace::curve`] |
//! | how does a robot get from here to there? | [`plan_joints`] |
//! | and in a space of your own? | [`connect`], [`shorten`] on any [`Space`] |
//!
//! Nothing here reads a clock or opens a file. With a limit on steps, the same seed gives the same way on every machine and
//! on any number of threads.

mod blocked;
mod blocking;
mod connect;
mod dice;
mod joint;
mod linked;
mod places;
mod pull;
mod remove;
mod rigid;
mod screw;
mod sequence;
mod shorten;
mod space;
mod study;
mod way;

pub use blocked::{Argument, Blocked};
pub use connect::{Effort, Outcome, Query, connect};
pub use dice::Dice;
pub use joint::{
    JointMemory, JointOptions, JointOutcome, JointPlanError, JointSpace, JointWay, plan_joints, stretch_times,
};
pub use places::{PlaceError, arm_variables, configurations_at};
pub use pull::Pull;
pub use remove::{Found, Removal, RemoveOptions, remove};
pub use rigid::{RigidBlock, RigidMemory, RigidSpace};
pub use screw::{Screw, Turn};
pub use sequence::{DisassembleOptions, Disassembly, Locked, Step, Watch, disassemble};
pub use shorten::shorten;
pub use space::{Edge, Space};
pub use study::{Nearness, Replay, follow_motion};
pub use way::{How, Refuted, Way};

/// Why there is nothing to plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Nothing is to move.
    #[error("no part is to move; name one")]
    NothingMoves,
    /// A part without faces.
    #[error("`{0}` is empty: nothing of it can move")]
    Nothing(String),
    /// A part without end.
    #[error("`{0}` has no end, so it cannot be taken out")]
    Endless(String),
    /// The world refuses it.
    #[error(transparent)]
    World(#[from] noli::world::WorldError),
}
