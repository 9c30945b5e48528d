//! Searches as published, kept for comparison with the guaranteed one.

mod bars;
mod polynomial;
mod sobol;

pub use bars::{BarQuery, BarSearch, bar_search};
pub use polynomial::{Polynomial, SignOnBox};
pub use sobol::{Sampled, SobolQuery, sobol_search, sobol_search_as_published};
