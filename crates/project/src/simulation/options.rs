//! Choices of a caller, and progress.

use std::ops::ControlFlow;

/// Options of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimulationOptions {
    /// Coulomb's coefficient for all pairs.
    pub friction: Option<f64>,
    /// Coefficient of restitution for all pairs.
    pub restitution: Option<f64>,
    /// Into how many frames the time is divided.
    pub frames: Option<u32>,
    /// Duration, in seconds.
    pub seconds: Option<f64>,
    /// Speeds and driven motions are multiplied by this.
    pub speed: Option<f64>,
}

/// Observer of a simulation: a clock in milliseconds, and a callback for every frame.
pub struct Watch<'a> {
    /// Milliseconds since some time.
    pub clock: &'a dyn Fn() -> f64,
    /// Callback before every frame; its result may stop the simulation.
    pub frame: &'a dyn Fn(u32) -> ControlFlow<()>,
}
