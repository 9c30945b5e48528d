//! Searches as they were published, kept beside the guaranteed one to compare with.

mod bars;
mod sobol;

pub use bars::{BarQuery, BarSearch, bar_search};
pub use sobol::{Sampled, SobolQuery, sobol_search};
