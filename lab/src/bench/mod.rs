//! Benchmarks: workloads whose answers are known, noli and the peers in turn. Answers are compared before times count.
//!
//! Each workload is a module with a `Plan` (what is run) and a `Report` (plain figures).

pub mod boxes;
pub mod coherence;
pub mod convex;
pub mod gpu;
pub mod growth;
mod measure;
mod peers;
pub mod scenes;
pub mod w1;

use anyhow::{Context, Result};

/// Runs on one thread, the parallel parts of noli included: the peers have one as well.
fn on_one_thread<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
    pool.install(work)
}
