//! Contact and dynamics of scenes: what is simulated, and what came of it.

mod contact;
mod dynamics;
mod error;
mod options;
mod report;
mod rigid_ipc;
mod setup;

pub use contact::simulate_contact;
pub use dynamics::simulate_dynamics;
pub use error::SimulationError;
pub use options::{SimulationOptions, Watch};
pub use report::{
    ForceReport, FrameTimes, GroupSummary, SimulationFrame, SimulationReport, SimulationSummary,
};
pub use setup::{SetupBody, SetupGroup, SimulationSetup};
