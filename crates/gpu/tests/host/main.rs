//! The kernels compiled for the host: what the device is sure of must be true.

mod program;
mod robots;
mod stages;
mod walk;
