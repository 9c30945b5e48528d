//! The kernels compiled for the host: what the device is sure of must be true.

mod clouds;
mod program;
mod robots;
mod stages;
mod walk;
