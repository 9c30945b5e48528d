//! Searches as published, kept for comparison with the guaranteed one.

mod bars;
mod polynomial;
mod sobol;
mod timed;

pub use bars::{BarQuery, BarSearch, bar_search, bar_search_polynomials};
pub use polynomial::{Polynomial, SignOnBox};
pub use sobol::{Sampled, SobolQuery, sobol_points, sobol_search, sobol_search_as_published};
pub use timed::formula_at;
